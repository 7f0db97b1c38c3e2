#include "sim/compiled/flow.hpp"

#include "frontend/ir/registers.hpp"
#include "sim/exec/function_planner.hpp"

#include <algorithm>

namespace warpsim::sim {

namespace {

bool is_frame(Slot slot) { return slot != discard && (slot & 3) == static_cast<Slot>(isa::Base::frame); }

class FlowFinder {
public:
    FlowFinder(KernelPlan const& plan, FunctionPlan const& function, isa::HostIsa host)
        : plan_(plan), function_(function), host_(host) {}

    std::optional<CodeFlow> find() {
        if (function_.local_base != discard) add({function_.local_base, 3});
        for (Op const& op : function_.ops) flow_.ops.push_back(describe(op));
        for (std::size_t i = 0; i < flow_.ops.size(); ++i) {
            if (!flow_.ops[i].is_compiled) describe_interpreted(i);
        }
        for (std::size_t i = 0; i < flow_.ops.size(); ++i) {
            if (function_.ops[i].kind == OpKind::effect) describe_effect(i);
        }
        if (overlaps_) return std::nullopt;
        find_blocks();
        find_live();
        find_dirty();
        return std::move(flow_);
    }

private:
    std::uint32_t add(LaneOperand const& operand) {
        auto const [at, is_new] =
            flow_.column_of.emplace(operand.slot, static_cast<std::uint32_t>(flow_.columns.size()));
        if (is_new) flow_.columns.push_back(operand);
        else overlaps_ |= flow_.columns[at->second].log2 != operand.log2;
        return at->second;
    }
    /// Registers that are not used have the columns of others.
    LaneOperand column_of_register(std::uint32_t which) const {
        isa::Type const type = function_.function->registers[which].type;
        return {function_.register_slot[which],
                type == isa::Type::pred ? std::uint8_t{0} : static_cast<std::uint8_t>(column_log2(type))};
    }
    void reads(CompiledOp& op, LaneOperand const& operand) {
        if (is_frame(operand.slot)) op.reads.push_back(add(operand));
    }
    void writes(CompiledOp& op, LaneOperand const& operand) {
        if (is_frame(operand.slot)) op.writes.push_back(add(operand));
    }

    CompiledOp describe(Op const& op) {
        CompiledOp result;
        bool const is_guarded = is_frame(op.guard);
        if (is_guarded) reads(result, {op.guard, 0});
        result.writes_all_lanes = !is_guarded;
        switch (op.kind) {
            case OpKind::lanes:
            case OpKind::lanes_guarded: describe_lanes(op, result); break;
            case OpKind::load:
            case OpKind::store: describe_access(op, result); break;
            case OpKind::atomic: describe_atomic(op, result); break;
            case OpKind::branch:
            case OpKind::converge:
            case OpKind::nothing:
            case OpKind::report: result.is_compiled = true; break;
            default: break;
        }
        return result;
    }

    void describe_lanes(Op const& op, CompiledOp& result) {
        result.lanes = find_lane_call(plan_, function_, op, host_);
        if (!result.lanes) return;
        result.is_compiled = true;
        LaneCall const& call = *result.lanes;
        for (LaneOperand const& source : call.sources) reads(result, source);
        if (call.reads_destination) reads(result, call.destination);
        writes(result, call.destination);
        if (call.carry_out) writes(result, *call.carry_out);
    }

    /// Not so elements of matrices that share a register.
    bool moves_whole_registers(Op const& op, Access const& access) const {
        AccessFunctions const& table = access_functions(host_);
        for (std::size_t i = 0; i < access.elements; ++i) {
            std::uint8_t const from = access.memory_log2, to = access.column_log2[i];
            bool const is_load = op.kind == OpKind::load;
            Move const weak = is_load ? table.load[from][access.is_signed][to] : table.store[from][to];
            Move const strong =
                is_load ? table.load_strong[from][access.is_signed][to] : table.store_strong[from][to];
            if (access.data[i] != discard && access.move[i] != weak && access.move[i] != strong) return false;
        }
        return access.register_byte == 0;
    }

