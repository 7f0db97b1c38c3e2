#include "runtime/check/race/race_check.hpp"

#include "sim/exec/launch_context.hpp"
#include "sim/exec/warp.hpp"

#include <algorithm>
#include <bit>

namespace warpsim::check {

using isa::Effect;
using isa::LaneMask;
using isa::Order;
using isa::Scope;
using sim::SpaceKind;

namespace {

std::uint32_t hash_of(std::array<std::uint64_t, 2> const& value) {
    return static_cast<std::uint32_t>((value[0] * 0x9e3779b97f4a7c15u ^ value[1] * 0xc2b2ae3d27d4eb4fu) >> 48);
}

Sort sort_of(sim::Op const& op) {
    if (op.kind == sim::OpKind::atomic) return Sort::atomic;
    bool const reads = op.kind == sim::OpKind::load || op.effect == Effect::warpgroup_multiply ||
                       op.effect == Effect::texture_fetch || op.effect == Effect::texture_gather;
    return reads ? Sort::read : Sort::write;
}

}  // namespace

void RaceCheck::launch_begins(sim::LaunchBegin const& e) {
    launch_ = &e.launch;
    add_launch();
    order_.begin();
    recent_.fill({});
    shared_.clear();
    tensor_cells_.clear();
    groups_.clear();
    times_.clear();
}

void RaceCheck::launch_ends(sim::LaunchEnd const&) {
    for (auto const& [alike, read] : unverified_) {
        if (std::find(verified_.begin(), verified_.end(), read.read) != verified_.end()) continue;
        findings_.add(
            alike, [&read = read] { return read.finding; }, read.count);
    }
    unverified_.clear();
    verified_.clear();
    launch_ = nullptr;
}

void RaceCheck::cta_starts(sim::CtaStart const& e) {
    order_.start(e.cta.linear, e.cta.cluster->linear, e.cta.warps.size());
    shared_.emplace(e.cta.linear, launch_->shared_bytes);
}

void RaceCheck::cta_ends(sim::CtaEnd const& e) {
    // While one of a cluster is left, it may reach the memory of the others.
    std::vector<sim::Cta> const& all = e.cta.cluster->ctas;
    if (!std::all_of(all.begin(), all.end(), [](sim::Cta const& cta) { return cta.has_ended(); })) return;
    order_.end(e.cta.cluster->linear);
    for (sim::Cta const& cta : all) {
        shared_.erase(cta.linear);
        tensor_cells_.erase(cta.linear);
        forget_groups(cta.linear, cta.warps.size());
    }
}

std::uint64_t RaceCheck::number_of(std::array<std::uint32_t, 3> const& cta) const {
    return (std::uint64_t{cta[2]} * launch_->grid[1] + cta[1]) * launch_->grid[0] + cta[0];
}

RaceCheck::Doer RaceCheck::doer(HappensBefore::Cta& cta, Instruction which, std::uint32_t warp, Sort sort) {
    Record record;
    record.launch = static_cast<std::uint32_t>(launches_.size() - 1);
    record.cta = cta.number;
    record.time = record.issued = order_.now();
    record.instruction = which;
    record.warp = warp;
    record.sort = sort;
    Doer by{cta, 0, record, ""};
    by.knows_barriers_only = !cta.known && cta.warps[warp].knows_barriers_only();
    verdicts_.fill({});
    settled_reads_ = settled_writes_ = {};
    return by;
}

RaceCheck::Doer RaceCheck::doer(sim::Site const& site, Sort sort) {
    return doer(order_.cta(site.cta.linear), {site.frame.function->index, site.op.instruction}, site.warp.index,
                sort);
}

void RaceCheck::make_record(Doer& by) {
    by.id = first_ + records_.size();
    records_.push_back(by.record);
}

/// The record of the warp's last access by this instruction, if it has not synchronised since; else a new one.
void RaceCheck::find_record(Doer& by, void const* op) {
    std::uint32_t const warp = by.record.warp;
    Time const changed = by.cta.warps[warp].changed;
    Recent& recent =
        recent_[(reinterpret_cast<std::uintptr_t>(op) / 64 + std::size_t{31} * warp + 977 * by.cta.number) %
                recent_.size()];
    bool const is_same = recent.op == op && recent.cta == by.cta.number && recent.warp == warp &&
                         recent.changed == changed && recent.space == by.space;
    if (!is_same) {
        make_record(by);
        recent = {op, by.cta.number, warp, by.space, changed, by.id};
    }
    by.id = recent.id;
    by.record = records_[recent.id - first_];
}

std::span<Cell> RaceCheck::cells(sim::Cta const* cta, std::uint64_t address, std::uint32_t bytes) {
    if (cta == nullptr) return global_.cells(address, bytes);
    return shared_.at(cta->linear).cells(address, bytes);
}

/// The cells of the access of one lane of the CTA; `own`: its shared memory, null for global memory.
std::span<Cell> RaceCheck::cells(sim::Cta const& cta, ShadowBlock* own, std::uint64_t address,
                                 std::uint32_t bytes) {
    if (own == nullptr) return global_.cells(address, bytes);
    std::uint64_t const rank = address >> sim::rank_shift;
    if (rank == 0) return own->cells(address, bytes);
    return cells(&cta.cluster->ctas[rank - 2], address & ((std::uint64_t{1} << sim::rank_shift) - 1), bytes);
}

void RaceCheck::access(sim::AccessEvent const& e) {
    if (e.space != SpaceKind::global && e.space != SpaceKind::shared) return;
    if (e.site.op.effect == Effect::prefetch && e.site.op.kind != sim::OpKind::store) return;  // `discard` is one
    Doer by = doer(e.site, sort_of(e.site.op));
    by.record.is_strong = by.record.sort == Sort::atomic || e.access.order != Order::weak;
    by.record.scope = e.access.scope;
    by.record.bytes_log2 = static_cast<std::uint8_t>(std::bit_width(e.addresses.bytes | 1u));
    by.space = e.space == SpaceKind::global ? "global" : "shared";
    by.event = &e;
    ShadowBlock* const own = e.space == SpaceKind::shared ? &shared_.at(by.cta.number) : nullptr;
    if (e.site.op.effect == Effect::warpgroup_multiply) return read_for_product(e, by);
    if (e.site.op.effect == Effect::texture_fetch || e.site.op.effect == Effect::texture_gather)
        by.record.proxy = Proxy::texture;
    find_record(by, &e.site.op);
    if (by.record.sort == Sort::read) read_lanes(e.addresses, e.site, by, own);
    else write_lanes(e, by, own);
    if (by.record.is_strong && order_.concerns(by.cta, by.record.warp, e.access.order))
        synchronize(e, by.cta, by.record.warp);
}

void RaceCheck::read_lanes(sim::Addresses const& addresses, sim::Site const& site, Doer& by, ShadowBlock* own) {
    by.bytes = addresses.bytes;
    // Of lanes that read the same, the first two tell all, unless somebody has written there since the last barrier.
    std::uint64_t settled = ~std::uint64_t{0};
    for (LaneMask m = addresses.mask; m != 0; m &= m - 1) {
        by.lane = static_cast<std::uint32_t>(std::countr_zero(m));
        by.address = addresses.of(static_cast<int>(by.lane));
        if (by.address == settled) continue;
        if (own == nullptr && !beside_.empty()) check_ranges(by);
        bool is_settled = true;
        for (Cell& cell : cells(site.cta, own, by.address, by.bytes)) {
            read(cell, by);
            is_settled &= cell.read.extent() != Stamp::Extent::lane && is_before_barrier(cell.write, by);
        }
        if (is_settled) settled = by.address;
    }
}

void RaceCheck::write_lanes(sim::AccessEvent const& e, Doer& by, ShadowBlock* own) {
    by.bytes = e.addresses.bytes;
    bool const is_bulk = !std::has_single_bit(by.bytes);  // a store of as many bytes as it likes
    bool const has_value = by.record.sort == Sort::write && by.bytes <= 32 && !is_bulk;
    for (LaneMask m = e.addresses.mask; m != 0; m &= m - 1) {
        by.lane = static_cast<std::uint32_t>(std::countr_zero(m));
        by.address = e.addresses.of(static_cast<int>(by.lane));
        if (own == nullptr && !beside_.empty()) check_ranges(by);
        if (has_value) by.value_hash = hash_of(e.value(static_cast<int>(by.lane)));
        if (is_bulk) {
            touch({own != nullptr ? &e.site.cta : nullptr, by.address}, e.addresses.bytes, by);
            continue;
        }
        for (Cell& cell : cells(e.site.cta, own, by.address, by.bytes)) {
            if (e.access.swaps) verify(cell.read, by);
            write(cell, by);
        }
    }
}

/// The part of a strong access that orders others.
void RaceCheck::synchronize(sim::AccessEvent const& e, HappensBefore::Cta& cta, std::uint32_t warp) {
    bool const is_atomic = e.site.op.kind == sim::OpKind::atomic;
    StrongAccess strong;
    strong.reads = is_atomic || e.site.op.kind == sim::OpKind::load;
    strong.writes = is_atomic || e.site.op.kind == sim::OpKind::store;
    strong.order = e.access.order;
    strong.scope = e.access.scope;
    for (LaneMask m = e.addresses.mask; m != 0; m &= m - 1) {
        auto const lane = static_cast<std::uint32_t>(std::countr_zero(m));
        std::uint64_t const address = e.addresses.of(static_cast<int>(lane));
        strong.place = {0, address};
        if (e.space == SpaceKind::shared) {
            sim::Cta const* owner = &e.site.cta;
            if (address >> sim::rank_shift != 0) owner = &owner->cluster->ctas[(address >> sim::rank_shift) - 2];
            strong.place = {owner->linear + 1, address & ((std::uint64_t{1} << sim::rank_shift) - 1)};
        }
        order_.access({cta.number, 32 * warp + lane}, strong);
    }
}

void RaceCheck::read(Cell& cell, Doer const& by) {
    if (!is_before_barrier(cell.write, by)) check(cell.write, settled_writes_, by);
    using Extent = Stamp::Extent;
    Stamp const earlier = cell.read;
    Extent extent = Extent::lane;
    Stamp named(by.id, by.lane, 0);
    if (earlier.is_since(launch_first_)) {
        if (earlier.record() == by.id && (earlier.extent() != Extent::lane || earlier.lane() == by.lane)) return;
        Record const& other = record(earlier);
        if (by.knows_barriers_only && !by.record.is_beside()) {
            // One reader more makes no difference to what is known of many.
            if (earlier.extent() == Extent::grid) return;
            if (earlier.extent() == Extent::cta && other.cta == by.record.cta && other.time > by.cta.barrier)
                return;
        }
        if (!is_ordered(earlier, other, by)) {
            extent = other.cta != by.record.cta     ? Extent::grid
                     : other.warp != by.record.warp ? Extent::cta
                                                    : Extent::warp;
            extent = std::max(extent, earlier.extent());
            // What goes on beside the threads is the last to be over.
            if (other.is_beside() && time_of(earlier, other) == Record::pending) named = earlier;
        }
    }
    cell.read = named.with(extent);
}

void RaceCheck::write(Cell& cell, Doer const& by) {
    check(cell.write, settled_writes_, by);
    check(cell.read, settled_reads_, by);
    cell.write = Stamp(by.id, by.lane, by.value_hash);
    cell.read = {};
}

/// A compare-and-swap of what this thread's warp has last read there.
void RaceCheck::verify(Stamp earlier, Doer const& by) {
    if (!earlier.is_since(launch_first_)) return;
    Record const& read = record(earlier);
    bool const is_own = read.sort == Sort::read && read.cta == by.record.cta && read.warp == by.record.warp;
    if (is_own && std::find(verified_.begin(), verified_.end(), read.instruction) == verified_.end())
        verified_.push_back(read.instruction);
}

/// Any number of bytes, as copies have.
void RaceCheck::touch(sim::MemoryPlace const& place, std::uint64_t bytes, Doer& by) {
    for (std::uint64_t done = 0; done < bytes;) {
        std::uint64_t const at = place.address + done;
        std::uint64_t const most = std::bit_floor(std::min<std::uint64_t>(bytes - done, 16));
        auto const step =
            static_cast<std::uint32_t>(std::min(most, (at & (~at + 1)) == 0 ? most : at & (~at + 1)));
        by.address = at;
        by.bytes = step;
        if (place.cta == nullptr && !beside_.empty()) check_ranges(by);
        for (Cell& cell : cells(place.cta, at, step)) {
            if (by.record.sort == Sort::read) read(cell, by);
            else write(cell, by);
        }
        done += step;
    }
}

void RaceCheck::arrives_at_barrier(sim::BarrierArrival const& e) {
    if (e.scope == sim::BarrierScope::cta)
        order_.arrive(order_.cta(e.site.cta.linear), e.site.warp.index, e.lanes, e.id, e.waits);
}

void RaceCheck::barrier_releases(sim::BarrierRelease const& e) {
    if (e.scope == sim::BarrierScope::cluster) return order_.release_cluster(e.cta.cluster->linear);
    std::vector<LaneMask> live;
    for (sim::Warp const& warp : e.cta.warps) live.push_back(warp.live());
    order_.release(order_.cta(e.cta.linear), e.id, live);
}

void RaceCheck::collective(sim::CollectiveEvent const& e) {
    if (e.site.op.effect != isa::Effect::barrier_warp) return;
    order_.meet(order_.cta(e.site.cta.linear), e.site.warp.index, e.together, e.site.warp.live());
}

}  // namespace warpsim::check
