// PTX ISA "Data Movement and Conversion Instructions: Asynchronous copy" and "mbarrier".
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
// st.bulk
constexpr EffectFacts bulk_store{"bulk_store", C::store, W::nothing, writes};
// mbarrier.*: objects in shared memory that count arrivals and bytes
constexpr EffectFacts mbarrier{"mbarrier", C::barrier, W::first_always, reads | writes | synchronises | told_by_operands | far_addresses};
// cp.async: a few bytes for each thread
constexpr EffectFacts copy_async{"copy_async", C::store, W::nothing, reads | writes | access | told_by_operands};
// cp.async.commit_group, cp.async.bulk.commit_group
constexpr EffectFacts commit_copies{"commit_copies", C::barrier, W::nothing, synchronises | told_by_operands};
// cp.async.wait_group and its like
constexpr EffectFacts wait_copies{"wait_copies", C::barrier, W::nothing, synchronises | told_by_operands};
// cp.async.mbarrier.arrive: an arrival when the thread's copies have come
constexpr EffectFacts arrive_copies{"arrive_copies", C::barrier, W::nothing, reads | writes | synchronises | told_by_operands};
// st.async
constexpr EffectFacts store_async{"store_async", C::store, W::nothing, writes | access | told_by_operands};
// red.async
constexpr EffectFacts reduce_async{"reduce_async", C::atomic, W::nothing, reads | writes | access | told_by_operands};
// clusterlaunchcontrol.try_cancel
constexpr EffectFacts cancel_launch{"cancel_launch", C::store, W::nothing, writes | access | told_by_operands};
// clusterlaunchcontrol.query_cancel
constexpr EffectFacts query_cancel{"query_cancel", computed, W::first, pure | told_by_operands};
// clang-format on
}  // namespace effects

constexpr Row copy(std::string_view syntax, OperandList const& operands) {
    return effect_row(syntax, Types<>{}, since(7, 0, 80), Unit::lsu, &effects::copy_async, operands);
}
template <Type... T>
constexpr Row bulk(std::string_view syntax, Types<T...> types, Since since, OperandList const& operands) {
    return effect_row(syntax, types, since, Unit::lsu, &effects::copy_bulk, operands);
}
constexpr Row bulk(std::string_view syntax, Since since, OperandList const& operands) {
    return bulk(syntax, Types<>{}, since, operands);
}
constexpr Row commit(std::string_view syntax, Since since) {
    return effect_row(syntax, Types<>{}, since, Unit::lsu, &effects::commit_copies, operands());
}
constexpr Row wait(std::string_view syntax, Since since, OperandList const& operands) {
    return effect_row(syntax, Types<>{}, since, Unit::lsu, &effects::wait_copies, operands);
}
template <Type... T>
constexpr Row store(std::string_view syntax, Types<T...> types, Since since, OperandList const& operands) {
    return effect_row(syntax, types, since, Unit::lsu, &effects::store_async, operands);
}
template <Type... T>
constexpr Row reduction(std::string_view syntax, Types<T...> types, Since since, OperandList const& operands) {
    return effect_row(syntax, types, since, Unit::lsu, &effects::reduce_async, operands);
}
constexpr Row barrier(std::string_view syntax, Since since, OperandList const& operands) {
    return effect_row(syntax, Types<b64>{}, since, Unit::lsu, &effects::mbarrier, operands);
}
constexpr Row query(std::string_view syntax, OperandList const& operands) {
    return effect_row(syntax, Types<>{}, since(8, 6, 100), Unit::alu, &effects::query_cancel, operands);
}
constexpr Since copy_since = since(7, 0, 80);
constexpr Since mbarrier_since = since(7, 0, 80);
constexpr Since cluster_since = since(8, 0, 90);
constexpr Since strong_copies = only_on("90a 100f 110f", 9, 3, 90);

constexpr OperandSpec cache_policy = optional(u64);
constexpr OperandSpec object = shared_address;  // where an mbarrier is
constexpr OperandSpec state = out_or_sink(b64);
constexpr OperandList bulk_to_global = operands(global_address, shared_address, u32, cache_policy);
constexpr OperandList sent = operands(shared_address, first_type, object);

