// PTX ISA "Data Movement and Conversion Instructions: Asynchronous copy" and "mbarrier": read and checked, not executed.
#include "frontend/isa/lanes.hpp"

namespace warpsim::isa::WARPSIM_HOST {
namespace {

using enum Type;

constexpr Row todo(std::string_view syntax, Since since, std::string_view operands = "any any any any any any") {
    return effect_row(syntax, Types<>{}, since, Unit::lsu, Effect::not_executed, operands);
}
template <Type... T>
constexpr Row todo_of(std::string_view syntax, Types<T...> types, Since since, std::string_view operands) {
    return effect_row(syntax, types, since, Unit::lsu, Effect::not_executed, operands);
}
using Object = Types<b64>;
constexpr Since copy_since = since(7, 0, 80);
constexpr Since mbarrier_since = since(7, 0, 80);
constexpr Since cluster_since = since(8, 0, 90);

#define WARPSIM_COPY_HINTS "{.level::cache_hint}{.level::prefetch_size}"

constexpr Row rows[] = {
    todo("cp.async.cop_async.shared_cta.global" WARPSIM_COPY_HINTS " [dst], [src], cp-size{, src-size}{, cache-policy}",
         copy_since, "address address u32 any u64"),
    todo("cp.async.commit_group", copy_since, ""),
    todo("cp.async.wait_group n", copy_since, "u32"),
    todo("cp.async.wait_all", copy_since, ""),
    todo_of("cp.async.mbarrier.arrive{.noinc}{.shared_cta}.b64 [addr]", Object{}, mbarrier_since, "address"),
    todo("cp.async.bulk.commit_group", cluster_since, ""),
    todo("cp.async.bulk.wait_group{.read} n", cluster_since, "u32"),
    todo("cp.async.bulk.space_bulk.global.mbarrier::complete_tx::bytes{.multicast::cluster}{.level::cache_hint} [dstMem], "
         "[srcMem], size, [mbar]{, ctaMask}{, cache-policy}", cluster_since, "address address u32 address u16 u64"),
    todo("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [dstMem], [srcMem], size, [mbar]",
         cluster_since, "address address u32 address"),
    todo("cp.async.bulk.global.shared::cta.bulk_group{.level::cache_hint}{.cp_mask} [dstMem], [srcMem], size"
         "{, cache-policy}{, byteMask}", cluster_since, "address address u32 u64 u16"),

    todo_of("mbarrier.init{.shared_cta}.b64 [addr], count", Object{}, mbarrier_since, "address u32"),
    todo_of("mbarrier.inval{.shared_cta}.b64 [addr]", Object{}, mbarrier_since, "address"),
    todo_of("mbarrier.expect_tx{.relaxed}{.scope}{.shared_any}.b64 [addr], txCount", Object{}, cluster_since, "address u32"),
    todo_of("mbarrier.complete_tx{.relaxed}{.scope}{.shared_any}.b64 [addr], txCount", Object{}, cluster_since,
            "address u32"),
    todo_of("mbarrier.arrive{.sem_red}{.scope}{.shared_any}.b64 state, [addr]{, count}", Object{}, mbarrier_since,
            "b64 address u32"),
    todo_of("mbarrier.arrive.expect_tx{.sem_red}{.scope}{.shared_any}.b64 state, [addr], txCount", Object{}, cluster_since,
            "b64 address u32"),
    todo_of("mbarrier.arrive.noComplete{.release}{.cta}{.shared_cta}.b64 state, [addr], count", Object{}, mbarrier_since,
            "b64 address u32"),
    todo_of("mbarrier.arrive_drop{.sem_red}{.scope}{.shared_any}.b64 state, [addr]{, count}", Object{}, mbarrier_since,
            "b64 address u32"),
    todo_of("mbarrier.arrive_drop.expect_tx{.sem_red}{.scope}{.shared_any}.b64 state, [addr], txCount", Object{},
            cluster_since, "b64 address u32"),
    todo_of("mbarrier.arrive_drop.noComplete{.release}{.cta}{.shared_cta}.b64 state, [addr], count", Object{},
            mbarrier_since, "b64 address u32"),
    todo_of("mbarrier.test_wait{.sem_wait}{.scope}{.shared_cta}.b64 waitComplete, [addr], state", Object{}, mbarrier_since,
            "pred address b64"),
    todo_of("mbarrier.test_wait.parity{.sem_wait}{.scope}{.shared_cta}.b64 waitComplete, [addr], phaseParity", Object{},
            mbarrier_since, "pred address u32"),
    todo_of("mbarrier.try_wait{.sem_wait}{.scope}{.shared_cta}.b64 waitComplete, [addr], state{, suspendTimeHint}",
            Object{}, since(7, 8, 90), "pred address b64 u32"),
    todo_of("mbarrier.try_wait.parity{.sem_wait}{.scope}{.shared_cta}.b64 waitComplete, [addr], phaseParity"
            "{, suspendTimeHint}", Object{}, since(7, 8, 90), "pred address u32 u32"),
    todo_of("mbarrier.pending_count.b64 count, state", Object{}, mbarrier_since, "u32 b64"),
};

}  // namespace

extern constinit std::span<Row const> const asynchronous_copy{rows};

}  // namespace warpsim::isa::WARPSIM_HOST
