#include "sim/timing/sm/recorder.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace warpsim::timing {

using sim::OpKind;
using sim::SpaceKind;

namespace {

// Local memory of the warps lies somewhere that no other address is; the place matters to the caches only.
constexpr std::uint64_t local_area = std::uint64_t{1} << 52;
constexpr std::uint64_t local_area_of_warp = std::uint64_t{1} << 25;   // 512 KiB for each of 32 lanes, and more

/// Done at the L2 slice or where others can see it, not in this SM.
bool is_strong(sim::Access const& access) {
    return access.order != isa::Order::weak && access.scope != isa::Scope::cta;
}

/// Whether anybody wants the old values.
bool gives(sim::Access const& access) {
    return std::any_of(access.data.begin(), access.data.begin() + access.elements, [](sim::Slot s) { return s != sim::discard; });
}

/// Lanes that change the same address take turns; additions whose old value nobody wants are added up before.
std::uint8_t turns(sim::Access const& access, Addresses const& a) {
    if (!gives(access) || a.pattern == sim::Pattern::affine) return 1;
    if (a.pattern == sim::Pattern::uniform) return static_cast<std::uint8_t>(std::popcount(a.mask));
    std::array<std::uint64_t, 32> sorted;
    std::size_t count = 0;
    for (sim::LaneMask m = a.mask; m != 0; m &= m - 1) sorted[count++] = a.of(std::countr_zero(m));
    std::sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(count));
    std::uint32_t run = 1, most = 1;
    for (std::size_t i = 1; i < count; ++i) {
        run = sorted[i] == sorted[i - 1] ? run + 1 : 1;
        most = std::max(most, run);
    }
    return static_cast<std::uint8_t>(most);
}

}  // namespace

Recorder::Recorder(sim::Config const& config)
    : group_(std::clamp(config.sm.lsu->coalescing_threads, 1u, 32u)),
      banks_(config.sm.shared.banks->count),
      bank_bytes_(config.sm.shared.banks->width_bytes),
      clock_mhz_(config.clock_mhz),
      operations_(8) {}

void Recorder::instruction(sim::Cta const& cta, sim::Warp const& warp, sim::Frame const& frame, sim::Op const& op, sim::LaneMask active,
                           sim::LaneMask mask) {
    lanes_ = active;
    if (tracer_ != nullptr) tracer_->instruction(cta, warp, frame, op, active, mask);
}

void Recorder::diverged(sim::Cta const& cta, sim::Warp const& warp, sim::Frame const& frame, sim::Op const& op, sim::LaneMask taken,
                        sim::LaneMask not_taken) {
    if (tracer_ != nullptr) tracer_->diverged(cta, warp, frame, op, taken, not_taken);
}

void Recorder::reconverged(sim::Cta const& cta, sim::Warp const& warp, sim::Frame const& frame, std::uint32_t pc, sim::LaneMask lanes) {
    if (tracer_ != nullptr) tracer_->reconverged(cta, warp, frame, pc, lanes);
}

MemoryOperation& Recorder::add(sim::Op const& op, sim::Access const& access, Addresses const& a) {
    if (used_ == operations_.size()) operations_.emplace_back();
    MemoryOperation& o = operations_[used_++];
    o.load = UINT32_MAX;
    o.passes = 1;
    o.turns = 1;
    bool const returns = op.kind == OpKind::load || (op.kind == OpKind::atomic && gives(access));
    o.bytes = returns ? static_cast<std::uint32_t>(std::popcount(a.mask)) * a.bytes : 0;
    return o;
}

void Recorder::access(sim::Cta const&, sim::Warp const&, sim::Op const& op, sim::Access const& access, SpaceKind space, Addresses const& a) {
    switch (space) {
        case SpaceKind::shared: {
            MemoryOperation& o = add(op, access, a);
            o.kind = OperationKind::shared;
            o.lines.count = 0;
            o.passes = op.kind == OpKind::atomic ? shared_atomic_passes(a, banks_, bank_bytes_) : shared_passes(a, banks_, bank_bytes_);
            return;
        }
        case SpaceKind::local: return local(op, access, a);
        case SpaceKind::constant:
        case SpaceKind::param_entry:
            // Lanes that want different words take turns.
            constants_ = a.pattern == sim::Pattern::uniform ? 1 : static_cast<std::uint32_t>(std::popcount(a.mask));
            constant_address_ = a.low;
            return;
        case SpaceKind::frame_param: return;   // arguments of calls stay in registers
        default: break;
    }
    MemoryOperation& o = add(op, access, a);
    coalesce(a, group_, o.lines);
    if (op.kind == OpKind::atomic) {
        o.kind = OperationKind::atomic;
        o.turns = turns(access, a);
    } else if (op.kind == OpKind::store) {
        o.kind = OperationKind::store;
    } else {
        o.kind = is_strong(access) ? OperationKind::load_through : OperationKind::load;
    }
}

void Recorder::local(sim::Op const& op, sim::Access const& access, Addresses const& a) {
    MemoryOperation& o = add(op, access, a);
    o.kind = op.kind == OpKind::store ? OperationKind::store : OperationKind::load;
    Coalesced& c = o.lines;
    c.count = c.sectors = 0;
    // Word w of lane i lies at w * 128 + i * 4: lanes at the same offset share a line for each word.
    std::uint64_t const base = (local_area + warp_slot_ * local_area_of_warp) / line_bytes;
    for (sim::LaneMask m = a.mask; m != 0; m &= m - 1) {
        int const lane = std::countr_zero(m);
        for (std::uint32_t b = 0; b < a.bytes; b += 4) {
            std::uint64_t const line = base + (a.of(lane) + b) / 4;
            std::uint32_t i = 0;
            while (i < c.count && c.lines[i].line != line) ++i;
            if (i == c.lines.size()) break;   // simplified: wide and scattered accesses are cut off at 32 lines
            if (i == c.count) c.lines[c.count++] = {line, 0, 0};
            c.lines[i].sectors |= static_cast<std::uint8_t>(1u << lane / 8);
        }
    }
    for (std::uint32_t i = 0; i < c.count; ++i) {
        c.lines[i].covered = c.lines[i].sectors;
        c.sectors += static_cast<std::uint32_t>(std::popcount(c.lines[i].sectors));
    }
    c.lookups = c.count;
    c.bank_cycles = c.count;
}

bool Recorder::takes_global(sim::Cta& cta, sim::Warp& warp, sim::Op const& op, sim::Access const& access, Addresses const& a) {
    if (op.kind == OpKind::store) {
        effects_.store(now_, cta, warp, op, access, a);
    } else if (op.kind == OpKind::atomic) {
        effects_.atomic(now_, cta, warp, op, access, a);
    } else if (is_strong(access) || !effects_.load(warp, access, a)) {
        effects_.late_load(now_, cta, warp, op, access, a);
        operations_[used_ - 1].kind = OperationKind::load_through;
    }
    return true;
}

bool Recorder::tells_time(std::uint64_t& cycles, std::uint64_t& nanoseconds) {
    cycles = now_;
    nanoseconds = now_ * 1000 / clock_mhz_;
    return true;
}

}  // namespace warpsim::timing
