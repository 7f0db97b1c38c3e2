#include "sim/timing/plan/constant_operands.hpp"

#include "frontend/ir/registers.hpp"
#include "sim/timing/plan/constant_places.hpp"
#include "sim/timing/plan/effect_timing.hpp"
#include "sim/timing/plan/operations.hpp"
#include "sim/timing/plan/routines.hpp"
#include "sim/timing/plan/shared_variables.hpp"
#include "sim/timing/plan/texture_operands.hpp"

#include <algorithm>
#include <compare>
#include <map>
#include <set>
#include <vector>

namespace warpsim::timing {

namespace {

using isa::Effect;
using Kind = ir::Operand::Kind;

class Keeper {
public:
    Keeper(MachineFunction& m, Definitions& d, ir::DominatorTree const& dominators, int capability)
        : m_(m),
          d_(d),
          dominators_(dominators),
          places_of_moves_(m, dominators, capability),
          loads_(capability >= 90),
          has_uniform_bases_(capability == 75),
          zero_(capability < 90 ? first_shared_variable(m) : std::nullopt),
          is_used_(m.function->registers.size(), false),
          is_base_(m.function->registers.size(), false) {}

    void run() {
        for (bool const counts : {true, false}) {
            is_first_look_ = counts;
            for (std::uint32_t i = 0; i < m_.instructions.size(); ++i) {
                if (m_.instructions[i].fate != Fate::issued) continue;
                if (first_issued_ == ir::none) first_issued_ = i;
                named_.clear();
                look_at(i, i, 0);
                if (counts) count_named();
                else name_one(i);
            }
        }
        for (std::uint32_t i = 0; i < m_.instructions.size(); ++i) {
            if (m_.instructions[i].fate == Fate::removed) keep(i);
            if (m_.instructions[i].fate == Fate::issued) add_place(i);
        }
    }

private:
    struct Named {
        std::uint32_t reg;  // that holds the constant; ir::none: an immediate value
        std::int64_t value;
        auto operator<=>(Named const&) const = default;  // NOLINT(modernize-use-nullptr): the check misreads it
    };

    /// A constant that is needed in a register takes one move for each 32 bits; all readers then use the register.
    void keep(std::uint32_t i) {
        std::size_t moves = 0, loaded = 0;
        bool loads = false, is_beside_numbers = false;
        for (std::uint32_t const reg : m_.writes[i]) {
            if (d_.only_definition[reg] != i || d_.constant[reg] == Constant::none || !is_used_[reg]) continue;
            bool const is_base = !d_.is_needed[reg] && is_base_[reg];
            bool const is_loaded = (loads_ || is_base) && d_.constant[reg] == Constant::bank;
            if (is_loaded && words(reg) == 2) d_.is_needed[reg] = true;
            // What is not needed in a register goes to the uniform ones, at once.
            loads = loads || (is_loaded && d_.is_needed[reg]);
            is_beside_numbers = is_beside_numbers || saves_moves(reg);
            if (is_loaded) ++loaded;
            else if (d_.is_needed[reg]) moves += words(reg);
        }
        // One load brings at most 8 bytes: two words of a vector.
        ir::Form const& form = m_.form(i);
        moves += form.vector > 1 && isa::width(form.types[0]) == 32 ? (loaded + 1) / 2 : loaded;
        if (moves == 0) return;
        d_.is_kept_constant[i] = true;
        m_.instructions[i].fate = Fate::issued;
        m_.instructions[i].extra_moves = static_cast<std::uint8_t>(std::min<std::size_t>(moves, 16));
        m_.instructions[i].is_constant = true;
        m_.instructions[i].loads_constant = loads;
        m_.instructions[i].loads_into_vector = loads && is_beside_numbers;
    }

    /// Atomics at a number of bytes behind what the constant bank has do not add that: the sum is made in uniform registers
    /// (ULDC, UIADD3 twice), once in a block, and moved where atomics take vector registers.
    void add_place(std::uint32_t i) {
        Effect const effect = ir::effect(*m_.module, m_.ir(i));
        if (effect != Effect::atomic && effect != Effect::reduction) return;
        for (ir::Operand const& o : m_.operands(i)) {
            if (o.kind != Kind::address || o.base != ir::Operand::AddressBase::reg) continue;
            std::uint32_t root = d_.root[o.index];
            bool has_offset = o.value != 0;
            std::uint32_t const maker = d_.only_definition[root];
            if (maker != ir::none && m_.instructions[maker].fate == Fate::folded && goes_from_bank(maker)) {
                has_offset = true;
                root = d_.root[m_.operands(maker)[1].index];
            }
            bool const is_at_constant = d_.constant[root] == Constant::bank && words(root) == 2;
            if (!has_offset || !is_at_constant || !places_.emplace(m_.function->block_of[i], root).second)
                continue;
            std::uint8_t& moves = m_.instructions[i].extra_moves;
            moves = static_cast<std::uint8_t>(moves + (loads_ ? 4 : has_uniform_bases_ ? 2 : 3));
        }
    }

