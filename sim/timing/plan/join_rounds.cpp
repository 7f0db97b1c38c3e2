#include "sim/timing/plan/unroll.hpp"

#include "sim/timing/plan/operations.hpp"

#include <algorithm>

namespace warpsim::timing {

namespace {

using Kind = ir::Operand::Kind;

/// One loop: which of its registers only advance, and what is computed from these alone.
class RoundJoiner {
public:
    RoundJoiner(MachineFunction& m, Definitions& d, UnrolledLoop const& loop) : m_(m), d_(d), loop_(loop) {}

    void run() {
        for (std::uint32_t j = 0; j < loop_.length; ++j) {
            if (always_advances(at(0, j))) join(j);
        }
    }

private:
    std::uint32_t at(std::uint32_t copy, std::uint32_t j) const { return loop_.first + copy * loop_.length + j; }
    std::uint32_t end() const { return at(loop_.copies, 0); }

    bool always_advances(std::uint32_t i) const { return is_advance(m_, i) && m_.ir(i).guard == ir::none; }
    bool is_address_only(std::uint32_t i, std::uint32_t reg) const {
        for (ir::Operand const& o : m_.operands(i)) {
            if (o.kind == Kind::reg && o.index == reg) return false;
        }
        return true;
    }
    /// What an iteration computes from the register, and how much more it is for each one by which that is more.
    struct Derived {
        std::uint32_t place;  // within an iteration
        std::int64_t factor;
    };

    /// Calls visit(instruction) for those in the loop that read the register for something else than an address, as long as it
    /// holds.
    template <class Visit> bool all_computations(std::uint32_t reg, Visit const& visit) const {
        for (std::uint32_t k = loop_.first; k < end(); ++k) {
            auto const reads = m_.reads[k];
            bool const computes =
                std::find(reads.begin(), reads.end(), reg) != reads.end() && !is_address_only(k, reg);
            if (computes && !visit(k)) return false;
        }
        return true;
    }
    bool makes_value(std::uint32_t i) const {
        auto const o = m_.operands(i);
        return o.size() == 3 && o[0].kind == Kind::reg && m_.ir(i).guard == ir::none &&
               d_.only_definition[o[0].index] == i;
    }
    /// A sum of a register and something else that is used in addresses only.
    bool is_address_sum(std::uint32_t i, std::uint32_t reg) const {
        if (!is_plain_add(m_.form(i)) || !makes_value(i)) return false;
        for (ir::Operand const& term : m_.operands(i).subspan(1)) {
            bool const changes = term.kind == Kind::reg && d_.count[term.index] > 1 && term.index != reg &&
                                 changes_inside(term.index);
            if (changes) return false;
        }
        return all_computations(m_.operands(i)[0].index, [](std::uint32_t) { return false; });
    }
    /// A multiple of 32 bits by a number.
    static std::int64_t multiplier(ir::Form const& f, std::span<ir::Operand const> o) {
        if (isa::width(f.types[0]) != 32 || o.size() != 3 || o[2].kind != Kind::immediate) return 0;
        if (f.operation == Operation::shl)
            return o[2].value >= 0 && o[2].value < 31 ? std::int64_t{1} << o[2].value : 0;
        return f.operation == Operation::mul_lo ? o[2].value : 0;
    }
    /// Adds what the instruction derives from the register, and what others do from that; nothing else may come of it.
    bool derive(std::uint32_t i, std::vector<Derived>& derived) const {
        auto const add = [&](std::uint32_t k, std::int64_t factor) {
            std::uint32_t const place = (k - loop_.first) % loop_.length;
            bool const is_known = std::any_of(derived.begin(), derived.end(),
                                              [&](Derived const& other) { return other.place == place; });
            if (!is_known) derived.push_back({place, factor});
        };
        if (is_address_sum(i, advancing_)) {
            add(i, times(i, advancing_));
            return true;
        }
        std::int64_t const factor = multiplier(m_.form(i), m_.operands(i));
        if (factor == 0 || !makes_value(i)) return false;
        std::uint32_t const multiple = m_.operands(i)[0].index;
        if (!all_computations(multiple, [&](std::uint32_t k) { return is_address_sum(k, multiple); }))
            return false;
        add(i, factor);
        return all_computations(multiple, [&](std::uint32_t k) {
            add(k, factor * times(k, multiple));
            return true;
        });
    }
    /// How often the register is a term of a sum.
    std::int64_t times(std::uint32_t i, std::uint32_t reg) const {
        auto const terms = m_.operands(i).subspan(1);
        return std::count_if(terms.begin(), terms.end(),
                             [&](ir::Operand const& o) { return o.kind == Kind::reg && o.index == reg; });
    }
    bool changes_inside(std::uint32_t reg) const {
        for (std::uint32_t k = loop_.first; k < end(); ++k) {
            auto const writes = m_.writes[k];
            if (std::find(writes.begin(), writes.end(), reg) != writes.end()) return true;
        }
        return false;
    }

    void join(std::uint32_t j) {
        advancing_ = m_.operands(at(0, j))[0].index;
        std::vector<Derived> derived;
        for (std::uint32_t k = loop_.first; k < end(); ++k) {
            auto const reads = m_.reads[k], writes = m_.writes[k];
            std::uint32_t const place = (k - loop_.first) % loop_.length;
            bool const writes_it = std::find(writes.begin(), writes.end(), advancing_) != writes.end();
            if (writes_it && place != j) return;
            if (place == j || std::find(reads.begin(), reads.end(), advancing_) == reads.end()) continue;
            if (m_.instructions[k].fate != Fate::issued || is_address_only(k, advancing_)) continue;
            bool const is_last_test = m_.form(k).operation == Operation::setp && k >= at(loop_.copies - 1, 0);
            if (is_last_test) continue;
            if (!derive(k, derived)) return;
        }
        for (std::uint32_t c = 0; c + 1 < loop_.copies; ++c) {
            m_.instructions[at(c, j)].fate = Fate::removed;
            auto& changes = d_.changes;
            changes.erase(std::remove(changes.begin(), changes.end(), std::pair(advancing_, at(c, j))),
                          changes.end());
        }
        std::int64_t const step = m_.operands(at(0, j))[2].value;
        for (auto const& [place, factor] : derived) {
            std::uint32_t const first = m_.operands(at(0, place))[0].index;
            for (std::uint32_t c = 1; c < loop_.copies; ++c) {
                std::uint32_t const i = at(c, place);
                m_.instructions[i].fate = Fate::removed;
                std::uint32_t const sum = m_.operands(i)[0].index;
                d_.root[sum] = first;
                d_.beyond_root[sum] += step * c * factor;
            }
        }
    }

    MachineFunction& m_;
    Definitions& d_;
    UnrolledLoop const& loop_;
    std::uint32_t advancing_ = 0;
};

}  // namespace

void join_rounds(MachineFunction& m, Definitions& d, std::vector<UnrolledLoop> const& loops) {
    for (UnrolledLoop const& loop : loops) RoundJoiner(m, d, loop).run();
}

}  // namespace warpsim::timing
