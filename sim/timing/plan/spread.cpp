#include "sim/timing/plan/spread.hpp"

#include "sim/timing/plan/banks.hpp"
#include "sim/timing/plan/named_vectors.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace warpsim::timing {

namespace {

// Registers are handed out in units of so many.
constexpr std::uint32_t unit = 8;
// Memory, transcendental functions, shuffles and textures read their operands some time after they have issued, and what
// overwrites one of these has to wait for that. ptxas 13.0 uses such a register again for the eleventh instruction behind it at
// the earliest, as chains of BREV, of SHFL and of loads and stores show.
constexpr std::uint32_t rest = 11;

bool has_any(MachineFunction const& m, std::uint32_t i, std::initializer_list<MicroUnit> units) {
    auto const* const first = m.micros.data() + m.instructions[i].first_micro;
    return std::any_of(first, first + m.instructions[i].micros, [&](MicroOp const& op) {
        return std::find(units.begin(), units.end(), op.unit) != units.end();
    });
}

bool reads_late(MachineFunction const& m, std::uint32_t i) {
    return has_any(m, i, {MicroUnit::lsu, MicroUnit::sfu, MicroUnit::shuffle, MicroUnit::texture});
}

/// What is behind it waits for all that is under way, or is reached by other ways as well.
bool ends_rest(MachineFunction const& m, std::uint32_t i) {
    return m.instructions[i].convergence != 0 || has_any(m, i, {MicroUnit::branch});
}

using Points = std::vector<ir::LiveInterval>;

/// Per value.
struct Uses {
    std::vector<Points> written, rested;  // rested: behind instructions that read it late

    Uses(MachineFunction const& m, Values const& values)
        : written(values.all().size()), rested(values.all().size()) {
        std::vector<std::uint32_t> end(m.instructions.size());  // the last instruction of a stretch
        for (ir::Block const& block : m.function->blocks) {
            std::uint32_t last = block.last;
            for (std::uint32_t i = block.last + 1; i-- > block.first;) {
                if (ends_rest(m, i)) last = i;
                end[i] = last;
            }
        }
        for (std::uint32_t i = 0; i < m.instructions.size(); ++i) {
            for (std::uint32_t const reg : m.machine_writes[i]) {
                ir::ProgramPoint const point = ir::write_point(i);
                if (m.units(reg) != 0) written[values.at(reg, point)].push_back({point, point});
            }
            if (!reads_late(m, i)) continue;
            std::uint32_t const behind = m.instructions[i].first_micro + m.instructions[i].micros + rest - 1;
            std::uint32_t last = i;
            while (last < end[i] && m.instructions[last + 1].first_micro < behind) ++last;
            if (last == i) continue;
            for (std::uint32_t const reg : m.machine_reads[i]) {
                if (m.units(reg) == 0) continue;
                rested[values.at(reg, ir::read_point(i))].push_back(
                    {ir::read_point(i + 1), ir::write_point(last)});
            }
        }
    }
};

class Spreader {
public:
    Spreader(MachineFunction const& m, LiveRanges const& ranges, std::uint32_t most)
        : m_(m),
          values_(m, ranges),
          uses_(m, values_),
          banks_(find_banks(m, values_)),
          files_(most),
          vector_of_(values_.all().size(), ir::none) {
        files_[stack_pointer].live.add(always_);
        find_vectors();
    }

    /// How many registers it takes; 0: too many.
    std::uint32_t run() {
        std::vector<std::uint32_t> order(values_.all().size());
        std::iota(order.begin(), order.end(), 0u);
        // Wide values first, then those that are needed longest, as ptxas's own allocations suggest.
        std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return rank(a) < rank(b); });
        places_.assign(order.size(), no_register);
        for (std::uint32_t const v : order) {
            if (places_[v] != no_register) continue;  // with others
            if (vector_of_[v] != ir::none && choose_together(vectors_[vector_of_[v]])) continue;
            if (!choose(v)) return 0;
        }
        return used_;
    }

    void write(Allocation& a) const {
        std::vector<bool> is_placed(m_.function->registers.size(), false);
        for (std::uint32_t v = 0; v < values_.first_temporary(); ++v) {
            Value const& value = values_.all()[v];
            if (!is_placed[value.reg]) a.place[value.reg] = places_[v];
            is_placed[value.reg] = true;
            for (ir::LiveInterval const& piece : value.pieces)
                a.moved.push_back({value.reg, piece.begin, places_[v]});
        }
        std::sort(a.moved.begin(), a.moved.end(), [](Allocation::Moved const& x, Allocation::Moved const& y) {
            return std::pair(x.reg, x.from) < std::pair(y.reg, y.from);
        });
    }

