// What an instruction does beyond computing its destination, and everything that is true of all instructions that do
// it. An effect is one enumerator here and one line of the table below; what carries it out stands in a file of
// sim/exec/effects, and how long it takes in a line of sim/timing/plan/effect_timing.cpp.
#pragma once

#include "frontend/isa/types.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warpsim::isa {

// clang-format off
/// One effect for one kind of thing that happens.
enum class Effect : std::uint8_t {
    lanes,           // pure: the row's variants say what
    not_executed,    // read and checked only; a kernel that holds one refuses to launch
    move,            // mov: registers, addresses of variables, special registers, pack and unpack
    load, store, atomic, reduction,
    prefetch,        // a hint for caches: prefetch, discard, applypriority
    bulk_store,      // st.bulk
    create_policy,   // createpolicy
    convert_address, // cvta
    is_space,        // isspacep
    map_address,     // mapa: an address of another CTA's shared memory
    cta_rank,        // getctarank: whose shared memory an address is in
    branch, branch_indexed, call, ret, exit, trap, breakpoint,
    barrier,         // bar, barrier: of a CTA
    barrier_warp,    // bar.warp
    cluster_arrive, cluster_wait,  // barrier.cluster
    mbarrier,        // mbarrier.*: objects in shared memory that count arrivals and bytes
    fence,
    copy_async,      // cp.async: a few bytes for each thread
    copy_bulk,       // cp.async.bulk, cp.reduce.async.bulk
    commit_copies,   // cp.async.commit_group, cp.async.bulk.commit_group
    wait_copies,     // cp.async.wait_group and its like
    arrive_copies,   // cp.async.mbarrier.arrive: an arrival when the thread's copies have come
    store_async,     // st.async
    reduce_async,    // red.async
    copy_tensormap,  // tensormap.cp_fenceproxy
    cancel_launch,   // clusterlaunchcontrol.try_cancel
    query_cancel,    // clusterlaunchcontrol.query_cancel
    shuffle, vote, active_mask, match, elect, reduce_warp,
    matrix_multiply,               // mma, wmma.mma
    warpgroup_multiply,            // wgmma.mma_async
    warpgroup_order,               // wgmma.fence, wgmma.commit_group, wgmma.wait_group
    matrix_transpose,              // movmatrix
    matrix_load, matrix_store,     // ldmatrix, stmatrix
    fragment_load, fragment_store, // wmma.load, wmma.store
    tensor_memory_allocate,        // tcgen05.alloc, tcgen05.dealloc, tcgen05.relinquish_alloc_permit
    tensor_memory_load, tensor_memory_store,  // tcgen05.ld, tcgen05.st
    tensor_memory_order,           // tcgen05.wait, tcgen05.fence
    tensor_memory_copy,            // tcgen05.cp, tcgen05.shift
    tensor_memory_multiply,        // tcgen05.mma
    tensor_memory_commit,          // tcgen05.commit
    nanosleep, nothing,
    stack_alloc, stack_save, stack_restore,
    count,
};
// clang-format on

inline constexpr std::size_t effect_count = static_cast<std::size_t>(Effect::count);

/// Which operands an instruction writes.
enum class Written : std::uint8_t {
    nothing,
    first,              // the first, or two where the line has `d|p`
    first_with_red,     // the first of those that reduce
    first_and_reduced,  // the first, and what an instruction that reduces makes of it
    first_always,       // the first operand; in lines without a result that is an address, which is read anyway
    result_list,        // of a call: the list in front of its target
};

struct EffectFacts {
    enum Flag : unsigned {
        pure = 1,                // nothing but its results depends on it, and each lane's on that lane's operands
        reads = 2,               // memory
        writes = 4,              // memory
        convergent = 8,          // which lanes execute it together matters
        same_value = 16,         // gives the same to all lanes that execute it together
        access = 32,             // goes to memory through the load and store unit
        synchronises = 64,       // waits for others, or tells others not to wait any more
        told_by_operands = 128,  // lines of one mnemonic differ in what their operands are
        far_addresses = 256,     // its addresses may be generic or global: 64 bits wide from sm_90 on
        lists = 512,             // its registers are lists in braces, whatever their number
    };

    Effect effect;
    std::string_view name;
    InstructionClass counted;  // in the statistics; `count`: by its unit and what it computes in
    Written written;
    unsigned flags = 0;

    constexpr bool is(Flag flag) const { return (flags & flag) != 0; }
};

