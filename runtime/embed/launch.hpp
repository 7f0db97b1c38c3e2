// What a launch did, kept by whoever asked for it.
#pragma once

#include "runtime/check/findings/finding.hpp"
#include "runtime/lines/line_counts.hpp"
#include "runtime/report/steps.hpp"
#include "runtime/statistics/statistics.hpp"
#include "sim/fault_kind.hpp"
#include "sim/statistics.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace warpsim::embed {

/// What all launches of a device have in common.
struct About {
    statistics::Session session;
    std::string peaks;  // of the GPU, as pages want them
};

/// A launch that has ended, in whatever way.
struct Launch {
    std::shared_ptr<About const> about;
    sim::LaunchStatistics counts;
    std::vector<sim::LaunchStatistics> children;  // grids that its kernels launched, in the order of their ends
    std::vector<sim::LineProfile> lines;          // empty: nobody asked for them
    std::shared_ptr<lines::LineCounts>
        texts;  // that these lines stand in, as far as files have them; null without lines
    std::shared_ptr<lines::Texts const> given;  // ... as its module was given them; null: none
    std::shared_ptr<report::Steps> steps;       // of its first warps; null: nobody asked for them
    std::vector<check::Finding> findings;
    std::string fault;  // that has ended it, as JSON; empty: none
    /// Of timing mode, picoseconds since the device was made; 0 for what was not timed.
    std::uint64_t begin = 0, end = 0;
};

/// One element of "launches" of statistics, as JSON.
std::string statistics_of(Launch const& launch);
/// The same of its children: a JSON array.
std::string children_of(Launch const& launch);
/// The members "lines" and "sources" of a profile, as a JSON object.
std::string lines_of(Launch const& launch);
std::string table_of(Launch const& launch);
/// A list of findings as a check report has it, as JSON.
std::string json_of(std::vector<check::Finding> const& findings);
/// The page of --report about these launches, of one device.
std::string page_of(std::vector<std::shared_ptr<Launch const>> const& launches, std::string const& title);

/// A fault, with all that is known of it.
class Fault : public FaultError {
public:
    Fault(FaultError const& error, std::shared_ptr<Launch const> launch)
        : FaultError(error.fault(), error.what()), launch_(std::move(launch)) {}
    /// What was counted until then; null when it is not the fault of a launch that was told of.
    std::shared_ptr<Launch const> const& launch() const { return launch_; }

private:
    std::shared_ptr<Launch const> launch_;
};

}  // namespace warpsim::embed