private:
    struct Register {
        Occupied live, written, rested;
    };
    struct Wish {
        Bank bank;
        bool has_rested;
    };

    struct Element {
        std::uint32_t value, offset;
    };
    struct Together {
        std::uint32_t units;
        std::vector<Element> elements;
    };

    void find_vectors() {
        for (NamedVector const& v : find_named_vectors(m_)) {
            ir::ProgramPoint const point =
                v.is_written ? ir::write_point(v.instruction) : ir::read_point(v.instruction);
            Together together{v.units, {}};
            for (auto const& e : v.elements) together.elements.push_back({values_.at(e.reg, point), e.offset});
            bool const is_free = std::none_of(together.elements.begin(), together.elements.end(),
                                              [&](Element const& e) { return vector_of_[e.value] != ir::none; });
            if (!is_free) continue;
            for (Element const& e : together.elements)
                vector_of_[e.value] = static_cast<std::uint32_t>(vectors_.size());
            vectors_.push_back(std::move(together));
        }
    }

    std::tuple<std::uint32_t, std::uint32_t, std::uint32_t> rank(std::uint32_t v) const {
        Value const& value = values_.all()[v];
        std::uint32_t const units = vector_of_[v] != ir::none ? vectors_[vector_of_[v]].units : value.units;
        return {UINT32_MAX - units, UINT32_MAX - value.pieces.back().end, value.pieces.front().begin};
    }

    /// The lowest place where all have rested, or else are free.
    bool choose_together(Together const& t) {
        for (bool const rests : {true, false}) {
            for (std::uint32_t place = 0; place + t.units <= files_.size(); place += t.units) {
                bool const all_suit = std::all_of(t.elements.begin(), t.elements.end(), [&](Element const& e) {
                    return suits(e.value, place + e.offset, {Bank::any, rests});
                });
                if (!all_suit) continue;
                for (Element const& e : t.elements) put(e.value, place + e.offset);
                return true;
            }
        }
        return false;
    }

    /// The lowest place that is in its bank and has rested, or else in its bank, or else free.
    bool choose(std::uint32_t v) {
        Value const& value = values_.all()[v];
        for (Wish const& wish : {Wish{banks_[v], true}, Wish{banks_[v], false}, Wish{Bank::any, false}}) {
            for (std::uint32_t place = 0; place + value.units <= files_.size(); place += value.units) {
                if (!suits(v, place, wish)) continue;
                put(v, place);
                return true;
            }
        }
        return false;
    }
    void put(std::uint32_t v, std::uint32_t place) {
        Value const& value = values_.all()[v];
        for (std::uint32_t p = place; p < place + value.units; ++p) {
            files_[p].live.add(value.pieces);
            files_[p].written.add(uses_.written[v]);
            files_[p].rested.add(uses_.rested[v]);
        }
        places_[v] = static_cast<std::uint16_t>(place);
        used_ = std::max(used_, place + value.units);
    }
    bool suits(std::uint32_t v, std::uint32_t place, Wish const& wish) const {
        Value const& value = values_.all()[v];
        bool const is_odd = place % 2 != 0;
        if (value.units == 1 && wish.bank != Bank::any && is_odd != (wish.bank == Bank::odd)) return false;
        return std::all_of(files_.begin() + place, files_.begin() + place + value.units, [&](Register const& r) {
            if (r.live.meets(value.pieces)) return false;
            return !wish.has_rested || !(r.written.meets(uses_.rested[v]) || r.rested.meets(uses_.written[v]));
        });
    }

    MachineFunction const& m_;
    Values const values_;
    Uses const uses_;
    std::vector<Bank> const banks_;
    std::vector<ir::LiveInterval> const always_{{ir::entry_point, UINT32_MAX - 1}};
    std::vector<Register> files_;
    std::vector<std::uint16_t> places_;  // per value
    std::vector<Together> vectors_;
    std::vector<std::uint32_t> vector_of_;  // per value; ir::none
    std::uint32_t used_ = 0;
};

}  // namespace

void spread(MachineFunction const& m, Allocation& allocation, std::uint32_t target, std::uint32_t limit) {
    std::uint32_t const units = (allocation.registers + register_unit - 1) / register_unit;
    std::uint32_t const enough = std::min(std::max(units * register_unit, target), limit);
    LiveRanges const ranges(m);
    Spreader spreader(m, ranges, enough - program_counter);
    std::uint32_t const used = spreader.run();
    if (used == 0 && allocation.most_live != 0) return;
    allocation.registers = registers_of_thread(m, used);
    spreader.write(allocation);
}

}  // namespace warpsim::timing
