// What works beside the threads: asynchronous copies; how it is waited for, and the ways to memory that they take.
#include "runtime/check/race/race_check.hpp"

#include "sim/exec/launch_context.hpp"
#include "sim/exec/tensor/tensor_box.hpp"
#include "sim/exec/warp.hpp"
#include "sim/tensor/tensor_map.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace warpsim::check {

using isa::Effect;
using isa::LaneMask;
using isa::Modifier;
using isa::Scope;
using Of = sim::CopyGroupEvent::Of;

namespace {

std::uint64_t group_key(std::uint64_t cta, std::uint32_t warp, Of of) {
    return (cta * 64 + warp) * 4 + static_cast<std::uint64_t>(of);
}
/// The address that each lane gives to fence.proxy.tensormap.
std::array<std::uint64_t, 32> map_addresses(sim::Site const& site) {
    sim::Access const& access = site.frame.function->accesses[site.op.target];
    std::array<std::uint64_t, 32> addresses{};
    for (std::size_t lane = 0; lane < addresses.size(); ++lane) {
        std::size_t const at = access.is_at_one_place ? 0 : lane;
        std::uint64_t const address = access.address_is_64
                                          ? isa::column<std::uint64_t>(site.warp.bases, access.address)[at]
                                          : isa::column<std::uint32_t>(site.warp.bases, access.address)[at];
        addresses[lane] = address + static_cast<std::uint64_t>(access.offset);
    }
    return addresses;
}
SyncPlace place_of(sim::MemoryPlace const& place) {
    return {place.cta == nullptr ? 0 : place.cta->linear + 1, place.address};
}

}  // namespace

ir::Form const& RaceCheck::form_of(sim::Site const& site) const {
    ir::Instruction const& instruction = site.frame.function->function->instructions[site.op.instruction];
    return launch_->plan.module->forms[instruction.form];
}

// ---- groups ------------------------------------------------------------------------------------------------------

Groups& RaceCheck::groups_of(std::uint64_t cta, std::uint32_t warp, Of of) {
    return groups_[group_key(cta, warp, of)];
}

void RaceCheck::forget_groups(std::uint64_t cta, std::size_t warps) {
    for (std::uint32_t warp = 0; warp < warps; ++warp)
        for (Of const of : {Of::copies, Of::bulk_copies, Of::products}) groups_.erase(group_key(cta, warp, of));
}

void RaceCheck::copy_group(sim::CopyGroupEvent const& e) {
    using Action = sim::CopyGroupEvent::Action;
    if (e.action == Action::arrive_after) return;  // the mbarrier tells of it
    HappensBefore::Cta& cta = order_.cta(e.site.cta.linear);
    std::uint32_t const warp = e.site.warp.index;
    Groups& groups = groups_of(cta.number, warp, e.of);
    Time const time = order_.step(cta.warps[warp]);
    if (e.action == Action::commit) return groups.commit(e.lanes);
    groups.wait(e.lanes, e.left, e.is_for_all, e.is_for_reads,
                [&](std::uint32_t id, LaneMask lanes) { records_.complete(id, lanes, time); });
    std::uint32_t const committed = groups.committed(0);
    if (e.of == Of::products && committed > e.left)
        order_.learn(cta, warp, products_of(cta.number, warp / warps_of_group), committed - e.left);
}

// ---- copies ------------------------------------------------------------------------------------------------------

void RaceCheck::warp_copies(sim::WarpCopyIssue const& e) {
    auto const move = [&](sim::Addresses const& addresses, Sort sort) {
        if (addresses.mask == 0) return;
        Doer by = doer(e.site, sort);
        by.manner.engine = Engine::copies;
        by.record.time = Record::pending;
        by.space = sort == Sort::read ? "global" : "shared";
        find_record(by, &e.site.op);
        records_.beside(by.id).begun |= addresses.mask;
        groups_of(by.cta.number, e.site.warp.index, Of::copies).begin(by.id, addresses.mask, sort == Sort::read);
        access_lanes(addresses, e.site.cta, by, sort == Sort::write ? &shared_of(by.cta.number) : nullptr);
    };
    move(e.from, Sort::read);
    move(e.to, Sort::write);
}

/// What is read or written by a copy, or written by a store of registers.
void RaceCheck::copy_side(sim::BulkCopyIssue const& e, bool is_target) {
    sim::MemoryPlace const& place = is_target ? e.to : e.from;
    Doer by = doer(e.site, !is_target ? Sort::read : e.reduced_bytes != 0 ? Sort::atomic : Sort::write);
    by.lane = static_cast<std::uint32_t>(e.lane);
    by.space = place.cta == nullptr ? "global" : "shared";
    bool const is_release =
        e.is_of_registers && e.to.cta == nullptr;  // st.async.mmio.release: like a strong store
    if (!is_release) {
        by.manner.engine = e.is_of_registers ? Engine::store : e.is_in_group ? Engine::grouped : Engine::bulk;
        by.record.time = Record::pending;
        if (e.is_bulk) by.manner.proxy = Proxy::async;
    }
    if (e.reduced_bytes != 0 && is_target) {
        by.manner.is_strong = true;
        by.manner.scope = Scope::gpu;
        by.manner.bytes_log2 = static_cast<std::uint8_t>(std::bit_width(e.reduced_bytes | 1u));
    }
    if (e.barrier.cta != nullptr) {
        by.beside.agent = mbarrier_of(e.barrier.cta->linear, e.barrier.address);
        by.beside.mbarrier = static_cast<std::uint32_t>(e.barrier.address);
    }
    by.beside.begun = LaneMask{1} << by.lane;
    make_record(by);
    if (e.is_in_group)
        groups_of(by.cta.number, e.site.warp.index, Of::bulk_copies)
            .begin(by.id, LaneMask{1} << by.lane, !is_target);
    if (e.tensor == nullptr || place.cta != nullptr) return touch(place, is_target ? e.bytes : e.source_bytes, by);
    for (sim::tensor::Run const& run : e.tensor->runs) touch({nullptr, run.address}, run.bytes, by);
}

