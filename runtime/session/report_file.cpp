#include "runtime/session/report_file.hpp"

#include "runtime/report/warps.hpp"
#include "sim/exec/fault.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <mutex>
#include <utility>

namespace warpsim::runtime {

namespace {

/// At most so many samples, of which each stands for several.
sim::LaunchStatistics with_fewer_samples(sim::LaunchStatistics launch) {
    constexpr std::size_t most = 400;
    if (!launch.timing || launch.timing->intervals.size() <= most) return launch;
    sim::TimingCounts& t = *launch.timing;
    std::size_t const together = (t.intervals.size() + most - 1) / most;
    std::vector<sim::IntervalSample> fewer;
    for (std::size_t i = 0; i < t.intervals.size(); ++i) {
        if (i % together == 0) fewer.push_back(t.intervals[i]);
        else fewer.back() += t.intervals[i];
    }
    t.intervals = std::move(fewer);
    t.interval_cycles *= together;
    return launch;
}

/// "kernel.cu" of "kernel.cu:6", and of "math.h:12 inlined at kernel.cu:6" both.
void add_file(std::set<std::string>& files, std::string const& places) {
    std::string const between = " inlined at ";
    for (std::size_t at = 0; at < places.size();) {
        std::size_t const end = std::min(places.find(between, at), places.size());
        std::string const place = places.substr(at, end - at);
        files.insert(place.substr(0, place.rfind(':')));
        at = end + between.size();
    }
}

std::string base_name(std::string const& path) { return path.substr(path.rfind('/') + 1); }

/// Of the words of a command the plan, the PTX file, or the program.
std::string title_of(std::string const& command) {
    std::string first, before;
    for (std::size_t at = 0; at < command.size();) {
        std::size_t const end = std::min(command.find(' ', at), command.size());
        std::string const word = command.substr(at, end - at);
        at = end + 1;
        if (first.empty()) first = word;
        // The value of an option is none of them.
        if (std::string const last = std::exchange(before, word); last.starts_with("--")) continue;
        if (word.ends_with("/plan.json")) return base_name(word.substr(0, word.rfind('/')));
        if (word.ends_with(".ptx") || (word.ends_with(".json") && !word.starts_with("-"))) return base_name(word);
    }
    return base_name(first);
}

}  // namespace

ReportFile::ReportFile(ReportOptions options, statistics::Session about)
    : options_(std::move(options)), about_(std::move(about)) {
    if (options_.warps.clock_mhz != 0) warps_ = std::make_unique<timeline::Timeline>(options_.warps);
    if (options_.file.empty()) return;
    std::ofstream const file(options_.file, std::ios::binary | std::ios::app);
    if (!file) throw Error(ErrorKind::usage, "cannot write the report to '" + options_.file + "'");
}

void ReportFile::observe(DeviceOptions& device) {
    device.part_sinks.push_back(steps_);
    device.memory_statistics = true;
    device.hashes_modules = true;
    device.profile = device.mode == Mode::timing;
    if (device.mode == Mode::timing && device.interval_cycles == 0)
        device.interval_cycles = timeline::Timeline::interval_cycles;
    if (warps_) warps_->observe(device);
}

void ReportFile::add(sim::LaunchStatistics const& launch, std::vector<sim::LineProfile> const& lines) {
    if (warps_) warps_->counted(launch);
    if (launches_.size() >= most_launches) {
        ++left_out_;
        return;
    }
    std::string const& module = launch.module_sha256;
    if (!module.empty() && std::find(modules_.begin(), modules_.end(), module) == modules_.end())
        modules_.push_back(module);
    index_of_[launch.number] = launches_.size();
    launches_.push_back(statistics::to_json(with_fewer_samples(launch)));
    if (lines_.size() >= most_with_lines) return;
    for (sim::LineProfile const& line : lines) {
        add_file(files_, line.place);
        add_file(files_, line.source);
    }
    lines_.push_back("{" + statistics::lines_to_json(lines) + "}");
}

report::Run ReportFile::told(lines::Texts texts, std::string steps, std::string findings,
                             statistics::Ending const& ending) const {
    report::Run run;
    run.title = title_of(about_.command);
    std::string& s = run.statistics;
    s = statistics::file_head(about_);
    for (std::size_t i = 0; i < launches_.size(); ++i) s += (i == 0 ? "" : ",") + launches_[i];
    s += "], \"host\": {\"threads\": " + std::to_string(about_.threads) + "}" +
         statistics::file_ending(ending, modules_);
    if (left_out_ != 0) s += ", \"launches_left_out\": " + std::to_string(left_out_);
    s += "}";
    run.lines = lines_;
    constexpr std::size_t most_bytes = std::size_t{4} << 20;
    for (auto& [name, text] : texts)
        if (files_.contains(name) && text.size() <= most_bytes) run.texts[name] = std::move(text);
    run.steps = std::move(steps);
    if (warps_) run.warps = report::warps_of(warps_->text());
    run.findings = std::move(findings);
    run.peaks = options_.peaks;
    return run;
}

std::string ReportFile::finish(lines::Texts texts, std::string findings, statistics::Ending const& ending) {
    report::write_page(options_.file,
                       {told(std::move(texts), steps_->to_json(index_of_), std::move(findings), ending)});
    return "report: " + options_.file;
}

}  // namespace warpsim::runtime
