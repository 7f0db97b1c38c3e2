// PTX ISA "Warp Level Matrix Instructions": the loads, stores and transposition are read and checked, not executed. The
// multiplications write four types and are not in the table yet.
#include "frontend/isa/lanes.hpp"

namespace warpsim::isa::WARPSIM_HOST {
namespace {

using enum Type;
constexpr auto todo = Effect::not_executed;

constexpr Row rows[] = {
    effect_row("ldmatrix.sync.aligned.m8n8.num{.trans}{.shared_cta}.b16 r, [p]", Types<b16>{}, since(6, 5, 75), Unit::lsu,
               todo, "any address"),
    effect_row("ldmatrix.sync.aligned.m8n16.num{.shared_cta}.packed_source.b8x16 r, [p]", Types<>{}, since(8, 6, 100),
               Unit::lsu, todo, "any address"),
    effect_row("ldmatrix.sync.aligned.m16n16.num.trans{.shared_cta}.b8 r, [p]", Types<b8>{}, since(8, 6, 100), Unit::lsu,
               todo, "any address"),
    effect_row("ldmatrix.sync.aligned.m16n16.num.trans{.shared_cta}.packed_source.b8x16 r, [p]", Types<>{},
               since(8, 6, 100), Unit::lsu, todo, "any address"),
    effect_row("stmatrix.sync.aligned.m8n8.num{.trans}{.shared_cta}.b16 [p], r", Types<b16>{}, since(7, 8, 90), Unit::lsu,
               todo, "address any"),
    effect_row("stmatrix.sync.aligned.m16n8.num.trans{.shared_cta}.b8 [p], r", Types<b8>{}, since(8, 6, 100), Unit::lsu,
               todo, "address any"),
    effect_row("movmatrix.sync.aligned.m8n8.trans.b16 d, a", Types<b16>{}, since(7, 8, 75), Unit::alu, todo, "b32 b32"),
};

}  // namespace

extern constinit std::span<Row const> const matrix{rows};

}  // namespace warpsim::isa::WARPSIM_HOST
