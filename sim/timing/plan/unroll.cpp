#include "sim/timing/plan/unroll.hpp"

#include "frontend/ir/registers.hpp"
#include "frontend/isa/modifiers.hpp"
#include "frontend/isa/table.hpp"
#include "sim/timing/plan/counted_loops.hpp"
#include "sim/timing/plan/executed.hpp"
#include "sim/timing/plan/known_values.hpp"
#include "sim/timing/plan/operations.hpp"
#include "sim/timing/plan/peeled_loops.hpp"

#include <algorithm>

namespace warpsim::timing {

namespace {

using Kind = ir::Operand::Kind;

constexpr std::uint32_t rounds = rounds_at_once;

/// What a comparison of integers is written as.
std::string_view comparison_text(isa::Modifier how, isa::Type type) {
    using M = isa::Modifier;
    struct Texts {
        M how;
        std::string_view s32, u32, s64, u64;
    };
    constexpr Texts all[] = {{M::eq, "setp.eq.s32", "setp.eq.u32", "setp.eq.s64", "setp.eq.u64"},
                             {M::ne, "setp.ne.s32", "setp.ne.u32", "setp.ne.s64", "setp.ne.u64"},
                             {M::lt, "setp.lt.s32", "setp.lt.u32", "setp.lt.s64", "setp.lt.u64"},
                             {M::le, "setp.le.s32", "setp.le.u32", "setp.le.s64", "setp.le.u64"},
                             {M::gt, "setp.gt.s32", "setp.gt.u32", "setp.gt.s64", "setp.gt.u64"},
                             {M::ge, "setp.ge.s32", "setp.ge.u32", "setp.ge.s64", "setp.ge.u64"}};
    auto const* const found =
        std::find_if(std::begin(all), std::end(all), [&](Texts const& t) { return t.how == how; });
    if (isa::width(type) == 64) return type == isa::Type::s64 ? found->s64 : found->u64;
    return type == isa::Type::s32 ? found->s32 : found->u32;
}

class Unroller {
public:
    Unroller(ir::Module& module, ir::Function& function, GuardedPaths& paths, int capability)
        : module_(module),
          function_(function),
          paths_(paths),
          m_(machine_function(module, function, paths)),
          loops_(find_counted_loops(module, function, m_, capability)),
          is_peeled_(find_peeled_loops(m_, paths, capability)) {}

