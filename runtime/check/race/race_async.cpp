// What works beside the threads: asynchronous copies, matrix units; how it is waited for, and the ways to memory that they take.
#include "runtime/check/race/race_check.hpp"

#include "runtime/check/race/tensor_wait.hpp"
#include "sim/exec/launch_context.hpp"
#include "sim/exec/tensor/tensor_box.hpp"
#include "sim/exec/warp.hpp"
#include "sim/tensor/tensor_map.hpp"

#include <algorithm>
#include <bit>

namespace warpsim::check {

using isa::Effect;
using isa::LaneMask;
using isa::Modifier;
using isa::Scope;
using Of = sim::CopyGroupEvent::Of;

namespace {

constexpr std::uint32_t tensor_columns = 512, tensor_quarter = 32;  // columns, and the lanes that a warp reaches
constexpr std::uint32_t warps_of_group = 4;

std::uint64_t group_key(std::uint64_t cta, std::uint32_t warp, Of of) {
    return (cta * 64 + warp) * 4 + static_cast<std::uint64_t>(of);
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
    order_.fence_proxy(order_.cta(e.site.cta.linear), e.site.warp.index, live, live, Proxy::generic,
                       Proxy::released_map);
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

// ---- matrix units ------------------------------------------------------------------------------------------------

/// wgmma: chunks that the four warps of a group read together. The warps need not agree on which one waits.
void RaceCheck::read_for_product(sim::AccessEvent const& e, Doer& by) {
    Groups& groups = groups_of(by.cta.number, e.site.warp.index, Of::products);
    by.manner.engine = Engine::products;
    by.manner.proxy = Proxy::async;
    by.record.time = Record::pending;
    by.beside.agent = products_of(by.cta.number, e.site.warp.index / warps_of_group);
    by.beside.issued = groups.committed(0) + 1;
    by.beside.begun = isa::all_lanes;
    by.event = nullptr;
    find_record(by, &e.site.op);
    groups.begin(by.id, isa::all_lanes, true);
    for (LaneMask m = e.addresses.mask; m != 0; m &= m - 1) {
        by.address = e.addresses.of(std::countr_zero(m));
        by.bytes = e.addresses.bytes;
        for (Cell& cell : cells(&e.site.cta, by.address, by.bytes)) read(cell, by);
    }
}

void RaceCheck::matrix_work(sim::MatrixWorkEvent const& e) {
    std::uint64_t const number = number_of(e.cta);
    Thread const thread{number, e.thread};
    auto const begin = [&](Sort sort, char const* space) {
        Doer by = doer(order_.cta(number), {e.function, e.instruction}, thread.warp(), sort);
        by.lane = thread.lane();
        by.space = space;
        by.manner.engine = Engine::work;
        by.manner.proxy = Proxy::async;
        by.record.time = Record::pending;
        by.beside.agent = work_of(thread);
        return by;
    };
    Doer by = begin(Sort::read, "shared");
    if (!e.chunks.empty()) make_record(by);
    by.bytes = 16;
    for (std::uint64_t const chunk : e.chunks) {
        by.address = chunk;
        for (Cell& cell : cells(&e.owner, chunk, by.bytes)) read(cell, by);
    }
    for (sim::TensorCellRange const& range : e.cells) {
        Doer of_cells = begin(range.are_written ? Sort::write : Sort::read, "tensor memory");
        of_cells.manner.proxy = Proxy::generic;  // there is only one way
        make_record(of_cells);
        touch_cells({&range, 1}, e.owner.linear, of_cells);
    }
}

void RaceCheck::tensor_access(sim::TensorAccessEvent const& e) {
    bool const is_store = e.site.op.effect == Effect::tensor_memory_store;
    Doer by = doer(e.site, is_store ? Sort::write : Sort::read);
    by.space = "tensor memory";
    find_record(by, &e.site.op);
    touch_cells(e.cells, by.cta.number, by);
    if (!is_store) check_wait(e.site, by);
}

/// The registers of a load are written later, too; what uses them is known without looking at what is executed.
void RaceCheck::check_wait(sim::Site const& site, Doer const& by) {
    auto const [entry, is_new] = looked_at_.try_emplace(&site.op);
    ir::Module const& module = *launch_->plan.module;
    Instruction const load = by.manner.instruction;
    if (is_new) {
        auto const use = use_before_wait(module, *site.frame.function->function, load.index);
        if (use) entry->second = Instruction{load.function, *use};
    }
    if (!entry->second) return;
    Instruction const use = *entry->second;
    findings_.add({Kind::race, 3u << 24, &module, use.function, use.index, load.function, load.index}, [&] {
        Finding finding;
        finding.kind = Kind::race;
        finding.kernel = launch_->plan.functions.front().function->name;
        finding.what = "use of registers that are still loaded";
        finding.message = finding.what + ": no tcgen05.wait::ld between tcgen05.ld and this";
        auto const act = [&](char const* verb, Instruction which) {
            return act_of(verb, module, which, place_in(launch_->grid, by.record.cta),
                          32 * static_cast<std::uint32_t>(by.record.warp), launch_->block);
        };
        finding.act = act("used them", use);
        finding.other = act("had begun to load them", load);
        return finding;
    });
}

/// A cell of the shadow stands for a column of the lanes that one warp reaches.
void RaceCheck::touch_cells(std::span<sim::TensorCellRange const> ranges, std::uint64_t cta, Doer& by) {
    std::vector<Cell>& all = tensor_cells_[cta];
    all.resize(std::size_t{4} * tensor_columns);
    for (sim::TensorCellRange const& range : ranges) {
        for (std::uint32_t lane = range.lane / tensor_quarter; lane * tensor_quarter < range.lane + range.lanes;
             ++lane) {
            for (std::uint32_t column = range.column; column < range.column + range.columns; ++column) {
                by.address = std::uint64_t{lane * tensor_quarter} << 16 | column;
                by.bytes = 4;
                Cell& cell = all[std::size_t{lane} * tensor_columns + column % tensor_columns];
                if (by.manner.sort == Sort::read) read(cell, by);
                else write(cell, by);
            }
        }
    }
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
    HappensBefore::Cta& cta = order_.cta(e.site.cta.linear);
    std::uint32_t const warp = e.site.warp.index;
    ir::Form const& form = form_of(e.site);
    LaneMask const live = e.site.warp.live();
    auto const pass = [&](Proxy by, Proxy also) { order_.fence_proxy(cta, warp, e.lanes, live, by, also); };
    if (form.has(Modifier::tensormap_generic)) {
        bool const acquires = form.order == isa::Order::acquire;
        if (acquires) pass(Proxy::released_map, Proxy::map);
        else pass(Proxy::generic, Proxy::released_map);
    } else if (form.has(Modifier::async_generic) || (form.has(Modifier::proxy) && form.has(Modifier::async))) {
        pass(Proxy::generic, Proxy::async);
    } else if (!form.has(Modifier::proxy) && !form.has(Modifier::mbarrier_init)) {
        bool const is_of_shared =
            form.has(Modifier::sync_restrict_shared_cluster) || form.has(Modifier::sync_restrict_shared_cta);
        order_.fence(cta, warp, e.lanes, e.scope, e.order, is_of_shared);
    }
}

}  // namespace warpsim::check
