#include "sim/compiled/compiler_module.hpp"
#include "sim/compiled/llvm/function_emitter.hpp"
#include "sim/compiled/llvm/link_image.hpp"
#include "sim/compiled/llvm/native_code.hpp"

#include <algorithm>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <mutex>
#include <stdexcept>
#include <utility>

namespace warpsim::sim {

namespace {

/// A function whose frame is larger is not compiled: threads that run kernels have stacks of 4 MiB or 8. Where registers are
/// not allocated well, every column of a huge function lies in its frame.
constexpr char const* most_frame_bytes = "3145728";

/// LLVM would print what it has to say, as that a loop is not vectorised, and end the program on an error. Before every
/// pass it asks whether anybody wants remarks of their sizes: where it could be made to wait.
class Listener : public llvm::DiagnosticHandler {
public:
    Listener(std::function<void()> const& between_passes, bool& has_failed)
        : between_passes_(between_passes), has_failed_(has_failed) {}
    bool handleDiagnostics(llvm::DiagnosticInfo const& info) override {
        has_failed_ = has_failed_ || info.getSeverity() == llvm::DS_Error || info.getKind() == llvm::DK_StackSize;
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
/// So are those of which each thread executes every op once at most.
constexpr std::size_t large_without_loops = 60;

/// The ops that are to be compiled.
std::size_t size_of(CompileRequest const& request) {
    std::size_t ops = 0;
    for (auto const& flow : request.flow) ops += flow ? flow->ops.size() : 0;
    return ops;
}

/// Instructions of LLVM of which a function is huge: with all that are merged where its ways meet, it would be compiled for
/// half a minute.
constexpr std::size_t huge = 60000, huge_for_some = 30000;

bool has_loops(KernelPlan const& plan) {
    auto const repeats = [](FunctionPlan const& function) {
        for (std::size_t i = 0; i < function.ops.size(); ++i) {
            if (function.ops[i].kind == OpKind::branch && function.ops[i].target <= i) return true;
        }
        return false;
    };
    return std::any_of(plan.functions.begin(), plan.functions.end(), repeats);
}

Effort effort_for(CompileRequest const& request) {
    std::size_t const most = has_loops(request.plan) ? large : large_without_loops;
    return request.lanes == CodeLanes::some || size_of(request) > most ? Effort::quick : Effort::usual;
}

/// A kernel's functions on their way to native code.
class KernelCompiler {
public:
    KernelCompiler(CompileRequest const& request, ReadyLanes& lanes)
        : request_(request), plan_(request.plan), lanes_(lanes) {
        lanes_.context().setDiagnosticHandler(std::make_unique<Listener>(request.between_passes, has_failed_));
        machine_ = host_machine(request.target.host, effort_for(request));
        functions_.resize(plan_.functions.size());
    }

    ~KernelCompiler() { lanes_.context().setDiagnosticHandler(std::make_unique<llvm::DiagnosticHandler>()); }
    KernelCompiler(KernelCompiler const&) = delete;
    KernelCompiler& operator=(KernelCompiler const&) = delete;

    /// Functions without code are interpreted.
    void emit() {
        for (FunctionPlan const& function : plan_.functions) {
            auto const& flow = request_.flow[function.plan_index];
            if (!flow) continue;
            check_lanes(*flow);
            emit_function(function, *flow);
        }
        lanes_.link(module_);
        module_.setDataLayout(machine_->createDataLayout());
        module_.setTargetTriple(machine_->getTargetTriple().str());
        for (llvm::Function& function : module_) {
            set_host(function, request_.target.host, *machine_);
            function.addFnAttr("warn-stack-size", most_frame_bytes);
        }
        std::string problems;
        llvm::raw_string_ostream stream(problems);
        if (llvm::verifyModule(module_, &stream)) throw std::runtime_error("wrong IR: " + stream.str());
    }
    void optimise() {
        for (llvm::Function const& function : module_) {
            bool const is_kept = !function.hasInternalLinkage();
            if (is_kept && function.getInstructionCount() > (for_all() ? huge : huge_for_some)) is_huge_ = true;
        }
        optimise_kernel(module_, *machine_, is_huge_);
        if (has_failed_) throw std::runtime_error("LLVM cannot compile it");
    }

    std::string text() {
        std::string text;
        llvm::raw_string_ostream stream(text);
        module_.print(stream, nullptr);
        return stream.str() + "\n" + assembly_of(module_, *machine_, is_huge_);
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
        link_image(object_of(module_, *machine_, is_huge_), names, image);
        if (has_failed_) throw std::runtime_error("LLVM has no native code for it, or of too large a frame");
        return image;
    }

private:
    bool for_all() const { return request_.lanes == CodeLanes::all; }
    std::string name_of(std::size_t function) const {
        return "warpsim." + std::to_string(function) + (for_all() ? ".all" : ".some");
    }

    /// The library has every lane function that the flow found in the tables.
    void check_lanes(CodeFlow const& flow) const {
        for (CompiledOp const& op : flow.ops) {
            if (op.lanes && !lanes_.has(*op.lanes))
                throw std::runtime_error("a lane function is not in the library");
        }
    }
    void emit_function(FunctionPlan const& function, CodeFlow const& flow) {
        CompiledFunction& compiled = functions_[function.plan_index];
        for (CompiledOp const& op : flow.ops) compiled.ops_compiled += op.is_compiled ? 1 : 0;
        bool const has_masks = request_.target.host == isa::HostIsa::avx512;
        FunctionEmitter emitter(plan_, function, flow, {request_.target.counts, is_large_, has_masks}, module_,
                                lanes_);
        emitter.emit(name_of(function.plan_index), for_all(), compiled);
    }

    CompileRequest const& request_;
    KernelPlan const& plan_;
    ReadyLanes& lanes_;
    bool const is_large_ = size_of(request_) > (for_all() ? large : large_for_some);
    bool is_huge_ = false, has_failed_ = false;
    std::unique_ptr<llvm::TargetMachine> machine_;
    llvm::Module module_{"kernel", lanes_.context()};
    std::vector<CompiledFunction> functions_;
};

/// What is kept between kernels.
class Workshop {
public:
    static Workshop& of_process() {
        static Workshop workshop;
        return workshop;
    }

    template <class Finish> auto compile(CompileRequest const& request, Finish&& finish) {
        std::lock_guard const lock(mutex_);
        std::unique_ptr<ReadyLanes>& lanes = lanes_[static_cast<std::size_t>(request.target.host)];
        try {
            if (std::exchange(ops_, ops_ + size_of(request)) > most_ops) begin_anew();
            if (!lanes) lanes = std::make_unique<ReadyLanes>(request.target.host);
            KernelCompiler compiler(request, *lanes);
            compiler.emit();
            compiler.optimise();
            return finish(compiler);
        } catch (...) {
            lanes.reset();  // of which some may not be ready
            throw;
        }
    }

private:
    // A context keeps the types and constants of all kernels that have been compiled in it.
    static constexpr std::size_t most_ops = 50000;

    Workshop() {
        llvm::InitializeNativeTarget();
        llvm::InitializeNativeTargetAsmPrinter();
    }
    void begin_anew() {
        for (auto& lanes : lanes_) lanes.reset();
        ops_ = 0;
    }

    std::mutex mutex_;
    std::unique_ptr<ReadyLanes> lanes_[3];  // by isa::HostIsa
    std::size_t ops_ = 0;
};

CodeImage compile(CompileRequest const& request) {
    return Workshop::of_process().compile(request, [](KernelCompiler& compiler) { return compiler.finish(); });
}

std::string print(CompileRequest const& request) {
    return Workshop::of_process().compile(request, [](KernelCompiler& compiler) { return compiler.text(); });
}

}  // namespace

}  // namespace warpsim::sim

extern "C" {
[[gnu::visibility("default")]] extern warpsim::sim::CompilerModule const warpsim_compiler_module;
warpsim::sim::CompilerModule const warpsim_compiler_module{warpsim::sim::CompilerModule::own_layout(),
                                                           "LLVM " LLVM_VERSION_STRING, &warpsim::sim::compile,
                                                           &warpsim::sim::print};
}
