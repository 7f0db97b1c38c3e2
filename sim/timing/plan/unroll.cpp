#include "sim/timing/plan/unroll.hpp"

#include "frontend/ir/registers.hpp"
#include "sim/timing/plan/operations.hpp"

#include <algorithm>

namespace warpsim::timing {

namespace {

using isa::Effect;
using Kind = ir::Operand::Kind;

// ptxas 13.0 combines four iterations when the result has at most about this many instructions.
constexpr std::uint32_t rounds = 4;
constexpr std::uint32_t most_instructions = 256;

bool is_plain_add(ir::Form const& f) {
    return f.operation == Operation::add && !isa::is_float(f.types[0]) && !f.sat && !f.has(isa::Modifier::cc);
}

class Unroller {
public:
    Unroller(ir::Module const& module, ir::Function& function, GuardedPaths& paths)
        : module_(module),
          function_(function),
          paths_(paths),
          m_(machine_function(module, function, paths)),
          definitions_(function.registers.size(), 0) {
        for (std::uint32_t const reg : m_.writes.items) ++definitions_[reg];
        predecessors_.assign(function.blocks.size(), 0);
        before_.assign(function.blocks.size(), ir::none);
        for (std::uint32_t b = 0; b < function.blocks.size(); ++b) {
            for (std::uint32_t const s : function.blocks[b].successors) {
                ++predecessors_[s];
                if (s != b) before_[s] = b;
            }
        }
    }

    Unrolled run() {
        std::vector<bool> is_unrolled(function_.blocks.size(), false);
        bool any = false;
        for (std::uint32_t b = 0; b < function_.blocks.size(); ++b) {
            is_unrolled[b] = may_unroll(b);
            any |= is_unrolled[b];
        }
        auto const count = static_cast<std::uint32_t>(function_.instructions.size());
        if (!any) {
            for (std::uint32_t i = 0; i < count; ++i) result_.original.push_back(i);
            result_.weight.assign(count, 1);
            return std::move(result_);
        }
        ir::BlockLiveness const live = ir::find_block_liveness(program_uses(m_));
        std::vector<std::uint32_t> new_first(count + 1);
        for (std::uint32_t b = 0; b < function_.blocks.size(); ++b) {
            ir::Block const& block = function_.blocks[b];
            for (std::uint32_t i = block.first; i <= block.last; ++i) new_first[i] = size();
            if (is_unrolled[b]) add_rounds(b, live.out[b]);
            for (std::uint32_t i = is_unrolled[b] ? block.last : block.first; i <= block.last; ++i) {
                if (!is_unrolled[b]) new_first[i] = size();
                add(i, function_.instructions[i], is_unrolled[b] ? rounds : 1);
            }
        }
        new_first[count] = size();
        function_.instructions = std::move(instructions_);
        move_places(function_, new_first);
        move_paths();
        return std::move(result_);
    }

private:
    std::uint32_t size() const { return static_cast<std::uint32_t>(instructions_.size()); }
    /// The lanes of a converted branch count for all instructions on its path: only one iteration's instructions
    /// may count.
    void move_paths() {
        if (paths_.places.empty()) return;
        std::vector<GuardedPlace> places;
        std::vector<bool> is_there(paths_.places.size(), false);
        for (std::uint32_t i = 0; i < result_.original.size(); ++i) {
            std::uint32_t const original = result_.original[i];
            places.push_back(paths_.places[original]);
            bool const is_on_path = places.back().part == Part::not_taken || places.back().part == Part::taken;
            if (is_on_path && is_there[original]) result_.weight[i] = 0;
            is_there[original] = true;
        }
        paths_.places = std::move(places);
    }
    void add(std::uint32_t original, ir::Instruction const& instruction, std::uint32_t weight) {
        instructions_.push_back(instruction);
        result_.original.push_back(original);
        result_.weight.push_back(static_cast<std::uint8_t>(weight));
    }

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

