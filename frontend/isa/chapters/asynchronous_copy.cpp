// PTX ISA "Data Movement and Conversion Instructions: Asynchronous copy" and "mbarrier".
#include "frontend/isa/lanes.hpp"

namespace warpsim::isa::WARPSIM_HOST {
namespace {

using enum Type;

constexpr Row copy(std::string_view syntax, Since since, std::string_view operands) {
    return effect_row(syntax, Types<>{}, since, Unit::lsu, Effect::copy_async, operands);
}
constexpr Row bulk(std::string_view syntax, Since since, std::string_view operands) {
    return effect_row(syntax, Types<>{}, since, Unit::lsu, Effect::copy_bulk, operands);
}
template <Type... T>
constexpr Row bulk_reduction(std::string_view syntax, Types<T...> types, Since since, std::string_view operands) {
    return effect_row(syntax, types, since, Unit::lsu, Effect::copy_bulk, operands);
}
template <Type... T>
constexpr Row store_of(std::string_view syntax, Types<T...> types, Since since, std::string_view operands) {
    return effect_row(syntax, types, since, Unit::lsu, Effect::store_async, operands);
}
template <Type... T>
constexpr Row reduce_of(std::string_view syntax, Types<T...> types, Since since, std::string_view operands) {
    return effect_row(syntax, types, since, Unit::lsu, Effect::reduce_async, operands);
}
constexpr Row commit(std::string_view syntax, Since since, std::string_view operands) {
    return effect_row(syntax, Types<>{}, since, Unit::lsu, Effect::commit_copies, operands);
}
constexpr Row wait(std::string_view syntax, Since since, std::string_view operands) {
    return effect_row(syntax, Types<>{}, since, Unit::lsu, Effect::wait_copies, operands);
}
template <Type... T>
constexpr Row barrier(std::string_view syntax, Types<T...> types, Since since, std::string_view operands) {
    return effect_row(syntax, types, since, Unit::lsu, Effect::mbarrier, operands);
}
constexpr Row query(std::string_view syntax, std::string_view operands) {
    return effect_row(syntax, Types<>{}, since(8, 6, 100), Unit::alu, Effect::query_cancel, operands);
}
using Object = Types<b64>;
constexpr Since copy_since = since(7, 0, 80);
constexpr Since mbarrier_since = since(7, 0, 80);
constexpr Since cluster_since = since(8, 0, 90);

#define WARPSIM_COPY_HINTS "{.level::cache_hint}{.level::prefetch_size}"

constexpr Row rows[] = {
    copy("cp.async.ca.shared_cta.global" WARPSIM_COPY_HINTS " [dst], [src], cp-size{, src-size}{, cache-policy}",
         copy_since, "shared global #4/8/16 u32 u64"),
    copy("cp.async.ca.shared_cta.global" WARPSIM_COPY_HINTS " [dst], [src], cp-size, ignore-src{, cache-policy}",
         copy_since, "shared global #4/8/16 pred u64"),
    copy("cp.async.cg.shared_cta.global" WARPSIM_COPY_HINTS " [dst], [src], 16{, src-size}{, cache-policy}",
         copy_since, "shared global #16 u32 u64"),
    copy("cp.async.cg.shared_cta.global" WARPSIM_COPY_HINTS " [dst], [src], 16, ignore-src{, cache-policy}",
         copy_since, "shared global #16 pred u64"),
    commit("cp.async.commit_group", copy_since, ""),
    wait("cp.async.wait_group n", copy_since, "#u32"),
    wait("cp.async.wait_all", copy_since, ""),
    effect_row("cp.async.mbarrier.arrive{.noinc}{.shared_cta}.b64 [addr]", Object{}, mbarrier_since, Unit::lsu,
               Effect::arrive_copies, "address"),

    commit("cp.async.bulk.commit_group", cluster_since, ""),
    wait("cp.async.bulk.wait_group{.read} n", cluster_since, "#u32"),
    bulk("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes{.multicast::cluster}{.level::cache_"
         "hint} "
         "[dstMem], [srcMem], size, [mbar]{, ctaMask}{, cache-policy}",
         cluster_since, "shared global u32 shared u16 u64"),
    bulk("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes{.level::cache_hint} [dstMem], [srcMem], "
         "size, "
         "[mbar]{, cache-policy}",
         since(8, 6, 90), "shared global u32 shared u64"),
    bulk("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [dstMem], [srcMem], size, [mbar]",
         cluster_since, "shared shared u32 shared"),
    bulk(
        "cp.async.bulk.global.shared::cta.bulk_group{.level::cache_hint} [dstMem], [srcMem], size{, cache-policy}",
        cluster_since, "global shared u32 u64"),
    bulk("cp.async.bulk.global.shared::cta.bulk_group{.level::cache_hint}.cp_mask [dstMem], [srcMem], size"
         "{, cache-policy}, byteMask",
         since(8, 6, 100), "global shared u32 u64 u16"),
    bulk("cp.async.bulk.prefetch.L2.global{.level::cache_hint} [srcMem], size{, cache-policy}", cluster_since,
         "global u32 u64"),

#define WARPSIM_REDUCE_SHARED "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
#define WARPSIM_REDUCE_GLOBAL "cp.reduce.async.bulk.global.shared::cta.bulk_group{.level::cache_hint}"
    bulk_reduction(WARPSIM_REDUCE_SHARED ".logic.type [dstMem], [srcMem], size, [mbar]", Types<b32>{},
                   cluster_since, "shared shared u32 shared"),
    bulk_reduction(WARPSIM_REDUCE_SHARED ".add.type [dstMem], [srcMem], size, [mbar]", Types<u32, s32, u64>{},
                   cluster_since, "shared shared u32 shared"),
    bulk_reduction(WARPSIM_REDUCE_SHARED ".op_minmax.type [dstMem], [srcMem], size, [mbar]", Types<u32, s32>{},
                   cluster_since, "shared shared u32 shared"),
    bulk_reduction(WARPSIM_REDUCE_SHARED ".inc_dec.type [dstMem], [srcMem], size, [mbar]", Types<u32>{},
                   cluster_since, "shared shared u32 shared"),
    bulk_reduction(WARPSIM_REDUCE_GLOBAL ".logic.type [dstMem], [srcMem], size{, cache-policy}", Types<b32, b64>{},
                   cluster_since, "global shared u32 u64"),
    bulk_reduction(WARPSIM_REDUCE_GLOBAL ".add.type [dstMem], [srcMem], size{, cache-policy}",
                   Types<u32, s32, u64, f32, f64>{}, cluster_since, "global shared u32 u64"),
    bulk_reduction(WARPSIM_REDUCE_GLOBAL ".add.noftz.type [dstMem], [srcMem], size{, cache-policy}",
                   Types<f16, bf16>{}, cluster_since, "global shared u32 u64"),
    bulk_reduction(WARPSIM_REDUCE_GLOBAL ".op_minmax.type [dstMem], [srcMem], size{, cache-policy}",
                   Types<u32, s32, u64, s64, f16, bf16>{}, cluster_since, "global shared u32 u64"),
    bulk_reduction(WARPSIM_REDUCE_GLOBAL ".inc_dec.type [dstMem], [srcMem], size{, cache-policy}", Types<u32>{},
                   cluster_since, "global shared u32 u64"),

#define WARPSIM_ST_ASYNC(mnemonic)                                                                   \
    store_of(mnemonic "{.vec2_4}.type [a], b, [mbar]", Types<b32, u32, s32, f32>{}, since(8, 1, 90), \
             "shared type shared"),                                                                  \
        store_of(mnemonic "{.v2}.type [a], b, [mbar]", Types<b64, u64, s64, f64>{}, since(8, 1, 90), \
                 "shared type shared")
    WARPSIM_ST_ASYNC("st.async{.weak}.mbarrier::complete_tx::bytes{.shared_async}"),
    WARPSIM_ST_ASYNC("st.async.cluster.mbarrier::complete_tx::bytes{.shared::cluster}"),
    WARPSIM_ST_ASYNC("st.async{.weak}.shared::cta"),
    effect_row("st.async{.mmio}.release.scope_mmio{.global}.type [a], b",
               Types<b8, b16, b32, b64, u8, u16, u32, u64, s8, s16, s32, s64, f32, f64>{}, since(8, 7, 100),
               Unit::lsu, Effect::store_async, "address type"),
    effect_row("st.bulk{.weak}{.shared_cta} [a], size, initval", Types<>{}, since(8, 6, 100), Unit::lsu,
               Effect::bulk_store, "shared scalar #0"),
    reduce_of(
        "red.async.relaxed.cluster.mbarrier::complete_tx::bytes{.shared::cluster}.inc_dec.type [a], b, [mbar]",
        Types<u32>{}, since(8, 1, 90), "shared type shared"),
    reduce_of(
        "red.async.relaxed.cluster.mbarrier::complete_tx::bytes{.shared::cluster}.op_minmax.type [a], b, [mbar]",
        Types<u32, s32>{}, since(8, 1, 90), "shared type shared"),
    reduce_of("red.async.relaxed.cluster.mbarrier::complete_tx::bytes{.shared::cluster}.add.type [a], b, [mbar]",
              Types<u32, s32, u64>{}, since(8, 1, 90), "shared type shared"),
    reduce_of("red.async.relaxed.cluster.mbarrier::complete_tx::bytes{.shared::cluster}.logic.type [a], b, [mbar]",
              Types<b32>{}, since(8, 1, 90), "shared type shared"),
    effect_row("red.async{.mmio}.release.scope_mmio{.global}.add.type [a], b", Types<u32, s32, u64, s64>{},
               since(8, 7, 100), Unit::lsu, Effect::reduce_async, "address type"),

#define WARPSIM_SEM "{.sem_red.scope_mbarrier}"
    barrier("mbarrier.init{.shared_cta}.b64 [addr], count", Object{}, mbarrier_since, "shared u32"),
    barrier("mbarrier.inval{.shared_cta}.b64 [addr]", Object{}, mbarrier_since, "shared"),
    barrier("mbarrier.expect_tx{.relaxed.scope_mbarrier}{.shared_any}.b64 [addr], txCount", Object{},
            cluster_since, "shared u32"),
    barrier("mbarrier.complete_tx{.relaxed.scope_mbarrier}{.shared_any}.b64 [addr], txCount", Object{},
            cluster_since, "shared u32"),
#define WARPSIM_ARRIVALS(name)                                                                                    \
    barrier(name WARPSIM_SEM "{.shared_cta}.b64 state, [addr]{, count}", Object{}, mbarrier_since,                \
            "~b64 shared u32"),                                                                                   \
        barrier(name WARPSIM_SEM ".shared::cluster.b64 _, [addr]{, count}", Object{}, cluster_since,              \
                "_ shared u32"),                                                                                  \
        barrier(name ".expect_tx" WARPSIM_SEM "{.shared_cta}.b64 state, [addr], txCount", Object{},               \
                cluster_since, "~b64 shared u32"),                                                                \
        barrier(name ".expect_tx" WARPSIM_SEM ".shared::cluster.b64 _, [addr], txCount", Object{}, cluster_since, \
                "_ shared u32"),                                                                                  \
        barrier(name ".noComplete{.release.cta}{.shared_cta}.b64 state, [addr], count", Object{}, mbarrier_since, \
                "~b64 shared u32")
    WARPSIM_ARRIVALS("mbarrier.arrive"),
    WARPSIM_ARRIVALS("mbarrier.arrive_drop"),
    barrier("mbarrier.test_wait{.sem_wait.scope_mbarrier}{.shared_cta}.b64 waitComplete, [addr], state", Object{},
            mbarrier_since, "=pred shared b64"),
    barrier(
        "mbarrier.test_wait.parity{.sem_wait.scope_mbarrier}{.shared_cta}.b64 waitComplete, [addr], phaseParity",
        Object{}, mbarrier_since, "=pred shared u32"),
    barrier("mbarrier.try_wait{.sem_wait.scope_mbarrier}{.shared_cta}.b64 waitComplete, [addr], state"
            "{, suspendTimeHint}",
            Object{}, since(7, 8, 90), "=pred shared b64 u32"),
    barrier("mbarrier.try_wait.parity{.sem_wait.scope_mbarrier}{.shared_cta}.b64 waitComplete, [addr], phaseParity"
            "{, suspendTimeHint}",
            Object{}, since(7, 8, 90), "=pred shared u32 u32"),
    barrier("mbarrier.pending_count.b64 count, state", Object{}, mbarrier_since, "=u32 b64"),

    effect_row(
        "clusterlaunchcontrol.try_cancel.async{.shared_cta}.mbarrier::complete_tx::bytes{.multicast::cluster::"
        "all}.b128 "
        "[addr], [mbar]",
        Types<>{}, since(8, 6, 100), Unit::lsu, Effect::cancel_launch, "shared shared"),
    query("clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, handle", "=pred b128"),
    query("clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 xdim, handle", "=4*b32 b128"),
    query("clusterlaunchcontrol.query_cancel.get_first_ctaid::dimension.b32.b128 d, handle", "=b32 b128"),
};

}  // namespace

extern constinit std::span<Row const> const asynchronous_copy{rows};

}  // namespace warpsim::isa::WARPSIM_HOST
