// What an SM does beyond itself inside one epoch: to global memory, to shared memory of other SMs of the cluster,
// to what the host sees. Nobody else sees it before the epoch's end, when the effects of all SMs happen in the
// order (cycle, SM, sequence); the SM itself sees its stores at once, through the overlay.
#pragma once

#include "sim/engine/clock.hpp"
#include "sim/exec/interpreter.hpp"
#include "sim/exec/print_buffer.hpp"
#include "sim/timing/memory/messages.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
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
        std::uint64_t generation = 0;  // an older one: empty
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

/// What cp.async copies for a warp. The bytes are read when it issues, as the SM sees them then, or at the epoch's
/// end.
struct FewCopies {
    sim::Cta* cta = nullptr;
    std::uint64_t linear = 0;
    std::uint32_t first_thread = 0;  // of the warp
    sim::LaneMask lanes = 0;
    bool is_late = false;  // some of the bytes are read at the epoch's end
    std::array<sim::FewBytes, 32> lane;
    alignas(16) std::array<std::array<std::byte, 16>, 32> data;
};

/// An asynchronous copy that is under way. Its bytes are read when the effects of the epoch happen, and written
/// later.
struct Transfer {
    sim::UnderWay copy;
    sim::Culprit by;
    std::uint64_t linear = 0;        // of the CTA whose shared memory it goes to
    GridNumber grid = 0;             // that issued it
    std::shared_ptr<FewCopies> few;  // of a cp.async that reads late: whose bytes of `lane` they are
    std::size_t lane = 0;
};

/// What happens at the end of the epoch.
struct Effect {
    enum class Kind : std::uint8_t {
        access,  // a store, atomic or load of a warp
        read,
        write,  // of a copy: its source, its target in global memory
        print,
        heap,  // printf; malloc and free
        cluster_arrival,
        cancel_launch,  // for the GPU to see to
    };
    Kind kind = Kind::access;
    std::uint32_t staged = 0;  // where the operands of an access lie; of others, their Details
    Cycle cycle = 0;
    sim::Cta* cta = nullptr;
    sim::Warp* warp = nullptr;
    sim::Op const* op = nullptr;
    sim::Access const* access = nullptr;
    std::byte* frame = nullptr;  // the registers it belongs to
    sim::Cta* peer = nullptr;    // whose shared memory it is; null: global
    Addresses addresses;
};

/// What only some effects have.
struct EffectDetails {
    std::shared_ptr<Transfer> transfer;
    std::string text;                        // printed
    std::uint64_t argument = 0;              // bytes or address of a heap call; bytes of the text in its buffer
    sim::FrameIndex caller = sim::no_frame;  // of a heap call, in its warp
    int lane = 0;
    sim::Bytes response, barrier;  // of cancel_launch
    bool to_all = false;
    sim::Culprit by;
};

class EffectLog {
public:
    void store(Cycle cycle, sim::Cta& cta, sim::Warp& warp, sim::Op const& op, sim::Access const& access,
               Addresses const& a);
    void atomic(Cycle cycle, sim::Cta& cta, sim::Warp& warp, sim::Op const& op, sim::Access const& access,
                Addresses const& a);
    void late_load(Cycle cycle, sim::Cta& cta, sim::Warp& warp, sim::Op const& op, sim::Access const& access,
                   Addresses const& a);
    /// The same three for shared memory of `peer`.
    void remote(Cycle cycle, sim::Cta& cta, sim::Warp& warp, sim::Op const& op, sim::Access const& access,
                Addresses const& a, sim::Cta& peer);
    /// Of another kind than an access; what it needs is to be filled in.
    EffectDetails& other(Cycle cycle, Effect::Kind kind, sim::Cta* cta, sim::Warp* warp = nullptr,
                         sim::Op const* op = nullptr);
    EffectDetails& details(Effect const& e) { return details_[e.staged]; }
    /// Bytes of global memory as this SM sees them now; false when it has to wait for the epoch's end.
    bool read(std::uint64_t address, std::uint32_t bytes, std::byte* to);
    /// A load that happens now, from memory as it was when the epoch began and what this SM stored since. False
    /// when it has to wait for the epoch's end, as an atomic of this SM changes what it reads.
    bool load(sim::Warp& warp, sim::Access const& access, Addresses const& a);

    std::size_t size() const { return effects_.size(); }
    Effect const& operator[](std::size_t i) const { return effects_[i]; }
    /// Makes effect `i` happen, with the SM's interpreter. Throws Fault.
    void apply(std::size_t i, sim::Interpreter& interpreter, sim::PrintBuffer* print);
    /// The epoch has ended.
    void clear();

private:
    Effect& add(Cycle cycle, sim::Cta& cta, sim::Warp& warp, sim::Op const& op, sim::Access const& access,
                Addresses const& a);
    std::byte* stage(std::size_t bytes, std::uint32_t& at);
    void stage_store(Effect& e, sim::Warp& warp);
    void stage_atomic(Effect& e, sim::Warp& warp);
    void apply_access(Effect& e, sim::Interpreter& interpreter);
    void apply_atomic(Effect& e, sim::Interpreter& interpreter);

    std::vector<Effect> effects_;
    std::vector<std::byte> staging_;
    std::vector<EffectDetails> details_;
    Overlay overlay_;
};

}  // namespace warpsim::timing
