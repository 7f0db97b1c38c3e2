#include "sim/timing/plan/single_folding.hpp"

#include "frontend/isa/effect.hpp"
#include "sim/timing/plan/narrow_values.hpp"
#include "sim/timing/plan/operations.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <vector>

namespace warpsim::timing {

namespace {

using isa::Effect;
using isa::Type;
using Kind = ir::Operand::Kind;

class SingleFolder {
public:
    SingleFolder(MachineFunction& m, Definitions const& d, Makers const& makers, int capability)
        : m_(m), d_(d), makers_(makers), capability_(capability) {}

    void run() {
        for (std::uint32_t i = 0; i < m_.instructions.size(); ++i) {
            if (m_.instructions[i].fate != Fate::issued) continue;
            take_one(i);
            m_.instructions[i].extensions = count_extensions(m_, d_, i, capability_);
        }
    }
    void take_predicates() {
        for (std::uint32_t i = 0; i < m_.instructions.size(); ++i) take_choice(i);
    }

private:
    /// A predicate that becomes a number and a predicate again, as it does on its way out of inline assembly: whoever reads the
    /// second reads the first.
    void take_choice(std::uint32_t i) {
        ir::Form const& f = m_.form(i);
        auto const o = m_.operands(i);
        bool const tests = f.operation == Operation::setp && m_.instructions[i].fate == Fate::issued &&
                           (f.has(isa::Modifier::eq) || f.has(isa::Modifier::ne)) && o.size() == 4 &&
                           o[1].kind == Kind::sink && is_zero(o[3]) && m_.ir(i).guard == ir::none;
        if (!tests) return;
        std::uint32_t const k = makers_.of(i, o[2]);
        if (k == ir::none || m_.form(k).operation != Operation::selp || m_.ir(k).guard != ir::none) return;
        auto const choice = m_.operands(k);
        bool const is_number = choice[1].kind == Kind::immediate && choice[2].kind == Kind::immediate &&
                               (choice[1].value == 0) != (choice[2].value == 0);
        if (!is_number || choice[3].kind != Kind::reg || d_.count[choice[3].index] != 1 || makers_.uses_of(k) != 1)
            return;
        m_.instructions[k].fate = m_.instructions[i].fate = Fate::folded;
    }
    static bool is_zero(ir::Operand const& o) { return o.kind == Kind::immediate && o.value == 0; }

    /// IADD3 adds three integers of 32 bits, and two of them three of 64.
    bool is_whole_sum(std::uint32_t i) const {
        ir::Form const& f = m_.form(i);
        int const bits = isa::width(f.types[0]);
        if (!is_sum(f) || m_.operands(i).size() != 3 || f.has(isa::Modifier::cc)) return false;
        return bits == 32 || (bits == 64 && m_.instructions[i].halves == both_halves);
    }

    bool names_constant(std::uint32_t i) const {
        auto const o = m_.operands(i).subspan(1);
        return std::any_of(o.begin(), o.end(), [&](ir::Operand const& each) {
            return each.kind != Kind::reg || d_.constant[d_.root[each.index]] != Constant::none;
        });
    }