    void describe_access(Op const& op, CompiledOp& result) {
        Access const& access = function_.accesses[op.target];
        if (std::any_of(access.column_log2.begin(), access.column_log2.end(), [](int log2) { return log2 > 3; }))
            return;
        if (!moves_whole_registers(op, access)) return;
        result.is_compiled = true;
        reads(result,
              {access.address, static_cast<std::uint8_t>(access.address_is_64 || access.is_at_one_place ? 3 : 2)});
        for (std::size_t i = 0; i < access.elements; ++i) {
            if (access.data[i] == discard) continue;
            LaneOperand const data{access.data[i], access.column_log2[i]};
            if (op.kind == OpKind::load) writes(result, data);
            else reads(result, data);
        }
    }

    void describe_atomic(Op const& op, CompiledOp& result) {
        Access const& access = function_.accesses[op.target];
        if (access.memory_log2 > 3) return;
        result.is_compiled = true;
        reads(result, {access.address, static_cast<std::uint8_t>(access.address_is_64 ? 3 : 2)});
        if (access.swaps) reads(result, atomic_column(access, access.swap));
        for (std::size_t i = 0; i < access.elements; ++i) {
            reads(result, atomic_column(access, access.source[i]));
            writes(result, atomic_column(access, access.data[i]));
        }
    }

    /// Reads its registers, and what earlier ops of its instruction have prepared; writes its registers and columns.
    void describe_interpreted(std::size_t index) {
        CompiledOp& result = flow_.ops[index];
        Op const& op = function_.ops[index];
        result.lanes.reset();
        ir::Instruction const& instruction = function_.function->instructions[op.instruction];
        ir::for_each_register(*plan_.module, *function_.function, instruction,
                              [&](std::uint32_t which, bool is_written) {
                                  std::uint32_t const column = add(column_of_register(which));
                                  (is_written ? result.writes : result.reads).push_back(column);
                              });
        bool const has_operands = op.kind != OpKind::exit && op.kind != OpKind::ret;
        for (Slot const slot : op.operands.slot) {
            auto const at = flow_.column_of.find(slot);
            if (!has_operands || !is_frame(slot) || at == flow_.column_of.end()) continue;
            result.reads.push_back(at->second);
            result.writes.push_back(at->second);
        }
        for (std::size_t i = index; i-- > 0 && function_.ops[i].instruction == op.instruction;)
            result.reads.insert(result.reads.end(), flow_.ops[i].writes.begin(), flow_.ops[i].writes.end());
        result.writes_all_lanes = false;
    }

    /// One that native code calls: what the rest of the instruction reads may come from it. An instruction of several effects
    /// is left to the interpreter.
    void describe_effect(std::size_t index) {
        CompiledOp& result = flow_.ops[index];
        auto const is_of_same = [&](std::size_t i) {
            return i < function_.ops.size() && function_.ops[i].instruction == function_.ops[index].instruction;
        };
        for (std::size_t i = index; i-- > 0 && is_of_same(i);) {
            OpKind const kind = function_.ops[i].kind;
            if (kind == OpKind::converge) break;  // where lanes meet, before the instruction
            if (kind != OpKind::lanes && kind != OpKind::lanes_guarded) return;
        }
        for (std::size_t i = index + 1; is_of_same(i); ++i) {
            if (!flow_.ops[i].lanes) return;
            result.writes.insert(result.writes.end(), flow_.ops[i].reads.begin(), flow_.ops[i].reads.end());
        }
        std::sort(result.writes.begin(), result.writes.end());
        result.writes.erase(std::unique(result.writes.begin(), result.writes.end()), result.writes.end());
        result.is_compiled = true;
    }