void RaceCheck::bulk_copies(sim::BulkCopyIssue const& e) {
    if (e.site.op.effect == Effect::copy_tensormap) return copy_map(e);
    if (e.tensor != nullptr) use_map(e);
    if (!e.is_of_registers) copy_side(e, false);
    copy_side(e, true);
}

/// tensormap.cp_fenceproxy: all threads of a warp copy the same, which is released for who acquires the map.
void RaceCheck::copy_map(sim::BulkCopyIssue const& e) {
    if (e.lane != std::countr_zero(e.site.warp.live())) return;
    for (bool const is_target : {false, true}) {
        sim::MemoryPlace const& place = is_target ? e.to : e.from;
        Doer by = doer(e.site, is_target ? Sort::write : Sort::read);
        by.lane = static_cast<std::uint32_t>(e.lane);
        by.space = place.cta == nullptr ? "global" : "shared";
        make_record(by);
        touch(place, e.bytes, by);
    }
    LaneMask const live = e.site.warp.live();
    order_.release_maps(order_.cta(e.site.cta.linear), e.site.warp.index, live, live, form_of(e.site).scope);
}

/// The tensor map that a copy is told by.
void RaceCheck::use_map(sim::BulkCopyIssue const& e) {
    Doer by = doer(e.site, Sort::read);
    by.lane = static_cast<std::uint32_t>(e.lane);
    by.space = "global";
    by.manner.proxy = Proxy::map;
    make_record(by);
    touch({nullptr, e.tensor->map_address}, sim::tensor::map_bytes, by);
}

// ---- mbarriers and fences ----------------------------------------------------------------------------------------

void RaceCheck::mbarrier(sim::MbarrierEvent const& e) {
    using enum sim::MbarrierOperation;
    using enum sim::MbarrierCause;
    Thread const thread{number_of(e.cta), e.thread};
    SyncPlace const place = place_of(e.place);
    auto const is_relaxed = [&] {
        ir::Module const& module = *launch_->plan.module;
        ir::Instruction const& by = module.functions[e.by.function].instructions[e.by.instruction];
        return module.forms[by.form].order == isa::Order::relaxed;
    };
    switch (e.operation) {
        case complete:
            // What a copy has moved is known by the mbarrier's phase alone.
            if (e.cause != copy) order_.arrive_at_mbarrier(thread, place, is_relaxed());
            break;
        case arrive: {
            Time const now = order_.now();
            order_.arrive_at_mbarrier(thread, place, is_relaxed());
            if (e.cause == earlier_copies) order_.arrive_at_mbarrier(place, copies_of(thread), now);
            if (e.cause == earlier_work) order_.arrive_at_mbarrier(place, work_of(thread), now);
            break;
        }
        case test:
            if (e.passed) order_.pass_mbarrier(thread, place, is_relaxed());
            break;
        case initialize:
        case invalidate:
        case expect:
        case add_pending: break;
    }
}

void RaceCheck::mbarrier_releases(sim::MbarrierRelease const& e) { order_.complete_mbarrier(place_of(e.place)); }

void RaceCheck::fence(sim::FenceEvent const& e) {
    if (e.site.op.effect != Effect::fence) return grid_control(e);
    HappensBefore::Cta& cta = order_.cta(e.site.cta.linear);
    std::uint32_t const warp = e.site.warp.index;
    ir::Form const& form = form_of(e.site);
    LaneMask const live = e.site.warp.live();
    auto const pass = [&](Proxy by, Proxy also) { order_.fence_proxy(cta, warp, e.lanes, live, by, also); };
    if (form.has(Modifier::tensormap_generic)) {
        if (form.order == isa::Order::acquire)
            order_.acquire_maps(cta, warp, e.lanes, e.scope, map_addresses(e.site));
        else order_.release_maps(cta, warp, e.lanes, live, e.scope);
    } else if (form.has(Modifier::async_generic) || (form.has(Modifier::proxy) && form.has(Modifier::async))) {
        pass(Proxy::generic, Proxy::async);
    } else if (!form.has(Modifier::proxy) && !form.has(Modifier::mbarrier_init)) {
        bool const is_of_shared =
            form.has(Modifier::sync_restrict_shared_cluster) || form.has(Modifier::sync_restrict_shared_cta);
        order_.fence(cta, warp, e.lanes, e.scope, e.order, is_of_shared);
    }
}

}  // namespace warpsim::check
