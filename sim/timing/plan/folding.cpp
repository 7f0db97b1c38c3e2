#include "sim/timing/plan/folding.hpp"

#include "frontend/ir/registers.hpp"
#include "sim/timing/plan/narrow_values.hpp"
#include "sim/timing/plan/operations.hpp"

#include <algorithm>

namespace warpsim::timing {

namespace {

using isa::Effect;
using isa::Type;
using Kind = ir::Operand::Kind;

bool is_float_sum(ir::Form const& f) {
    return is_one_of(f.operation, Operation::add, Operation::sub, Operation::mul, Operation::fma) &&
           isa::is_float(f.types[0]);
}
bool is_plain_approximation(ir::Form const& f) {
    return is_one_of(f.operation, Operation::rcp, Operation::rsqrt, Operation::lg2, Operation::ex2,
                     Operation::sqrt) &&
           f.has(isa::Modifier::approx) && f.ftz && f.types[0] == Type::f32;
}
/// Of its operands, as they are read.
bool takes_signs(ir::Form const& f) {
    bool const chooses = is_one_of(f.operation, Operation::selp, Operation::min, Operation::max);
    return is_float_sum(f) || is_plain_approximation(f) || (chooses && f.types[0] == Type::f32) ||
           (f.operation == Operation::setp && (f.types[0] == Type::f32 || f.types[0] == Type::f64));
}
bool is_logic(ir::Form const& f) {
    return is_one_of(f.operation, Operation::and_, Operation::or_, Operation::xor_, Operation::not_) &&
           f.types[0] != Type::pred;
}
bool is_shift_right(ir::Form const& f) { return f.operation == Operation::shr; }
bool is_sum(ir::Form const& f) {
    return is_one_of(f.operation, Operation::add, Operation::sub) && !isa::is_float(f.types[0]) &&
           !f.has(isa::Modifier::cc);
}

class Folder {
public:
    Folder(MachineFunction& m, Definitions const& d, int capability)
        : m_(m),
          d_(d),
          capability_(capability),
          uses_(m.function->registers.size(), 0),
          offers_(m.function->registers.size(), 0) {
        for (std::uint32_t i = 0; i < count(); ++i) {
            bool const is_read_through = m.instructions[i].fate == Fate::folded && m.instructions[i].halves == 0;
            if (m.instructions[i].fate != Fate::issued && !d.is_joined[i] && !is_read_through) continue;
            for (std::uint32_t const reg : m.reads[i]) ++uses_[d.holder[d.root[reg]]];
        }
    }

    void run() {
        for (std::uint32_t i = 0; i < count(); ++i) take_choice(i);
        fold_all(&Folder::address_sum);
        fold_all(&Folder::negation);
        fold_all(&Folder::inversion);
        fold_widenings();
        fold_all(&Folder::product);
        fold_all(&Folder::high_part);
        for (std::uint32_t i = 0; i < count(); ++i) {
            if (m_.instructions[i].fate != Fate::issued) continue;
            take_one(i);
            m_.instructions[i].extensions = count_extensions(m_, d_, i, capability_);
        }
    }

private:
    std::uint32_t count() const { return static_cast<std::uint32_t>(m_.instructions.size()); }

    /// The issued instruction that is the only definition of the register, if what it reads does not change before
    /// `i`.
    std::uint32_t maker(std::uint32_t i, ir::Operand const& o) const {
        bool const is_register =
            o.kind == Kind::reg || (o.kind == Kind::address && o.base == ir::Operand::AddressBase::reg);
        if (!is_register) return ir::none;
        std::uint32_t const k = d_.only_definition[d_.root[o.index]];
        if (k == ir::none || k >= i || m_.instructions[k].fate != Fate::issued) return ir::none;
        if (m_.operands(k)[0].kind != Kind::reg || m_.writes[k].size() != 1) return ir::none;
        for (std::uint32_t const reg : m_.reads[k]) {
            if (d_.count[reg] <= 1) continue;
            if (m_.function->block_of[k] != m_.function->block_of[i] || d_.changes_between(reg, k, i))
                return ir::none;
        }
        return k;
    }
    bool is_near(std::uint32_t k, std::uint32_t i) const {
        return m_.function->block_of[k] == m_.function->block_of[i];
    }
    std::uint32_t uses_of(std::uint32_t k) const { return uses_[m_.operands(k)[0].index]; }

