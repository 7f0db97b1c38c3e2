#include "sim/timing/plan/allocate.hpp"

#include "frontend/ir/registers.hpp"

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
// Registers are allocated in units of eight, so using fewer of the first eight saves nothing. A compiler does not
// reuse these for a few instructions, which leaves its scheduling free.
constexpr std::uint32_t rested = 8;
constexpr std::uint32_t rest = 2 * 4;  // half steps

/// The registers of one kind during the scan.
struct File {
    std::uint32_t& count;
    bool is_vector;
    std::vector<std::uint32_t> free_from{};  // per register the point after its last use; 0: not used yet

    std::uint32_t take(std::uint32_t units, ir::LiveInterval interval) {
        std::uint32_t place = 0;
        while (!fits(place, units, interval)) place += units;
        // A register that an instruction reads for the last time may receive its result.
        for (std::uint32_t u = 0; u < units; ++u)
            free_from[place + u] = interval.end + (interval.end % 2 == 0 ? 1 : 0);
        count = std::max(count, place + units);
        return place;
    }
    bool fits(std::uint32_t place, std::uint32_t units, ir::LiveInterval interval) {
        if (is_vector && place <= stack_pointer && stack_pointer < place + units) return false;
        while (free_from.size() < place + units) free_from.push_back(0);
        for (std::uint32_t u = 0; u < units; ++u) {
            std::uint32_t const from = free_from[place + u];
            if (from != 0 && from + (is_vector && place < rested ? rest : 0) > interval.begin) return false;
        }
        return true;
    }
};

}  // namespace

Allocation allocate(MachineFunction const& m) {
    Allocation a;
    std::size_t const count = m.function->registers.size();
    a.place.assign(count, no_register);
    ir::Liveness liveness = find_machine_liveness(m);
    std::vector<ir::LiveInterval>& intervals = liveness.intervals;
    std::vector<std::uint32_t> order;
    for (std::uint32_t r = 0; r < count; ++r) {
        if (!intervals[r].empty() && (r >= m.is_kept.size() || !m.is_kept[r])) order.push_back(r);
    }
    // All predicates that are kept in a vector register share one, from the first write to the last read.
    if (!m.is_kept.empty()) {
        ir::LiveInterval all;
        for (std::uint32_t r = 0; r < count; ++r) {
            if (r >= m.is_kept.size() || !m.is_kept[r] || intervals[r].empty()) continue;
            all.extend(intervals[r].begin, intervals[r].end);
        }
        intervals.push_back(all);
        order.push_back(static_cast<std::uint32_t>(count));
    }
    std::sort(order.begin(), order.end(), [&](std::uint32_t x, std::uint32_t y) {
        return intervals[x].begin != intervals[y].begin ? intervals[x].begin < intervals[y].begin : x < y;
    });
    File vector{a.registers, true}, predicates{a.predicates, false}, uniform{a.uniform, false};
    for (std::uint32_t const r : order) {
        if (r == count) {
            vector.take(1, intervals[r]);
            continue;
        }
        ir::Type const type = m.function->registers[r].type;
        bool const is_predicate = type == ir::Type::pred;
        bool const is_wide = !is_predicate && isa::width(type) > 32;
        File& file = is_predicate ? predicates : m.in_uniform_file(r) ? uniform : vector;
        std::uint32_t const units = &file == &vector ? m.units(r) : is_wide ? 2 : 1;
        a.place[r] = static_cast<std::uint16_t>(file.take(units, intervals[r]));
    }
    a.registers = std::max(a.registers, stack_pointer + 1) + program_counter;
    bool const calls =
        std::any_of(m.function->instructions.begin(), m.function->instructions.end(),
                    [&](ir::Instruction const& i) { return ir::effect(*m.module, i) == isa::Effect::call; });
    if (calls) a.registers = std::max(a.registers, least_with_calls);
    a.most_live = liveness.most_live;
    return a;
}

}  // namespace warpsim::timing
