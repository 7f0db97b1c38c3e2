#include "sim/timing/plan/predicates.hpp"

#include <algorithm>
#include <set>

namespace warpsim::timing {

namespace {

/// Where more than `most` are live at once, those with long live ranges and few mentions are kept elsewhere.
std::vector<bool> choose(MachineFunction const& m, std::uint32_t most) {
    std::vector<ir::LiveInterval> const intervals = find_machine_liveness(m).intervals;
    std::vector<std::uint32_t> mentions(m.function->registers.size(), 0);
    for (std::uint32_t const reg : m.machine_reads.items) ++mentions[reg];
    for (std::uint32_t const reg : m.machine_writes.items) ++mentions[reg];
    std::vector<bool> is_kept(m.function->registers.size(), false);
    std::set<std::pair<std::uint32_t, std::uint32_t>> ends;  // of those that are live now
    auto const merit = [&](std::uint32_t r) {
        return std::uint64_t{intervals[r].end - intervals[r].begin} * 64 / (mentions[r] + 1);
    };
    for (std::uint32_t const r : ir::order_by_begin(intervals)) {
        if (m.function->registers[r].type != ir::Type::pred) continue;
        while (!ends.empty() && ends.begin()->first < intervals[r].begin) ends.erase(ends.begin());
        ends.insert({intervals[r].end, r});
        if (ends.size() <= most) continue;
        auto const out = std::max_element(ends.begin(), ends.end(), [&](auto const& a, auto const& b) {
            return merit(a.second) < merit(b.second);
        });
        is_kept[out->second] = true;
        ends.erase(out);
    }
    return is_kept;
}

}  // namespace

void keep_predicates(MachineFunction& m, Allocation& allocation) {
    if (allocation.predicates <= predicates_of_thread) return;
    // One stays free for those that are moved back for a moment.
    m.is_kept = choose(m, predicates_of_thread - 1);
    auto const count = [&](std::span<std::uint32_t const> list) {
        return static_cast<std::size_t>(
            std::count_if(list.begin(), list.end(), [&](std::uint32_t r) { return m.is_kept[r]; }));
    };
    std::vector<MicroOp> micros;
    for (std::uint32_t i = 0; i < m.instructions.size(); ++i) {
        MachineInstruction& instruction = m.instructions[i];
        auto const own = m.micros_of(i);
        auto const first = static_cast<std::uint32_t>(micros.size());
        std::size_t const back = instruction.micros != 0 ? count(m.machine_reads[i]) : 0,
                          away = instruction.micros != 0 ? count(m.machine_writes[i]) : 0;
        micros.insert(micros.end(), back, MicroOp{MicroUnit::alu});
        micros.insert(micros.end(), own.begin(), own.end());
        if (back != 0) micros[first + back].chained = true;
        micros.insert(micros.end(), away, MicroOp{MicroUnit::alu, true});
        instruction.first_micro = first;
        instruction.micros = static_cast<std::uint16_t>(instruction.micros + back + away);
    }
    m.micros = std::move(micros);
    allocation = allocate(m);
    allocation.predicates = predicates_of_thread;
}

}  // namespace warpsim::timing
