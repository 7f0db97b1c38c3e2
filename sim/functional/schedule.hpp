// The clusters of a functional launch (single CTAs if it has none): which are to be started, which wait for
// another turn, and whether any of them can still make progress. Shared by all host threads. A CTA of a small
// kernel lives for a microsecond, so starting and finishing take no lock while no CTA has been put back, and a
// host thread claims several at once.
#pragma once

#include "sim/exec/interpreter.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace warpsim::sim {

class Schedule {
public:
    struct Limits {
        std::uint64_t clusters = 0;           // of the launch
        std::uint64_t resident = 1;           // the most that are started and unfinished
        std::uint64_t max_instructions = 0;   // 0: no limit
        std::uint64_t workers = 1;            // host threads
        bool together = false;                // all progress together: each starts before any gets a second turn
        std::uint64_t turn_instructions = 0;  // of a warp; 0: chosen for speed
        /// Only a part of them: from the first one on, and no more than so many. Behind the last are others that those
        /// of the part may wait for; then all others follow, too.
        std::uint64_t first = 0, most = UINT64_MAX;
    };
    /// What one host thread owns. It is written for each cluster, so no two are in one line of the cache.
    struct alignas(64) Worker {
        std::unique_ptr<Cluster> spare;   // storage of a finished cluster, used for a new one
        std::uint64_t next = 0, end = 0;  // clusters claimed but not started
        std::uint64_t finished = 0;       // finished but not yet reported
        std::uint64_t executed = 0;       // warp instructions of the last one; 0: none has finished
    };
    /// `progress` is told now and then how many clusters have finished; null: nobody wants to know.
    Schedule(Limits limits, std::function<void(std::uint64_t)> progress)
        : limits_(limits),
          progress_(std::move(progress)),
          next_(limits.first),
          end_(limits.first + std::min(limits.most, limits.clusters - limits.first)) {
        if (progress_) reported_ = std::chrono::steady_clock::now();
    }

    struct Turn {
        std::unique_ptr<Cluster> cluster;
        bool is_new = false;
        std::uint64_t linear = 0;
        std::uint64_t epoch = 0;  // the epoch in which the turn began
    };

    /// The next cluster to run; none when all are done or the launch has failed. Blocks while other threads run
    /// all that are available.
    std::optional<Turn> take(Worker& worker);
    /// Records that a cluster has finished.
    void finish(Worker& worker, std::unique_ptr<Cluster> cluster);
    /// Puts back a cluster whose turn, begun in `epoch`, has ended. Returns true when nothing can ever change
    /// again: every started cluster spins and has seen the latest change, and no other can be started. A turn that
    /// began before the last change ended proves nothing.
    bool put_back(Worker& worker, std::unique_ptr<Cluster> cluster, Interpreter::Progress progress,
                  std::uint64_t epoch);

    /// The result of `tell` for the first few clusters that wait for another turn, in linear order.
    std::string describe_waiting(std::function<std::string(Cluster const&)> const& tell);

    /// Takes the next cluster out of the launch, so that it never starts; none when all have started.
    std::optional<std::uint64_t> cancel_next();

    /// take() hands out so many turns in all; then is_paused(), and nobody gets any more.
    void pause_after(std::uint64_t turns) {
        counts_turns_ = true;
        turns_left_ = turns;
    }
    bool is_paused() const { return paused_.load(); }

    /// Where a launch stands between two turns, but for the clusters that have begun.
    struct Standing {
        std::uint64_t claimed = 0, claimed_end = 0;  // by the worker, and not begun
        std::uint64_t next = 0, finished = 0, epoch = 1, executed = 0, served = 0, stuck = 0, stuck_epoch = 0;
    };
    /// While nobody has a turn, of the worker that alone has claims.
    Standing standing(Worker& worker);
    /// While nobody has a turn: a cluster that the worker claims begins; none: it claims no more. Others may go on
    /// with it.
    std::optional<std::uint64_t> begin_claimed(Worker& worker);
    void add_waiting(std::unique_ptr<Cluster> cluster);
    std::list<std::unique_ptr<Cluster>> const& waiting() const { return waiting_; }
    void resume(Worker& worker, Standing const& standing, std::list<std::unique_ptr<Cluster>> waiting);

    /// Ends the launch. Of several errors the one of the first cluster is kept.
    void fail(std::uint64_t cluster, std::exception_ptr error);
    std::exception_ptr error() const { return error_; }

    /// Counts executed instructions; false when the limit is exceeded.
    bool count(std::uint64_t instructions);
    /// Instructions that a warp may execute in its next turn.
    std::uint64_t budget() const;
    Limits const& limits() const { return limits_; }
    std::uint64_t finished() const { return finished_.load(); }
    /// Behind the last cluster that has its turns here.
    std::uint64_t past() const { return end_.load(); }
    /// The clusters that nobody has claimed, as a share of the others.
    double share_left() const {
        std::uint64_t const claimed = std::clamp<std::uint64_t>(
            next_.load(std::memory_order_relaxed) - limits_.first, 1, end_ - limits_.first);
        return static_cast<double>(end_ - limits_.first - claimed) / static_cast<double>(claimed);
    }

private:
    bool claim(Worker& worker);  // claims the next clusters, if more may be resident
    bool take_tickets(Worker& worker, std::uint64_t count);
    bool may_take_turn();
    bool is_over() const {
        return failed_.load() || paused_.load() || finished_.load() == end_.load() - limits_.first;
    }
    Turn new_turn(Worker& worker);
    void report(Worker& worker);  // reports the worker's finished clusters
    void wake();
    bool may_wait_for_new(Cluster const& cluster);
    void report_progress(std::uint64_t finished);

    Limits const limits_;
    std::function<void(std::uint64_t)> const progress_;
    std::atomic<std::uint64_t> next_, end_;                  // of clusters that nobody has claimed
    std::atomic<std::uint64_t> started_ = 0, finished_ = 0;  // started: claimed by a worker
    std::atomic<std::uint64_t> epoch_ = 1;  // incremented whenever a turn has changed what others can see
    std::atomic<std::uint64_t> executed_ = 0;
    std::atomic<std::uint64_t> put_back_ = 0;  // size of waiting_
    std::atomic<int> sleeping_ = 0;
    std::atomic<bool> failed_ = false;
    bool counts_turns_ = false;
    std::atomic<std::uint64_t> turns_left_ = 0;
    std::atomic<bool> paused_ = false;

    std::mutex mutex_;  // guards the members below
    std::condition_variable changed_;
    std::list<std::unique_ptr<Cluster>> waiting_;  // served before new clusters are started
    std::uint64_t served_ = 0;                     // turns of those since a new one was started
    std::uint64_t stuck_ = 0, stuck_epoch_ = 0;    // clusters that spin, as observed in this epoch
    std::uint64_t failed_cluster_ = 0;
    std::exception_ptr error_;
    std::mutex progress_mutex_;
    std::chrono::steady_clock::time_point reported_;
};

}  // namespace warpsim::sim
