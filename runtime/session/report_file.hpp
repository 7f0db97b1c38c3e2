// What a run tells of itself in the page of --report.
#pragma once

#include "runtime/check/findings/finding.hpp"
#include "runtime/launch.hpp"
#include "runtime/lines/line_counts.hpp"
#include "runtime/report/report.hpp"
#include "runtime/report/steps.hpp"
#include "runtime/statistics/statistics.hpp"
#include "runtime/timeline/timeline.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace warpsim::runtime {

struct ReportOptions {
    std::string file;   // empty: nothing is written
    std::string peaks;  // report::peaks_of()
    timeline::Options warps;
};

class ReportFile {
public:
    /// Throws Error(usage) if the file cannot be written.
    ReportFile(ReportOptions options, statistics::Session about);

    /// Adds what the page needs of a device.
    void observe(DeviceOptions& device);
    void add(sim::LaunchStatistics const& launch, std::vector<sim::LineProfile> const& lines);
    /// What the page tells: `steps` and `findings` as JSON, empty where nothing was recorded or checked.
    report::Run told(lines::Texts texts, std::string steps, std::string findings,
                     statistics::Ending const& ending) const;
    /// Writes it. Returns what to tell of it.
    std::string finish(lines::Texts texts, std::string findings, statistics::Ending const& ending);

private:
    static constexpr std::size_t most_launches = 2000, most_with_lines = 200;

    ReportOptions const options_;
    statistics::Session const about_;
    std::shared_ptr<report::Steps> steps_ = std::make_shared<report::Steps>();
    std::unique_ptr<timeline::Timeline> warps_;
    std::vector<std::string> launches_, lines_;
    std::map<std::uint64_t, std::size_t> index_of_;  // of launches, by their numbers
    std::set<std::string> files_;                    // that lines stand in
    std::vector<std::string> modules_;               // hashes, each once
    std::uint64_t left_out_ = 0;
};

}  // namespace warpsim::runtime
