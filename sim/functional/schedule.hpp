// The clusters of a functional launch (single CTAs where it has none): which are to start, which wait for another
// turn, and whether any of them can still move. Shared by all host threads. A CTA of a small kernel lives for a
// microsecond, so starting and finishing take no lock while none has been put back, and a host thread claims
// several at once.
#pragma once

#include "sim/exec/interpreter.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace warpsim::sim {

class Schedule {
public:
    struct Limits {
        std::uint64_t clusters = 0;          // of the launch
        std::uint64_t resident = 1;          // started and unfinished at most
        std::uint64_t max_instructions = 0;  // 0: no limit
        std::uint64_t workers = 1;           // host threads
        bool together = false;               // all are to go on together: each starts before any has a second turn
        std::uint64_t turn_instructions = 0;  // of a warp; 0: as long as is fast
    };
    /// What one host thread holds.
    struct Worker {
        std::unique_ptr<Cluster> spare;   // storage of a finished cluster, used for a new one
        std::uint64_t next = 0, end = 0;  // clusters claimed and not begun
        std::uint64_t finished = 0;       // not reported yet
    };
    Schedule(Limits limits, std::function<void(double)> const& progress) : limits_(limits), progress_(progress) {}

    struct Turn {
        std::unique_ptr<Cluster> cluster;
        bool is_new = false;
        std::uint64_t linear = 0;
        std::uint64_t epoch = 0;  // when it began
    };

    /// The next cluster to run; none when all are done or the launch has failed. Waits while others run all there
    /// is.
    std::optional<Turn> take(Worker& worker);
    /// A cluster has ended.
    void finish(Worker& worker, std::unique_ptr<Cluster> cluster);
    /// A cluster whose turn, begun in `epoch`, ended. Returns true when every started one spins and has seen all
    /// that any of them ever changed, and no other can be started: nothing will ever change again. A turn that
    /// began before the last change ended proves nothing.
    bool put_back(Worker& worker, std::unique_ptr<Cluster> cluster, Interpreter::Progress progress,
                  std::uint64_t epoch);

    /// What `tell` says of the clusters that wait for another turn, the first few of them in linear order.
    std::string describe_waiting(std::function<std::string(Cluster const&)> const& tell);

    /// The next cluster to begin, which now never does; none when all have begun.
    std::optional<std::uint64_t> cancel_next();

    /// Ends the launch. Of several errors the one of the first cluster is kept.
    void fail(std::uint64_t cluster, std::exception_ptr error);
    std::exception_ptr error() const { return error_; }

    /// Counts executed instructions; false when the limit is passed.
    bool count(std::uint64_t instructions);
    /// Instructions that a warp may run in its next turn.
    std::uint64_t budget() const;
    Limits const& limits() const { return limits_; }

private:
    bool claim(Worker& worker);  // the next ones, if more may be resident
    bool take_tickets(Worker& worker, std::uint64_t count);
    Turn new_turn(Worker& worker);
    void report(Worker& worker);  // its finished clusters
    void wake();
    bool may_wait_for_new(Cluster const& cluster);
    void report_progress(std::uint64_t finished);

    Limits const limits_;
    std::function<void(double)> const& progress_;
    std::atomic<std::uint64_t> next_ = 0, started_ = 0, finished_ = 0;  // started: claimed by a worker
    std::atomic<std::uint64_t> epoch_ = 1;  // raised whenever a turn has changed what others may see
    std::atomic<std::uint64_t> executed_ = 0;
    std::atomic<std::uint64_t> put_back_ = 0;  // size of waiting_
    std::atomic<int> sleeping_ = 0;
    std::atomic<bool> failed_ = false;

    std::mutex mutex_;  // guards what follows
    std::condition_variable changed_;
    std::deque<std::unique_ptr<Cluster>> waiting_;  // served before new ones are started
    std::uint64_t served_ = 0;                      // turns of those since one began
    std::uint64_t stuck_ = 0, stuck_epoch_ = 0;     // clusters that spin, as seen in this epoch
    std::uint64_t failed_cluster_ = 0;
    std::exception_ptr error_;
    std::mutex progress_mutex_;
    std::chrono::steady_clock::time_point reported_ = std::chrono::steady_clock::now();
};

}  // namespace warpsim::sim
