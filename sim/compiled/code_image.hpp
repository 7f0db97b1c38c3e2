// Native code of a kernel as bytes that can stand anywhere in memory: in a file, or loaded and run. Knows no LLVM.
#pragma once

#include "sim/exec/compiled_code.hpp"
#include "sim/exec/op.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::sim {

/// What code is made for.
struct CodeTarget {
    isa::HostIsa host = isa::HostIsa::baseline;
    std::optional<Banks> counts;  // accesses are counted, and conflicts in such banks
};

/// Which warp splits code is for: those of all 32 lanes, or of any.
enum class CodeLanes : std::uint8_t { all, some };

/// The code for one kind of splits. It refers to itself by distances alone, and to functions of the C library by a table.
struct CodeImage {
    struct Function {
        std::uint32_t begin = 0;             // in `bytes`
        std::vector<std::uint32_t> entries;  // as in CompiledFunction; empty: it is interpreted
        std::vector<CompiledFunction::Edge> edges;
        std::uint32_t ops_compiled = 0;
    };
    std::string bytes;
    std::vector<std::string> imports;  // whose addresses stand at `imports_at`, one after the other
    std::uint32_t imports_at = 0;
    std::vector<Function> functions;  // by FunctionPlan::plan_index
};

std::string pack(CodeImage const& image);
/// None: these bytes are not what pack() made of code for such a plan.
std::optional<CodeImage> unpack(std::string_view bytes, KernelPlan const& plan);

/// The image in memory, ready to run, and with it what `others` has, which is for the other kind of splits. Null: there is
/// no such memory, or a function that it imports is not here.
std::shared_ptr<CompiledKernel const> load(CodeImage const& image, CodeLanes lanes,
                                           std::shared_ptr<CompiledKernel const> const& others);

}  // namespace warpsim::sim
