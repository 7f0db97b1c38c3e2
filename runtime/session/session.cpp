#include "runtime/session/session.hpp"

#include "runtime/check/annotations.hpp"
#include "runtime/check/findings/report.hpp"
#include "runtime/launch_sinks.hpp"
#include "runtime/log.hpp"
#include "runtime/plugins/plugins.hpp"
#include "runtime/statistics/width.hpp"
#include "sim/error.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace warpsim::runtime {

namespace {

/// A debugger may stop at findings.
check::Options checks_of(SessionOptions const& options) {
    check::Options checks = options.check;
    if (debug::Debugger* const debugger = options.debugger) {
        checks.found = [debugger](check::Finding const& finding) {
            check::Finding once = finding;
            once.count = 1;
            debugger->found(check::name(finding.kind), check::to_text(once));
        };
        checks.is_quiet = [debugger] { return debugger->is_repeating(); };
    }
    return checks;
}

}  // namespace

Session::Session(SessionOptions const& options)
    : options_(options), summary_(options.peaks), progress_(options.progress) {
    if (!options.metrics.empty())
        metrics_ = std::make_unique<statistics::MetricsReport>(options.metrics, options.about.mode == "timing",
                                                               options.metrics_layout, options.peaks);
    if (!options.check.kinds.empty()) checkers_ = std::make_unique<check::Checkers>(checks_of(options));
    if (!options.coverage.empty()) coverage_ = std::make_shared<coverage::Coverage>(options.coverage);
    if (options.annotates || !options.stats.empty() || !options.report.file.empty())
        faults_ = std::make_shared<check::FaultRecorder>();
    if (!options.timeline.file.empty()) timeline_ = std::make_unique<timeline::Timeline>(options.timeline);
    if (!options.report.file.empty()) report_ = std::make_unique<ReportFile>(options.report, options.about);
    if (report_ || !options.profile.empty())
        line_counts_ = std::make_shared<lines::LineCounts>(options.banks, report_ != nullptr);
    choice_ = std::make_shared<LaunchChoice>(options.chosen.kernels, options.chosen.skip, options.chosen.count);
    if (!options.capture.empty()) {
        bool const is_plain = options.about.overrides.empty() && options.about.is_builtin;
        capture_ = std::make_unique<capture::CaptureFolder>(
            options.capture, capture::Run{options.about.config, is_plain ? "" : options.about.config_effective,
                                          options.about.mode});
    }
    timed_ = std::make_shared<LaunchChoice>(options.timed.kernels, options.timed.skip, options.timed.count);
    if (!options.stats.empty()) statistics_ = std::make_unique<statistics::File>(options.stats, options.about);
    if (!options.profile.empty()) profile_ = std::make_unique<statistics::ProfileFile>(options.profile);
    if (options.trace == "-") {
        trace_ = stdout;
    } else if (!options.trace.empty()) {
        trace_ = std::fopen(options.trace.c_str(), "w");
        if (trace_ == nullptr)
            throw Error(ErrorKind::usage,
                        "cannot write the trace to '" + options.trace + "': " + std::strerror(errno));
    }
    EarlyEnd::Options early_end = options.early_end;
    // A program without reports loses nothing by its end.
    // ... and a debugger takes it for a wish to stop.
    early_end.at_interrupt = options.debugger == nullptr && (!options.is_program || has_reports());
    if (early_end.seconds == 0 && !early_end.at_interrupt) return;
    watch_ = std::make_shared<LaunchWatch>();
    if (!faults_) faults_ = std::make_shared<check::FaultRecorder>();
    // What is no program ends by itself when its launch does.
    early_end_ = std::make_unique<EarlyEnd>(
        early_end, [this] { return options_.is_program && watch_->is_idle(); }, [this] { end_early(); });
}

bool Session::has_reports() const {
    return statistics_ || metrics_ || profile_ || checkers_ || coverage_ || timeline_ || report_ || capture_ ||
           trace_ != nullptr || options_.annotates;
}

