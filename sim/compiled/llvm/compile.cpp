#include "sim/compiled/compiler_module.hpp"
#include "sim/compiled/llvm/function_emitter.hpp"
#include "sim/compiled/llvm/link_image.hpp"
#include "sim/compiled/llvm/native_code.hpp"

#include <llvm/Config/llvm-config.h>
#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <mutex>
#include <stdexcept>

namespace warpsim::sim {

namespace {

/// LLVM would print what it has to say, as that a loop is not vectorised, and end the program on an error. Before every
/// pass it asks whether anybody wants remarks of their sizes: where it could be made to wait.
class Listener : public llvm::DiagnosticHandler {
public:
    Listener(std::function<void()> const& between_passes, bool& has_failed)
        : between_passes_(between_passes), has_failed_(has_failed) {}
    bool handleDiagnostics(llvm::DiagnosticInfo const& info) override {
        has_failed_ = has_failed_ || info.getSeverity() == llvm::DS_Error;
        return true;
    }
    bool isAnalysisRemarkEnabled(llvm::StringRef /*pass*/) const override {
        if (between_passes_) between_passes_();
        return false;
    }

private:
    std::function<void()> const& between_passes_;
    bool& has_failed_;
};

/// Kernels of more ops are compiled in less time, and do less themselves; splits of some lanes are too few to be worth more.
constexpr std::size_t large = 400, large_for_some = 40;

/// The ops that are to be compiled.
std::size_t size_of(CompileRequest const& request) {
    std::size_t ops = 0;
    for (auto const& flow : request.flow) ops += flow ? flow->ops.size() : 0;
    return ops;
}

/// A kernel's functions on their way to native code.
class KernelCompiler {
public:
    explicit KernelCompiler(CompileRequest const& request) : request_(request), plan_(request.plan) {
        static std::once_flag once;
        std::call_once(once, [] {
            llvm::InitializeNativeTarget();
            llvm::InitializeNativeTargetAsmPrinter();
        });
        context_.setDiagnosticHandler(std::make_unique<Listener>(request.between_passes, has_failed_));
        machine_ = host_machine(request.target.host, is_large_ || !for_all() ? Effort::quick : Effort::usual);
        functions_.resize(plan_.functions.size());
    }

    /// Functions without code are interpreted.
    void emit() {
        LaneLibrary library(context_);
        for (FunctionPlan const& function : plan_.functions) {
            auto const& flow = request_.flow[function.plan_index];
            if (!flow) continue;
            check_lanes(*flow, library);
            emit_function(function, *flow, library);
        }
        library.link(module_);
        module_.setDataLayout(machine_->createDataLayout());
        module_.setTargetTriple(machine_->getTargetTriple().str());
        for (llvm::Function& function : module_) {
            function.addFnAttr("target-cpu", machine_->getTargetCPU());
            function.addFnAttr("target-features", machine_->getTargetFeatureString());
            if (request_.target.host == isa::HostIsa::avx512) function.addFnAttr("prefer-vector-width", "512");
            if (!function.isDeclaration() && function.getName().startswith("warpsim.")) {
                function.setLinkage(llvm::Function::ExternalLinkage);
                function.removeFnAttr(llvm::Attribute::AlwaysInline);
            }
        }
        std::string problems;
        llvm::raw_string_ostream stream(problems);
        if (llvm::verifyModule(module_, &stream)) throw std::runtime_error("wrong IR: " + stream.str());
    }
    void optimise() {
        optimise_lanes(module_, *machine_);
        optimise_functions(module_, *machine_);
        if (has_failed_) throw std::runtime_error("LLVM cannot compile it");
    }

    std::string text() {
        std::string text;
        llvm::raw_string_ostream stream(text);
        module_.print(stream, nullptr);
        return stream.str() + "\n" + assembly_of(module_, *machine_);
    }

    CodeImage finish() {
        CodeImage image;
        image.functions.resize(functions_.size());
        std::vector<std::string> names(functions_.size());
        for (std::size_t i = 0; i < functions_.size(); ++i) {
            CompiledFunction& from = functions_[i];
            if (from.entries.empty()) continue;
            names[i] = name_of(i);
            image.functions[i] = {0, std::move(from.entries), std::move(from.edges), from.ops_compiled};
        }
        link_image(object_of(module_, *machine_), names, image);
        if (has_failed_) throw std::runtime_error("LLVM has no native code for it");
        return image;
    }

private:
    bool for_all() const { return request_.lanes == CodeLanes::all; }
    std::string name_of(std::size_t function) const {
        return "warpsim." + std::to_string(function) + (for_all() ? ".all" : ".some");
    }

    /// The library has every lane function that the flow found in the tables.
    void check_lanes(CodeFlow const& flow, LaneLibrary& library) {
        for (CompiledOp const& op : flow.ops) {
            if (op.lanes && library.wrapper(module_, *op.lanes) == nullptr)
                throw std::runtime_error("a lane function is not in the library");
        }
    }
    void emit_function(FunctionPlan const& function, CodeFlow const& flow, LaneLibrary& library) {
        CompiledFunction& compiled = functions_[function.plan_index];
        for (CompiledOp const& op : flow.ops) compiled.ops_compiled += op.is_compiled ? 1 : 0;
        bool const has_masks = request_.target.host == isa::HostIsa::avx512;
        FunctionEmitter emitter(plan_, function, flow, {request_.target.counts, is_large_, has_masks}, module_,
                                library);
        emitter.emit(name_of(function.plan_index), for_all(), compiled);
    }

    CompileRequest const& request_;
    KernelPlan const& plan_;
    bool const is_large_ = size_of(request_) > (for_all() ? large : large_for_some);
    bool has_failed_ = false;
    llvm::LLVMContext context_;
    std::unique_ptr<llvm::TargetMachine> machine_;
    llvm::Module module_{"kernel", context_};
    std::vector<CompiledFunction> functions_;
};

CodeImage compile(CompileRequest const& request) {
    KernelCompiler compiler(request);
    compiler.emit();
    compiler.optimise();
    return compiler.finish();
}

std::string print(CompileRequest const& request) {
    KernelCompiler compiler(request);
    compiler.emit();
    compiler.optimise();
    return compiler.text();
}

}  // namespace

}  // namespace warpsim::sim

extern "C" {
[[gnu::visibility("default")]] extern warpsim::sim::CompilerModule const warpsim_compiler_module;
warpsim::sim::CompilerModule const warpsim_compiler_module{warpsim::sim::CompilerModule::own_layout(),
                                                           "LLVM " LLVM_VERSION_STRING, &warpsim::sim::compile,
                                                           &warpsim::sim::print};
}
