// Descriptors of tcgen05 and wgmma with any bits: either one of them is said to be wrong, or all of D stands in tensor memory,
// each element in one place, and matrices in shared memory lie in whole chunks, no two of which are the same.
#include "sim/matrix/descriptor.hpp"
#include "sim/tensor_memory/column_mask.hpp"
#include "sim/tensor_memory/data_path.hpp"
#include "sim/tensor_memory/shared_matrix.hpp"
#include "tests/fuzz/input.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <utility>

namespace {

using namespace warpsim::sim;
using namespace warpsim::sim::tensor_memory;

void require(bool is_so) {
    if (!is_so) __builtin_trap();
}

Variation variation_of(Input& input) {
    Variation v;
    v.kind = static_cast<Kind>(input.take<std::uint8_t>() % 7);
    std::uint8_t const flags = input.take<std::uint8_t>();
    v.is_sparse = (flags & 1) != 0;
    // The grammar has no weight-stationary product with scales, or of a pair.
    v.is_weight_stationary = (flags & 2) != 0 && !has_scales(v.kind);
    v.of_pair = (flags & 4) != 0 && !v.is_weight_stationary;
    constexpr std::uint32_t counts[] = {0, 1, 2, 4};
    if (v.kind == Kind::mxf4nvf4) v.scales = counts[flags >> 6];
    v.may_be_long = (flags & 8) != 0;
    return v;
}

void check_data_path(Instruction const& i, std::uint32_t first_lane) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> lanes;  // of a CTA
    std::uint64_t elements = 0;
    for (Segment const& s : segments_of(i, first_lane)) {
        require(s.lane + segment_lanes <= 128 && s.row + segment_lanes <= i.rows());
        require(s.first_column + s.columns <= i.shape.n && s.columns <= 512);
        require(lanes.insert({s.cta, s.lane}).second);
        elements += std::uint64_t{s.columns} * segment_lanes;
    }
    require(elements == std::uint64_t{i.rows()} * i.shape.n * (i.variation.of_pair ? 2 : 1));
    require(columns_of_d(i) <= 256);
}

void check_instruction(Input& input) {
    Variation const variation = variation_of(input);
    std::uint32_t const bits = input.take<std::uint32_t>();
    std::uint64_t const mask = input.take<std::uint64_t>();
    std::string wrong;
    Instruction const i = instruction_of(variation, bits, wrong);
    if (!wrong.empty()) return;
    require(i.rows() >= 32 && i.rows() <= 128 && i.shape.n >= 8 && i.shape.n <= 256 && i.shape.k >= 8);
    check_data_path(i, uses_half(i) && (mask & 1) != 0 ? segment_lanes : 0);
    if (!variation.is_weight_stationary) return;
    ColumnMask const zeros(mask, i, wrong);
    if (!wrong.empty()) return;
    for (std::uint32_t column = 0; column < i.shape.n; ++column) (void)zeros.is_zero(column);
    require(zeros.shift() <= 32);
}

/// Chunks of a core matrix of eight lines, which one row of the swizzle's pattern holds.
template <class Address> void check_chunks(std::uint32_t width, Address const& address) {
    std::set<std::uint32_t> places;
    for (std::uint32_t line = 0; line < 8; ++line) {
        for (std::uint32_t chunk = 0; chunk < width; ++chunk) {
            std::uint32_t const at = address(line, chunk);
            require(at % matrix::chunk_bytes == 0);
            require(places.insert(at).second);
        }
    }
    // Others may be anywhere, and engines look where that is.
    for (std::uint32_t line = 0; line < 256; line += 8)
        for (std::uint32_t chunk = 0; chunk < 32; ++chunk)
            require(address(line, chunk) % matrix::chunk_bytes == 0);
}

void check_shared(Input& input) {
    std::uint64_t const bits = input.take<std::uint64_t>();
    auto const major = input.take<std::uint8_t>() % 2 == 0 ? matrix::Major::k : matrix::Major::mn;
    matrix::Descriptor const d = matrix::descriptor_of(bits);
    check_chunks(d.swizzle_chunks, [&](std::uint32_t line, std::uint32_t chunk) {
        return matrix::chunk_address(d, major, line, chunk);
    });
    std::string wrong;
    SharedMatrix const m = shared_matrix(bits, wrong);
    if (!wrong.empty() || m.keeps_32_bytes) return;
    // Where a row goes on may be where another one begins.
    check_chunks(m.has_next ? 0 : m.descriptor.swizzle_chunks, [&](std::uint32_t line, std::uint32_t chunk) {
        return tensor_memory::chunk_address(m, major, line, chunk);
    });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    Input input(data, size);
    check_instruction(input);
    check_shared(input);
    return 0;
}
