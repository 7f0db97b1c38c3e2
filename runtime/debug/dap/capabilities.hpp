// What clients may ask for.
#pragma once

#include "runtime/debug/dap/message.hpp"

namespace warpsim::debug::dap {

inline Json capabilities() {
    Json all = Json::object();
    for (char const* const name : {"supportsConfigurationDoneRequest",
                                   "supportsFunctionBreakpoints",
                                   "supportsConditionalBreakpoints",
                                   "supportsHitConditionalBreakpoints",
                                   "supportsLogPoints",
                                   "supportsRestartRequest",
                                   "supportsEvaluateForHovers",
                                   "supportsStepBack",
                                   "supportsSetVariable",
                                   "supportsSetExpression",
                                   "supportsExceptionFilterOptions",
                                   "supportsExceptionInfoRequest",
                                   "supportsDelayedStackTraceLoading",
                                   "supportsTerminateRequest",
                                   "supportTerminateDebuggee",
                                   "supportsDataBreakpoints",
                                   "supportsReadMemoryRequest",
                                   "supportsWriteMemoryRequest",
                                   "supportsDisassembleRequest",
                                   "supportsSteppingGranularity",
                                   "supportsInstructionBreakpoints",
                                   "supportsValueFormattingOptions"})
        all[name] = true;
    auto const filter = [](char const* name, char const* label, char const* what, bool is_default) {
        return Json{{"filter", name},
                    {"label", label},
                    {"description", what},
                    {"default", is_default},
                    {"supportsCondition", true},
                    {"conditionDescription", "an expression of the thread, such as threadIdx.x == 3"}};
    };
    all["exceptionBreakpointFilters"] = {
        filter("fault", "Faults", "Stop before the instruction that faults", true),
        filter("divergence", "Divergence", "Stop where lanes of a warp part", false),
        filter("barrier", "Barriers", "Stop where lanes arrive at a barrier", false),
        filter("finding", "Findings of checkers", "Stop at the access that completes a finding (--check)", false)};
    return all;
}

}  // namespace warpsim::debug::dap
