// Operations of a warp as a whole: shuffles, votes, matches, reductions, bar.warp.sync.
#include "sim/exec/effect_rule.hpp"

namespace warpsim::sim {

namespace {

using isa::Effect;
using isa::Modifier;
using isa::Type;
using Kind = ir::Operand::Kind;

/// Plans a collective, operand by operand.
class CollectivePlanner {
public:
    CollectivePlanner(FunctionPlanner& p, Operands operands, std::size_t first_source)
        : p_(p), operands_(operands), next_(first_source) {
        Type const type = p.form().types[0];
        c.is_sync = p.form().has(Modifier::sync);
        c.log2 = static_cast<std::uint8_t>(column_log2(type));
        c.is_signed = isa::is_signed(type);
    }

    Slot source(int log2) { return p_.source(operands_[next_++], log2); }
    Slot predicate() { return p_.predicate_source(operands_[next_++]); }
    /// Only instructions with .sync have a member mask.
    void members() {
        if (!c.is_sync) return;
        c.has_one_mask = operands_[next_].kind == Kind::immediate;
        c.members = source(2);
    }
    void result(int log2 = 2) { c.result = p_.destination(operands_[0], log2); }
    /// The p of d|p.
    void predicate_result() {
        if (operands_[1].kind == Kind::reg) c.predicate = p_.plan().register_slot[operands_[1].index];
    }
    void emit() {
        c.key = p_.kernel().collective_key(p_.form());
        p_.emit_effect_with(c);
    }

    Collective c;

private:
    FunctionPlanner& p_;
    Operands operands_;
    std::size_t next_;
};

void plan_shuffle(FunctionPlanner& p, Operands operands) {
    CollectivePlanner planner(p, operands, 2);
    planner.c.shuffle = p.form().has(Modifier::up)     ? ShuffleMode::up
                        : p.form().has(Modifier::down) ? ShuffleMode::down
                        : p.form().has(Modifier::bfly) ? ShuffleMode::bfly
                                                       : ShuffleMode::idx;
    planner.c.a = planner.source(2);
    planner.c.b = planner.source(2);
    planner.c.c = planner.source(2);
    planner.members();
    planner.result();
    planner.predicate_result();
    planner.emit();
}

void plan_vote(FunctionPlanner& p, Operands operands) {
    CollectivePlanner planner(p, operands, 1);
    planner.c.vote = p.form().has(Modifier::ballot) ? VoteMode::ballot
                     : p.form().has(Modifier::uni)  ? VoteMode::uni
                     : p.form().has(Modifier::any)  ? VoteMode::any
                                                    : VoteMode::all;
    planner.c.a = planner.predicate();
    planner.members();
    planner.result(planner.c.vote == VoteMode::ballot ? 2 : 0);
    planner.emit();
}

void plan_active_mask(FunctionPlanner& p, Operands operands) {
    CollectivePlanner planner(p, operands, 1);
    planner.c.is_sync = false;
    planner.result();
    planner.emit();
}

void plan_match(FunctionPlanner& p, Operands operands) {
    bool const is_all = p.form().has(Modifier::all);
    CollectivePlanner planner(p, operands, is_all ? 2 : 1);
    planner.c.match_all = is_all;
    planner.c.a = planner.source(planner.c.log2);
    planner.members();
    planner.result();
    if (is_all) planner.predicate_result();
    planner.emit();
}

void plan_elect(FunctionPlanner& p, Operands operands) {
    CollectivePlanner planner(p, operands, 2);
    planner.c.is_sync = true;
    planner.members();
    planner.result();
    planner.predicate_result();
    planner.emit();
}

void plan_reduction(FunctionPlanner& p, Operands operands) {
    CollectivePlanner planner(p, operands, 1);
    planner.c.reduce = p.form().has(Modifier::add)    ? ReduceOperation::add
                       : p.form().has(Modifier::min)  ? ReduceOperation::min
                       : p.form().has(Modifier::max)  ? ReduceOperation::max
                       : p.form().has(Modifier::and_) ? ReduceOperation::bit_and
                       : p.form().has(Modifier::or_)  ? ReduceOperation::bit_or
                                                      : ReduceOperation::bit_xor;
    planner.c.is_float = isa::is_float(p.form().types[0]);
    planner.c.takes_absolute = p.form().has(Modifier::abs);
    planner.c.gives_nan = p.form().has(Modifier::NaN);
    planner.c.a = planner.source(2);
    planner.members();
    planner.result();
    planner.emit();
}

void plan_warp_barrier(FunctionPlanner& p, Operands operands) {
    CollectivePlanner planner(p, operands, 0);
    planner.c.is_sync = true;
    planner.members();
    planner.emit();
}

Flow exchange(WarpInstruction& i) {
    Collectives& collectives = i.parts.collectives;
    Collective const& c = i.function.details_of<Collective>(i.op);
    if (collectives.perform_at_once(i.cta, i.warp, i.op, c, i.mask)) return Flow::next;
    i.stop_here();
    collectives.wait(i.cta, i.warp, i.op, i.mask);
    return Flow::regroup;
}

Flow give_active_mask(WarpInstruction& i) {
    Collectives::give_active_mask(i.warp, i.function.details_of<Collective>(i.op), i.mask);
    return Flow::next;
}

}  // namespace

EffectRules effects::collective_rules() {
    static constexpr EffectRule rules[] = {
        {Effect::shuffle, plan_shuffle, exchange},
        {Effect::vote, plan_vote, exchange},
        {Effect::active_mask, plan_active_mask, give_active_mask},
        {Effect::match, plan_match, exchange},
        {Effect::elect, plan_elect, exchange},
        {Effect::reduce_warp, plan_reduction, exchange},
        {Effect::barrier_warp, plan_warp_barrier, exchange},
    };
    return rules;
}

}  // namespace warpsim::sim
