#include "sim/compiled/llvm/hammock.hpp"

#include <cstring>

namespace warpsim::sim {

namespace {

/// Every branch of a function may begin one, and those inside of others are compiled again there.
constexpr std::uint32_t most_ops = 64;

class WaysFinder {
public:
    WaysFinder(KernelPlan const& plan, FunctionPlan const& function, CodeFlow const& flow)
        : plan_(plan), function_(function), flow_(flow), ways_{0, 0, ColumnSet(flow.columns.size())} {}

    std::optional<Ways> find(std::uint32_t from, std::uint32_t to) {
        return follow(from, to) ? std::optional(ways_) : std::nullopt;
    }

private:
    bool follow(std::uint32_t at, std::uint32_t to) {
        while (at != to) {
            Op const& op = function_.ops[at];
            bool const stays = flow_.ops[at].is_compiled && op.kind != OpKind::effect;
            if (at > to || ++ways_.ops > most_ops || !stays) return false;
            for (std::uint32_t const column : flow_.ops[at].writes) ways_.written.insert(column);
            if (op.is_primary && op.kind != OpKind::converge) ++ways_.instructions;
            if (op.kind != OpKind::branch) {
                ++at;
                continue;
            }
            if (op.target <= at) return false;
            if ((op.guard & 3) != static_cast<Slot>(isa::Base::frame)) {
                at = is_always_taken(plan_, op) ? op.target : at + 1;
                continue;
            }
            if (!may_part(op, to) || !follow(at + 1, op.reconverge) || !follow(op.target, op.reconverge))
                return false;
            at = op.reconverge;
        }
        return true;
    }
    /// Lanes that part where .uni promises that they do not are a fault, which the interpreter reports.
    bool may_part(Op const& op, std::uint32_t to) const {
        ir::Instruction const& instruction = function_.function->instructions[op.instruction];
        return op.reconverge <= to && !plan_.module->forms[instruction.form].uniform;
    }

    KernelPlan const& plan_;
    FunctionPlan const& function_;
    CodeFlow const& flow_;
    Ways ways_;
};

}  // namespace

bool is_always_taken(KernelPlan const& plan, Op const& op) {
    LaneMask mask = 0;
    std::memcpy(&mask, plan.constants.data() + (op.guard & ~3), sizeof mask);
    return (mask == isa::all_lanes) != op.guard_negated;
}

std::optional<Ways> find_ways(KernelPlan const& plan, FunctionPlan const& function, CodeFlow const& flow,
                              std::uint32_t from, std::uint32_t to) {
    return WaysFinder(plan, function, flow).find(from, to);
}

std::optional<Hammock> find_hammock(KernelPlan const& plan, FunctionPlan const& function, CodeFlow const& flow,
                                    std::uint32_t branch) {
    Op const& op = function.ops[branch];
    bool const goes_forward = op.target > branch && op.reconverge > branch && op.reconverge < function.ops.size();
    ir::Instruction const& instruction = function.function->instructions[op.instruction];
    if (!goes_forward || plan.module->forms[instruction.form].uniform) return std::nullopt;
    auto fall = find_ways(plan, function, flow, branch + 1, op.reconverge);
    auto taken = fall ? find_ways(plan, function, flow, op.target, op.reconverge) : std::nullopt;
    if (!taken) return std::nullopt;
    return Hammock{std::move(*fall), std::move(*taken)};
}

}  // namespace warpsim::sim
