#include "sim/compiled/compile.hpp"

#include "sim/compiled/compiler_module.hpp"

#include <chrono>
#include <dlfcn.h>
#include <exception>

namespace warpsim::sim {

namespace {

/// Larger functions would take seconds to compile.
constexpr std::size_t most_ops = 3000;

/// The folder of the program or library that this code is in.
std::string own_folder() {
    Dl_info info{};
    static int const here = 0;
    if (dladdr(&here, &info) == 0 || info.dli_fname == nullptr) return {};
    std::string const path = info.dli_fname;
    std::size_t const end = path.rfind('/');
    return end == std::string::npos ? "." : path.substr(0, end);
}

/// Loading LLVM takes longer than many a program runs: only those that compile something do.
CompilerModule const* load_module() {
    std::string const folder = own_folder();
    for (char const* const place : {"/", "/../lib/", "/../"}) {
        void* const library = dlopen((folder + place + "libwarpsim_compiler.so").c_str(), RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) continue;
        auto const* const module = static_cast<CompilerModule const*>(dlsym(library, compiler_symbol));
        if (module != nullptr && module->layout == CompilerModule::own_layout()) return module;
        dlclose(library);
    }
    return nullptr;
}

CompilerModule const* compiler_module() {
    static CompilerModule const* const module = load_module();
    return module;
}

KernelFlow flow_of(KernelPlan const& plan, isa::HostIsa host) {
    KernelFlow flow;
    for (FunctionPlan const& function : plan.functions) {
        bool const is_small = function.ops.size() <= most_ops;
        flow.push_back(is_small ? find_flow(plan, function, host) : std::nullopt);
    }
    return flow;
}

}  // namespace

std::string compiler_version() {
    return compiler_module() == nullptr ? std::string() : std::string(compiler_module()->version);
}

Compilation compile_kernel(KernelPlan const& plan, isa::HostIsa host) {
    auto const start = std::chrono::steady_clock::now();
    if (compiler_module() == nullptr) return {nullptr, "not compiled: this warpsim was built without LLVM"};
    try {
        Compilation result{compiler_module()->compile(plan, flow_of(plan, host), host), {}};
        std::size_t ops = 0, compiled = 0;
        for (FunctionPlan const& function : plan.functions) {
            ops += function.ops.size();
            compiled += result.kernel->functions[function.plan_index].ops_compiled;
        }
        std::chrono::duration<double, std::milli> const took = std::chrono::steady_clock::now() - start;
        result.note = std::to_string(compiled) + " of " + std::to_string(ops) + " operations compiled in " +
                      std::to_string(static_cast<int>(took.count() + 0.5)) + " ms";
        return result;
    } catch (std::exception const& error) {
        return {nullptr, std::string("not compiled: ") + error.what()};
    }
}

std::string print_code(KernelPlan const& plan, isa::HostIsa host) {
    return compiler_module() == nullptr ? std::string()
                                        : compiler_module()->print(plan, flow_of(plan, host), host);
}

}  // namespace warpsim::sim
