// Makes LLVM IR of a function's plan.
#pragma once

#include "sim/compiled/llvm/hammock.hpp"
#include "sim/compiled/llvm/lane_shapes.hpp"
#include "sim/compiled/llvm/ready_lanes.hpp"

#include "sim/exec/compiled_code.hpp"

#include <array>
#include <functional>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace warpsim::sim {

struct Collective;

struct EmitOptions {
    std::optional<Banks> counts;  // accesses are counted
    bool is_brief = false;        // no more code than it takes
    bool has_masks = false;       // the host has registers with a bit for each lane
};

class FunctionEmitter {
public:
    FunctionEmitter(KernelPlan const& plan, FunctionPlan const& function, CodeFlow const& flow,
                    EmitOptions const& options, llvm::Module& module, ReadyLanes& library)
        : plan_(plan),
          function_(function),
          flow_(flow),
          options_(options),
          module_(module),
          library_(library),
          b_(module.getContext()) {}

    /// `all`: for all 32 lanes, else for those that CompiledState names. Fills in entries and edges.
    llvm::Function* emit(std::string const& name, bool all, CompiledFunction& compiled);

private:
    using Value = llvm::Value;
    /// Where the values of a column are kept: those that its shape has.
    struct Held {
        Value *lanes = nullptr, *first = nullptr, *step = nullptr, *row_step = nullptr;
    };

    // Control flow: function_emitter.cpp.
    void begin(std::string const& name);
    LaneShapeList shapes_at(std::uint32_t block) const;
    void emit_block(CodeBlock const& block);
    void emit_op(CodeBlock const* block, std::uint32_t index);
    void emit_branch(CodeBlock const& block, std::uint32_t index);
    void emit_converge(CodeBlock const& block, std::uint32_t index);
    void take_edge(std::uint32_t branch, std::uint32_t to, bool is_taken, bool is_guarded, CodeBlock const& block);
    void go_on_in(std::uint32_t block);
    llvm::BasicBlock* exit_block(std::uint32_t op, CompiledExit how, ColumnSet const& live,
                                 ColumnSet const& dirty);
    void store_state(std::uint32_t op, ColumnSet const& live, ColumnSet const& dirty, std::uint32_t executed);
    void hand_over(CodeBlock const& block, std::uint32_t index);
    void emit_effect(CodeBlock const& block, std::uint32_t index, Value* mask, bool is_guarded);
    llvm::BasicBlock* part_block(CodeBlock const& block, std::uint32_t index, Value* taken);
    void emit_meeting(CodeBlock const& block, std::uint32_t index, llvm::BasicBlock* go_on);
    bool keeps_parted(std::uint32_t branch) const;
    void begin_block(std::uint32_t block);
    void emit_leaving(CodeBlock const& block);
    llvm::BasicBlock* exit_before(CodeBlock const& block, std::uint32_t index);

    // Entries: emit_entries.cpp.
    void emit_entries(CompiledFunction& compiled);
    void emit_known_begin();
    std::vector<bool> common_entries() const;
    void find_positions();
    void take_positions();
    std::vector<bool> blocks_before_positions() const;
    std::vector<std::uint64_t> positions() const;

    // From one warp to the next: emit_turns.cpp.
    void emit_end(CodeBlock const& block, std::uint32_t index);
    void wait_and_go_on(std::uint32_t index, std::uint32_t barrier, Value* executed);
    void emit_next_warp();
    Value* running_warp();
    Value* is_not_last(Value* warp);
    void set_member(Value* object, std::size_t offset, Value* value);

    // Barriers: emit_barrier.cpp.
    std::optional<std::uint32_t> plain_barrier(std::uint32_t index) const;
    void emit_wait(CodeBlock const& block, std::uint32_t index, std::uint32_t barrier);
    // What lanes do together: emit_collective.cpp.
    bool emit_collective(std::uint32_t index, Value* mask);
    bool emit_shuffle(Collective const& c);
    std::byte const* known_column(Slot slot) const;
    bool is_known_to_be(Slot slot, std::uint32_t value) const;

    // Lanes that part: emit_parting.cpp, and for a short while: emit_hammock.cpp.
    void emit_hammock(Hammock const& hammock, std::uint32_t branch, Value* taken, llvm::BasicBlock* leave);
    void count_ops(std::uint32_t from, std::uint32_t to);
    void part_at(std::uint32_t branch, Value* taken);
    std::vector<Value*> take_way(std::uint32_t from, std::uint32_t to, Value* lanes, ColumnSet const& written,
                                 ColumnSet const& live);
    void follow(std::uint32_t at, std::uint32_t to);

