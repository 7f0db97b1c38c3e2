// PTX ISA "Comparison and Selection Instructions". The functions compute `a CmpOp b` only: combining the result
// with BoolOp, and the second destination, are passes over masks that an engine adds.
#include "frontend/isa/comparisons.hpp"
#include "frontend/isa/line.hpp"

namespace warpsim::isa::WARPSIM_HOST {
namespace {

using enum Type;

constexpr auto& setp_ints = setp_list<plain, b16, b32, b64, u16, u32, u64, s16, s32, s64>;
constexpr auto& setp_f32 = setp_list<with_ftz, f32>;
constexpr auto& setp_f64 = setp_list<plain, f64>;
template <Type D> constexpr auto& set_ints = set_list<plain, D, b16, b32, b64, u16, u32, u64, s16, s32, s64>;
template <Type D> constexpr auto& set_f32 = set_list<with_ftz, D, f32>;
template <Type D> constexpr auto& set_f64 = set_list<plain, D, f64>;

template <class T> [[gnu::flatten]] static void run_selp(Bases bases, Operands const& operands, LaneMask mask) {
    store_selected(column<T>(bases, operands.slot[0]), column<T>(bases, operands.slot[1]),
                   column<T>(bases, operands.slot[2]), *column<LaneMask>(bases, operands.slot[3]), mask);
}
template <Type T, class Stored>
constexpr Variant selp_variant{{T}, T, {T, T, pred}, 3, 0, &run_selp<Stored>, nullptr, nullptr, nullptr};
constexpr Variant selp_variants[] = {
    selp_variant<b16, std::uint16_t>, selp_variant<b32, std::uint32_t>, selp_variant<b64, std::uint64_t>,
    selp_variant<u16, std::uint16_t>, selp_variant<u32, std::uint32_t>, selp_variant<u64, std::uint64_t>,
    selp_variant<s16, std::uint16_t>, selp_variant<s32, std::uint32_t>, selp_variant<s64, std::uint64_t>,
    selp_variant<f32, std::uint32_t>, selp_variant<f64, std::uint64_t>,
};

/// slct: a where c >= 0, else b; a NaN takes b, -0 takes a.
struct Slct {
    template <class T, class C> T operator()(T a, T b, C c) const { return c >= 0 ? a : b; }
};
template <unsigned forms, Type C, Type... T>
constexpr std::array<Variant, sizeof...(T)> slct_list = [] {
    auto const one = []<Type U>(std::integral_constant<Type, U>) {
        constexpr Type bits = sizeof(native<U>) == 2 ? u16 : sizeof(native<U>) == 4 ? u32 : u64;
        Variant v = variant<forms, Slct, U, bits, bits, C>({U, C});
        v.sources = {U, U, C};
        return v;
    };
    return std::array<Variant, sizeof...(T)>{one(std::integral_constant<Type, T>{})...};
}();

template <Word d, Type D>
constexpr std::array set_rows{
    row_of(line<"set.CmpOp.", d, ".stype d, a, b">, set_ints<D>, since(1, 0), Unit::alu, ".CmpOp"),
    row_of(line<"set.CmpOp.BoolOp.", d, ".stype d, a, b, {!}c">, set_ints<D>, since(1, 0), Unit::alu, ".CmpOp"),
    row_of(line<"set.CmpOp{.ftz}.", d, ".f32 d, a, b">, set_f32<D>, since(1, 0), Unit::alu, ".CmpOp"),
    row_of(line<"set.CmpOp.BoolOp{.ftz}.", d, ".f32 d, a, b, {!}c">, set_f32<D>, since(1, 0), Unit::alu, ".CmpOp"),
    row_of(line<"set.CmpOp.", d, ".f64 d, a, b">, set_f64<D>, since(1, 0, 13), Unit::fp64, ".CmpOp"),
    row_of(line<"set.CmpOp.BoolOp.", d, ".f64 d, a, b, {!}c">, set_f64<D>, since(1, 0, 13), Unit::fp64, ".CmpOp"),
};

constexpr auto rows = join(
    row_of("setp.CmpOp.type p[|q], a, b", setp_ints, since(1, 0), Unit::alu, ".CmpOp").with(is_uniform),
    row_of("setp.CmpOp.BoolOp.type p[|q], a, b, {!}c", setp_ints, since(1, 0), Unit::alu, ".CmpOp")
        .with(is_uniform),
    row_of("setp.CmpOp{.ftz}.f32 p[|q], a, b", setp_f32, since(1, 0), Unit::alu, ".CmpOp"),
    row_of("setp.CmpOp.BoolOp{.ftz}.f32 p[|q], a, b, {!}c", setp_f32, since(1, 0), Unit::alu, ".CmpOp"),
    row_of("setp.CmpOp.f64 p[|q], a, b", setp_f64, since(1, 0, 13), Unit::fp64, ".CmpOp"),
    row_of("setp.CmpOp.BoolOp.f64 p[|q], a, b, {!}c", setp_f64, since(1, 0, 13), Unit::fp64, ".CmpOp"),

    set_rows<"u32", u32>, set_rows<"s32", s32>, set_rows<"f32", f32>,

    row_of("selp.type d, a, b, {!}c", selp_variants, since(1, 0), Unit::alu).with(is_uniform),
    row_of("slct.dtype.s32 d, a, b, c",
           slct_list<plain, s32, b16, b32, b64, u16, u32, u64, s16, s32, s64, f32, f64>, since(1, 0), Unit::alu),
    row_of("slct{.ftz}.dtype.f32 d, a, b, c",
           slct_list<with_ftz, f32, b16, b32, b64, u16, u32, u64, s16, s32, s64, f32, f64>, since(1, 0),
           Unit::alu));

}  // namespace

extern constinit std::span<Row const> const comparison_selection{checked(rows)};

}  // namespace warpsim::isa::WARPSIM_HOST
