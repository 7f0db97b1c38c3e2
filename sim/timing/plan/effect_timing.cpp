#include "sim/timing/plan/effect_timing.hpp"

#include <array>
#include <cstddef>
#include <iterator>

namespace warpsim::timing {

namespace {

constexpr auto table = [] {
    // clang-format off
    using E = isa::Effect;
    using K = TimedKind;
    using T = EffectTiming;
    constexpr unsigned moves = T::moves, keeps_order = T::keeps_order, takes_uniform = T::takes_uniform,
                       names_no_constants = T::names_no_constants, orders_accesses = T::orders_accesses;
    constexpr auto computation = expansions::computation;
    constexpr EffectTiming lines[] = {
        {E::lanes, {}, computation, K::plain, moves | takes_uniform},
        {E::not_executed, {}, computation},
        {E::move, {}, expansions::move, K::plain, takes_uniform},
        {E::load, {}, expansions::load, K::plain, takes_uniform},
        {E::store, {}, expansions::store, K::plain, names_no_constants},
        {E::atomic, {}, expansions::ordered_access, K::plain, orders_accesses | names_no_constants},
        {E::reduction, {}, expansions::ordered_access, K::plain, orders_accesses | names_no_constants},
        {E::prefetch, "", {}, K::plain, orders_accesses},
        {E::bulk_store, "l", {}, K::plain, orders_accesses},
        {E::create_policy, "A", {}, K::plain, moves},
        {E::convert_address, "", {}, K::plain, moves | takes_uniform},
        {E::is_space, {}, computation, K::plain, moves | takes_uniform},
        {E::map_address, {}, computation, K::plain, moves | takes_uniform},
        {E::cta_rank, {}, computation, K::plain, moves | takes_uniform},
        {E::branch, "b", {}, K::branch, takes_uniform},
        {E::branch_indexed, "b", {}, K::branch},
        {E::call, "b", {}, K::call},
        {E::ret, "b", {}, K::call},
        {E::exit, "b", {}, K::exit},
        {E::trap, "b"},
        {E::breakpoint, ""},
        {E::barrier, "w", {}, K::barrier, orders_accesses},
        {E::barrier_warp, "v", {}, K::warp_barrier, orders_accesses},
        {E::cluster_arrive, {}, expansions::cluster_barrier, K::beside, orders_accesses},
        {E::cluster_wait, {}, expansions::cluster_barrier, K::beside, orders_accesses},
        {E::mbarrier, {}, expansions::mbarrier, K::beside, orders_accesses},
        {E::fence, {}, expansions::fence, K::fence, orders_accesses},
        {E::copy_async, "l", {}, K::beside, orders_accesses | names_no_constants},
        {E::copy_bulk, {}, expansions::bulk_copy, K::beside, orders_accesses | names_no_constants},
        {E::commit_copies, "l", {}, K::beside, orders_accesses},
        {E::wait_copies, "l", {}, K::beside, orders_accesses},
        {E::arrive_copies, "l", {}, K::beside, orders_accesses},
        {E::store_async, "l", {}, K::beside, orders_accesses | names_no_constants},
        {E::reduce_async, "l", {}, K::beside, orders_accesses | names_no_constants},
        {E::copy_tensormap, {}, expansions::ordered_access, K::plain, orders_accesses | names_no_constants},
        {E::cancel_launch, "l", {}, K::beside, orders_accesses | names_no_constants},
        {E::query_cancel, {}, computation, K::plain, moves | takes_uniform},
        {E::shuffle, "x", {}, K::plain, moves | keeps_order | names_no_constants},
        {E::vote, "v", {}, K::plain, moves | keeps_order | takes_uniform},
        {E::active_mask, "v", {}, K::plain, orders_accesses},
        {E::match, {}, expansions::match, K::plain, moves | keeps_order | names_no_constants},
        {E::elect, "v", {}, K::plain, orders_accesses},
        {E::reduce_warp, "Sa", {}, K::plain, moves | keeps_order | names_no_constants},
        {E::matrix_multiply, {}, computation, K::plain, orders_accesses | names_no_constants},
        {E::warpgroup_multiply, {}, computation, K::product, names_no_constants},
        {E::warpgroup_order, "v"},
        {E::matrix_transpose, "x", {}, K::plain, moves | keeps_order | names_no_constants},
        {E::matrix_load, "l", {}, K::plain, orders_accesses | names_no_constants},
        {E::matrix_store, "l", {}, K::plain, orders_accesses | names_no_constants},
        {E::fragment_load, {}, expansions::fragment, K::plain, orders_accesses | names_no_constants},
        {E::fragment_store, {}, expansions::fragment, K::plain, orders_accesses | names_no_constants},
        {E::tensor_memory_allocate, "l", {}, K::beside, names_no_constants},
        {E::tensor_memory_load, {}, expansions::tensor_memory_access, K::plain, names_no_constants},
        {E::tensor_memory_store, {}, expansions::tensor_memory_access, K::plain, names_no_constants},
        {E::tensor_memory_order, "v"},
        {E::tensor_memory_copy, "l", {}, K::beside, names_no_constants},
        {E::tensor_memory_multiply, "l", {}, K::beside, names_no_constants},
        {E::tensor_memory_commit, "l", {}, K::beside, names_no_constants},
        {E::texture_fetch, {}, expansions::texture, K::plain, orders_accesses | names_no_constants},
        {E::texture_gather, {}, expansions::texture, K::plain, orders_accesses | names_no_constants},
        {E::texture_query, {}, expansions::texture, K::plain, orders_accesses | names_no_constants},
        {E::surface_query, {}, expansions::texture, K::plain, orders_accesses | names_no_constants},
        {E::is_type, "a", {}, K::plain, orders_accesses | names_no_constants},
        {E::surface_load, {}, expansions::texture, K::plain, orders_accesses | names_no_constants},
        {E::surface_store, {}, expansions::texture, K::plain, orders_accesses | names_no_constants},
        {E::surface_reduce, {}, expansions::texture, K::plain, orders_accesses | names_no_constants},
        {E::nanosleep, "b", {}, K::sleep},
        {E::change_registers, "w", {}, K::beside},
        {E::nothing, ""},
        {E::stack_alloc, {}, computation},
        {E::stack_save, {}, computation},
        {E::stack_restore, {}, computation},
    };
    // clang-format on
    static_assert(std::size(lines) == isa::effect_count, "one line for each effect");
    std::array<EffectTiming, isa::effect_count> by_effect{};
    for (EffectTiming const& line : lines) by_effect[static_cast<std::size_t>(line.effect)] = line;
    return by_effect;
}();

constexpr bool has_all() {
    for (std::size_t i = 0; i < table.size(); ++i) {
        if (static_cast<std::size_t>(table[i].effect) != i) return false;
    }
    return true;
}
static_assert(has_all(), "two lines are of one effect");

}  // namespace

EffectTiming const& timing_of(isa::Effect effect) { return table[static_cast<std::size_t>(effect)]; }

}  // namespace warpsim::timing
