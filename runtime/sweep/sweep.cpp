#include "runtime/sweep/sweep.hpp"

#include "runtime/sweep/elsewhere.hpp"
#include "runtime/sweep/point_list.hpp"
#include "runtime/sweep/progress.hpp"
#include "runtime/sweep/results_file.hpp"
#include "runtime/sweep/worker.hpp"
#include "sim/error.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace warpsim::sweep {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// What processes write that nobody wants to keep.
class ScratchFolder {
public:
    ScratchFolder() : path_((fs::temp_directory_path() / "warpsim-sweep-XXXXXX").string()) {
        if (::mkdtemp(path_.data()) == nullptr) throw Error(ErrorKind::usage, path_ + ": cannot be made");
    }
    ~ScratchFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    ScratchFolder(ScratchFolder const&) = delete;
    ScratchFolder& operator=(ScratchFolder const&) = delete;
    std::string const& path() const { return path_; }

private:
    std::string path_;
};

/// Signals that are waited for while this lives, and come later in no other way.
class AwaitedSignals {
public:
    AwaitedSignals() {
        sigemptyset(&set_);
        for (int const signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP}) sigaddset(&set_, signal);
        ::pthread_sigmask(SIG_BLOCK, &set_, &before_);
    }
    ~AwaitedSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    AwaitedSignals(AwaitedSignals const&) = delete;
    AwaitedSignals& operator=(AwaitedSignals const&) = delete;

    /// Until one comes, for a tenth of a second at most. Whether somebody wants an end.
    bool wait() const {
        timespec const most{0, 100'000'000};
        int const signal = ::sigtimedwait(&set_, nullptr, &most);
        return signal > 0 && signal != SIGCHLD;
    }

private:
    sigset_t set_{}, before_{};
};

struct RunningPoint {
    std::size_t index = 0;  // in the list
    Worker worker;
    std::string folder;
    Clock::time_point begin;
};

