#include "sim/timing/plan/folding.hpp"

#include "frontend/ir/registers.hpp"
#include "sim/timing/plan/makers.hpp"
#include "sim/timing/plan/operations.hpp"
#include "sim/timing/plan/single_folding.hpp"

#include <algorithm>
#include <set>

namespace warpsim::timing {

namespace {

using isa::Effect;
using isa::Type;
using Kind = ir::Operand::Kind;

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

class Folder {
public:
    Folder(MachineFunction& m, Definitions const& d, Makers const& makers, int capability)
        : m_(m), d_(d), makers_(makers), capability_(capability), offers_(m.function->registers.size(), 0) {}

    void run() {
        fold_all(&Folder::address_sum);
        if (capability_ >= 90) count_bases();
        fold_all(&Folder::negation);
        fold_all(&Folder::negation);  // of another operand
        fold_all(&Folder::inversion);
        fold_widenings();
        fold_all(&Folder::product);
        fold_all(&Folder::high_part);
    }

private:
    std::uint32_t count() const { return static_cast<std::uint32_t>(m_.instructions.size()); }

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
            if (k == ir::none || offers_[m_.operands(k)[0].index] != makers_.uses_of(k)) continue;
            takers_.emplace_back(i, k);
        }
        for (auto const& [i, k] : takers_) {
            m_.instructions[k].fate = Fate::folded;
            if (makes_product(k)) m_.instructions[i].takes_product = true;
            if (is_wide_product(k)) m_.instructions[i].product = m_.instructions[k].product;
            if (is_shift_right(m_.form(k))) m_.instructions[i].takes_shift = true;
            // Sums of an address are rearranged until the access itself scales the last of them (scale_addresses()).
            if (m_.form(k).operation == Operation::shl && is_sum(m_.form(i)) && !makers_.goes_into_address(i))
                m_.instructions[i].takes_scale = true;
        }
        takers_.clear();
    }

    /// Shifts become LEA, which takes as many instructions as the sum alone.
    bool makes_product(std::uint32_t k) const { return is_multiplication(m_.form(k).operation); }

    static bool is_zero(ir::Operand const& o) { return o.kind == Kind::immediate && o.value == 0; }

    /// [register + constant].
    std::uint32_t address_sum(std::uint32_t i) const {
        for (ir::Operand const& o : m_.operands(i)) {
            if (o.kind != Kind::address || o.base != ir::Operand::AddressBase::reg) continue;
            std::uint32_t const k = makers_.of(i, o);
            if (k == ir::none || !is_sum(m_.form(k))) return ir::none;
            auto const sum = m_.operands(k);
            // The address of a variable in shared memory is a constant too.
            bool const has_symbol =
                m_.form(k).operation == Operation::add && (is_known(sum[1]) || is_known(sum[2]));
            if (has_symbol || goes_from_uniform_base(i, k)) return k;
            std::int64_t const offset = o.value + sum[2].value;
            bool const fits = offset >= -(1 << 23) && offset < (1 << 23);  // 24 bits of an instruction
            return fits && is_offset(m_.form(k), sum) && !is_base(i, k) ? k : ir::none;
        }
        return ir::none;
    }

    /// A place at a parameter, computed for accesses in other blocks; until 8.9 where none is at the parameter itself.
    bool is_base(std::uint32_t i, std::uint32_t k) const {
        ir::Block const& block = m_.function->blocks[m_.function->block_of[k]];
        std::uint32_t const parameter = d_.root[m_.operands(k)[1].index];
        if (m_.function->block_of[i] == m_.function->block_of[k] || isa::width(m_.form(k).types[0]) != 64 ||
            d_.constant[parameter] != Constant::bank)
            return false;
        if (capability_ >= 90) return true;
        for (std::uint32_t j = block.first; j <= block.last; ++j) {
            for (ir::Operand const& o : m_.operands(j)) {
                bool const is_address = o.kind == Kind::address && o.base == ir::Operand::AddressBase::reg;
                if (is_address && d_.root[o.index] == parameter) return false;
            }
        }
        return true;
    }

    /// From 9.0 on they are computed in uniform registers from what is loaded there (ULDC, UIADD3 twice), and moved.
    void count_bases() {
        std::set<std::uint32_t> bases;
        for (std::uint32_t i = 0; i < count(); ++i) {
            for (ir::Operand const& o : m_.operands(i)) {
                if (o.kind != Kind::address || o.base != ir::Operand::AddressBase::reg) continue;
                std::uint32_t const k = makers_.of(i, o);
                if (k != ir::none && is_offset(m_.form(k), m_.operands(k)) && is_base(i, k)) bases.insert(k);
            }
        }
        for (std::uint32_t const k : bases) m_.instructions[k].extra_moves = 3;
    }
    static bool is_offset(ir::Form const& f, std::span<ir::Operand const> sum) {
        return is_sum(f) && sum[2].kind == Kind::immediate && sum[1].kind == Kind::reg;
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
            std::uint32_t const other = makers_.of(k, o[3 - s]);
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
        if (is_sum(m_.form(i)) && isa::width(m_.form(i).types[0]) == 32) return negated_integer(i);
        if (!takes_signs(m_.form(i))) return ir::none;
        auto const o = m_.operands(i);
        for (std::size_t s = 1; s < o.size(); ++s) {
            std::uint32_t const k = makers_.of(i, o[s]);
            if (k == ir::none) continue;
            Operation const made = m_.form(k).operation;
            if (made == Operation::neg || (made == Operation::abs && m_.form(i).operation != Operation::fma))
                return k;
        }
        return ir::none;
    }

