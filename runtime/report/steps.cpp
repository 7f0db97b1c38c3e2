#include "runtime/report/steps.hpp"

#include "runtime/lane_values.hpp"

#include "frontend/ir/module.hpp"
#include "sim/exec/launch_context.hpp"
#include "sim/exec/warp.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace warpsim::report {

namespace {

using nlohmann::ordered_json;

char const* name_of(sim::SpaceKind space) {
    switch (space) {
        case sim::SpaceKind::global: return "global";
        case sim::SpaceKind::shared: return "shared";
        case sim::SpaceKind::local: return "local";
        case sim::SpaceKind::constant: return "constant";
        default: return "param";
    }
}

}  // namespace

class Steps::Part final : public sim::EventSink {
public:
    Part(std::shared_ptr<Recording> recording, Limits const& limits)
        : recording_(std::move(recording)), limits_(limits) {}

    sim::EventMask wants() const override {
        using enum sim::EventKind;
        return sim::event_mask(cta, instruction, access, divergence);
    }

    void cta_ends(sim::CtaEnd const& e) override {
        if (OfCta* const cta = of(e.cta)) cta->results.clear();
    }

    void instruction(sim::InstructionEvent const& e) override {
        OfCta* const cta = of(e.site.cta);
        if (cta == nullptr) return;
        take_results(*cta, e.site, e.active);
        if (cta->steps.size() >= limits_.steps) {
            cta->is_complete = false;
            cta->last.clear();
            return;
        }
        sim::Warp const& warp = e.site.warp;
        cta->id = e.site.cta.id;
        cta->last[warp.index] = cta->steps.size();
        Step& step = cta->steps.emplace_back();
        step.place = place(e.site.frame.function->function, e.site.op.instruction);
        step.warp = warp.index;
        step.active = e.active;
        step.mask = e.mask;
        step.cycle = e.site.cycle;
        for (sim::WarpSplit const& split : warp.splits) {
            sim::FunctionPlan const& function = warp.function_of(split);
            step.splits.push_back({place(function.function, function.ops[split.pc].instruction), split.lanes,
                                   static_cast<std::uint8_t>(split.state)});
        }
        for (sim::ConvergenceBarrier const& barrier : warp.convergence_barriers) {
            if (barrier.frame == sim::no_frame) continue;
            sim::FunctionPlan const& function = *warp.frame(barrier.frame).function;
            step.barriers.push_back({place(function.function, function.ops[barrier.point].instruction),
                                     barrier.lanes, barrier.arrived});
        }
        if (cta->value_bytes < limits_.values && e.mask != 0) add_values(*cta, e);
    }

    void access(sim::AccessEvent const& e) override {
        Step* const step = last(e.site);
        if (step == nullptr) return;
        Used& used = step->used.emplace_back();
        used.space = e.space;
        used.bytes = e.addresses.bytes;
        used.lanes = e.addresses.mask;
        for (int i = 0; i < 32; ++i)
            used.at[static_cast<std::size_t>(i)] = (used.lanes >> i & 1) != 0 ? e.addresses.of(i) : 0;
    }

    void diverges(sim::DivergenceEvent const& e) override {
        Step* const step = last(e.site);
        if (step == nullptr) return;
        step->taken = e.taken;
        step->not_taken = e.not_taken;
    }

private:
    void add_values(OfCta& cta, sim::InstructionEvent const& e) const {
        ir::Function const& function = *e.site.frame.function->function;
        runtime::UsedRegisters const used =
            runtime::used_registers(*recording_->module, function, function.instructions[e.site.op.instruction]);
        for (runtime::UsedRegister const& each : used.read) {
            StepValues values(function.registers[each.index].name);
            values.take(e.site, each, e.mask);
            add(cta, cta.steps.back().read, values);
        }
        for (runtime::UsedRegister const& each : used.written)
            cta.results.push_back({&e.site.warp, &e.site.frame, cta.steps.size() - 1, each, e.mask,
                                   StepValues(function.registers[each.index].name)});
    }
    /// What instructions have written is there when the same lanes come to their next one.
    static void take_results(OfCta& cta, sim::Site const& site, sim::LaneMask lanes) {
        std::erase_if(cta.results, [&](Result& result) {
            sim::LaneMask const now = result.left & lanes;
            if (result.warp != &site.warp || result.frame != &site.frame || now == 0) return false;
            result.values.take(site, result.of, now);
            result.left &= ~now;
            if (result.left != 0) return false;
            add(cta, cta.steps[result.step].written, result.values);
            return true;
        });
    }
    static void add(OfCta& cta, std::vector<std::string>& list, StepValues const& values) {
        if (values.is_empty()) return;
        list.push_back(values.to_json());
        cta.value_bytes += list.back().size();
    }
    OfCta* of(sim::Cta const& cta) const {
        return cta.linear < recording_->ctas.size() ? &recording_->ctas[cta.linear] : nullptr;
    }
    Step* last(sim::Site const& site) const {
        OfCta* const cta = of(site.cta);
        if (cta == nullptr) return nullptr;
        auto const known = cta->last.find(site.warp.index);
        return known != cta->last.end() ? &cta->steps[known->second] : nullptr;
    }
    std::uint32_t place(ir::Function const* function, std::uint32_t instruction) const {
        return recording_->first.at(function) + instruction;
    }

