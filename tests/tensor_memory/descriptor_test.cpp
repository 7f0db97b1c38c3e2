// What descriptors of tcgen05 say: the manual's examples, and bits at random.
#include "sim/tensor_memory/column_mask.hpp"
#include "sim/tensor_memory/data_path.hpp"
#include "sim/tensor_memory/shared_matrix.hpp"
#include "sim/tensor_memory/tensor_memory.hpp"
#include "tests/support/catch.hpp"

#include <random>
#include <set>
#include <utility>

namespace descriptor_test {

using namespace warpsim::sim;
using namespace warpsim::sim::tensor_memory;

namespace {

Instruction weight_stationary(std::uint32_t m, std::uint32_t n, std::uint32_t shift_code) {
    std::string wrong;
    Variation v;
    v.is_weight_stationary = true;
    Instruction const i = instruction_of(v, 1u << 4 | n / 8 << 17 | m / 16 << 24 | shift_code << 30, wrong);
    CHECK(wrong.empty());
    return i;
}

/// The lowest columns of a part of the mask, the first one last, as the manual prints them.
std::string mask_text(ColumnMask const& mask, std::uint32_t first, std::uint32_t count) {
    std::string text;
    for (std::uint32_t c = count; c-- > 0;) text += mask.is_zero(first + c) ? '1' : '0';
    return text;
}

}  // namespace

TEST_CASE("Masks of columns are those of the manual's examples", "[tensor_memory]") {
    std::uint64_t const spans = std::uint64_t{2} << 40 | std::uint64_t{3} << 48,
                        generated = std::uint64_t{1} << 39;
    std::string wrong;
    ColumnMask const none(std::uint64_t{4} << 40 | std::uint64_t{3} << 48, weight_stationary(128, 128, 0), wrong);
    CHECK(mask_text(none, 0, 128) == std::string(128, '0'));
    ColumnMask const one(spans | generated, weight_stationary(128, 128, 0), wrong);
    CHECK(mask_text(one, 0, 14) == "11100001110000");
    ColumnMask const two(spans | generated | std::uint64_t{1} << 32, weight_stationary(64, 128, 0), wrong);
    CHECK(mask_text(two, 0, 17) == "11100001110000111");
    CHECK(mask_text(two, 64, 18) == "000011100001110000");
    // Start counts {1, 2, 1, 0}, first spans {0, 0, 1, 1}, a shift of 2.
    ColumnMask const four(spans | generated | std::uint64_t{3} << 32 | 0x01020100u | std::uint64_t{2} << 56,
                          weight_stationary(32, 128, 1), wrong);
    CHECK(wrong.empty());
    CHECK(mask_text(four, 0, 14) == "00001110000111");
    CHECK(mask_text(four, 32, 13) == "0000111000011");
    CHECK(mask_text(four, 64, 12) == "111000011100");
    CHECK(mask_text(four, 96, 13) == "1110000111000");
    CHECK(four.shift() == 2);
    ColumnMask const far(generated | std::uint64_t{17} << 56, weight_stationary(32, 128, 3), wrong);
    CHECK(wrong == "bits 56 to 61, the shift, are 17; M = 32 has shifts up to 16");
}

TEST_CASE("Every element of D has a cell of its own, whatever the descriptor says", "[tensor_memory]") {
    std::mt19937 random(3);
    int legal = 0;
    for (int round = 0; round < 20000; ++round) {
        Variation v;
        v.kind = static_cast<Kind>(random() % 7);
        v.is_sparse = random() % 2 != 0;
        v.of_pair = random() % 2 != 0;
        v.is_weight_stationary = !v.of_pair && !has_scales(v.kind) && random() % 2 != 0;
        // Mostly types that there are, so that some descriptors are right.
        std::uint32_t bits = (v.is_sparse ? 4u : 0u) | static_cast<std::uint32_t>(random() % 3) << 4 |
                             static_cast<std::uint32_t>(random() % 3) << 7 |
                             static_cast<std::uint32_t>(random() % 3) << 10 |
                             static_cast<std::uint32_t>(random() % 64) << 17 |
                             static_cast<std::uint32_t>(random() % 5) << 26 | (has_scales(v.kind) ? 1u << 23 : 0u);
        if (random() % 4 == 0) bits ^= static_cast<std::uint32_t>(random() & random() & random());
        std::string wrong;
        Instruction const i = instruction_of(v, bits, wrong);
        if (!wrong.empty()) continue;
        ++legal;
        std::set<std::pair<std::uint32_t, std::uint32_t>> cells;
        std::size_t count = 0;
        for (Segment const& s : segments_of(i, 0)) {
            CHECK(s.lane + segment_lanes <= lanes);
            CHECK(s.row + segment_lanes <= i.rows());
            CHECK(s.first_column + s.columns <= i.shape.n);
            for (std::uint32_t lane = s.lane; lane < s.lane + segment_lanes; ++lane)
                cells.insert({128 * s.cta + lane, 0});
            count += std::size_t{segment_lanes} * s.columns;
        }
        CHECK(count == std::size_t{i.shape.m} * i.shape.n);
        CHECK(cells.size() * columns_of_d(i) == count);
    }
    CHECK(legal > 100);
}

TEST_CASE("Chunks of described matrices do not share bytes", "[tensor_memory]") {
    for (std::uint64_t const mode : {0u, 1u, 2u, 4u, 6u}) {
        std::uint32_t const width = mode == 0 ? 1 : mode == 4 ? 4 : mode == 6 ? 2 : 8;
        // 64 lines and two rows of the pattern, without gaps.
        std::uint64_t const stride = (mode == 1 ? 4 : 8) * width, leading = 64 * width;
        std::string wrong;
        SharedMatrix const m =
            shared_matrix(leading << 16 | stride << 32 | std::uint64_t{1} << 46 | mode << 61, wrong);
        CHECK(wrong.empty());
        std::set<std::uint32_t> places;
        for (std::uint32_t line = 0; line < 64; ++line)
            for (std::uint32_t chunk = 0; chunk < 2 * width; ++chunk)
                places.insert(chunk_address(m, matrix::Major::k, line, chunk));
        CHECK(places.size() == 64 * 2 * width);
        CHECK(*places.rbegin() == (64 * 2 * width - 1) * 16);
    }
}

TEST_CASE("Columns of tensor memory are allocated, freed and named", "[tensor_memory]") {
    TensorMemory memory;
    CHECK(memory.allocated_text() == "no columns");
    CHECK(memory.allocate(128, {0, 0, 0}) == 0u);
    CHECK(memory.allocate(64, {1, 0, 5}) == 128u);
    CHECK(memory.allocate(512, {}) == std::nullopt);
    memory.free(0, 128);
    CHECK(memory.allocated_text() == "columns 128 to 191");
    CHECK(memory.allocate(256, {}) == 192u);
    CHECK(memory.allocate(32, {}) == 0u);
    CHECK(memory.has(128, 320));
    CHECK_FALSE(memory.has(31, 2));
    CHECK_FALSE(memory.has(511, 2));
    CHECK_FALSE(memory.has(0xffff, 1));
    memory.free(0, 32);
    CHECK(memory.leak()->first == 128);
    CHECK(memory.leak()->count == 64);
    CHECK(memory.leak()->by.instruction == 5);
}

}  // namespace descriptor_test
