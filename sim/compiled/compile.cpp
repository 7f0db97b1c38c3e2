#include "sim/compiled/compile.hpp"

#include "sim/compiled/compiler_module.hpp"
#include "sim/own_file.hpp"

#include <algorithm>
#include <chrono>
#include <cpuid.h>
#include <dlfcn.h>
#include <exception>
#include <utility>

namespace warpsim::sim {

namespace {

/// Larger functions would take seconds to compile; more of them, too much memory.
constexpr std::size_t most_ops = 6000, most_ops_of_kernel = 20000;

/// Loading LLVM takes longer than many a program runs: only those that compile something do.
CompilerModule const* load_module() {
    std::string const path = own_file("libwarpsim_compiler.so");
    void* const library = path.empty() ? nullptr : dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return nullptr;
    auto const* const module = static_cast<CompilerModule const*>(dlsym(library, compiler_symbol));
    if (module != nullptr && module->layout == CompilerModule::own_layout()) return module;
    dlclose(library);
    return nullptr;
}

CompilerModule const* compiler_module() {
    static CompilerModule const* const module = load_module();
    return module;
}

KernelFlow flow_of(KernelPlan const& plan, isa::HostIsa host) {
    KernelFlow flow;
    std::size_t left = most_ops_of_kernel;
    for (FunctionPlan const& function : plan.functions) {
        bool const is_small = function.ops.size() <= std::min(most_ops, left);
        if (is_small) left -= function.ops.size();
        flow.push_back(is_small ? find_flow(plan, function, host) : std::nullopt);
    }
    return flow;
}

}  // namespace

std::string compiler_version() {
    return compiler_module() == nullptr ? std::string() : std::string(compiler_module()->version);
}

std::string host_name(isa::HostIsa host) {
    std::string name(isa::name(host));
    if (host != isa::HostIsa::avx512) return name;
    // What the compiler asks the processor for its name and its features.
    for (auto const& [leaf, part] :
         {std::pair{0u, 0u}, {1u, 0u}, {7u, 0u}, {7u, 1u}, {0xdu, 1u}, {0x80000001u, 0u}}) {
        unsigned words[4] = {};
        __get_cpuid_count(leaf, part, &words[0], &words[1], &words[2], &words[3]);
        if (leaf == 1) words[1] = 0;  // which core this is
        for (unsigned const word : words) name += "," + std::to_string(word);
    }
    return name;
}

Compilation compile_kernel(KernelPlan const& plan, CodeTarget const& target, CodeLanes lanes,
                           std::function<void()> const& between_passes) {
    auto const start = std::chrono::steady_clock::now();
    if (compiler_module() == nullptr) return {std::nullopt, "not compiled: this warpsim was built without LLVM"};
    try {
        KernelFlow const flow = flow_of(plan, target.host);
        Compilation result{compiler_module()->compile({plan, flow, target, lanes, between_passes}), {}};
        std::size_t ops = 0, compiled = 0;
        for (FunctionPlan const& function : plan.functions) {
            ops += function.ops.size();
            compiled += result.image->functions[function.plan_index].ops_compiled;
        }
        std::chrono::duration<double, std::milli> const took = std::chrono::steady_clock::now() - start;
        result.note = std::to_string(compiled) + " of " + std::to_string(ops) + " operations compiled for " +
                      (lanes == CodeLanes::all ? "all" : "some") + " lanes in " +
                      std::to_string(static_cast<int>(took.count() + 0.5)) + " ms";
        return result;
    } catch (std::exception const& error) {
        return {std::nullopt, std::string("not compiled: ") + error.what()};
    }
}

std::string print_code(KernelPlan const& plan, CodeTarget const& target) {
    if (compiler_module() == nullptr) return {};
    KernelFlow const flow = flow_of(plan, target.host);
    return compiler_module()->print({plan, flow, target, CodeLanes::all, {}}) +
           compiler_module()->print({plan, flow, target, CodeLanes::some, {}});
}

}  // namespace warpsim::sim
