#include "sim/exec/unset_registers.hpp"

#include "frontend/ir/registers.hpp"

#include <cstdint>

namespace warpsim::sim {

namespace {

// Registers times blocks, a bit each.
constexpr std::size_t most_bits = std::size_t{1} << 25;

/// Which registers have been written on every way to a block, by blocks.
class Written {
public:
    Written(ir::Module const& module, ir::Function const& function)
        : module_(module),
          function_(function),
          before_(function.blocks.size(), std::vector<bool>(function.registers.size(), true)) {
        before_.front().assign(function.registers.size(), false);
    }

    std::vector<bool> find_unset() {
        std::vector<std::uint32_t> open{0};
        std::vector<bool> seen(function_.blocks.size(), false);
        seen[0] = true;
        std::vector<bool> unset(function_.registers.size(), false);
        while (!open.empty()) {
            std::uint32_t const b = open.back();
            open.pop_back();
            std::vector<bool> const after = walk(b, unset);
            for (std::uint32_t const next : function_.blocks[b].successors) {
                if (!meet(before_[next], after) && seen[next]) continue;
                seen[next] = true;
                open.push_back(next);
            }
        }
        return unset;
    }

private:
    /// What is found read too early stays so: blocks are walked again with fewer registers written only.
    std::vector<bool> walk(std::uint32_t b, std::vector<bool>& unset) const {
        std::vector<bool> written = before_[b];
        ir::Block const& block = function_.blocks[b];
        for (std::uint32_t i = block.first; i <= block.last; ++i) {
            ir::Instruction const& instruction = function_.instructions[i];
            ir::for_each_register(module_, function_, instruction, [&](std::uint32_t reg, bool is_written) {
                if (!is_written && !written[reg]) unset[reg] = true;
            });
            if (instruction.guard != ir::none) continue;
            ir::for_each_register(module_, function_, instruction, [&](std::uint32_t reg, bool is_written) {
                if (is_written) written[reg] = true;
            });
        }
        return written;
    }

    static bool meet(std::vector<bool>& into, std::vector<bool> const& other) {
        bool changed = false;
        for (std::size_t r = 0; r < into.size(); ++r) {
            if (!into[r] || other[r]) continue;
            into[r] = false;
            changed = true;
        }
        return changed;
    }

    ir::Module const& module_;
    ir::Function const& function_;
    std::vector<std::vector<bool>> before_;
};

}  // namespace

std::vector<bool> unset_registers(ir::Module const& module, ir::Function const& function) {
    if (function.blocks.empty() || function.blocks.size() * function.registers.size() > most_bits) {
        return std::vector<bool>(function.registers.size(), true);
    }
    return Written(module, function).find_unset();
}

}  // namespace warpsim::sim
