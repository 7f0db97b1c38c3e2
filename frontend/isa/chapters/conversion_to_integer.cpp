// PTX ISA "Data Movement and Conversion Instructions: cvt" of floating point to integers.
#include "frontend/isa/conversion_rows.hpp"

namespace warpsim::isa::WARPSIM_HOST {
namespace {

using enum Type;

constexpr auto to_integer = []<int mode, class D>(auto a) { return FloatToInteger::convert<mode, D>(a); };

constexpr Row rows[] = {
    row_mode<4, with_ftz>("cvt.irnd{.ftz}{.sat}.dtype.f32 d, a", ".irnd", AllIntegers{}, Types<f32>{}, since(1, 0),
                          Unit::alu, to_integer),
    row_mode<4>("cvt.irnd{.sat}.dtype.f64 d, a", ".irnd", AllIntegers{}, Types<f64>{}, since(1, 0, 13), Unit::fp64,
                to_integer),
    row_mode<4>("cvt.irnd{.sat}.dtype.f16 d, a", ".irnd", AllIntegers{}, Types<f16>{}, half_conversions, Unit::alu,
                to_integer),
    row_mode<4>("cvt.irnd.dtype.bf16 d, a", ".irnd", AllIntegers{}, Types<bf16>{}, bfloat_conversions, Unit::alu,
                to_integer),
};

}  // namespace

extern constinit std::span<Row const> const conversion_to_integer{checked(rows)};

}  // namespace warpsim::isa::WARPSIM_HOST
