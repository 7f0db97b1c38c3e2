// Addresses of shared memory in a cluster, and operands that are addresses.
#include "sim/exec/cluster_memory.hpp"
#include "sim/memory/host_memory.hpp"
#include "sim/tensor/tensor_map.hpp"

#include <algorithm>
#include <bit>

namespace warpsim::sim {

/// The CTA whose shared memory an address is in.
Cta& ClusterMemory::owner(Issue const& by, std::uint64_t address) const {
    std::uint64_t const prefix = address >> rank_shift;
    if (prefix == 0) return by.cta;
    auto& ctas = by.cta.cluster->ctas;
    constexpr std::uint64_t first = rank_bits(0) >> rank_shift;
    if (prefix < first || prefix - first >= ctas.size()) {
        fault(by.cta, by.warp, by.op, by.lane, FaultKind::illegal_address,
              "illegal address: shared " + std::to_string(address) + " belongs to no block of a cluster of " +
                  std::to_string(ctas.size()));
    }
    Cta& cta = ctas[prefix - first];
    if (&cta != &by.cta && model_ == nullptr && cta.has_ended()) {
        fault(by.cta, by.warp, by.op, by.lane, FaultKind::illegal_address,
              "illegal address: shared memory of rank " + std::to_string(cta.rank) + ", whose block has ended");
    }
    return cta;
}

void ClusterMemory::check_own(Issue const& by, Cta const& owner) const {
    if (&owner == &by.cta) return;
    fault(by.cta, by.warp, by.op, by.lane, FaultKind::illegal_address,
          "illegal address: shared memory of rank " + std::to_string(owner.rank) +
              " is not .shared::cta of rank " + std::to_string(by.cta.rank) +
              "; .shared::cluster and generic addresses reach it");
}

std::uint64_t ClusterMemory::address_at(Issue const& by, AddressOperand const& place) const {
    std::uint64_t const address = place.is_64 ? isa::column<std::uint64_t>(by.warp.bases, place.column)[by.lane]
                                              : isa::column<std::uint32_t>(by.warp.bases, place.column)[by.lane];
    std::uint64_t const sum = address + static_cast<std::uint64_t>(place.offset);
    return place.is_64 ? sum : sum & UINT32_MAX;
}

Bytes ClusterMemory::shared_bytes(Issue const& by, AddressOperand const& place, std::uint32_t bytes,
                                  std::uint32_t alignment) const {
    std::uint64_t address = address_at(by, place);
    if (place.is_generic) {
        if (!Windows::inside(address, launch_.windows.shared)) {
            fault(by.cta, by.warp, by.op, by.lane, FaultKind::illegal_address,
                  "illegal address: " + std::to_string(address) + " is not in shared memory");
        }
        address -= launch_.windows.shared;
    }
    Cta& cta = owner(by, address);
    if (place.own_shared) check_own(by, cta);
    std::uint64_t const at = address & ((std::uint64_t{1} << rank_shift) - 1);
    if (at % alignment != 0) {
        fault(by.cta, by.warp, by.op, by.lane, FaultKind::misaligned_address,
              "misaligned address: shared " + std::to_string(at) + " is not a multiple of " +
                  std::to_string(alignment));
    }
    if (at + bytes > launch_.shared_bytes) {
        fault(by.cta, by.warp, by.op, by.lane, FaultKind::illegal_address,
              "illegal address: " + std::to_string(bytes) + " bytes of shared memory at " + std::to_string(at) +
                  ", past the end of " + std::to_string(launch_.shared_bytes) + " bytes per block");
    }
    return {cta.rank, at};
}

Bytes ClusterMemory::global_bytes(Issue const& by, AddressOperand const& place, std::uint32_t bytes,
                                  std::uint32_t alignment, bool is_written) const {
    return global_range(by, address_at(by, place), bytes, alignment, is_written);
}

Bytes ClusterMemory::global_range(Issue const& by, std::uint64_t address, std::uint32_t bytes,
                                  std::uint32_t alignment, bool is_written) const {
    if (address % alignment != 0) {
        fault(by.cta, by.warp, by.op, by.lane, FaultKind::misaligned_address,
              "misaligned address: global " + std::to_string(address) + " is not a multiple of " +
                  std::to_string(alignment));
    }
    Allocation const* const found = launch_.allocations.find(address);
    if (bytes == 0 || (found != nullptr && bytes <= found->end - address)) return {Bytes::global, address};
    std::string why;
    if (launch_.host_trust && found == nullptr && !launch_.memory.owns(address)) {
        HostFault const failed = try_host_memory(address, bytes, is_written);
        if (!failed) return {Bytes::global, address};
        why = failed.reason;
    } else {
        why = launch_.memory.describe(found == nullptr ? address : found->end);
    }
    fault(by.cta, by.warp, by.op, by.lane, FaultKind::illegal_address,
          "illegal address: asynchronous copy of " + std::to_string(bytes) + " bytes of global memory: " + why);
}

std::byte* ClusterMemory::map_bytes(Issue const& by, AddressOperand const& place, bool is_written) const {
    constexpr std::uint32_t bytes = tensor::map_bytes, alignment = 64;
    std::uint64_t const address = address_at(by, place);
    Windows const& windows = launch_.windows;
    if (is_written && (place.own_shared || (place.is_generic && Windows::inside(address, windows.shared))))
        return by.cta.shared.get() + shared_bytes(by, place, bytes, alignment).at;
    std::uint64_t const parameter = address - windows.param;
    if (!is_written && parameter < window_bytes && address % alignment == 0) {
        if (parameter + bytes <= launch_.plan.param_bytes) return launch_.plan_block + parameter;
        fault(by.cta, by.warp, by.op, by.lane, FaultKind::illegal_address,
              "illegal address: a tensor map at byte " + std::to_string(parameter) + " of " +
                  std::to_string(launch_.plan.param_bytes) + " bytes of parameters");
    }
    return reinterpret_cast<std::byte*>(global_range(by, address, bytes, alignment, is_written).at);
}

/// mapa and getctarank.
void ClusterMemory::map_ranks(Cta& cta, Warp& warp, Op const& op, LaneMask mask) {
    bool const is_64 = (op.operands.immediate & 1) != 0, is_generic = (op.operands.immediate & 2) != 0;
    for (LaneMask m = mask; m != 0; m &= m - 1) {
        Issue const by{cta, warp, op, std::countr_zero(m)};
        // The address of a variable is an offset in shared memory even if a generic address is expected.
        std::uint64_t address = address_at(by, {op.operands.slot[1], is_64, false, 0});
        std::uint64_t const window = is_generic ? launch_.windows.shared : 0;
        if (is_generic && Windows::inside(address, window)) address -= window;
        Cta const& from = owner(by, address);
        if (op.effect == isa::Effect::cta_rank) {
            isa::column<std::uint32_t>(warp.bases, op.operands.slot[0])[by.lane] = from.rank;
            continue;
        }
        std::uint32_t const rank = isa::column<std::uint32_t>(warp.bases, op.operands.slot[2])[by.lane];
        if (rank >= cta.cluster->ctas.size()) {
            fault(cta, warp, op, by.lane, FaultKind::illegal_operand,
                  "rank " + std::to_string(rank) + " in a cluster of " + std::to_string(cta.cluster->ctas.size()) +
                      " blocks");
        }
        // Includes its own rank, because other CTAs of the cluster may be given the address.
        std::uint64_t const of_rank = cta.cluster->ctas.size() > 1 ? rank_bits(rank) : 0;
        std::uint64_t const mapped = (address & ((std::uint64_t{1} << rank_shift) - 1)) + of_rank + window;
        if (is_64) isa::column<std::uint64_t>(warp.bases, op.operands.slot[0])[by.lane] = mapped;
        else
            isa::column<std::uint32_t>(warp.bases, op.operands.slot[0])[by.lane] =
                static_cast<std::uint32_t>(mapped);
    }
}

}  // namespace warpsim::sim
