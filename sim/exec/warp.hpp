// The state of a warp: which lanes are where, in which activation, and what they wait for. The state of a cluster
// and its CTAs is data, so that any host thread can continue where another stopped, and a copy continues like the
// original (Snapshot). State refers to other state by index; pointers lead to the plan, which never changes. The few
// that lead elsewhere, because every instruction needs them, are Uncopied.
#pragma once

#include "sim/exec/asynchronous.hpp"
#include "sim/exec/few.hpp"
#include "sim/exec/launch_context.hpp"
#include "sim/exec/matrix/warpgroups.hpp"
#include "sim/exec/op.hpp"
#include "sim/exec/registers.hpp"
#include "sim/exec/uncopied.hpp"
#include "sim/huge_pages.hpp"
#include "sim/tensor_memory/tensor_memory.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace warpsim::sim {

/// A T at a fixed address; a copy owns a copy of it.
template <class T> class Owned {
public:
    Owned() = default;
    explicit Owned(T value) : value_(std::make_unique<T>(std::move(value))) {}
    Owned(Owned&&) = default;
    Owned& operator=(Owned&&) = default;
    Owned(Owned const& other) : value_(other ? std::make_unique<T>(*other) : nullptr) {}
    Owned& operator=(Owned const& other) { return *this = Owned(other); }

    explicit operator bool() const { return value_ != nullptr; }
    T& operator*() const { return *value_; }
    T* operator->() const { return value_.get(); }

private:
    std::unique_ptr<T> value_;
};

/// An index into Warp::frames; valid as long as the activation lasts.
using FrameIndex = std::uint32_t;
inline constexpr FrameIndex no_frame = UINT32_MAX;

/// One activation of a function: its registers and where it returns to, shared by the lanes that called together.
struct alignas(64) Frame : InHugePages {
    FunctionPlan const* function = nullptr;
    AlignedBytes registers;
    FrameIndex parent = no_frame;
    CallPlan const* call = nullptr;  // in the parent's function
    std::uint32_t return_op = 0;     // in the parent's function
    std::uint32_t depth = 0;
    LaneMask lanes = 0;                          // still inside, including deeper activations
    std::uint64_t activation = 0;                // tells it from others that were kept in the same place
    std::uint64_t local_base = 0;                // of its variables in each lane's local memory
    std::uint64_t local_end = 0;                 // ... of them and of the memory that any lane took by alloca
    std::uint64_t param_end = 0;                 // of the part of its param area that it may read and write
    std::uint64_t stack_bytes = 0;               // that this activation and its callers take
    Owned<std::array<std::uint64_t, 32>> stack;  // each lane's stack pointer, if the function moves it

    bool is_kernel() const { return parent == no_frame; }
};

/// A warp split: lanes with one program counter in one activation.
struct WarpSplit {
    enum class State : std::uint8_t { runnable, in_collective, in_barrier, in_cluster_barrier };
    LaneMask lanes = 0;
    std::uint32_t pc = 0;  // op index; for a blocked split the op that blocks
    FrameIndex frame = no_frame;
    State state = State::runnable;
    std::uint32_t barrier = 0;  // id, in_barrier
};

/// A convergence barrier: diverged lanes wait for each other at the reconvergence point of a branch, or behind a
/// call.
struct ConvergenceBarrier {
    std::uint32_t point = 0;  // op index where the waiting lanes continue
    FrameIndex frame = no_frame;
    LaneMask lanes = 0;       // that are expected
    LaneMask arrived = 0;     // that wait
    std::uint64_t since = 0;  // Warp::executed when the first of them arrived
};

/// What each step needs comes first: it finds the state of the warp outside the host's nearest caches.
struct alignas(64) Warp {
    Uncopied<std::byte* [4]> bases;        // of isa::Base; [frame] follows the running warp split
    std::uint64_t executed = 0;            // warp instructions
    std::uint64_t slice_end = UINT64_MAX;  // of a warp that is stepped: `executed` at which its split is suspended
    std::uint32_t current = 0;             // index of the running split
    std::uint32_t index = 0;               // in its CTA
    LaneMask exists = 0;
    LaneMask exited = 0;
    // The first frame and the first split lie in one line of the host's caches: mostly there are no others.
    Few<Owned<Frame>, 1> frames;  // by FrameIndex; null if an activation has ended
    Few<WarpSplit> splits;        // newest last
    // Some of these change in most kernels, and what comes behind the barriers in few: they share lines of the host's caches.
    Allocation last;                // the last one that a global access hit
    std::uint64_t own_changes = 0;  // to its local memory and to parameters of calls
    LaneMask cluster_arrived = 0;   // at the barrier of the cluster, in the present phase
    LaneMask cluster_owing = 0;     // that have arrived there, now or earlier, and have not waited since
    Few<ConvergenceBarrier> convergence_barriers;
    std::vector<std::byte> local;     // interleaved by words
    std::uint64_t local_used = 0;     // bytes per lane that its CTA has used
    std::uint64_t slice_hash = 0;     // ... when the last slice of a split ended
    std::uint64_t slice_changes = 0;  // Cta::changes and own_changes at that time
    Op const* polled = nullptr;       // the last test of an mbarrier that failed for all lanes, for reports
    bool let_go =
        false;  // of a warp that is stepped: lanes that wait to reconverge are released when its slice ends
    std::uint64_t polled_at = 0;  // `executed` when the last test of an mbarrier failed
    Bytes polled_place;

