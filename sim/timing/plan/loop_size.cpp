#include "sim/timing/plan/loop_size.hpp"

#include "frontend/ir/registers.hpp"
#include "frontend/isa/modifiers.hpp"
#include "frontend/isa/table.hpp"
#include "sim/timing/plan/known_rounds.hpp"
#include "sim/timing/plan/operations.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace warpsim::timing {

namespace {

using isa::Effect;
using Kind = ir::Operand::Kind;

// Weights of all instructions in front of the branch, the counter's included.
constexpr std::uint32_t most = 20, more_for_shared_load = 5, most_with_shared_loads = 98, most_with_load = 48,
                        most_with_texture = 64;
constexpr std::uint32_t weight_of_access = 2, weight_of_plain_store = 1, weight_of_copy = 3,
                        weight_of_wide_mad = 4, weight_of_barrier = 2, weight_of_atomic = 10;

// Of loops with a known number of iterations: instructions of all that are written down, but for the counter's.
constexpr std::uint32_t most_at_once = 351;
/// What a loop costs beside its body: the counter, its test, and the branch.
constexpr std::uint32_t overhead = 3;
// Of loops whose iterations are all written down, see Size: what those behind the first may execute, more for each percent of a round that
// is saved, and for each that is accesses with known addresses.
constexpr std::uint32_t most_in_whole = 141, more_for_saved = 46, more_for_access = 110, most_for_accesses = 1300;
/// What is a good part of the function, and in no other loop, may have so much more, by that part and the saved one.
constexpr double more_for_part = 4.87, least_part = 0.275;
constexpr std::uint32_t least_percentage_at_once = 4;

enum Memory : std::uint8_t { global, generic, shared, local, memories };

std::optional<Memory> memory_of(ir::StateSpace space) {
    switch (space) {
        case ir::StateSpace::global: return global;
        case ir::StateSpace::generic: return generic;
        case ir::StateSpace::shared:
        case ir::StateSpace::shared_cluster: return shared;
        case ir::StateSpace::local: return local;
        default: return std::nullopt;
    }
}

/// Of arithmetic that becomes a sequence; nothing: a call of a routine.
std::optional<std::uint32_t> weight_of_sequence(ir::Form const& form) {
    using O = Operation;
    isa::Type const type = form.types[0];
    bool const is_approximate = form.has(isa::Modifier::approx);
    if (is_one_of(form.operation, O::div, O::rem) && !isa::is_float(type)) {
        if (isa::width(type) > 32) return std::nullopt;
        bool const is_division = form.operation == O::div;
        return isa::is_signed(type) ? (is_division ? 27 : 24) : (is_division ? 21 : 19);
    }
    if (is_one_of(form.operation, O::div, O::rcp, O::sqrt) && !is_approximate) return std::nullopt;
    if (form.operation == O::rsqrt && type == isa::Type::f64 && !form.ftz) return std::nullopt;
    if (form.operation == O::div_full) return form.ftz ? 8 : 12;
    if (form.operation == O::div) return form.ftz ? 2 : 7;
    if (form.operation == O::mad_wide) return weight_of_wide_mad;
    bool const is_scaled = !form.ftz && type == isa::Type::f32;
    if (is_scaled && form.operation == O::rcp) return 7;
    if (is_scaled && is_one_of(form.operation, O::sqrt, O::rsqrt, O::ex2, O::lg2)) return 6;
    return 1;
}

class Loop {
public:
    Loop(MachineFunction const& m, ir::Block const& block, std::uint32_t counter, Lanes lanes, int capability)
        : m_(m), block_(block), counter_(counter), lanes_(lanes), repeats_collectives_(capability >= 90) {
        for (std::vector<bool>& loaded : depends_) loaded.resize(m.function->registers.size());
    }