/// cp.async through L1 or around it; the latter takes words of one size only.
template <Word level, Word size>
constexpr std::array copies_of_words = [] {
    constexpr LegalValues sizes = size.view() == "16" ? between(16, 16) : powers_of_two(4, 16);
    constexpr OperandList words = operands(shared_address, global_address, constant(sizes));
    return std::array{
        copy(line<"cp.async.", level,
                  ".shared_cta.global{.level::cache_hint}{.level::prefetch_size} [dst], [src], ", size,
                  "{, src-size}{, cache-policy}">,
             operands(words, optional(u32), cache_policy)),
        copy(line<"cp.async.", level,
                  ".shared_cta.global{.level::cache_hint}{.level::prefetch_size} [dst], [src], ", size,
                  ", ignore-src{, cache-policy}">,
             operands(words, pred, cache_policy)),
    };
}();

/// cp.reduce.async.bulk to the shared memory of another CTA, and to global memory.
template <Word operation, Type... T>
constexpr Row reduction_to_shared = bulk(
    line<"cp.reduce.async.bulk{.relaxed.scope_mbarrier}.shared::cluster.shared::cta.mbarrier::complete_tx::bytes",
         operation, ".type [dstMem], [srcMem], size, [mbar]">,
    Types<T...>{}, cluster_since, operands(shared_address, shared_address, u32, object));
template <Word operation, Type... T>
constexpr Row reduction_to_global =
    bulk(line<"cp.reduce.async.bulk{.relaxed.scope}.global.shared::cta.bulk_group{.level::cache_hint}", operation,
              ".type [dstMem], [srcMem], size{, cache-policy}">,
         Types<T...>{}, cluster_since, bulk_to_global);

/// cp.async.bulk between global and shared memory. Those of the second kind are strong memory operations on elements
/// of 128 bits.
template <Word order, Word type, bool is_weak>
constexpr std::array bulk_copies = [] {
    constexpr auto from = [](Since first) { return is_weak ? first : strong_copies; };
    constexpr Word scoped = [] {
        if constexpr (is_weak) return Word("");
        else return Word(".scope_mbarrier");
    }();
    constexpr Word own = [] {
        if constexpr (is_weak) return order;
        else return Word(".relaxed");
    }();
    constexpr Word counts = ".mbarrier::complete_tx::bytes";
    constexpr OperandList edges = operands(shared_address, global_address, u32, u32, u32, object, cache_policy);
    return std::array{
        bulk(line<"cp.async.bulk", order, ".shared::cluster.global", counts,
                  "{.multicast::cluster}{.level::cache_hint}", type,
                  " [dstMem], [srcMem], size, [mbar]{, ctaMask}{, cache-policy}">,
             from(cluster_since),
             operands(shared_address, global_address, u32, object, optional(u16), cache_policy)),
        bulk(line<"cp.async.bulk", order, ".shared::cta.global", counts, "{.level::cache_hint}", type,
                  " [dstMem], [srcMem], size, [mbar]{, cache-policy}">,
             from(since(8, 6, 90)), operands(shared_address, global_address, u32, object, cache_policy)),
        bulk(line<"cp.async.bulk", order, ".shared::cta.global", counts, "{.level::cache_hint}.ignore_oob", type,
                  " [dstMem], [srcMem], size, ignoreBytesLeft, ignoreBytesRight, [mbar]{, cache-policy}">,
             from(since(9, 2, 90)), edges),
        bulk(line<"cp.async.bulk", own, scoped, ".shared::cluster.shared::cta", counts, type,
                  " [dstMem], [srcMem], size, [mbar]">,
             from(cluster_since), operands(shared_address, shared_address, u32, object)),
        bulk(line<"cp.async.bulk", order, ".global.shared::cta.bulk_group{.level::cache_hint}", type,
                  " [dstMem], [srcMem], size{, cache-policy}">,
             from(cluster_since), bulk_to_global),
        bulk(line<"cp.async.bulk", order, ".global.shared::cta.bulk_group{.level::cache_hint}.cp_mask", type,
                  " [dstMem], [srcMem], size{, cache-policy}, byteMask">,
             is_weak ? since(8, 6, 100) : only_on("100f 110f", 9, 3, 100),
             operands(global_address, shared_address, u32, cache_policy, u16)),
    };
}();

