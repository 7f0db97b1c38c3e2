// The walk over matrices in shared memory against the canonical layouts of the manual, written an element at a time.
#include "sim/matrix/descriptor.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/described_matrix.hpp"

namespace descriptor_test {

using namespace warpsim;
using namespace warpsim::test;

TEST_CASE("A descriptor's fields are where the manual has them", "[matrix]") {
    sim::matrix::Descriptor const d =
        sim::matrix::descriptor_of(std::uint64_t{0x3fff} | std::uint64_t{0x1234} << 16 |
                                   std::uint64_t{0x2001} << 32 | std::uint64_t{5} << 49 | std::uint64_t{2} << 62);
    CHECK(d == sim::matrix::Descriptor{0x3fff0, 0x12340, 0x20010, 5, 4});
    CHECK(sim::matrix::descriptor_of(std::uint64_t{1} << 62).swizzle_chunks == 8);
    CHECK(sim::matrix::descriptor_of(std::uint64_t{3} << 62).swizzle_chunks == 2);
    CHECK(sim::matrix::descriptor_of(0).swizzle_chunks == 1);
}

TEST_CASE("Chunks are where the canonical layouts have their elements", "[matrix]") {
    for (Canonical const& layout : canonical_layouts(256, 64)) {
        sim::matrix::Descriptor const d = sim::matrix::descriptor_of(layout.descriptor());
        for (std::uint32_t row = 0; row < 256; ++row) {
            for (std::uint32_t k = 0; k < 32; ++k) {
                bool const is_k = layout.major == sim::matrix::Major::k;
                std::uint32_t const along = is_k ? k : row;
                std::uint32_t const got =
                    sim::matrix::chunk_address(d, layout.major, is_k ? row : k, along / 8) + 2 * (along % 8);
                if (got == layout.byte(row, 2 * k)) continue;
                INFO(layout.name() << ", row " << row << ", k " << k);
                CHECK(got == layout.byte(row, 2 * k));
                return;
            }
        }
    }
}

TEST_CASE("The pattern of a swizzle begins where the base offset says", "[matrix]") {
    // A matrix whose pattern begins at line 3 of 128 bytes is the one that begins at line 0, moved by as much.
    for (std::uint64_t const swizzle : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}}) {
        std::uint64_t const bits = swizzle << 62 | std::uint64_t{64} << 32;
        auto const aligned = sim::matrix::descriptor_of(bits);
        auto const moved = sim::matrix::descriptor_of(bits | 3 * 128 / 16 | std::uint64_t{3} << 49);
        for (std::uint32_t row = 0; row < 64; ++row) {
            CHECK(chunk_address(moved, sim::matrix::Major::k, row, 1) ==
                  chunk_address(aligned, sim::matrix::Major::k, row, 1) + 3 * 128);
        }
    }
}

}  // namespace descriptor_test