    /// Folds every instruction that all of its users can absorb, as `offer` says for each of them.
    void fold_all(std::uint32_t (Folder::*offer)(std::uint32_t) const) {
        std::fill(offers_.begin(), offers_.end(), 0);
        for (std::uint32_t i = 0; i < count(); ++i) {
            if (m_.instructions[i].fate != Fate::issued) continue;
            std::uint32_t const k = (this->*offer)(i);
            if (k != ir::none) ++offers_[m_.operands(k)[0].index];
        }
        for (std::uint32_t i = 0; i < count(); ++i) {
            if (m_.instructions[i].fate != Fate::issued) continue;
            std::uint32_t const k = (this->*offer)(i);
            if (k == ir::none || offers_[m_.operands(k)[0].index] != uses_of(k)) continue;
            takers_.emplace_back(i, k);
        }
        for (auto const& [i, k] : takers_) {
            m_.instructions[k].fate = Fate::folded;
            if (makes_product(k)) m_.instructions[i].takes_product = true;
            if (is_wide_product(k)) m_.instructions[i].product = m_.instructions[k].product;
            if (is_shift_right(m_.form(k))) m_.instructions[i].takes_shift = true;
        }
        takers_.clear();
    }

    /// Shifts become LEA, which takes as many instructions as the sum alone.
    bool makes_product(std::uint32_t k) const { return is_multiplication(m_.form(k).operation); }

    /// A predicate that becomes a number and a predicate again, as it does on its way out of inline assembly: whoever reads the
    /// second reads the first.
    void take_choice(std::uint32_t i) {
        ir::Form const& f = m_.form(i);
        auto const o = m_.operands(i);
        bool const tests = f.operation == Operation::setp && m_.instructions[i].fate == Fate::issued &&
                           (f.has(isa::Modifier::eq) || f.has(isa::Modifier::ne)) && o.size() == 4 &&
                           o[1].kind == Kind::sink && is_zero(o[3]) && m_.ir(i).guard == ir::none;
        if (!tests) return;
        std::uint32_t const k = maker(i, o[2]);
        if (k == ir::none || m_.form(k).operation != Operation::selp || m_.ir(k).guard != ir::none) return;
        auto const choice = m_.operands(k);
        bool const is_number = choice[1].kind == Kind::immediate && choice[2].kind == Kind::immediate &&
                               (choice[1].value == 0) != (choice[2].value == 0);
        if (!is_number || choice[3].kind != Kind::reg || d_.count[choice[3].index] != 1 || uses_of(k) != 1) return;
        m_.instructions[k].fate = m_.instructions[i].fate = Fate::folded;
    }
    static bool is_zero(ir::Operand const& o) { return o.kind == Kind::immediate && o.value == 0; }

    /// [register + constant].
    std::uint32_t address_sum(std::uint32_t i) const {
        for (ir::Operand const& o : m_.operands(i)) {
            if (o.kind != Kind::address || o.base != ir::Operand::AddressBase::reg) continue;
            std::uint32_t const k = maker(i, o);
            if (k == ir::none || !is_sum(m_.form(k))) return ir::none;
            auto const sum = m_.operands(k);
            // The address of a variable in shared memory is a constant too.
            bool const has_symbol =
                m_.form(k).operation == Operation::add && (is_known(sum[1]) || is_known(sum[2]));
            if (has_symbol || goes_from_uniform_base(i, k)) return k;
            std::int64_t const offset = o.value + sum[2].value;
            bool const fits = offset >= -(1 << 23) && offset < (1 << 23);  // 24 bits of an instruction
            return sum[2].kind == Kind::immediate && fits && sum[1].kind == Kind::reg ? k : ir::none;
        }
        return ir::none;
    }

