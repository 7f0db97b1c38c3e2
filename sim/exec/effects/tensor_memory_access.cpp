// tcgen05.ld and tcgen05.st: registers of a warp and cells of its quarter of tensor memory. They happen when they are
// executed; tcgen05.wait has nothing to wait for.
#include "sim/exec/tensor/tensor_memory_access.hpp"
#include "sim/exec/effect_rule.hpp"
#include "sim/tensor_memory/shapes.hpp"

#include "frontend/isa/operation.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace warpsim::sim {

namespace {

using isa::Effect;
using isa::Modifier;
using isa::Operation;
using isa::Type;
using tensor_memory::AccessShape;
using tensor_memory::MemoryCell;
using tensor_memory::TensorMemory;

struct TensorAccess {
    AccessShape shape{};
    bool packs = false;  // two columns of 16 bits are one register
    std::uint32_t split = 0;
    Slot address = 0;
    std::vector<Slot> registers;
    // The smallest or largest of each thread's registers.
    bool reduces = false, is_max = false, of_absolutes = false, gives_nan = false;
    Type type = Type::u32;
    Slot reduced = 0;
};

// ---- plans -------------------------------------------------------------------------------------------------------

/// A list, or one register; advances behind it.
std::vector<Slot> tensor_registers(FunctionPlanner& p, Operands& operands, bool are_written) {
    std::size_t count = 1;
    if (operands[0].kind == ir::Operand::Kind::vector) {
        count = operands[0].count;
        operands = operands.subspan(1);
    }
    std::vector<Slot> slots;
    for (std::size_t i = 0; i < count; ++i)
        slots.push_back(are_written ? p.destination(operands[i], 2) : p.source(operands[i], 2));
    operands = operands.subspan(count);
    return slots;
}

void plan_tensor_access(FunctionPlanner& p, Operands operands) {
    ir::Form const& form = p.form();
    bool const is_load = form.operation != Operation::tcgen05_st;
    TensorAccess a;
    a.shape = access_shape(form);
    a.packs = packs_columns(form);
    if (is_load) a.registers = tensor_registers(p, operands, true);
    a.reduces = form.operation == Operation::tcgen05_ld_red;
    if (a.reduces) {
        a.is_max = form.has(Modifier::max);
        a.of_absolutes = form.has(Modifier::abs);
        a.gives_nan = form.has(Modifier::NaN);
        a.type = form.types[0];
        a.reduced = p.destination(operands[0], 2);
        operands = operands.subspan(1);
    }
    a.address = tensor_address(p, operands[0]);
    operands = operands.subspan(1);
    if (a.shape == AccessShape::l16_32b_twice) {
        a.split = static_cast<std::uint32_t>(operands[0].value);
        operands = operands.subspan(1);
    }
    if (!is_load) a.registers = tensor_registers(p, operands, false);
    p.emit_effect_with(std::move(a));
}

// ---- what is carried out -----------------------------------------------------------------------------------------

/// The cells of an access, all of which the warp may reach.
class TensorCells {
public:
    TensorCells(WarpInstruction const& i, TensorAccess const& a) : a_(a) {
        std::uint32_t const address = same_in_warp(i, a.address, "the address of tensor memory");
        at_ = tensor_memory::cell_at(address);
        auto const refuse = [&](std::string const& what) {
            i.fault(0, FaultKind::illegal_address,
                    "illegal address: tensor memory at " + tensor_address_text(address) + ": " + what);
        };
        std::uint32_t const first = i.warp.index % 4 * tensor_memory::warp_lanes;
        std::uint32_t const count = lanes_of(a.shape);
        if (at_.lane < first || at_.lane + count > first + tensor_memory::warp_lanes || at_.lane % count != 0) {
            refuse("warp " + std::to_string(i.warp.index) + " of the block reaches lanes " +
                   std::to_string(first) + " to " + std::to_string(first + tensor_memory::warp_lanes - 1) +
                   (count == 16 ? ", and begins at one of the two halves" : ", and begins at the first"));
        }
        std::uint32_t const columns =
            columns_of(a.shape, static_cast<std::uint32_t>(a.registers.size())) * (a.packs ? 2 : 1);
        std::string wrong;
        columns_ = columns;
        memory_ = tensor_columns(i.cta, at_.column, columns, wrong);
        if (memory_ != nullptr && a.shape == AccessShape::l16_32b_twice)
            memory_ = tensor_columns(i.cta, at_.column + a.split, columns, wrong);
        if (memory_ == nullptr) refuse(wrong);
    }

    /// Tells sinks of them: one range, or two where the access has two halves.
    void tell(WarpInstruction const& i, bool are_written) const {
        TensorCellRange ranges[2];
        ranges[0] = {at_.lane, lanes_of(a_.shape), at_.column, columns_, are_written};
        ranges[1] = ranges[0];
        ranges[1].column += a_.split;
        std::size_t const count = a_.shape == AccessShape::l16_32b_twice ? 2 : 1;
        i.sinks().tell<TensorAccessEvent>([&] {
            return TensorAccessEvent{i.site(), std::span<TensorCellRange const>(ranges, count)};
        });
    }

