// Functions of a kernel as native code, and what this code and the interpreter hand each other. Native code executes the
// running warp split as the interpreter's loop does: it begins at an entry, keeps registers where the host has them, and
// leaves at any op that it does not execute itself, with everything where the interpreter expects it.
#pragma once

#include "sim/exec/component.hpp"
#include "sim/exec/lanes/transactions.hpp"
#include "sim/statistics.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

namespace warpsim::sim {

class CodeRunner;
struct Components;
struct WholeCta;
struct WholeWarp;

/// What values a column has: with its place (of its base), as native code hands it over.
enum class ColumnShape : std::uint8_t {
    uniform,  // the same in all lanes
    linear,   // see LaneShape
    rows,     // linear: in both rows of 16 lanes one value each
    counted,  // linear: in both rows the next value for the next lane
    lanes,    // any
};
constexpr std::uint64_t describe_column(Slot slot, std::uint8_t log2, ColumnShape shape) {
    return static_cast<std::uint32_t>(slot) | std::uint64_t{log2} << 32 |
           std::uint64_t{static_cast<std::uint8_t>(shape)} << 40;
}

/// mismatch: nothing was executed, as values do not look as the code for all lanes takes them to. effect: behind one, or a
/// branch or a reconvergence point, that has changed which lanes run where. barrier: of a CTA that runs as a whole.
enum class CompiledExit : std::uint32_t { at_op, suspended, failed, mismatch, effect, none, barrier };
struct CompiledState;
using CompiledRun = CompiledExit (*)(CompiledState& state, std::uint32_t entry);

/// Read and written by compiled code, which knows its members by their offsets.
struct CompiledState {
    std::byte* bases[4] = {};
    std::uint64_t* guarded_off = nullptr;  // of the function's first op
    std::uint64_t* parted = nullptr;       // ... warps, by a branch
    std::uint64_t* edges = nullptr;        // how often each was taken by as many lanes
    Allocation* places = nullptr;          // per op of the function: where it has accessed global memory before
    OpCounters::Delta* deltas = nullptr;   // of the function's first op
    std::uint64_t executed = 0;            // Warp::executed
    std::uint64_t executed_here = 0;       // of them, since the entry
    std::uint64_t slice_end = 0;
    std::uint64_t budget_end = 0;
    std::uint64_t longest_slice = 0;            // after lanes have met
    std::uint64_t branches = 0, divergent = 0;  // where lanes have parted
    std::uint64_t changes = 0;                  // to Cta::changes
    std::uint64_t own_changes = 0;              // to Warp::own_changes
    std::uint64_t shared = 0;                   // address of the CTA's shared memory
    std::uint64_t shared_bytes = 0;
    std::uint64_t shared_window = 0;  // where that is among generic addresses
    std::byte* local = nullptr;       // memory of the warp's threads, of which the frame may access so much
    std::uint64_t local_end = 0;
    std::uint64_t param_end = 0;  // ... and of its param area
    /// An access that compiled code leaves to MemoryAccess: its operands are in their columns. True if it failed.
    bool (*access)(CompiledState&, std::uint32_t op, LaneMask mask) = nullptr;
    /// An access at any addresses of the lanes, of 64 bits, which stand at `values`, 256 bytes; behind them are columns for what is
    /// loaded or stored, 256 bytes for each element. False if it is to be left to `access`: nothing was done.
    bool (*scattered)(CompiledState&, std::uint32_t op, LaneMask mask, std::byte* values) = nullptr;
    /// An effect, before which everything is where the interpreter expects it. Returns a CompiledExit; `none`: the code goes on
    /// behind it.
    std::uint32_t (*effect)(CompiledState&, std::uint32_t op, LaneMask mask) = nullptr;
    Flow flow{};  // ... else: what the effect makes of the warp's turn
    /// Lanes part at a branch, which these take; those that do not go on at once have their columns. Returns a CompiledExit;
    /// `none`: the code goes on with the others, which are active then.
    std::uint32_t (*part)(CompiledState&, std::uint32_t branch, LaneMask taken) = nullptr;
    /// Lanes come to a reconvergence point where they wait, with their columns. `none`: the code goes on behind it with all that
    /// have met there.
    std::uint32_t (*meet)(CompiledState&, std::uint32_t converge) = nullptr;
    /// Whether the lanes wait at the reconvergence point of the op.
    bool (*waits)(CompiledState&, std::uint32_t op) = nullptr;
    /// Whether other lanes are expected where those that part at a branch meet again, or before.
    bool (*is_awaited)(CompiledState&, std::uint32_t branch) = nullptr;
    /// Counts an access that compiled code has performed, at these addresses of all lanes.
    void (*count)(CompiledState&, std::uint32_t op, LaneMask mask, std::uint64_t const* addresses) = nullptr;
    /// Whether any of the columns (describe_column()) looks otherwise than its shape.
    bool (*differs)(CompiledState const&, std::uint64_t const* columns, std::uint32_t count) = nullptr;
    /// Columns of which the frame has no more than the first value, and behind it the steps, get their values.
    void (*expand)(CompiledState&, std::uint64_t const* columns, std::uint32_t count) = nullptr;
    /// Columns get these values, 256 bytes for each, in the lanes of the mask.
    void (*merge)(CompiledState&, std::uint64_t const* columns, std::uint32_t count, std::byte const* values,
                  LaneMask mask) = nullptr;
    MemoryCounts counts;  // of all accesses since the launch began, by code that counts them
    LaneMask active = 0;
    LaneMask whole_lanes = 0;  // of a CTA that runs as a whole: all of the warp
    std::uint32_t pc = 0;      // when it is left: the next op
    std::uint32_t has_barriers = 0;
    std::uint32_t has_parted = 0;  // lanes have parted and met again

