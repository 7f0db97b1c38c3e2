#include "sim/timing/plan/gathered_atomics.hpp"

#include "frontend/ir/registers.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace warpsim::timing {

namespace {

using isa::Effect;
using isa::Modifier;
using isa::StateSpace;
using Kind = ir::Operand::Kind;

// clang-format off
enum Number : std::uint8_t {
    none,
    counted_ones, counted_ones_result,   // the sum is how many lanes there are; without and with a result for each
    counted, counted_result,             // all add the same, as often as there are lanes
    counted_wide, counted_wide_result,   // ... in 64 bits
    reduced,                             // by one instruction (REDUX)
    reduced_alike, reduced_by_shuffles,  // without it; where all lanes give the same, or not
    scanned,                             // each lane gets the sum of those before it
    numbers
};

// As ptxas 13.0 has them: which lane is the first active one, how many there are, or what they give is added up; then each lane's
// result.
constexpr Gathering gatherings[] = {
    {"", "", 0},
    {"RVsSa", "", 1},          {"RVsSa", "RASXF", 1},
    {"RVsSfa", "", 1},         {"RVsSfa", "RASXF", 1},
    {"RVsSffaaa", "", 1},      {"RVsSffaaa", "RASXXFF", 1},
    {"VsRaSa", "", 1},
    {"VaabRa", "", isa::warp_size, 4}, {"VaabXaxaxaxaxaRa", "", isa::warp_size, 4},
    {"VaAbXAfRAxAfxAfxAfxAfA", "Xxf", isa::warp_size, 4},
};
static_assert(std::size(gatherings) == numbers);
// Behind another one in its block, which has found out which lane is the first and how many there are.
constexpr Gathering again[] = {
    {"", "", 0},
    {"", "", 1},      {"", "RASXF", 1},
    {"F", "", 1},     {"F", "RASXF", 1},
    {"FFaaa", "", 1}, {"FFaaa", "RASXXFF", 1},
    {"Sa", "", 1},
    {"A", "", isa::warp_size, 4}, {"XaxaxaxaxaRa", "", isa::warp_size, 4},
    {"VaAbXAfRAxAfxAfxAfxAfA", "Xxf", isa::warp_size, 4},
};
static_assert(std::size(again) == numbers);
// clang-format on

bool varies(Divergence const& divergence, ir::Operand const& o) {
    return o.kind == Kind::reg && divergence.varies(o.index);
}

bool has_varying_address(MachineFunction const& m, Divergence const& divergence, std::uint32_t i) {
    auto const operands = m.operands(i);
    return std::any_of(operands.begin(), operands.end(), [&](ir::Operand const& o) {
        return o.kind == Kind::address && o.base == ir::Operand::AddressBase::reg && divergence.varies(o.index);
    });
}

/// Integers of 32 bits, whatever their order and scope, and sums of 64 bits in global memory; ptxas leaves floats, exchanges and
/// counters that wrap alone. `gives`: its result is read.
Number number_of(MachineFunction const& m, Divergence const& divergence, std::uint32_t i, bool gives,
                 int capability) {
    ir::Form const& form = m.form(i);
    bool const is_shared = form.space == StateSpace::shared;
    bool const is_near = is_shared || form.space == StateSpace::global || form.space == StateSpace::generic;
    if (isa::is_float(form.types[0]) || form.vector != 1 || !is_near || has_varying_address(m, divergence, i))
        return none;
    bool const adds = form.has(Modifier::add), is_wide = isa::width(form.types[0]) != 32;
    ir::Operand const& given = m.operands(i).back();
    bool const is_varying = varies(divergence, given);
    if (adds && !is_varying) {
        if (is_wide) return form.space != StateSpace::global ? none : gives ? counted_wide_result : counted_wide;
        bool const is_one = given.kind == Kind::immediate && given.value == 1;
        // From 8.0 on shared memory counts lanes by itself (ATOMS.POPC.INC).
        if (is_shared && is_one && !gives && capability >= 80) return none;
        return is_one ? (gives ? counted_ones_result : counted_ones) : (gives ? counted_result : counted);
    }
    bool const makes_one = adds || form.has(Modifier::min) || form.has(Modifier::max) ||
                           form.has(Modifier::and_) || form.has(Modifier::or_) || form.has(Modifier::xor_);
    if (is_wide || !makes_one) return none;
    if (gives) return adds ? scanned : none;
    if (capability >= 80) return reduced;
    return is_varying ? reduced_by_shuffles : reduced_alike;
}

/// How many lanes there are is given instead.
void drop_number(MachineFunction& m, std::uint32_t i) {
    MachineInstruction& instruction = m.instructions[i];
    if (instruction.moved[0] != 0 && instruction.extra_moves != 0) --instruction.extra_moves;
    instruction.moved = {};
}

}  // namespace

