// Functions with random registers, guards and edges, for comparing an analysis with a slow one.
#pragma once

#include "frontend/ir/analysis/register_uses.hpp"

#include <cstdint>
#include <random>

namespace warpsim::test {

/// Blocks and what their instructions read and write; operands are left out.
struct RandomFunction {
    ir::Function function;
    ir::RegisterLists lists;

    RandomFunction(std::mt19937& random, std::uint32_t blocks, std::uint32_t registers, std::uint32_t longest) {
        for (std::uint32_t reg = 0; reg < registers; ++reg) {
            constexpr ir::Type types[] = {ir::Type::b32, ir::Type::pred, ir::Type::b64, ir::Type::b128};
            function.registers.push_back({"", types[random() % 4]});
        }
        for (std::uint32_t b = 0; b < blocks; ++b) {
            auto const first = static_cast<std::uint32_t>(function.instructions.size());
            for (std::uint32_t i = 0; i < 1 + random() % longest; ++i) {
                function.instructions.emplace_back().guard = random() % 3 == 0 ? 0 : ir::none;
                for (ir::Lists* lists_of_kind : {&lists.reads, &lists.writes}) {
                    for (auto n = random() % 3; n > 0; --n) {
                        lists_of_kind->items.push_back(static_cast<std::uint32_t>(random() % registers));
                    }
                    lists_of_kind->end_list();
                }
            }
            auto const last = static_cast<std::uint32_t>(function.instructions.size() - 1);
            ir::Block& block =
                function.blocks.emplace_back(ir::Block{.first = first, .last = last, .successors = {}});
            for (auto n = random() % 3; n > 0; --n) {
                block.successors.push_back(static_cast<std::uint32_t>(random() % blocks));
            }
        }
    }
};

}  // namespace warpsim::test