    bool may_be_combined() {
        std::array<std::uint32_t, memories> loads{};
        bool has_texture = false;
        for (std::uint32_t i = block_.first; i < block_.last; ++i) {
            isa::Effect const effect = ir::effect(*m_.module, m_.ir(i));
            has_texture = has_texture || is_texture(effect);
            if (effect != Effect::load) continue;
            if (auto const memory = memory_of(m_.form(i).space)) ++loads[*memory];
        }
        has_load_ = loads[global] + loads[generic] + loads[local] != 0;
        find_addresses();

        std::uint32_t sum = 0;
        for (std::uint32_t i = block_.first; i < block_.last; ++i) {
            std::optional<std::uint32_t> const found = weight(i);
            if (!found) return false;
            follow(i);
            bool const is_guarded = m_.ir(i).guard != ir::none && m_.instructions[i].guarded.part == Part::none;
            sum += *found * (is_guarded ? 2 : 1);
        }
        bool gains = false, is_stored = false;
        for (std::uint32_t k = 0; k < memories; ++k) {
            gains = gains || (loads[k] != 0 && !is_stored_[k]);
            is_stored = is_stored || is_stored_[k];
        }
        if (is_stored && !gains && lanes_ == Lanes::apart) return false;
        std::uint32_t bound = std::min(most + more_for_shared_load * loads[shared], most_with_shared_loads);
        if (has_load_) bound = std::max(bound, most_with_load);
        if (has_texture) bound = std::max(bound, most_with_texture);
        return sum <= bound;
    }

    struct Size {
        std::uint32_t all = 0;                 // with the sums that make addresses
        std::uint32_t unknown = 0, saved = 0;  // of it: what each iteration executes, and the others
        std::uint32_t known_accesses = 0;
    };
    /// Of the body, but for the counter and its test, where `known` is; nothing: iterations are never repeated.
    std::optional<Size> size_of_round(std::uint32_t test, KnownRounds known) {
        Size size;
        for (std::uint32_t i = block_.first; i < block_.last; ++i) {
            std::optional<std::uint32_t> const found = known_weight(i);
            if (!found) return std::nullopt;
            bool const counts = i == test || (is_advance(m_, i) && m_.operands(i)[0].index == counter_);
            if (counts) continue;
            bool const is_guarded = m_.ir(i).guard != ir::none && m_.instructions[i].guarded.part == Part::none;
            std::uint32_t const weight = *found * (is_guarded ? 2 : 1);
            ir::Operand const* const place = address(i);
            std::uint32_t const sum = place != nullptr && place->value != 0 ? 1 : 0;
            size.all += weight + sum;
            bool const is_known_access = place != nullptr && known.is_known(place->index);
            size.known_accesses += is_known_access ? 1 : 0;
            bool const is_saved = known.follow(i) || is_known_access;
            (is_saved ? size.saved : size.unknown) += weight + sum;
        }
        return size;
    }

private:
    std::optional<std::uint32_t> known_weight(std::uint32_t i) const {
        ir::Form const& form = m_.form(i);
        switch (ir::effect(*m_.module, m_.ir(i))) {
            case Effect::lanes: return weight_of_sequence(form);
            case Effect::load:
            case Effect::store: return memory_of(form.space) ? 1 : weight(i);
            default: return weight(i);
        }
    }
    /// Where an access is that has its address in a register.
    ir::Operand const* address(std::uint32_t i) const {
        Effect const effect = ir::effect(*m_.module, m_.ir(i));
        if (effect != Effect::load && effect != Effect::store) return nullptr;
        auto const operands = m_.operands(i);
        auto const place = std::find_if(operands.begin(), operands.end(), [](ir::Operand const& o) {
            return o.kind == Kind::address && o.base == ir::Operand::AddressBase::reg;
        });
        return place == operands.end() ? nullptr : &*place;
    }

    static bool is_texture(Effect effect) {
        return effect == Effect::texture_fetch || effect == Effect::texture_gather;
    }

