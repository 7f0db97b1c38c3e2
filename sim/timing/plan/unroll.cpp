#include "sim/timing/plan/unroll.hpp"

#include "frontend/ir/registers.hpp"
#include "frontend/isa/modifiers.hpp"
#include "frontend/isa/table.hpp"
#include "sim/timing/plan/divergence.hpp"
#include "sim/timing/plan/executed.hpp"
#include "sim/timing/plan/operations.hpp"

#include <algorithm>

namespace warpsim::timing {

namespace {

using isa::Effect;
using Kind = ir::Operand::Kind;

// ptxas 13.0 combines four iterations when the result has at most about this many instructions.
constexpr std::uint32_t rounds = 4;
constexpr std::uint32_t most_instructions = 256;

class Unroller {
public:
    Unroller(ir::Module& module, ir::Function& function, GuardedPaths& paths)
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
        auto const blocks = static_cast<std::uint32_t>(function_.blocks.size());
        loops_.reserve(blocks);
        for (std::uint32_t b = 0; b < blocks; ++b) loops_.push_back(loop(b));
        auto const count = static_cast<std::uint32_t>(function_.instructions.size());
        if (std::all_of(loops_.begin(), loops_.end(), [](Loop const& l) { return l.kind == Loop::none; })) {
            for (std::uint32_t i = 0; i < count; ++i) result_.original.push_back(i);
            result_.weight.assign(count, 1);
            return std::move(result_);
        }
        ir::BlockLiveness const live = ir::find_block_liveness(program_uses(m_));
        new_first_.resize(count + 1);
        for (std::uint32_t b = 0; b < blocks; ++b) {
            ir::Block const& block = function_.blocks[b];
            entry_.push_back(static_cast<std::uint32_t>(blocks_.size()));
            for (std::uint32_t i = block.first; i <= block.last; ++i) new_first_[i] = size();
            if (loops_[b].kind == Loop::counted_down) add_counted(b, live.out[b]);
            std::uint32_t const first = size();
            bool const is_constant = loops_[b].kind == Loop::constant;
            if (is_constant) add_rounds(b, live.out[b]);
            for (std::uint32_t i = is_constant ? block.last : block.first; i <= block.last; ++i) {
                if (loops_[b].kind == Loop::none) new_first_[i] = size();
                add(i, function_.instructions[i], is_constant ? rounds : 1);
            }
            if (loops_[b].kind == Loop::counted_down) jumps_.push_back({size() - 1, first});
            add_block(first, block.successors, block.reconvergence, b);
        }
        new_first_[count] = size();
        function_.instructions = std::move(instructions_);
        replace_blocks();
        move_paths();
        return std::move(result_);
    }

private:
    struct Loop {
        enum Kind : std::uint8_t { none, constant, counted_down } kind = none;
        std::uint32_t test = ir::none, counter = ir::none;  // of a loop that counts down
        std::int32_t step = 0;
    };
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

    Loop loop(std::uint32_t b) const {
        ir::Block const& block = function_.blocks[b];
        ir::Instruction const& branch = function_.instructions[block.last];
        std::uint32_t const length = block.last - block.first;
        if (ir::effect(module_, branch) != Effect::branch || branch.guard == ir::none || length == 0 ||
            length * rounds > most_instructions)
            return {};
        ir::Operand const& target = function_.operands_of(branch)[0];
        if (target.kind != Kind::label || target.index != block.first || predecessors_[b] != 2 ||
            before_[b] == ir::none || block.successors.size() != 2)
            return {};
        for (std::uint32_t i = block.first; i < block.last; ++i) {
            if (ir::effect(module_, function_.instructions[i]) == Effect::call) return {};
        }
        // The loop is entered from one block only, which sets the counter.
        if (function_.blocks[before_[b]].successors.size() == 1) {
            std::int64_t const count = find_rounds(b, branch);
            if (count > rounds) return {count % rounds == 0 ? Loop::constant : Loop::none};
        }
        return counted_down(b, branch);
    }

