#include "sim/compiled/llvm/ready_lanes.hpp"

#include "sim/compiled/llvm/native_code.hpp"

#include <algorithm>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/ValueMapper.h>
#include <stdexcept>

namespace warpsim::sim {

namespace {

bool is_wrapper(llvm::Function const& function) {
    return function.getName().startswith("vector.") || function.getName().startswith("scalar.");
}

/// Whatever the wrapper calls becomes part of it; functions of the library are read now.
void inline_everything(llvm::Function& wrapper) {
    for (;;) {
        std::vector<llvm::CallBase*> calls;
        for (llvm::Instruction& instruction : llvm::instructions(wrapper)) {
            auto* const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
            llvm::Function* const called = call == nullptr ? nullptr : call->getCalledFunction();
            if (called != nullptr && !called->isDeclaration()) calls.push_back(call);
        }
        if (calls.empty()) return;
        for (llvm::CallBase* const call : calls) {
            if (llvm::Error error = call->getCalledFunction()->materialize())
                throw std::runtime_error(llvm::toString(std::move(error)));
            llvm::InlineFunctionInfo info;
            if (!llvm::InlineFunction(*call, info, true, nullptr, false).isSuccess())
                throw std::runtime_error("a lane function cannot be inlined");
        }
    }
}

/// Loops are left as they are in the library. All lanes at once: how many vectors of the host that takes is decided when
/// everything is inlined, and nothing has to be put together from parts.
void vectorise_loop(llvm::Instruction& back) {
    if (back.getMetadata(llvm::LLVMContext::MD_loop) == nullptr) return;
    llvm::LLVMContext& context = back.getContext();
    auto const property = [&](char const* name, llvm::Constant* value) {
        return llvm::MDNode::get(context,
                                 {llvm::MDString::get(context, name), llvm::ConstantAsMetadata::get(value)});
    };
    auto* const i32 = llvm::Type::getInt32Ty(context);
    llvm::MDNode* const loop = llvm::MDNode::getDistinct(
        context, {nullptr, property("llvm.loop.vectorize.width", llvm::ConstantInt::get(i32, isa::warp_size)),
                  property("llvm.loop.interleave.count", llvm::ConstantInt::get(i32, 1)),
                  property("llvm.loop.vectorize.enable", llvm::ConstantInt::getTrue(context))});
    loop->replaceOperandWith(0, loop);
    back.setMetadata(llvm::LLVMContext::MD_loop, loop);
}

/// What functions of one module refer to, in another.
class Copier final : public llvm::ValueMaterializer {
public:
    explicit Copier(llvm::Module& into) : into_(into) {}

    void copy(llvm::Function& from, llvm::Function& to) {
        for (std::size_t i = 0; i < from.arg_size(); ++i) {
            auto const argument = static_cast<unsigned>(i);
            copies_[from.getArg(argument)] = to.getArg(argument);
        }
        llvm::SmallVector<llvm::ReturnInst*, 4> returns;
        llvm::CloneFunctionInto(&to, &from, copies_, llvm::CloneFunctionChangeType::DifferentModule, returns, "",
                                nullptr, nullptr, this);
    }
    llvm::Value* materialize(llvm::Value* value) override {
        if (auto* const function = llvm::dyn_cast<llvm::Function>(value)) {
            return into_
                .getOrInsertFunction(function->getName(), function->getFunctionType(), function->getAttributes())
                .getCallee();
        }
        auto* const table = llvm::dyn_cast<llvm::GlobalVariable>(value);
        if (table == nullptr) return nullptr;
        auto* const copy = new llvm::GlobalVariable(into_, table->getValueType(), table->isConstant(),
                                                    llvm::GlobalValue::PrivateLinkage, nullptr);
        copy->copyAttributesFrom(table);
        copy->setVisibility(llvm::GlobalValue::DefaultVisibility);
        copies_[table] = copy;
        copy->setInitializer(llvm::MapValue(table->getInitializer(), copies_, llvm::RF_None, nullptr, this));
        return copy;
    }

private:
    llvm::Module& into_;
    llvm::ValueToValueMapTy copies_;
};

}  // namespace

ReadyLanes::ReadyLanes(isa::HostIsa host) : host_(host), machine_(host_machine(host, Effort::usual)) {}

llvm::Function* ReadyLanes::wrapper(llvm::Module& kernel, LaneCall const& call) {
    return declared(kernel, call, Takes::lanes);
}
llvm::Function* ReadyLanes::scalar(llvm::Module& kernel, LaneCall const& call) {
    return declared(kernel, call, Takes::one);
}

llvm::Function* ReadyLanes::declared(llvm::Module& kernel, LaneCall const& call, Takes takes) {
    llvm::Function* const lanes = library_.find(call.origin);
    if (lanes == nullptr) throw std::runtime_error("a lane function is not in the library");
    std::string const name = LaneLibrary::name_of(*lanes, takes);
    if (llvm::Function* const known = kernel.getFunction(name)) return known;
    llvm::Function* ready = library_.module().getFunction(name);
    if (ready == nullptr) {
        ready = library_.make_wrapper(call, *lanes, takes);
        fresh_[static_cast<std::size_t>(takes)].push_back(ready);
    }
    return llvm::Function::Create(ready->getFunctionType(), llvm::Function::ExternalLinkage, name, kernel);
}

void ReadyLanes::finish() {
    for (auto const& functions : fresh_) {
        for (llvm::Function* const function : functions) {
            inline_everything(*function);
            for (llvm::BasicBlock& block : *function) vectorise_loop(*block.getTerminator());
            set_host(*function, host_, *machine_);
        }
    }
    optimise_vectors(fresh_[static_cast<std::size_t>(Takes::lanes)], *machine_);
    optimise_scalars(fresh_[static_cast<std::size_t>(Takes::one)], *machine_);
    for (auto& functions : fresh_) functions.clear();
}

void ReadyLanes::link(llvm::Module& kernel) {
    finish();
    Copier copier(kernel);
    std::vector<llvm::Function*> called;
    for (llvm::Function& function : kernel) {
        if (is_wrapper(function)) called.push_back(&function);
    }
    for (llvm::Function* const function : called) {
        copier.copy(*library_.module().getFunction(function->getName()), *function);
        function->setLinkage(llvm::Function::InternalLinkage);
        function->addFnAttr(llvm::Attribute::AlwaysInline);
    }
}

}  // namespace warpsim::sim