Session::~Session() {
    early_end_.reset();
    try {
        if (!is_closed_) note_ending(false);
        close();
    } catch (Error const& error) {
        log::error(error.what());
    }
    if (trace_ != nullptr && trace_ != stdout) std::fclose(trace_);
}

void Session::close() {
    if (std::exchange(is_closed_, true)) return;
    if (!summary_.is_empty()) log::plain(log::Level::info, summary_.text(statistics::terminal_width()));
    if (metrics_) print_metrics();
    if (coverage_) log::info(coverage_->finish());
    if (capture_) log::info(capture_->summary());
    if (timeline_) log::info(timeline_->finish());
    if (checkers_) checkers_->finish();
    if (report_) {
        check::Run const checked = checkers_ ? checkers_->run() : check::Run{};
        log::info(report_->finish(line_counts_->texts(),
                                  checkers_ ? check::to_json(checked, checkers_->findings().all()) : std::string(),
                                  ending_));
    }
    if (!options_.annotates) return;
    std::string const text = check::annotations(faults_->faults(), checkers_ ? checkers_->findings().all()
                                                                             : std::vector<check::Finding>());
    if (text.empty()) return;
    // A command begins a line, and nobody knows whether the program has ended its last one.
    if (options_.is_program) std::fputc('\n', stdout);
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
}

/// `is_complete`: the program, or the plan, has come to its end.
void Session::note_ending(bool is_complete) {
    if (!faults_) return;
    std::vector<check::RecordedFault> const faults = faults_->faults();
    bool const was_stopped = early_end_ && early_end_->stop()->is_on();
    // A fault that is the program's own comes before the stop that followed.
    auto const own = std::find_if(faults.begin(), faults.end(), [](auto const& f) { return !is_stop(f.kind); });
    bool const is_ok = is_complete && !was_stopped && faults.empty();
    ending_.status = own != faults.end() ? "fault" : is_ok ? "ok" : "interrupted";
    if (auto const told = own != faults.end() ? own : faults.begin(); told != faults.end())
        ending_.fault = check::to_json(*told);
    if (statistics_) statistics_->end(ending_);
}

/// The process will end, wherever its threads are.
void Session::end_early() {
    // A launch that was stopped has been told of.
    std::vector<check::RecordedFault> const faults = faults_->faults();
    bool const is_told = std::any_of(faults.begin(), faults.end(), [](check::RecordedFault const& f) {
        return f.kind == FaultKind::time_limit || f.kind == FaultKind::interrupted;
    });
    if (!is_told) {
        sim::StopRequest const& stop = *early_end_->stop();
        log::error(stop.what + ": the process was stopped " + stop.why + "; " + watch_->text());
    }
    try {
        finish();
    } catch (Error const& error) {
        log::error(error.what());
    }
    if (trace_ != nullptr) std::fflush(trace_);
    // The program may be inside of a stream of its own.
    if (ftrylockfile(stdout) == 0) {
        std::fflush(stdout);
        funlockfile(stdout);
    }
}