std::string text_of(std::string const& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// The points that are still to be run, and those that are running.
class Sweep {
public:
    Sweep(Options const& options, std::vector<PlannedPoint> const& points, ResultsFile& results)
        : options_(options),
          points_(points),
          results_(results),
          memory_(options.memory_bytes > 0 ? options.memory_bytes : available_memory() / 10 * 9),
          progress_(points.size(), options.jobs, options.shows_progress) {
        for (std::size_t i = 0; i < points.size(); ++i) {
            if (results.finished().contains(points[i].head.id)) continue;
            waiting_.push_back(i);
            progress_.expect(points[i].head.plan);
        }
    }

    /// Returns whether it came to its end.
    bool run() { return options_.exchange.to != nullptr ? run_there() : run_here(); }

    std::uint64_t failed() const { return failed_; }

private:
    bool run_there() {
        std::vector<std::size_t> const waiting(waiting_.begin(), waiting_.end());
        return run_elsewhere(options_.exchange, options_.build, points_, waiting,
                             [this](std::size_t index, Outcome const& outcome) {
                                 write(index, outcome);
                                 progress_.show(options_.jobs, 0);
                             });
    }

    bool run_here() {
        AwaitedSignals const signals;
        while (!waiting_.empty() || !running_.empty()) {
            while (!waiting_.empty() && running_.size() < options_.jobs && has_memory_for(waiting_.front()))
                start();
            if (!running_.empty() && signals.wait()) return false;
            collect();
            watch_memory();
            double seconds = 0;
            for (RunningPoint const& one : running_) seconds += seconds_since(one.begin);
            progress_.show(running_.size(), seconds);
        }
        return true;
    }

    std::string const& plan_of(std::size_t index) const { return points_[index].head.plan; }

    /// What a point of the plan needed at most so far; 0: nothing is known.
    std::uint64_t expected_bytes(std::size_t index) const {
        auto const found = peaks_.find(plan_of(index));
        return found == peaks_.end() ? 0 : found->second;
    }

    bool has_memory_for(std::size_t index) const {
        if (running_.empty()) return true;
        std::uint64_t bytes = expected_bytes(index);
        for (RunningPoint const& one : running_)
            bytes += std::max(one.worker.resident_bytes(), expected_bytes(one.index));
        return bytes <= memory_;
    }

    void start() {
        std::size_t const index = waiting_.front();
        waiting_.pop_front();
        PlannedPoint const& point = points_[index];
        if (!point.refusal.empty()) return write(index, {"invalid", point.refusal, "", 0});
        std::string const folder = scratch_.path() + "/" + std::to_string(started_++);
        fs::create_directory(folder);
        std::vector<std::string> command = point.command;
        command.insert(command.end(), {"--stats", folder + "/statistics.json", "--out", folder + "/saved"});
        running_.push_back({index, Worker(command, folder + "/messages"), folder, Clock::now()});
    }

    void collect() {
        for (std::size_t i = 0; i < running_.size();) {
            if (auto const end = running_[i].worker.ended()) {
                RunningPoint const one = std::move(running_[i]);
                running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
                std::uint64_t& peak = peaks_[plan_of(one.index)];
                peak = std::max(peak, end->peak_bytes);
                write_end(one, *end);
            } else {
                ++i;
            }
        }
    }

    void write_end(RunningPoint const& one, ProcessEnd const& end) {
        Outcome const outcome = outcome_of({end.status, end.signal, text_of(one.folder + "/statistics.json"),
                                            text_of(one.folder + "/messages"), seconds_since(one.begin)});
        fs::remove_all(one.folder);
        write(one.index, outcome);
    }

    /// Where processes take more than there is, the one that began last ends and is run again later; one alone has failed.
    void watch_memory() {
        std::uint64_t bytes = 0;
        for (RunningPoint const& one : running_) bytes += one.worker.resident_bytes();
        if (running_.empty() || bytes <= memory_) return;
        RunningPoint last = std::move(running_.back());
        running_.pop_back();
        std::uint64_t& peak = peaks_[plan_of(last.index)];
        peak = std::max(peak, last.worker.resident_bytes());
        last.worker.end();
        fs::remove_all(last.folder);
        if (!running_.empty()) return waiting_.push_front(last.index);
        write(last.index,
              {"memory", "it takes more than the " + std::to_string(memory_ >> 20) + " MiB that it may have", "",
               seconds_since(last.begin)});
    }

    void write(std::size_t index, Outcome const& outcome) {
        results_.append(rows_of(points_[index].head, outcome, options_.columns));
        if (outcome.status != "ok") ++failed_;
        progress_.ended(plan_of(index), outcome.seconds, outcome.status != "ok");
    }

    Options const& options_;
    std::vector<PlannedPoint> const& points_;
    ResultsFile& results_;
    std::uint64_t const memory_;
    Progress progress_;
    ScratchFolder scratch_;
    std::deque<std::size_t> waiting_;
    std::vector<RunningPoint> running_;
    std::map<std::string, std::uint64_t> peaks_;  // of plans
    std::uint64_t started_ = 0, failed_ = 0;
};

/// The plan and the values, by which a row of an earlier run is seen to be of the same point.
std::string name_of(std::string const& plan, Fields const& values) {
    Fields all{plan};
    all.insert(all.end(), values.begin(), values.end());
    return to_csv(all);
}

}  // namespace

Summary run(Options const& options) {
    check_columns(options.columns);
    std::vector<PlannedPoint> const points = planned_points(options);
    std::vector<std::string> varied;
    for (Axis const& axis : options.axes) varied.push_back(axis.key);
    std::map<std::string, std::string> ids;
    for (PlannedPoint const& point : points) ids[name_of(point.head.plan, point.head.values)] = point.head.id;
    Summary summary;
    summary.points = points.size();
    std::set<std::string> outdated, failed;
    constexpr std::ptrdiff_t before_values = 4;
    ResultsFile results(options.out, table_head(varied, options.columns), [&](Fields const& row) {
        auto const values = row.begin() + before_values;
        auto const status = values + static_cast<std::ptrdiff_t>(varied.size());
        auto const wanted = ids.find(name_of(row.front(), Fields(values, status)));
        if (wanted == ids.end()) return true;
        if (wanted->second != row.back()) return outdated.insert(row.back()), false;
        if (*status != "ok" && options.retries) return false;
        if (*status != "ok") failed.insert(row.back());
        return true;
    });
    for (PlannedPoint const& point : points)
        if (results.finished().contains(point.head.id)) ++summary.earlier;
    summary.outdated = outdated.size();
    Sweep sweep(options, points, results);
    summary.was_interrupted = !sweep.run();
    summary.failed = failed.size() + sweep.failed();
    return summary;
}

}  // namespace warpsim::sweep
