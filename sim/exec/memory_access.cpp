// Loads and stores: the space that is accessed, checks of the addresses, and the move itself.
#include "sim/exec/memory_access.hpp"
#include "sim/hexadecimal.hpp"
#include "sim/memory/device_heap.hpp"
#include "sim/memory/host_memory.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>

namespace warpsim::sim {

namespace {

std::string_view space_name(SpaceKind space) {
    switch (space) {
        case SpaceKind::global: return "global";
        case SpaceKind::generic: return "generic";
        case SpaceKind::shared: return "shared";
        case SpaceKind::local: return "local";
        case SpaceKind::constant: return "const";
        case SpaceKind::param_entry:
        case SpaceKind::frame_param: return "param";
    }
    return "";
}

std::string access_name(Op const& op, Access const& access, SpaceKind space) {
    std::string_view const what = op.kind == OpKind::store    ? "store to"
                                  : op.kind == OpKind::atomic ? "atomic on"
                                                              : "load from";
    return std::to_string(access.bytes) + "-byte " + std::string(what) + " " + std::string(space_name(space)) +
           " ";
}

/// A thread's own memory is not visible to others.
void note_store(Cta& cta, Warp& warp, SpaceKind space) {
    bool const is_own = space == SpaceKind::local || space == SpaceKind::frame_param;
    ++(is_own ? warp.own_changes : cta.changes);
}

}  // namespace

void MemoryAccess::refuse(Cta const& cta, Warp const& warp, Op const& op, Access const& access, SpaceKind space,
                          int lane, std::uint64_t address, FaultKind kind, std::string const& why,
                          std::string details) const {
    char const* const what = kind == FaultKind::illegal_address      ? "illegal address: "
                             : kind == FaultKind::misaligned_address ? "misaligned address: "
                                                                     : "invalid address space: ";
    Fault fault = execution_.faults.blame(cta, warp, op, lane);
    fault.kind = kind;
    fault.what = what + access_name(op, access, space) + hexadecimal(address) + why;
    fault.details = details.empty() ? execution_.faults.call_trace(warp) : std::move(details);
    fault.address = FaultAddress{space_name(space), address, access.bytes};
    throw fault;
}

// Of every access: the compiler's own choice has gone either way, and a call costs a percent of a matrix product.
[[gnu::always_inline]] inline void MemoryAccess::find_addresses(Addresses& a, Warp const& warp,
                                                                Access const& access, LaneMask mask) const {
    std::byte const* const column = isa::column<std::byte>(warp.bases, access.address);
    if (!access.is_at_one_place) {
        return (access.address_is_64 ? launch_.access.classify64
                                     : launch_.access.classify32)(a, column, access.offset, mask, access.bytes);
    }
    a.pattern = Pattern::uniform;
    a.lane_zero = a.low = a.misaligned =
        *reinterpret_cast<std::uint64_t const*>(column) + static_cast<std::uint64_t>(access.offset);
    a.past_high = a.low + access.bytes;
    a.mask = mask;
    a.bytes = access.bytes;
}

template <bool observed> void MemoryAccess::access(Cta& cta, Warp& warp, Op const& op, LaneMask mask) {
    Access const& access = warp.running_frame().function->accesses[op.target];
    if constexpr (observed) {
        if (launch_.drops_bad_accesses) return access_good_lanes(cta, warp, op, access, mask);
    }
    access_lanes<observed>(cta, warp, op, access, mask);
}

/// A number for the memory that an address leads to: the lanes whose accesses are checked before any of them is performed
/// have the same.
std::uint64_t MemoryAccess::memory_of(Access const& access, std::uint64_t at) const {
    Windows const& w = launch_.windows;
    if (access.space == SpaceKind::shared) return at >> rank_shift;
    if (access.space != SpaceKind::generic) return 0;
    if (Windows::inside(at, w.shared)) return 1 + ((at - w.shared) >> rank_shift);
    return Windows::inside(at, w.local) ? UINT64_MAX : Windows::inside(at, w.param) ? UINT64_MAX - 1 : 0;
}

/// Whether all addresses are checked before any of them is accessed.
bool MemoryAccess::is_in_one_memory(Warp const& warp, Access const& access, LaneMask mask) const {
    if (access.space == SpaceKind::shared) return launch_.ctas_per_cluster() == 1;
    if (access.space != SpaceKind::generic) return true;
    Addresses a;
    find_addresses(a, warp, access, mask);
    return a.past_high <= launch_.windows.shared || a.low >= launch_.windows.param + window_bytes;
}

/// Performs the access for those lanes for which it is no fault; sinks are told of the others.
void MemoryAccess::access_good_lanes(Cta& cta, Warp& warp, Op const& op, Access const& access, LaneMask mask) {
    if (is_in_one_memory(warp, access, mask)) {
        while (mask != 0 && !try_access(cta, warp, op, access, mask)) {}
        return;
    }
    Addresses all;
    find_addresses(all, warp, access, mask);
    while (mask != 0) {
        std::uint64_t const memory = memory_of(access, all.of(std::countr_zero(mask)));
        LaneMask together = 0;
        for (LaneMask m = mask; m != 0; m &= m - 1) {
            int const lane = std::countr_zero(m);
            if (memory_of(access, all.of(lane)) == memory) together |= 1u << lane;
        }
        mask &= ~together;
        while (together != 0 && !try_access(cta, warp, op, access, together)) {}
    }
}

/// The device heap is one allocation, of which a thread may only use what malloc has given.
void MemoryAccess::check_heap(Cta& cta, Warp& warp, Op const& op, Access const& access, LaneMask mask) const {
    if (access.space != SpaceKind::global && access.space != SpaceKind::generic) return;
    Addresses a;
    find_addresses(a, warp, access, mask);
    if (a.low < a.past_high && !launch_.heap->overlaps(a.low, a.past_high)) return;
    for (LaneMask m = mask; m != 0; m &= m - 1) {
        int const lane = std::countr_zero(m);
        std::uint64_t const at = a.of(lane);
        if (!launch_.heap->owns(at) || launch_.heap->holds(at, access.bytes)) continue;
        refuse(cta, warp, op, access, access.space, lane, at, FaultKind::illegal_address,
               ", " + launch_.heap->describe(at));
    }
}

/// Performs the access, or nothing, and takes a lane for which it is a fault out of `mask`.
bool MemoryAccess::try_access(Cta& cta, Warp& warp, Op const& op, Access const& access, LaneMask& mask) {
    try {
        if (launch_.heap != nullptr) check_heap(cta, warp, op, access, mask);
        access_lanes<true>(cta, warp, op, access, mask);
        return true;
    } catch (Fault const& fault) {
        LaneMask const bad = 1u << fault.lane;
        if (!fault.has_place || (mask & bad) == 0) throw;
        Addresses all;
        find_addresses(all, warp, access, mask);
        mask &= ~bad;
        int const lane = static_cast<int>(fault.lane);
        sinks_.tell<BadAccessEvent>([&] {
            return BadAccessEvent{site(cta, warp, op), lane, access, all.of(lane), fault};
        });
        for (std::size_t i = 0; op.kind != OpKind::store && i < access.elements; ++i) {
            if (access.data[i] == discard) continue;
            std::size_t const bytes = std::size_t{1} << access.column_log2[i];
            std::memset(isa::column<std::byte>(warp.bases, access.data[i]) +
                            static_cast<std::size_t>(lane) * bytes,
                        0, bytes);
        }
        return false;
    }
}

template <bool observed>
void MemoryAccess::access_lanes(Cta& cta, Warp& warp, Op const& op, Access const& access, LaneMask mask) {
    Addresses a;
    find_addresses(a, warp, access, mask);
    if ((a.misaligned & (access.bytes - 1)) != 0) {
        for (LaneMask m = mask; m != 0; m &= m - 1) {
            int const lane = std::countr_zero(m);
            if ((a.of(lane) & (access.bytes - 1)) == 0) continue;
            refuse(cta, warp, op, access, access.space, lane, a.of(lane), FaultKind::misaligned_address,
                   ", which is not a multiple of " + std::to_string(access.bytes));
        }
    }
    if (access.space == SpaceKind::generic) return access_generic(cta, warp, op, access, a, observed);
    access_as<observed>(cta, warp, op, access, access.space, a);
    if (op.kind == OpKind::store) note_store(cta, warp, access.space);
}

template <bool observed>
void MemoryAccess::access_as(Cta& cta, Warp& warp, Op const& op, Access const& access, SpaceKind space,
                             Addresses& a) {
    if constexpr (observed) {
        if (model_ != nullptr) model_->access(op, access, space, a);
    }
    [[maybe_unused]] bool const is_late = carry_out<observed>(cta, warp, op, access, space, a);
    if constexpr (observed) {
        sinks_.tell<AccessEvent>([&] {
            return AccessEvent{site(cta, warp, op), access, space, a, is_late && op.kind != OpKind::store};
        });
    }
}

/// True when it takes effect later.
template <bool observed>
bool MemoryAccess::carry_out(Cta& cta, Warp& warp, Op const& op, Access const& access, SpaceKind space,
                             Addresses& a) {
    auto const within = [&](std::uint64_t limit) {
        if (a.past_high > limit || a.low >= a.past_high) bad_address(cta, warp, op, access, space, a, limit);
    };
    std::uint64_t bias = 0;
    if (op.kind == OpKind::atomic) check_atomic_space(cta, warp, op, access, space, a);
    switch (space) {
        case SpaceKind::global:
        case SpaceKind::constant:
        case SpaceKind::generic:
            if (!(a.low >= warp.last.begin && a.past_high <= warp.last.end && a.low < a.past_high)) {
                if (check_global(cta, warp, op, access, a)) return false;
            }
            if constexpr (observed) {
                if (model_ != nullptr && space != SpaceKind::constant)
                    return model_->take_global(cta, warp, op, access, a) == MemoryModel::Taken::later;
            }
            break;
        case SpaceKind::shared:
            if (a.past_high > launch_.shared_bytes && launch_.ctas_per_cluster() > 1) {
                return access_cluster(cta, warp, op, access, a);
            }
            within(launch_.shared_bytes);
            bias = reinterpret_cast<std::uint64_t>(cta.shared.get());
            break;
        case SpaceKind::param_entry:
            within(launch_.plan.param_bytes);
            bias = reinterpret_cast<std::uint64_t>(launch_.plan_block);
            break;
        case SpaceKind::local:
            within(warp.running_frame().local_end);
            move_interleaved(warp, op, access, a, warp.local.data());
            return false;
        case SpaceKind::frame_param: {
            Frame& frame = warp.running_frame();
            FunctionPlan const& function = *frame.function;
            within(frame.param_end);
            move_interleaved(warp, op, access, a, frame.registers.get() + function.param_area);
            return false;
        }
    }
    if (op.kind == OpKind::atomic) atomic(warp, cta, access, a, bias, space == SpaceKind::shared);
    else move(warp, access, a, bias);
    return false;
}

std::array<std::uint64_t, 2> AccessEvent::value(int lane, std::size_t element) const {
    std::array<std::uint64_t, 2> value{};
    if (access.data[element] == discard) return value;
    // The result columns of atomics have the width of memory; further ops widen them.
    std::size_t const in_memory = std::size_t{1} << access.memory_log2;
    std::size_t const width =
        site.op.kind == OpKind::atomic ? in_memory : std::size_t{1} << access.column_log2[element];
    std::size_t const bytes = std::min(width, in_memory);
    std::memcpy(value.data(),
                isa::column<std::byte>(site.warp.bases, access.data[element]) +
                    static_cast<std::size_t>(lane) * width + access.register_byte,
                bytes);
    return value;
}

/// Only global and shared memory have atomics, and shared memory none of vectors; with a generic address the space
/// is known only here.
void MemoryAccess::check_atomic_space(Cta const& cta, Warp const& warp, Op const& op, Access const& access,
                                      SpaceKind space, Addresses const& a) const {
    bool const has = space == SpaceKind::global || (space == SpaceKind::shared && access.elements == 1);
    if (has) return;
    int const lane = std::countr_zero(a.mask);
    refuse(cta, warp, op, access, space, lane, a.of(lane), FaultKind::wrong_address_space,
           std::string(", where there are none") + (access.elements == 1 ? "" : " of vectors"));
}

void MemoryAccess::atomic(Warp& warp, Cta& cta, Access const& access, Addresses const& a, std::uint64_t bias,
                          bool is_private) {
    bool changed = false;
    for (std::size_t i = 0; i < access.elements; ++i) {
        changed |= access.atomic[is_private](warp.bases, {access.data[i], access.source[i], access.swap}, a, bias,
                                             static_cast<std::uint32_t>(i << access.memory_log2));
    }
    if (changed) ++cta.changes;
}

/// st.bulk: every lane zeroes bytes of shared memory, as many as its register says.
void MemoryAccess::bulk_store(Cta& cta, Warp& warp, Op const& op, LaneMask mask) {
    Access const& access = warp.running_frame().function->accesses[op.target];
    Addresses a;
    find_addresses(a, warp, access, mask);
    auto const* const sizes = isa::column<std::uint64_t>(warp.bases, access.source[0]);
    Windows const& w = launch_.windows;
    Addresses told;
    for (LaneMask m = mask; m != 0; m &= m - 1) {
        int const lane = std::countr_zero(m);
        std::uint64_t const size = sizes[lane];
        std::uint64_t at = a.of(lane);
        if (access.space == SpaceKind::generic && Windows::inside(at, w.shared)) at -= w.shared;
        if ((at | size) % 8 != 0 || at > launch_.shared_bytes || size > launch_.shared_bytes - at) {
            fault(cta, warp, op, lane, FaultKind::illegal_address,
                  "illegal address: bulk store of " + std::to_string(size) + " bytes to shared " +
                      hexadecimal(at) +
                      ((at | size) % 8 != 0 ? ", which must both be multiples of 8"
                                            : ", past the end of " + std::to_string(launch_.shared_bytes) +
                                                  " bytes of shared memory per block"));
        }
        std::memset(cta.shared.get() + at, 0, size);
        sinks_.tell<AccessEvent>([&] {
            told.mask = 1u << lane;
            told.bytes = static_cast<std::uint32_t>(size);
            told.pattern = Pattern::uniform;
            told.lane_zero = told.low = at;
            told.past_high = at + size;
            return AccessEvent{site(cta, warp, op), access, SpaceKind::shared, told, false};
        });
    }
    ++cta.changes;
}

void MemoryAccess::perform(Cta& cta, Warp& warp, Op const& op, Access const& access, Addresses const& a,
                           std::uint64_t bias) {
    if (op.kind == OpKind::atomic) atomic(warp, cta, access, a, bias, bias != 0);
    else move(warp, access, a, bias);
}

void MemoryAccess::move(Warp& warp, Access const& access, Addresses const& a, std::uint64_t bias) {
    for (std::size_t i = 0; i < access.elements; ++i) {
        if (access.data[i] == discard) continue;
        std::byte* const column = isa::column<std::byte>(warp.bases, access.data[i]);
        access.move[i](column, a, bias, static_cast<std::uint32_t>(i << access.memory_log2));
    }
}

/// Generic addresses: a single comparison when no lane can be in a window; otherwise the lanes of each space
/// separately.
void MemoryAccess::access_generic(Cta& cta, Warp& warp, Op const& op, Access const& access, Addresses& a,
                                  bool observed) {
    Windows const& w = launch_.windows;
    auto const perform = [&](SpaceKind space, Addresses& part) {
        if (observed) access_as<true>(cta, warp, op, access, space, part);
        else access_as<false>(cta, warp, op, access, space, part);
    };
    if (a.past_high <= w.shared || a.low >= w.param + window_bytes) {
        if (op.kind == OpKind::store) note_store(cta, warp, SpaceKind::global);
        return perform(SpaceKind::global, a);
    }
    struct Part {
        SpaceKind space;
        std::uint64_t window;
        LaneMask lanes = 0;
    };
    Part parts[4] = {{SpaceKind::shared, w.shared},
                     {SpaceKind::local, w.local},
                     {SpaceKind::param_entry, w.param},
                     {SpaceKind::global, 0}};
    for (LaneMask m = a.mask; m != 0; m &= m - 1) {
        int const lane = std::countr_zero(m);
        std::uint64_t const address = a.of(lane);
        std::size_t const p = Windows::inside(address, w.shared)  ? 0
                              : Windows::inside(address, w.local) ? 1
                              : Windows::inside(address, w.param) ? 2
                                                                  : 3;
        parts[p].lanes |= 1u << lane;
    }
    std::byte const* const column = isa::column<std::byte>(warp.bases, access.address);
    Classify const classify = access.address_is_64 ? launch_.access.classify64 : launch_.access.classify32;
    // The address column may also be a destination, so the addresses of all lanes are read before anything is
    // moved.
    Addresses split[4];
    for (std::size_t p = 0; p < 4; ++p) {
        if (parts[p].lanes == 0) continue;
        classify(split[p], column, access.offset - static_cast<std::int64_t>(parts[p].window), parts[p].lanes,
                 access.bytes);
    }
    for (std::size_t p = 0; p < 4; ++p) {
        if (parts[p].lanes == 0) continue;
        perform(parts[p].space, split[p]);
        if (op.kind == OpKind::store) note_store(cta, warp, parts[p].space);
    }
}

/// The call trace, and a note when programs can make such an access unnoticed on hardware.
std::string MemoryAccess::outside_details(Warp const& warp, std::uint64_t address, std::uint64_t bytes) const {
    std::string details = execution_.faults.call_trace(warp);
    if (!launch_.memory.is_in_used_pages(address, bytes)) return details;
    if (!details.empty()) details += "\n";
    return details + "  GPUs check whole pages of 2 MiB and do not notice this; with --set memory.bounds=page it "
                     "passes here, too";
}

/// True when it has performed the access itself.
bool MemoryAccess::check_global(Cta& cta, Warp& warp, Op const& op, Access const& access, Addresses const& a) {
    Allocation const* const found = launch_.allocations.find(a.low);
    if (found != nullptr && a.past_high <= found->end && a.low < a.past_high) {
        warp.last = *found;
        return false;
    }
    for (LaneMask m = a.mask; m != 0; m &= m - 1) {
        int const lane = std::countr_zero(m);
        std::uint64_t const address = a.of(lane);
        Allocation const* const own = launch_.allocations.find(address);
        if (own != nullptr && access.bytes <= own->end - address) continue;
        if (launch_.host_trust && !launch_.memory.owns(address)) continue;
        refuse(cta, warp, op, access,
               access.space == SpaceKind::constant ? SpaceKind::constant : SpaceKind::global, lane, address,
               FaultKind::illegal_address, ", " + launch_.memory.describe(address),
               outside_details(warp, address, access.bytes));
    }
    if (!launch_.host_trust) return false;
    access_host(cta, warp, op, access, a);
    return true;
}

/// Memory of the host whose extent is unknown: only the access itself shows whether it is allowed.
void MemoryAccess::access_host(Cta& cta, Warp& warp, Op const& op, Access const& access, Addresses const& a) {
    HostFault const failed = with_host_memory([&] { perform(cta, warp, op, access, a); });
    if (!failed) return;
    int blamed = std::countr_zero(a.mask);
    for (LaneMask m = a.mask; m != 0; m &= m - 1) {
        int const lane = std::countr_zero(m);
        std::uint64_t const address = a.of(lane);
        bool const is_it = failed.has_address ? failed.address - address < access.bytes : address >> 47 != 0;
        if (!is_it) continue;
        blamed = lane;
        break;
    }
    refuse(cta, warp, op, access, SpaceKind::global, blamed, a.of(blamed), FaultKind::illegal_address,
           std::string(": ") + failed.reason);
}

void MemoryAccess::bad_address(Cta const& cta, Warp const& warp, Op const& op, Access const& access,
                               SpaceKind space, Addresses const& a, std::uint64_t limit) {
    for (LaneMask m = a.mask; m != 0; m &= m - 1) {
        int const lane = std::countr_zero(m);
        std::uint64_t const address = a.of(lane);
        if (address < limit && access.bytes <= limit - address) continue;
        std::string where = std::to_string(limit) + " bytes";
        if (space == SpaceKind::shared) where += " of shared memory per block";
        else if (space == SpaceKind::local) where += " of local memory per thread";
        else where += " of parameters";
        refuse(cta, warp, op, access, space, lane, address, FaultKind::illegal_address,
               ", past the end of " + where);
    }
    fault(cta, warp, op, std::countr_zero(a.mask), FaultKind::illegal_address, "illegal address");
}

/// Local memory and parameters of calls: byte b of lane i is in word b / 4, in which the lanes are adjacent.
void MemoryAccess::move_interleaved(Warp& warp, Op const& op, Access const& access, Addresses const& a,
                                    std::byte* area) {
    std::size_t const size = std::size_t{1} << access.memory_log2;
    for (std::size_t e = 0; e < access.elements; ++e) {
        if (access.data[e] == discard) continue;
        std::byte* const column = isa::column<std::byte>(warp.bases, access.data[e]);
        if (a.pattern == Pattern::uniform && size == 4) {
            // All lanes at the same offset: a row of words, as in any memory.
            Addresses row;
            row.pattern = Pattern::affine;
            row.mask = a.mask;
            row.bytes = 4;
            row.lane_zero = reinterpret_cast<std::uint64_t>(area) + (a.lane_zero + e * size) / 4 * 128;
            access.move[e](column, row, 0, 0);
            continue;
        }
        std::size_t const width = std::size_t{1} << access.column_log2[e];
        for (LaneMask m = a.mask; m != 0; m &= m - 1) {
            int const lane = std::countr_zero(m);
            std::uint64_t const address = a.of(lane) + e * size;
            std::byte* const at = column + static_cast<std::size_t>(lane) * width;
            std::size_t const step = size < 4 ? size : 4;
            std::uint64_t value[2] = {};
            if (op.kind == OpKind::store) std::memcpy(value, at, size);
            for (std::size_t b = 0; b < size; b += step) {
                std::byte* const memory =
                    area + (address + b) / 4 * 128 + static_cast<std::size_t>(lane) * 4 + (address + b) % 4;
                std::byte* const piece = reinterpret_cast<std::byte*>(value) + b;
                if (op.kind == OpKind::store) std::memcpy(memory, piece, step);
                else std::memcpy(piece, memory, step);
            }
            if (op.kind == OpKind::store) continue;
            if (access.is_signed && size < 8) {
                unsigned const shift = 64 - 8 * static_cast<unsigned>(size);
                value[0] = static_cast<std::uint64_t>(static_cast<std::int64_t>(value[0] << shift) >> shift);
            }
            std::memcpy(at, value, width);
        }
    }
}

/// Loads, stores and atomics in shared memory of other CTAs of the cluster, for the lanes of each CTA separately.
/// True when some take effect later.
bool MemoryAccess::access_cluster(Cta& cta, Warp& warp, Op const& op, Access const& access, Addresses const& a) {
    bool is_late = false;
    for (LaneMask rest = a.mask; rest != 0;) {
        int const first = std::countr_zero(rest);
        std::uint64_t const prefix = a.of(first) >> rank_shift;
        Cta& peer = cluster_.owner({cta, warp, op, first}, a.of(first));
        if (access.own_shared) cluster_.check_own({cta, warp, op, first}, peer);
        Addresses part;
        part.pattern = Pattern::scattered;
        part.bytes = a.bytes;
        part.low = UINT64_MAX;
        for (LaneMask m = rest; m != 0; m &= m - 1) {
            int const lane = std::countr_zero(m);
            if (a.of(lane) >> rank_shift != prefix) continue;
            part.mask |= 1u << lane;
            part.lane[lane] = a.of(lane) & ((std::uint64_t{1} << rank_shift) - 1);
            part.low = std::min(part.low, part.lane[lane]);
            part.past_high = std::max(part.past_high, part.lane[lane] + a.bytes);
        }
        for (int lane = 0; lane < 32; ++lane) {
            if ((part.mask >> lane & 1) == 0) part.lane[lane] = part.low;
        }
        if (part.past_high > launch_.shared_bytes)
            bad_address(cta, warp, op, access, SpaceKind::shared, part, launch_.shared_bytes);
        rest &= ~part.mask;
        if (&peer != &cta) {
            sinks_.tell<RemoteAccessEvent>([&] {
                return RemoteAccessEvent{site(cta, warp, op), part.mask, peer};
            });
        }
        if (model_ != nullptr && &peer != &cta) {
            model_->remote(cta, warp, op, access, part, peer);
            is_late = true;
            continue;
        }
        auto const bias = reinterpret_cast<std::uint64_t>(peer.shared.get());
        if (op.kind == OpKind::atomic) atomic(warp, cta, access, part, bias, true);
        else move(warp, access, part, bias);
    }
    return is_late;
}

template void MemoryAccess::access<true>(Cta&, Warp&, Op const&, LaneMask);
template void MemoryAccess::access<false>(Cta&, Warp&, Op const&, LaneMask);

}  // namespace warpsim::sim
