#include "sim/timing/plan/counted_loops.hpp"

#include "frontend/ir/analysis/cycles.hpp"
#include "frontend/isa/modifiers.hpp"
#include "frontend/isa/table.hpp"
#include "sim/timing/plan/divergence.hpp"
#include "sim/timing/plan/folding.hpp"
#include "sim/timing/plan/operations.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

namespace warpsim::timing {

namespace {

using isa::Effect;
using Kind = ir::Operand::Kind;

class LoopFinder {
public:
    LoopFinder(ir::Module const& module, ir::Function const& function, MachineFunction const& m, int capability)
        : module_(module),
          function_(function),
          m_(m),
          capability_(capability),
          definitions_(function.registers.size(), 0),
          predecessors_(function.blocks.size(), 0),
          before_(function.blocks.size(), ir::none) {
        for (std::uint32_t const reg : m_.writes.items) ++definitions_[reg];
        std::vector<std::pair<std::uint32_t, std::uint32_t>> others;
        for (std::uint32_t b = 0; b < function.blocks.size(); ++b) {
            for (std::uint32_t const s : function.blocks[b].successors) {
                ++predecessors_[s];
                if (s == b) continue;
                before_[s] = b;
                others.emplace_back(b, s);
            }
        }
        is_inside_ = ir::on_cycles(function.blocks.size(), others);
    }

    CountedLoop loop(std::uint32_t b) const {
        ir::Block const& block = function_.blocks[b];
        ir::Instruction const& branch = function_.instructions[block.last];
        if (ir::effect(module_, branch) != Effect::branch || branch.guard == ir::none || block.first == block.last)
            return {};
        ir::Operand const& target = function_.operands_of(branch)[0];
        if (target.kind != Kind::label || target.index != block.first || predecessors_[b] != 2 ||
            before_[b] == ir::none || block.successors.size() != 2)
            return {};
        for (std::uint32_t i = block.first; i < block.last; ++i) {
            if (ir::effect(module_, function_.instructions[i]) == Effect::call) return {};
        }
        for (std::uint32_t const i : function_.not_unrolled)
            if (i >= block.first && i <= block.last) return {};
        // The loop is entered from one block only, which sets the counter.
        if (function_.blocks[before_[b]].successors.size() == 1) {
            if (CountedLoop const known = constant(b, branch); known.kind != CountedLoop::none)
                return known.rounds.at_once > 1 ? known : CountedLoop{};
        }
        CountedLoop found = counted_down(b, branch);
        if (found.kind == CountedLoop::none) found = bounded(b, branch);
        if (found.kind == CountedLoop::none) return {};
        return combines_rounds(m_, block, found.counter, lanes(found), capability_) ? found : CountedLoop{};
    }

private:
    /// The one instruction of [first, last] that writes the register; ir::none.
    std::uint32_t only_writer(std::uint32_t first, std::uint32_t last, std::uint32_t reg) const {
        std::uint32_t found = ir::none;
        for (std::uint32_t i = first; i <= last; ++i) {
            auto const writes = m_.writes[i];
            if (std::find(writes.begin(), writes.end(), reg) == writes.end()) continue;
            if (found != ir::none || m_.ir(i).guard != ir::none || writes.size() != 1) return ir::none;
            found = i;
        }
        return found;
    }

    /// Each iteration adds a constant to a counter until it has reached or passed a bound, in each lane its own.
    CountedLoop bounded(std::uint32_t b, ir::Instruction const& branch) const {
        using M = isa::Modifier;
        ir::Block const& block = function_.blocks[b];
        std::uint32_t const test = only_writer(block.first, block.last, branch.guard);
        if (test == ir::none || m_.form(test).operation != Operation::setp) return {};
        auto const compared = m_.operands(test);
        isa::Type const type = m_.form(test).types[0];
        if (!is_counter(type) || compared.size() != 4 || compared[1].kind != Kind::sink ||
            compared[2].kind != Kind::reg ||
            (compared[3].kind != Kind::reg && compared[3].kind != Kind::immediate))
            return {};
        std::uint32_t const counter = compared[2].index;
        std::uint32_t const step_at = only_writer(block.first, block.last, counter);
        if (step_at == ir::none || step_at > test || !is_advance(m_, step_at)) return {};
        std::int64_t const step = step_of(step_at);
        if (step > 1 << 20 || step < -(1 << 20) || step == 0) return {};
        constexpr std::array<std::pair<M, M>, 6> opposites = {
            {{M::lt, M::ge}, {M::le, M::gt}, {M::gt, M::le}, {M::ge, M::lt}, {M::ne, M::eq}, {M::eq, M::ne}}};
        CountedLoop found{CountedLoop::bounded, test, counter, static_cast<std::int32_t>(step), step_at};
        for (auto const& [is, is_not] : opposites)
            if (m_.form(test).has(is)) found.goes_on = branch.guard_negated ? is_not : is;
        M const goes_on = found.goes_on;
        bool const goes_up = goes_on == M::lt || goes_on == M::le || goes_on == M::ne;
        bool const goes_down = goes_on == M::gt || goes_on == M::ge || goes_on == M::ne;
        if (step > 0 ? !goes_up : !goes_down) return {};
        // The bound stays, and nothing asks whether the last iteration was one.
        bool const bound_stays = compared[3].kind != Kind::reg || !is_written(block, compared[3].index);
        return bound_stays && !is_read(block.first, test, branch.guard) ? found : CountedLoop{};
    }
    bool is_written(ir::Block const& block, std::uint32_t reg) const {
        for (std::uint32_t i = block.first; i <= block.last; ++i) {
            auto const writes = m_.writes[i];
            if (std::find(writes.begin(), writes.end(), reg) != writes.end()) return true;
        }
        return false;
    }
    bool is_read(std::uint32_t first, std::uint32_t end, std::uint32_t reg) const {
        for (std::uint32_t i = first; i < end; ++i) {
            auto const reads = m_.reads[i];
            if (std::find(reads.begin(), reads.end(), reg) != reads.end()) return true;
        }
        return false;
    }

