#include "runtime/coverage/coverage.hpp"

#include "runtime/coverage/shared_file.hpp"
#include "sim/exec/launch_context.hpp"

#include <utility>

namespace warpsim::coverage {

Coverage::Coverage(std::string file) : file_(std::move(file)) { check_file(file_); }

void Coverage::module_is_there(sim::ModuleEvent const& e) {
    std::lock_guard const lock(mutex_);
    for (std::uint32_t i = 0; i < e.module.sources.size(); ++i) {
        std::unique_ptr<Tally>& tally = texts_[e.module.sources[i]];
        if (!tally) tally = std::make_unique<Tally>(e.module, i);
    }
}

void Coverage::launch_begins(sim::LaunchBegin const& e) {
    std::lock_guard const lock(mutex_);
    launches_ += e.is_watched;
}

/// Where the module has been unloaded, and another is at its address, the text is another.
Coverage::Known const& Coverage::known(ir::Module const& module, ir::Function const& function) {
    std::shared_ptr<frontend::Source const> const& source = module.sources[function.source];
    Known& known = functions_[&function];
    if (known.source == source) return known;
    known = {source, texts_.at(source).get(), {}};
    for (ir::Instruction const& instruction : function.instructions)
        known.places.push_back(known.tally->place_of(instruction));
    return known;
}

void Coverage::counts(sim::CountsEvent const& e) {
    std::lock_guard const lock(mutex_);
    sim::KernelPlan const& plan = e.launch.plan;
    Known const* here = nullptr;
    std::uint32_t function = ir::none;
    for (sim::ExecutionCount const& count : e.counts) {
        if (count.warps == 0) continue;
        if (count.place.function != function) {
            function = count.place.function;
            here = &known(*plan.module, *plan.functions[function].function);
        }
        std::uint32_t const place = here->places[count.place.instruction];
        if (place == ir::none) continue;
        Tally::Executed& executed = here->tally->counts[place];
        executed.count += {count.warps, count.threads};
        executed.passed += count.threads_guarded;
        executed.divergent += count.divergent;
    }
}

Report Coverage::report() const {
    std::lock_guard const lock(mutex_);
    Report all;
    all.runs = 1;
    all.launches = launches_;
    for (auto const& [source, tally] : texts_) {
        Report one;
        tally->add_to(one);
        all += one;
    }
    return all;
}

std::string Coverage::finish() {
    if (std::exchange(is_finished_, true)) return "";
    return "coverage: " + summary(add_to_file(file_, report()));
}

}  // namespace warpsim::coverage