    std::uint32_t read(std::uint32_t thread, std::uint32_t reg) const {
        MemoryCell const cell = at(thread, reg);
        if (!a_.packs) return memory_->word(cell.lane, cell.column);
        return (memory_->word(cell.lane, cell.column) & 0xffff) | memory_->word(cell.lane, cell.column + 1) << 16;
    }
    void write(std::uint32_t thread, std::uint32_t reg, std::uint32_t value) const {
        MemoryCell const cell = at(thread, reg);
        if (!a_.packs) {
            memory_->word(cell.lane, cell.column) = value;
            return;
        }
        for (std::uint32_t half = 0; half < 2; ++half) {
            std::uint32_t& word = memory_->word(cell.lane, cell.column + half);
            word = (word & 0xffff0000u) | (value >> (16 * half) & 0xffff);
        }
    }

private:
    MemoryCell at(std::uint32_t thread, std::uint32_t reg) const {
        // The second half begins behind so many columns, whatever a register holds of them.
        MemoryCell cell = cell_of(a_.shape, thread, reg, 0);
        if (a_.packs) cell.column *= 2;
        if (a_.shape == AccessShape::l16_32b_twice) cell.column += thread / 16 * a_.split;
        return {at_.lane + cell.lane, at_.column + cell.column};
    }

    TensorAccess const& a_;
    MemoryCell at_;
    std::uint32_t columns_ = 0;
    TensorMemory* memory_ = nullptr;
};

/// As min and max of f32: -0 is less than +0, and a NaN is left out, unless it is asked for.
std::uint32_t reduced_float(TensorAccess const& a, std::uint32_t x, std::uint32_t y) {
    constexpr std::uint32_t canonical_nan = 0x7fffffff;
    auto const is_nan = [](std::uint32_t bits) { return (bits & 0x7fffffff) > 0x7f800000; };
    if (is_nan(x) || is_nan(y)) {
        if (a.gives_nan || (is_nan(x) && is_nan(y))) return canonical_nan;
        return is_nan(x) ? y : x;
    }
    // Numbers in the order of their values, as integers.
    auto const rank = [](std::uint32_t bits) {
        return (bits >> 31) != 0 ? -static_cast<std::int64_t>(bits & 0x7fffffff) - 1 : std::int64_t{bits};
    };
    return (rank(x) < rank(y)) != a.is_max ? x : y;
}

std::uint32_t reduced_pair(TensorAccess const& a, std::uint32_t x, std::uint32_t y) {
    if (a.type == Type::f32) return reduced_float(a, x, y);
    bool const is_less = a.type == Type::s32 ? static_cast<std::int32_t>(x) < static_cast<std::int32_t>(y) : x < y;
    return is_less != a.is_max ? x : y;
}

std::uint32_t reduced_registers(TensorAccess const& a, TensorCells const& cells, std::uint32_t thread) {
    auto const value = [&](std::uint32_t reg) {
        return cells.read(thread, reg) & (a.of_absolutes ? 0x7fffffffu : UINT32_MAX);
    };
    std::uint32_t result = value(0);
    for (std::uint32_t reg = 1; reg < a.registers.size(); ++reg) result = reduced_pair(a, result, value(reg));
    return result;
}

Flow load_tensor_memory(WarpInstruction& i) {
    i.check_whole_warp();
    TensorAccess const& a = i.function.details_of<TensorAccess>(i.op);
    TensorCells const cells(i, a);
    for (std::uint32_t reg = 0; reg < a.registers.size(); ++reg) {
        auto* const column = isa::column<std::uint32_t>(i.warp.bases, a.registers[reg]);
        for (std::uint32_t thread = 0; thread < 32; ++thread) column[thread] = cells.read(thread, reg);
    }
    for (std::uint32_t thread = 0; a.reduces && thread < 32; ++thread)
        isa::column<std::uint32_t>(i.warp.bases, a.reduced)[thread] = reduced_registers(a, cells, thread);
    cells.tell(i, false);
    return Flow::next;
}

Flow store_tensor_memory(WarpInstruction& i) {
    i.check_whole_warp();
    TensorAccess const& a = i.function.details_of<TensorAccess>(i.op);
    TensorCells const cells(i, a);
    for (std::uint32_t reg = 0; reg < a.registers.size(); ++reg) {
        auto const* const column = isa::column<std::uint32_t>(i.warp.bases, a.registers[reg]);
        for (std::uint32_t thread = 0; thread < 32; ++thread) cells.write(thread, reg, column[thread]);
    }
    cells.tell(i, true);
    ++i.cta.changes;
    return Flow::next;
}

}  // namespace

EffectRules effects::tensor_memory_access_rules() {
    static constexpr EffectRule rules[] = {
        {Effect::tensor_memory_load, plan_tensor_access, load_tensor_memory},
        {Effect::tensor_memory_store, plan_tensor_access, store_tensor_memory},
    };
    return rules;
}

}  // namespace warpsim::sim
