#include "runtime/check/race/race_check.hpp"

#include "runtime/check/race/dependence.hpp"
#include "sim/error.hpp"
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
    for (auto& [cta, shadow] : shared_) spare_.push_back(std::move(shadow));
    shared_.clear();
    last_shared_ = {0, nullptr};
    tensor_cells_.clear();
    groups_.clear();
    computed_.clear();
    in_step_.clear();
    looked_at_.clear();
    waited_.clear();
    hasty_.clear();
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
    if (e.cta.linear > Record::most_ctas)
        throw Error(ErrorKind::launch, "the race checker has no room for more than 2^31 CTAs of a launch");
    order_.start(e.cta.linear, e.cta.cluster->linear, e.cta.warps.size());
    std::unique_ptr<SharedShadow>& shadow = shared_[e.cta.linear];
    if (spare_.empty()) {
        shadow = std::make_unique<SharedShadow>(launch_->shared_bytes);
    } else {
        shadow = std::move(spare_.back());
        spare_.pop_back();
        shadow->block.renew(launch_->shared_bytes);
        shadow->settled = 0;
    }
    shadow->has_others = e.cta.cluster->ctas.size() > 1;
}

void RaceCheck::cta_ends(sim::CtaEnd const& e) {
    // All blocks let the kernel behind begin, at their ends at the latest.
    if (waited_.contains(e.cta.linear) && !hasty_.contains(e.cta.linear)) launches_.back().lets_begin_late = true;
    // While one of a cluster is left, it may reach the memory of the others.
    auto const& all = e.cta.cluster->ctas;
    if (!std::all_of(all.begin(), all.end(), [](sim::Cta const& cta) { return cta.has_ended(); })) return;
    order_.end(e.cta.cluster->linear);
    last_shared_ = {0, nullptr};
    for (sim::Cta const& cta : all) {
        if (auto shadow = shared_.extract(cta.linear)) spare_.push_back(std::move(shadow.mapped()));
        tensor_cells_.erase(cta.linear);
        forget_groups(cta.linear, cta.warps.size());
    }
}

std::uint64_t RaceCheck::number_of(std::array<std::uint32_t, 3> const& cta) const {
    return (std::uint64_t{cta[2]} * launch_->grid[1] + cta[1]) * launch_->grid[0] + cta[0];
}

SharedShadow& RaceCheck::shared_of(std::uint64_t cta) {
    if (last_shared_.second == nullptr || last_shared_.first != cta) last_shared_ = {cta, shared_.at(cta).get()};
    return *last_shared_.second;
}

RaceCheck::Doer RaceCheck::doer(HappensBefore::Cta& cta, Instruction which, std::uint32_t warp, Sort sort) {
    if (records_.size() >= next_collection_) collect();
    Doer by{cta, 0, {}, {}, {}, ""};
    by.beside.issued = order_.now();
    if (by.beside.issued >= Record::pending)
        throw Error(ErrorKind::launch, "the race checker has no room for more synchronisation in one launch");
    by.record.time = by.beside.issued & Record::pending;
    by.record.cta = cta.number & Record::most_ctas;
    by.record.warp = warp & 0xffu;
    by.manner.instruction = which;
    by.manner.launch = static_cast<std::uint32_t>(launches_.size() - 1);
    by.manner.sort = sort;
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
    by.record.manner = records_.number_of(by.manner) & Record::most_manners;
    add_record(by);
}

void RaceCheck::add_record(Doer& by) {
    by.cta.warps[by.record.warp].accessed = order_.now();
    if (!by.manner.is_beside()) {
        by.id = records_.add(by.record);
        return;
    }
    by.id = records_.add(by.record, by.beside);
    shared_of(by.cta.number).has_others = true;
}

/// The record of the warp's last access by this instruction, if it has not synchronised since; else a new one.
void RaceCheck::find_record(Doer& by, void const* op) {
    auto const warp = static_cast<std::uint32_t>(by.record.warp);
    Time const changed = by.cta.warps[warp].changed;
    Recent& recent = recent_[(reinterpret_cast<std::uintptr_t>(op) / 64 + std::size_t{31} * warp +
                              977 * by.cta.number + 379 * static_cast<std::size_t>(by.manner.sort)) %
                             recent_.size()];
    bool const is_of_instruction = recent.op == op && recent.space == by.space;
    if (is_of_instruction) by.record.manner = recent.manner & Record::most_manners;
    if (is_of_instruction && recent.cta == by.cta.number && recent.warp == warp && recent.changed == changed) {
        by.id = recent.id;
        return;
    }
    if (is_of_instruction) add_record(by);
    else make_record(by);
    recent = {op, by.cta.number, warp, by.space, changed, by.id, static_cast<std::uint32_t>(by.record.manner)};
}

