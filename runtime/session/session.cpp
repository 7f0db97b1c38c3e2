#include "runtime/session/session.hpp"

#include "runtime/log.hpp"
#include "sim/error.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

namespace warpsim::runtime {

// A line that is rewritten in place for the duration of a launch.
class Session::Progress {
public:
    explicit Progress(bool on) : on_(on) {}
    ~Progress() { clear(); }

    void show(double share) {
        using namespace std::chrono;
        auto const now = steady_clock::now();
        if (!on_ || now - start_ < seconds(2) || now - last_ < milliseconds(100)) return;
        last_ = now;
        std::fprintf(stderr, "\r%5.1f %% of the CTAs done, %.0f s ", 100 * share,
                     duration<double>(now - start_).count());
        std::fflush(stderr);
        visible_ = true;
    }
    void next() {
        clear();
        start_ = std::chrono::steady_clock::now();
    }

private:
    void clear() {
        if (visible_) std::fputs("\r\033[K", stderr);
        visible_ = false;
    }

    bool on_;
    bool visible_ = false;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::chrono::steady_clock::time_point last_{};
};

Session::Session(SessionOptions const& options)
    : options_(options), progress_(std::make_unique<Progress>(options.progress)) {
    if (!options.check.kinds.empty()) checkers_ = std::make_unique<check::Checkers>(options.check);
    if (!options.coverage.empty()) coverage_ = std::make_shared<coverage::Coverage>(options.coverage);
    if (options.annotates) annotations_ = std::make_shared<check::Annotations>();
    choice_ = std::make_shared<LaunchChoice>(options.chosen.kernels, options.chosen.skip, options.chosen.count);
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
    if (options.time_limit.seconds == 0) return;
    watch_ = std::make_shared<LaunchWatch>();
    // What is no program ends by itself when its launch does.
    time_limit_ = std::make_unique<TimeLimit>(
        options.time_limit, [this] { return options_.is_program && watch_->is_idle(); },
        [this] { end_for_time(); });
}

Session::~Session() {
    time_limit_.reset();
    try {
        close();
    } catch (Error const& error) {
        log::error(error.what());
    }
    if (trace_ != nullptr && trace_ != stdout) std::fclose(trace_);
}

void Session::close() {
    if (std::exchange(is_closed_, true)) return;
    if (coverage_) log::info(coverage_->finish());
    if (checkers_) checkers_->finish();
    if (!annotations_) return;
    std::string const text =
        annotations_->text(checkers_ ? checkers_->findings().all() : std::vector<check::Finding>());
    if (text.empty()) return;
    // A command begins a line, and nobody knows whether the program has ended its last one.
    if (options_.is_program) std::fputc('\n', stdout);
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
}

/// The process will end, wherever its threads are.
void Session::end_for_time() {
    if (!watch_->has_stopped())
        log::error("time limit: the process was stopped after " + std::to_string(options_.time_limit.seconds) +
                   " s (--timeout); " + watch_->text());
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
         {std::shared_ptr<sim::EventSink>(coverage_), std::shared_ptr<sim::EventSink>(annotations_),
          std::shared_ptr<sim::EventSink>(watch_)})
        if (sink) device.sinks.push_back(sink);
    if (!choice_->chooses_all())
        device.watches = [choice = choice_](std::string_view kernel) { return choice->chooses(kernel); };
    if (time_limit_) device.stop = time_limit_->stop();
    device.memory_statistics = device.memory_statistics || statistics_ || log::shown(table_level());
    device.profile = device.profile || profile_;
    device.interval_cycles = options_.interval_cycles;
    device.trace_filter = options_.trace_filter;
    if (trace_ != nullptr)
        device.trace = [this](std::string_view line) {
            std::lock_guard const lock(mutex_);
            std::fwrite(line.data(), 1, line.size(), trace_);
            if (line.empty() || line.back() != '\n') std::fputc('\n', trace_);
        };
    device.child_launched = [this](sim::LaunchStatistics const& launch) { launched(launch); };
    device.progress = [this](double share) {
        std::lock_guard const lock(mutex_);
        progress_->show(share);
    };
}

void Session::launched(sim::LaunchStatistics const& launch) {
    std::lock_guard const lock(mutex_);
    progress_->next();
    if (statistics_) statistics_->add(launch);
    if (profile_) profile_->add(launch);
    if (log::shown(table_level())) log::plain(table_level(), statistics::to_table(launch));
    if (options_.summary && log::shown(log::Level::info)) summary_.add(launch);
}

log::Level Session::table_level() const { return options_.summary ? log::Level::debug : log::Level::info; }

void Session::finish() {
    std::lock_guard const lock(mutex_);
    statistics_.reset();  // what goes to standard output is printed by its end
    profile_.reset();
    if (trace_ != nullptr) std::fflush(trace_);
    if (!summary_.is_empty()) log::plain(log::Level::info, summary_.text());
    close();
}

}  // namespace warpsim::runtime
