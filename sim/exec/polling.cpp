#include "sim/exec/polling.hpp"

#include <algorithm>
#include <cstddef>

namespace warpsim::sim {

namespace {

constexpr std::size_t longest_loop = 32;  // ops

bool asks(FunctionPlan const& function, Op const& op) {
    if (op.kind != OpKind::load && op.kind != OpKind::atomic) return false;
    Access const& access = function.accesses[op.target];
    if (access.space != SpaceKind::global && access.space != SpaceKind::generic) return false;
    return op.kind == OpKind::load ? access.order != isa::Order::weak : access.swaps;
}

}  // namespace

bool may_poll(KernelPlan const& plan) {
    return std::any_of(plan.functions.begin(), plan.functions.end(), [](FunctionPlan const& function) {
        for (std::size_t end = 0; end < function.ops.size(); ++end) {
            Op const& branch = function.ops[end];
            if (branch.kind != OpKind::branch || branch.target > end || end - branch.target > longest_loop)
                continue;
            auto const first = function.ops.begin() + branch.target;
            auto const past = function.ops.begin() + static_cast<std::ptrdiff_t>(end);
            bool const writes = std::any_of(first, past, [](Op const& op) { return op.kind == OpKind::store; });
            if (!writes && std::any_of(first, past, [&](Op const& op) { return asks(function, op); })) return true;
        }
        return false;
    });
}

}  // namespace warpsim::sim
