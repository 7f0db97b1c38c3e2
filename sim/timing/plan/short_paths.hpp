// Which paths a compiler executes under guards rather than branch around them. The rules are those that code of ptxas 13.0 for 7.5
// to 9.0 shows, of which paths were varied one instruction at a time.
#pragma once

#include "frontend/ir/module.hpp"
#include "sim/config/config.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace warpsim::timing {

/// Instructions [first, last]. May be empty: `last` is before `first` then.
struct Path {
    std::uint32_t first, last;
    bool jumps = false;  // over the other path, by a branch behind `last`

    std::uint32_t length() const { return last + 1 - first; }
};

class ShortPaths {
public:
    ShortPaths(ir::Module const& module, ir::Function const& function, sim::Config const& config)
        : module_(module), function_(function), config_(config) {}

    /// Whether the paths between the block `head`, which ends in a branch, and the block `meet` are guarded: one path that
    /// the branch passes over, or two.
    bool are_guarded(ir::Block const& head, std::span<Path const> paths, ir::Block const& meet);

private:
    std::uint32_t size(Path const& path);
    void find_sizes();
    bool loads_wait_together(ir::Block const& head, std::span<Path const> paths, ir::Block const& meet) const;
    bool leaves_loads_under_way(ir::Block const& head) const;
    std::uint32_t end_of_next_path(ir::Block const& block) const;
    bool is_long_load(std::uint32_t i) const;

    ir::Module const& module_;
    ir::Function const& function_;
    sim::Config const& config_;
    std::vector<std::uint16_t> sizes_;  // per instruction, where nothing is guarded; empty: not known yet
};

}  // namespace warpsim::timing
