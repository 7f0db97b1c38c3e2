#include "frontend/decode/control_flow.hpp"

#include "frontend/decode/post_dominators.hpp"
#include "frontend/ir/registers.hpp"

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

/// Calls callback(instruction index) for every label that a branch may go to, in written order.
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
            // A label may stand behind the last instruction: a branch there leaves the function.
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

/// Branch targets in written order, then the block that control falls into; none of them twice.
void find_successors(Function& function, std::vector<Effect> const& effects) {
    // Tables of brx.idx may be long: a stamp per block finds repeats without a search.
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

/// Behind this block control may leave the function.
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

void find_reconvergence(Function& function, std::vector<Effect> const& effects) {
    FlowGraph graph;
    for (std::uint32_t b = 0; b < function.blocks.size(); ++b) {
        graph.successors.push_back(function.blocks[b].successors);
        graph.leaves.push_back(leaves(function, b, effects));
    }
    std::vector<std::uint32_t> const meeting = immediate_post_dominators(std::move(graph));
    for (std::size_t b = 0; b < function.blocks.size(); ++b) {
        function.blocks[b].reconvergence = meeting[b];
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

}  // namespace warpsim::frontend
