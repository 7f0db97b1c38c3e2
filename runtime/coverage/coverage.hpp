// Which lines the kernels of a process execute: listens to all launches, and adds to a file at the end.
#pragma once

#include "runtime/coverage/report.hpp"
#include "runtime/coverage/tally.hpp"
#include "sim/events.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace warpsim::coverage {

/// Hears of whole launches only, so that these are as fast as ever: the counts are those of the statistics.
class Coverage final : public sim::EventSink {
public:
    /// Throws Error(usage) if the file cannot be written or holds something else.
    explicit Coverage(std::string file);

    sim::EventMask wants() const override {
        return sim::event_mask(sim::EventKind::module, sim::EventKind::launch, sim::EventKind::counts);
    }
    void module_is_there(sim::ModuleEvent const& e) override;
    void launch_begins(sim::LaunchBegin const& e) override;
    void counts(sim::CountsEvent const& e) override;

    Report report() const;
    /// Adds to the file what there is; once. Returns what it says then, in a line.
    std::string finish();

private:
    /// A function of a module, with the places of its instructions in a tally.
    struct Known {
        std::shared_ptr<frontend::Source const> source;  // whose address nothing else gets meanwhile
        Tally* tally = nullptr;
        std::vector<std::uint32_t> places;
    };
    using Texts = std::unordered_map<std::shared_ptr<frontend::Source const>, std::unique_ptr<Tally>>;

    Known const& known(ir::Module const& module, ir::Function const& function);

    std::string const file_;
    mutable std::mutex mutex_;  // devices run beside each other
    Texts texts_;
    std::unordered_map<ir::Function const*, Known> functions_;
    std::uint64_t launches_ = 0;
    bool is_finished_ = false;
};

}  // namespace warpsim::coverage