    std::size_t words(std::uint32_t reg) const {
        return isa::width(m_.function->registers[reg].type) > 32 ? 2 : 1;
    }

    /// Checks every operand of instruction `k`, which is part of the issued instruction `issued`, or of its address.
    void look_at(std::uint32_t issued, std::uint32_t k, int depth, bool in_address = false) {
        Effect const effect = ir::effect(*m_.module, m_.ir(k));
        ir::Form const& form = m_.form(k);
        bool const names_none = timing_of(effect).is(EffectTiming::names_no_constants);
        bool const counts = effect == Effect::lanes || effect == Effect::load;
        if (!names_none && !counts) return;
        if (form.space == isa::StateSpace::param || form.space == isa::StateSpace::param_func) return;
        bool is_first = true;
        auto const operands = m_.operands(k);
        for (std::size_t i = written(k); i < operands.size(); ++i) {
            ir::Operand const& o = operands[i];
            if (o.kind == Kind::vector) continue;
            if (form.operation == Operation::shl && i == 2 && k != issued)
                continue;  // a scale, encoded in the instruction
            if (k != issued && m_.instructions[k].halves == 0 && o.kind == Kind::immediate)
                continue;  // says only which halves are read
            // The table of lop3, and positions and lengths of bit fields, are encoded, too.
            bool const is_code =
                (form.operation == Operation::lop3 && i + 1 == operands.size()) ||
                (is_one_of(form.operation, Operation::bfe, Operation::bfi) && i + 2 >= operands.size());
            if (is_code && o.kind == Kind::immediate) continue;
            // Of the address of a row: accesses add it, as an offset.
            bool const is_in_row = k != issued && m_.instructions[k].takes_product && is_plain_add(form) &&
                                   is_plain_add(m_.form(issued)) && isa::width(form.types[0]) == 32;
            if ((is_in_row || in_address) && is_immediate(o)) {
                mark_used(o);
                continue;
            }
            bool const is_address = o.kind == Kind::address || in_address;
            // Which lanes take part is nothing that instructions of a warp say.
            bool const is_mask =
                i + 1 == operands.size() &&
                (effect == Effect::shuffle || effect == Effect::match || effect == Effect::reduce_warp);
            // Lane numbers and bounds of shuffles may both be immediate.
            bool const is_lane = effect == Effect::shuffle && !is_first && is_immediate(o);
            if (is_mask || is_lane) {
                is_first = false;
                mark_used(o);
                continue;
            }
            bool const is_swap = effect == Effect::atomic && form.has(isa::Modifier::cas);
            if (is_swap && !is_address && move_beside(issued, o)) continue;
            // What branches to a routine hands over registers.
            bool const must_be_register = (names_none && !is_address) || routine_of(form) != nullptr;
            is_first = is_first && is_address;
            look_at_operand(issued, o, is_address, must_be_register, depth);
        }
    }
    bool is_immediate(ir::Operand const& o) const {
        return o.kind == Kind::immediate ||
               (o.kind == Kind::reg && d_.constant[d_.root[o.index]] == Constant::immediate);
    }
    void mark_used(ir::Operand const& o) {
        if (o.kind == Kind::reg && d_.constant[d_.root[o.index]] != Constant::none)
            is_used_[d_.root[o.index]] = true;
    }
    std::size_t written(std::uint32_t k) const {
        auto const operands = m_.operands(k);
        if (m_.writes[k].empty()) return 0;
        if (operands[0].kind == Kind::vector) return std::size_t{1} + operands[0].count;
        bool const is_shuffle = ir::effect(*m_.module, m_.ir(k)) == Effect::shuffle;
        return is_shuffle ? static_cast<std::size_t>(ir::written_operands(*m_.module, *m_.function, m_.ir(k))) : 1;
    }

