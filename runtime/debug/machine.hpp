// A launch that stands still: its threads, where they are, and what they can reach.
#pragma once

#include "runtime/debug/lines.hpp"
#include "sim/events.hpp"
#include "sim/exec/launch_context.hpp"
#include "sim/exec/warp.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace warpsim::debug {

/// A thread, and with it its warp and its CTA.
struct Thread {
    sim::Cta const* cta = nullptr;
    sim::Warp const* warp = nullptr;
    int lane = 0;

    std::uint32_t linear() const { return warp->index * 32 + static_cast<std::uint32_t>(lane); }
    sim::LaneMask bit() const { return sim::LaneMask{1} << lane; }
};

enum class LaneState : std::uint8_t {
    absent,         // the warp has no such thread
    executing,      // at the instruction that comes next
    ready,          // elsewhere, after a divergence
    in_collective,  // waits for lanes of its warp
    in_barrier,     // ... for warps of its CTA
    in_cluster_barrier,
    reconverging,  // ... to go on together with those that it parted from
    exited,
};

/// Where a lane is.
struct Position {
    LaneState state = LaneState::absent;
    sim::Frame const* frame = nullptr;  // null: nowhere any more
    std::uint32_t instruction = 0;      // of the frame's function
    std::uint32_t barrier = 0;          // id, in_barrier
    sim::LaneMask waits_for = 0;        // reconverging
};

/// "waits in barrier 0".
std::string state_text(Position const& at);

/// One line of a backtrace.
struct StackFrame {
    std::string function;
    Line line;
    sim::Frame const* frame = nullptr;
    std::uint32_t instruction = 0;
    bool is_inlined = false;  // its caller is in the same `frame`
};

using Bits = std::array<std::uint64_t, 2>;

struct MemoryPlace {
    sim::SpaceKind space = sim::SpaceKind::generic;
    std::uint64_t address = 0;
};

class Machine {
public:
    /// `site`: what executes next; null between two cycles of timing mode.
    Machine(sim::LaunchContext const& launch, sim::Site const* site, sim::LaneMask active,
            std::vector<sim::Cta*> const& ctas)
        : launch_(launch), site_(site), active_(active), ctas_(ctas) {}

    sim::LaunchContext const& launch() const { return launch_; }
    ir::Module const& module() const { return *launch_.plan.module; }
    /// What executes next, and its lanes.
    sim::Site const* site() const { return site_; }
    sim::LaneMask active() const { return active_; }
    /// Those that have begun and not ended.
    std::vector<sim::Cta*> const& ctas() const { return ctas_; }

    /// Null: that block has not begun, or has ended.
    sim::Cta const* cta(std::array<std::uint32_t, 3> const& id) const;
    std::optional<Thread> thread(sim::Cta const& cta, std::array<std::uint32_t, 3> const& index) const;
    std::array<std::uint32_t, 3> index_of(Thread const& thread) const;  // threadIdx

    Position position(Thread const& thread) const;
    /// The innermost first; empty for a thread that has ended.
    std::vector<StackFrame> stack(Thread const& thread) const;
    ir::Instruction const& instruction(Position const& at) const {
        return at.frame->function->function->instructions[at.instruction];
    }

    /// Null bits: the register is used by nobody, so it has no storage.
    std::optional<Bits> read_register(Thread const& thread, sim::Frame const& frame, std::uint32_t which) const;
    bool write_register(Thread const& thread, sim::Frame const& frame, std::uint32_t which, Bits const& bits);
    /// Of a space; a generic address leads where its window says. False: not all of it is there.
    bool read(Thread const& thread, sim::SpaceKind space, std::uint64_t address, std::span<std::byte> to) const;
    bool write(Thread const& thread, sim::SpaceKind space, std::uint64_t address, std::span<std::byte const> from);
    /// A generic address as one of the space that it leads to.
    MemoryPlace resolved(MemoryPlace const& place) const;
    /// Why it could not be read: "0x10 is outside of all allocations".
    std::string explain(sim::SpaceKind space, std::uint64_t address) const;

private:
    std::byte* find(Thread const& thread, sim::SpaceKind space, std::uint64_t address) const;

    sim::LaunchContext const& launch_;
    sim::Site const* const site_;
    sim::LaneMask const active_;
    std::vector<sim::Cta*> const& ctas_;
};

}  // namespace warpsim::debug
