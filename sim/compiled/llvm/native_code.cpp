#include "sim/compiled/llvm/native_code.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/raw_ostream.h>
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

template <class Each> void for_each_wrapper(llvm::Module& module, Each&& each) {
    for (llvm::Function& function : module) {
        if (!function.isDeclaration() && function.getName().startswith("vector.")) each(function);
    }
}

void inline_calls(llvm::Module& module, Analyses& known) {
    llvm::ModulePassManager inlining;
    inlining.addPass(llvm::AlwaysInlinerPass(false));
    inlining.run(module, known.modules);
}

void add_simplification(llvm::FunctionPassManager& passes) {
    passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    passes.addPass(llvm::EarlyCSEPass(true));
    passes.addPass(llvm::InstCombinePass());
    passes.addPass(llvm::SimplifyCFGPass());
}

}  // namespace

llvm::orc::JITTargetMachineBuilder host_machine(isa::HostIsa host) {
    llvm::orc::JITTargetMachineBuilder builder{llvm::Triple(llvm::sys::getProcessTriple())};
    if (host == isa::HostIsa::avx512) {
        builder.setCPU(std::string(llvm::sys::getHostCPUName()));
        llvm::StringMap<bool> features;
        llvm::sys::getHostCPUFeatures(features);
        for (auto const& feature : features) builder.getFeatures().AddFeature(feature.first(), feature.second);
    } else {
        builder.setCPU(host == isa::HostIsa::avx2 ? "x86-64-v3" : "x86-64");
    }
    builder.setCodeGenOptLevel(llvm::CodeGenOpt::Default);
    return builder;
}

void optimise_lanes(llvm::Module& module, llvm::TargetMachine& machine) {
    // The functions of vectors become parts of others when they are ready.
    for_each_wrapper(module, [](llvm::Function& wrapper) { wrapper.removeFnAttr(llvm::Attribute::AlwaysInline); });
    Analyses known(machine);
    inline_calls(module, known);

    llvm::FunctionPassManager passes;
    add_simplification(passes);
    passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::IndVarSimplifyPass()));
    passes.addPass(llvm::LoopVectorizePass());
    passes.addPass(llvm::InstCombinePass());
    passes.addPass(llvm::LoopUnrollPass(llvm::LoopUnrollOptions(3)));
    add_simplification(passes);
    passes.addPass(llvm::ADCEPass());
    for_each_wrapper(module, [&](llvm::Function& wrapper) {
        passes.run(wrapper, known.functions);
        wrapper.addFnAttr(llvm::Attribute::AlwaysInline);
    });
}

void optimise_functions(llvm::Module& module, llvm::TargetMachine& machine) {
    Analyses known(machine);
    inline_calls(module, known);

    llvm::FunctionPassManager passes;
    add_simplification(passes);
    passes.addPass(llvm::EarlyCSEPass(true));
    passes.addPass(llvm::InstCombinePass());
    passes.addPass(llvm::ADCEPass());
    for (llvm::Function& function : module) {
        if (!function.isDeclaration() && !function.hasInternalLinkage()) passes.run(function, known.functions);
    }
}

std::string assembly_of(llvm::Module& module, llvm::TargetMachine& machine) {
    llvm::SmallString<0> text;
    llvm::raw_svector_ostream stream(text);
    llvm::legacy::PassManager passes;
    if (machine.addPassesToEmitFile(passes, stream, nullptr, llvm::CGFT_AssemblyFile)) return "no assembly";
    passes.run(module);
    return std::string(text);
}

}  // namespace warpsim::sim