    void look_at_operand(std::uint32_t issued, ir::Operand const& o, bool is_address, bool must_be_register,
                         int depth) {
        if (o.kind == Kind::immediate) {
            if (o.value == 0) return;
            if (must_be_register) move(issued, {ir::none, o.value});
            else named_.push_back({ir::none, o.value});
            return;
        }
        bool const is_register = o.kind == Kind::reg || (is_address && o.base == ir::Operand::AddressBase::reg);
        if (!is_register) return;
        std::uint32_t const root = d_.root[o.index];
        std::uint32_t const maker = d_.only_definition[root];
        if (maker != ir::none && m_.instructions[maker].fate == Fate::folded && depth < 8)
            return look_at(issued, maker, depth + 1, is_address && goes_from_bank(maker));
        if (d_.constant[root] == Constant::none) return;
        if (is_address && names_handle(m_, issued)) return;
        is_used_[root] = true;
        if (loads_ && is_shared_variable(m_, m_.operands(maker).back()))
            return;  // a base that stands in a register
        if (loads_ && d_.constant[root] == Constant::bank && words(root) == 2) return;  // in registers anyway
        if (is_address) {
            // Offsets are immediate; a base in the constant bank must be moved into registers, for 7.5 into uniform ones, with
            // one instruction.
            isa::StateSpace const space = m_.form(issued).space;
            bool const is_far = space == isa::StateSpace::global || space == isa::StateSpace::generic;
            if (d_.constant[root] == Constant::bank && has_uniform_bases_ && is_far) is_base_[root] = true;
            else if (d_.constant[root] == Constant::bank) d_.is_needed[root] = true;
        } else if (must_be_register) {
            d_.is_needed[root] = d_.is_needed[root] || !is_zero(root);
        } else if (!is_zero(root)) {
            named_.push_back({root, 0});
        }
    }
    /// A sum of a base in the constant bank, which must be moved into registers, and an offset, which accesses add.
    bool goes_from_bank(std::uint32_t i) const {
        auto const is_in_bank = [&](ir::Operand const& o) {
            return o.kind == Kind::reg && d_.constant[d_.root[o.index]] == Constant::bank;
        };
        return is_plain_add(m_.form(i)) && (is_in_bank(m_.operands(i)[1]) || is_in_bank(m_.operands(i)[2]));
    }
    bool is_zero(std::uint32_t root) const {
        std::uint32_t const maker = d_.only_definition[root];
        auto const o = m_.operands(maker);
        if (o.size() != 2) return false;
        return (o[1].kind == Kind::immediate && o[1].value == 0) || (zero_ && zero_->is(o[1]));
    }

