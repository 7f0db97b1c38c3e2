#include "runtime/check/race/race_check.hpp"

#include "sim/exec/launch_context.hpp"
#include "sim/exec/warp.hpp"
#include "sim/hexadecimal.hpp"

#include <algorithm>
#include <bit>

namespace warpsim::check {

using isa::LaneMask;
using isa::Order;
using isa::Scope;
using sim::SpaceKind;

namespace {

std::uint32_t hash_of(std::array<std::uint64_t, 2> const& value) {
    return static_cast<std::uint32_t>((value[0] * 0x9e3779b97f4a7c15u ^ value[1] * 0xc2b2ae3d27d4eb4fu) >> 48);
}

}  // namespace

void RaceCheck::launch_begins(sim::LaunchBegin const& e) {
    launch_ = &e.launch;
    order_.begin();
    first_ += records_.size();
    records_.clear();
    recent_.fill({});
    shared_.clear();
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
    for (sim::Cta const& cta : all) shared_.erase(cta.linear);
}

std::uint64_t RaceCheck::number_of(std::array<std::uint32_t, 3> const& cta) const {
    return (std::uint64_t{cta[2]} * launch_->grid[1] + cta[1]) * launch_->grid[0] + cta[0];
}

RaceCheck::Doer RaceCheck::doer(sim::Site const& site, Sort sort, Order order, Scope scope, std::uint32_t bytes) {
    HappensBefore::Cta& cta = order_.cta(site.cta.linear);
    Record record{cta.number,
                  order_.now(),
                  {site.frame.function->index, site.op.instruction},
                  site.warp.index,
                  sort,
                  order != Order::weak,
                  scope,
                  static_cast<std::uint8_t>(std::bit_width(bytes | 1u))};
    return {cta, 0, record, ""};
}

std::span<Cell> RaceCheck::cells(sim::Cta const* cta, std::uint64_t address, std::uint32_t bytes) {
    if (cta == nullptr) return global_.cells(address, bytes);
    return shared_.at(cta->linear).cells(address, bytes);
}

void RaceCheck::access(sim::AccessEvent const& e) {
    if (e.space != SpaceKind::global && e.space != SpaceKind::shared) return;
    bool const is_atomic = e.site.op.kind == sim::OpKind::atomic;
    bool const is_store = e.site.op.kind != sim::OpKind::load && !is_atomic;
    Doer by = doer(e.site,
                   is_atomic  ? Sort::atomic
                   : is_store ? Sort::write
                              : Sort::read,
                   e.access.order, e.access.scope, e.addresses.bytes);
    std::uint32_t const warp = e.site.warp.index;
    by.record.is_strong |= is_atomic;
    by.space = e.space == SpaceKind::global ? "global" : "shared";
    by.event = &e;
    HappensBefore::Warp const& own = by.cta.warps[warp];
    by.knows_barriers_only = !by.cta.known && !own.lanes && !own.met;
    Recent& recent = recent_[(reinterpret_cast<std::uintptr_t>(&e.site.op) / 64 + std::size_t{31} * warp +
                              977 * by.cta.number) %
                             recent_.size()];
    Time const changed = own.changed;
    if (recent.op != &e.site.op || recent.cta != by.cta.number || recent.warp != warp ||
        recent.changed != changed || recent.space != by.space) {
        recent = {&e.site.op, by.cta.number, warp, by.space, changed, first_ + records_.size()};
        records_.push_back(by.record);
    }
    by.id = recent.id;
    by.record = records_[recent.id - first_];
    verdicts_.fill({});
    if (by.record.sort == Sort::read) read_lanes(e, by);
    else write_lanes(e, by);
    if (by.record.is_strong && order_.concerns(by.cta, warp, e.access.order)) synchronize(e, by.cta, warp);
}

/// The cells of the access of one lane; `own`: of the CTA's shared memory, null for global memory.
std::span<Cell> RaceCheck::cells(sim::AccessEvent const& e, ShadowBlock* own, std::uint64_t address) {
    std::uint32_t const bytes = e.addresses.bytes;
    if (own == nullptr) return global_.cells(address, bytes);
    std::uint64_t const rank = address >> sim::rank_shift;
    if (rank == 0) return own->cells(address, bytes);
    return cells(&e.site.cta.cluster->ctas[rank - 2], address & ((std::uint64_t{1} << sim::rank_shift) - 1),
                 bytes);
}

/// Whether what a stamp stands for cannot race with any thread of the CTA.
bool RaceCheck::is_before_barrier(Stamp earlier, Doer const& by) const {
    if (!earlier.is_since(first_)) return true;
    Record const& other = record(earlier);
    return other.cta == by.record.cta && other.time < by.cta.barrier;
}

void RaceCheck::read_lanes(sim::AccessEvent const& e, Doer& by) {
    ShadowBlock* const own = e.space == SpaceKind::shared ? &shared_.at(by.cta.number) : nullptr;
    by.bytes = e.addresses.bytes;
    // Of lanes that read the same, the first two tell all, unless somebody has written there since the last barrier.
    std::uint64_t settled = ~std::uint64_t{0};
    for (LaneMask m = e.addresses.mask; m != 0; m &= m - 1) {
        by.lane = static_cast<std::uint32_t>(std::countr_zero(m));
        by.address = e.addresses.of(static_cast<int>(by.lane));
        if (by.address == settled) continue;
        bool is_settled = true;
        for (Cell& cell : cells(e, own, by.address)) {
            read(cell, by);
            is_settled &= cell.read.extent() != Stamp::Extent::lane && is_before_barrier(cell.write, by);
        }
        if (is_settled) settled = by.address;
    }
}

void RaceCheck::write_lanes(sim::AccessEvent const& e, Doer& by) {
    ShadowBlock* const own = e.space == SpaceKind::shared ? &shared_.at(by.cta.number) : nullptr;
    bool const is_bulk = !std::has_single_bit(e.addresses.bytes);  // a store of as many bytes as it likes
    bool const has_value = by.record.sort == Sort::write && e.addresses.bytes <= 32 && !is_bulk;
    for (LaneMask m = e.addresses.mask; m != 0; m &= m - 1) {
        by.lane = static_cast<std::uint32_t>(std::countr_zero(m));
        by.address = e.addresses.of(static_cast<int>(by.lane));
        by.bytes = e.addresses.bytes;
        if (has_value) by.value_hash = hash_of(e.value(static_cast<int>(by.lane)));
        if (is_bulk) {
            touch({own != nullptr ? &e.site.cta : nullptr, by.address}, by.bytes, by);
            continue;
        }
        for (Cell& cell : cells(e, own, by.address)) {
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
    if (!is_before_barrier(cell.write, by)) check(cell.write, by);
    using Extent = Stamp::Extent;
    Stamp const earlier = cell.read;
    Extent extent = Extent::lane;
    if (earlier.is_since(first_)) {
        if (earlier.record() == by.id && (earlier.extent() != Extent::lane || earlier.lane() == by.lane)) return;
        // One reader more makes no difference to what is known of many.
        if (by.knows_barriers_only && earlier.extent() == Extent::grid) return;
        Record const& other = record(earlier);
        if (by.knows_barriers_only && earlier.extent() == Extent::cta && other.cta == by.record.cta &&
            other.time > by.cta.barrier)
            return;
        bool const is_same = earlier.extent() == Extent::lane && other.cta == by.record.cta &&
                             other.warp == by.record.warp && earlier.lane() == by.lane;
        if (!is_same && !is_ordered(earlier, other, by)) {
            extent = other.cta != by.record.cta     ? Extent::grid
                     : other.warp != by.record.warp ? Extent::cta
                                                    : Extent::warp;
            extent = std::max(extent, earlier.extent());
        }
    }
    cell.read = Stamp(by.id, by.lane, 0).with(extent);
}

void RaceCheck::write(Cell& cell, Doer const& by) {
    check(cell.write, by);
    check(cell.read, by);
    cell.write = Stamp(by.id, by.lane, by.value_hash);
    cell.read = {};
}

/// A compare-and-swap of what this thread's warp has last read there.
void RaceCheck::verify(Stamp earlier, Doer const& by) {
    if (!earlier.is_since(first_)) return;
    Record const& read = record(earlier);
    bool const is_own = read.sort == Sort::read && read.cta == by.record.cta && read.warp == by.record.warp;
    if (is_own && std::find(verified_.begin(), verified_.end(), read.instruction) == verified_.end())
        verified_.push_back(read.instruction);
}

void RaceCheck::check(Stamp earlier, Doer const& by) {
    if (!earlier.is_since(first_)) return;
    Record const& other = record(earlier);
    if (is_ordered(earlier, other, by) || is_morally_strong(earlier, other, by)) return;
    report(earlier, other, by);
}

bool RaceCheck::is_before_all(std::uint64_t id, Record const& other, Doer const& by) {
    Verdict& verdict = verdicts_[id % verdicts_.size()];
    if (verdict.id == id) return verdict.is_before_all;
    verdict = {id, order_.is_before_all({other.cta, 32 * other.warp}, other.time, by.cta, by.record.warp)};
    return verdict.is_before_all;
}

/// is_ordered(), of most accesses of most programs.
inline bool RaceCheck::is_ordered_by_barriers(Stamp earlier, Record const& other, Doer const& by) {
    using Extent = Stamp::Extent;
    if (other.cta != by.record.cta || earlier.extent() == Extent::grid) return false;
    if (other.time < by.cta.barrier) return true;
    if (other.warp != by.record.warp || earlier.extent() == Extent::cta) return false;
    if (other.time < by.cta.warps[by.record.warp].synced) return true;
    return earlier.extent() == Extent::lane && earlier.lane() == by.lane;
}

/// Whether what a stamp stands for happens before the present access. Of stamps that stand for several readers it is not
/// known who all of them are: if there is anything that may have ordered them, they count as ordered.
bool RaceCheck::is_ordered(Stamp earlier, Record const& other, Doer const& by) {
    if (by.knows_barriers_only) return is_ordered_by_barriers(earlier, other, by);
    using Extent = Stamp::Extent;
    HappensBefore::Warp const& own = by.cta.warps[by.record.warp];
    auto const knows_parts = [&](std::uint64_t cta) {
        Knowledge const learned = own.learned(by.lane);
        return (by.cta.known && by.cta.known->knows_parts_of(cta)) || (learned && learned->knows_parts_of(cta));
    };
    auto const knows_others = [&] {
        Knowledge const learned = own.learned(by.lane);
        return (by.cta.known && by.cta.known->knows_others_than(by.cta.number)) ||
               (learned && learned->knows_others_than(by.cta.number));
    };
    Thread const one{other.cta, 32 * other.warp + earlier.lane()};
    switch (earlier.extent()) {
        case Extent::lane:
            if (other.cta == by.record.cta && other.warp == by.record.warp && earlier.lane() == by.lane)
                return true;
            return is_before_all(earlier.record(), other, by) ||
                   order_.is_before(one, other.time, by.cta, by.record.warp, by.lane);
        case Extent::warp:
            return is_before_all(earlier.record(), other, by) || knows_parts(other.cta) ||
                   (other.cta == by.record.cta && other.warp == by.record.warp && own.met);
        case Extent::cta:
            if (other.cta == by.record.cta) return other.time < by.cta.barrier || knows_parts(other.cta);
            return is_before_all(earlier.record(), other, by) || knows_parts(other.cta);
        case Extent::grid: return knows_others();
    }
    return true;
}

/// Accesses that may happen at once: both strong, each in the other's scope, of the same bytes.
bool RaceCheck::is_morally_strong(Stamp earlier, Record const& other, Doer const& by) const {
    if (!other.is_strong || !by.record.is_strong || other.bytes_log2 != by.record.bytes_log2) return false;
    Thread const from{other.cta, 32 * other.warp + earlier.lane()}, to = by.thread();
    // Readers of several CTAs: the one that is known stands for them all.
    return order_.reaches(other.scope, to, from) && order_.reaches(by.record.scope, to, from);
}

std::string RaceCheck::missing(Stamp earlier, Record const& other, Doer const& by) const {
    auto const scope_name = [](Scope scope) {
        return std::string(scope == Scope::cluster ? ".cluster" : scope == Scope::gpu ? ".gpu" : ".cta");
    };
    std::string const other_block = "block " + dims_text(place_in(launch_->grid, other.cta));
    bool const is_other_cta = other.cta != by.record.cta || earlier.extent() == Stamp::Extent::grid;
    if (other.is_strong && by.record.is_strong) {
        if (other.bytes_log2 != by.record.bytes_log2) return "they overlap, but are not of the same bytes";
        Thread const from{other.cta, 32 * other.warp + earlier.lane()}, to = by.thread();
        Scope const narrow = order_.reaches(other.scope, to, from) ? by.record.scope : other.scope;
        return "the scope " + scope_name(narrow) + " of one of them does not reach the other's block";
    }
    if (other.sort == Sort::atomic || by.record.sort == Sort::atomic)
        return "one of them is atomic, the other is not, and nothing orders them";
    if (is_other_cta) {
        if (auto const& shorter = order_.last_short_scope(); shorter && shorter->by.cta == other.cta)
            return "the scope " + scope_name(shorter->scope) + " of a release by " + other_block +
                   " does not reach block " + dims_text(place_in(launch_->grid, by.record.cta));
        return "nothing orders these blocks: no release by the one that the other acquires";
    }
    if (earlier.record() == by.id) return "by lanes of one warp in the same instruction";
    if (other.warp == by.record.warp && earlier.extent() <= Stamp::Extent::warp)
        return "no __syncwarp() or barrier between them: lanes of a warp run independently";
    return "no barrier between them";
}

bool RaceCheck::is_same_value(Stamp earlier, Record const& other, Doer const& by) {
    return other.sort == Sort::write && by.record.sort == Sort::write && earlier.value_hash() == by.value_hash;
}

Finding RaceCheck::describe(Stamp earlier, Record const& other, Doer const& by) const {
    static constexpr char const* nouns[] = {"read", "write", "atomic"};
    static constexpr char const* verbs[] = {"read", "wrote", "changed by an atomic"};
    static constexpr char const* verbs_before[] = {"had read it", "had written it", "had changed it by an atomic"};
    auto const index = [](Sort sort) { return static_cast<std::size_t>(sort); };
    ir::Module const& module = *launch_->plan.module;
    Finding finding;
    finding.kernel = launch_->plan.functions.front().function->name;
    finding.space = by.space;
    finding.address = by.address;
    finding.bytes = by.bytes;
    finding.is_benign = is_same_value(earlier, other, by);
    finding.what = std::string(nouns[index(by.record.sort)]) + " after " + nouns[index(other.sort)] +
                   (finding.is_benign ? " of the same value" : "");
    finding.message = finding.what + " of " + std::to_string(by.bytes) + " bytes at " + by.space + " " +
                      sim::hexadecimal(by.address) + ", " + missing(earlier, other, by);
    std::uint32_t const thread = 32 * by.record.warp + by.lane;
    finding.act = act_of(verbs[index(by.record.sort)], module, by.record.instruction,
                         place_in(launch_->grid, by.record.cta), thread, launch_->block);
    if (by.event != nullptr && !by.event->is_late && by.bytes <= 8 && by.record.sort == Sort::write)
        finding.act->value = sim::hexadecimal(by.event->value(static_cast<int>(by.lane))[0]);
    finding.other = act_of(verbs_before[index(other.sort)], module, other.instruction,
                           place_in(launch_->grid, other.cta), 32 * other.warp + earlier.lane(), launch_->block);
    if (earlier.extent() != Stamp::Extent::lane) finding.notes.emplace_back("other threads had read it, too");
    return finding;
}

void RaceCheck::report(Stamp earlier, Record const& other, Doer const& by) {
    bool const is_same = is_same_value(earlier, other, by);
    Alike const alike{Kind::race,
                      static_cast<std::uint32_t>(other.sort) << 8 |
                          static_cast<std::uint32_t>(by.record.sort) << 4 | static_cast<std::uint32_t>(is_same),
                      launch_->plan.module,
                      by.record.instruction.function,
                      by.record.instruction.index,
                      other.instruction.function,
                      other.instruction.index};
    bool const reads_atomic = other.sort == Sort::atomic && by.record.sort == Sort::read;
    bool const is_unverified = reads_atomic || (other.sort == Sort::read && by.record.sort == Sort::atomic);
    if (!is_unverified) return findings_.add(alike, [&] { return describe(earlier, other, by); });
    auto const [entry, is_new] = unverified_.try_emplace(alike);
    if (is_new) entry->second = {(reads_atomic ? by.record : other).instruction, describe(earlier, other, by), 0};
    ++entry->second.count;
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
        for (Cell& cell : cells(place.cta, at, step)) {
            if (by.record.sort == Sort::read) read(cell, by);
            else write(cell, by);
        }
        done += step;
    }
}

void RaceCheck::copy_issues(sim::CopyIssue const& e) {
    auto const move = [&](sim::MemoryPlace const& place, std::uint64_t bytes, Sort sort) {
        Doer by = doer(e.site, sort, Order::weak, Scope::none, 0);
        by.id = first_ + records_.size();
        by.lane = static_cast<std::uint32_t>(e.lane);
        by.space = place.cta == nullptr ? "global" : "shared";
        records_.push_back(by.record);
        verdicts_.fill({});
        touch(place, bytes, by);
    };
    // Of a tensor's box in global memory, the event names the first byte only.
    ir::Instruction const& instruction = e.site.frame.function->function->instructions[e.site.op.instruction];
    bool const is_tensor = launch_->plan.module->forms[instruction.form].has(isa::Modifier::tensor);
    if (!e.is_of_registers && !(is_tensor && e.from.cta == nullptr)) move(e.from, e.source_bytes, Sort::read);
    if (!(is_tensor && e.to.cta == nullptr)) move(e.to, e.bytes, Sort::write);
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

void RaceCheck::mbarrier(sim::MbarrierEvent const& e) {
    using enum sim::MbarrierOperation;
    Thread const thread{number_of(e.cta), e.thread};
    SyncPlace const place{e.place.cta == nullptr ? 0 : e.place.cta->linear + 1, e.place.address};
    switch (e.operation) {
        case arrive:
        case complete: order_.arrive_at_mbarrier(thread, place); break;
        case test:
            if (e.passed) order_.pass_mbarrier(thread, place);
            break;
        case initialize:
        case invalidate:
        case expect:
        case add_pending: break;
    }
}

void RaceCheck::mbarrier_releases(sim::MbarrierRelease const& e) {
    order_.complete_mbarrier({e.place.cta == nullptr ? 0 : e.place.cta->linear + 1, e.place.address});
}

void RaceCheck::collective(sim::CollectiveEvent const& e) {
    if (e.site.op.effect != isa::Effect::barrier_warp) return;
    order_.meet(order_.cta(e.site.cta.linear), e.site.warp.index, e.together, e.site.warp.live());
}

void RaceCheck::fence(sim::FenceEvent const& e) {
    order_.fence(order_.cta(e.site.cta.linear), e.site.warp.index, e.lanes, e.scope);
}

}  // namespace warpsim::check
