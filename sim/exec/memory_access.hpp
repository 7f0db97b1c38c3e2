// Loads, stores and atomics: the space that is accessed, checks of the addresses, and the move itself.
#pragma once

#include "sim/exec/cluster_memory.hpp"

namespace warpsim::sim {

class MemoryAccess : public Component {
public:
    MemoryAccess(Execution& execution, ClusterMemory const& cluster) : Component(execution), cluster_(cluster) {}

    template <bool observed> void access(Cta& cta, Warp& warp, Op const& op, LaneMask mask);
    /// st.bulk: every lane zeroes bytes of shared memory, as many as its register says.
    void bulk_store(Cta& cta, Warp& warp, Op const& op, LaneMask mask);
    /// Performs a global access that the memory model has deferred, or one to shared memory of another CTA, at
    /// `bias`.
    void perform(Cta& cta, Warp& warp, Op const& op, Access const& access, Addresses const& a,
                 std::uint64_t bias = 0);

private:
    template <bool observed>
    void access_lanes(Cta& cta, Warp& warp, Op const& op, Access const& access, LaneMask mask);
    void access_good_lanes(Cta& cta, Warp& warp, Op const& op, Access const& access, LaneMask mask);
    void check_heap(Cta& cta, Warp& warp, Op const& op, Access const& access, LaneMask mask) const;
    bool try_access(Cta& cta, Warp& warp, Op const& op, Access const& access, LaneMask& mask);
    bool is_in_one_memory(Warp const& warp, Access const& access, LaneMask mask) const;
    std::uint64_t memory_of(Access const& access, std::uint64_t at) const;
    void find_addresses(Addresses& a, Warp const& warp, Access const& access, LaneMask mask) const;
    template <bool observed>
    void access_as(Cta& cta, Warp& warp, Op const& op, Access const& access, SpaceKind space, Addresses& a);
    template <bool observed>
    bool carry_out(Cta& cta, Warp& warp, Op const& op, Access const& access, SpaceKind space, Addresses& a);
    void access_generic(Cta& cta, Warp& warp, Op const& op, Access const& access, Addresses& a, bool observed);
    bool access_cluster(Cta& cta, Warp& warp, Op const& op, Access const& access, Addresses const& a);
    bool check_global(Cta& cta, Warp& warp, Op const& op, Access const& access, Addresses const& a);
    std::string outside_details(Warp const& warp, std::uint64_t address, std::uint64_t bytes) const;
    void access_host(Cta& cta, Warp& warp, Op const& op, Access const& access, Addresses const& a);
    void move(Warp& warp, Access const& access, Addresses const& a, std::uint64_t bias);
    void move_interleaved(Warp& warp, Op const& op, Access const& access, Addresses const& a, std::byte* area);
    /// Raises the fault of one lane's access: "illegal address: 4-byte store to global 0x10" and `why`.
    [[noreturn]] void refuse(Cta const& cta, Warp const& warp, Op const& op, Access const& access, SpaceKind space,
                             int lane, std::uint64_t address, FaultKind kind, std::string const& why,
                             std::string details = {}) const;
    [[noreturn]] void bad_address(Cta const& cta, Warp const& warp, Op const& op, Access const& access,
                                  SpaceKind space, Addresses const& a, std::uint64_t limit);
    void check_atomic_space(Cta const& cta, Warp const& warp, Op const& op, Access const& access, SpaceKind space,
                            Addresses const& a) const;
    void atomic(Warp& warp, Cta& cta, Access const& access, Addresses const& a, std::uint64_t bias,
                bool is_private);

    ClusterMemory const& cluster_;
};

}  // namespace warpsim::sim