    void find_blocks() {
        std::size_t const count = function_.ops.size();
        std::vector<bool> begins(count + 1, false);
        begins[0] = begins[count] = true;
        for (std::size_t i = 0; i < count; ++i) {
            Op const& op = function_.ops[i];
            if (!flow_.ops[i].is_compiled) begins[i] = begins[i + 1] = true;
            if (op.kind == OpKind::converge) begins[i] = begins[i + 1] = true;
            if (op.kind == OpKind::effect) begins[i + 1] = true;  // lanes may have waited there
            if (op.kind != OpKind::branch) continue;
            begins[i + 1] = begins[op.target] = true;
        }
        for (auto const& list : function_.branch_lists) {
            for (std::uint32_t const target : list) begins[target] = true;
        }
        flow_.block_of.assign(count, CodeFlow::none);
        for (std::size_t i = 0; i < count; ++i) {
            if (begins[i]) {
                flow_.block_of[i] = static_cast<std::uint32_t>(flow_.blocks.size());
                CodeBlock block;
                block.begin = static_cast<std::uint32_t>(i);
                block.is_compiled = flow_.ops[i].is_compiled;
                for (ColumnSet* set : {&block.live_in, &block.live_out, &block.dirty_in, &block.dirty_out})
                    *set = ColumnSet(flow_.columns.size());
                flow_.blocks.push_back(std::move(block));
            }
            flow_.blocks.back().end = static_cast<std::uint32_t>(i) + 1;
        }
        for (CodeBlock& block : flow_.blocks) link(block);
    }
    /// For what is live, an op that is interpreted goes on behind itself or anywhere that its list of targets names.
    void link(CodeBlock& block) const {
        Op const& last = function_.ops[block.end - 1];
        bool const may_fall = !(last.kind == OpKind::branch && !is_frame(last.guard));
        if (last.kind == OpKind::branch) block.successors.push_back(flow_.block_of[last.target]);
        if (last.kind == OpKind::branch_indexed) {
            for (std::uint32_t const target : function_.branch_lists[last.target])
                block.successors.push_back(flow_.block_of[target]);
        }
        if (may_fall && block.end < function_.ops.size()) block.successors.push_back(flow_.block_of[block.end]);
    }

    void find_live() {
        std::size_t const count = flow_.columns.size();
        for (bool changes = true; changes;) {
            changes = false;
            for (std::size_t b = flow_.blocks.size(); b-- > 0;) {
                CodeBlock& block = flow_.blocks[b];
                ColumnSet live(count);
                for (std::uint32_t const next : block.successors) live.add(flow_.blocks[next].live_in);
                block.live_out = live;
                for (std::uint32_t i = block.end; i-- > block.begin;) live = flow_.live_before(i, std::move(live));
                changes |= block.live_in.add(live);
            }
        }
    }
    void find_dirty() {
        for (CodeBlock& block : flow_.blocks) {
            if (!block.is_compiled) continue;
            for (std::uint32_t i = block.begin; i < block.end; ++i) {
                for (std::uint32_t const column : flow_.ops[i].writes) block.dirty_out.insert(column);
            }
        }
        for (bool changes = true; changes;) {
            changes = false;
            for (CodeBlock& block : flow_.blocks) {
                if (!block.is_compiled) continue;  // everything is written when it is reached
                block.dirty_out.add(block.dirty_in);
                for (std::uint32_t const next : block.successors)
                    changes |= flow_.blocks[next].dirty_in.add(block.dirty_out);
            }
        }
    }

    KernelPlan const& plan_;
    FunctionPlan const& function_;
    isa::HostIsa const host_;
    CodeFlow flow_;
    bool overlaps_ = false;
};

}  // namespace

std::optional<CodeFlow> find_flow(KernelPlan const& plan, FunctionPlan const& function, isa::HostIsa host) {
    return FlowFinder(plan, function, host).find();
}

}  // namespace warpsim::sim