    void take_one(std::uint32_t i) {
        ir::Form const& f = m_.form(i);
        auto const o = m_.operands(i);
        if (takes_other(i)) return;
        if (is_whole_sum(i)) {
            for (std::size_t s = 1; s < 3; ++s) {
                std::uint32_t const k = makers_.single(i, o[s]);
                bool const is_plain = k != ir::none && is_whole_sum(k) && !takes_other(k) && !took(k) &&
                                      isa::width(m_.form(k).types[0]) == isa::width(f.types[0]) &&
                                      (isa::width(f.types[0]) == 32 || !names_constant(i) || !names_constant(k));
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
        if (is_conversion(f.operation)) f.sat ? take_limited(i) : take_rounding(i);
        if (is_one_of(f.operation, Operation::min, Operation::max) && f.types[0] == Type::f32) take_both_limits(i);
        if (f.operation == Operation::selp) take_truth(i);
        if (f.operation == Operation::not_ && f.types[0] == Type::pred) {
            // A comparison yields the opposite of its result as well.
            std::uint32_t const k = makers_.of(i, o[1]);
            m_.instructions[i].is_beside =
                k != ir::none && makers_.are_near(k, i) && m_.form(k).operation == Operation::setp;
        }
        Effect const effect = ir::effect(*m_.module, m_.ir(i));
        if (effect == Effect::store || effect == Effect::surface_store) take_masks(i);
    }

    /// What packs bytes one after the other (PRMT) takes only these of the second and those behind it.
    void take_masks(std::uint32_t i) {
        ir::Form const& f = m_.form(i);
        if (f.vector <= 1 || isa::width(f.types[0]) != 8) return;
        for (ir::Operand const& o : m_.operands(i).last(f.vector).subspan(1)) {
            std::uint32_t const k = makers_.single(i, o);
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
            std::uint32_t const k = makers_.single(i, o);
            bool const is_plain = k != ir::none && is_sum(m_.form(k)) && isa::width(m_.form(k).types[0]) == 32 &&
                                  !m_.form(k).sat && !takes_other(k) && !took(k);
            if (!is_plain) continue;
            m_.instructions[k].fate = Fate::folded;
            took_.push_back(i);
            return;
        }
        for (ir::Operand const& o : m_.operands(i).subspan(1)) {
            std::uint32_t const k = makers_.single(i, o);
            bool const is_alike = k != ir::none && m_.form(k).operation == m_.form(i).operation &&
                                  m_.form(k).types[0] == m_.form(i).types[0] && !took(k);
            if (!is_alike) continue;
            m_.instructions[k].fate = Fate::folded;
            took_.push_back(i);
            return;
        }
    }

    /// Bits of two values that stand side by side: a funnel shift (SHF).
    bool take_funnel(std::uint32_t i) {
        auto const o = m_.operands(i);
        if (o.size() != 3 || m_.form(i).operation == Operation::and_ || isa::width(m_.form(i).types[0]) != 32)
            return false;
        std::uint32_t const a = makers_.single(i, o[1]), b = makers_.single(i, o[2]);
        auto const by = [&](std::uint32_t k, Operation shift) -> std::int64_t {
            bool const is_one = k != ir::none && m_.form(k).operation == shift &&
                                isa::width(m_.form(k).types[0]) == 32 && !isa::is_signed(m_.form(k).types[0]) &&
                                m_.operands(k)[2].kind == Kind::immediate;
            return is_one ? m_.operands(k)[2].value : 0;
        };
        bool const are_beside =
            (by(a, Operation::shl) != 0 && by(a, Operation::shl) + by(b, Operation::shr) == 32) ||
            (by(b, Operation::shl) != 0 && by(b, Operation::shl) + by(a, Operation::shr) == 32);
        if (!are_beside) return false;
        m_.instructions[a].fate = m_.instructions[b].fate = Fate::folded;
        took_.push_back(i);
        return true;
    }

    void take_logic(std::uint32_t i) {
        if (take_funnel(i)) return;
        std::size_t inputs = m_.form(i).operation == Operation::not_ ? 1 : 2;
        for (ir::Operand const& o : m_.operands(i).subspan(1)) {
            std::uint32_t const k = makers_.single(i, o);
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

    /// ISETP combines its result with a predicate: the comparison that is named first does the work, wherever it stands.
    void take_comparison(std::uint32_t i) {
        for (ir::Operand const& o : m_.operands(i).subspan(1)) {
            std::uint32_t const k = makers_.single(i, o);
            if (k == ir::none || m_.form(k).operation != Operation::setp) continue;
            m_.instructions[k].fate = Fate::folded;
            return;
        }
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
        std::uint32_t const k = makers_.single(i, o[2]);
        if (k == ir::none) return test_beside(i);
        if (!is_logic(m_.form(k)) || m_.form(k).types[0] == Type::b64) return;
        // Of 16 bits, as long as a mask makes the others zero.
        bool const is_whole = isa::width(f.types[0]) == 32 || m_.operands(k).back().kind == Kind::immediate;
        if (!is_whole || isa::width(m_.form(k).types[0]) != isa::width(f.types[0])) return;
        m_.instructions[k].fate = Fate::folded;
        take_bit(i, k);
    }

    /// R2P tests all bits of a byte but the highest at once: all of a block for which `k` masks one of them. Simplified: two alone
    /// never are, although ptxas does so in short sequences.
    void take_bit(std::uint32_t i, std::uint32_t k) {
        auto const masked = m_.operands(k);
        bool const is_mask = m_.form(k).operation == Operation::and_ && isa::width(m_.form(k).types[0]) == 32 &&
                             masked[1].kind == Kind::reg && masked[2].kind == Kind::immediate;
        auto const mask = is_mask ? static_cast<std::uint32_t>(masked[2].value) : 0;
        bool const is_guarded = m_.ir(i).guard != ir::none || m_.ir(k).guard != ir::none;
        if (!std::has_single_bit(mask) || std::countr_zero(mask) % 8 == 7 || is_guarded) return;
        std::uint32_t const reg = d_.root[masked[1].index];
        Bits& bits = bits_[{m_.function->block_of[i], reg, std::countr_zero(mask) / 8}];
        if (!bits.tests.empty() && d_.changes_between(reg, bits.mask, k)) bits.tests.clear();
        if (bits.tests.empty()) bits.mask = k;
        bits.tests.push_back(i);
        for (std::size_t t = 1; bits.tests.size() > 2 && t < bits.tests.size(); ++t)
            m_.instructions[bits.tests[t]].is_beside = true;
    }

    /// Where others need the result as well, and it is that of two values.
    void test_beside(std::uint32_t i) {
        std::uint32_t const k = makers_.of(i, m_.operands(i)[2]);
        bool const is_one = k != ir::none && makers_.are_near(k, i) && is_logic(m_.form(k)) &&
                            m_.form(k).operation != Operation::not_ && isa::width(m_.form(k).types[0]) == 32 &&
                            isa::width(m_.form(i).types[0]) == 32 && m_.ir(k).guard == ir::none &&
                            m_.ir(i).guard == ir::none && !took(k);
        if (!is_one) return;
        m_.instructions[i].is_beside = true;
        took_.insert(std::upper_bound(took_.begin(), took_.end(), k), k);
    }

    /// FADD, FMUL and FFMA limit their results to 0 and 1 themselves.
    void take_limited(std::uint32_t i) {
        ir::Form const& f = m_.form(i);
        std::uint32_t const k = makers_.of(i, m_.operands(i)[1]);
        if (f.types[0] != Type::f32 || f.types[1] != Type::f32 || k == ir::none || makers_.uses_of(k) != 1) return;
        if (is_float_sum(m_.form(k)) && m_.form(k).types[0] == Type::f32 && m_.form(k).ftz == f.ftz)
            m_.instructions[k].fate = Fate::folded;
    }

    /// A sum with a product or a shift in it has no room for a third value.
    bool takes_other(std::uint32_t i) const {
        return m_.instructions[i].takes_product || m_.instructions[i].takes_shift ||
               m_.instructions[i].takes_scale;
    }
    /// F2I rounds down, up or to the nearest itself.
    void take_rounding(std::uint32_t i) {
        ir::Form const& f = m_.form(i);
        if (isa::is_float(f.types[0]) || f.types[1] != Type::f32 || isa::width(f.types[0]) > 32) return;
        std::uint32_t const k = makers_.single(i, m_.operands(i)[1]);
        bool const rounds = k != ir::none && is_conversion(m_.form(k).operation) &&
                            m_.form(k).types[0] == Type::f32 && m_.form(k).types[1] == Type::f32 &&
                            !m_.form(k).sat;
        if (rounds) m_.instructions[k].fate = Fate::folded;
    }
    /// Between 0 and 1: a sum or product that limits its result, of the value and zero if there is none such.
    void take_both_limits(std::uint32_t i) {
        auto const limit = [&](std::uint32_t x) -> std::int64_t {
            ir::Operand const& o = m_.operands(x).back();
            return o.kind == Kind::immediate ? o.value : -1;
        };
        constexpr std::int64_t one = 0x3f800000;
        std::uint32_t const k = makers_.single(i, m_.operands(i)[1]);
        bool const is_other = k != ir::none && m_.form(k).types[0] == Type::f32 && m_.operands(k).size() == 3 &&
                              is_one_of(m_.form(k).operation, Operation::min, Operation::max) &&
                              m_.form(k).operation != m_.form(i).operation;
        if (!is_other) return;
        bool const is_min = m_.form(i).operation == Operation::min;
        if (limit(is_min ? i : k) != one || limit(is_min ? k : i) != 0) return;
        m_.instructions[k].fate = Fate::folded;
        std::uint32_t const made = makers_.single(k, m_.operands(k)[1]);
        if (made != ir::none && is_float_sum(m_.form(made)) && m_.form(made).types[0] == Type::f32)
            m_.instructions[made].fate = Fate::folded;
    }
    /// FSET writes 1 or 0.
    void take_truth(std::uint32_t i) {
        auto const o = m_.operands(i);
        constexpr std::int64_t one = 0x3f800000;
        bool const is_truth = o[1].kind == Kind::immediate && o[2].kind == Kind::immediate &&
                              ((o[1].value == one && o[2].value == 0) || (o[1].value == 0 && o[2].value == one));
        std::uint32_t const k = is_truth ? makers_.single(i, o[3]) : ir::none;
        if (k == ir::none || m_.form(k).operation != Operation::setp || m_.form(k).types[0] != Type::f32) return;
        m_.instructions[k].fate = Fate::folded;
    }

    bool took(std::uint32_t i) const { return std::binary_search(took_.begin(), took_.end(), i); }

    MachineFunction& m_;
    Definitions const& d_;
    Makers const& makers_;
    int const capability_;
    std::vector<std::uint32_t> took_;  // in order
    struct Bits {
        std::uint32_t mask = ir::none;  // of the first
        std::vector<std::uint32_t> tests;
    };
    std::map<std::tuple<std::uint32_t, std::uint32_t, int>, Bits> bits_;  // by block, register and byte of it
};

}  // namespace

void fold_predicates(MachineFunction& m, Definitions const& d, Makers const& makers) {
    SingleFolder(m, d, makers, 0).take_predicates();
}

void fold_single(MachineFunction& m, Definitions const& d, Makers const& makers, int capability) {
    SingleFolder(m, d, makers, capability).run();
}

}  // namespace warpsim::timing
