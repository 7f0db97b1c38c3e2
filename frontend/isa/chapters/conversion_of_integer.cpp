// PTX ISA "Data Movement and Conversion Instructions: cvt" of integers to floating point.
#include "frontend/isa/conversion_rows.hpp"

namespace warpsim::isa::WARPSIM_HOST {
namespace {

using enum Type;

constexpr auto integer_to_half = []<int mode, class D>(auto a) { return narrowed<mode, D>(nearly(a)); };

constexpr Row rows[] = {
    row_to<with_rounding>("cvt.frnd{.ftz}{.sat}.f32.atype d, a", Types<f32>{}, AllIntegers{}, since(1, 0),
                          Unit::alu, []<class D>(auto a) { return float_from<D>(a); }),
    row_to<with_rounding>("cvt.frnd{.sat}.f64.atype d, a", Types<f64>{}, AllIntegers{}, since(1, 0, 13),
                          Unit::fp64, []<class D>(auto a) { return float_from<D>(a); }),
    row_mode<4>("cvt.frnd{.sat}.f16.atype d, a", ".frnd", Types<f16>{}, AllIntegers{}, half_conversions, Unit::alu,
                integer_to_half),
    row_mode<4>("cvt.frnd.bf16.atype d, a", ".frnd", Types<bf16>{}, AllIntegers{}, bfloat_conversions, Unit::alu,
                integer_to_half),
};

}  // namespace

extern constinit std::span<Row const> const conversion_of_integer{checked(rows)};

}  // namespace warpsim::isa::WARPSIM_HOST
