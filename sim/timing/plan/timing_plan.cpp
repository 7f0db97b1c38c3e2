#include "sim/timing/plan/timing_plan.hpp"

#include "frontend/ir/registers.hpp"
#include "frontend/isa/table.hpp"
#include "sim/demangled.hpp"
#include "sim/error.hpp"
#include "sim/timing/plan/gathered_atomics.hpp"
#include "sim/timing/plan/operations.hpp"
#include "sim/timing/plan/retried_atomics.hpp"
#include "sim/timing/plan/routines.hpp"

#include <algorithm>
#include <limits>

namespace warpsim::timing {

namespace {

using isa::Effect;

/// Numbers the columns of all widths consecutively.
class Board {
public:
    explicit Board(ir::Function const& f) : function_(f), layout_(f.layout) {}
    std::uint32_t slots() const {
        return layout_.predicates + layout_.columns16 + layout_.columns32 + layout_.columns64 + layout_.columns128;
    }
    BoardSlot slot(std::uint32_t reg) const {
        ir::Type const type = function_.registers[reg].type;
        int const bits = isa::width(type);
        std::uint32_t base = 0;
        if (type != ir::Type::pred) {
            base += layout_.predicates;
            if (bits > 16 || bits == 0) base += layout_.columns16;
            if (bits > 32 || bits == 0) base += layout_.columns32;
            if (bits > 64) base += layout_.columns64;
        }
        return static_cast<BoardSlot>(base + layout_.column[reg]);
    }

private:
    ir::Function const& function_;
    ir::RegisterLayout const& layout_;
};

TimedKind kind_of(Effect effect, std::vector<MicroOp> const& micros, std::size_t first) {
    TimedKind const kind = timing_of(effect).kind;
    if (kind != TimedKind::plain) return kind;
    // Micro-ops that move operands may come before it, and fences that its memory order requires after it.
    auto const has = [&](MicroUnit unit) {
        return std::any_of(micros.begin() + static_cast<std::ptrdiff_t>(first), micros.end(),
                           [&](MicroOp const& m) { return m.unit == unit; });
    };
    return has(MicroUnit::lsu) || has(MicroUnit::texture) ? TimedKind::memory
           : has(MicroUnit::constant)                     ? TimedKind::constant
                                                          : TimedKind::plain;
}

std::uint32_t banks(sim::Config const& config) { return std::max(config.sm.register_file->banks, 1u); }

class FunctionBuilder {
public:
    FunctionBuilder(CompiledFunction const& compiled, sim::Config const& config)
        : compiled_(compiled),
          machine_(compiled.machine),
          allocation_(compiled.allocation),
          module_(*machine_.module),
          function_(*machine_.function),
          config_(config),
          board_(function_) {}