void RaceCheck::access(sim::AccessEvent const& e) {
    bool const is_constant = e.space == SpaceKind::constant;
    if (e.space != SpaceKind::global && e.space != SpaceKind::shared && !is_constant) return;
    if (e.site.op.effect == Effect::prefetch && e.site.op.kind != sim::OpKind::store) return;  // `discard` is one
    Doer by = doer(e.site, sort_of(e.site.op));
    by.manner.is_strong = by.manner.sort == Sort::atomic || e.access.order != Order::weak;
    by.manner.scope = e.access.scope;
    by.manner.bytes_log2 = static_cast<std::uint8_t>(std::bit_width(e.addresses.bytes | 1u));
    by.space = is_constant ? "const" : e.space == SpaceKind::global ? "global" : "shared";
    by.event = &e;
    SharedShadow* const own = e.space == SpaceKind::shared ? &shared_of(by.cta.number) : nullptr;
    if (e.site.op.effect == Effect::warpgroup_multiply) return read_for_product(e, by);
    if (e.site.op.effect == Effect::texture_fetch || e.site.op.effect == Effect::texture_gather)
        by.manner.proxy = Proxy::texture;
    else if (own != nullptr) by.settled_number = own->settled_records();
    else if (by.manner.sort == Sort::read && !by.manner.is_strong)
        by.is_of_constant = is_constant || form_of(e.site).has(isa::Modifier::nc);
    find_record(by, &e.site.op);
    access_lanes(e.addresses, e.site.cta, by, own);
    if (!by.manner.is_strong) return;
    if (own == nullptr && by.manner.scope == Scope::sys) launches_.back().talks_to_host = true;
    bool const is_computed = own == nullptr && e.site.op.kind == sim::OpKind::store && is_store_computed(e.site);
    if (is_computed || order_.concerns(by.cta, e.site.warp.index, e.access.order))
        synchronize(e, by.cta, e.site.warp.index, is_computed);
}

bool RaceCheck::is_store_computed(sim::Site const& site) {
    auto const [entry, is_new] = computed_.try_emplace(&site.op);
    if (is_new) {
        ir::Function const& function = *site.frame.function->function;
        entry->second =
            depends_on_memory(*launch_->plan.module, function, function.instructions[site.op.instruction]);
    }
    return entry->second;
}

/// The part of a strong access that orders others.
void RaceCheck::synchronize(sim::AccessEvent const& e, HappensBefore::Cta& cta, std::uint32_t warp,
                            bool is_computed) {
    bool const is_atomic = e.site.op.kind == sim::OpKind::atomic;
    StrongAccess strong;
    strong.reads = is_atomic || e.site.op.kind == sim::OpKind::load;
    strong.writes = is_atomic || e.site.op.kind == sim::OpKind::store;
    strong.order = e.access.order;
    strong.scope = e.access.scope;
    strong.is_computed = is_computed;
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

void RaceCheck::arrives_at_barrier(sim::BarrierArrival const& e) {
    HappensBefore::Cta& cta = order_.cta(e.site.cta.linear);
    HappensBefore::Arrival arrival{e.site.warp.index, e.lanes, (e.site.warp.live() & ~e.lanes) == 0};
    arrival.waits = e.waits;
    if (e.scope == sim::BarrierScope::cta) return order_.arrive(cta, e.id, arrival);
    if (e.waits) return order_.wait_in_cluster(cta, arrival.warp, arrival.lanes);
    arrival.is_relaxed = form_of(e.site).order == Order::relaxed;
    order_.arrive_in_cluster(cta, arrival);
}

void RaceCheck::barrier_releases(sim::BarrierRelease const& e) {
    if (e.scope == sim::BarrierScope::cluster) return order_.release_cluster(e.cta.cluster->linear);
    std::vector<LaneMask> live;
    for (sim::Warp const& warp : e.cta.warps) live.push_back(warp.live());
    HappensBefore::Cta& cta = order_.cta(e.cta.linear);
    bool const is_for_all = e.cta.barriers[e.id].count == 0;
    if (order_.release(cta, e.id, live, is_for_all)) shared_of(cta.number).settled = records_.size();
}

void RaceCheck::collective(sim::CollectiveEvent const& e) {
    if (e.site.op.effect != isa::Effect::barrier_warp) return;
    order_.meet(order_.cta(e.site.cta.linear), e.site.warp.index, e.together, e.site.warp.live());
}

std::size_t RaceCheck::held_bytes() const {
    std::size_t held = global_.held_bytes() + records_.bytes();
    for (auto const& [cta, shadow] : shared_) held += shadow->block.held_bytes();
    for (auto const& shadow : spare_) held += shadow->block.held_bytes();
    return held;
}

}  // namespace warpsim::check