    Unrolled run() {
        auto const blocks = static_cast<std::uint32_t>(function_.blocks.size());
        auto const count = static_cast<std::uint32_t>(function_.instructions.size());
        bool const has_counted = std::any_of(loops_.begin(), loops_.end(),
                                             [](CountedLoop const& l) { return l.kind != CountedLoop::none; });
        if (!has_counted && std::find(is_peeled_.begin(), is_peeled_.end(), true) == is_peeled_.end()) {
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
            if (loops_[b].has_rest()) add_with_rest(b, live.out[b]);
            CountedLoop const& l = loops_[b];
            if (l.rounds.before != 0) add_rounds_before(b, live.out[b]);
            if (is_peeled_[b]) add_first_round(b);
            std::uint32_t const first = size();
            bool const is_constant = l.kind == CountedLoop::constant;
            if (is_constant) add_rounds(b, l.rounds.at_once, live.out[b], ir::none);
            for (std::uint32_t i = is_constant ? block.last : block.first; i <= block.last; ++i) {
                if (l.kind == CountedLoop::none && !(is_peeled_[b] && i == block.first)) new_first_[i] = size();
                add(i, function_.instructions[i], is_constant ? l.rounds.at_once : 1);
            }
            bool const goes_back = l.has_rest() || l.rounds.before != 0;
            if (goes_back) jumps_.emplace_back(size() - 1, first);
            if (l.rounds.is_whole) {
                paths_.places.resize(function_.instructions.size());
                paths_.places[block.last] = make_idle(block.last);
            }
            bool const jumps_back = b != 0 && is_peeled_[b - 1];
            if (jumps_back) jumps_.emplace_back(size() - 1, blocks_.back().first);
            add_block(first,
                      l.rounds.is_whole ? std::vector{after(block, b)}
                      : jumps_back      ? std::vector{in_new(static_cast<std::uint32_t>(blocks_.size()) - 1)}
                                        : block.successors,
                      block.reconvergence, b);
        }
        new_first_[count] = size();
        function_.instructions = std::move(instructions_);
        replace_blocks();
        move_paths();
        return std::move(result_);
    }

private:
    std::uint32_t size() const { return static_cast<std::uint32_t>(instructions_.size()); }
    /// The lanes of a converted branch count for all instructions on its path: only one iteration's instructions
    /// may count.
    void move_paths() {
        if (paths_.places.empty() && own_places_.empty()) return;
        paths_.places.resize(function_.instructions.size());
        std::vector<GuardedPlace> places;
        std::vector<bool> is_there(paths_.places.size(), false);
        for (std::uint32_t i = 0; i < result_.original.size(); ++i) {
            std::uint32_t const original = result_.original[i];
            places.push_back(paths_.places[original]);
            bool const is_on_path = places.back().part == Part::not_taken || places.back().part == Part::taken;
            if (is_on_path && is_there[original]) result_.weight[i] = 0;
            is_there[original] = true;
        }
        for (auto const& [instruction, place] : own_places_) places[instruction] = place;
        paths_.places = std::move(places);
    }
    void add(std::uint32_t original, ir::Instruction const& instruction, std::uint32_t weight) {
        instructions_.push_back(instruction);
        result_.original.push_back(original);
        result_.weight.push_back(static_cast<std::uint16_t>(weight));
    }

