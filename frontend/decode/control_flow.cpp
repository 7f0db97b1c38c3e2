#include "frontend/decode/control_flow.hpp"

#include "frontend/ir/analysis/columns.hpp"
#include "frontend/ir/analysis/dominators.hpp"
#include "frontend/ir/registers.hpp"
#include "frontend/isa/effect.hpp"

#include <algorithm>
#include <utility>

namespace warpsim::frontend {
namespace {

using ir::Block;
using ir::Function;
using ir::Instruction;
using ir::Operand;
using isa::Effect;

bool ends_block(Effect effect) {
    return effect == Effect::branch || effect == Effect::branch_indexed || effect == Effect::ret ||
           effect == Effect::exit || effect == Effect::trap;
}

/// Calls callback(instruction index) for every label that a branch may jump to, in the order written.
template <class Callback>
void for_each_target(Function const& function, Instruction const& instruction, Callback&& callback) {
    for (Operand const& operand : function.operands_of(instruction)) {
        if (operand.kind == Operand::Kind::label) {
            callback(operand.index);
        } else if (operand.kind == Operand::Kind::branch_targets) {
            for (std::uint32_t target : function.branch_targets[operand.index]) {
                callback(target);
            }
        }
    }
}

void split_into_blocks(Function& function, std::vector<Effect> const& effects) {
    auto const count = static_cast<std::uint32_t>(function.instructions.size());
    std::vector<bool> leads(count + 1, false);
    leads[0] = true;
    for (std::uint32_t i = 0; i < count; ++i) {
        if (ends_block(effects[i])) {
            leads[i + 1] = true;
            // A label may stand after the last instruction: a branch to it leaves the function.
            for_each_target(function, function.instructions[i],
                            [&](std::uint32_t target) { leads[std::min(target, count)] = true; });
        }
    }
    function.block_of.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        if (leads[i]) {
            function.blocks.push_back(Block{.first = i, .last = i, .successors = {}});
        }
        function.blocks.back().last = i;
        function.block_of[i] = static_cast<std::uint32_t>(function.blocks.size() - 1);
    }
}

/// The branch targets in the order written, then the block that control falls through to, without duplicates.
void find_successors(Function& function, std::vector<Effect> const& effects) {
    // The tables of brx.idx may be long: a stamp per block finds duplicates without a search.
    std::vector<std::uint32_t> last_predecessor(function.blocks.size(), ir::none);
    for (std::uint32_t b = 0; b < function.blocks.size(); ++b) {
        Block& block = function.blocks[b];
        Instruction const& last = function.instructions[block.last];
        auto const add = [&](std::uint32_t instruction) {
            if (instruction >= function.instructions.size()) {
                return;
            }
            std::uint32_t const successor = function.block_of[instruction];
            if (last_predecessor[successor] != b) {
                last_predecessor[successor] = b;
                block.successors.push_back(successor);
            }
        };
        Effect const effect = effects[block.last];
        if (effect == Effect::branch || effect == Effect::branch_indexed) {
            for_each_target(function, last, add);
        }
        if (!ends_block(effect) || last.guard != ir::none) {
            add(block.last + 1);
        }
    }
}

/// Whether control may leave the function at the end of this block.
bool leaves(Function const& function, std::uint32_t block, std::vector<Effect> const& effects) {
    auto const count = static_cast<std::uint32_t>(function.instructions.size());
    std::uint32_t const last = function.blocks[block].last;
    Effect const effect = effects[last];
    if (effect == Effect::ret || effect == Effect::exit || effect == Effect::trap) {
        return true;
    }
    bool to_the_end = false;
    if (ends_block(effect)) {
        for_each_target(function, function.instructions[last],
                        [&](std::uint32_t target) { to_the_end = to_the_end || target >= count; });
    }
    bool const falls_through = !ends_block(effect) || function.instructions[last].guard != ir::none;
    return to_the_end || (falls_through && last + 1 == count) || function.blocks[block].successors.empty();
}

/// Whether the block only leaves: an unguarded `ret` or `exit`.
bool only_leaves(Function const& function, std::uint32_t block, std::vector<Effect> const& effects) {
    Block const& b = function.blocks[block];
    bool const ends = effects[b.last] == Effect::ret || effects[b.last] == Effect::exit;
    return b.first == b.last && ends && function.instructions[b.last].guard == ir::none;
}

/// Blocks, which of them follow each other, and behind which control may leave.
struct FlowGraph {
    ir::Lists successors;
    std::vector<bool> leaves;
};

/// The graph without early exits, so that lanes that exit do not keep the others from reconverging. Each block is
/// assigned to the first exit that it can reach, exits ordered by how many blocks reach them (traps last), and
/// keeps only its edges to blocks of the same exit.
class WaysOut {
public:
    WaysOut(Function const& function, std::vector<Effect> const& effects, FlowGraph const& whole)
        : function_(function), effects_(effects) {
        graph_.leaves = whole.leaves;
        graph_.successors = filtered(whole.successors, [&](std::uint32_t b, std::uint32_t next) {
            bool const ends = only_leaves(function, next, effects);
            if (ends) graph_.leaves[b] = true;  // as if it ended here
            return !ends;
        });
        predecessors_ = ir::reversed(graph_.successors);
        divide();
    }
    FlowGraph const& graph() const { return graph_; }

private:
    template <class Keep> static ir::Lists filtered(ir::Lists const& successors, Keep&& keeps) {
        ir::Lists result;
        result.items.reserve(successors.items.size());
        for (std::uint32_t b = 0; b < successors.size(); ++b) {
            for (std::uint32_t const next : successors[b]) {
                if (keeps(b, next)) result.items.push_back(next);
            }
            result.end_list();
        }
        return result;
    }