    // Lane functions: emit_lanes.cpp.
    bool widens_line(LaneCall const& call) const;
    void emit_lanes(CodeBlock const* block, std::uint32_t index, Value* mask, bool is_guarded);
    void emit_uniform(Op const& op, LaneCall const& call);
    void emit_linear(CodeBlock const* block, std::uint32_t index);
    void check_widening(CodeBlock const& block, std::uint32_t index, LaneOperand const& source);

    static constexpr unsigned row_lanes = 16;  // of which linear addresses are lines
    // Loads and stores: emit_access.cpp; of linear and uniform addresses: emit_rows.cpp; of others: emit_patterns.cpp;
    // to threads' own memory: emit_local.cpp.
    /// Addresses that are accessed without asking: how many from where, and what the host adds to them.
    struct Reach {
        Value *begin = nullptr, *size = nullptr, *bias = nullptr;
    };
    struct AccessSite {
        Op const& op;
        Access const& access;
        std::uint32_t index;
        Value* mask;
        bool is_guarded;
        LaneShape result;
        llvm::BasicBlock *slow = nullptr, *done = nullptr;
        Reach reach{};
    };
    void emit_access(std::uint32_t index, Value* mask, bool is_guarded);
    void emit_patterns(AccessSite& site);
    void emit_one_place(AccessSite& site);
    void emit_rows(AccessSite& site);
    void emit_slow_access(AccessSite const& site);
    static LaneOperand address_of(Access const& access);
    Value* address_at(Access const& access, Value* in_register);
    Value* lane_addresses(AccessSite const& site);
    void find_reach(AccessSite& site, Value* address);
    Value* limit(AccessSite const& site, Value* bytes);
    Value* is_inside(AccessSite const& site, Value* low, Value* bytes);
    Value* is_aligned(AccessSite const& site, Value* address);
    Value* host_place(AccessSite const& site, Value* address);
    void move_contiguous(AccessSite const& site, std::vector<Value*> const& pieces, Value* masked);
    void move_line(AccessSite const& site, Value* low, Value* between, Value* first);
    void move_anywhere(AccessSite const& site, Value* lanes);
    void call_anywhere(AccessSite const& site, Value* lanes);
    bool has_gathers(AccessSite const& site) const;
    void check_anywhere(AccessSite const& site, Value* lanes, Value* behind);
    Value* move_elements(AccessSite const& site, llvm::FixedVectorType* type, Value* at, Value* data);
    void emit_own_memory(AccessSite& site);
    void move_rows(AccessSite const& site, Value* address);
    void load_row(AccessSite const& site, unsigned i, Value* at, Value* shift);
    void store_row(AccessSite const& site, unsigned i, Value* at, Value* shift);
    void move_words(AccessSite const& site, Value* lanes);
    void move_at_one_place(AccessSite const& site, Value* address);
    Value* data_in_memory_order(Access const& access);
    Value* extended(Access const& access, Value* loaded, llvm::Type* type);
    void set_loaded(AccessSite const& site, std::size_t element, Value* lanes);
    void finish_fast(AccessSite const& site);

    // Statistics of accesses: emit_counts.cpp. Nothing where they are not counted.
    bool is_counted(AccessSite const& site) const;
    void count_one_place(AccessSite const& site, Value* address);
    void count_line(AccessSite const& site, Value* low, Value* between, Value* lane_zero);
    void count_rows(AccessSite const& site, std::array<Value*, 2> const& rows, bool are_lines);
    void count_lanes(AccessSite const& site, Value* addresses);
    void hand_addresses_over(AccessSite const& site, Value* addresses);
    bool has_usual_banks() const;
    std::array<Value*, 2> conflict_of_near(AccessSite const& site, Value* addresses);
    std::array<Value*, 2> sectors_of_ascending(AccessSite const& site, Value* addresses);
    void count_if(AccessSite const& site, Value* is_usual, std::function<void()> const& count_usual, Value* lanes);
    void add_request(AccessSite const& site, Value* more);
    Value* sectors_between(Value* low, Value* distance);
    Value* sectors_of_rows(std::array<Value*, 2> const& rows, std::uint64_t bytes);
    Value* is_conflict(std::array<Value*, 2> const& rows, bool are_lines);