    /// The branch that was added last only counts. Returns its place.
    GuardedPlace make_idle(std::uint32_t original) {
        instructions_.back().form = idle_branch_form(module_, m_.form(original).source);
        return {Part::branch, false, static_cast<std::uint16_t>(paths_.branches++)};
    }
    /// The block behind a loop.
    static std::uint32_t after(ir::Block const& loop, std::uint32_t b) {
        return loop.successors[0] == b ? loop.successors.back() : loop.successors[0];
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

    /// In front of the loop, four iterations at once while there are more than three, and two where there are more than one:
    ///
    ///         p = true;  q = more than three rounds;  @q p = false;  @!q bra rest;
    ///     four: ...          q = more than three rounds;  @q bra four;
    ///     rest: q = more than one round;  @!q bra last;
    ///     two:  ...
    ///     last: @!p p = another round;  @!p bra end;
    ///     loop: ...          @p bra loop;
    ///     end:
    ///
    /// The first round does not depend on the test: until `last`, p tells that there was none yet.
    void add_with_rest(std::uint32_t b, std::span<std::uint32_t const> live_out) {
        using M = isa::Modifier;
        ir::Block const& block = function_.blocks[b];
        ir::Instruction const branch = function_.instructions[block.last];
        std::uint32_t const end = after(block, b), head = static_cast<std::uint32_t>(blocks_.size());
        std::uint32_t const more = another(branch.guard);
        CountedLoop const& l = loops_[b];
        ir::Operand const counter = m_.operands(l.test)[2];
        M const true_where_equal = branch.guard_negated ? M::ne : M::eq;
        M const false_where_equal = branch.guard_negated ? M::eq : M::ne;

        std::uint32_t const begin = size();
        ir::Operand less{};
        if (l.kind == CountedLoop::bounded) less = bound_before(l, rounds - 1);
        set_more(l, more, rounds - 1);
        add_test(l, true_where_equal, branch.guard, counter, counter);
        add_test(l, false_where_equal, branch.guard, counter, counter, more);
        std::uint32_t const to_rest = add_jump(b, more, true, 0);
        add_block(begin, {in_new(head + 1), in_new(head + 2)}, in_new(head + 2), b);

        std::uint32_t const four = size();
        add_rounds(b, rounds, live_out, branch.guard);
        if (l.kind == CountedLoop::bounded) add_test(l, is_before_bound(l), more, counter, less);
        else set_more(l, more, rounds - 1);
        jumps_.emplace_back(add_jump(b, more, false, rounds_taken | rounds), four);
        add_block(four, {in_new(head + 1), in_new(head + 2)}, in_new(head + 2), b);

        std::uint32_t const rest = size();
        jumps_.emplace_back(to_rest, rest);
        set_more(l, more, 1);
        std::uint32_t const to_last = add_jump(b, more, true, 0);
        add_block(rest, {in_new(head + 3), in_new(head + 4)}, in_new(head + 4), b);

        std::uint32_t const two = size();
        add_straight(b, 2, live_out, ir::none);
        add_block(two, {in_new(head + 4)}, in_new(head + 4), b);

        std::uint32_t const last = size();
        jumps_.emplace_back(to_last, last);
        ir::Instruction again = function_.instructions[l.test];
        again.guard = branch.guard;
        again.guard_negated = !branch.guard_negated;
        add(l.test, again, 0);
        ends_.emplace_back(add_jump(b, branch.guard, !branch.guard_negated, leaves_loop), block.last + 1);
        add_block(last, {end, in_new(head + 5)}, block.reconvergence, b);
    }

    /// Iterations after all of which the loop goes on, and what counts their branches.
    void add_straight(std::uint32_t b, std::uint32_t count, std::span<std::uint32_t const> live_out,
                      std::uint32_t unused) {
        ir::Block const& block = function_.blocks[b];
        add_rounds(b, count, live_out, unused);
        add(block.last, function_.instructions[block.last], rounds_taken | count);
        instructions_.back().guard = ir::none;
        own_places_.emplace_back(size() - 1, make_idle(block.last));
    }
    /// In front of a loop that goes on as it is.
    void add_first_round(std::uint32_t b) {
        ir::Block const &block = function_.blocks[b], &back = function_.blocks[b + 1];
        std::uint32_t const first = size(), head = static_cast<std::uint32_t>(blocks_.size());
        for (std::uint32_t i = block.first; i <= block.last; ++i) add(i, function_.instructions[i], 1);
        std::vector<std::uint32_t> next = block.successors;
        std::uint32_t const end = next[0] == b + 1 ? next[1] : next[0];
        std::replace(next.begin(), next.end(), b + 1, in_new(head + 1));
        ends_.emplace_back(size() - 1, function_.blocks[end].first);
        add_block(first, std::move(next), block.reconvergence, b);
        // The jump back after this iteration.
        add(back.first, function_.instructions[back.first], 1);
        instructions_.back().form = idle_branch_form(module_, m_.form(back.first).source);
        add_block(size() - 1, {in_new(head + 2)}, in_new(head + 2), b + 1);
    }
    /// A block in front of a loop whose number of iterations is no multiple of those at once.
    void add_rounds_before(std::uint32_t b, std::span<std::uint32_t const> live_out) {
        std::uint32_t const first = size(), loop = static_cast<std::uint32_t>(blocks_.size()) + 1;
        add_straight(b, loops_[b].rounds.before, live_out, function_.instructions[function_.blocks[b].last].guard);
        add_block(first, {in_new(loop)}, in_new(loop), b);
    }

    /// The branch back with another guard. Returns its number.
    std::uint32_t add_jump(std::uint32_t b, std::uint32_t guard, bool negated, std::uint16_t weight) {
        std::uint32_t const last = function_.blocks[b].last;
        ir::Instruction jump = function_.instructions[last];
        jump.guard = guard;
        jump.guard_negated = negated;
        add(last, jump, weight);
        return size() - 1;
    }
    /// How counters and bounds are compared, of which the loop may only ask whether they are equal.
    isa::Type type_of_order(CountedLoop const& l) const {
        isa::Type const type = m_.form(l.test).types[0];
        if (l.goes_on != isa::Modifier::ne) return type;
        return isa::width(type) == 64 ? isa::Type::s64 : isa::Type::s32;
    }
    static isa::Modifier is_before_bound(CountedLoop const& l) {
        using M = isa::Modifier;
        return l.goes_on != M::ne ? l.goes_on : l.step > 0 ? M::lt : M::gt;
    }
    /// A comparison like that of the loop.
    void add_test(CountedLoop const& l, isa::Modifier how, std::uint32_t to, ir::Operand a, ir::Operand x,
                  std::uint32_t guard = ir::none) {
        ir::Instruction test = function_.instructions[l.test];
        ir::Operand result = m_.operands(l.test)[0], unused = m_.operands(l.test)[1];
        result.index = to;
        isa::Type const type = type_of_order(l);
        a.type = x.type = type;
        test.form = comparison(m_.form(l.test), how, type);
        test.guard = guard;
        test.first_operand = static_cast<std::uint32_t>(function_.operands.size());
        function_.operands.insert(function_.operands.end(), {result, unused, a, x});
        add(l.test, test, 0);
    }
    /// to = from + that many steps of the counter
    void add_steps(CountedLoop const& l, std::uint32_t to, ir::Operand const& from, std::int64_t steps) {
        ir::Instruction sum = function_.instructions[l.step_at];
        ir::Operand result = m_.operands(l.step_at)[0], by = m_.operands(l.step_at)[2];
        result.index = to;
        by.value = steps * l.step;
        sum.first_operand = static_cast<std::uint32_t>(function_.operands.size());
        function_.operands.insert(function_.operands.end(), {result, from, by});
        add(l.step_at, sum, 0);
    }
    /// What a bounded loop's counter is compared with to learn whether it has that many more rounds.
    ir::Operand bound_before(CountedLoop const& l, std::int64_t steps) {
        ir::Operand bound = m_.operands(l.test)[3];
        if (bound.kind == Kind::reg) {
            std::uint32_t const less = another(l.counter);
            add_steps(l, less, bound, -steps);
            bound.index = less;
        } else {
            bound.value = number(l, bound.value - steps * l.step);
        }
        return bound;
    }
    /// As it is compared.
    std::int64_t number(CountedLoop const& l, std::int64_t value) const {
        isa::Type const type = type_of_order(l);
        if (isa::width(type) == 64) return value;
        return type == isa::Type::u32 ? std::int64_t{static_cast<std::uint32_t>(value)}
                                      : std::int64_t{static_cast<std::int32_t>(value)};
    }
    /// more = the lane has more than that many rounds to go. Counters that would wrap around have not.
    void set_more(CountedLoop const& l, std::uint32_t more, std::int64_t rounds_left) {
        using M = isa::Modifier;
        ir::Operand const counter = m_.operands(l.test)[2];
        ir::Operand bound = m_.operands(l.test)[3];
        if (bound.kind == Kind::immediate) bound.value = number(l, bound.value);
        if (l.kind == CountedLoop::counted_down) {
            ir::Operand steps = bound;
            steps.value = -rounds_left * l.step;
            add_test(l, M::gt, more, counter, steps);
            return;
        }
        ir::Operand ahead = counter;
        ahead.index = another(l.counter);
        add_steps(l, ahead.index, counter, rounds_left);
        add_test(l, l.step > 0 ? M::gt : M::lt, more, ahead, counter);
        add_test(l, is_before_bound(l), more, ahead, bound, more);
    }
    /// A new register like this one.
    std::uint32_t another(std::uint32_t reg) {
        ir::Register copy = function_.registers[reg];
        function_.registers.push_back(std::move(copy));
        return static_cast<std::uint32_t>(function_.registers.size() - 1);
    }

    /// `setp` of that kind, from another comparison of integers.
    std::uint32_t comparison(ir::Form const& like, isa::Modifier how, isa::Type type) {
        std::string_view const text = comparison_text(how, type), name = isa::name(how);
        for (std::uint32_t f = 0; f < module_.forms.size(); ++f) {
            if (module_.forms[f].text == text && module_.forms[f].source == like.source) return f;
        }
        ir::Form form = like;
        form.text = text;
        form.types[0] = type;
        form.modifiers = {how};
        auto const& variants = isa::rows(isa::HostIsa::baseline)[form.row].variants;
        auto const members = isa::modifier_class(".CmpOp");
        auto const wanted = std::find(members.begin(), members.end(), name) - members.begin();
        auto const found = std::find_if(variants.begin(), variants.end(), [&](isa::Variant const& v) {
            return v.types[0] == type && v.selector == wanted;
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
            bool const has_more_in_front = loops_[s].has_rest() || loops_[s].rounds.before != 0;
            return s == block_from_[block] && has_more_in_front ? block : entry_[s];
        };
        for (std::uint32_t b = 0; b < blocks_.size(); ++b) {
            for (std::uint32_t& s : blocks_[b].successors) s = renumbered(s, b);
            blocks_[b].reconvergence = renumbered(blocks_[b].reconvergence, b);
        }
        for (auto const& [jump, old] : ends_) jumps_.emplace_back(jump, new_first_[old]);
        move_labels(function_, new_first_);
        for (auto const& [jump, to] : jumps_) {
            ir::Instruction& instruction = function_.instructions[jump];
            ir::Operand label = function_.operands_of(instruction)[0];
            label.index = to;
            instruction.first_operand = static_cast<std::uint32_t>(function_.operands.size());
            function_.operands.push_back(label);
        }
        join_blocks();
        function_.blocks = std::move(blocks_);
        number_blocks(function_);
    }

    /// What stands in front of iterations without a branch, these, and what follows them become one block where control goes no
    /// other way.
    void join_blocks() {
        std::vector<std::uint32_t> predecessors(blocks_.size(), 0), number;
        for (ir::Block const& block : blocks_)
            for (std::uint32_t const s : block.successors) ++predecessors[s];
        auto const is_straight = [&](std::uint32_t b) {
            Rounds const& rounds = loops_[block_from_[b]].rounds;
            return rounds.is_whole || (rounds.before != 0 && blocks_[b].successors.size() == 1);
        };
        std::vector<ir::Block> joined;
        for (std::uint32_t b = 0; b < blocks_.size(); ++b) {
            bool const follows = b != 0 && (is_straight(b - 1) || is_straight(b)) && predecessors[b] == 1 &&
                                 blocks_[b - 1].successors == std::vector{b} && !ends_itself(blocks_[b - 1]);
            if (follows) {
                joined.back().last = blocks_[b].last;
                joined.back().successors = blocks_[b].successors;
                joined.back().reconvergence = blocks_[b].reconvergence;
            } else {
                joined.push_back(blocks_[b]);
            }
            number.push_back(static_cast<std::uint32_t>(joined.size() - 1));
        }
        for (ir::Block& block : joined) {
            for (std::uint32_t& s : block.successors) s = number[s];
            if (block.reconvergence != ir::none) block.reconvergence = number[block.reconvergence];
        }
        blocks_ = std::move(joined);
    }
    /// By an instruction that must be the last of a block.
    bool ends_itself(ir::Block const& block) const {
        isa::Effect const effect = ir::effect(module_, function_.instructions[block.last]);
        return effect == isa::Effect::branch || effect == isa::Effect::branch_indexed;
    }

    /// Whoever reads the register in the block reads its value as an immediate one, where it is known.
    bool is_always_replaced(ir::Block const& block, std::uint32_t reg) const {
        for (std::uint32_t i = block.first; i < block.last; ++i) {
            auto const reads = m_.reads[i];
            if (std::find(reads.begin(), reads.end(), reg) == reads.end()) continue;
            ir::Instruction const& instruction = function_.instructions[i];
            if (instruction.guard == reg) return false;
            if (!takes_immediates(m_.form(i), ir::effect(module_, instruction), m_.operands(i))) return false;
        }
        return true;
    }

    /// Iterations without their branch. Values that nothing needs behind their iteration get their own registers; in the last one
    /// the branch's guard is needed, unless it is `unused`.
    void add_rounds(std::uint32_t b, std::uint32_t count, std::span<std::uint32_t const> live_out,
                    std::uint32_t unused) {
        ir::Block const block = function_.blocks[b];
        CountedLoop const& l = loops_[b];
        std::uint32_t const guard = function_.instructions[block.last].guard;
        KnownValues known;
        if (l.rounds.is_whole) known.set(l.counter, l.start);
        bool const is_counter_replaced = l.rounds.is_whole && is_always_replaced(block, l.counter);
        result_.loops.push_back({size(), block.last - block.first, count});
        for (std::uint32_t c = 0; c < count; ++c) {
            std::vector<std::pair<std::uint32_t, std::uint32_t>> renamed;
            auto const renamed_to = [&](std::uint32_t reg) {
                auto const it =
                    std::find_if(renamed.begin(), renamed.end(), [&](auto const& r) { return r.first == reg; });
                return it == renamed.end() ? reg : it->second;
            };
            bool const is_last = c + 1 == count;
            auto const stays = [&](std::uint32_t reg) {
                if (is_last && reg == guard) return reg != unused;
                if (!is_last && is_counter_replaced && reg == l.counter) return false;
                return reg == function_.carry ||
                       std::find(live_out.begin(), live_out.end(), reg) != live_out.end();
            };
            for (std::uint32_t i = block.first; i < block.last; ++i) {
                ir::Instruction instruction = function_.instructions[i];
                std::vector<ir::Operand> operands;
                for (std::uint32_t k = 0; k < instruction.operand_count; ++k)
                    operands.push_back(function_.operands[instruction.first_operand + k]);
                known.execute(m_.form(i), ir::effect(module_, instruction), instruction.guard != ir::none,
                              operands, m_.writes[i]);
                if (instruction.guard != ir::none) instruction.guard = renamed_to(instruction.guard);
                std::vector<std::pair<std::uint32_t, std::uint32_t>> fresh;  // renamed after the reads
                for (std::uint32_t const reg : m_.writes[i]) {
                    if (stays(reg) || renamed_to(reg) != reg) continue;
                    fresh.emplace_back(reg, another(reg));
                }
                renamed.insert(renamed.end(), fresh.begin(), fresh.end());
                instruction.first_operand = static_cast<std::uint32_t>(function_.operands.size());
                for (ir::Operand o : operands) {
                    bool const is_register = o.kind == Kind::reg ||
                                             (o.kind == Kind::address && o.base == ir::Operand::AddressBase::reg);
                    if (is_register) o.index = renamed_to(o.index);
                    function_.operands.push_back(o);
                }
                add(i, instruction, 1);
            }
        }
    }

    ir::Module& module_;
    ir::Function& function_;
    GuardedPaths& paths_;
    MachineFunction m_;
    std::vector<CountedLoop> loops_;  // by block
    std::vector<bool> is_peeled_;     // by block: its first iteration is put in front of it
    // what is made
    std::vector<ir::Instruction> instructions_;
    std::vector<ir::Block> blocks_;
    std::vector<std::uint32_t> block_from_, entry_;  // the block before, and the first of those after
    std::vector<std::uint32_t> new_first_;           // of an instruction before
    std::vector<std::pair<std::uint32_t, std::uint32_t>> jumps_, ends_;  // branches and their targets, new and old
    std::vector<std::pair<std::uint32_t, GuardedPlace>> own_places_;     // of instructions, not as in the PTX
    Unrolled result_;
};

}  // namespace

Unrolled unroll(ir::Module& module, ir::Function& function, GuardedPaths& paths, int capability) {
    return Unroller(module, function, paths, capability).run();
}

}  // namespace warpsim::timing