    FunctionTiming build(std::uint32_t code_base, std::uint32_t first_branch) {
        timing_.first_branch = first_branch;
        timing_.bank_reads = BankReads(banks(config_));
        timing_.slots = board_.slots();
        if (timing_.slots > std::numeric_limits<BoardSlot>::max()) {
            throw Error(ErrorKind::launch,
                        sim::demangled(function_.name) +
                            ": too many registers for timing mode: " + std::to_string(timing_.slots));
        }
        timing_.code_base = code_base;
        std::vector<std::uint32_t> const places = code_places(machine_);
        timing_.code_size = places.back();
        for (std::uint32_t i = 0; i < function_.instructions.size(); ++i) add(i, code_base + places[i]);
        timing_.finish();
        if (compiled_.branches != 0) {
            for (MachineInstruction const& instruction : machine_.instructions)
                timing_.guarded.push_back(instruction.guarded);
        }
        return std::move(timing_);
    }

private:
    void add(std::uint32_t i, std::uint32_t code_address) {
        ir::Instruction const& instruction = function_.instructions[i];
        ir::Form const& form = module_.forms[instruction.form];
        Effect const effect = ir::effect(module_, instruction);
        TimedInstruction timed = timing_.begin(code_address);
        MachineInstruction const& machine = machine_.instructions[i];
        for (MicroOp const& op : machine_.micros_of(i)) timing_.micros.push_back(op);
        timed.kind = kind_of(effect, timing_.micros, timed.first_micro);
        if (form.operation == isa::Operation::wgmma_commit_group) timed.kind = TimedKind::commit_products;
        if (form.operation == isa::Operation::wgmma_wait_group) {
            timed.kind = TimedKind::await_products;
            timed.groups_left = static_cast<std::uint8_t>(function_.operands_of(instruction)[0].value);
        }
        timed.merged_bytes = machine.merged_bytes;
        timed.weight = machine.weight;
        timed.is_unread = machine.fate == Fate::removed;
        timed.passes_l1 = form.has(isa::Modifier::cg) || form.has(isa::Modifier::cv);
        add_rounds(form, timed);
        if (machine.guarded.part == Part::branch)
            timed.branch = timing_.first_branch + machine.guarded.branch + 1u;
        timed.micros = static_cast<std::uint16_t>(timing_.micros.size() - timed.first_micro);
        Gathering const& gathers = gathering(machine.gathering);
        timed.gathered_from = gathers.least_lanes;
        std::size_t const of_all = gathers.before.size() + 1 + gathers.behind.size();
        if (gathers.found_out != 0)
            timed.few_micros = static_cast<std::uint16_t>(timed.micros - of_all + gathers.found_out);
        timed.is_shared_memory =
            form.space == isa::StateSpace::shared || form.space == isa::StateSpace::shared_cluster;
        timed.ends_block = function_.blocks[function_.block_of[i]].last == i;
        timed.fence_scope = form.scope == isa::Scope::sys || form.has(isa::Modifier::sys) ? 2
                            : is_of_cta(form)                                             ? 0
                                                                                          : 1;
        bool const is_ordered =
            form.order == isa::Order::release || form.order == isa::Order::acq_rel || form.order == isa::Order::sc;
        timed.releases = timed.kind == TimedKind::memory && is_ordered && form.scope != isa::Scope::cta &&
                         form.scope != isa::Scope::none;
        add_registers(instruction, effect);
        // Its results are there when those of the access are.
        for (std::uint32_t k = i; machine.merged_bytes != 0 && k-- > 0 && machine_.instructions[k].is_merged;)
            add_registers(function_.instructions[k], effect);
        // Spilled values must have been reloaded.
        for (std::uint32_t const reg : machine_.machine_reads[i]) {
            if (reg >= machine_.program_registers) timing_.operands.push_back({board_.slot(reg), Role::value});
        }
        add_bank_reads(i, timed);
        if (machine.routine != 0) add_rare(machine.routine, timed);
        timing_.add(timed);
    }

    void add_registers(ir::Instruction const& instruction, Effect effect) {
        std::uint32_t address = ir::none;
        for (ir::Operand const& o : function_.operands_of(instruction)) {
            if (o.kind == ir::Operand::Kind::address && o.base == ir::Operand::AddressBase::reg) address = o.index;
        }
        bool const is_vote = effect == Effect::vote || effect == Effect::branch;
        ir::for_each_register(module_, function_, instruction, [&](std::uint32_t reg, bool is_written) {
            if (is_written) {
                timing_.results.push_back(board_.slot(reg));
                return;
            }
            bool const is_predicate = function_.registers[reg].type == ir::Type::pred;
            Role const role = reg == instruction.guard || (is_vote && is_predicate) ? Role::guard
                              : reg == address                                      ? Role::address
                                                                                    : Role::value;
            timing_.operands.push_back({board_.slot(reg), role});
        });
    }

    void add_rounds(ir::Form const& form, TimedInstruction& timed) {
        Retried const loop = retried(form);
        if (loop.round.empty()) return;
        auto const first = timing_.micros.begin() + timed.first_micro;
        auto const access =
            std::find_if(first, timing_.micros.end(), [](MicroOp const& op) { return op.unit == MicroUnit::lsu; });
        timed.round_begin = static_cast<std::uint16_t>(access - first);
        timed.round_end = static_cast<std::uint16_t>(timed.round_begin + loop.round.size());
        timed.free_passes = loop.free_passes;
    }

    void add_rare(std::uint8_t number, TimedInstruction& timed) {
        Routine const& called = routine(number);
        if (called.lanes == nullptr) return;
        append(called.special, timing_.micros);
        append(called.scaled, timing_.micros);
        timing_.bank_reads.resize(timing_.micros.size());
        timed.routine = number;
        timed.special_micros = static_cast<std::uint16_t>(called.special.size());
        timed.scaled_micros = static_cast<std::uint16_t>(called.scaled.size());
    }