    /// Each iteration takes a constant from a counter until it is 0.
    CountedLoop counted_down(std::uint32_t b, ir::Instruction const& branch) const {
        ir::Block const& block = function_.blocks[b];
        std::uint32_t const test = only_writer(block.first, block.last, branch.guard);
        if (test == ir::none || m_.form(test).operation != Operation::setp) return {};
        auto const compared = m_.operands(test);
        bool const is_plain = compared.size() == 4 && compared[1].kind == Kind::sink &&
                              compared[2].kind == Kind::reg && compared[3].kind == Kind::immediate &&
                              compared[3].value == 0 && is_counter(m_.form(test).types[0]) &&
                              m_.form(test).has(branch.guard_negated ? isa::Modifier::eq : isa::Modifier::ne);
        if (!is_plain) return {};
        std::uint32_t const counter = compared[2].index;
        std::uint32_t const step_at = only_writer(block.first, block.last, counter);
        if (step_at == ir::none || step_at > test || !is_advance(m_, step_at)) return {};
        std::int64_t const step = step_of(step_at);
        if (step > -1 || step < -4096 || is_read(block.first, test, branch.guard)) return {};
        return {CountedLoop::counted_down, test, counter, static_cast<std::int32_t>(step)};
    }
    static bool is_counter(isa::Type type) {
        return !isa::is_float(type) && (isa::width(type) == 32 || isa::width(type) == 64);
    }
    std::int64_t step_of(std::uint32_t i) const {
        std::int64_t const value = m_.operands(i)[2].value;
        return isa::width(m_.form(i).types[0]) == 64 ? value : static_cast<std::int32_t>(value);
    }

    Divergence const& divergence() const {
        if (!divergence_) divergence_.emplace(m_);
        return *divergence_;
    }
    /// Whether all lanes go through the loop as often, and to where ptxas knows that they do.
    Lanes lanes(CountedLoop const& l) const {
        ir::Operand const bound = m_.operands(l.test)[3];
        bool const is_register = bound.kind == Kind::reg;
        ir::Block const& loop = function_.blocks[function_.block_of[l.test]];
        if (varies_among(loop, l.counter) || (is_register && varies_among(loop, bound.index))) return Lanes::apart;
        return !is_register || is_in_constant_bank(bound.index) ? Lanes::together_to_a_constant : Lanes::together;
    }
    /// Whether it may differ between lanes that are in the loop at the same time. Others may have an older value, since they have left a
    /// loop around this one.
    bool varies_among(ir::Block const& loop, std::uint32_t reg) const {
        if (!divergence().varies(reg)) return false;
        std::uint32_t outside = 0;
        for (std::uint32_t i = 0; i < m_.instructions.size(); ++i) {
            auto const writes = m_.writes[i];
            bool const is_inside = i >= loop.first && i <= loop.last;
            if (is_inside || std::find(writes.begin(), writes.end(), reg) == writes.end()) continue;
            if (++outside > 1 || m_.ir(i).guard != ir::none || divergence().gives_varying(i)) return true;
        }
        return outside != 1;
    }
    bool is_in_constant_bank(std::uint32_t reg) const {
        if (definitions_[reg] != 1) return false;
        for (std::uint32_t i = 0; i < m_.instructions.size(); ++i) {
            auto const writes = m_.writes[i];
            if (std::find(writes.begin(), writes.end(), reg) == writes.end()) continue;
            ir::Operand const& from = m_.operands(i).back();
            ir::StateSpace const space = m_.form(i).space;
            bool const is_load = ir::effect(module_, m_.ir(i)) == Effect::load && from.kind == Kind::address &&
                                 from.base != ir::Operand::AddressBase::reg;
            if (is_load)
                return space == ir::StateSpace::constant || space == ir::StateSpace::param ||
                       space == ir::StateSpace::param_entry;
            // The lower half of a pointer is in the bank as well.
            bool const takes_half = is_conversion(m_.form(i).operation) && isa::width(m_.form(i).types[1]) == 64 &&
                                    isa::width(m_.form(i).types[0]) == 32;
            if ((m_.form(i).operation != Operation::mov && !takes_half) || m_.operands(i).size() != 2)
                return false;
            if (from.kind == Kind::reg) return is_in_constant_bank(from.index);
            return from.kind == Kind::immediate ||
                   (from.kind == Kind::special &&
                    is_fixed_at_launch(static_cast<ir::SpecialRegister>(from.index)));
        }
        return false;
    }

