// tcgen05.alloc, tcgen05.dealloc and tcgen05.relinquish_alloc_permit. Each CTA has tensor memory of its own, and its
// columns count from 0; with a clock, the CTAs of an SM share as many columns as there are.
#include "sim/exec/effect_rule.hpp"
#include "sim/exec/matrix/matrix_products.hpp"
#include "sim/exec/tensor/tensor_allocation.hpp"

#include "frontend/isa/operation.hpp"

#include <bit>
#include <cstring>
#include <string>

namespace warpsim::sim {

namespace {

using isa::Effect;
using isa::Operation;
using tensor_memory::TensorMemory;

void plan_allocation(FunctionPlanner& p, Operands operands) {
    TensorAllocation a;
    a.of_pair = is_of_pair(p.form());
    switch (p.form().operation) {
        case Operation::tcgen05_alloc:
            a.kind = TensorAllocation::Kind::allocate;
            a.to = p.place(operands[0], true);
            a.columns = p.source(operands[1], 2);
            break;
        case Operation::tcgen05_dealloc:
            a.kind = TensorAllocation::Kind::free;
            a.address = p.source(operands[0], 2);
            a.columns = p.source(operands[1], 2);
            break;
        default: a.kind = TensorAllocation::Kind::relinquish; break;
    }
    p.emit_effect_with(a);
}

[[noreturn]] void refuse_allocation(WarpInstruction const& i, FaultKind kind, std::string what) {
    i.fault(std::countr_zero(i.mask), kind, std::move(what));
}

std::uint32_t column_count(WarpInstruction const& i, TensorAllocation const& a, bool is_power) {
    std::uint32_t const count = same_in_warp(i, a.columns, "the number of columns");
    bool const is_legal = count >= tensor_memory::unit_columns && count <= tensor_memory::columns &&
                          (is_power ? std::has_single_bit(count) : count % tensor_memory::unit_columns == 0);
    if (is_legal) return count;
    refuse_allocation(i, FaultKind::illegal_operand,
                      "illegal operand: " + std::to_string(count) +
                          " columns of tensor memory; legal are 32 to 512, " +
                          (is_power ? "powers of two" : "multiples of 32"));
}

Flow allocate_columns(WarpInstruction& i, TensorAllocation const& a) {
    Issue const by{i.cta, i.warp, i.op, 0};
    std::uint32_t const count = column_count(i, a, true);
    Bytes const to = i.parts.cluster_memory.shared_bytes(by, a.to, 4, 4);
    if (!i.cta.tensor_memory) i.cta.tensor_memory = Owned(TensorMemory());
    TensorMemory& memory = *i.cta.tensor_memory;
    if (memory.gives_no_more) {
        refuse_allocation(i, FaultKind::broken_promise,
                          "tcgen05.alloc after the block has given up its right to allocate by "
                          "tcgen05.relinquish_alloc_permit");
    }
    if (count > memory.smallest) {
        note_undefined(i, 0,
                       "undefined behaviour: " + std::to_string(count) + " columns of tensor memory, after " +
                           std::to_string(memory.smallest) + ": later allocations must not be larger");
    }
    MemoryModel* const model = i.parts.execution.model;
    auto const first = memory.allocate(count, {i.warp.index, i.function.index, i.op.instruction});
    if (!first) return Flow::try_again;
    if (model != nullptr && !model->take_tensor_columns(i.cta, count)) {
        memory.free(*first, count);
        return Flow::try_again;
    }
    std::memcpy(i.cta.shared.get() + to.at, &*first, sizeof *first);
    i.sinks().tell<RuntimeAccessEvent>([&] {
        return RuntimeAccessEvent{i.site(), 0, i.launch().windows.shared + to.at, sizeof *first, true};
    });
    ++i.cta.changes;
    return Flow::next;
}

Flow free_columns(WarpInstruction& i, TensorAllocation const& a) {
    std::uint32_t const count = column_count(i, a, false);
    std::uint32_t const address = same_in_warp(i, a.address, "the address of tensor memory");
    auto const [lane, column] = tensor_memory::cell_at(address);
    if (lane != 0 || column % tensor_memory::unit_columns != 0) {
        refuse_allocation(i, FaultKind::illegal_address,
                          "illegal address: tcgen05.dealloc of " + tensor_address_text(address) +
                              ", which no tcgen05.alloc has given");
    }
    std::string wrong;
    TensorMemory* const memory = tensor_columns(i.cta, column, count, wrong);
    if (memory == nullptr) refuse_allocation(i, FaultKind::heap_misuse, "tcgen05.dealloc: " + wrong);
    memory->free(column, count);
    if (i.parts.execution.model != nullptr) i.parts.execution.model->return_tensor_columns(i.cta, count);
    ++i.cta.changes;
    return Flow::next;
}

Flow change_allocation(WarpInstruction& i) {
    i.check_whole_warp();
    TensorAllocation const& a = i.function.details_of<TensorAllocation>(i.op);
    check_tensor_group({i.cta, i.warp, i.op, 0}, i.parts.execution, a.of_pair,
                       a.kind == TensorAllocation::Kind::allocate);
    switch (a.kind) {
        case TensorAllocation::Kind::allocate: return allocate_columns(i, a);
        case TensorAllocation::Kind::free: return free_columns(i, a);
        case TensorAllocation::Kind::relinquish: break;
    }
    if (!i.cta.tensor_memory) i.cta.tensor_memory = Owned(TensorMemory());
    i.cta.tensor_memory->gives_no_more = true;
    return Flow::next;
}

// ---- tcgen05.wait, tcgen05.fence ---------------------------------------------------------------------------------

void plan_tensor_order(FunctionPlanner& p, Operands) {
    p.emit_effect().operands.immediate = p.form().has(isa::Modifier::aligned) ? 1 : 0;
}

/// Loads and stores have happened when they have been executed, and this host thread keeps the order of everything else.
Flow keep_tensor_order(WarpInstruction& i) {
    if (i.op.operands.immediate != 0) i.check_whole_warp();
    return Flow::next;
}

}  // namespace

std::uint32_t wanted_tensor_columns(Warp const& warp, WarpSplit const& split) {
    Op const& op = warp.op_of(split);
    bool const is_one = op.kind == OpKind::effect && op.carry_out == change_allocation;
    if (!is_one || split.state != WarpSplit::State::runnable) return 0;
    TensorAllocation const& a = warp.function_of(split).details_of<TensorAllocation>(op);
    if (a.kind != TensorAllocation::Kind::allocate) return 0;
    std::byte const* const base =
        (a.columns & 3) == 0 ? warp.frame_of(split).registers.get() : warp.bases[a.columns & 3];
    std::uint32_t count = 0;
    std::memcpy(&count, base + (a.columns & ~3), sizeof count);
    return count;
}

EffectRules effects::tensor_memory_allocation_rules() {
    static constexpr EffectRule rules[] = {
        {Effect::tensor_memory_allocate, plan_allocation, change_allocation},
        {Effect::tensor_memory_order, plan_tensor_order, keep_tensor_order},
    };
    return rules;
}

}  // namespace warpsim::sim
