// What the module with the compiler gives to the room that loads it.
#pragma once

#include "sim/compiled/code_image.hpp"
#include "sim/compiled/flow.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace warpsim::sim {

/// Of each function of the plan, by its index there; none: it is not compiled.
using KernelFlow = std::vector<std::optional<CodeFlow>>;

struct CompileRequest {
    KernelPlan const& plan;
    KernelFlow const& flow;
    CodeTarget target;
    CodeLanes lanes = CodeLanes::all;
    std::function<void()> between_passes;  // is called again and again; only who compiles would wait meanwhile
};

struct CompilerModule {
    /// Of the structures that both sides must know alike.
    std::size_t layout = 0;
    char const* version = nullptr;
    /// Throw std::exception.
    CodeImage (*compile)(CompileRequest const&) = nullptr;
    std::string (*print)(CompileRequest const&) = nullptr;

    static constexpr std::size_t own_layout() {
        return sizeof(CompilerModule) + sizeof(CompileRequest) + sizeof(CodeImage) + 8 * sizeof(CompiledState) +
               16 * sizeof(WholeWarp) + 64 * sizeof(FunctionPlan) + 512 * sizeof(KernelPlan) +
               4096 * sizeof(CodeFlow) + 65536 * sizeof(Access);
    }
};

/// The only symbol that the module exports.
inline constexpr char compiler_symbol[] = "warpsim_compiler_module";

}  // namespace warpsim::sim
