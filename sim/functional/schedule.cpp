#include "sim/functional/schedule.hpp"

#include <algorithm>

namespace warpsim::sim {

namespace {

// Long enough that handing a CTA on costs nothing beside it, short enough that a CTA that waits for another one's
// store does not keep a host thread for long.
constexpr std::uint64_t turn_instructions = 1 << 16;

}  // namespace

bool Schedule::may_start() {
    if (next_.load() >= limits_.ctas) return false;
    if (started_.fetch_add(1) - finished_.load() < limits_.resident) return true;
    started_.fetch_sub(1);
    return false;
}

Schedule::Turn Schedule::new_turn(std::unique_ptr<Cta>& spare, std::uint64_t linear) {
    Turn turn;
    turn.cta = spare ? std::move(spare) : std::make_unique<Cta>();
    turn.is_new = true;
    turn.linear = linear;
    turn.epoch = epoch_.load();
    return turn;
}

std::optional<Schedule::Turn> Schedule::take(std::unique_ptr<Cta>& spare) {
    std::unique_lock lock(mutex_, std::defer_lock);
    for (;;) {
        if (failed_.load() || finished_.load() == limits_.ctas) return std::nullopt;
        if (put_back_.load() != 0 && !lock.owns_lock()) lock.lock();
        // CTAs that only spin may wait for one that has not begun: then that one goes first.
        bool const spins = lock.owns_lock() && !waiting_.empty() && waiting_.front()->stuck_epoch == epoch_.load();
        if (!lock.owns_lock() || waiting_.empty() || spins) {
            if (may_start()) {
                std::uint64_t const linear = next_.fetch_add(1);
                if (linear < limits_.ctas) return new_turn(spare, linear);
                started_.fetch_sub(1);
            }
        }
        if (!lock.owns_lock()) lock.lock();
        if (!waiting_.empty()) {
            Turn turn{std::move(waiting_.front()), false, 0, epoch_.load()};
            waiting_.pop_front();
            put_back_.store(waiting_.size());
            return turn;
        }
        // Who changes one of these looks at sleeping_ afterwards, so that nobody sleeps through it.
        sleeping_.fetch_add(1);
        bool const idle = !failed_.load() && finished_.load() != limits_.ctas &&
                          !(next_.load() < limits_.ctas && started_.load() - finished_.load() < limits_.resident);
        if (idle) changed_.wait(lock);
        sleeping_.fetch_sub(1);
        lock.unlock();
    }
}

void Schedule::wake() {
    if (sleeping_.load() == 0) return;
    std::lock_guard const lock(mutex_);
    changed_.notify_all();
}

void Schedule::finish() {
    epoch_.fetch_add(1);
    std::uint64_t const finished = finished_.fetch_add(1) + 1;
    wake();
    if (progress_) report_progress(finished);
}

bool Schedule::put_back(std::unique_ptr<Cta> cta, Interpreter::Progress progress, std::uint64_t epoch) {
    std::lock_guard const lock(mutex_);
    if (progress == Interpreter::Progress::changed) epoch_.fetch_add(1);
    std::uint64_t const now = epoch_.load();
    if (stuck_epoch_ != now) {
        stuck_epoch_ = now;
        stuck_ = 0;
    }
    bool const spinning = progress == Interpreter::Progress::spinning && epoch == now;
    if (spinning && cta->stuck_epoch != now) {
        cta->stuck_epoch = now;
        ++stuck_;
    }
    std::uint64_t const unfinished = started_.load() - finished_.load();
    bool const can_start = next_.load() < limits_.ctas && unfinished < limits_.resident;
    waiting_.push_back(std::move(cta));
    put_back_.store(waiting_.size());
    changed_.notify_all();
    return spinning && stuck_ == unfinished && !can_start && epoch_.load() == now;
}

void Schedule::fail(std::uint64_t cta, std::exception_ptr error) {
    std::lock_guard const lock(mutex_);
    if (!failed_.load() || cta < failed_cta_) {
        failed_cta_ = cta;
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
    if (limits_.max_instructions == 0) return turn_instructions;
    std::uint64_t const used = executed_.load();
    std::uint64_t const left = used < limits_.max_instructions ? limits_.max_instructions - used + 1 : 1;
    return std::min(left, turn_instructions);
}

void Schedule::report_progress(std::uint64_t finished) {
    std::unique_lock const lock(progress_mutex_, std::try_to_lock);
    if (!lock.owns_lock()) return;
    auto const now = std::chrono::steady_clock::now();
    if (now - reported_ < std::chrono::milliseconds(100)) return;
    reported_ = now;
    progress_(static_cast<double>(finished) / static_cast<double>(limits_.ctas));
}

}  // namespace warpsim::sim
