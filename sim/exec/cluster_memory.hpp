// Whose shared memory an address is in, and operands that are addresses of shared or global memory.
#pragma once

#include "sim/exec/component.hpp"

namespace warpsim::sim {

class ClusterMemory : public Component {
public:
    explicit ClusterMemory(Execution& execution) : Component(execution) {}

    /// The CTA whose shared memory an address is in.
    Cta& owner(Issue const& by, std::uint64_t address) const;
    /// Faults when the access requires the CTA's own shared memory, but it is another CTA's.
    void check_own(Issue const& by, Cta const& owner) const;
    /// The address that the operand holds.
    std::uint64_t address_at(Issue const& by, AddressOperand const& place) const;
    Bytes shared_bytes(Issue const& by, AddressOperand const& place, std::uint32_t bytes,
                       std::uint32_t alignment) const;
    Bytes global_bytes(Issue const& by, AddressOperand const& place, std::uint32_t bytes, std::uint32_t alignment,
                       bool is_written) const;
    /// The same for an address that is known.
    Bytes global_range(Issue const& by, std::uint64_t address, std::uint32_t bytes, std::uint32_t alignment,
                       bool is_written) const;
    /// The 128 bytes of a tensor map: in global or constant memory, in the kernel's parameters or, if it is to be
    /// changed, in the CTA's shared memory.
    std::byte* map_bytes(Issue const& by, AddressOperand const& place, bool is_written) const;
    /// mapa and getctarank.
    void map_ranks(Cta& cta, Warp& warp, Op const& op, LaneMask mask);
};

}  // namespace warpsim::sim