    // For what it calls.
    Components* parts = nullptr;
    Cta* cta = nullptr;
    Warp* warp = nullptr;
    FunctionPlan const* function = nullptr;
    LaunchContext const* launch = nullptr;
    std::exception_ptr failure;
    CodeRunner* runner = nullptr;
    WholeCta* whole = nullptr;  // not null: the CTA runs as a whole
    std::uint32_t resume = 0;   // when it is left at a barrier: the entry behind it,
    std::uint32_t barrier = 0;  // ... and which barrier that is
    // Where a warp ends or waits, code for all lanes goes on with the next one, up to the last of these.
    WholeWarp *running = nullptr, *last_to_run = nullptr;
    std::uint64_t turn_budget = 0;              // what each of them may execute
    std::uint32_t known_end = UINT32_MAX;       // the op at which warps that end so are counted
    std::uint32_t common_barrier = no_barrier;  // in which others wait
    static constexpr std::uint32_t no_barrier = UINT32_MAX;
};

/// What is kept of a warp while its CTA runs as a whole. Read and written by compiled code, too.
struct WholeWarp {
    enum class Place : std::uint32_t { at_start, at_barrier, behind_barrier, ended };
    Warp* warp = nullptr;
    std::byte* registers = nullptr;  // CompiledState::bases
    std::byte* specials = nullptr;
    std::byte* local = nullptr;  // its threads' own memory
    std::uint64_t executed = 0;  // before its turn, or when it ended
    CompiledRun code = nullptr;  // that it runs
    std::uint32_t pc = 0;        // of its barrier
    Place place = Place::at_start;
    // The entry that it goes on at; behind a barrier the next one makes columns of what was kept there. Not beside `pc`:
    // compilers read both from where code has just stored them as one, which waits until the stores are done.
    std::uint32_t resume = 0;
    bool is_clean = false;  // nothing is to be cleared before it begins
};

/// With which op the lanes go on that are first when lanes part at the branch `pc` (Divergence::diverge()).
inline std::uint32_t first_way(Op const& branch, std::uint32_t pc) {
    bool const goes_back = branch.target <= pc;
    std::uint32_t const first = goes_back ? branch.target : pc + 1, second = goes_back ? pc + 1 : branch.target;
    return first != branch.reconverge ? first : second;
}

/// A function of a kernel. Code for all lanes, and for any of them.
struct CompiledFunction {
    static constexpr std::uint32_t no_entry = UINT32_MAX;
    /// As that of op 0, when the function begins in a warp in which it did so before: its special registers are not looked at, and
    /// registers that are read before they are written are 0, whatever the frame has.
    static constexpr std::uint32_t known_begin = 0;
    /// A way from a branch to its target or, where it has a guard, to what follows it.
    struct Edge {
        std::uint32_t branch = 0, to = 0;
        bool is_taken = false, is_guarded = false;
    };

    CompiledRun all_lanes = nullptr, some_lanes = nullptr;
    std::vector<std::uint32_t> entries;  // per op; empty: it is interpreted
    std::vector<Edge> edges;
    std::uint32_t ops_compiled = 0;

    bool has_entry(std::uint32_t op) const { return op < entries.size() && entries[op] != no_entry; }
    /// Null: there is none for such splits.
    CompiledRun code_for(LaneMask lanes) const { return lanes == isa::all_lanes ? all_lanes : some_lanes; }
};

struct CompiledKernel {
    std::vector<CompiledFunction> functions;        // by FunctionPlan::plan_index
    std::vector<std::shared_ptr<void const>> code;  // keeps it in memory
};

/// What a host thread has executed of a kernel.
struct KernelWork {
    std::uint64_t warp_instructions = 0;
    std::uint64_t ns = 0;                  // that they took
    std::uint64_t ns_left = 0;             // that the launch will still take, as far as its CTAs are alike
    CompiledKernel const* code = nullptr;  // that there was for them
    bool is_mixed = false;                 // ... at the beginning; at the end there was other code
    bool has_some_lanes = false;           // splits of some lanes were among it
};

/// The code of a kernel, which may come while launches of the kernel are under way.
class KernelCode {
public:
    KernelCode() = default;
    KernelCode(KernelCode const&) = delete;
    KernelCode& operator=(KernelCode const&) = delete;
    virtual ~KernelCode() = default;

    /// Null: there is none yet. Lives as long as this.
    CompiledKernel const* current() const { return current_.load(std::memory_order_acquire); }
    /// Host threads say now and then what they have executed since.
    virtual void add_work(KernelWork const& work) = 0;

protected:
    void publish(CompiledKernel const* code) { current_.store(code, std::memory_order_release); }

private:
    std::atomic<CompiledKernel const*> current_{nullptr};
};

}  // namespace warpsim::sim
