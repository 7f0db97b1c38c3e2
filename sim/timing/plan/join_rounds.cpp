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
    /// A sum of the register and something else that is used in addresses only.
    bool is_derived(std::uint32_t i) const {
        auto const o = m_.operands(i);
        if (!is_plain_add(m_.form(i)) || o.size() != 3 || o[0].kind != Kind::reg || m_.ir(i).guard != ir::none)
            return false;
        std::uint32_t const sum = o[0].index;
        if (d_.only_definition[sum] != i) return false;
        for (ir::Operand const& term : o.subspan(1)) {
            bool const changes = term.kind == Kind::reg && d_.count[term.index] > 1 && term.index != advancing_ &&
                                 changes_inside(term.index);
            if (changes) return false;
        }
        for (std::uint32_t k = loop_.first; k < end(); ++k) {
            auto const reads = m_.reads[k];
            if (std::find(reads.begin(), reads.end(), sum) != reads.end() && !is_address_only(k, sum))
                return false;
        }
        return true;
    }
    /// How often the register is a term of a sum.
    std::int64_t times(std::uint32_t i) const {
        auto const terms = m_.operands(i).subspan(1);
        return std::count_if(terms.begin(), terms.end(),
                             [&](ir::Operand const& o) { return o.kind == Kind::reg && o.index == advancing_; });
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
        std::vector<std::uint32_t> derived;  // positions within an iteration
        for (std::uint32_t k = loop_.first; k < end(); ++k) {
            auto const reads = m_.reads[k], writes = m_.writes[k];
            std::uint32_t const place = (k - loop_.first) % loop_.length;
            bool const writes_it = std::find(writes.begin(), writes.end(), advancing_) != writes.end();
            if (writes_it && place != j) return;
            if (place == j || std::find(reads.begin(), reads.end(), advancing_) == reads.end()) continue;
            if (m_.instructions[k].fate != Fate::issued || is_address_only(k, advancing_)) continue;
            bool const is_last_test = m_.form(k).operation == Operation::setp && k >= at(loop_.copies - 1, 0);
            if (is_last_test) continue;
            if (!is_derived(k)) return;
            if (std::find(derived.begin(), derived.end(), place) == derived.end()) derived.push_back(place);
        }
        for (std::uint32_t c = 0; c + 1 < loop_.copies; ++c) m_.instructions[at(c, j)].fate = Fate::removed;
        std::int64_t const step = m_.operands(at(0, j))[2].value;
        for (std::uint32_t const place : derived) {
            std::uint32_t const first = m_.operands(at(0, place))[0].index;
            for (std::uint32_t c = 1; c < loop_.copies; ++c) {
                std::uint32_t const i = at(c, place);
                m_.instructions[i].fate = Fate::removed;
                std::uint32_t const sum = m_.operands(i)[0].index;
                d_.root[sum] = first;
                d_.beyond_root[sum] += step * c * times(i);
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
