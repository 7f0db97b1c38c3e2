// Counts what the memory system would see: 32-byte sectors of global accesses, bank conflicts of shared ones.
#pragma once

#include "sim/exec/observer.hpp"
#include "sim/statistics.hpp"

namespace warpsim::runtime {

/// One for each host thread. Passes everything on to another observer when it is given one.
class MemoryStatistics : public sim::Observer {
public:
    explicit MemoryStatistics(sim::Observer* next = nullptr) : next_(next) {}
    void add_to(sim::MemoryCounts& total) const;

    void instruction(sim::Cta const&, sim::Warp const&, sim::Frame const&, sim::Op const&, isa::LaneMask,
                     isa::LaneMask) override;
    void access(sim::Cta const&, sim::Warp const&, sim::Op const&, sim::Access const&, sim::SpaceKind,
                sim::Addresses const&) override;
    void diverged(sim::Cta const&, sim::Warp const&, sim::Frame const&, sim::Op const&, isa::LaneMask,
                  isa::LaneMask) override;
    void reconverged(sim::Cta const&, sim::Warp const&, sim::Frame const&, std::uint32_t, isa::LaneMask) override;

private:
    sim::Observer* next_;
    sim::MemoryCounts counts_;
};

/// Distinct 32-byte sectors that the active lanes touch.
std::uint32_t count_sectors(sim::Addresses const& addresses);
/// Passes beyond the first that 32 banks of 4 bytes need: lanes on different words of one bank conflict, lanes on
/// the same word do not. Accesses of 8 and 16 bytes are served by half and quarter warps.
std::uint32_t count_bank_conflicts(sim::Addresses const& addresses);

}  // namespace warpsim::runtime
