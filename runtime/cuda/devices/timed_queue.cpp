#include "runtime/cuda/devices/timed_queue.hpp"

#include "runtime/cuda/core/errors.hpp"
#include "sim/own_thread.hpp"

#include <algorithm>
#include <chrono>
#include <unordered_set>

namespace warpsim::cuda {

namespace {

/// How often a condition on memory is looked at while grids run, which may make it true.
constexpr TimedQueue::Time look = 1'000'000;
/// The same while nothing runs, in real time: the host may make it true by its own stores, which nobody announces.
constexpr std::chrono::microseconds pause{100};
/// A host that neither submits nor asks nor waits for so long is taken to wait for memory to change.
constexpr std::chrono::milliseconds patience{1000};

}  // namespace

TimedQueue::TimedQueue(Advance advance, Time call) : advance_(std::move(advance)), call_(call) {}

TimedQueue::~TimedQueue() {
    finish();
    {
        Lock const lock(mutex_);
        is_ending_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void TimedQueue::pass_call() {
    ++calls_;
    if (in_call_ == 0) host_ = std::max(host_, now_.load()) + call_;
}

void TimedQueue::begin_call() {
    Lock const lock(mutex_);
    pass_call();
    ++in_call_;
}

void TimedQueue::end_call() {
    Lock const lock(mutex_);
    --in_call_;
}

void TimedQueue::add(Work work) {
    {
        Lock const lock(mutex_);
        bool const is_by_host = !is_inside_task();
        if (is_by_host) pass_call();
        work.submitted = is_by_host ? host_ : now_.load();
        ++work.stream->pending;
        works_.push_back(std::move(work));
        if (!thread_.joinable()) thread_ = std::thread([this] { serve(); });
    }
    changed_.notify_all();
}

void TimedQueue::submit(StreamOrder& stream, Task task, Condition condition) {
    add({&stream, {}, std::move(task), std::move(condition), 0});
}

void TimedQueue::submit(StreamOrder& stream, Begin begin, Task at_end) {
    add({&stream, std::move(begin), std::move(at_end), {}, 0});
}

void TimedQueue::end(StreamOrder& stream) {
    Lock const lock(mutex_);
    for (Work& w : works_) {
        if (w.stream == &stream && w.is_running) w.end = std::min(w.end, now_.load());
    }
}

void TimedQueue::run(StreamOrder& stream, Task task) {
    {
        Lock const lock(mutex_);
        refuse_inside_task();
    }
    submit(stream, std::move(task));
    wait(stream);
}

void TimedQueue::refuse_inside_task() const {
    if (is_inside_task()) throw Failure(Result::not_permitted);
}

bool TimedQueue::waits_for_nothing(StreamOrder const& stream) const {
    if (stream.pending != 0) return false;
    return !stream.is_legacy ||
           std::none_of(works_.begin(), works_.end(), [&](Work const& w) { return in_order(stream, *w.stream); });
}

/// Lets time pass up to what happens next, or to `until`. False: nothing can happen before.
bool TimedQueue::drive(Time until, Lock& lock) {
    is_driven_ = true;
    driver_ = std::this_thread::get_id();
    bool const has_happened = step(until, lock);
    is_driven_ = false;
    changed_.notify_all();
    return has_happened;
}

template <class Done> void TimedQueue::drive_until(Done const& done, Lock& lock) {
    refuse_inside_task();
    ++calls_;
    while (!done()) {
        if (is_driven_) changed_.wait(lock);
        else if (!drive(never, lock) && !done()) changed_.wait_for(lock, pause);
    }
    host_ = std::max(host_, now_.load());
}

void TimedQueue::wait(StreamOrder& stream) {
    Lock lock(mutex_);
    drive_until([&] { return waits_for_nothing(stream); }, lock);
}

void TimedQueue::wait_all() {
    Lock lock(mutex_);
    drive_until([&] { return works_.empty(); }, lock);
}

void TimedQueue::wait_until(std::function<bool()> const& is_so) {
    Lock lock(mutex_);
    drive_until(is_so, lock);
}

void TimedQueue::poll() {
    Lock lock(mutex_);
    pass_call();
    if (is_driven_) return;  // a task asks, or another thread waits
    while (!works_.empty() && drive(host_, lock)) continue;
}

bool TimedQueue::is_done(StreamOrder& stream) {
    poll();
    Lock const lock(mutex_);
    return waits_for_nothing(stream);
}

void TimedQueue::finish() {
    Lock lock(mutex_);
    while (!works_.empty()) {
        if (is_driven_) changed_.wait(lock);
        else if (!drive(never, lock)) return;
    }
}

/// The work that begins or ends next: of equal times an end before a beginning, and what was submitted first.
TimedQueue::Next TimedQueue::next_event() {
    Next next;
    bool starts = false;
    std::unordered_set<StreamOrder const*> seen;
    bool has_legacy = false, has_blocking = false;
    for (auto w = works_.begin(); w != works_.end(); ++w) {
        StreamOrder const& stream = *w->stream;
        bool const follows =
            seen.contains(&stream) || (stream.is_legacy && has_blocking) || (stream.is_blocking && has_legacy);
        seen.insert(&stream);
        has_legacy |= stream.is_legacy;
        has_blocking |= stream.is_blocking;
        if (w->is_running) {
            if (w->end < next.at || (w->end == next.at && starts)) {
                next.work = w;
                next.at = w->end;
                starts = false;
            }
            continue;
        }
        if (!follows && w->condition && !w->condition()) {
            next.waits_for_condition = true;
        } else if (Time const at = std::max(w->submitted, now_.load()); !follows && at < next.at) {
            next.work = w;
            next.at = at;
            starts = true;
        }
    }
    return next;
}

bool TimedQueue::step(Time until, Lock& lock) {
    Next const next = next_event();
    bool const is_device_busy =
        std::any_of(works_.begin(), works_.end(), [](Work const& w) { return w.ticket != 0 && w.end == never; });
    Time target = std::min(next.at, until);
    if (is_device_busy) {
        if (next.waits_for_condition) target = std::min(target, now_ + look);
        if (advance(target, lock)) return true;  // what happens next may be another thing now
    }
    if (next.at <= target && next.at != never) {
        now_ = std::max(now_.load(), next.at);
        happen(next.work, lock);
        return true;
    }
    if (target == never) return is_device_busy;
    bool const has_passed = target > now_;
    now_ = std::max(now_.load(), target);
    return has_passed && target < until;
}

/// Launches and copies go on until that time. True: it is known of one more when it ends.
bool TimedQueue::advance(Time until, Lock& lock) {
    lock.unlock();
    std::optional<std::vector<runtime::Device::Ended>> const ended = advance_(until);
    lock.lock();
    bool any = false;
    for (Work& w : works_) {
        if (!w.is_running || w.end != never) continue;
        if (!ended) {
            w.end = now_;
        } else {
            for (runtime::Device::Ended const& e : *ended) {
                if (e.ticket == w.ticket) w.end = std::max(e.at, now_.load());
            }
        }
        any |= w.end != never;
    }
    return any;
}

/// Work begins or ends now. Others may submit meanwhile.
void TimedQueue::happen(Works::iterator work, Lock& lock) {
    if (work->begin && !work->is_running) {
        lock.unlock();
        Begun const begun = work->begin(now_);
        lock.lock();
        work->is_running = true;
        work->ticket = begun.ticket;
        work->end = begun.ticket != 0 || begun.is_open ? never : std::max(begun.end, now_.load());
        return;
    }
    lock.unlock();
    if (work->task) work->task();
    lock.lock();
    StreamOrder& stream = *work->stream;
    // The task may be what keeps the stream whose stream this is.
    Task const last = std::move(work->task);
    works_.erase(work);
    --stream.pending;
}

void TimedQueue::serve() {
    sim::OwnThread const own;
    Lock lock(mutex_);
    while (!is_ending_) {
        if (works_.empty() || is_driven_) {
            changed_.wait(lock);
            continue;
        }
        std::uint64_t const calls = calls_;
        if (changed_.wait_for(lock, patience, [&] { return is_ending_ || calls_ != calls; })) continue;
        while (!is_ending_ && calls_ == calls && !works_.empty() && !is_driven_) {
            if (!drive(never, lock)) changed_.wait_for(lock, pause);
        }
    }
}

}  // namespace warpsim::cuda