    /// On 7.5 accesses to global memory add a uniform base from the constant bank to a register, of 32 bits or 64.
    bool goes_from_uniform_base(std::uint32_t i, std::uint32_t k) const {
        ir::Form const& sum = m_.form(k);
        Effect const effect = ir::effect(*m_.module, m_.ir(i));
        bool const accesses = (effect == Effect::load || effect == Effect::store) &&
                              m_.form(i).space == isa::StateSpace::global && m_.ir(i).guard == ir::none;
        if (capability_ != 75 || !accesses || !is_plain_add(sum) || isa::width(sum.types[0]) != 64) return false;
        auto const o = m_.operands(k);
        if (o[1].kind != Kind::reg || o[2].kind != Kind::reg) return false;
        for (std::size_t s : {1u, 2u}) {
            if (d_.constant[d_.root[o[s].index]] != Constant::bank) continue;
            if (d_.constant[d_.root[o[3 - s].index]] != Constant::none) return false;
            std::uint32_t const other = maker(k, o[3 - s]);
            return other == ir::none ||
                   !(is_multiplication(m_.form(other).operation) || m_.form(other).operation == Operation::shl ||
                     is_widening(m_.form(other)));
        }
        return false;
    }

    bool is_known(ir::Operand const& o) const {
        return o.kind == Kind::symbol ||
               (o.kind == Kind::reg && d_.constant[d_.root[o.index]] == Constant::immediate);
    }

    /// A negated operand of a sum or product, of a comparison or choice, or of an approximation that is one instruction (MUFU).
    std::uint32_t negation(std::uint32_t i) const {
        if (!takes_signs(m_.form(i))) return ir::none;
        auto const o = m_.operands(i);
        for (std::size_t s = 1; s < o.size(); ++s) {
            std::uint32_t const k = maker(i, o[s]);
            if (k == ir::none) continue;
            Operation const made = m_.form(k).operation;
            if (made == Operation::neg || (made == Operation::abs && m_.form(i).operation != Operation::fma))
                return k;
        }
        return ir::none;
    }

    /// All ones or none, by a predicate: where that holds, LOP3 inverts the other operand.
    std::uint32_t inversion(std::uint32_t i) const {
        ir::Form const& f = m_.form(i);
        if (f.operation != Operation::xor_ || f.types[0] != Type::b32 || m_.ir(i).guard != ir::none)
            return ir::none;
        for (ir::Operand const& o : m_.operands(i).subspan(1)) {
            std::uint32_t const k = maker(i, o);
            if (k == ir::none || m_.form(k).operation != Operation::selp || !is_near(k, i)) continue;
            auto const choice = m_.operands(k);
            bool const is_mask = choice[1].kind == Kind::immediate && choice[2].kind == Kind::immediate &&
                                 is_zero(choice[2]) && static_cast<std::int32_t>(choice[1].value) == -1;
            if (is_mask && m_.ir(k).guard == ir::none) return k;
        }
        return ir::none;
    }

    /// The widening of signed values: LEA.HI.X makes the sign while it adds.
    void fold_widenings() {
        std::fill(offers_.begin(), offers_.end(), 0);
        auto const each = [&](auto const& visit) {
            for (std::uint32_t i = 0; i < count(); ++i) {
                if (m_.instructions[i].fate != Fate::issued) continue;
                auto const o = m_.operands(i);
                std::uint32_t last = ir::none;
                bool has_sign = false;
                for (std::size_t s = 1; s < o.size(); ++s) {
                    std::uint32_t const k = widening(i, s);
                    bool const is_signed = k != ir::none && isa::is_signed(m_.form(k).types[1]);
                    if (k == ir::none || k == last || (is_signed && has_sign)) continue;
                    visit(i, k);
                    has_sign = has_sign || is_signed;
                    last = k;
                }
            }
        };
        each([&](std::uint32_t, std::uint32_t k) { ++offers_[m_.operands(k)[0].index]; });
        each([&](std::uint32_t i, std::uint32_t k) {
            if (offers_[m_.operands(k)[0].index] == uses_of(k)) takers_.emplace_back(i, k);
        });
        for (auto const& [i, k] : takers_) m_.instructions[k].fate = Fate::folded;
        takers_.clear();
    }
    std::uint32_t widening(std::uint32_t i, std::size_t s) const {
        ir::Form const& f = m_.form(i);
        auto const o = m_.operands(i);
        if (isa::is_float(f.types[0]) || isa::width(f.types[0]) != 64 || o.size() < 3) return ir::none;
        std::uint32_t const k = o[s].kind == Kind::reg ? maker(i, o[s]) : ir::none;
        if (k == ir::none || !is_widening(m_.form(k)) || m_.operands(k)[1].kind != Kind::reg) return ir::none;
        // IMAD.WIDE adds a pair of registers.
        std::uint32_t const other = is_sum(f) ? maker(i, o[3 - s]) : ir::none;
        if (other != ir::none && m_.form(other).operation == Operation::mul_wide) return ir::none;
        bool const adds = is_plain_add(f) || (is_sum(f) && s == 1);
        return adds && isa::is_signed(m_.form(k).types[1]) && uses_of(k) == 1 ? k : ir::none;
    }
    static bool is_widening(ir::Form const& f) {
        return is_conversion(f.operation) && isa::width(f.types[0]) == 64 && isa::width(f.types[1]) == 32 &&
               !isa::is_float(f.types[0]) && !isa::is_float(f.types[1]);
    }
    bool is_wide_product(std::uint32_t k) const {
        return m_.form(k).operation == Operation::mul_lo && isa::width(m_.form(k).types[0]) == 64;
    }

