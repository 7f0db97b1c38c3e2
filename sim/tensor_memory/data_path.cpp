#include "sim/tensor_memory/data_path.hpp"

namespace warpsim::sim::tensor_memory {

namespace {

/// Parts of D's columns that stand in different lanes.
std::uint32_t column_parts(Instruction const& i) { return uses_half(i) ? 1 : 128 / i.rows(); }

}  // namespace

bool uses_half(Instruction const& i) {
    Variation const& v = i.variation;
    return i.rows() == 64 && !v.is_weight_stationary && (!v.of_pair || v.is_sparse);
}

std::uint32_t columns_of_d(Instruction const& i) { return i.shape.n / column_parts(i); }

std::vector<Segment> segments_of(Instruction const& i, std::uint32_t first_lane) {
    std::vector<Segment> segments;
    std::uint32_t const parts = column_parts(i), columns = columns_of_d(i);
    for (std::uint32_t cta = 0; cta < (i.variation.of_pair ? 2u : 1u); ++cta) {
        for (std::uint32_t part = 0; part < parts; ++part) {
            for (std::uint32_t row = 0; row < i.rows(); row += segment_lanes) {
                std::uint32_t const lane = uses_half(i) ? 2 * row + first_lane : part * i.rows() + row;
                segments.push_back({cta, lane, row, part * columns, columns});
            }
        }
    }
    return segments;
}

}  // namespace warpsim::sim::tensor_memory
