#include "sim/timing/plan/allocate.hpp"

#include "frontend/ir/registers.hpp"
#include "sim/timing/plan/live_ranges.hpp"

#include <algorithm>

namespace warpsim::timing {

namespace {

// Register 1 holds the stack pointer, even if nothing uses it.
constexpr std::uint32_t stack_pointer = 1;
// Each thread's own program counter takes two more (Volta and later): ptxas counts 4 for an empty kernel.
constexpr std::uint32_t program_counter = 2;
// Registers that a caller must preserve begin at number 16 of the calling convention; with a call, ptxas counts at
// least this many.
constexpr std::uint32_t least_with_calls = 24;
// Registers are handed out in units of eight, so using fewer of the first six saves nothing. A compiler does not reuse
// these at once, which leaves its scheduling free.
constexpr std::uint32_t rested = 8 - program_counter;
constexpr std::uint32_t rest = 2 * 4;  // half steps

/// The registers of one kind.
struct File {
    std::uint32_t& count;
    bool is_vector;
    std::vector<Occupied> registers{};

    std::uint32_t take(std::uint32_t units, Pieces pieces) {
        std::uint32_t place = 0;
        while (!fits(place, units, pieces)) place += units;
        for (std::uint32_t u = 0; u < units; ++u) registers[place + u].add(pieces);
        count = std::max(count, place + units);
        return place;
    }
    bool fits(std::uint32_t place, std::uint32_t units, Pieces pieces) {
        if (is_vector && place <= stack_pointer && stack_pointer < place + units) return false;
        if (registers.size() < place + units) registers.resize(place + units);
        std::uint32_t const apart = is_vector && place < rested ? rest : 0;
        for (std::uint32_t u = 0; u < units; ++u)
            if (registers[place + u].meets(pieces, apart)) return false;
        return true;
    }
};

class Allocator {
public:
    Allocator(MachineFunction const& m, LiveRanges const& ranges)
        : m_(m), ranges_(ranges), kept_(count_registers()) {
        // All predicates that are kept in a vector register share one, from the first write to the last read.
        for (std::uint32_t r = 0; r < kept_; ++r) {
            Pieces const pieces = ranges_.of(r);
            if (pieces.empty()) continue;
            if (is_kept(r)) all_kept_.extend(pieces.front().begin, pieces.back().end);
            else order_.push_back(r);
        }
        if (!all_kept_.empty()) order_.push_back(kept_);
        std::sort(order_.begin(), order_.end(), [&](std::uint32_t x, std::uint32_t y) {
            ir::ProgramPoint const a = pieces(x).front().begin, b = pieces(y).front().begin;
            return a != b ? a < b : x < y;
        });
    }

    Allocation run() {
        Allocation first = in_order();
        // Wide values that come late find only single registers free.
        if (std::stable_partition(order_.begin(), order_.end(), [&](std::uint32_t r) { return units(r) > 1; }) ==
            order_.begin())
            return first;
        Allocation wide_first = in_order();
        return wide_first.registers < first.registers ? wide_first : first;
    }

private:
    std::uint32_t count_registers() const { return static_cast<std::uint32_t>(m_.function->registers.size()); }
    bool is_kept(std::uint32_t r) const { return r < m_.is_kept.size() && m_.is_kept[r]; }
    Pieces pieces(std::uint32_t r) const { return r == kept_ ? Pieces(&all_kept_, 1) : ranges_.of(r); }
    std::uint32_t units(std::uint32_t r) const { return r == kept_ ? 1 : m_.units(r); }

    Allocation in_order() const {
        Allocation a;
        a.place.assign(kept_, no_register);
        File vector{a.registers, true}, predicates{a.predicates, false}, uniform{a.uniform, false};
        for (std::uint32_t const r : order_) {
            if (r == kept_) {
                vector.take(1, pieces(r));
                continue;
            }
            ir::Type const type = m_.function->registers[r].type;
            bool const is_predicate = type == ir::Type::pred;
            bool const is_wide = !is_predicate && isa::width(type) > 32;
            File& file = is_predicate ? predicates : m_.in_uniform_file(r) ? uniform : vector;
            std::uint32_t const taken = &file == &vector ? units(r) : is_wide ? 2 : 1;
            a.place[r] = static_cast<std::uint16_t>(file.take(taken, pieces(r)));
        }
        return a;
    }

    MachineFunction const& m_;
    LiveRanges const& ranges_;
    std::uint32_t const kept_;  // stands for all predicates that are kept in a vector register
    ir::LiveInterval all_kept_;
    std::vector<std::uint32_t> order_;
};

}  // namespace

Allocation allocate(MachineFunction const& m) { return allocate(m, ir::find_block_liveness(machine_uses(m))); }

Allocation allocate(MachineFunction const& m, ir::BlockLiveness const& live) {
    LiveRanges const ranges(m, live);
    Allocation a = Allocator(m, ranges).run();
    a.registers = std::max(a.registers, stack_pointer + 1) + program_counter;
    bool const calls =
        std::any_of(m.function->instructions.begin(), m.function->instructions.end(),
                    [&](ir::Instruction const& i) { return ir::effect(*m.module, i) == isa::Effect::call; });
    if (calls) a.registers = std::max(a.registers, least_with_calls);
    auto const pressure = find_pressure(m, ranges);
    a.most_live = *std::max_element(pressure.begin(), pressure.end());
    return a;
}

std::uint32_t least_registers(MachineFunction const& m, ir::BlockLiveness const& live) {
    std::uint32_t most = 0;
    for (std::uint32_t b = 0; b < m.function->blocks.size(); ++b) {
        std::uint32_t units = 0;
        for (std::uint32_t const reg : live.in[b]) units += m.units(reg);
        most = std::max(most, units);
    }
    return most + program_counter;
}

std::vector<bool> blocks_beyond(MachineFunction const& m, Allocation const& allocation, std::uint32_t registers) {
    std::vector<bool> beyond(m.function->blocks.size(), false);
    for (std::uint32_t i = 0; i < m.instructions.size(); ++i) {
        for (std::uint32_t const reg : m.machine_writes[i]) {
            std::uint16_t const place = allocation.place[reg];
            std::uint32_t const units = m.units(reg);
            if (place == no_register || units == 0) continue;
            if (place + units + program_counter > registers) beyond[m.function->block_of[i]] = true;
        }
    }
    return beyond;
}

}  // namespace warpsim::timing