    // Columns: emit_columns.cpp.
    LaneShape shape(LaneOperand const& operand) const;
    LaneShape result_shape(std::uint32_t index) const;
    void set_shape(LaneOperand const& operand, LaneShape shape);
    Value* place(Value*& held, llvm::Type* type);
    Value* read(LaneOperand const& operand);
    Value* read_first(LaneOperand const& operand);
    std::array<Value*, 2> read_steps(LaneOperand const& operand);
    void write(LaneOperand const& operand, Value* value, Value* mask, bool is_guarded);
    void write_uniform(LaneOperand const& operand, Value* value);
    void write_linear(LaneOperand const& operand, Value* first, Value* step, Value* row_step);
    void change_shape(std::uint32_t column, LaneShape to);
    Held saved(std::uint32_t column);
    void restore(std::uint32_t column, Held const& values);
    Value* lanes_of(LaneOperand const& operand, Value* first, Value* step, Value* row_step);
    Value* splat(Value* value, unsigned lanes = 32) { return b_.CreateVectorSplat(lanes, value); }
    Value* joined(Value* low, Value* high);
    Value* base(isa::Base which);
    Value* column_address(Slot slot);
    // ... and the frame: emit_frame.cpp.
    void load_column(std::uint32_t column);
    void take_column(std::uint32_t column, LaneShape shape);
    std::uint64_t described(LaneOperand const& operand, LaneShape shape) const;
    void store_columns(std::vector<std::uint32_t> columns);
    void keep(std::uint32_t column);
    void take_kept(std::uint32_t column);
    Value* kept_place(LaneOperand const& operand, unsigned which);
    Value* column_list(std::vector<std::uint64_t> const& columns);
    void expand(std::vector<std::uint64_t> const& columns);
    void merge(std::vector<std::uint32_t> const& columns);
    Value* merged(LaneOperand const& operand, Value* fresh, Value* old, Value* mask);
    Value* bits(Value* mask);
    Value* guard_mask(Op const& op);
    Value* constant_column(LaneOperand const& operand);
    bool is_uniform_constant(LaneOperand const& operand) const;

    Value* state_member(std::size_t offset, llvm::Type* type);
    void set_state(std::size_t offset, Value* value);
    void count_guarded_off(std::uint32_t index, Value* lanes);
    void count_to_memory(Value* address, Value* add);
    llvm::BasicBlock* new_block(char const* name) {
        return llvm::BasicBlock::Create(module_.getContext(), name, llvm_function_);
    }
    llvm::MDNode* rarely();
    bool is_full_mask(Value* mask) const;

    KernelPlan const& plan_;
    FunctionPlan const& function_;
    CodeFlow const& flow_;
    EmitOptions const options_;
    llvm::Module& module_;
    ReadyLanes& library_;
    llvm::IRBuilder<> b_;

    llvm::Function* llvm_function_ = nullptr;
    bool all_ = false;
    Value* state_ = nullptr;
    llvm::PHINode* entry_ = nullptr;      // which it is to be
    llvm::SwitchInst* choice_ = nullptr;  // of the entry
    llvm::BasicBlock* known_begin_ = nullptr;
    llvm::BasicBlock* next_warp_ = nullptr;  // null: the code goes on with none
    bool waits_ = false;                     // ... at barriers, too
    std::uint32_t next_entry_ = 0;
    Value* active_ = nullptr;
    Value* lanes_ = nullptr;              // not all: where it is kept, as lanes part and meet
    Value* executed_ = nullptr;           // where it is kept
    Value* counted_ = nullptr;            // addresses that are handed over to be counted
    Value* nowhere_ = nullptr;            // where lanes store that are switched off
    Value* scattered_ = nullptr;          // what is handed over of accesses at any addresses
    llvm::AllocaInst* merged_ = nullptr;  // values of columns on their way to the frame
    std::uint64_t merged_bytes_ = 0;
    Value* bases_[4] = {};            // of the frame and the warp: where they are kept
    std::vector<Held> columns_;       // by column
    std::map<Slot, Held> positions_;  // special registers of the warp, which are linear
    std::map<Slot, LaneOperand> position_operands_;
    std::unique_ptr<LaneShapes> shapes_;  // null: lanes are not looked at
    LaneShapeList now_;                   // where code is being emitted
    std::vector<llvm::BasicBlock*> blocks_;
    std::vector<CompiledFunction::Edge> edges_;
};

}  // namespace warpsim::sim
