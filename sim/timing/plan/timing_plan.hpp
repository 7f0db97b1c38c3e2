// The timing plan of a kernel: for every PTX instruction its micro-ops and what they wait for. It accompanies the
// functional plan of the reordered kernel, whose ops execute the instructions, and is indexed by the same
// numbers.
#pragma once

#include "sim/config/config.hpp"
#include "sim/exec/op.hpp"
#include "sim/timing/plan/effect_timing.hpp"
#include "sim/timing/plan/machine_kernel.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warpsim::timing {

/// An entry of the scoreboard: one for each column of the function's registers.
using BoardSlot = std::uint16_t;

// guard: of a branch, a guarded instruction, a vote. result: what an instruction writes must not be under way.
enum class Role : std::uint8_t { value, guard, address, result };
inline constexpr std::size_t roles = 4;

struct BoardOperand {
    BoardSlot slot = 0;
    Role role = Role::value;
};

/// One line of the host's caches: a warp reads it for each instruction.
struct alignas(64) TimedInstruction {
    std::uint32_t first_micro = 0;
    std::uint32_t first_operand = 0, operands_end = 0;  // those of instructions behind it follow
    std::uint32_t first_result = 0;
    std::uint32_t main = 0;    // the last of those that are executed together from this one on
    std::uint16_t micros = 0;  // 0: executed with the instruction after it, costs nothing by itself
    // Behind these, those of a warp with lanes that need its routine: as they need it, see RareLanes.
    std::uint16_t special_micros = 0, scaled_micros = 0;
    std::uint8_t routine = 0;  // 0: none
    std::uint8_t results = 0;
    MicroUnit unit = MicroUnit::alu;  // of the first micro-op
    TimedKind kind = TimedKind::plain;
    std::uint8_t fence_scope = 0;   // 0 CTA, 1 GPU, 2 system
    std::uint8_t groups_left = 0;   // of products or copies, that may be under way behind a wait for them
    bool is_shared_memory = false;  // of a memory operation: it is one of shared memory
    bool releases = false;          // ... a fence of its scope precedes it
    bool passes_l1 = false;         // a load with .cg or .cv
    // Lanes: with so many or more, one does an atomic for all; 0: each its own. With fewer the warp has other micro-ops.
    std::uint8_t gathered_from = 0;
    std::uint16_t few_micros = 0;
    // An atomic that is retried: its round's micro-ops, and passes of shared memory where no lane has to; 0: none.
    std::uint16_t round_begin = 0, round_end = 0;
    std::uint8_t free_passes = 0;
    std::uint8_t merged_bytes = 0;   // of a lane, if the accesses before it are part of this one; else 0
    std::uint16_t weight = 1;        // PTX instructions that it counts as; 0: a spill
    bool is_unread = false;          // nothing reads its result, or all who do take it from elsewhere
    bool ends_block = false;         // no instruction of another block is executed with it
    std::uint32_t branch = 0;        // number in the kernel, from 1 on, of a branch that became guards
    std::uint32_t code_address = 0;  // where its first micro-op lies in the kernel
    bool waits_for_more = false;     // than its operands
    bool is_usual =
        true;  // its micro-ops are the same for all warps and lanes, and nothing is asked before it is executed
};
static_assert(sizeof(TimedInstruction) == 64);

/// How many registers of each bank micro-ops read.
class BankReads {
public:
    explicit BankReads(std::uint32_t banks = 1) : banks_(banks) {}
    std::span<std::uint8_t const> operator[](std::size_t micro) const {
        return {reads_.data() + micro * banks_, banks_};
    }
    void resize(std::size_t micros) { reads_.resize(micros * banks_, 0); }
    void add(std::size_t micro, std::uint32_t bank) { ++reads_[micro * banks_ + bank]; }

private:
    std::size_t banks_;
    std::vector<std::uint8_t> reads_;
};

struct FunctionTiming {
    /// Instructions are added one by one: what is added to micros, operands and results belongs to this one, ...
    TimedInstruction begin(std::uint32_t code_address) const;
    /// ... up to here.
    void add(TimedInstruction const& begun);
    /// After the last one.
    void finish();

    std::vector<TimedInstruction> instructions;  // per ir instruction
    std::vector<MicroOp> micros;
    BankReads bank_reads;                // per micro-op
    std::vector<BoardOperand> operands;  // in the order of instructions: what each reads and writes
    std::vector<BoardSlot> results;
    std::uint32_t slots = 0;
    std::uint32_t code_base = 0;          // hardware instructions before this function
    std::uint32_t code_size = 0;          // of the function, hardware instructions
    std::vector<std::uint32_t> original;  // per ir instruction: its number in the PTX
    std::vector<GuardedPlace> guarded;    // per ir instruction; empty: no branch became guards
    /// It is on a path whose branch became guards: the lanes that its guard switches off have taken the other
    /// path.
    bool is_on_path(std::uint32_t instruction) const {
        if (guarded.empty()) return false;
        Part const part = guarded[instruction].part;
        return part == Part::taken || part == Part::not_taken;
    }
    std::uint32_t first_branch = 0;  // number in the kernel of the function's first branch that became guards
};

struct TimingPlan {
    std::vector<FunctionTiming> functions;  // as sim::KernelPlan::functions
    std::uint32_t most_slots = 0;
    std::uint32_t banks = 1;          // of the register file
    std::uint32_t code_size = 0;      // hardware instructions
    std::uint32_t branches = 0;       // that became guards
    std::uint64_t spilled_bytes = 0;  // of local memory, per thread
};

/// The entry of a register in the scoreboard of its function.
BoardSlot board_slot(ir::Function const& function, std::uint32_t reg);

/// Throws Error(launch), which names the instruction, for what timing mode does not support.
TimingPlan make_timing_plan(MachineKernel const& kernel, sim::Config const& config);

}  // namespace warpsim::timing