    /// A loop of which it is known how often the body is executed.
    CountedLoop constant(std::uint32_t b, ir::Instruction const& branch) const {
        ir::Block const& block = function_.blocks[b];
        ir::Block const& before = function_.blocks[before_[b]];
        std::uint32_t const test = only_writer(block.first, block.last, branch.guard);
        if (test == ir::none || m_.form(test).operation != Operation::setp) return {};
        // p, the second predicate, which is not used, a, b.
        auto const compared = m_.operands(test);
        isa::Type const type = m_.form(test).types[0];
        bool const is_plain = compared.size() == 4 && compared[1].kind == Kind::sink &&
                              compared[2].kind == Kind::reg && compared[3].kind == Kind::immediate &&
                              isa::width(type) == 32;
        if (!is_plain) return {};
        std::uint32_t const counter = compared[2].index;
        std::uint32_t const step_at = only_writer(block.first, block.last, counter);
        std::uint32_t const start_at = only_writer(before.first, before.last, counter);
        if (step_at == ir::none || start_at == ir::none || step_at > test || definitions_[counter] != 2) return {};
        auto const sum = m_.operands(step_at), start = m_.operands(start_at);
        bool const starts =
            m_.form(start_at).operation == Operation::mov && start.size() == 2 && start[1].kind == Kind::immediate;
        if (!is_advance(m_, step_at) || !starts) return {};
        auto const value = [&](ir::Operand const& o) {
            return isa::is_signed(type) || isa::is_untyped(type)
                       ? std::int64_t{static_cast<std::int32_t>(o.value)}
                       : std::int64_t{static_cast<std::uint32_t>(o.value)};
        };
        std::int64_t const step = static_cast<std::int32_t>(sum[2].value),
                           way = value(compared[3]) - value(start[1]);
        ir::Form const& f = m_.form(test);
        if (step == 0 || way == 0 || (way > 0) != (step > 0)) return {};
        bool const until_equal = (f.has(isa::Modifier::ne) && !branch.guard_negated) ||
                                 (f.has(isa::Modifier::eq) && branch.guard_negated);
        bool const until_past = !branch.guard_negated &&
                                ((f.has(isa::Modifier::lt) && step > 0) || (f.has(isa::Modifier::gt) && step < 0));
        std::int64_t count = 0;
        if (until_equal && way % step == 0) count = way / step;
        if (until_past) count = (way + step - (step > 0 ? 1 : -1)) / step;
        if (count < 2 || count > std::numeric_limits<std::int32_t>::max()) return {};
        CountedLoop found{CountedLoop::constant, test, counter};
        found.rounds =
            rounds_of(m_, block, counter, test, static_cast<std::uint32_t>(count), is_inside_[b], capability_);
        found.start = value(start[1]);
        return found;
    }

    ir::Module const& module_;
    ir::Function const& function_;
    MachineFunction const& m_;
    int const capability_;
    std::vector<std::uint32_t> definitions_, predecessors_, before_;
    std::vector<bool> is_inside_;  // per block: of a loop of several blocks
    mutable std::optional<Divergence> divergence_;
};

}  // namespace

std::vector<CountedLoop> find_counted_loops(ir::Module const& module, ir::Function const& function,
                                            MachineFunction const& m, int capability) {
    LoopFinder const finder(module, function, m, capability);
    std::vector<CountedLoop> loops;
    for (std::uint32_t b = 0; b < function.blocks.size(); ++b) loops.push_back(finder.loop(b));
    return loops;
}

}  // namespace warpsim::timing
