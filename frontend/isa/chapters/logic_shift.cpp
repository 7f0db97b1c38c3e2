// PTX ISA "Logic and Shift Instructions".
#include "frontend/isa/bits.hpp"

namespace warpsim::isa::WARPSIM_HOST {
namespace {

using enum Type;

/// Columns of predicates are masks, so one host instruction computes all lanes.
template <class F, int sources> static void run_masks(Bases bases, Operands const& operands, LaneMask mask) {
    LaneMask const a = *column<LaneMask>(bases, operands.slot[1]);
    LaneMask result;
    if constexpr (sources == 1) result = F{}(a);
    else result = F{}(a, *column<LaneMask>(bases, operands.slot[2]));
    LaneMask* const d = column<LaneMask>(bases, operands.slot[0]);
    *d = (*d & ~mask) | (result & mask);
}
template <class F, int sources>
constexpr Variant mask_variants[] = {{{pred},
                                      pred,
                                      {pred, sources > 1 ? pred : none},
                                      sources,
                                      0,
                                      &run_masks<F, sources>,
                                      nullptr,
                                      nullptr,
                                      nullptr}};
template <int sources, class F> constexpr Row mask_row(std::string_view syntax, F) {
    return row_of(syntax, mask_variants<F, sources>, since(1, 0), Unit::alu);
}

constexpr Row rows[] = {
    row("and.type d, a, b", Bits{}, since(1, 0), Unit::alu,
        []<class T>(T a, T b) { return static_cast<T>(a & b); })
        .with(is_commutative | is_uniform),
    row("or.type d, a, b", Bits{}, since(1, 0), Unit::alu, []<class T>(T a, T b) { return static_cast<T>(a | b); })
        .with(is_commutative | is_uniform),
    row("xor.type d, a, b", Bits{}, since(1, 0), Unit::alu,
        []<class T>(T a, T b) { return static_cast<T>(a ^ b); })
        .with(is_commutative | is_uniform),
    row("not.type d, a", Bits{}, since(1, 0), Unit::alu, []<class T>(T a) { return static_cast<T>(~a); })
        .with(is_uniform),
    mask_row<2>("and.pred d, a, b", [](LaneMask a, LaneMask b) { return a & b; })
        .with(is_commutative | is_uniform),
    mask_row<2>("or.pred d, a, b", [](LaneMask a, LaneMask b) { return a | b; }).with(is_commutative | is_uniform),
    mask_row<2>("xor.pred d, a, b", [](LaneMask a, LaneMask b) { return a ^ b; })
        .with(is_commutative | is_uniform),
    mask_row<1>("not.pred d, a", [](LaneMask a) { return ~a; }).with(is_uniform),
    row("cnot.type d, a", Bits{}, since(1, 0), Unit::alu,
        []<class T>(T a) { return static_cast<T>(a == 0 ? 1 : 0); }),

    row("shl.type d, a, b", Bits{}, From<same, u32>{}, since(1, 0), Unit::alu,
        []<class T>(T a, std::uint32_t b) { return shifted_left(a, b); })
        .with(is_uniform),
    row("shr.type d, a, b", Types<b16, b32, b64, u16, u32, u64, s16, s32, s64>{}, From<same, u32>{}, since(1, 0),
        Unit::alu, []<class T>(T a, std::uint32_t b) { return shifted_right(a, b); })
        .with(is_uniform),
    row("shf.l.wrap.b32 d, a, b, c", Types<b32>{}, From<same, same, u32>{}, since(3, 1, 32), Unit::alu,
        [](auto a, auto b, auto c) { return funnel_left(a, b, c & 31); }),
    row("shf.l.clamp.b32 d, a, b, c", Types<b32>{}, From<same, same, u32>{}, since(3, 1, 32), Unit::alu,
        [](auto a, auto b, auto c) { return funnel_left(a, b, c > 32 ? 32 : c); }),
    row("shf.r.wrap.b32 d, a, b, c", Types<b32>{}, From<same, same, u32>{}, since(3, 1, 32), Unit::alu,
        [](auto a, auto b, auto c) { return funnel_right(a, b, c & 31); }),
    row("shf.r.clamp.b32 d, a, b, c", Types<b32>{}, From<same, same, u32>{}, since(3, 1, 32), Unit::alu,
        [](auto a, auto b, auto c) { return funnel_right(a, b, c > 32 ? 32 : c); }),
    row("lop3.b32 d, a, b, c, immLut", Types<b32>{}, From<same, same, same, u32>{}, since(4, 3, 50), Unit::alu,
        [](std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t table) {
            return lop3(a, b, c, table);
        })
        .with(is_uniform),
    // As lop3; the predicate is `d != 0` combined with q, which an engine adds.
    row("lop3.BoolOp_lop3.b32 d|p, a, b, c, immLut, q", Types<b32>{}, From<same, same, same, u32>{},
        since(8, 2, 70), Unit::alu,
        [](std::uint32_t a, std::uint32_t b, std::uint32_t c,
           std::uint32_t table) { return lop3(a, b, c, table); })
        .with(is_uniform),
};

}  // namespace

extern constinit std::span<Row const> const logic_shift{checked(rows)};

}  // namespace warpsim::isa::WARPSIM_HOST