    void count_named() {
        bool const has_number =
            std::any_of(named_.begin(), named_.end(), [](Named const& n) { return n.reg == ir::none; });
        for (Named const& n : named_) {
            ++uses_[n];
            if (has_number && n.reg != ir::none) ++beside_numbers_[n.reg];
        }
    }
    /// One move serves several instructions, each of which would else need one for a number. From 9.0 on the constant must be loaded
    /// anyway.
    bool saves_moves(std::uint32_t reg) const {
        auto const found = beside_numbers_.find(reg);
        return reg != ir::none && d_.constant[reg] == Constant::bank && words(reg) == 1 &&
               found != beside_numbers_.end() && found->second > (loads_ ? 0u : 1u);
    }
    /// Of the constants that the instruction could name it names the widest of the bank, of these the one that most others name as well, or of
    /// immediate ones the one that fewest do.
    void name_one(std::uint32_t issued) {
        if (loads_) {
            for (Named const& n : named_)
                if (saves_moves(n.reg)) d_.is_needed[n.reg] = true;
        }
        // What others need in a register stands there for this one as well.
        std::erase_if(named_, [&](Named const& n) { return n.reg != ir::none && d_.is_needed[n.reg]; });
        if (named_.size() < 2) return name_alone(issued);
        std::erase_if(named_, [&](Named const& n) {
            bool const is_moved = saves_moves(n.reg);
            if (is_moved) move(issued, n);
            return is_moved;
        });
        if (named_.size() < 2) return name_alone(issued);
        auto const is_in_bank = [&](Named const& n) {
            return n.reg != ir::none && d_.constant[n.reg] == Constant::bank;
        };
        bool const is_any_in_bank = std::any_of(named_.begin(), named_.end(), is_in_bank);
        auto const chosen = std::min_element(named_.begin(), named_.end(), [&](Named const& a, Named const& b) {
            if (!is_any_in_bank)
                return std::pair(has_two_words(issued, a), uses_.at(a)) <
                       std::pair(has_two_words(issued, b), uses_.at(b));
            if (!is_in_bank(a) || !is_in_bank(b)) return is_in_bank(a) && !is_in_bank(b);
            return std::pair(words(a.reg), uses_.at(a)) > std::pair(words(b.reg), uses_.at(b));
        });
        for (Named const& n : named_) {
            if (n == *chosen) continue;
            if (n.reg != ir::none) d_.is_needed[n.reg] = true;
            else move(issued, n);
        }
        named_ = {*chosen};
        name_alone(issued);
    }
    /// A number of 64 bits whose lower half is not zero; instructions hold the upper half of one only.
    bool has_two_words(std::uint32_t issued, Named const& n) const {
        if (!is_double(issued)) return false;
        if (n.reg == ir::none) return static_cast<std::uint32_t>(n.value) != 0;
        ir::Operand const& source = m_.operands(d_.only_definition[n.reg]).back();
        return d_.constant[n.reg] == Constant::immediate && static_cast<std::uint32_t>(source.value) != 0;
    }
    /// Until 8.9 it stands in the constant bank; from 9.0 on two moves bring it to uniform registers, where it stays for all that
    /// comes only behind them.
    void name_alone(std::uint32_t issued) {
        if (!loads_ || named_.empty() || !has_two_words(issued, named_.front())) return;
        Named const& n = named_.front();
        std::int64_t const value =
            n.reg == ir::none ? n.value : m_.operands(d_.only_definition[n.reg]).back().value;
        std::uint32_t const block = m_.function->block_of[issued];
        std::vector<std::uint32_t>& brought = brought_[value];
        if (std::any_of(brought.begin(), brought.end(),
                        [&](std::uint32_t before) { return dominators_.dominates(before, block); }))
            return;
        brought.push_back(block);
        add_moves(issued, 2);
    }
    /// What is compared and what is stored lie side by side, so that each instruction has constants of its own, zero as well.
    bool move_beside(std::uint32_t issued, ir::Operand const& o) {
        if (o.kind != Kind::immediate && (o.kind != Kind::reg || d_.constant[d_.root[o.index]] == Constant::none))
            return false;
        mark_used(o);
        if (!is_first_look_) return true;
        bool const is_pair = isa::width(m_.form(issued).types[0]) > 32;
        bool const is_nothing = o.kind == Kind::immediate ? o.value == 0 : is_zero(d_.root[o.index]);
        std::uint8_t& moves = m_.instructions[issued].extra_moves;
        moves = static_cast<std::uint8_t>(moves + (is_pair && !is_nothing ? 2 : 1));
        return true;
    }
    /// Into a register, in front of the loop if there is no room in it; once for all that comes only behind it.
    void move(std::uint32_t issued, Named const& n) {
        std::uint32_t const block = m_.function->block_of[issued];
        auto& loaded = loaded_[n];
        auto const before = std::find_if(loaded.begin(), loaded.end(),
                                         [&](Loaded const& l) { return places_of_moves_.serves(l.place, block); });
        bool const is_first = before == loaded.end();
        std::uint16_t const number = is_first ? ++numbers_ : before->number;
        auto& [one, other] = m_.instructions[issued].moved;
        (one == 0 ? one : other) = number;
        if (!is_first) return;
        ConstantPlaces::Place const place = places_of_moves_.place_for(block);
        bool const is_in_front = place.loop != nullptr;
        loaded.push_back({place, number});
        m_.constants_made.push_back({number, place.block, is_in_front});
        add_moves(is_in_front ? last_issued_in(place.block) : issued,
                  n.reg == ir::none && is_double(issued) ? 2 : 1);
    }
    void add_moves(std::uint32_t i, int count) {
        std::uint8_t& moves = m_.instructions[i].extra_moves;
        moves = static_cast<std::uint8_t>(std::min(moves + count, 32));
    }
    bool is_double(std::uint32_t i) const {
        isa::Type const type = m_.form(i).types[0];
        return isa::is_float(type) && isa::width(type) == 64;
    }
    /// Or in a block that comes before it on every path; the first one of all if there is none.
    std::uint32_t last_issued_in(std::uint32_t block) const {
        for (std::uint32_t b = block; b != ir::none; b = dominators_.immediate(b)) {
            for (std::uint32_t i = m_.function->blocks[b].last + 1; i-- > m_.function->blocks[b].first;)
                if (m_.instructions[i].fate == Fate::issued) return i;
        }
        return first_issued_;
    }

    struct Loaded {
        ConstantPlaces::Place place;
        std::uint16_t number;
    };

    MachineFunction& m_;
    Definitions& d_;
    ir::DominatorTree const& dominators_;
    ConstantPlaces const places_of_moves_;
    bool loads_;                          // constants of the bank cannot be operands
    bool has_uniform_bases_;              // of global memory
    std::optional<SharedVariable> zero_;  // whose address is that
    std::vector<bool> is_used_;           // per register
    std::vector<bool> is_base_;           // per register: of addresses alone, unless it is needed as well
    std::uint32_t first_issued_ = ir::none;
    bool is_first_look_ = false;
    std::vector<Named> named_;  // by the instruction that is looked at
    std::map<Named, std::uint32_t> uses_;
    std::map<std::uint32_t, std::uint32_t>
        beside_numbers_;  // per register: instructions that could name it or a number
    std::map<Named, std::vector<Loaded>> loaded_;
    std::uint16_t numbers_ = 0;
    std::map<std::int64_t, std::vector<std::uint32_t>> brought_;  // numbers of 64 bits, and blocks
    std::set<std::pair<std::uint32_t, std::uint32_t>> places_;    // blocks, and what atomics in them add to
};

}  // namespace

void keep_constants(MachineFunction& m, Definitions& d, ir::DominatorTree const& dominators, int capability) {
    Keeper(m, d, dominators, capability).run();
}

}  // namespace warpsim::timing
