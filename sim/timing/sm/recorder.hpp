// What an instruction does to memory while it is stepped, for the one that issues it.
#pragma once

#include "sim/exec/observer.hpp"
#include "sim/timing/sm/data_path.hpp"
#include "sim/timing/sm/effects.hpp"

#include <cstdint>
#include <vector>

namespace warpsim::timing {

class Recorder : public sim::Observer {
public:
    explicit Recorder(sim::Config const& config);

    /// An instruction of the warp in this slot begins.
    void begin(Cycle now, std::uint32_t warp_slot) {
        now_ = now;
        warp_slot_ = warp_slot;
        used_ = 0;
        constants_ = 0;
        lanes_ = 0;
    }
    std::size_t operations() const { return used_; }
    MemoryOperation& operation(std::size_t i) { return operations_[i]; }
    /// Passes through the constant cache that the instruction needs: different words.
    std::uint32_t constants() const { return constants_; }
    std::uint64_t constant_address() const { return constant_address_; }
    sim::LaneMask lanes() const { return lanes_; }
    /// Who is told, too; null: nobody.
    void trace(sim::Observer* tracer) { tracer_ = tracer; }
    EffectLog& effects() { return effects_; }
    EffectLog const& effects() const { return effects_; }

    void instruction(sim::Cta const&, sim::Warp const&, sim::Frame const&, sim::Op const&, sim::LaneMask active, sim::LaneMask mask) override;
    void access(sim::Cta const&, sim::Warp const&, sim::Op const&, sim::Access const&, sim::SpaceKind, Addresses const&) override;
    void diverged(sim::Cta const&, sim::Warp const&, sim::Frame const&, sim::Op const&, sim::LaneMask, sim::LaneMask) override;
    void reconverged(sim::Cta const&, sim::Warp const&, sim::Frame const&, std::uint32_t, sim::LaneMask) override;
    bool takes_global(sim::Cta&, sim::Warp&, sim::Op const&, sim::Access const&, Addresses const&) override;
    bool tells_time(std::uint64_t& cycles, std::uint64_t& nanoseconds) override;

private:
    MemoryOperation& add(sim::Op const& op, sim::Access const& access, Addresses const& a);
    void local(sim::Op const& op, sim::Access const& access, Addresses const& a);

    std::uint32_t group_, banks_, bank_bytes_, clock_mhz_;
    Cycle now_ = 0;
    std::uint32_t warp_slot_ = 0;
    std::vector<MemoryOperation> operations_;   // keeps its storage
    std::size_t used_ = 0;
    std::uint32_t constants_ = 0;
    std::uint64_t constant_address_ = 0;
    sim::LaneMask lanes_ = 0;
    EffectLog effects_;
    sim::Observer* tracer_ = nullptr;
};

}  // namespace warpsim::timing