    void divide() {
        auto const count = static_cast<std::uint32_t>(graph_.successors.size());
        std::vector<std::uint32_t> ways;
        for (std::uint32_t b = 0; b < count; ++b) {
            if (graph_.leaves[b] && !only_leaves(function_, b, effects_)) ways.push_back(b);
        }
        // With very many exits program order has to do: counting is quadratic.
        std::vector<std::uint32_t> reached_from(count, 0);
        if (std::uint64_t{ways.size()} * count < 4'000'000) {
            for (std::uint32_t const way : ways) reached_from[way] = mark(way, std::vector<bool>(count, false));
        }
        auto const is_trap = [&](std::uint32_t b) { return effects_[function_.blocks[b].last] == Effect::trap; };
        std::sort(ways.begin(), ways.end(), [&](std::uint32_t a, std::uint32_t b) {
            if (is_trap(a) != is_trap(b)) return is_trap(b);
            return reached_from[a] != reached_from[b] ? reached_from[a] > reached_from[b] : a > b;
        });
        std::vector<std::uint32_t> way_of(count, ir::none);
        std::vector<bool> taken(count, false);
        for (std::uint32_t const way : ways) {
            if (taken[way]) {
                graph_.leaves[way] = false;
                continue;
            }
            std::vector<std::uint32_t> pending{way};
            taken[way] = true;
            while (!pending.empty()) {
                std::uint32_t const b = pending.back();
                pending.pop_back();
                way_of[b] = way;
                for (std::uint32_t const p : predecessors_[b]) {
                    if (!taken[p]) {
                        taken[p] = true;
                        pending.push_back(p);
                    }
                }
            }
        }
        graph_.successors = filtered(
            graph_.successors, [&](std::uint32_t b, std::uint32_t next) { return way_of[next] == way_of[b]; });
    }

    /// How many blocks can reach `from`, including `from`.
    std::uint32_t mark(std::uint32_t from, std::vector<bool> seen) const {
        std::vector<std::uint32_t> pending{from};
        seen[from] = true;
        std::uint32_t count = 0;
        while (!pending.empty()) {
            std::uint32_t const b = pending.back();
            pending.pop_back();
            ++count;
            for (std::uint32_t const p : predecessors_[b]) {
                if (!seen[p]) {
                    seen[p] = true;
                    pending.push_back(p);
                }
            }
        }
        return count;
    }

    Function const& function_;
    std::vector<Effect> const& effects_;
    FlowGraph graph_;
    ir::Lists predecessors_;
};

void find_reconvergence(Function& function, std::vector<Effect> const& effects) {
    FlowGraph graph{ir::successors_of(function), {}};
    for (std::uint32_t b = 0; b < function.blocks.size(); ++b) {
        graph.leaves.push_back(leaves(function, b, effects));
    }
    FlowGraph const staying = WaysOut(function, effects, graph).graph();
    std::vector<std::uint32_t> const meeting = ir::immediate_post_dominators(graph.successors, graph.leaves);
    std::vector<std::uint32_t> const staying_meet =
        ir::immediate_post_dominators(staying.successors, staying.leaves);
    for (std::size_t b = 0; b < function.blocks.size(); ++b) {
        // When all sides of a branch but one leave, those who stay have no reconvergence point of their own.
        bool const several_stay = staying.successors[b].size() > 1 && staying_meet[b] != ir::none;
        function.blocks[b].reconvergence = several_stay ? staying_meet[b] : meeting[b];
    }
}

}  // namespace

void build_control_flow(ir::Module const& module, ir::Function& function) {
    function.blocks.clear();
    function.block_of.clear();
    if (function.instructions.empty()) {
        return;
    }
    std::vector<Effect> effects;
    effects.reserve(function.instructions.size());
    for (Instruction const& instruction : function.instructions) {
        effects.push_back(ir::effect(module, instruction));
    }
    split_into_blocks(function, effects);
    find_successors(function, effects);
    find_reconvergence(function, effects);
}

void lay_out_registers(ir::Module const& module, ir::Function& function) {
    ir::RegisterLists const registers = ir::list_registers(module, function);
    function.layout = ir::share_columns(function, ir::find_liveness(ir::uses_of(function, registers)));
}

}  // namespace warpsim::frontend
