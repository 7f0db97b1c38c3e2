// What the module with the compiler gives to the room that loads it.
#pragma once

#include "sim/compiled/flow.hpp"
#include "sim/exec/compiled_code.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace warpsim::sim {

/// Of each function of the plan, by its index there; none: it is not compiled.
using KernelFlow = std::vector<std::optional<CodeFlow>>;

struct CompilerModule {
    /// Of the structures that both sides must know alike.
    std::size_t layout = 0;
    char const* version = nullptr;
    /// Throw std::exception.
    std::shared_ptr<CompiledKernel const> (*compile)(KernelPlan const&, KernelFlow const&, isa::HostIsa) = nullptr;
    std::string (*print)(KernelPlan const&, KernelFlow const&, isa::HostIsa) = nullptr;

    static constexpr std::size_t own_layout() {
        return sizeof(CompilerModule) + 8 * sizeof(CompiledState) + 64 * sizeof(FunctionPlan) +
               512 * sizeof(KernelPlan) + 4096 * sizeof(CodeFlow) + 65536 * sizeof(Access);
    }
};

/// The only symbol that the module exports.
inline constexpr char compiler_symbol[] = "warpsim_compiler_module";

}  // namespace warpsim::sim
