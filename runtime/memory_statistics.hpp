// Counts what the memory system would see: 32-byte sectors of global accesses, bank conflicts of shared ones.
#pragma once

#include "sim/exec/lanes/transactions.hpp"
#include "sim/exec/observer.hpp"
#include "sim/statistics.hpp"

namespace warpsim::runtime {

/// One for each host thread. Passes everything on to another observer when it is given one.
class MemoryStatistics : public sim::Observer {
public:
    explicit MemoryStatistics(sim::Banks banks, sim::Observer* next = nullptr) : banks_(banks), next_(next) {}
    void add_to(sim::MemoryCounts& total) const;

    void instruction(sim::Cta const&, sim::Warp const&, sim::Frame const&, sim::Op const&, isa::LaneMask,
                     isa::LaneMask) override;
    void access(sim::Cta const&, sim::Warp const&, sim::Op const&, sim::Access const&, sim::SpaceKind,
                sim::Addresses const&) override;
    void diverged(sim::Cta const&, sim::Warp const&, sim::Frame const&, sim::Op const&, isa::LaneMask,
                  isa::LaneMask) override;
    void reconverged(sim::Cta const&, sim::Warp const&, sim::Frame const&, std::uint32_t, isa::LaneMask) override;

private:
    sim::Banks banks_;
    sim::Observer* next_;
    sim::MemoryCounts counts_;
};

}  // namespace warpsim::runtime
