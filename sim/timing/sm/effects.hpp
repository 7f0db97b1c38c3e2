// What an SM does to global memory inside one epoch. Nobody else sees it before the epoch's end, when the effects of all
// SMs happen in the order (cycle, SM, sequence); the SM itself sees its stores at once, through the overlay.
#pragma once

#include "sim/engine/clock.hpp"
#include "sim/exec/interpreter.hpp"

#include <cstdint>
#include <vector>

namespace warpsim::timing {

using engine::Cycle;
using sim::Addresses;

/// The bytes that this SM has stored in this epoch, by 32-byte sector.
class Overlay {
public:
    Overlay();
    bool empty() const { return used_ == 0; }
    void clear();
    void write(std::uint64_t address, std::uint32_t bytes, std::byte const* from);
    /// An atomic will change the sector: its bytes are not known before the epoch's end.
    void mark_unknown(std::uint64_t address);
    enum class Overlap : std::uint8_t { none, stored, unknown };
    Overlap look(std::uint64_t address, std::uint32_t bytes) const;
    /// Replaces what was stored here of [address, address + bytes), a copy of which lies at `to`.
    void patch(std::uint64_t address, std::uint32_t bytes, std::byte* to) const;

private:
    struct Sector {
        std::uint64_t number = 0;
        std::uint64_t generation = 0;    // an older one: empty
        std::uint32_t mask = 0;
        bool unknown = false;
        std::byte bytes[32];
    };
    Sector* find(std::uint64_t number) const;
    Sector& at(std::uint64_t number);
    void grow();

    mutable std::vector<Sector> table_;
    std::uint64_t generation_ = 1;
    std::size_t used_ = 0;
};

/// One store, atomic or load of a warp that happens at the end of the epoch.
struct Effect {
    Cycle cycle = 0;
    sim::Cta* cta = nullptr;
    sim::Warp* warp = nullptr;
    sim::Op const* op = nullptr;
    sim::Access const* access = nullptr;
    std::byte* frame = nullptr;          // the registers it belongs to
    std::uint32_t staged = 0;            // where its operands lie
    Addresses addresses;
};

class EffectLog {
public:
    void store(Cycle cycle, sim::Cta& cta, sim::Warp& warp, sim::Op const& op, sim::Access const& access, Addresses const& a);
    void atomic(Cycle cycle, sim::Cta& cta, sim::Warp& warp, sim::Op const& op, sim::Access const& access, Addresses const& a);
    void late_load(Cycle cycle, sim::Cta& cta, sim::Warp& warp, sim::Op const& op, sim::Access const& access, Addresses const& a);
    /// A load that happens now, from memory as it was when the epoch began and what this SM stored since. False when it
    /// has to wait for the epoch's end, as an atomic of this SM changes what it reads.
    bool load(sim::Warp& warp, sim::Access const& access, Addresses const& a);

    std::size_t size() const { return effects_.size(); }
    Effect const& operator[](std::size_t i) const { return effects_[i]; }
    /// Makes effect `i` happen, with the SM's interpreter.
    void apply(std::size_t i, sim::Interpreter& interpreter);
    /// The epoch has ended.
    void clear();

private:
    Effect& add(Cycle cycle, sim::Cta& cta, sim::Warp& warp, sim::Op const& op, sim::Access const& access, Addresses const& a);
    std::byte* stage(std::size_t bytes, std::uint32_t& at);

    std::vector<Effect> effects_;
    std::vector<std::byte> staging_;
    Overlay overlay_;
};

}  // namespace warpsim::timing
