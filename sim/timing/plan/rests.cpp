#include "sim/timing/plan/rests.hpp"

#include "frontend/ir/registers.hpp"
#include "frontend/isa/effect.hpp"

#include <algorithm>
#include <utility>

namespace warpsim::timing {

namespace {

// ptxas 13.0 uses such a register again for the eleventh instruction behind it at the earliest, as chains of BREV, of SHFL and of
// loads and stores show.
constexpr std::uint32_t rest = 11;

bool reads_late(MachineFunction const& m, std::uint32_t i) {
    return m.uses(i,
                  {MicroUnit::lsu, MicroUnit::sfu, MicroUnit::shuffle, MicroUnit::texture, MicroUnit::constant});
}

/// Of addresses of 64 bits in constant memory a copy of the lower half is.
bool is_read_itself(MachineFunction const& m, std::uint32_t i, std::uint32_t reg) {
    return m.units(reg) == 1 || (m.units(reg) != 0 && !m.uses(i, {MicroUnit::constant}));
}

/// From behind the instruction on, no further than its block, which other ways lead out of; empty: it reads nothing late.
ir::LiveInterval rest_behind(MachineFunction const& m, std::uint32_t i) {
    ir::LiveInterval found;
    if (!reads_late(m, i)) return found;
    std::uint32_t const end = m.function->blocks[m.function->block_of[i]].last;
    std::uint32_t const behind = m.instructions[i].first_micro + m.instructions[i].micros + rest - 1;
    std::uint32_t last = i;
    while (last < end && m.instructions[last + 1].first_micro < behind) ++last;
    if (last != i) found.extend(ir::read_point(i + 1), ir::write_point(last));
    return found;
}

/// Per branch that became a guard: whether its paths load from memory that is far away.
std::vector<bool> find_far_paths(MachineFunction const& m) {
    std::vector<bool> found;
    for (std::uint32_t i = 0; i < m.instructions.size(); ++i) {
        GuardedPlace const& place = m.instructions[i].guarded;
        if (place.part == Part::none) continue;
        if (found.size() <= place.branch) found.resize(place.branch + 1u);
        using isa::StateSpace;
        StateSpace const space = m.form(i).space;
        bool const is_far =
            space == StateSpace::global || space == StateSpace::generic || space == StateSpace::local;
        if (is_far && ir::effect(*m.module, m.ir(i)) == isa::Effect::load) found[place.branch] = true;
    }
    return found;
}

/// Other paths are guarded so late that nothing keeps them from registers that rest.
bool respects_rest(MachineFunction const& m, std::vector<bool> const& far_paths, std::uint32_t i) {
    GuardedPlace const& place = m.instructions[i].guarded;
    return place.part == Part::none || m.ir(i).guard == ir::none || far_paths[place.branch];
}

/// Those whose register would rest when another one is written, and these others, even if they are live at the same time anyway.
std::vector<bool> find_apart(Rests const& rests) {
    struct Write {
        ir::ProgramPoint point;
        std::uint32_t value;
    };
    std::vector<Write> writes;
    for (std::uint32_t v = 0; v < rests.written.size(); ++v)
        for (ir::LiveInterval const& at : rests.written[v]) writes.push_back({at.begin, v});
    std::sort(writes.begin(), writes.end(), [](Write const& a, Write const& b) {
        return std::pair(a.point, a.value) < std::pair(b.point, b.value);
    });
    std::vector<bool> found(rests.rested.size(), false);
    for (std::uint32_t v = 0; v < rests.rested.size(); ++v) {
        for (ir::LiveInterval const& rest : rests.rested[v]) {
            auto w = std::lower_bound(writes.begin(), writes.end(), rest.begin,
                                      [](Write const& a, ir::ProgramPoint point) { return a.point < point; });
            for (; w != writes.end() && w->point <= rest.end; ++w) {
                if (w->value != v) found[v] = found[w->value] = true;
            }
        }
    }
    return found;
}

}  // namespace

Rests::Rests(MachineFunction const& m, Values const& values)
    : written(values.all().size()), rested(values.all().size()) {
    std::vector<bool> const far_paths = find_far_paths(m);
    for (std::uint32_t i = 0; i < m.instructions.size(); ++i) {
        for (std::uint32_t const reg : m.machine_writes[i]) {
            ir::ProgramPoint const point = ir::write_point(i);
            if (m.units(reg) != 0 && m.instructions[i].micros != 0 && respects_rest(m, far_paths, i))
                written[values.at(reg, point)].push_back({point, point});
        }
        ir::LiveInterval const behind = rest_behind(m, i);
        if (behind.empty()) continue;
        for (std::uint32_t const reg : m.machine_reads[i])
            if (is_read_itself(m, i, reg)) rested[values.at(reg, ir::read_point(i))].push_back(behind);
    }
    for (std::uint32_t t = 0; t < values.temporaries().size(); ++t) {
        Temporary const& temporary = values.temporaries()[t];
        std::uint32_t const v = values.first_temporary() + t;
        if (temporary.readers.empty()) continue;
        ir::ProgramPoint const made = temporary.pieces.front().begin;
        written[v].push_back({made, made});
        for (std::uint32_t const i : temporary.readers) {
            ir::LiveInterval const behind = rest_behind(m, i);
            if (!behind.empty()) rested[v].push_back(behind);
        }
    }
    is_apart = find_apart(*this);
}

}  // namespace warpsim::timing
