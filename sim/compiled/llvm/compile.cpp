#include "sim/compiled/compiler_module.hpp"
#include "sim/compiled/llvm/function_emitter.hpp"
#include "sim/compiled/llvm/native_code.hpp"

#include <llvm/Config/llvm-config.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <mutex>
#include <stdexcept>

namespace warpsim::sim {

namespace {

template <class T> T or_throw(llvm::Expected<T> value) {
    if (!value) throw std::runtime_error(llvm::toString(value.takeError()));
    return std::move(*value);
}

/// LLVM would print what it has to say, as that a loop is not vectorised, and end the program on an error.
thread_local bool has_failed = false;
void note_errors(llvm::DiagnosticInfo const& info, void* /*nothing*/) {
    has_failed = has_failed || info.getSeverity() == llvm::DS_Error;
}

/// A kernel's functions on their way to native code.
class KernelCompiler {
public:
    KernelCompiler(KernelPlan const& plan, isa::HostIsa host) : plan_(plan), host_(host) {
        static std::once_flag once;
        std::call_once(once, [] {
            llvm::InitializeNativeTarget();
            llvm::InitializeNativeTargetAsmPrinter();
        });
        has_failed = false;
        context_->setDiagnosticHandlerCallBack(note_errors);
        machine_ = or_throw(host_machine(host).createTargetMachine());
        module_ = std::make_unique<llvm::Module>("kernel", *context_);
        kernel_ = std::make_shared<CompiledKernel>();
        kernel_->functions.resize(plan.functions.size());
    }

    /// Functions without code are interpreted.
    void emit(KernelFlow const& flow) {
        LaneLibrary library(*context_);
        for (FunctionPlan const& function : plan_.functions) {
            if (!flow[function.plan_index]) continue;
            check_lanes(*flow[function.plan_index], library);
            emit_function(function, *flow[function.plan_index], library);
        }
        library.link(*module_);
        module_->setDataLayout(machine_->createDataLayout());
        module_->setTargetTriple(machine_->getTargetTriple().str());
        for (llvm::Function& function : *module_) {
            function.addFnAttr("target-cpu", machine_->getTargetCPU());
            function.addFnAttr("target-features", machine_->getTargetFeatureString());
            if (host_ == isa::HostIsa::avx512) function.addFnAttr("prefer-vector-width", "512");
            if (!function.isDeclaration() && function.getName().startswith("warpsim.")) {
                function.setLinkage(llvm::Function::ExternalLinkage);
                function.removeFnAttr(llvm::Attribute::AlwaysInline);
            }
        }
        std::string problems;
        llvm::raw_string_ostream stream(problems);
        if (llvm::verifyModule(*module_, &stream)) throw std::runtime_error("wrong IR: " + stream.str());
    }
    void optimise() {
        optimise_lanes(*module_, *machine_);
        optimise_functions(*module_, *machine_);
        if (has_failed) throw std::runtime_error("LLVM cannot compile it");
    }

    std::string text() {
        std::string text;
        llvm::raw_string_ostream stream(text);
        module_->print(stream, nullptr);
        return stream.str() + "\n" + assembly_of(*module_, *machine_);
    }

    std::shared_ptr<CompiledKernel const> finish() {
        std::shared_ptr<llvm::orc::LLJIT> const jit =
            or_throw(llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(host_machine(host_)).create());
        auto process = or_throw(llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
            jit->getDataLayout().getGlobalPrefix()));
        jit->getMainJITDylib().addGenerator(std::move(process));
        module_->setDataLayout(jit->getDataLayout());
        if (auto error = jit->addIRModule(llvm::orc::ThreadSafeModule(std::move(module_), std::move(context_))))
            throw std::runtime_error(llvm::toString(std::move(error)));
        for (std::size_t i = 0; i < kernel_->functions.size(); ++i) {
            CompiledFunction& function = kernel_->functions[i];
            if (function.entries.empty()) continue;
            function.all_lanes = or_throw(jit->lookup(name_of(i, true))).toPtr<CompiledRun>();
            function.some_lanes = or_throw(jit->lookup(name_of(i, false))).toPtr<CompiledRun>();
        }
        if (has_failed) throw std::runtime_error("LLVM has no native code for it");
        kernel_->code = jit;
        return kernel_;
    }

private:
    static std::string name_of(std::size_t function, bool all) {
        return "warpsim." + std::to_string(function) + (all ? ".all" : ".some");
    }

    /// The library has every lane function that the flow found in the tables.
    void check_lanes(CodeFlow const& flow, LaneLibrary& library) const {
        for (CompiledOp const& op : flow.ops) {
            if (op.lanes && library.wrapper(*module_, *op.lanes) == nullptr)
                throw std::runtime_error("a lane function is not in the library");
        }
    }
    void emit_function(FunctionPlan const& function, CodeFlow const& flow, LaneLibrary& library) {
        CompiledFunction& compiled = kernel_->functions[function.plan_index];
        for (CompiledOp const& op : flow.ops) compiled.ops_compiled += op.is_compiled ? 1 : 0;
        FunctionEmitter emitter(plan_, function, flow, *module_, library);
        emitter.emit(name_of(function.plan_index, true), true, compiled);
        emitter.emit(name_of(function.plan_index, false), false, compiled);
    }

    KernelPlan const& plan_;
    isa::HostIsa const host_;
    std::unique_ptr<llvm::LLVMContext> context_ = std::make_unique<llvm::LLVMContext>();
    std::unique_ptr<llvm::TargetMachine> machine_;
    std::unique_ptr<llvm::Module> module_;
    std::shared_ptr<CompiledKernel> kernel_;
};

std::shared_ptr<CompiledKernel const> compile(KernelPlan const& plan, KernelFlow const& flow, isa::HostIsa host) {
    KernelCompiler compiler(plan, host);
    compiler.emit(flow);
    compiler.optimise();
    return compiler.finish();
}

std::string print(KernelPlan const& plan, KernelFlow const& flow, isa::HostIsa host) {
    KernelCompiler compiler(plan, host);
    compiler.emit(flow);
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