    std::uint32_t negated_integer(std::uint32_t i) const {
        for (ir::Operand const& o : m_.operands(i).subspan(1)) {
            std::uint32_t const k = makers_.of(i, o);
            bool const negates = k != ir::none && m_.form(k).operation == Operation::neg &&
                                 isa::width(m_.form(k).types[0]) == 32 && !isa::is_float(m_.form(k).types[0]);
            if (negates) return k;
        }
        return ir::none;
    }

    /// All ones or none, by a predicate: where that holds, LOP3 inverts the other operand.
    std::uint32_t inversion(std::uint32_t i) const {
        ir::Form const& f = m_.form(i);
        if (f.operation != Operation::xor_ || f.types[0] != Type::b32 || m_.ir(i).guard != ir::none)
            return ir::none;
        for (ir::Operand const& o : m_.operands(i).subspan(1)) {
            std::uint32_t const k = makers_.of(i, o);
            if (k == ir::none || m_.form(k).operation != Operation::selp || !makers_.are_near(k, i)) continue;
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
            if (offers_[m_.operands(k)[0].index] == makers_.uses_of(k)) takers_.emplace_back(i, k);
        });
        for (auto const& [i, k] : takers_) m_.instructions[k].fate = Fate::folded;
        takers_.clear();
    }
    std::uint32_t widening(std::uint32_t i, std::size_t s) const {
        ir::Form const& f = m_.form(i);
        auto const o = m_.operands(i);
        if (isa::is_float(f.types[0]) || isa::width(f.types[0]) != 64 || o.size() < 3) return ir::none;
        std::uint32_t const k = o[s].kind == Kind::reg ? makers_.of(i, o[s]) : ir::none;
        if (k == ir::none || !is_widening(m_.form(k)) || m_.operands(k)[1].kind != Kind::reg) return ir::none;
        // IMAD.WIDE adds a pair of registers.
        std::uint32_t const other = is_sum(f) ? makers_.of(i, o[3 - s]) : ir::none;
        if (other != ir::none && m_.form(other).operation == Operation::mul_wide) return ir::none;
        bool const adds = is_plain_add(f) || (is_sum(f) && s == 1);
        return adds && isa::is_signed(m_.form(k).types[1]) && makers_.uses_of(k) == 1 ? k : ir::none;
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
        std::uint32_t found = ir::none;
        for (std::size_t s = 1; s < 3; ++s) {
            std::uint32_t const k = makers_.of(i, o[s]);
            if (k == ir::none || (found != ir::none && makers_.uses_of(k) >= makers_.uses_of(found))) continue;
            ir::Form const& made = m_.form(k);
            bool const wide =
                made.operation == Operation::mul_wide && bits == 64 && isa::width(made.types[0]) == 32;
            // A sum that advances a pointer takes as long with the product in it, wherever that stands; so does one with a shift
            // (LEA), of 64 bits for one sum only.
            bool const scales = made.operation == Operation::shl && (bits == 32 || makers_.uses_of(k) == 1);
            bool const steps = makes_stride(k) && bits == 32;
            if (!wide && !scales && !steps && !makers_.are_near(k, i)) continue;
            if (isa::is_float(f.types[0])) {
                bool const contracts = made.operation == Operation::mul && made.types[0] == f.types[0] &&
                                       f.rounding == isa::Rounding::none && made.rounding == isa::Rounding::none;
                if (contracts && makers_.uses_of(k) == 1) found = k;
                continue;
            }
            // Every sum multiplies anew, unless one takes another sum instead (IADD3); IMAD subtracts from a product as well, and
            // a product by a number from a sum.
            bool const is_alone = makers_.uses_of(k) == 1;
            bool const low =
                made.operation == Operation::mul_lo &&
                (bits == 32 ? is_alone || steps || !is_single_sum(i, o[3 - s]) : is_alone && is_wide_product(k));
            bool const shift = made.operation == Operation::shl && isa::width(made.types[0]) == bits &&
                               m_.operands(k)[2].kind == Kind::immediate && scales;
            bool const has_number = low && m_.operands(k)[2].kind == Kind::immediate;
            bool const adds = f.operation == Operation::add || (low && bits == 32 && (s == 1 || has_number));
            if (((wide || low) && adds) || shift) found = k;
        }
        return found;
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
        std::uint32_t found = ir::none;
        for (std::size_t s = 1; s < (f.operation == Operation::sub ? 2u : 3u); ++s) {
            std::uint32_t const k = makers_.of(i, o[s]);
            bool const is_shift = k != ir::none && is_shift_right(m_.form(k)) &&
                                  isa::width(m_.form(k).types[0]) == 32 && m_.operands(k)[1].kind == Kind::reg &&
                                  m_.operands(k)[2].kind == Kind::immediate;
            if (is_shift && makers_.are_near(k, i) &&
                (found == ir::none || makers_.uses_of(k) < makers_.uses_of(found)))
                found = k;
        }
        return found;
    }

    bool is_single_sum(std::uint32_t i, ir::Operand const& o) const {
        std::uint32_t const k = makers_.single(i, o);
        return k != ir::none && is_sum(m_.form(k)) && isa::width(m_.form(k).types[0]) == 32;
    }
    MachineFunction& m_;
    Definitions const& d_;
    Makers const& makers_;
    int const capability_;
    std::vector<std::uint32_t> offers_;  // per register
    std::vector<std::pair<std::uint32_t, std::uint32_t>> takers_;
};

}  // namespace

void fold(MachineFunction& m, Definitions const& d, int capability) {
    Makers const makers(m, d);
    fold_predicates(m, d, makers);
    Folder(m, d, makers, capability).run();
    fold_single(m, d, makers, capability);
}

}  // namespace warpsim::timing
