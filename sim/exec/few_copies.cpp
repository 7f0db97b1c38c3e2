// cp.async: every thread copies 4, 8 or 16 bytes from global to shared memory.
#include "sim/exec/async_operations.hpp"
#include "sim/exec/copy_bytes.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace warpsim::sim {

namespace {

/// What the lanes of a warp copy, and the first and the last address of global memory that they read from.
struct FewOfWarp {
    std::uint64_t to[32], from[32];
    LaneMask reads = 0;
    std::uint64_t low = UINT64_MAX, high = 0;
};

std::uint64_t address_of(Warp const& warp, AddressOperand const& place, int lane) {
    if (place.is_64)
        return isa::column<std::uint64_t>(warp.bases, place.column)[lane] +
               static_cast<std::uint64_t>(place.offset);
    return isa::column<std::uint32_t>(warp.bases, place.column)[lane] + static_cast<std::uint32_t>(place.offset);
}

/// False if a lane copies part of its bytes, or its addresses are not those of ordinary copies.
bool find_few(FewOfWarp& few, Warp const& warp, Asynchronous const& a, LaneMask mask, std::uint64_t shared_bytes) {
    LaneMask const ignored = a.ignores ? *isa::column<LaneMask>(warp.bases, a.mask) : 0;
    std::uint64_t misaligned = 0;
    for (LaneMask m = mask; m != 0; m &= m - 1) {
        int const lane = std::countr_zero(m);
        std::uint32_t const count = a.has_count ? isa::column<std::uint32_t>(warp.bases, a.count)[lane] : a.bytes;
        std::uint64_t const to = few.to[lane] = address_of(warp, a.target, lane);
        if (to > shared_bytes || a.bytes > shared_bytes - to) return false;
        misaligned |= to;
        if ((ignored >> lane & 1) != 0 || count == 0) continue;
        if (count != a.bytes) return false;
        std::uint64_t const from = few.from[lane] = address_of(warp, a.source, lane);
        misaligned |= from;
        few.reads |= 1u << lane;
        few.low = std::min(few.low, from);
        few.high = std::max(few.high, from);
    }
    return misaligned % a.bytes == 0;
}

template <std::uint32_t bytes> void move_few(FewOfWarp const& few, LaneMask mask, std::byte* shared) {
    for (LaneMask m = mask; m != 0; m &= m - 1) {
        int const lane = std::countr_zero(m);
        std::byte* const to = shared + few.to[lane];
        if ((few.reads >> lane & 1) == 0) {
            std::memset(to, 0, bytes);
        } else if constexpr (bytes == 16) {
            copy_sixteen(to, reinterpret_cast<std::byte const*>(few.from[lane]));
        } else {
            copy_weak(to, reinterpret_cast<std::byte const*>(few.from[lane]), bytes);
        }
    }
}

}  // namespace

/// The copies of all lanes, where nobody looks on and they take effect at once. False where a lane needs a closer look;
/// then nothing has been done.
bool AsyncOperations::copy_few_unobserved(Cta& cta, Warp& warp, Asynchronous const& a, LaneMask mask) {
    if (model_ != nullptr || launch_.late_copies || sinks_.want(EventKind::copy) || a.target.is_generic)
        return false;
    FewOfWarp few;
    if (!find_few(few, warp, a, mask, launch_.shared_bytes)) return false;
    if (few.reads != 0 && !execution_.can_access(warp, few.low, few.high, a.bytes)) return false;
    if (a.bytes == 16) move_few<16>(few, mask, cta.shared.get());
    else if (a.bytes == 8) move_few<8>(few, mask, cta.shared.get());
    else move_few<4>(few, mask, cta.shared.get());
    ++cta.changes;
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
    if (model_ == nullptr && launch_.late_copies) return issue(by, std::move(w));
    tell_issue(by, w);
    std::uint32_t const thread = 32 * by.warp.index + static_cast<std::uint32_t>(by.lane);
    FewBytes const few{w.to.at, w.from.at, w.bytes, w.source_bytes};
    if (model_ != nullptr) return model_->copy_few(by.cta, thread, few);
    alignas(16) std::byte data[16] = {};
    if (w.source_bytes != 0) copy_weak(data, reinterpret_cast<std::byte const*>(w.from.at), w.source_bytes);
    land(by.cta, thread, few, data);
}

void AsyncOperations::land(Cta& cta, std::uint32_t thread, FewBytes const& few, std::byte const* data) {
    std::memcpy(cta.shared.get() + few.to, data, few.bytes);
    ++cta.changes;
    sinks_.tell<CopyArrival>([&] {
        return CopyArrival{{nullptr, few.from}, {&cta, few.to}, few.bytes, cta.id, thread, false, cycle()};
    });
}

}  // namespace warpsim::sim