    /// How many registers of each bank an arithmetic instruction of one micro-op reads. What the instruction
    /// before it in the block has read is in the reuse cache, if there is one. Sequences are assumed to have their
    /// operands at hand.
    void add_bank_reads(std::uint32_t i, TimedInstruction const& timed) {
        timing_.bank_reads.resize(timing_.micros.size());
        if (timed.micros != 1 || timing_.micros[timed.first_micro].unit > MicroUnit::fp64) return;
        auto const& all = machine_.machine_reads[i];
        bool const has_cache =
            config_.sm.register_file->reuse_cache && i != 0 && function_.block_of[i] == function_.block_of[i - 1];
        for (auto read = all.begin(); read != all.end(); ++read) {
            std::uint32_t const reg = *read;
            std::uint16_t const place = allocation_.at(reg, ir::read_point(i));
            if (place == no_register || function_.registers[reg].type == ir::Type::pred) continue;
            if (std::find(all.begin(), read, reg) != read || (has_cache && is_reused(i, reg))) continue;
            // The halves of a pair are in different banks.
            for (std::uint32_t u = 0; u < machine_.units(reg); ++u)
                timing_.bank_reads.add(timed.first_micro, (place + u) % banks(config_));
        }
    }
    /// Read by the instruction before it, and not overwritten.
    bool is_reused(std::uint32_t i, std::uint32_t reg) const {
        auto const& reads = machine_.machine_reads[i - 1];
        auto const& writes = machine_.machine_writes[i - 1];
        return std::find(reads.begin(), reads.end(), reg) != reads.end() &&
               std::find(writes.begin(), writes.end(), reg) == writes.end();
    }

    CompiledFunction const& compiled_;
    MachineFunction const& machine_;
    Allocation const& allocation_;
    ir::Module const& module_;
    ir::Function const& function_;
    sim::Config const& config_;
    Board board_;
    FunctionTiming timing_;
};

}  // namespace

TimedInstruction FunctionTiming::begin(std::uint32_t code_address) const {
    TimedInstruction timed;
    timed.code_address = code_address;
    timed.first_micro = static_cast<std::uint32_t>(micros.size());
    timed.first_operand = static_cast<std::uint32_t>(operands.size());
    timed.first_result = static_cast<std::uint32_t>(results.size());
    return timed;
}

void FunctionTiming::add(TimedInstruction const& begun) {
    TimedInstruction timed = begun;
    timed.micros =
        static_cast<std::uint16_t>(micros.size() - timed.first_micro - timed.special_micros - timed.scaled_micros);
    if (timed.micros != 0) timed.unit = micros[timed.first_micro].unit;
    timed.results = static_cast<std::uint8_t>(std::min<std::size_t>(results.size() - timed.first_result, 255));
    for (std::uint32_t k = 0; k < timed.results; ++k)
        operands.push_back({results[timed.first_result + k], Role::result});
    timed.operands_end = static_cast<std::uint32_t>(operands.size());
    timed.waits_for_more =
        timed.releases || timed.kind == TimedKind::await_products || timed.kind == TimedKind::call;
    timed.is_usual = timed.kind != TimedKind::barrier && timed.kind != TimedKind::beside &&
                     timed.kind != TimedKind::constant && timed.routine == 0 && timed.few_micros == 0;
    instructions.push_back(timed);
}

/// Those without micro-ops are executed with the next one that has some, in the same block.
void FunctionTiming::finish() {
    for (auto i = static_cast<std::uint32_t>(instructions.size()); i-- > 0;) {
        TimedInstruction& timed = instructions[i];
        bool const is_last = timed.micros != 0 || timed.ends_block;
        timed.main = is_last ? i : instructions[i + 1].main;
    }
}

BoardSlot board_slot(ir::Function const& function, std::uint32_t reg) { return Board(function).slot(reg); }

TimingPlan make_timing_plan(MachineKernel const& kernel, sim::Config const& config) {
    TimingPlan timing;
    timing.spilled_bytes = kernel.spilled_bytes;
    timing.banks = banks(config);
    for (CompiledFunction const& f : kernel.functions) {
        timing.functions.push_back(FunctionBuilder(f, config).build(timing.code_size, timing.branches));
        timing.functions.back().original = f.original;
        timing.code_size += timing.functions.back().code_size;
        timing.branches += f.branches;
        timing.most_slots = std::max(timing.most_slots, timing.functions.back().slots);
    }
    return timing;
}

}  // namespace warpsim::timing
