// cp.async: every thread copies 4, 8 or 16 bytes from global to shared memory.
#include "sim/exec/async_operations.hpp"
#include "sim/exec/copy_bytes.hpp"

#include <bit>
#include <cstring>

namespace warpsim::sim {

namespace {

/// What the lanes of a warp copy.
struct FewOfWarp {
    Addresses to, from;
    LaneMask reads = 0;  // the other lanes write zeros
};

/// Finds addresses of which each has `bytes` bytes; false if one is not a multiple of them.
bool find_lanes(Addresses& lanes, AccessFunctions const& functions, Warp const& warp, AddressOperand const& place,
                LaneMask mask, std::uint32_t bytes) {
    Classify const classify = place.is_64 ? functions.classify64 : functions.classify32;
    classify(lanes, isa::column<std::byte>(warp.bases, place.column), place.offset, mask, bytes);
    if (lanes.misaligned % bytes != 0) return false;
    if (lanes.pattern == Pattern::scattered) return true;
    for (int lane = 0; lane < 32; ++lane) lanes.lane[lane] = lanes.of(lane);
    return true;
}
/// The last address, which lies before the first where addresses begin again at zero.
std::uint64_t last_of(Addresses const& lanes) { return lanes.past_high - lanes.bytes; }

/// The lanes that read anything; false if one copies part of its bytes.
bool find_reads(LaneMask& reads, Warp const& warp, Asynchronous const& a, LaneMask mask) {
    reads = mask;
    if (a.ignores) reads &= ~*isa::column<LaneMask>(warp.bases, a.mask);
    if (!a.has_count) return true;
    auto const* const counts = isa::column<std::uint32_t>(warp.bases, a.count);
    for (LaneMask m = reads; m != 0; m &= m - 1) {
        int const lane = std::countr_zero(m);
        if (counts[lane] == 0) reads &= ~(1u << lane);
        else if (counts[lane] != a.bytes) return false;
    }
    return true;
}

template <std::uint32_t bytes> void move_few(std::byte* to, std::uint64_t from) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): global addresses are addresses of the host
    auto const* const source = reinterpret_cast<std::byte const*>(from);
    if constexpr (bytes == 16) copy_sixteen(to, source);
    else copy_weak(to, source, bytes);
}
template <std::uint32_t bytes> void move_few(FewOfWarp const& few, LaneMask mask, std::byte* shared) {
    if (few.reads == isa::all_lanes) {
        for (int lane = 0; lane < 32; ++lane) move_few<bytes>(shared + few.to.lane[lane], few.from.lane[lane]);
        return;
    }
    for (LaneMask m = mask; m != 0; m &= m - 1) {
        int const lane = std::countr_zero(m);
        std::byte* const to = shared + few.to.lane[lane];
        if ((few.reads >> lane & 1) == 0) std::memset(to, 0, bytes);
        else move_few<bytes>(to, few.from.lane[lane]);
    }
}

}  // namespace

/// The copies of all lanes, where nobody wants to hear of each and they take effect at once. False where a lane needs a closer look;
/// then nothing has been done.
bool AsyncOperations::copy_few_at_once(Cta& cta, Warp& warp, Op const& op, Asynchronous const& a, LaneMask mask) {
    if (model_ != nullptr || launch_.late_copies || sinks_.want(EventKind::copy) || a.target.is_generic)
        return false;
    if (mask == 0 || a.bytes > launch_.shared_bytes) return false;
    FewOfWarp few;
    if (!find_reads(few.reads, warp, a, mask)) return false;
    if (!find_lanes(few.to, launch_.access, warp, a.target, mask, a.bytes)) return false;
    std::uint64_t const last = launch_.shared_bytes - a.bytes;
    if (few.to.low > last || last_of(few.to) > last) return false;
    if (few.reads != 0) {
        if (!find_lanes(few.from, launch_.access, warp, a.source, few.reads, a.bytes)) return false;
        std::uint64_t const low = few.from.low, high = last_of(few.from);
        if (low > high || !execution_.can_access(warp, low, high, a.bytes)) return false;
    }
    if (a.bytes == 16) move_few<16>(few, mask, cta.shared.get());
    else if (a.bytes == 8) move_few<8>(few, mask, cta.shared.get());
    else move_few<4>(few, mask, cta.shared.get());
    ++cta.changes;
    sinks_.tell<WarpCopyIssue>([&] { return WarpCopyIssue{site(cta, warp, op), few.to, few.from}; });
    return true;
}

void AsyncOperations::copy_few(Issue const& by, Asynchronous const& a) {
    UnderWay w;
    w.plan = &a;
    w.in_group = true;
    w.bytes = a.bytes;
    w.source_bytes = a.has_count ? isa::column<std::uint32_t>(by.warp.bases, a.count)[by.lane] : a.bytes;
    if (a.ignores && (*isa::column<LaneMask>(by.warp.bases, a.mask) >> by.lane & 1) != 0) w.source_bytes = 0;
    if (w.source_bytes > a.bytes) {
        fault(by.cta, by.warp, by.op, by.lane, FaultKind::illegal_operand,
              "asynchronous copy of " + std::to_string(a.bytes) + " bytes with a source of " +
                  std::to_string(w.source_bytes));
    }
    w.to = cluster_.shared_bytes(by, a.target, a.bytes, a.bytes);
    if (w.source_bytes != 0) w.from = cluster_.global_bytes(by, a.source, w.source_bytes, a.bytes, false);
    if (model_ == nullptr && launch_.late_copies) {
        tell_few(by, w);
        return issue(by, std::move(w));
    }
    tell_issue(by, w);
    tell_few(by, w);
    std::uint32_t const thread = 32 * by.warp.index + static_cast<std::uint32_t>(by.lane);
    FewBytes const few{w.to.at, w.from.at, w.bytes, w.source_bytes};
    if (model_ != nullptr) return model_->copy_few(by.cta, thread, few);
    alignas(16) std::byte data[16] = {};
    if (w.source_bytes != 0) copy_weak(data, reinterpret_cast<std::byte const*>(w.from.at), w.source_bytes);
    land(by.cta, thread, few, data);
}

/// One lane's part of what a warp copies.
void AsyncOperations::tell_few(Issue const& by, UnderWay const& w) const {
    if (!sinks_.want(EventKind::warp_copy)) return;
    auto const one = [&](std::uint64_t address, std::uint32_t bytes) {
        Addresses lanes;
        lanes.pattern = Pattern::scattered;
        lanes.bytes = bytes;
        lanes.mask = bytes != 0 ? 1u << by.lane : 0;
        lanes.lane[by.lane] = lanes.low = address;
        lanes.past_high = address + bytes;
        return lanes;
    };
    Addresses const to = one(w.to.at, w.bytes), from = one(w.from.at, w.source_bytes);
    sinks_.tell<WarpCopyIssue>([&] { return WarpCopyIssue{site(by.cta, by.warp, by.op), to, from}; });
}

void AsyncOperations::land(Cta& cta, std::uint32_t thread, FewBytes const& few, std::byte const* data) {
    std::memcpy(cta.shared.get() + few.to, data, few.bytes);
    ++cta.changes;
    sinks_.tell<CopyArrival>([&] {
        return CopyArrival{{nullptr, few.from}, {&cta, few.to}, few.bytes, cta.id, thread, false, cycle()};
    });
}

}  // namespace warpsim::sim