    /// IMAD and LEA add to a product or a shifted value; so does FFMA, as far as the PTX leaves the rounding open.
    std::uint32_t product(std::uint32_t i) const {
        ir::Form const& f = m_.form(i);
        auto const o = m_.operands(i);
        if (!is_one_of(f.operation, Operation::add, Operation::sub) || o.size() != 3 || f.has(isa::Modifier::cc) ||
            f.types[0] == Type::pred)
            return ir::none;
        int const bits = isa::width(f.types[0]);
        for (std::size_t s = 1; s < 3; ++s) {
            std::uint32_t const k = maker(i, o[s]);
            if (k == ir::none) continue;
            ir::Form const& made = m_.form(k);
            bool const wide =
                made.operation == Operation::mul_wide && bits == 64 && isa::width(made.types[0]) == 32;
            // A sum that advances a pointer takes as long with the product in it, wherever that stands; so does one with a shift
            // (LEA), of 64 bits for one sum only.
            bool const scales = made.operation == Operation::shl && (bits == 32 || uses_of(k) == 1);
            bool const steps = makes_stride(k) && bits == 32;
            if (!wide && !scales && !steps && !is_near(k, i)) continue;
            if (isa::is_float(f.types[0])) {
                bool const contracts = made.operation == Operation::mul && made.types[0] == f.types[0] &&
                                       f.rounding == isa::Rounding::none && made.rounding == isa::Rounding::none;
                if (contracts && uses_of(k) == 1) return k;
                continue;
            }
            // Every sum multiplies anew, unless one takes another sum instead (IADD3); IMAD subtracts from a product as well.
            bool const is_alone = uses_of(k) == 1;
            bool const low =
                made.operation == Operation::mul_lo &&
                (bits == 32 ? is_alone || steps || !is_single_sum(i, o[3 - s]) : is_alone && is_wide_product(k));
            bool const shift = made.operation == Operation::shl && isa::width(made.types[0]) == bits &&
                               m_.operands(k)[2].kind == Kind::immediate && scales;
            bool const adds = f.operation == Operation::add || (low && bits == 32 && s == 1);
            if (((wide || low) && adds) || shift) return k;
        }
        return ir::none;
    }

    /// A product of two constants of the bank, such as the threads of a grid: whatever adds it multiplies once more, so that only one
    /// of them needs a register. From 9.0 on the uniform datapath multiplies.
    bool makes_stride(std::uint32_t k) const {
        auto const o = m_.operands(k);
        auto const is_in_bank = [&](ir::Operand const& x) {
            return x.kind == Kind::reg && d_.constant[d_.root[x.index]] == Constant::bank;
        };
        return capability_ < 90 && m_.form(k).operation == Operation::mul_lo &&
               isa::width(m_.form(k).types[0]) == 32 && is_in_bank(o[1]) && is_in_bank(o[2]);
    }

