#include "sim/compiled/llvm/native_code.hpp"

#include "sim/compiled/llvm/first_lane.hpp"

#include <iterator>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/SubtargetFeature.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetOptions.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Mem2Reg.h>
#include <llvm/Transforms/Vectorize/LoopVectorize.h>
#include <mutex>
#include <stdexcept>

namespace warpsim::sim {

namespace {

/// What passes know, of a module for this machine.
class Analyses {
public:
    explicit Analyses(llvm::TargetMachine& machine) : builder_(&machine) {
        builder_.registerModuleAnalyses(modules);
        builder_.registerCGSCCAnalyses(groups_);
        builder_.registerFunctionAnalyses(functions);
        builder_.registerLoopAnalyses(loops_);
        builder_.crossRegisterProxies(loops_, functions, groups_, modules);
    }

private:
    llvm::PassBuilder builder_;
    llvm::LoopAnalysisManager loops_;
    llvm::CGSCCAnalysisManager groups_;

public:
    llvm::FunctionAnalysisManager functions;
    llvm::ModuleAnalysisManager modules;
};

void inline_calls(llvm::Module& module, Analyses& known) {
    llvm::ModulePassManager inlining;
    inlining.addPass(llvm::AlwaysInlinerPass(false));
    inlining.run(module, known.modules);
}

void add_promotion(llvm::FunctionPassManager& passes) {
    passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    passes.addPass(llvm::EarlyCSEPass(true));
}

void add_simplification(llvm::FunctionPassManager& passes) {
    add_promotion(passes);
    passes.addPass(llvm::InstCombinePass());
    passes.addPass(llvm::SimplifyCFGPass());
}

}  // namespace

std::unique_ptr<llvm::TargetMachine> host_machine(isa::HostIsa host, Effort effort) {
    // Registers are allocated well unless a function is huge: columns that are kept in memory cost more than anything else.
    static std::once_flag once;
    std::call_once(once, [] {
        constexpr char const* options[] = {"warpsim", "-optimize-regalloc"};
        llvm::cl::ParseCommandLineOptions(static_cast<int>(std::size(options)), options);
    });
    std::string const triple = llvm::sys::getProcessTriple();
    std::string error;
    llvm::Target const* const target = llvm::TargetRegistry::lookupTarget(triple, error);
    if (target == nullptr) throw std::runtime_error(error);
    std::string cpu = host == isa::HostIsa::avx2 ? "x86-64-v3" : "x86-64";
    llvm::SubtargetFeatures features;
    if (host == isa::HostIsa::avx512) {
        cpu = llvm::sys::getHostCPUName().str();
        llvm::StringMap<bool> known;
        llvm::sys::getHostCPUFeatures(known);
        for (auto const& feature : known) features.AddFeature(feature.first(), feature.second);
    }
    std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
        triple, cpu, features.getString(), llvm::TargetOptions(), llvm::Reloc::PIC_, llvm::CodeModel::Small,
        effort == Effort::usual ? llvm::CodeGenOpt::Default : llvm::CodeGenOpt::None));
    // What it makes in less time takes longer to allocate registers for.
    machine->setO0WantsFastISel(false);
    return machine;
}

void set_host(llvm::Function& function, isa::HostIsa host, llvm::TargetMachine const& machine) {
    for (char const* const name : {"tune-cpu", "min-legal-vector-width"}) function.removeFnAttr(name);
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    function.addFnAttr("target-features", machine.getTargetFeatureString());
    if (host == isa::HostIsa::avx512) function.addFnAttr("prefer-vector-width", "512");
}

void optimise_vectors(std::vector<llvm::Function*> const& wrappers, llvm::TargetMachine& machine) {
    Analyses known(machine);
    llvm::FunctionPassManager passes;
    add_simplification(passes);
    passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::IndVarSimplifyPass()));
    passes.addPass(llvm::LoopVectorizePass());
    passes.addPass(llvm::InstCombinePass());
    passes.addPass(llvm::LoopUnrollPass(llvm::LoopUnrollOptions(3)));
    add_simplification(passes);
    passes.addPass(llvm::ADCEPass());
    for (llvm::Function* const wrapper : wrappers) passes.run(*wrapper, known.functions);
}

void optimise_scalars(std::vector<llvm::Function*> const& wrappers, llvm::TargetMachine& machine) {
    Analyses known(machine);
    llvm::FunctionPassManager passes;
    add_simplification(passes);
    passes.addPass(FirstLanePass());
    passes.addPass(llvm::SimplifyCFGPass());
    passes.addPass(llvm::InstCombinePass());
    add_simplification(passes);
    passes.addPass(llvm::ADCEPass());
    for (llvm::Function* const wrapper : wrappers) passes.run(*wrapper, known.functions);
}

void optimise_kernel(llvm::Module& module, llvm::TargetMachine& machine, bool is_huge) {
    Analyses known(machine);
    inline_calls(module, known);

    llvm::FunctionPassManager passes;
    if (is_huge) add_promotion(passes);
    else add_simplification(passes);
    passes.addPass(llvm::ADCEPass());
    for (llvm::Function& function : module) {
        if (!function.isDeclaration() && !function.hasInternalLinkage()) passes.run(function, known.functions);
    }
}

namespace {

/// What LLVM knows only as an option of the process; kernels are compiled one at a time.
void choose_register_allocation(bool is_good) {
    llvm::cl::Option* const option = llvm::cl::getRegisteredOptions().lookup("optimize-regalloc");
    if (option != nullptr) option->addOccurrence(0, "optimize-regalloc", is_good ? "true" : "false", true);
}

llvm::SmallString<0> emitted(llvm::Module& module, llvm::TargetMachine& machine, llvm::CodeGenFileType type) {
    llvm::SmallString<0> bytes;
    llvm::raw_svector_ostream stream(bytes);
    llvm::legacy::PassManager passes;
    if (machine.addPassesToEmitFile(passes, stream, nullptr, type))
        throw std::runtime_error("LLVM cannot write such files");
    passes.run(module);
    return bytes;
}

}  // namespace

llvm::SmallString<0> object_of(llvm::Module& module, llvm::TargetMachine& machine, bool is_huge) {
    choose_register_allocation(!is_huge);
    return emitted(module, machine, llvm::CGFT_ObjectFile);
}

std::string assembly_of(llvm::Module& module, llvm::TargetMachine& machine, bool is_huge) {
    choose_register_allocation(!is_huge);
    return std::string(emitted(module, machine, llvm::CGFT_AssemblyFile));
}

}  // namespace warpsim::sim
