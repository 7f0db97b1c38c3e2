// PTX ISA "Parallel Synchronization and Communication Instructions".
#include "frontend/isa/lanes.hpp"
#include "frontend/isa/line.hpp"

namespace warpsim::isa::WARPSIM_HOST {
namespace {

using enum Type;
using namespace operand_words;

namespace effects {
using namespace isa::effects;
using namespace effect_words;
// clang-format off
constexpr EffectFacts atomic{"atomic", C::atomic, W::first, reads | writes | access | far_addresses};
// bar, barrier: of a CTA
constexpr EffectFacts barrier{"barrier", C::barrier, W::first_with_red, convergent | synchronises | same_value};
// bar.warp
constexpr EffectFacts barrier_warp{"barrier_warp", C::barrier, W::nothing, convergent};
// barrier.cluster
constexpr EffectFacts cluster_arrive{"cluster_arrive", C::barrier, W::nothing, convergent | synchronises};
constexpr EffectFacts cluster_wait{"cluster_wait", C::barrier, W::nothing, convergent | synchronises};
constexpr EffectFacts fence{"fence", C::barrier, W::nothing};
constexpr EffectFacts vote{"vote", C::other, W::first, convergent | same_value};
constexpr EffectFacts active_mask{"active_mask", C::other, W::first, convergent | same_value};
constexpr EffectFacts match{"match", C::other, W::first, convergent};
constexpr EffectFacts elect{"elect", C::other, W::first, convergent};
constexpr EffectFacts reduce_warp{"reduce_warp", C::other, W::first, convergent | same_value};
// clang-format on
}  // namespace effects

constexpr Row barrier(std::string_view syntax, Since since, OperandList const& operands) {
    return effect_row(syntax, Types<>{}, since, Unit::barrier, &effects::barrier, operands);
}
constexpr OperandSpec cache_policy = optional(u64);
constexpr OperandList with_operand = operands(out(first_type), address, first_type);
constexpr OperandList compared = operands(out(first_type), address, first_type, first_type);

template <Type... T>
constexpr Row atomic(std::string_view syntax, Types<T...> types, Since since,
                     OperandList const& list = operands(with_operand, cache_policy)) {
    return effect_row(syntax, types, since, Unit::lsu, &effects::atomic, list);
}
template <Type... T> constexpr Row reduction(std::string_view syntax, Types<T...> types, Since since) {
    return effect_row(syntax, types, since, Unit::lsu, &effects::reduction,
                      operands(address, first_type, cache_policy));
}

/// The types and operations of atom and red that every state space has.
template <Word operation, Type... T>
constexpr Row atomic_of =
    atomic(line<"atom{.sem}{.scope}{.ss_atom}", operation, "{.level::cache_hint}.type d, [a], b{, cache-policy}">,
           Types<T...>{}, since(1, 1, 11));
template <Word operation, Type... T>
constexpr Row reduction_of = reduction(
    line<"red{.sem_red}{.scope}{.ss_atom}", operation, "{.level::cache_hint}.type [a], b{, cache-policy}">,
    Types<T...>{}, since(1, 2, 12));
using SmallFloats = Types<f16, f16x2, bf16, bf16x2>;

constexpr Row rows[] = {
    barrier("barrier{.cta}.sync{.aligned} a{, b}", since(6, 0, 30), operands(u32, optional(u32))),
    barrier("barrier{.cta}.arrive{.aligned} a, b", since(6, 0, 30), operands(u32, u32)),
    effect_row("barrier{.cta}.red.popc{.aligned}.u32 d, a{, b}, {!}c", Types<u32>{}, since(6, 0, 30),
               Unit::barrier, &effects::barrier, operands(out(u32), u32, optional(u32), pred)),
    effect_row("barrier{.cta}.red.op_bar{.aligned}.pred p, a{, b}, {!}c", Types<pred>{}, since(6, 0, 30),
               Unit::barrier, &effects::barrier, operands(out(pred), u32, optional(u32), pred)),
    barrier("bar{.cta}.sync a{, b}", since(1, 0), operands(u32, optional(u32))),
    barrier("bar{.cta}.arrive a, b", since(2, 0, 20), operands(u32, u32)),
    effect_row("bar{.cta}.red.popc.u32 d, a{, b}, {!}c", Types<u32>{}, since(2, 0, 20), Unit::barrier,
               &effects::barrier, operands(out(u32), u32, optional(u32), pred)),
    effect_row("bar{.cta}.red.op_bar.pred p, a{, b}, {!}c", Types<pred>{}, since(2, 0, 20), Unit::barrier,
               &effects::barrier, operands(out(pred), u32, optional(u32), pred)),
    effect_row("bar.warp.sync membermask", Types<>{}, since(6, 0, 30), Unit::barrier, &effects::barrier_warp,
               operands(u32)),
    effect_row("barrier.cluster.arrive{.sem_arrive}{.aligned}", Types<>{}, since(7, 8, 90), Unit::barrier,
               &effects::cluster_arrive),
    effect_row("barrier.cluster.wait{.acquire}{.aligned}", Types<>{}, since(7, 8, 90), Unit::barrier,
               &effects::cluster_wait),

    effect_row("membar.level_membar", Types<>{}, since(1, 4), Unit::lsu, &effects::fence),
    effect_row("fence{.sem_fence}.scope", Types<>{}, since(6, 0, 70), Unit::lsu, &effects::fence),
    effect_row("fence.acquire.sync_restrict::shared::cluster.cluster", Types<>{}, since(8, 6, 90), Unit::lsu,
               &effects::fence),
    effect_row("fence.release.sync_restrict::shared::cta.cluster", Types<>{}, since(8, 6, 90), Unit::lsu,
               &effects::fence),
    effect_row("fence.mbarrier_init.release.cluster", Types<>{}, since(8, 0, 90), Unit::lsu, &effects::fence),
    effect_row("membar.proxy.alias", Types<>{}, since(7, 5, 70), Unit::lsu, &effects::fence),
    effect_row("fence.proxy.proxykind", Types<>{}, since(7, 5, 70), Unit::lsu, &effects::fence),
    effect_row("fence.proxy.async.space_proxy", Types<>{}, since(8, 0, 90), Unit::lsu, &effects::fence),
    effect_row("fence.proxy.proxies_of_fabric.alias.acquire.sys", Types<>{}, since(9, 3, 100), Unit::lsu,
               &effects::fence),
    effect_row("fence.proxy.proxies_of_fabric.alias.release.sys", Types<>{}, since(9, 3, 100), Unit::lsu,
               &effects::fence),
    // There is only one proxy in this simulator, so these are fences like any other.
    effect_row("fence.proxy.tensormap::generic.release.scope", Types<>{}, since(8, 3, 90), Unit::lsu,
               &effects::fence),
    effect_row("fence.proxy.tensormap::generic.acquire.scope [addr], size", Types<>{}, since(8, 3, 90), Unit::lsu,
               &effects::fence, operands(address, u32)),
    effect_row("fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster", Types<>{},
               since(8, 6, 90), Unit::lsu, &effects::fence),
    effect_row("fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster", Types<>{}, since(8, 6, 90),
               Unit::lsu, &effects::fence),

    atomic_of<".add", u32, s32, u64, f32, f64>,
    atomic_of<".min", u32, s32, u64, s64>,
    atomic_of<".max", u32, s32, u64, s64>,
    atomic_of<".inc", u32>,
    atomic_of<".dec", u32>,
    atomic_of<".and", b32, b64>,
    atomic_of<".or", b32, b64>,
    atomic_of<".xor", b32, b64>,
    atomic_of<".exch", b32, b64>,
    atomic("atom{.sem}{.scope}{.ss_atom}.cas{.level::cache_hint}.type d, [a], b, c{, cache-policy}",
           Types<b32, b64>{}, since(1, 1, 11), operands(compared, cache_policy)),
    atomic("atom{.sem}{.scope}{.ss_atom}.cas.b16 d, [a], b, c", Types<b16>{}, since(6, 3, 70), compared),
    atomic("atom{.sem}{.scope}{.ss_atom}.cas.b128 d, [a], b, c{, cache-policy}", Types<b128>{}, since(8, 3, 90),
           operands(compared, cache_policy)),
    atomic("atom{.sem}{.scope}{.ss_atom}.exch{.level::cache_hint}.b128 d, [a], b{, cache-policy}", Types<b128>{},
           since(8, 3, 90)),
    atomic("atom{.sem}{.scope}{.ss_atom}.add.noftz{.level::cache_hint}.type d, [a], b{, cache-policy}",
           SmallFloats{}, since(6, 2, 60)),
    atomic("atom{.sem}{.scope}{.global}.op_atom_vec.noftz{.level::cache_hint}.vec_atom.type d, [a], b"
           "{, cache-policy}",
           Types<f16, bf16>{}, since(8, 1, 90)),
    atomic(
        "atom{.sem}{.scope}{.global}.op_atom_vec.noftz{.level::cache_hint}.vec2_4.type d, [a], b{, cache-policy}",
        Types<f16x2, bf16x2>{}, since(8, 1, 90)),
    atomic("atom{.sem}{.scope}{.global}.add{.level::cache_hint}.vec2_4.f32 d, [a], b{, cache-policy}",
           Types<f32>{}, since(8, 1, 90)),

    reduction_of<".add", u32, s32, u64, f32, f64>,
    reduction_of<".min", u32, s32, u64, s64>,
    reduction_of<".max", u32, s32, u64, s64>,
    reduction_of<".inc", u32>,
    reduction_of<".dec", u32>,
    reduction_of<".and", b32, b64>,
    reduction_of<".or", b32, b64>,
    reduction_of<".xor", b32, b64>,
    reduction("red{.sem_red}{.scope}{.ss_atom}.add.noftz{.level::cache_hint}.type [a], b{, cache-policy}",
              SmallFloats{}, since(6, 2, 60)),
    reduction("red{.sem_red}{.scope}{.global}.op_atom_vec.noftz{.level::cache_hint}.vec_atom.type [a], b"
              "{, cache-policy}",
              Types<f16, bf16>{}, since(8, 1, 90)),
    reduction("red{.sem_red}{.scope}{.global}.op_atom_vec.noftz{.level::cache_hint}.vec2_4.type [a], b"
              "{, cache-policy}",
              Types<f16x2, bf16x2>{}, since(8, 1, 90)),
    reduction("red{.sem_red}{.scope}{.global}.add{.level::cache_hint}.vec2_4.f32 [a], b{, cache-policy}",
              Types<f32>{}, since(8, 1, 90)),

    effect_row("vote.mode_vote.pred d, {!}a", Types<pred>{}, since(1, 2, 12), Unit::alu, &effects::vote,
               operands(out(pred), pred)),
    effect_row("vote.ballot.b32 d, {!}a", Types<b32>{}, since(2, 0, 20), Unit::alu, &effects::vote,
               operands(out(b32), pred)),
    effect_row("vote.sync.mode_vote.pred d, {!}a, membermask", Types<pred>{}, since(6, 0, 30), Unit::alu,
               &effects::vote, operands(out(pred), pred, u32)),
    effect_row("vote.sync.ballot.b32 d, {!}a, membermask", Types<b32>{}, since(6, 0, 30), Unit::alu,
               &effects::vote, operands(out(b32), pred, u32)),
    effect_row("match.any.sync.type d, a, membermask", Types<b32, b64>{}, since(6, 0, 70), Unit::alu,
               &effects::match, operands(out(u32), first_type, u32)),
    effect_row("match.all.sync.type d[|p], a, membermask", Types<b32, b64>{}, since(6, 0, 70), Unit::alu,
               &effects::match, operands(with_predicate(out(u32)), first_type, u32)),
    effect_row("activemask.b32 d", Types<b32>{}, since(6, 2, 30), Unit::alu, &effects::active_mask,
               operands(out(first_type))),
    effect_row("redux.sync.op_redux.type dst, src, membermask", Types<u32, s32>{}, since(7, 0, 80), Unit::alu,
               &effects::reduce_warp, operands(out(strictly(first_type)), strictly(first_type), u32)),
    effect_row("redux.sync.BoolOp.b32 dst, src, membermask", Types<b32>{}, since(7, 0, 80), Unit::alu,
               &effects::reduce_warp, operands(out(strictly(first_type)), strictly(first_type), u32)),
    effect_row("redux.sync.op_minmax{.abs}{.NaN}.f32 dst, src, membermask", Types<f32>{},
               only_on("100f", 8, 6, 100), Unit::alu, &effects::reduce_warp,
               operands(out(strictly(first_type)), strictly(first_type), u32)),
    effect_row("elect.sync d|p, membermask", Types<>{}, since(8, 0, 90), Unit::alu, &effects::elect,
               operands(with_predicate(out(u32)), u32)),
    effect_row("griddepcontrol.action", Types<>{}, since(7, 8, 90), Unit::alu, &effects::nothing),
};

}  // namespace

extern constinit std::span<Row const> const synchronization{checked(rows)};

}  // namespace warpsim::isa::WARPSIM_HOST