    LaneMask live() const { return exists & ~exited; }
    WarpSplit& running() { return splits[current]; }
    WarpSplit const& running() const { return splits[current]; }
    Frame& frame(FrameIndex i) { return *frames[i]; }
    Frame const& frame(FrameIndex i) const { return *frames[i]; }
    Frame& frame_of(WarpSplit const& split) { return *frames[split.frame]; }
    Frame const& frame_of(WarpSplit const& split) const { return *frames[split.frame]; }
    Frame& running_frame() { return frame_of(running()); }
    Frame const& running_frame() const { return frame_of(running()); }
    /// The function that `split` is in.
    FunctionPlan const& function_of(WarpSplit const& split) const { return *frame_of(split).function; }
    Op const& op_of(WarpSplit const& split) const { return function_of(split).ops[split.pc]; }
};

struct BarrierState {
    std::vector<LaneMask> arrived;  // per warp
    std::uint32_t earlier = 0;      // threads of warps that have arrived again since
    std::uint32_t count = 0;        // threads expected; 0: all that are live
    std::uint32_t popc = 0;
    bool all = true;
    bool any = false;
};

struct Cluster;

struct Cta {
    Uncopied<Cluster*> cluster;
    std::uint32_t rank = 0;    // in its cluster
    std::uint64_t linear = 0;  // in its grid
    std::array<std::uint32_t, 3> id{};
    std::uint32_t sm = 0;
    AlignedBytes columns;  // of base `cta`
    AlignedBytes shared;
    HugeVector<Warp> warps;
    std::array<BarrierState, 16> barriers;
    std::uint32_t barriers_in_use = 0;  // a bit for each
    bool in_cluster_barrier = false;    // a thread has arrived there, and its phase has not ended
    std::vector<std::array<std::uint32_t, 2>> committed;  // groups of each thread: of copies, of bulk copies
    Owned<tensor_memory::TensorMemory> tensor_memory;     // null before its first allocation
    std::uint8_t tensor_group = 0;                        // CTAs that its tcgen05 instructions name; 0: none yet
    Owned<RegisterPool> registers;                        // null before the first setmaxnreg
    std::vector<Warpgroup> warpgroups;                    // of a CTA that has executed products of warpgroups
    std::uint64_t executed = 0;                           // warp instructions of all its warps
    std::uint64_t clock_offset = 0;    // from its own count to that of the SM when its turn began
    std::uint64_t changes = 0;         // to memory or barriers, and clock readings
    std::uint64_t looked_at_time = 0;  // clock readings and sleeps

    std::uint64_t sum_executed() const {
        std::uint64_t sum = 0;
        for (Warp const& warp : warps) sum += warp.executed;
        return sum;
    }
    bool has_ended() const {
        for (Warp const& warp : warps) {
            if (warp.live() != 0) return false;
        }
        return true;
    }
};

/// CTAs that start together, run together and see each other's shared memory: what one host thread runs at a time.
/// Without clusters, a single CTA.
struct Cluster {
    Cluster() = default;
    Cluster(Cluster&&) = delete;
    Cluster& operator=(Cluster&&) = delete;
    /// The copy continues like the original, once an engine has adopted it.
    Cluster(Cluster const& other) = default;
    Cluster& operator=(Cluster const&) = delete;

    std::uint64_t linear = 0;         // among those of the grid
    HugeVector<Cta> ctas;             // by rank
    std::vector<UnderWay> under_way;  // in order of issue; empty if copies are performed when they are issued
    std::uint64_t executed = 0;       // warp instructions
    std::uint64_t turn_changes = 0;   // changes() when its last turn ended
    std::uint64_t turn_times = 0;     // looked_at_time() at that time
    bool may_poll = false;            // it read the time in its last turn, so others may have to run first
    bool changed_nothing = false;     // in its last turn
    std::uint64_t stuck_epoch = 0;    // of the launch, in which it was found to spin
    // The state after an earlier turn, for finding out whether it recurs.
    std::uint64_t kept_hash = 0;   // of all its warps; 0: none
    std::uint64_t kept_epoch = 0;  // of the launch when that turn began
    std::uint64_t kept_turns = 0;  // turns since then
    std::uint64_t keep_turns = 1;  // after how many turns a newer state is kept
    std::uint32_t released = 0;    // how often its lanes were released since then, because it was spinning
    // Its CTA ran as a whole: its warps are still as they were at the start.
    bool is_unmarked = false;

    std::uint64_t changes() const {
        std::uint64_t sum = 0;
        for (Cta const& cta : ctas) sum += cta.changes;
        return sum;
    }
    std::uint64_t looked_at_time() const {
        std::uint64_t sum = 0;
        for (Cta const& cta : ctas) sum += cta.looked_at_time;
        return sum;
    }
    /// Whose shared memory it is; null for global memory.
    Cta* owner(Bytes const& bytes) { return bytes.is_shared() ? &ctas[bytes.rank] : nullptr; }
    Cta const* owner(Bytes const& bytes) const { return bytes.is_shared() ? &ctas[bytes.rank] : nullptr; }
};

}  // namespace warpsim::sim