    /// LEA.HI adds to what a shift to the right leaves, which it cannot subtract: half of a division by a power of two.
    std::uint32_t high_part(std::uint32_t i) const {
        ir::Form const& f = m_.form(i);
        auto const o = m_.operands(i);
        if (!is_sum(f) || isa::width(f.types[0]) != 32 || f.sat || o.size() != 3 ||
            m_.instructions[i].takes_product)
            return ir::none;
        for (std::size_t s = 1; s < (f.operation == Operation::sub ? 2u : 3u); ++s) {
            std::uint32_t const k = maker(i, o[s]);
            bool const is_shift = k != ir::none && is_shift_right(m_.form(k)) &&
                                  isa::width(m_.form(k).types[0]) == 32 && m_.operands(k)[1].kind == Kind::reg &&
                                  m_.operands(k)[2].kind == Kind::immediate;
            if (is_shift && is_near(k, i)) return k;
        }
        return ir::none;
    }

    /// What is folded into its only user: sums of three, logic of three, comparisons into logic on predicates.
    void take_one(std::uint32_t i) {
        ir::Form const& f = m_.form(i);
        auto const o = m_.operands(i);
        if (m_.instructions[i].takes_product || m_.instructions[i].takes_shift) return;
        if (is_sum(f) && isa::width(f.types[0]) == 32 && o.size() == 3) {
            for (std::size_t s = 1; s < 3; ++s) {
                std::uint32_t const k = single(i, o[s]);
                bool const is_plain = k != ir::none && is_sum(m_.form(k)) &&
                                      isa::width(m_.form(k).types[0]) == 32 && !m_.instructions[k].takes_product &&
                                      !m_.instructions[k].takes_shift && !took(k);
                if (!is_plain) continue;
                m_.instructions[k].fate = Fate::folded;
                took_.push_back(i);
                return;
            }
        }
        if (capability_ >= 90 && is_limit(f)) return take_limit(i);
        if (is_logic(f)) return take_logic(i);
        if (is_one_of(f.operation, Operation::and_, Operation::or_, Operation::xor_) && f.types[0] == Type::pred)
            take_comparison(i);
        if (f.operation == Operation::setp) take_test(i);
        if (is_conversion(f.operation) && f.sat) take_limited(i);
        Effect const effect = ir::effect(*m_.module, m_.ir(i));
        if (effect == Effect::store || effect == Effect::surface_store) take_masks(i);
    }

    /// What packs bytes one after the other (PRMT) takes only these of the second and those behind it.
    void take_masks(std::uint32_t i) {
        ir::Form const& f = m_.form(i);
        if (f.vector <= 1 || isa::width(f.types[0]) != 8) return;
        for (ir::Operand const& o : m_.operands(i).last(f.vector).subspan(1)) {
            std::uint32_t const k = single(i, o);
            if (k == ir::none || m_.form(k).operation != Operation::and_) continue;
            ir::Operand const& mask = m_.operands(k)[2];
            if (mask.kind == Kind::immediate && (mask.value & 255) == 255) m_.instructions[k].fate = Fate::folded;
        }
    }

    /// From 9.0 on the least or the greatest is found of a sum and another value (VIADDMNMX), or of three (VIMNMX3).
    static bool is_limit(ir::Form const& f) {
        return is_one_of(f.operation, Operation::min, Operation::max) &&
               (f.types[0] == Type::u32 || f.types[0] == Type::s32) && !f.has(isa::Modifier::relu);
    }
    void take_limit(std::uint32_t i) {
        for (ir::Operand const& o : m_.operands(i).subspan(1)) {
            std::uint32_t const k = single(i, o);
            bool const is_plain = k != ir::none && is_sum(m_.form(k)) && isa::width(m_.form(k).types[0]) == 32 &&
                                  !m_.form(k).sat && !m_.instructions[k].takes_product &&
                                  !m_.instructions[k].takes_shift && !took(k);
            if (!is_plain) continue;
            m_.instructions[k].fate = Fate::folded;
            took_.push_back(i);
            return;
        }
        for (ir::Operand const& o : m_.operands(i).subspan(1)) {
            std::uint32_t const k = single(i, o);
            bool const is_alike = k != ir::none && m_.form(k).operation == m_.form(i).operation &&
                                  m_.form(k).types[0] == m_.form(i).types[0] && !took(k);
            if (!is_alike) continue;
            m_.instructions[k].fate = Fate::folded;
            took_.push_back(i);
            return;
        }
    }