template <Word mnemonic>
constexpr std::array stores_to_cluster{
    store(line<mnemonic, "{.vec2_4}.type [a], b, [mbar]">, Types<b32, u32, s32, f32>{}, since(8, 1, 90), sent),
    store(line<mnemonic, "{.v2}.type [a], b, [mbar]">, Types<b64, u64, s64, f64>{}, since(8, 1, 90), sent),
    store(line<mnemonic, ".type [a], b, [mbar]">, Types<b128>{}, since(9, 2, 90), sent),
};
template <Word operation, Type... T>
constexpr Row reduction_in_cluster =
    reduction(line<"red.async.relaxed.cluster.mbarrier::complete_tx::bytes{.shared::cluster}", operation,
                   ".type [a], b, [mbar]">,
              Types<T...>{}, since(8, 1, 90), sent);

/// mbarrier.arrive and mbarrier.arrive_drop.
template <Word name>
constexpr std::array arrivals{
    barrier(line<name, "{.sem_red.scope_mbarrier}{.shared_cta}.b64 state, [addr]{, count}">, mbarrier_since,
            operands(state, object, optional(u32))),
    barrier(line<name, "{.sem_red.scope_mbarrier}.shared::cluster.b64 _, [addr]{, count}">, cluster_since,
            operands(sink, object, optional(u32))),
    barrier(line<name, ".expect_tx{.sem_red.scope_mbarrier}{.shared_cta}.b64 state, [addr], txCount">,
            cluster_since, operands(state, object, u32)),
    barrier(line<name, ".expect_tx{.sem_red.scope_mbarrier}.shared::cluster.b64 _, [addr], txCount">,
            cluster_since, operands(sink, object, u32)),
    barrier(line<name, ".noComplete{.release.cta}{.shared_cta}.b64 state, [addr], count">, mbarrier_since,
            operands(state, object, u32)),
};

/// test_wait and try_wait, of a phase that a state or a parity names; then those that also tell what copies have
/// reported.
template <Word name, Word phase, Word which, Type of_phase, bool may_suspend>
constexpr std::array tests = [] {
    constexpr Since since = may_suspend ? isa::since(7, 8, 90) : mbarrier_since;
    constexpr auto waits = [](auto... results) {
        if constexpr (may_suspend) return operands(results..., object, of_phase, optional(u32));
        else return operands(results..., object, of_phase);
    };
    constexpr Word hint = [] {
        if constexpr (may_suspend) return Word("{, suspendTimeHint}");
        else return Word("");
    }();
    constexpr Word ordered = "{.sem_wait.scope_mbarrier}{.shared_cta}.b64 waitComplete";
    return std::array{
        barrier(line<name, phase, ordered, ", [addr], ", which, hint>, since, waits(out(pred))),
        barrier(line<name, ".phase_type::primary", ordered, "|reportPredicate, [addr], ", which, hint>,
                isa::since(9, 3, 90), waits(with_predicate(out(pred)))),
        barrier(
            line<name, ".phase_type::primary", ordered, "|reportPredicate, reportValue, [addr], ", which, hint>,
            isa::since(9, 3, 90), waits(with_predicate(out(pred)), out(b8))),
    };
}();

