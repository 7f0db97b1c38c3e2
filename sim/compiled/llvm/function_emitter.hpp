// Makes LLVM IR of a function's plan.
#pragma once

#include "sim/compiled/flow.hpp"
#include "sim/compiled/llvm/lane_library.hpp"

#include "sim/exec/compiled_code.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <string>
#include <vector>

namespace warpsim::sim {

class FunctionEmitter {
public:
    FunctionEmitter(KernelPlan const& plan, FunctionPlan const& function, CodeFlow const& flow,
                    llvm::Module& module, LaneLibrary& library)
        : plan_(plan),
          function_(function),
          flow_(flow),
          module_(module),
          library_(library),
          b_(module.getContext()) {}

    /// `all`: for all 32 lanes, else for those that CompiledState names. Fills in entries and edges.
    llvm::Function* emit(std::string const& name, bool all, CompiledFunction& compiled);

private:
    using Value = llvm::Value;

    void begin(std::string const& name, bool all);
    void emit_entries(CompiledFunction& compiled);
    void emit_block(CodeBlock const& block);
    void emit_op(CodeBlock const& block, std::uint32_t index);
    void emit_lanes(std::uint32_t index, Value* mask, bool is_guarded);
    void emit_branch(CodeBlock const& block, std::uint32_t index);
    void emit_converge(CodeBlock const& block, std::uint32_t index);
    void take_edge(std::uint32_t branch, std::uint32_t to, bool is_taken, bool is_guarded, CodeBlock const& block);
    llvm::BasicBlock* exit_block(std::uint32_t op, CompiledExit how, ColumnSet const& live,
                                 ColumnSet const& dirty);

    // Loads and stores.
    struct AccessValues {
        Value *address = nullptr, *origin = nullptr;  // of lanes; of lane 0
        Value* mask = nullptr;
    };
    void emit_access(std::uint32_t index, Value* mask, bool is_guarded);
    void emit_fast_access(Op const& op, Access const& access, Value* mask, bool is_guarded, llvm::BasicBlock* slow,
                          llvm::BasicBlock* done);
    void emit_slow_access(std::uint32_t index, Access const& access, Value* mask, bool is_guarded);
    Value* addresses(Access const& access);
    void move_contiguous(Op const& op, Access const& access, Value* address, Value* mask, bool is_full);
    void set_loaded(Access const& access, std::size_t element, Value* lanes, Value* mask, bool is_guarded);

    // Columns.
    Value* read(LaneOperand const& operand);
    void write(LaneOperand const& operand, Value* value, Value* mask, bool is_guarded);
    Value* column_address(Slot slot);
    void load_column(std::uint32_t column);
    void store_column(std::uint32_t column);
    Value* merged(LaneOperand const& operand, Value* fresh, Value* old, Value* mask);
    Value* bits(Value* mask);
    Value* guard_mask(Op const& op);
    Value* constant_column(LaneOperand const& operand);

    Value* state_member(std::size_t offset, llvm::Type* type);
    void set_state(std::size_t offset, Value* value);
    void count_to_memory(Value* address, Value* add);
    llvm::BasicBlock* new_block(char const* name) {
        return llvm::BasicBlock::Create(module_.getContext(), name, llvm_function_);
    }
    bool is_full_mask(Value* mask) const;

    KernelPlan const& plan_;
    FunctionPlan const& function_;
    CodeFlow const& flow_;
    llvm::Module& module_;
    LaneLibrary& library_;
    llvm::IRBuilder<> b_;

    llvm::Function* llvm_function_ = nullptr;
    bool all_ = false;
    Value* state_ = nullptr;
    Value* active_ = nullptr;
    Value* executed_ = nullptr;  // where it is kept
    Value* bases_[4] = {};
    std::vector<Value*> columns_;  // where they are kept, by column
    std::vector<llvm::BasicBlock*> blocks_;
    std::vector<CompiledFunction::Edge> edges_;
};

}  // namespace warpsim::sim