    std::shared_ptr<Recording> const recording_;
    Limits const limits_;
};

bool Steps::listens_to(sim::LaunchContext const& launch) {
    if (launch.ctas() * launch.threads() > limits_.threads) return false;
    std::lock_guard const lock(mutex_);
    if (recordings_.size() >= limits_.launches) return false;
    auto recording = std::make_shared<Recording>();
    recording->ctas.resize(std::min<std::uint64_t>(launch.ctas(), limits_.ctas));
    ir::Module const& module = *launch.plan.module;
    recording->module = &module;
    for (sim::FunctionPlan const& plan : launch.plan.functions) {
        recording->first[plan.function] = static_cast<std::uint32_t>(recording->places.size());
        for (ir::Instruction const& instruction : plan.function->instructions)
            recording->places.push_back(
                {module.place(instruction), module.written(instruction), module.source_place(instruction)});
    }
    recordings_[launch.number] = std::move(recording);
    return true;
}

std::shared_ptr<sim::EventSink> Steps::part(sim::LaunchContext const& launch, std::uint32_t) {
    std::lock_guard const lock(mutex_);
    return std::make_shared<Part>(recordings_.at(launch.number), limits_);
}

std::string Steps::to_json(std::map<std::uint64_t, std::size_t> const& index_of) const {
    std::lock_guard const lock(mutex_);
    ordered_json all = ordered_json::object();
    for (auto const& [number, recording] : recordings_) {
        auto const index = index_of.find(number);
        if (index == index_of.end()) continue;
        ordered_json ctas = ordered_json::array();
        std::map<std::uint32_t, std::uint32_t> used_places;  // only those that steps name, in their order
        for (OfCta const& cta : recording->ctas)
            for (Step const& step : cta.steps) {
                used_places[step.place] = 0;
                for (Split const& split : step.splits) used_places[split.place] = 0;
                for (Barrier const& barrier : step.barriers) used_places[barrier.place] = 0;
            }
        ordered_json places = ordered_json::array();
        for (auto& [place, shown] : used_places) {
            shown = static_cast<std::uint32_t>(places.size());
            places.push_back(recording->places[place]);
        }
        for (OfCta const& cta : recording->ctas) {
            ordered_json steps = ordered_json::array();
            for (Step const& step : cta.steps) {
                ordered_json one = {
                    {"p", used_places[step.place]}, {"w", step.warp}, {"a", step.active}, {"m", step.mask}};
                if (step.cycle != 0) one["c"] = step.cycle;
                for (Split const& split : step.splits)
                    one["s"].push_back({used_places[split.place], split.lanes, split.state});
                for (Barrier const& barrier : step.barriers)
                    one["b"].push_back({used_places[barrier.place], barrier.lanes, barrier.arrived});
                if (step.taken != 0 || step.not_taken != 0) one["d"] = {step.taken, step.not_taken};
                for (Used const& used : step.used) {
                    // Distances are shorter than addresses.
                    std::uint64_t low = UINT64_MAX;
                    for (std::size_t i = 0; i < 32; ++i)
                        if ((used.lanes >> i & 1) != 0) low = std::min(low, used.at[i]);
                    ordered_json at = ordered_json::array();
                    for (std::size_t i = 0; i < 32; ++i)
                        at.push_back((used.lanes >> i & 1) != 0 ? ordered_json(used.at[i] - low)
                                                                : ordered_json(-1));
                    one["u"].push_back(
                        {{"s", name_of(used.space)}, {"n", used.bytes}, {"l", low}, {"at", std::move(at)}});
                }
                for (std::string const& values : step.read) one["i"].push_back(ordered_json::parse(values));
                for (std::string const& values : step.written) one["o"].push_back(ordered_json::parse(values));
                steps.push_back(std::move(one));
            }
            ctas.push_back({{"cta", cta.id}, {"complete", cta.is_complete}, {"steps", std::move(steps)}});
        }
        all[std::to_string(index->second)] = {{"places", std::move(places)}, {"ctas", std::move(ctas)}};
    }
    return all.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace warpsim::report