    std::optional<std::uint32_t> weight(std::uint32_t i) const {
        ir::Form const& form = m_.form(i);
        Effect const effect = ir::effect(*m_.module, m_.ir(i));
        if (is_idle_branch(form)) return 1;
        switch (effect) {
            case Effect::lanes:
                if (is_part_of_another(i)) return 0;
                return form.operation == Operation::setp ? 1 + extended_operands(i) : weight_of_sequence(form);
            case Effect::move: {
                auto const operands = m_.operands(i);
                bool const is_plain = operands.size() == 2 && operands[1].kind != Kind::special;
                return is_plain ? 0 : 1;
            }
            case Effect::convert_address: return 0;
            case Effect::load:
            case Effect::store: {
                bool const is_ordered = form.order == isa::Order::acquire || form.order == isa::Order::release ||
                                        form.order == isa::Order::acq_rel || form.order == isa::Order::sc;
                bool const is_parameter = form.space == ir::StateSpace::param ||
                                          form.space == ir::StateSpace::param_entry ||
                                          form.space == ir::StateSpace::param_func;
                if (is_ordered) return std::nullopt;
                if (is_parameter) return 0;
                auto const memory = memory_of(form.space);
                bool const is_global = memory == global || memory == generic;
                bool const is_light = effect == Effect::store && is_global && m_.ir(i).guard == ir::none;
                bool const is_narrow =
                    effect == Effect::load && form.vector == 1 && isa::width(form.types[0]) < 32;
                return (is_light ? weight_of_plain_store : weight_of_access) + (is_narrow ? 1 : 0);
            }
            case Effect::texture_fetch:
            case Effect::texture_gather: return weight_of_access;
            case Effect::copy_async: return weight_of_copy;
            default: return lanes_ != Lanes::apart ? weight_together(effect) : std::nullopt;
        }
    }
    /// Signed ones of 16 bits, as they are before it is known that some are extended already.
    std::uint32_t extended_operands(std::uint32_t i) const {
        if (m_.form(i).types[0] != isa::Type::s16) return 0;
        auto const compared = m_.operands(i).subspan(2, 2);
        return static_cast<std::uint32_t>(std::count_if(compared.begin(), compared.end(),
                                                        [](ir::Operand const& o) { return o.kind == Kind::reg; }));
    }
    std::optional<std::uint32_t> weight_together(Effect effect) const {
        bool const is_constant = lanes_ == Lanes::together_to_a_constant;
        if (effect == Effect::matrix_multiply) return 1;
        if (!is_constant) return std::nullopt;
        switch (effect) {
            case Effect::barrier: return weight_of_barrier;
            case Effect::atomic:
            case Effect::reduction: return weight_of_atomic;
            case Effect::active_mask: return 1;
            default: break;
        }
        using Facts = isa::EffectFacts;
        Facts const& facts = isa::facts(effect);
        bool const is_collective =
            facts.is(Facts::convergent) && !facts.is(Facts::synchronises) && !facts.is(Facts::access);
        if (is_collective && repeats_collectives_) return 1;
        return std::nullopt;
    }

    /// An addition that becomes part of a multiplication, of a shift or of an address, and one that counts as the counter does.
    bool is_part_of_another(std::uint32_t i) const {
        ir::Form const& form = m_.form(i);
        bool const is_sum = is_one_of(form.operation, Operation::add, Operation::sub) && !form.sat &&
                            form.rounding == isa::Rounding::none && !form.has(isa::Modifier::cc);
        auto const operands = m_.operands(i);
        if (!is_sum || operands.size() != 3 || operands[0].kind != Kind::reg) return false;
        if (advances(i, operands[0].index)) return operands[0].index != counter_;
        if (has_load_ && isa::width(form.types[0]) == 64 && goes_into_address_[operands[0].index]) return true;
        return std::any_of(operands.begin() + 1, operands.end(), [&](ir::Operand const& o) {
            if (o.kind != Kind::reg) return false;
            for (std::uint32_t made = i; made-- > block_.first;) {
                auto const writes = m_.writes[made];
                if (std::find(writes.begin(), writes.end(), o.index) == writes.end()) continue;
                ir::Form const& maker = m_.form(made);
                bool const is_plain = maker.rounding == isa::Rounding::none && !maker.sat;
                return is_plain && is_one_of(maker.operation, Operation::mul, Operation::mul_lo,
                                             Operation::mul_wide, Operation::shl);
            }
            return false;
        });
    }

    /// Registers that are addresses, or that these are computed from.
    void find_addresses() {
        goes_into_address_.assign(m_.function->registers.size(), false);
        for (std::uint32_t i = block_.last; i-- > block_.first;) {
            isa::Type const type = m_.form(i).types[0];
            auto const writes = m_.writes[i], reads = m_.reads[i];
            bool const makes_address =
                isa::width(type) == 64 && !isa::is_float(type) && !writes.empty() && goes_into_address_[writes[0]];
            if (makes_address) {
                for (std::uint32_t const reg : reads) goes_into_address_[reg] = true;
            }
            for (ir::Operand const& o : m_.operands(i))
                if (o.kind == Kind::address && o.base == ir::Operand::AddressBase::reg)
                    goes_into_address_[o.index] = true;
        }
    }

