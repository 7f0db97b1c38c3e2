#include "sim/exec/tensor/tensor_memory_access.hpp"

#include <bit>
#include <cstdio>

namespace warpsim::sim {

bool is_of_pair(ir::Form const& form) { return form.has(isa::Modifier::cta_group_2); }

tensor_memory::AccessShape access_shape(ir::Form const& form) {
    using isa::Modifier;
    using tensor_memory::AccessShape;
    if (form.has(Modifier::_16x64b)) return AccessShape::l16_64b;
    if (form.has(Modifier::_16x128b)) return AccessShape::l16_128b;
    if (form.has(Modifier::_16x256b)) return AccessShape::l16_256b;
    if (form.has(Modifier::_16x32bx2)) return AccessShape::l16_32b_twice;
    return AccessShape::l32_32b;
}

bool packs_columns(ir::Form const& form) {
    return form.has(isa::Modifier::pack_16b) || form.has(isa::Modifier::unpack_16b);
}

void check_tensor_group(Issue const& by, Execution const& execution, bool of_pair, bool needs_peer) {
    std::uint8_t const group = of_pair ? 2 : 1;
    auto const refuse = [&](FaultKind kind, std::string what) {
        execution.faults.raise(by.cta, by.warp, by.op, by.lane, kind, std::move(what));
    };
    if (by.cta.tensor_group != 0 && by.cta.tensor_group != group) {
        refuse(FaultKind::broken_promise,
               "an instruction with .cta_group::" + std::to_string(group) +
                   ", after others of the block with .cta_group::" + std::to_string(by.cta.tensor_group) +
                   ": all of a kernel name the same");
    }
    by.cta.tensor_group = group;
    if (!of_pair) return;
    auto const& ctas = by.cta.cluster->ctas;
    std::uint32_t const peer = by.cta.rank ^ 1;
    if (peer >= ctas.size()) {
        refuse(FaultKind::illegal_operand, "an instruction with .cta_group::2 in a cluster of " +
                                               std::to_string(ctas.size()) + " blocks: rank " +
                                               std::to_string(by.cta.rank) + " has no peer, which would be rank " +
                                               std::to_string(peer));
    }
    // With a clock, a pair's blocks may run on different host threads.
    if (needs_peer && execution.model == nullptr && ctas[peer].has_ended()) {
        refuse(FaultKind::illegal_operand, "an instruction with .cta_group::2, whose peer, the block of rank " +
                                               std::to_string(peer) + ", has ended");
    }
}

void check_tensor_memory(Issue const& by, LaneMask lanes, Execution const& execution) {
    for (Warp const& other : by.cta.warps) {
        if (other.live() != (&other == &by.warp ? lanes : 0)) return;
    }
    auto const leak = by.cta.tensor_memory->leak();
    if (!leak) return;
    ir::Module const& module = *execution.launch.plan.module;
    ir::Instruction const& instruction = module.functions[leak->by.function].instructions[leak->by.instruction];
    execution.faults.raise(by.cta, by.warp, by.op, by.lane, FaultKind::heap_misuse,
                           "the block ends with tensor memory that it has not deallocated: " +
                               tensor_memory::columns_text(leak->first, leak->count) + ", allocated by warp " +
                               std::to_string(leak->by.warp) + " at " + module.place(instruction) + ":  " +
                               module.written(instruction) + "; tcgen05.dealloc has to free them first");
}

tensor_memory::TensorMemory* tensor_columns(Cta& cta, std::uint32_t first, std::uint32_t count,
                                            std::string& wrong) {
    if (cta.tensor_memory && cta.tensor_memory->has(first, count)) return &*cta.tensor_memory;
    wrong = tensor_memory::columns_text(first, count) + " of tensor memory are not allocated (allocated: " +
            (cta.tensor_memory ? cta.tensor_memory->allocated_text() : "no columns") + ")";
    return nullptr;
}

std::uint32_t same_in_warp(WarpInstruction const& i, Slot slot, std::string_view what) {
    auto const* const values = isa::column<std::uint32_t>(i.warp.bases, slot);
    for (int lane = 1; lane < 32; ++lane) {
        if (values[lane] == values[0]) continue;
        i.fault(lane, FaultKind::illegal_operand,
                "illegal operand: " + std::string(what) + " is not the same in all threads of the warp");
    }
    return values[0];
}

Slot tensor_address(FunctionPlanner& p, ir::Operand const& address) {
    // The register is one of 32 bits: an operand of another kind has been refused.
    Slot const base = p.plan().register_slot[address.index];
    if (address.value == 0) return base;
    Slot const sum = p.temporary(2);
    p.emit_lanes(p.access().add_offset[0], sum, base, 0, 0, static_cast<std::uint64_t>(address.value));
    return sum;
}

std::string tensor_address_text(std::uint32_t address) {
    char text[48];
    auto const [lane, column] = tensor_memory::cell_at(address);
    std::snprintf(text, sizeof text, "0x%08x (lane %u, column %u)", address, lane, column);
    return text;
}

}  // namespace warpsim::sim