    bool may_unroll(std::uint32_t b) const {
        ir::Block const& block = function_.blocks[b];
        ir::Instruction const& branch = function_.instructions[block.last];
        std::uint32_t const length = block.last - block.first;
        if (ir::effect(module_, branch) != Effect::branch || branch.guard == ir::none || length == 0 ||
            length * rounds > most_instructions)
            return false;
        ir::Operand const& target = function_.operands_of(branch)[0];
        if (target.kind != Kind::label || target.index != block.first || predecessors_[b] != 2 ||
            before_[b] == ir::none)
            return false;
        for (std::uint32_t i = block.first; i < block.last; ++i) {
            if (ir::effect(module_, function_.instructions[i]) == Effect::call) return false;
        }
        // The loop is entered from one block only, which sets the counter.
        if (function_.blocks[before_[b]].successors.size() != 1) return false;
        std::int64_t const count = find_rounds(b, branch);
        return count > rounds && count % rounds == 0;
    }

    /// How often the body is executed; 0: not known.
    std::int64_t find_rounds(std::uint32_t b, ir::Instruction const& branch) const {
        ir::Block const& block = function_.blocks[b];
        ir::Block const& before = function_.blocks[before_[b]];
        std::uint32_t const test = only_writer(block.first, block.last, branch.guard);
        if (test == ir::none || m_.form(test).operation != Operation::setp) return 0;
        // p, the second predicate, which is not used, a, b.
        auto const compared = m_.operands(test);
        isa::Type const type = m_.form(test).types[0];
        bool const is_plain = compared.size() == 4 && compared[1].kind == Kind::sink &&
                              compared[2].kind == Kind::reg && compared[3].kind == Kind::immediate &&
                              isa::width(type) == 32;
        if (!is_plain) return 0;
        std::uint32_t const counter = compared[2].index;
        std::uint32_t const step_at = only_writer(block.first, block.last, counter);
        std::uint32_t const start_at = only_writer(before.first, before.last, counter);
        if (step_at == ir::none || start_at == ir::none || step_at > test || definitions_[counter] != 2) return 0;
        auto const sum = m_.operands(step_at), start = m_.operands(start_at);
        bool const steps = is_plain_add(m_.form(step_at)) && sum.size() == 3 && sum[1].kind == Kind::reg &&
                           sum[1].index == counter && sum[2].kind == Kind::immediate;
        bool const starts =
            m_.form(start_at).operation == Operation::mov && start.size() == 2 && start[1].kind == Kind::immediate;
        if (!steps || !starts) return 0;
        auto const value = [&](ir::Operand const& o) {
            return isa::is_signed(type) || isa::is_untyped(type)
                       ? std::int64_t{static_cast<std::int32_t>(o.value)}
                       : std::int64_t{static_cast<std::uint32_t>(o.value)};
        };
        std::int64_t const step = static_cast<std::int32_t>(sum[2].value),
                           way = value(compared[3]) - value(start[1]);
        ir::Form const& f = m_.form(test);
        if (step == 0 || way == 0 || (way > 0) != (step > 0)) return 0;
        bool const until_equal = (f.has(isa::Modifier::ne) && !branch.guard_negated) ||
                                 (f.has(isa::Modifier::eq) && branch.guard_negated);
        bool const until_past = !branch.guard_negated &&
                                ((f.has(isa::Modifier::lt) && step > 0) || (f.has(isa::Modifier::gt) && step < 0));
        if (until_equal) return way % step == 0 ? way / step : 0;
        return until_past ? (way + step - (step > 0 ? 1 : -1)) / step : 0;
    }