    /// Adds a constant to the register, which nothing else changes.
    bool advances(std::uint32_t i, std::uint32_t reg) const {
        if (!is_advance(m_, i) || m_.operands(i)[0].index != reg) return false;
        for (std::uint32_t k = block_.first; k < block_.last; ++k) {
            auto const writes = m_.writes[k];
            if (k != i && std::find(writes.begin(), writes.end(), reg) != writes.end()) return false;
        }
        return true;
    }
    /// Stores where a pointer is that goes on in each iteration.
    bool stores_along(std::uint32_t i) const {
        auto const operands = m_.operands(i);
        auto const place = std::find_if(operands.begin(), operands.end(),
                                        [](ir::Operand const& o) { return o.kind == Kind::address; });
        if (place == operands.end() || place->base != ir::Operand::AddressBase::reg) return false;
        for (std::uint32_t k = block_.first; k < block_.last; ++k)
            if (advances(k, place->index)) return true;
        return false;
    }

    /// What is computed from loads, and whether that is stored to the same memory.
    void follow(std::uint32_t i) {
        Effect const effect = ir::effect(*m_.module, m_.ir(i));
        auto const memory = memory_of(m_.form(i).space);
        auto const reads = m_.reads[i], writes = m_.writes[i];
        for (std::uint32_t k = 0; k < memories; ++k) {
            std::vector<bool>& depends = depends_[k];
            bool const reads_loaded =
                std::any_of(reads.begin(), reads.end(), [&](std::uint32_t reg) { return depends[reg]; });
            bool const is_this = memory == static_cast<Memory>(k);
            if (effect == Effect::store && is_this && reads_loaded && !stores_along(i)) is_stored_[k] = true;
            for (std::uint32_t const reg : writes) {
                bool const keeps = m_.ir(i).guard != ir::none && depends[reg];
                depends[reg] = keeps || reads_loaded || (effect == Effect::load && is_this);
            }
        }
    }

    MachineFunction const& m_;
    ir::Block const& block_;
    std::uint32_t const counter_;
    Lanes const lanes_;
    bool const repeats_collectives_;
    bool has_load_ = false;                // of global or local memory
    std::vector<bool> goes_into_address_;  // per register
    // For each memory: the registers that an iteration computes from what it loads there, and whether it stores such there.
    std::array<std::vector<bool>, memories> depends_;
    std::array<bool, memories> is_stored_{};
};

}  // namespace

bool combines_rounds(MachineFunction const& m, ir::Block const& loop, std::uint32_t counter, Lanes lanes,
                     int capability) {
    return Loop(m, loop, counter, lanes, capability).may_be_combined();
}

Rounds rounds_of(MachineFunction const& m, ir::Block const& loop, std::uint32_t counter, std::uint32_t test,
                 std::uint32_t count, bool is_inner, int capability) {
    Loop of(m, loop, counter, Lanes::together_to_a_constant, capability);
    auto const size = of.size_of_round(test, KnownRounds(m, loop, counter, is_inner, capability));
    if (!size) return {};
    std::uint32_t const round = overhead + size->all;
    std::uint32_t const percent_accesses = 100 * size->known_accesses / round;
    std::uint32_t const for_accesses = size->known_accesses == 0 ? 0
                                                                 : std::clamp(more_for_access * percent_accesses,
                                                                              more_for_access, most_for_accesses);
    std::uint32_t const for_saved = more_for_saved * (100 * (overhead + size->saved) / round) + for_accesses;
    auto const rest = static_cast<std::uint32_t>(m.instructions.size()) - (loop.last - loop.first + 1);
    double const part = static_cast<double>(round) / (rest + round);
    double const more =
        is_inner || part < least_part ? 0 : more_for_part * part * for_saved / (100 * more_for_saved);
    double const most = (most_in_whole + for_saved) * (1 + more);
    if (double{count - 1.0} * size->unknown <= most) return {0, count, true};
    if (100 * overhead / round < least_percentage_at_once) return {};
    for (std::uint32_t at_once = std::min(count - 1, most_at_once); at_once > 1; --at_once) {
        std::uint32_t const before = count % at_once;
        if (std::uint64_t{before + at_once} * size->all <= most_at_once) return {before, at_once, false};
    }
    return {};
}

}  // namespace warpsim::timing