constexpr auto rows = join(
    copies_of_words<"ca", "cp-size">, copies_of_words<"cg", "16">, commit("cp.async.commit_group", copy_since),
    wait("cp.async.wait_group n", copy_since, operands(constant(u32))),
    wait("cp.async.wait_all", copy_since, operands()),
    effect_row("cp.async.mbarrier.arrive{.noinc}{.shared_cta}.b64 [addr]", Types<b64>{}, mbarrier_since, Unit::lsu,
               &effects::arrive_copies, operands(address)),

    commit("cp.async.bulk.commit_group", cluster_since),
    wait("cp.async.bulk.wait_group{.read} n", cluster_since, operands(constant(u32))),
    bulk_copies<"{.weak}", "", true>, bulk_copies<".relaxed.scope", ".b128", false>,
    bulk("cp.async.bulk.prefetch.L2.global{.level::cache_hint} [srcMem], size{, cache-policy}", cluster_since,
         operands(global_address, u32, cache_policy)),

    reduction_to_shared<".logic", b32>, reduction_to_shared<".add", u32, s32, u64>,
    reduction_to_shared<".op_minmax", u32, s32>, reduction_to_shared<".inc_dec", u32>,
    reduction_to_global<".logic", b32, b64>, reduction_to_global<".add", u32, s32, u64, f32, f64>,
    reduction_to_global<".add.noftz", f16, bf16>, reduction_to_global<".op_minmax", u32, s32, u64, s64, f16, bf16>,
    reduction_to_global<".inc_dec", u32>,

    stores_to_cluster<"st.async{.weak}.mbarrier::complete_tx::bytes{.shared_async}">,
    stores_to_cluster<"st.async.cluster.mbarrier::complete_tx::bytes{.shared::cluster}">,
    stores_to_cluster<"st.async{.weak}.shared::cta">,
    store("st.async{.mmio}.release.scope_mmio{.global}.type [a], b",
          Types<b8, b16, b32, b64, u8, u16, u32, u64, s8, s16, s32, s64, f32, f64>{}, since(8, 7, 100),
          operands(address, first_type)),
    effect_row("st.bulk{.weak}{.shared_cta} [a], size, initval", Types<>{}, since(8, 6, 100), Unit::lsu,
               &effects::bulk_store, operands(shared_address, any_type, constant(0))),
    reduction_in_cluster<".inc_dec", u32>, reduction_in_cluster<".op_minmax", u32, s32>,
    reduction_in_cluster<".add", u32, s32, u64>, reduction_in_cluster<".logic", b32>,
    reduction("red.async{.mmio}.release.scope_mmio{.global}.add.type [a], b", Types<u32, s32, u64, s64>{},
              since(8, 7, 100), operands(address, first_type)),

    barrier("mbarrier.init{.layout_mbarrier}{.shared_cta}.b64 [addr], count", mbarrier_since,
            operands(object, u32)),
    barrier("mbarrier.inval{.shared_cta}.b64 [addr]", mbarrier_since, operands(object)),
    barrier("mbarrier.expect_tx{.relaxed.scope_mbarrier}{.shared_any}.b64 [addr], txCount", cluster_since,
            operands(object, u32)),
    barrier("mbarrier.complete_tx{.relaxed.scope_mbarrier}{.shared_any}.b64 [addr], txCount", cluster_since,
            operands(object, u32)),
    arrivals<"mbarrier.arrive">, arrivals<"mbarrier.arrive_drop">,
    tests<"mbarrier.test_wait", "{.phase_type::primary}", "state", b64, false>,
    tests<"mbarrier.test_wait.parity", "{.phase_type}", "phaseParity", u32, false>,
    tests<"mbarrier.try_wait", "{.phase_type::primary}", "state", b64, true>,
    tests<"mbarrier.try_wait.parity", "{.phase_type}", "phaseParity", u32, true>,
    barrier("mbarrier.pending_count{.layout::v0}.b64 count, state", mbarrier_since, operands(out(u32), b64)),
    barrier("mbarrier.check_layout.layout_mbarrier{.shared::cta}.b64 p, [addr]", since(9, 3, 90),
            operands(out(pred), object)),

    effect_row("clusterlaunchcontrol.try_cancel.async{.shared_cta}.mbarrier::complete_tx::bytes"
               "{.multicast::cluster::all}.b128 [addr], [mbar]",
               Types<>{}, since(8, 6, 100), Unit::lsu, &effects::cancel_launch, operands(shared_address, object)),
    query("clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, handle", operands(out(pred), b128)),
    query("clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 xdim, handle",
          operands(out(list(4, b32)), b128)),
    query("clusterlaunchcontrol.query_cancel.get_first_ctaid::dimension.b32.b128 d, handle",
          operands(out(b32), b128)));

}  // namespace

extern constinit std::span<Row const> const asynchronous_copy{checked(rows)};

}  // namespace warpsim::isa::WARPSIM_HOST
