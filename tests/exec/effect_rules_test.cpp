// Effects are found by the files that carry them out, and a new one needs nothing but its rule.
#include "runtime/device_state.hpp"
#include "sim/exec/effect_rule.hpp"
#include "sim/exec/launch_context.hpp"
#include "sim/exec/plan.hpp"
#include "sim/functional/functional_run.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>
#include <vector>

namespace effect_rules_test {

using namespace warpsim;
using namespace warpsim::test;
using isa::Effect;

namespace {

void plan_nothing(sim::FunctionPlanner& p, sim::Operands) { p.emit(sim::OpKind::nothing); }

/// A rule for every effect.
std::vector<sim::EffectRule> all_rules() {
    std::vector<sim::EffectRule> rules;
    for (std::size_t i = 0; i < isa::effect_count; ++i) rules.push_back({static_cast<Effect>(i), plan_nothing});
    return rules;
}

std::string refusal(std::vector<sim::EffectRule> const& rules) {
    sim::EffectRules const files[] = {rules};
    try {
        sim::make_effect_table(files);
    } catch (std::logic_error const& error) {
        return error.what();
    }
    return {};
}

/// What the effect of this test does: warps of a CTA meet, and each lane is counted when its warp has met the others.
struct Meeting {
    std::uint32_t number;  // of the instruction's operand
};
std::vector<std::pair<std::uint32_t, sim::LaneMask>> met;
std::vector<std::uint32_t> came;  // warps that came, each of them once
int tries = 0;

void plan_meeting(sim::FunctionPlanner& p, sim::Operands operands) {
    p.emit_effect_with(Meeting{static_cast<std::uint32_t>(operands[0].value)});
}

sim::Flow meet(sim::WarpInstruction& i) {
    ++tries;
    if (std::find(came.begin(), came.end(), i.warp.index) == came.end()) {
        came.push_back(i.warp.index);
        ++i.cta.changes;
    }
    if (came.size() < i.cta.warps.size()) return sim::Flow::try_again;
    met.emplace_back(i.function.details_of<Meeting>(i.op).number, i.mask);
    return sim::Flow::next;
}

/// Runs kernel `k` of one CTA with these rules.
sim::LaunchStatistics run(std::string const& text, std::string const& model, sim::EffectTable const& effects,
                          std::uint32_t threads) {
    runtime::Device device(sim::load_config("h100", std::vector<std::string>{"sm.control_flow=" + model}),
                           Program::one_thread());
    auto const module = device.load_text("test.ptx", text);
    runtime::Module::State& state = module->state();
    sim::PlanOptions options;
    options.effects = effects;
    sim::KernelPlan const plan = sim::make_plan(state.module, state.kernel("k"), state.symbols, options);
    runtime::DevicePointer const out = device.allocate(4096);
    auto const map = state.memory->map();
    sim::LaunchContext context{.plan = plan,
                               .access = sim::access_functions(isa::HostIsa::baseline),
                               .allocations = *map,
                               .memory = *state.memory,
                               .windows = sim::Reservation::process().windows()};
    context.block = {threads, 1, 1};
    context.control_flow = device.config().sm.control_flow;
    context.stack_bytes = 4096;
    sim::AlignedBytes const constants =
        sim::make_plan_block(plan, context, runtime::Arguments::of(out, out).bytes());
    context.plan_block = constants.get();
    sim::AlignedBytes const warps = sim::make_warp_blocks(plan, context);
    context.warp_blocks = warps.get();
    sim::FunctionalOptions run_options;
    run_options.threads = 1;
    sim::LaunchStatistics statistics;
    sim::run_functional(context, run_options, statistics);
    return statistics;
}

}  // namespace

TEST_CASE("Every effect has one rule, in the place of the effect", "[exec]") {
    sim::EffectTable const& table = sim::effect_table();
    for (std::size_t i = 0; i < table.size(); ++i) {
        INFO(isa::name(static_cast<Effect>(i)));
        CHECK(table[i].effect == static_cast<Effect>(i));
        CHECK(table[i].plan != nullptr);
    }
}

TEST_CASE("An effect without a rule, or with two, is told by its name", "[exec]") {
    std::vector<sim::EffectRule> rules = all_rules();
    CHECK(refusal(rules).empty());
    rules.push_back({Effect::fence, plan_nothing});
    CHECK(refusal(rules) == "two rules for the effect 'fence'");
    rules.pop_back();
    std::erase_if(rules, [](sim::EffectRule const& rule) { return rule.effect == Effect::shuffle; });
    CHECK(refusal(rules) == "no rule for the effect 'shuffle'");
}

TEST_CASE("A new effect needs its rule alone: it keeps details, waits, and is counted once", "[exec]") {
    sim::EffectTable effects = sim::effect_table();
    effects[static_cast<std::size_t>(Effect::nothing)] = {Effect::nothing, plan_meeting, meet};
    // The first warp comes early; of every warp the lanes below 5 come to it.
    std::string const text = kernel("mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 31; setp.lt.u32 %p0, %r2, 5; "
                                    "@%p0 pmevent 7; add.u32 %r3, %r1, 1; st.global.u32 [%o4], %r3;");
    std::string const without = kernel("mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 31; setp.lt.u32 %p0, %r2, 5; "
                                       "add.u32 %r3, %r1, 1; st.global.u32 [%o4], %r3;");
    for (std::string const& model : control_flows()) {
        INFO(model);
        met.clear();
        came.clear();
        tries = 0;
        auto const counted = run(text, model, effects, 96);
        CHECK(tries > 3);
        CHECK(met == std::vector<std::pair<std::uint32_t, sim::LaneMask>>(3, {7, 0x1f}));
        auto const plain = run(without, model, effects, 96);
        CHECK(counted.instructions.warp == plain.instructions.warp + 3);
        CHECK(counted.instructions.thread_guarded == plain.instructions.thread_guarded + 3 * 5);
    }
}

}  // namespace effect_rules_test
