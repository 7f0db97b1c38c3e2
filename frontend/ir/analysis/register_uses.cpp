#include "frontend/ir/analysis/register_uses.hpp"

#include "frontend/ir/registers.hpp"

namespace warpsim::ir {

RegisterLists list_registers(Module const& module, Function const& function) {
    RegisterLists lists;
    lists.reads.first.reserve(function.instructions.size() + 1);
    lists.writes.first.reserve(function.instructions.size() + 1);
    lists.reads.items.reserve(2 * function.instructions.size());
    lists.writes.items.reserve(function.instructions.size());
    for (Instruction const& instruction : function.instructions) {
        for_each_register(module, function, instruction, [&](std::uint32_t reg, bool is_written) {
            (is_written ? lists.writes : lists.reads).items.push_back(reg);
        });
        lists.reads.end_list();
        lists.writes.end_list();
    }
    return lists;
}

RegisterUses uses_of(Function const& function, RegisterLists const& lists) {
    RegisterUses uses{function, lists.reads, lists.writes, std::vector<bool>(function.instructions.size())};
    for (std::size_t i = 0; i < function.instructions.size(); ++i) {
        uses.keeps_old[i] = function.instructions[i].guard != none;
    }
    return uses;
}

}  // namespace warpsim::ir