    /// Each iteration takes a constant from a counter, the same in all lanes, until it is 0. What counts by one is the rest
    /// of a loop that the front end has unrolled, which asks for no more.
    Loop counted_down(std::uint32_t b, ir::Instruction const& branch) const {
        ir::Block const& block = function_.blocks[b];
        std::uint32_t const test = only_writer(block.first, block.last, branch.guard);
        if (test == ir::none || m_.form(test).operation != Operation::setp) return {};
        auto const compared = m_.operands(test);
        bool const is_plain = compared.size() == 4 && compared[1].kind == Kind::sink &&
                              compared[2].kind == Kind::reg && compared[3].kind == Kind::immediate &&
                              compared[3].value == 0 && isa::width(m_.form(test).types[0]) == 32 &&
                              m_.form(test).has(branch.guard_negated ? isa::Modifier::eq : isa::Modifier::ne);
        if (!is_plain) return {};
        std::uint32_t const counter = compared[2].index;
        std::uint32_t const step_at = only_writer(block.first, block.last, counter);
        if (step_at == ir::none || step_at > test || !is_plain_add(m_.form(step_at))) return {};
        auto const sum = m_.operands(step_at);
        if (sum.size() != 3 || sum[1].kind != Kind::reg || sum[1].index != counter ||
            sum[2].kind != Kind::immediate)
            return {};
        auto const step = static_cast<std::int32_t>(sum[2].value);
        if (step > -2 || step < -4096 || Divergence(m_).varies(counter)) return {};
        return {Loop::counted_down, test, counter, step};
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

    void add_block(std::uint32_t first, std::vector<std::uint32_t> successors, std::uint32_t reconvergence,
                   std::uint32_t original) {
        ir::Block block;
        block.first = first;
        block.last = size() - 1;
        block.successors = std::move(successors);
        block.reconvergence = reconvergence;
        blocks_.push_back(std::move(block));
        block_from_.push_back(original);
    }

    /// In front of the loop, four iterations at once as long as more than that are left:
    ///
    ///         setp.gt q, counter, 3 * step;  @!q bra loop;
    ///     four: ...                          setp.gt q, counter, 3 * step;  @q bra four;
    ///         @!p bra end;
    ///     loop: ...                          @p bra loop;
    ///     end:
    void add_counted(std::uint32_t b, std::span<std::uint32_t const> live_out) {
        ir::Block const& block = function_.blocks[b];
        Loop const& l = loops_[b];
        ir::Instruction const branch = function_.instructions[block.last];
        std::uint32_t const more = static_cast<std::uint32_t>(function_.registers.size());
        ir::Register copy = function_.registers[branch.guard];
        function_.registers.push_back(std::move(copy));
        ir::Instruction test = function_.instructions[l.test];
        std::uint32_t const from = test.first_operand;
        test.form = greater_form(m_.form(l.test));
        test.first_operand = static_cast<std::uint32_t>(function_.operands.size());
        for (std::uint32_t k = 0; k < test.operand_count; ++k) {
            ir::Operand o = function_.operands[from + k];
            if (k == 0) o.index = more;
            if (k >= 2) o.type = isa::Type::s32;
            if (k == 3) o.value = -std::int64_t{l.step} * (rounds - 1);
            function_.operands.push_back(o);
        }
        std::uint32_t const end = block.successors[0] == b ? block.successors.back() : block.successors[0];
        auto const jump = [&](std::uint32_t guard, bool negated, std::uint32_t weight) {
            ir::Instruction instruction = branch;
            instruction.guard = guard;
            instruction.guard_negated = negated;
            add(block.last, instruction, weight);
        };
        std::uint32_t const head = static_cast<std::uint32_t>(blocks_.size());
        std::uint32_t const begin = size();
        add(l.test, test, 0);
        jump(more, true, 0);
        std::uint32_t const to_loop = size() - 1;
        add_block(begin, {in_new(head + 1), in_new(head + 3)}, block.reconvergence, b);
        std::uint32_t const four = size();
        add_rounds(b, live_out);
        add(l.test, test, 0);
        jump(more, false, rounds);
        jumps_.push_back({size() - 1, four});
        add_block(four, {in_new(head + 1), in_new(head + 2)}, in_new(head + 2), b);
        std::uint32_t const rest = size();
        jump(branch.guard, !branch.guard_negated, counts_guarded_off);
        ends_.push_back({size() - 1, block.last + 1});
        add_block(rest, {end, in_new(head + 3)}, block.reconvergence, b);
        jumps_.push_back({to_loop, size()});
    }

    /// `setp.gt.s32`, from another comparison of integers.
    std::uint32_t greater_form(ir::Form const& like) {
        constexpr std::string_view text = "setp.gt.s32";
        for (std::uint32_t f = 0; f < module_.forms.size(); ++f) {
            if (module_.forms[f].text == text && module_.forms[f].source == like.source) return f;
        }
        ir::Form form = like;
        form.text = text;
        form.types[0] = isa::Type::s32;
        form.modifiers = {isa::Modifier::gt};
        auto const& variants = isa::rows(isa::HostIsa::baseline)[form.row].variants;
        auto const members = isa::modifier_class(".CmpOp");
        auto const greater = std::find(members.begin(), members.end(), ".gt") - members.begin();
        auto const found = std::find_if(variants.begin(), variants.end(), [&](isa::Variant const& v) {
            return v.types[0] == isa::Type::s32 && v.selector == greater;
        });
        form.variant = static_cast<std::uint32_t>(found - variants.begin());
        module_.forms.push_back(std::move(form));
        return static_cast<std::uint32_t>(module_.forms.size() - 1);
    }

    /// A successor that is named by its new number already.
    static std::uint32_t in_new(std::uint32_t block) { return block | 0x80000000u; }

    /// The blocks that were made take the place of those before, and labels their new numbers.
    void replace_blocks() {
        auto const renumbered = [&](std::uint32_t s, std::uint32_t block) {
            if (s == ir::none) return s;
            if ((s & 0x80000000u) != 0) return s & 0x7fffffffu;
            // Only the loop itself goes back to its beginning without passing what was put in front of it.
            return s == block_from_[block] && loops_[s].kind == Loop::counted_down ? block : entry_[s];
        };
        for (std::uint32_t b = 0; b < blocks_.size(); ++b) {
            for (std::uint32_t& s : blocks_[b].successors) s = renumbered(s, b);
            blocks_[b].reconvergence = renumbered(blocks_[b].reconvergence, b);
        }
        for (auto const& [jump, old] : ends_) jumps_.push_back({jump, new_first_[old]});
        move_labels(function_, new_first_);
        for (auto const& [jump, to] : jumps_) {
            ir::Instruction& instruction = function_.instructions[jump];
            ir::Operand label = function_.operands_of(instruction)[0];
            label.index = to;
            instruction.first_operand = static_cast<std::uint32_t>(function_.operands.size());
            function_.operands.push_back(label);
        }
        function_.blocks = std::move(blocks_);
        number_blocks(function_);
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

    ir::Module& module_;
    ir::Function& function_;
    GuardedPaths& paths_;
    MachineFunction m_;
    std::vector<std::uint32_t> definitions_, predecessors_, before_;
    std::vector<Loop> loops_;  // by block
    // what is made
    std::vector<ir::Instruction> instructions_;
    std::vector<ir::Block> blocks_;
    std::vector<std::uint32_t> block_from_, entry_;  // the block before, and the first of those after
    std::vector<std::uint32_t> new_first_;           // of an instruction before
    std::vector<std::pair<std::uint32_t, std::uint32_t>> jumps_, ends_;  // branches and their targets, new and old
    Unrolled result_;
};

}  // namespace

Unrolled unroll(ir::Module& module, ir::Function& function, GuardedPaths& paths) {
    return Unroller(module, function, paths).run();
}

}  // namespace warpsim::timing
