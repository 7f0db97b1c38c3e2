// What the planners of mbarriers and asynchronous copies have in common.
#pragma once

#include "sim/exec/function_planner.hpp"

namespace warpsim::sim {

/// The op of an asynchronous effect, which AsyncOperations carries out.
void emit_asynchronous(FunctionPlanner& p, Asynchronous const& a);
/// The reduction that the mnemonic names, on elements of its type.
void choose_reduction(FunctionPlanner& p, Asynchronous& a);

/// cp.async.bulk.tensor, cp.reduce.async.bulk.tensor and cp.async.bulk.prefetch.tensor.
void plan_tensor_copy(FunctionPlanner& p, FunctionPlanner::Operands operands);

}  // namespace warpsim::sim