void name_numbers_of_atomics(ir::Module const& module, ir::Function& function) {
    ir::RegisterLists const lists = ir::list_registers(module, function);
    std::vector<std::uint32_t> writers(function.registers.size(), 0), writer(function.registers.size(), ir::none);
    for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
        for (std::uint32_t const reg : lists.writes[i]) {
            ++writers[reg];
            writer[reg] = i;
        }
    }
    auto const number = [&](std::uint32_t reg) -> ir::Operand const* {
        if (writers[reg] != 1 || function.instructions[writer[reg]].guard != ir::none) return nullptr;
        ir::Instruction const& made = function.instructions[writer[reg]];
        auto const o = function.operands_of(made);
        bool const is_one =
            ir::effect(module, made) == Effect::move && o.size() == 2 && o[1].kind == Kind::immediate;
        return is_one ? &o[1] : nullptr;
    };
    for (ir::Instruction const& instruction : function.instructions) {
        Effect const effect = ir::effect(module, instruction);
        if (effect != Effect::atomic && effect != Effect::reduction) continue;
        ir::Operand& given = function.operands[instruction.first_operand + instruction.operand_count - 1];
        if (given.kind != Kind::reg || isa::width(given.type) != isa::width(function.registers[given.index].type))
            continue;
        ir::Operand const* const named = number(given.index);
        if (named == nullptr || isa::is_float(given.type)) continue;
        given.kind = Kind::immediate;
        given.value = named->value;
        given.index = ir::none;
    }
}

void gather_atomics(MachineFunction& m, Divergence const& divergence, ir::DominatorTree const& dominators,
                    int capability) {
    OneLane const one_lane(m, divergence, dominators);
    std::vector<bool> is_read(m.function->registers.size(), false);
    for (std::uint32_t const reg : m.reads.items) is_read[reg] = true;
    std::uint32_t last = ir::none;  // the block of the one before
    for (std::uint32_t i = 0; i < m.instructions.size(); ++i) {
        Effect const effect = ir::effect(*m.module, m.ir(i));
        bool const is_atomic = effect == Effect::atomic || effect == Effect::reduction;
        if (!is_atomic || m.instructions[i].fate != Fate::issued || one_lane.comes_to(i)) continue;
        auto const writes = m.writes[i];
        bool const gives = std::any_of(writes.begin(), writes.end(), [&](std::uint32_t r) { return is_read[r]; });
        Number const number = number_of(m, divergence, i, gives, capability);
        if (number == none) continue;
        if (number == counted_ones || number == counted_ones_result) drop_number(m, i);
        std::uint32_t const block = m.function->block_of[i];
        bool const is_first = std::exchange(last, block) != block;
        m.instructions[i].gathering = static_cast<std::uint8_t>(is_first ? number : numbers + number);
    }
}

Gathering const& gathering(std::uint8_t number) {
    return number < numbers ? gatherings[number] : again[number - numbers];
}

}  // namespace warpsim::timing
