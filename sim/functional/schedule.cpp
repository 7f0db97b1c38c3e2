#include "sim/functional/schedule.hpp"

#include <algorithm>
#include <vector>

namespace warpsim::sim {

namespace {

// Long enough that handing over a CTA costs little in comparison, and short enough that a CTA that waits for a
// store by another does not occupy a host thread for long.
constexpr std::uint64_t turn_instructions = 1 << 16;
// The same for CTAs that are known to wait for each other.
constexpr std::uint64_t short_turn_instructions = 1 << 12;

// The CTAs that a host thread claims at once. When small CTAs were handed out one by one, two threads lost a quarter of their
// time contending for the shared counters. Of CTAs that execute next to nothing compiled code runs ten in a microsecond.
constexpr std::uint64_t claimed_at_first = 16, most_claimed = 256;
constexpr std::uint64_t claimed_instructions = 1 << 15;  // of warps, about so many are claimed

// The most turns that started CTAs get before a new one gets its first: they might be waiting for it in a way that
// cannot be detected, such as counting iterations. A turn that changed nothing counts more.
constexpr std::uint64_t most_served = 64;

}  // namespace

bool Schedule::claim(Worker& worker) {
    std::uint64_t const claimed = next_.load();
    std::uint64_t const end = end_.load();
    if (claimed >= end) return false;
    // Claims become smaller near the end, so that no host thread is left with the last CTAs alone.
    std::uint64_t const most =
        worker.executed == 0 ? claimed_at_first
                             : std::clamp(claimed_instructions / worker.executed, claimed_at_first, most_claimed);
    std::uint64_t const wanted = std::clamp<std::uint64_t>((end - claimed) / (4 * limits_.workers), 1, most);
    if (started_.fetch_add(wanted) + wanted - finished_.load() > limits_.resident) {
        started_.fetch_sub(wanted);
        if (wanted == 1 || started_.fetch_add(1) + 1 - finished_.load() > limits_.resident) {
            if (wanted != 1) started_.fetch_sub(1);
            return false;
        }
        return take_tickets(worker, 1);
    }
    return take_tickets(worker, wanted);
}

bool Schedule::take_tickets(Worker& worker, std::uint64_t count) {
    // Never beyond the end, which may move.
    std::uint64_t first = next_.load(), got = 0;
    do {
        std::uint64_t const end = end_.load();
        got = first < end ? std::min(count, end - first) : 0;
    } while (!next_.compare_exchange_weak(first, first + got));
    if (got != count) started_.fetch_sub(count - got);
    worker.next = got != 0 ? first : 0;
    worker.end = worker.next + got;
    return got != 0;
}

Schedule::Turn Schedule::new_turn(Worker& worker) {
    Turn turn;
    turn.cluster = worker.spare ? std::move(worker.spare) : std::make_unique<Cluster>();
    turn.is_new = true;
    turn.linear = worker.next++;
    turn.epoch = epoch_.load();
    return turn;
}

void Schedule::report(Worker& worker) {
    if (worker.finished == 0) return;
    epoch_.fetch_add(1);
    std::uint64_t const finished = finished_.fetch_add(worker.finished) + worker.finished;
    worker.finished = 0;
    wake();
    if (progress_) report_progress(finished);
}

bool Schedule::may_take_turn() {
    for (std::uint64_t left = turns_left_.load(); left != 0;) {
        if (turns_left_.compare_exchange_weak(left, left - 1)) return true;
    }
    paused_.store(true);
    wake();
    return false;
}

std::optional<Schedule::Turn> Schedule::take(Worker& worker) {
    if (counts_turns_ && !may_take_turn()) return std::nullopt;
    if (worker.next < worker.end && !failed_.load(std::memory_order_relaxed)) return new_turn(worker);
    report(worker);
    std::unique_lock lock(mutex_, std::defer_lock);
    for (;;) {
        if (is_over()) return std::nullopt;
        if (put_back_.load() != 0 && !lock.owns_lock()) lock.lock();
        // CTAs that only spin may be waiting for one that has not started: then that one goes first.
        bool const spins = lock.owns_lock() && !waiting_.empty() && may_wait_for_new(*waiting_.front());
        if ((!lock.owns_lock() || waiting_.empty() || spins || limits_.together) && claim(worker))
            return new_turn(worker);
        if (!lock.owns_lock()) lock.lock();
        if (!waiting_.empty()) {
            Turn turn{std::move(waiting_.front()), false, 0, epoch_.load()};
            waiting_.pop_front();
            put_back_.store(waiting_.size());
            return turn;
        }
        // Whoever changes one of these checks sleeping_ afterwards, so no wake-up is missed.
        sleeping_.fetch_add(1);
        bool const idle =
            !is_over() && !(next_.load() < end_.load() && started_.load() - finished_.load() < limits_.resident);
        if (idle) changed_.wait(lock);
        sleeping_.fetch_sub(1);
        lock.unlock();
    }
}

bool Schedule::may_wait_for_new(Cluster const& cluster) {
    if (cluster.stuck_epoch == epoch_.load() || cluster.may_poll) return true;
    served_ += cluster.changed_nothing ? most_served / 4 : 1;
    if (served_ < most_served) return false;
    served_ = 0;
    return true;
}

void Schedule::wake() {
    if (sleeping_.load() == 0) return;
    std::lock_guard const lock(mutex_);
    changed_.notify_all();
}

void Schedule::finish(Worker& worker, std::unique_ptr<Cluster> cluster) {
    worker.executed = cluster->executed;
    worker.spare = std::move(cluster);
    ++worker.finished;
}

bool Schedule::put_back(Worker& worker, std::unique_ptr<Cluster> cluster, Interpreter::Progress progress,
                        std::uint64_t epoch) {
    report(worker);
    std::lock_guard const lock(mutex_);
    if (progress == Interpreter::Progress::changed) epoch_.fetch_add(1);
    std::uint64_t const now = epoch_.load();
    if (stuck_epoch_ != now) {
        stuck_epoch_ = now;
        stuck_ = 0;
    }
    bool const spinning = progress == Interpreter::Progress::spinning && epoch == now;
    cluster->changed_nothing = progress != Interpreter::Progress::changed;
    if (spinning && cluster->stuck_epoch != now) {
        cluster->stuck_epoch = now;
        ++stuck_;
    }
    std::uint64_t const unfinished = started_.load() - finished_.load();
    bool const can_start = next_.load() < end_.load() && unfinished < limits_.resident;
    waiting_.push_back(std::move(cluster));
    put_back_.store(waiting_.size());
    bool const is_stuck = spinning && stuck_ == unfinished && !can_start && epoch_.load() == now;
    bool const has_others = is_stuck && end_.load() < limits_.clusters && unfinished < limits_.resident;
    if (has_others) end_.store(limits_.clusters);
    changed_.notify_all();
    return is_stuck && !has_others;
}

std::string Schedule::describe_waiting(std::function<std::string(Cluster const&)> const& tell) {
    constexpr std::size_t most_told = 4;
    std::lock_guard const lock(mutex_);
    std::vector<Cluster const*> clusters;
    for (auto const& cluster : waiting_) clusters.push_back(cluster.get());
    std::sort(clusters.begin(), clusters.end(),
              [](Cluster const* a, Cluster const* b) { return a->linear < b->linear; });
    std::string text;
    for (std::size_t i = 0; i < std::min(clusters.size(), most_told); ++i)
        text += (i == 0 ? "" : "\n") + tell(*clusters[i]);
    if (clusters.size() > most_told)
        text += "\n  ... and " + std::to_string(clusters.size() - most_told) + " blocks or clusters more";
    return text;
}

std::optional<std::uint64_t> Schedule::cancel_next() {
    std::uint64_t ticket = next_.load();
    do {
        if (ticket >= end_.load()) return std::nullopt;
    } while (!next_.compare_exchange_weak(ticket, ticket + 1));
    started_.fetch_add(1);
    finished_.fetch_add(1);
    epoch_.fetch_add(1);
    wake();
    return ticket;
}

Schedule::Standing Schedule::standing(Worker& worker) {
    report(worker);
    return {worker.next,      worker.end, next_.load(), finished_.load(), epoch_.load(),
            executed_.load(), served_,    stuck_,       stuck_epoch_};
}

std::optional<std::uint64_t> Schedule::begin_claimed(Worker& worker) {
    report(worker);
    if (worker.next == worker.end) return std::nullopt;
    return worker.next++;
}

void Schedule::add_waiting(std::unique_ptr<Cluster> cluster) {
    waiting_.push_back(std::move(cluster));
    put_back_ = waiting_.size();
}

void Schedule::resume(Worker& worker, Standing const& standing, std::list<std::unique_ptr<Cluster>> waiting) {
    worker.next = standing.claimed;
    worker.end = standing.claimed_end;
    next_ = standing.next;
    finished_ = standing.finished;
    started_ = standing.finished + waiting.size() + (worker.end - worker.next);
    epoch_ = standing.epoch;
    executed_ = standing.executed;
    served_ = standing.served;
    stuck_ = standing.stuck;
    stuck_epoch_ = standing.stuck_epoch;
    waiting_ = std::move(waiting);
    put_back_ = waiting_.size();
}

void Schedule::fail(std::uint64_t cluster, std::exception_ptr error) {
    std::lock_guard const lock(mutex_);
    if (!failed_.load() || cluster < failed_cluster_) {
        failed_cluster_ = cluster;
        error_ = error;
    }
    failed_.store(true);
    changed_.notify_all();
}

bool Schedule::count(std::uint64_t instructions) {
    if (limits_.max_instructions == 0) return true;
    return executed_.fetch_add(instructions) + instructions <= limits_.max_instructions;
}

std::uint64_t Schedule::budget() const {
    std::uint64_t const usual = limits_.together ? short_turn_instructions : turn_instructions;
    std::uint64_t const turn = limits_.turn_instructions != 0 ? limits_.turn_instructions : usual;
    if (limits_.max_instructions == 0) return turn;
    std::uint64_t const used = executed_.load();
    std::uint64_t const left = used < limits_.max_instructions ? limits_.max_instructions - used + 1 : 1;
    return std::min(left, turn);
}

void Schedule::report_progress(std::uint64_t finished) {
    std::unique_lock const lock(progress_mutex_, std::try_to_lock);
    if (!lock.owns_lock()) return;
    auto const now = std::chrono::steady_clock::now();
    if (now - reported_ < std::chrono::milliseconds(100)) return;
    reported_ = now;
    progress_(finished);
}

}  // namespace warpsim::sim