namespace detail {

// clang-format off
inline constexpr auto effect_table = [] {
    using E = Effect;
    using C = InstructionClass;
    using W = Written;
    using F = EffectFacts;
    constexpr C computed = C::count;
    constexpr unsigned pure = F::pure, reads = F::reads, writes = F::writes, convergent = F::convergent,
                       same_value = F::same_value, access = F::access, synchronises = F::synchronises,
                       told_by_operands = F::told_by_operands, far_addresses = F::far_addresses, lists = F::lists;
    return std::array<EffectFacts, effect_count>{{
        {E::lanes, "lanes", computed, W::first, pure},
        {E::not_executed, "not executed", computed, W::first, told_by_operands | lists},
        {E::move, "move", computed, W::first, pure},
        {E::load, "load", C::load, W::first, reads | access | far_addresses},
        {E::store, "store", C::store, W::nothing, writes | access | far_addresses},
        {E::atomic, "atomic", C::atomic, W::first, reads | writes | access | far_addresses},
        {E::reduction, "reduction", C::atomic, W::nothing, reads | writes | access | far_addresses},
        {E::prefetch, "prefetch", C::other, W::nothing, far_addresses},
        {E::bulk_store, "bulk store", C::store, W::nothing, writes},
        {E::create_policy, "create policy", computed, W::first, pure},
        {E::convert_address, "convert address", computed, W::first, pure},
        {E::is_space, "is space", computed, W::first, pure},
        {E::map_address, "map address", computed, W::first, pure},
        {E::cta_rank, "rank of", computed, W::first, pure},
        {E::branch, "branch", C::control, W::nothing},
        {E::branch_indexed, "branch, indexed", C::control, W::nothing},
        {E::call, "call", C::control, W::result_list},
        {E::ret, "ret", C::control, W::nothing},
        {E::exit, "exit", C::control, W::nothing},
        {E::trap, "trap", C::control, W::nothing},
        {E::breakpoint, "breakpoint", C::control, W::nothing},
        {E::barrier, "barrier", C::barrier, W::first_with_red, convergent | synchronises},
        {E::barrier_warp, "warp barrier", C::barrier, W::nothing, convergent},
        {E::cluster_arrive, "cluster arrive", C::barrier, W::nothing, convergent | synchronises},
        {E::cluster_wait, "cluster wait", C::barrier, W::nothing, convergent | synchronises},
        {E::mbarrier, "mbarrier", C::barrier, W::first_always, reads | writes | synchronises | told_by_operands | far_addresses},
        {E::fence, "fence", C::barrier, W::nothing},
        {E::copy_async, "copy", C::store, W::nothing, reads | writes | access | told_by_operands},
        {E::copy_bulk, "bulk copy", C::store, W::nothing, reads | writes | access | told_by_operands},
        {E::commit_copies, "commit copies", C::barrier, W::nothing, synchronises | told_by_operands},
        {E::wait_copies, "wait for copies", C::barrier, W::nothing, synchronises | told_by_operands},
        {E::arrive_copies, "arrive after copies", C::barrier, W::nothing, reads | writes | synchronises | told_by_operands},
        {E::store_async, "asynchronous store", C::store, W::nothing, writes | access | told_by_operands},
        {E::reduce_async, "asynchronous reduction", C::atomic, W::nothing, reads | writes | access | told_by_operands},
        {E::copy_tensormap, "copy tensor map", C::store, W::nothing, reads | writes | access},
        {E::cancel_launch, "cancel launch", C::store, W::nothing, writes | access | told_by_operands},
        {E::query_cancel, "query cancel", computed, W::first, pure | told_by_operands},
        {E::shuffle, "shuffle", C::other, W::first, convergent},
        {E::vote, "vote", C::other, W::first, convergent | same_value},
        {E::active_mask, "active mask", C::other, W::first, convergent | same_value},
        {E::match, "match", C::other, W::first, convergent},
        {E::elect, "elect", C::other, W::first, convergent},
        {E::reduce_warp, "warp reduction", C::other, W::first, convergent | same_value},
        {E::matrix_multiply, "matrix product", computed, W::first, convergent | lists},
        {E::warpgroup_multiply, "warpgroup matrix product", computed, W::first, reads | convergent | lists | told_by_operands},
        {E::warpgroup_order, "order of warpgroup products", C::barrier, W::nothing, convergent | synchronises},
        {E::matrix_transpose, "matrix transpose", C::other, W::first, convergent},
        {E::matrix_load, "matrix load", C::load, W::first, reads | convergent | access | lists},
        {E::matrix_store, "matrix store", C::store, W::nothing, writes | convergent | access | lists},
        {E::fragment_load, "fragment load", C::load, W::first, reads | convergent | access | far_addresses | lists},
        {E::fragment_store, "fragment store", C::store, W::nothing, writes | convergent | access | far_addresses | lists},
        {E::tensor_memory_allocate, "tensor memory allocation", C::other, W::nothing, writes | convergent | synchronises | told_by_operands},
        {E::tensor_memory_load, "tensor memory load", C::load, W::first_and_reduced, reads | convergent | lists},
        {E::tensor_memory_store, "tensor memory store", C::store, W::nothing, writes | convergent | lists},
        {E::tensor_memory_order, "order of tensor memory", C::barrier, W::nothing, synchronises},
        {E::tensor_memory_copy, "tensor memory copy", C::store, W::nothing, reads | writes | told_by_operands},
        {E::tensor_memory_multiply, "tensor memory product", computed, W::nothing, reads | writes | lists | told_by_operands},
        {E::tensor_memory_commit, "commit tensor memory", C::barrier, W::nothing, reads | writes | synchronises | told_by_operands},
        {E::nanosleep, "nanosleep", C::other, W::nothing},
        {E::nothing, "nothing", C::other, W::nothing},
        {E::stack_alloc, "alloca", computed, W::first},
        {E::stack_save, "stack save", computed, W::first},
        {E::stack_restore, "stack restore", computed, W::nothing},
    }};
}();
// clang-format on

constexpr bool is_in_order(std::array<EffectFacts, effect_count> const& table) {
    for (std::size_t i = 0; i < table.size(); ++i) {
        if (static_cast<std::size_t>(table[i].effect) != i || table[i].name.empty()) return false;
    }
    return true;
}
static_assert(is_in_order(effect_table), "one line for each effect, in the order of the enumerators");

}  // namespace detail

constexpr EffectFacts const& facts(Effect effect) {
    return detail::effect_table[static_cast<std::size_t>(effect)];
}
/// "warp barrier".
constexpr std::string_view name(Effect effect) { return facts(effect).name; }

/// Loads, stores, atomics and copies: what the load and store unit sends to memory.
constexpr bool is_access(Effect effect) { return facts(effect).is(EffectFacts::access); }
/// What waits for others, or tells others not to wait any more: barriers of all kinds and groups of copies.
constexpr bool synchronises(Effect effect) { return facts(effect).is(EffectFacts::synchronises); }

}  // namespace warpsim::isa
