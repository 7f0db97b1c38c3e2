// What ends a run early: a fault, a limit, or grids in which nothing can change any more.
#include "sim/error.hpp"
#include "sim/exec/fault.hpp"
#include "sim/exec/waiting.hpp"
#include "sim/plugin/guards.hpp"
#include "sim/timing/gpu.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace warpsim::timing {

/// Nothing can happen except that waits at mbarriers time out, after which a program may give up. A program that
/// only waits again and changes nothing is stuck.
bool Gpu::end_waits() {
    constexpr std::uint64_t most_in_vain = 1000;
    constexpr Cycle time_limit = 1000;  // the ISA leaves it to the implementation
    std::uint64_t changes = 0;
    Cycle last = 0;
    for (auto const& sm : sms_) {
        changes += sm->changes();
        last = std::max(last, sm->last_event());
    }
    waits_ended_ = changes == changes_then_ ? waits_ended_ + 1 : 0;
    changes_then_ = changes;
    if (waits_ended_ > most_in_vain) return false;
    bool any = false;
    for (auto const& sm : sms_) any |= sm->end_waits(last + time_limit);
    return any;
}

/// Reports what the warps of the first grid that has not ended wait for.
void Gpu::fail(bool is_livelock) {
    Grid const& grid = **std::find_if(launched_.begin(), launched_.end(),
                                      [](Grid const* candidate) { return !candidate->all_ended(); });
    failed_ = grid.number;
    if (is_livelock) throw sim::livelock(grid.launch, describe_waiting(grid));
    throw sim::blocked(grid.launch, describe_waiting(grid));
}

/// What components of plug-ins have done wrong in the epoch.
void Gpu::check_plugins() {
    if (std::string const failure = plugin::take_failure(); !failure.empty())
        throw Error(ErrorKind::usage, failure);
}

void Gpu::check() {
    check_plugins();
    Sm::Failure const* first = nullptr;
    for (auto const& sm : sms_) {
        if (sm->failure() && (first == nullptr || sm->failure()->at < first->at)) first = &*sm->failure();
    }
    // In the same cycle, a deferred effect comes before the instruction that fails.
    bool const is_effect = failure_ && (first == nullptr || failure_->at < first->at ||
                                        (failure_->at == first->at && failure_->sm <= first->sm));
    if (is_effect) first = &*failure_;
    if (first == nullptr) return check_instructions();
    failed_ = first->grid;
    try {
        std::rethrow_exception(first->error);
    } catch (sim::Fault& fault) {
        fault.sm = first->sm;
        throw;
    }
}

void Gpu::check_instructions() {
    for (Grid const* const grid : launched_) {
        sim::StopRequest const* const stop = grid->options.stop;
        if (stop != nullptr && stop->is_on() && !grid->all_ended()) {
            failed_ = grid->number;
            sim::Fault fault;
            fault.kind = stop->kind;
            fault.what = stop->what + ": the kernel was stopped " + stop->why + ", after " +
                         std::to_string(instructions(grid->number)) + " warp instructions";
            fault.details = describe_waiting(*grid);
            throw fault;
        }
        std::uint64_t const most = grid->options.max_instructions;
        if (most == 0) continue;
        if (instructions(grid->number) <= most) continue;
        failed_ = grid->number;
        sim::Fault fault;
        fault.kind = FaultKind::instruction_limit;
        fault.what = "instruction limit: the kernel was stopped after " + std::to_string(most) +
                     " warp instructions (--max-instructions)";
        throw fault;
    }
}

std::string Gpu::describe_waiting(Grid const& grid) const {
    constexpr std::size_t most_told = 4;
    std::vector<sim::Cluster const*> clusters;
    for (auto const& sm : sms_) sm->give_clusters(grid.number, clusters);
    std::sort(clusters.begin(), clusters.end(),
              [](sim::Cluster const* a, sim::Cluster const* b) { return a->linear < b->linear; });
    clusters.erase(std::unique(clusters.begin(), clusters.end()), clusters.end());
    std::string text;
    for (std::size_t i = 0; i < std::min(clusters.size(), most_told); ++i) {
        text += (i == 0 ? "" : "\n") + sim::describe_waiting(grid.launch, *clusters[i]);
    }
    if (clusters.size() > most_told)
        text += "\n  ... and " + std::to_string(clusters.size() - most_told) + " blocks or clusters more";
    return text;
}

}  // namespace warpsim::timing
