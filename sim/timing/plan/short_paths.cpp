#include "sim/timing/plan/short_paths.hpp"

#include "frontend/ir/registers.hpp"
#include "frontend/isa/effect.hpp"
#include "frontend/isa/table.hpp"
#include "sim/timing/plan/cleanup.hpp"
#include "sim/timing/plan/expansion.hpp"

#include <algorithm>
#include <numeric>

namespace warpsim::timing {

namespace {

using isa::Effect;
using isa::StateSpace;

// Instructions of the hardware on a path, with the branch that ends it. Where loads end together with others, that the lanes wait for
// anyway, more of them cost little.
constexpr std::uint32_t most_instructions = 8, most_beside_loads = 20;

template <class... Others> constexpr bool is_any_of(Effect effect, Others... others) {
    return ((effect == others) || ...);
}

/// The registers whose values depend on those of others.
class Dependents {
public:
    Dependents(ir::Module const& module, ir::Function const& function)
        : module_(module), function_(function), is_one_(function.registers.size(), false) {}

    bool reads(std::uint32_t i) const {
        bool any = false;
        ir::for_each_register(module_, function_, function_.instructions[i],
                              [&](std::uint32_t reg, bool is_written) { any |= !is_written && is_one_[reg]; });
        return any;
    }
    /// What it writes is a value of them, or is none any more.
    void write(std::uint32_t i, bool is_one) {
        ir::Instruction const& instruction = function_.instructions[i];
        ir::for_each_register(module_, function_, instruction, [&](std::uint32_t reg, bool is_written) {
            if (is_written && (is_one || instruction.guard == ir::none)) is_one_[reg] = is_one;
        });
    }
    void add(std::uint32_t reg) { is_one_[reg] = true; }
    bool has(std::uint32_t reg) const { return is_one_[reg]; }

private:
    ir::Module const& module_;
    ir::Function const& function_;
    std::vector<bool> is_one_;
};

}  // namespace

bool ShortPaths::are_guarded(ir::Block const& head, std::span<Path const> paths, ir::Block const& meet) {
    auto const loads = [&](Path const& path) {
        for (std::uint32_t i = path.first; i <= path.last && path.length() != 0; ++i) {
            if (is_long_load(i)) return true;
        }
        return false;
    };
    bool const has_loads = std::any_of(paths.begin(), paths.end(), loads);
    std::uint32_t const most = has_loads ? most_beside_loads : most_instructions;
    bool const are_short =
        std::all_of(paths.begin(), paths.end(), [&](Path const& path) { return size(path) <= most; });
    if (!are_short || !has_loads) return are_short;
    bool const on_all = paths.size() > 1 && std::all_of(paths.begin(), paths.end(), loads);
    return on_all || loads_wait_together(head, paths, meet);
}

std::uint32_t ShortPaths::size(Path const& path) {
    if (sizes_.empty()) find_sizes();
    std::uint32_t all = path.jumps ? 1 : 0;
    for (std::uint32_t i = path.first; i < path.first + path.length(); ++i) all += sizes_[i];
    return all;
}

/// Of the whole function as it would be with all its branches.
void ShortPaths::find_sizes() {
    MachineFunction m = machine_function(module_, function_, {});
    m.same_value.resize(function_.registers.size());
    std::iota(m.same_value.begin(), m.same_value.end(), 0u);
    clean_up(m, {}, ir::DominatorTree(function_), config_.compute_capability.number());
    std::vector<MicroOp> micros;
    for (std::uint32_t i = 0; i < m.instructions.size(); ++i) {
        micros.clear();
        if (m.instructions[i].fate == Fate::issued) expand_machine(m, i, config_, micros);
        sizes_.push_back(static_cast<std::uint16_t>(micros.size()));
    }
}

/// From memory that is far away.
bool ShortPaths::is_long_load(std::uint32_t i) const {
    ir::Instruction const& instruction = function_.instructions[i];
    StateSpace const space = module_.forms[instruction.form].space;
    return ir::effect(module_, instruction) == Effect::load &&
           (space == StateSpace::global || space == StateSpace::local || space == StateSpace::generic);
}

/// Without the branch lanes that would have passed over the loads wait for them. That is free where they wait for other loads at
/// the same time, or for nothing yet.
bool ShortPaths::loads_wait_together(ir::Block const& head, std::span<Path const> paths,
                                     ir::Block const& meet) const {
    if (leaves_loads_under_way(head)) return true;
    // For 9.0 stores to shared memory make nothing wait.
    bool const counts_shared = config_.compute_capability.number() < 90;
    Dependents loaded(module_, function_);
    bool is_stored_far = false,
         is_stored_shared = false;  // a loaded value, so that what comes behind the store waits, too
    // Whether the instruction has to wait for the loads. Nothing but what comes behind it minds a store to shared memory.
    auto const waits = [&](std::uint32_t i) {
        ir::Instruction const& instruction = function_.instructions[i];
        Effect const effect = ir::effect(module_, instruction);
        bool const depends = loaded.reads(i);
        loaded.write(i, depends || (is_long_load(i) && i < meet.first));
        bool const is_shared = module_.forms[instruction.form].space == StateSpace::shared;
        if (effect == Effect::store && is_shared && !counts_shared) return false;
        bool const is_in_order = isa::is_access(effect) || isa::synchronises(effect);
        bool const is_behind = is_any_of(effect, Effect::load, Effect::store)
                                   ? (is_shared ? is_stored_shared : is_stored_far)
                                   : is_in_order && (is_stored_far || is_stored_shared);
        if (is_behind || (effect == Effect::store && depends)) {
            is_stored_shared |= is_shared || effect != Effect::store;
            is_stored_far |= !is_shared;
        }
        return is_behind || (depends && !(effect == Effect::store && is_shared));
    };
    for (Path const& path : paths) {
        for (std::uint32_t i = path.first; i < path.first + path.length(); ++i) waits(i);
    }
    bool any = false;
    for (std::uint32_t i = meet.first; i <= end_of_next_path(meet); ++i) {
        bool const does = waits(i);
        if (is_long_load(i) && !does) return true;
        any |= does && i <= meet.last;
    }
    return !any;
}

/// The last instruction of the path behind the block, where that may be guarded as well; else of the block.
std::uint32_t ShortPaths::end_of_next_path(ir::Block const& block) const {
    if (block.successors.size() != 2 || block.last + 1 == function_.instructions.size()) return block.last;
    ir::Block const& next = function_.blocks[function_.block_of[block.last + 1]];
    bool const comes_back = next.successors.size() == 1 && next.successors[0] == block.reconvergence;
    return comes_back ? next.last : block.last;
}

/// Whether a value is loaded that nothing waits for before the branch.
bool ShortPaths::leaves_loads_under_way(ir::Block const& head) const {
    Dependents awaited(module_, function_);  // what they depend on, from the last instruction on
    bool is_passed = true;  // a store to shared memory, by loads of the path: no barrier is behind it
    for (std::uint32_t i = head.last + 1; i-- > head.first;) {
        ir::Instruction const& instruction = function_.instructions[i];
        Effect const effect = ir::effect(module_, instruction);
        bool const is_shared = module_.forms[instruction.form].space == StateSpace::shared;
        is_passed &= !isa::synchronises(effect);
        bool const may_wait =
            is_any_of(effect, Effect::lanes, Effect::move, Effect::convert_address, Effect::load) ||
            (effect == Effect::store && is_shared && is_passed);
        bool is_awaited = !may_wait, is_written = false;
        ir::for_each_register(module_, function_, instruction, [&](std::uint32_t reg, bool writes) {
            is_written |= writes;
            is_awaited |= writes && awaited.has(reg);
        });
        if (is_long_load(i) && is_written && !is_awaited) return true;
        if (!is_awaited) continue;
        ir::for_each_register(module_, function_, instruction, [&](std::uint32_t reg, bool writes) {
            if (!writes) awaited.add(reg);
        });
    }
    return false;
}

}  // namespace warpsim::timing
