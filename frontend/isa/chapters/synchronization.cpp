// PTX ISA "Parallel Synchronization and Communication Instructions".
#include "frontend/isa/lanes.hpp"

namespace warpsim::isa::WARPSIM_HOST {
namespace {

using enum Type;

constexpr Row barrier(std::string_view syntax, Since since, std::string_view operands) {
    return effect_row(syntax, Types<>{}, since, Unit::barrier, Effect::barrier, operands);
}
template <class T> constexpr Row atomic(std::string_view syntax, T, Since since) {
    return effect_row(syntax, T{}, since, Unit::lsu, Effect::atomic, "type address type u64");
}
template <class T> constexpr Row reduction(std::string_view syntax, T, Since since) {
    return effect_row(syntax, T{}, since, Unit::lsu, Effect::reduction, "address type u64");
}

#define WARPSIM_ATOM "atom{.sem}{.scope}{.ss_atom}"
#define WARPSIM_RED "red{.sem_red}{.scope}{.ss_atom}"
#define WARPSIM_HINT "{.level::cache_hint}"

constexpr Row rows[] = {
    barrier("barrier{.cta}.sync{.aligned} a{, b}", since(6, 0, 30), "u32 u32"),
    barrier("barrier{.cta}.arrive{.aligned} a, b", since(6, 0, 30), "u32 u32"),
    effect_row("barrier{.cta}.red.popc{.aligned}.u32 d, a{, b}, {!}c", Types<u32>{}, since(6, 0, 30),
               Unit::barrier, Effect::barrier, "u32 u32 u32 pred"),
    effect_row("barrier{.cta}.red.op_bar{.aligned}.pred p, a{, b}, {!}c", Types<pred>{}, since(6, 0, 30),
               Unit::barrier, Effect::barrier, "pred u32 u32 pred"),
    barrier("bar{.cta}.sync a{, b}", since(1, 0), "u32 u32"),
    barrier("bar{.cta}.arrive a, b", since(2, 0, 20), "u32 u32"),
    effect_row("bar{.cta}.red.popc.u32 d, a{, b}, {!}c", Types<u32>{}, since(2, 0, 20), Unit::barrier,
               Effect::barrier, "u32 u32 u32 pred"),
    effect_row("bar{.cta}.red.op_bar.pred p, a{, b}, {!}c", Types<pred>{}, since(2, 0, 20), Unit::barrier,
               Effect::barrier, "pred u32 u32 pred"),
    effect_row("bar.warp.sync membermask", Types<>{}, since(6, 0, 30), Unit::barrier, Effect::barrier_warp, "u32"),
    effect_row("barrier.cluster.arrive{.sem_arrive}{.aligned}", Types<>{}, since(7, 8, 90), Unit::barrier,
               Effect::cluster_barrier),
    effect_row("barrier.cluster.wait{.acquire}{.aligned}", Types<>{}, since(7, 8, 90), Unit::barrier,
               Effect::cluster_barrier),

    effect_row("membar.level_membar", Types<>{}, since(1, 4), Unit::lsu, Effect::fence),
    effect_row("fence{.sem_fence}.scope", Types<>{}, since(6, 0, 70), Unit::lsu, Effect::fence),
    effect_row("fence.acquire.sync_restrict::shared::cluster.cluster", Types<>{}, since(8, 6, 90), Unit::lsu,
               Effect::fence),
    effect_row("fence.release.sync_restrict::shared::cta.cluster", Types<>{}, since(8, 6, 90), Unit::lsu,
               Effect::fence),
    effect_row("fence.mbarrier_init.release.cluster", Types<>{}, since(8, 0, 90), Unit::lsu, Effect::fence),
    effect_row("membar.proxy.alias", Types<>{}, since(7, 5, 70), Unit::lsu, Effect::fence),
    effect_row("fence.proxy.proxykind", Types<>{}, since(7, 5, 70), Unit::lsu, Effect::fence),
    effect_row("fence.proxy.async.space_proxy", Types<>{}, since(8, 0, 90), Unit::lsu, Effect::fence),
    // There is one proxy here: these are fences like any other.
    effect_row("fence.proxy.tensormap::generic.release.scope", Types<>{}, since(8, 3, 90), Unit::lsu,
               Effect::fence),
    effect_row("fence.proxy.tensormap::generic.acquire.scope [addr], size", Types<>{}, since(8, 3, 90), Unit::lsu,
               Effect::fence, "address u32"),
    effect_row("fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster", Types<>{},
               since(8, 6, 90), Unit::lsu, Effect::fence),
    effect_row("fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster", Types<>{}, since(8, 6, 90),
               Unit::lsu, Effect::fence),

    atomic(WARPSIM_ATOM ".add" WARPSIM_HINT ".type d, [a], b{, cache-policy}", Types<u32, s32, u64, f32, f64>{},
           since(1, 1, 11)),
    atomic(WARPSIM_ATOM ".min" WARPSIM_HINT ".type d, [a], b{, cache-policy}", Types<u32, s32, u64, s64>{},
           since(1, 1, 11)),
    atomic(WARPSIM_ATOM ".max" WARPSIM_HINT ".type d, [a], b{, cache-policy}", Types<u32, s32, u64, s64>{},
           since(1, 1, 11)),
    atomic(WARPSIM_ATOM ".inc" WARPSIM_HINT ".type d, [a], b{, cache-policy}", Types<u32>{}, since(1, 1, 11)),
    atomic(WARPSIM_ATOM ".dec" WARPSIM_HINT ".type d, [a], b{, cache-policy}", Types<u32>{}, since(1, 1, 11)),
    atomic(WARPSIM_ATOM ".and" WARPSIM_HINT ".type d, [a], b{, cache-policy}", Types<b32, b64>{}, since(1, 1, 11)),
    atomic(WARPSIM_ATOM ".or" WARPSIM_HINT ".type d, [a], b{, cache-policy}", Types<b32, b64>{}, since(1, 1, 11)),
    atomic(WARPSIM_ATOM ".xor" WARPSIM_HINT ".type d, [a], b{, cache-policy}", Types<b32, b64>{}, since(1, 1, 11)),
    atomic(WARPSIM_ATOM ".exch" WARPSIM_HINT ".type d, [a], b{, cache-policy}", Types<b32, b64>{},
           since(1, 1, 11)),
    effect_row(WARPSIM_ATOM ".cas" WARPSIM_HINT ".type d, [a], b, c{, cache-policy}", Types<b32, b64>{},
               since(1, 1, 11), Unit::lsu, Effect::atomic, "type address type type u64"),
    effect_row(WARPSIM_ATOM ".cas.b16 d, [a], b, c", Types<b16>{}, since(6, 3, 70), Unit::lsu, Effect::atomic,
               "type address type type"),
    effect_row(WARPSIM_ATOM ".cas.b128 d, [a], b, c{, cache-policy}", Types<b128>{}, since(8, 3, 90), Unit::lsu,
               Effect::atomic, "type address type type u64"),
    atomic(WARPSIM_ATOM ".exch" WARPSIM_HINT ".b128 d, [a], b{, cache-policy}", Types<b128>{}, since(8, 3, 90)),
    atomic(WARPSIM_ATOM ".add.noftz" WARPSIM_HINT ".type d, [a], b{, cache-policy}",
           Types<f16, f16x2, bf16, bf16x2>{}, since(6, 2, 60)),
    atomic("atom{.sem}{.scope}{.global}.op_atom_vec.noftz" WARPSIM_HINT ".vec_atom.type d, [a], b{, cache-policy}",
           Types<f16, bf16>{}, since(8, 1, 90)),
    atomic("atom{.sem}{.scope}{.global}.op_atom_vec.noftz" WARPSIM_HINT ".vec2_4.type d, [a], b{, cache-policy}",
           Types<f16x2, bf16x2>{}, since(8, 1, 90)),
    atomic("atom{.sem}{.scope}{.global}.add" WARPSIM_HINT ".vec2_4.f32 d, [a], b{, cache-policy}", Types<f32>{},
           since(8, 1, 90)),

    reduction(WARPSIM_RED ".add" WARPSIM_HINT ".type [a], b{, cache-policy}", Types<u32, s32, u64, f32, f64>{},
              since(1, 2, 12)),
    reduction(WARPSIM_RED ".min" WARPSIM_HINT ".type [a], b{, cache-policy}", Types<u32, s32, u64, s64>{},
              since(1, 2, 12)),
    reduction(WARPSIM_RED ".max" WARPSIM_HINT ".type [a], b{, cache-policy}", Types<u32, s32, u64, s64>{},
              since(1, 2, 12)),
    reduction(WARPSIM_RED ".inc" WARPSIM_HINT ".type [a], b{, cache-policy}", Types<u32>{}, since(1, 2, 12)),
    reduction(WARPSIM_RED ".dec" WARPSIM_HINT ".type [a], b{, cache-policy}", Types<u32>{}, since(1, 2, 12)),
    reduction(WARPSIM_RED ".and" WARPSIM_HINT ".type [a], b{, cache-policy}", Types<b32, b64>{}, since(1, 2, 12)),
    reduction(WARPSIM_RED ".or" WARPSIM_HINT ".type [a], b{, cache-policy}", Types<b32, b64>{}, since(1, 2, 12)),
    reduction(WARPSIM_RED ".xor" WARPSIM_HINT ".type [a], b{, cache-policy}", Types<b32, b64>{}, since(1, 2, 12)),
    reduction(WARPSIM_RED ".add.noftz" WARPSIM_HINT ".type [a], b{, cache-policy}",
              Types<f16, f16x2, bf16, bf16x2>{}, since(6, 2, 60)),
    reduction("red{.sem_red}{.scope}{.global}.op_atom_vec.noftz" WARPSIM_HINT
              ".vec_atom.type [a], b{, cache-policy}",
              Types<f16, bf16>{}, since(8, 1, 90)),
    reduction("red{.sem_red}{.scope}{.global}.op_atom_vec.noftz" WARPSIM_HINT
              ".vec2_4.type [a], b{, cache-policy}",
              Types<f16x2, bf16x2>{}, since(8, 1, 90)),
    reduction("red{.sem_red}{.scope}{.global}.add" WARPSIM_HINT ".vec2_4.f32 [a], b{, cache-policy}", Types<f32>{},
              since(8, 1, 90)),

    effect_row("vote.mode_vote.pred d, {!}a", Types<pred>{}, since(1, 2, 12), Unit::alu, Effect::vote,
               "pred pred"),
    effect_row("vote.ballot.b32 d, {!}a", Types<b32>{}, since(2, 0, 20), Unit::alu, Effect::vote, "b32 pred"),
    effect_row("vote.sync.mode_vote.pred d, {!}a, membermask", Types<pred>{}, since(6, 0, 30), Unit::alu,
               Effect::vote, "pred pred u32"),
    effect_row("vote.sync.ballot.b32 d, {!}a, membermask", Types<b32>{}, since(6, 0, 30), Unit::alu, Effect::vote,
               "b32 pred u32"),
    effect_row("match.any.sync.type d, a, membermask", Types<b32, b64>{}, since(6, 0, 70), Unit::alu,
               Effect::match, "u32 type u32"),
    effect_row("match.all.sync.type d[|p], a, membermask", Types<b32, b64>{}, since(6, 0, 70), Unit::alu,
               Effect::match, "u32|pred type u32"),
    effect_row("activemask.b32 d", Types<b32>{}, since(6, 2, 30), Unit::alu, Effect::active_mask),
    effect_row("redux.sync.op_redux.type dst, src, membermask", Types<u32, s32>{}, since(7, 0, 80), Unit::alu,
               Effect::reduce_warp, "type type u32"),
    effect_row("redux.sync.BoolOp.b32 dst, src, membermask", Types<b32>{}, since(7, 0, 80), Unit::alu,
               Effect::reduce_warp, "type type u32"),
    effect_row("redux.sync.op_minmax{.abs}{.NaN}.f32 dst, src, membermask", Types<f32>{},
               only_on("100f", 8, 6, 100), Unit::alu, Effect::reduce_warp, "type type u32"),
    effect_row("elect.sync d|p, membermask", Types<>{}, since(8, 0, 90), Unit::alu, Effect::elect, "u32|pred u32"),
    effect_row("griddepcontrol.action", Types<>{}, since(7, 8, 90), Unit::alu, Effect::nothing),
};

}  // namespace

extern constinit std::span<Row const> const synchronization{rows};

}  // namespace warpsim::isa::WARPSIM_HOST