    /// All iterations without their branch. In all but the last, values that no other iteration needs get their
    /// own registers.
    void add_rounds(std::uint32_t b, std::span<std::uint32_t const> live_out) {
        ir::Block const block = function_.blocks[b];
        result_.loops.push_back({size(), block.last - block.first, rounds});
        for (std::uint32_t c = 0; c < rounds; ++c) {
            std::vector<std::pair<std::uint32_t, std::uint32_t>> renamed;
            auto const renamed_to = [&](std::uint32_t reg) {
                auto const it =
                    std::find_if(renamed.begin(), renamed.end(), [&](auto const& r) { return r.first == reg; });
                return it == renamed.end() ? reg : it->second;
            };
            for (std::uint32_t i = block.first; i < block.last; ++i) {
                ir::Instruction instruction = function_.instructions[i];
                if (c + 1 < rounds) {
                    if (instruction.guard != ir::none) instruction.guard = renamed_to(instruction.guard);
                    std::vector<std::pair<std::uint32_t, std::uint32_t>> fresh;  // renamed after the reads
                    for (std::uint32_t const reg : m_.writes[i]) {
                        bool const stays = std::find(live_out.begin(), live_out.end(), reg) != live_out.end() ||
                                           reg == function_.carry;
                        if (stays || renamed_to(reg) != reg) continue;
                        fresh.push_back({reg, static_cast<std::uint32_t>(function_.registers.size())});
                        ir::Register copy = function_.registers[reg];
                        function_.registers.push_back(std::move(copy));
                    }
                    renamed.insert(renamed.end(), fresh.begin(), fresh.end());
                    instruction.first_operand = static_cast<std::uint32_t>(function_.operands.size());
                    for (std::uint32_t k = 0; k < instruction.operand_count; ++k) {
                        ir::Operand o = function_.operands[function_.instructions[i].first_operand + k];
                        bool const is_register = o.kind == Kind::reg || (o.kind == Kind::address &&
                                                                         o.base == ir::Operand::AddressBase::reg);
                        if (is_register) o.index = renamed_to(o.index);
                        function_.operands.push_back(o);
                    }
                }
                add(i, instruction, 1);
            }
        }
    }

    ir::Module const& module_;
    ir::Function& function_;
    GuardedPaths& paths_;
    MachineFunction m_;
    std::vector<std::uint32_t> definitions_, predecessors_, before_;
    std::vector<ir::Instruction> instructions_;
    Unrolled result_;
};

/// One loop: which of its registers only advance, and what is computed from these alone.
class RoundJoiner {
public:
    RoundJoiner(MachineFunction& m, Definitions& d, UnrolledLoop const& loop) : m_(m), d_(d), loop_(loop) {}

    void run() {
        for (std::uint32_t j = 0; j < loop_.length; ++j) {
            if (is_advance(at(0, j))) join(j);
        }
    }

private:
    std::uint32_t at(std::uint32_t copy, std::uint32_t j) const { return loop_.first + copy * loop_.length + j; }
    std::uint32_t end() const { return at(loop_.copies, 0); }

    bool is_advance(std::uint32_t i) const {
        auto const o = m_.operands(i);
        return is_plain_add(m_.form(i)) && o.size() == 3 && o[0].kind == Kind::reg && o[1].kind == Kind::reg &&
               o[0].index == o[1].index && o[2].kind == Kind::immediate && m_.ir(i).guard == ir::none;
    }
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
        for (std::uint32_t const place : derived) {
            std::uint32_t const first = m_.operands(at(0, place))[0].index;
            for (std::uint32_t c = 1; c < loop_.copies; ++c) {
                std::uint32_t const i = at(c, place);
                m_.instructions[i].fate = Fate::removed;
                d_.root[m_.operands(i)[0].index] = first;
            }
        }
    }

    MachineFunction& m_;
    Definitions& d_;
    UnrolledLoop const& loop_;
    std::uint32_t advancing_ = 0;
};

}  // namespace

Unrolled unroll(ir::Module const& module, ir::Function& function, GuardedPaths& paths) {
    return Unroller(module, function, paths).run();
}

void join_rounds(MachineFunction& m, Definitions& d, std::vector<UnrolledLoop> const& loops) {
    for (UnrolledLoop const& loop : loops) RoundJoiner(m, d, loop).run();
}

}  // namespace warpsim::timing