    void take_logic(std::uint32_t i) {
        std::size_t inputs = m_.form(i).operation == Operation::not_ ? 1 : 2;
        for (ir::Operand const& o : m_.operands(i).subspan(1)) {
            std::uint32_t const k = single(i, o);
            if (k == ir::none || !is_logic(m_.form(k)) || m_.form(k).types[0] != m_.form(i).types[0] || took(k))
                continue;
            std::size_t const more = m_.form(k).operation == Operation::not_ ? 0 : 1;
            if (inputs + more > 3) continue;
            inputs += more;
            m_.instructions[k].fate = Fate::folded;
            m_.instructions[i].halves |= m_.instructions[k].halves;
        }
        if (inputs > 2) took_.push_back(i);
    }

    /// ISETP combines its result with a predicate: the later of the comparisons does the work.
    void take_comparison(std::uint32_t i) {
        std::uint32_t latest = ir::none;
        for (ir::Operand const& o : m_.operands(i).subspan(1)) {
            std::uint32_t const k = single(i, o);
            if (k != ir::none && m_.form(k).operation == Operation::setp && (latest == ir::none || k > latest))
                latest = k;
        }
        if (latest != ir::none) m_.instructions[latest].fate = Fate::folded;
    }

    /// LOP3 also yields a predicate that says whether its result is zero.
    void take_test(std::uint32_t i) {
        ir::Form const& f = m_.form(i);
        auto const o = m_.operands(i);
        bool const tests = (f.has(isa::Modifier::eq) || f.has(isa::Modifier::ne)) && o.size() == 4 &&
                           o[1].kind == Kind::sink && o[3].kind == Kind::immediate && o[3].value == 0 &&
                           !isa::is_float(f.types[0]) && isa::width(f.types[0]) <= 32;
        if (!tests) return;
        // p, the second predicate, which is not used, a, 0.
        std::uint32_t const k = single(i, o[2]);
        if (k == ir::none || !is_logic(m_.form(k)) || m_.form(k).types[0] == Type::b64) return;
        // Of 16 bits, as long as a mask makes the others zero.
        bool const is_whole = isa::width(f.types[0]) == 32 || m_.operands(k).back().kind == Kind::immediate;
        if (is_whole && isa::width(m_.form(k).types[0]) == isa::width(f.types[0]))
            m_.instructions[k].fate = Fate::folded;
    }

    /// FADD, FMUL and FFMA limit their results to 0 and 1 themselves.
    void take_limited(std::uint32_t i) {
        ir::Form const& f = m_.form(i);
        std::uint32_t const k = maker(i, m_.operands(i)[1]);
        if (f.types[0] != Type::f32 || f.types[1] != Type::f32 || k == ir::none || uses_of(k) != 1) return;
        if (is_float_sum(m_.form(k)) && m_.form(k).types[0] == Type::f32 && m_.form(k).ftz == f.ftz)
            m_.instructions[k].fate = Fate::folded;
    }

    bool is_single_sum(std::uint32_t i, ir::Operand const& o) const {
        std::uint32_t const k = single(i, o);
        return k != ir::none && is_sum(m_.form(k)) && isa::width(m_.form(k).types[0]) == 32;
    }
    std::uint32_t single(std::uint32_t i, ir::Operand const& o) const {
        std::uint32_t const k = o.kind == Kind::reg ? maker(i, o) : ir::none;
        return k != ir::none && is_near(k, i) && uses_of(k) == 1 ? k : ir::none;
    }
    bool took(std::uint32_t i) const { return std::binary_search(took_.begin(), took_.end(), i); }

    MachineFunction& m_;
    Definitions const& d_;
    int const capability_;
    std::vector<std::uint32_t> uses_, offers_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> takers_;
    std::vector<std::uint32_t> took_;  // in order
};

}  // namespace

void fold(MachineFunction& m, Definitions const& d, int capability) { Folder(m, d, capability).run(); }

}  // namespace warpsim::timing