void Session::observe(DeviceOptions& device) {
    if (checkers_) checkers_->observe(device);
    for (std::shared_ptr<sim::EventSink> const& sink :
         {std::shared_ptr<sim::EventSink>(coverage_), std::shared_ptr<sim::EventSink>(faults_),
          std::shared_ptr<sim::EventSink>(watch_)})
        if (sink) device.sinks.push_back(sink);
    if (options_.debugger != nullptr) {
        options_.debugger->has_checkers = checkers_ != nullptr;
        // Who it is outlives the device.
        device.sinks.emplace_back(std::shared_ptr<void>(), options_.debugger);
        device.runner = {std::shared_ptr<void>(), options_.debugger};
        device.register_sharing = false;
        device.engine = Engine::interpreted;
        device.threads = 1;
    }
    if (timeline_) timeline_->observe(device);
    plugins::observe(device);
    if (line_counts_) {
        device.sinks.push_back(line_counts_);
        device.part_sinks.push_back(line_counts_);
    }
    if (!choice_->chooses_all())
        device.watches = [choice = choice_](std::string_view kernel) { return choice->chooses(kernel); };
    if (!timed_->chooses_all())
        device.times = [timed = timed_](std::string_view kernel) { return timed->chooses(kernel); };
    if (capture_)
        device.captured = [this](CapturedLaunch const& launch) {
            try {
                capture_->write(launch);
            } catch (Error const& error) {
                log::error(error.what());
            }
        };
    if (early_end_) device.stop = early_end_->stop();
    device.memory_statistics = device.memory_statistics || statistics_ || shows_launches();
    device.hashes_modules = device.hashes_modules || statistics_;
    device.profile = device.profile || profile_;
    device.interval_cycles = options_.interval_cycles;
    if (timeline_ && device.interval_cycles == 0) device.interval_cycles = timeline::Timeline::interval_cycles;
    if (report_) report_->observe(device);
    device.trace_filter = options_.trace_filter;
    if (trace_ != nullptr)
        device.trace = [this](std::string_view line) {
            std::lock_guard const lock(mutex_);
            std::fwrite(line.data(), 1, line.size(), trace_);
            if (line.empty() || line.back() != '\n') std::fputc('\n', trace_);
        };
    if (device.sample_error > 0 &&
        (options_.debugger != nullptr || listens_inside(device) || !device.part_sinks.empty()))
        throw Error(ErrorKind::usage,
                    "--sample: " + std::string(options_.debugger != nullptr ? "a debugger" : "a plug-in") +
                        " looks at all that kernels do, and so all is timed");
    device.child_launched = [this](sim::LaunchStatistics const& launch) { launched(launch); };
    device.launch_stopped = [this](sim::LaunchStatistics const& launch) { launched(launch); };
    if (!options_.progress) return;
    device.progress = [this](sim::LaunchProgress const& progress) {
        std::lock_guard const lock(mutex_);
        progress_.show(progress);
    };
}

void Session::launched(sim::LaunchStatistics const& launch, statistics::LaunchPlace const& place) {
    std::lock_guard const lock(mutex_);
    progress_.launch_ended();
    if (timeline_) timeline_->counted(launch);
    if (statistics_) add_statistics(launch);
    if (line_counts_) add_lines(launch);
    if (shows_launches())
        log::plain(log::Level::warning,
                   statistics::to_table(launch, options_.peaks, statistics::terminal_width()));
    if (log::shown(log::Level::info)) summary_.add(launch);
    if (metrics_) metrics_->add(launch, place);
    if (watch_) watch_->launch_told();
}

bool Session::was_interrupted() const {
    return early_end_ && early_end_->stop()->is_on() && early_end_->stop()->kind == FaultKind::interrupted;
}

/// Without the samples that only others have asked for.
void Session::add_statistics(sim::LaunchStatistics const& launch) {
    if (options_.interval_cycles != 0 || !launch.timing || launch.timing->interval_cycles == 0)
        return statistics_->add(launch);
    sim::LaunchStatistics copy = launch;
    copy.timing->interval_cycles = 0;
    copy.timing->intervals.clear();
    statistics_->add(copy);
}

void Session::add_lines(sim::LaunchStatistics const& launch) {
    std::vector<sim::LineProfile> const lines = line_counts_->take(
        launch.number, launch.timing ? launch.timing->profile : std::vector<sim::LineProfile>());
    if (report_) report_->add(launch, lines);
    if (!profile_ || !launch.timing) return;
    sim::LaunchStatistics copy = launch;
    copy.timing->profile = lines;
    profile_->add(copy);
}

bool Session::shows_launches() const {
    return log::shown(log::Level::debug) || (options_.details && log::shown(log::Level::warning));
}

void Session::print_metrics() {
    std::string const text = metrics_->text();
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
}

void Session::finish() {
    std::lock_guard const lock(mutex_);
    note_ending(true);
    statistics_.reset();  // what goes to standard output is printed by its end
    profile_.reset();
    if (trace_ != nullptr) std::fflush(trace_);
    close();
}

}  // namespace warpsim::runtime
