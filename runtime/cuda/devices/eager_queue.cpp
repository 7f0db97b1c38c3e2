#include "runtime/cuda/devices/eager_queue.hpp"

#include "runtime/cuda/core/errors.hpp"
#include "runtime/cuda/devices/host_guard.hpp"
#include "sim/own_thread.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace warpsim::cuda {

EagerQueue::~EagerQueue() {
    {
        std::lock_guard const lock(mutex_);
        ending_ = true;
    }
    submitted_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void EagerQueue::submit(StreamOrder& stream, Task task, Condition condition) {
    {
        std::lock_guard const lock(mutex_);
        ++stream.pending;
        work_.push_back({&stream, std::move(task), std::move(condition)});
        if (!thread_.joinable()) thread_ = std::thread([this] { serve(); });
    }
    submitted_.notify_one();
}

void EagerQueue::run(StreamOrder& stream, Task task) {
    {
        std::unique_lock lock(mutex_);
        refuse_inside_task();
        if (!work_.empty() || running_ != nullptr) {
            lock.unlock();
            submit(stream, std::move(task));
            wait(stream);
            return;
        }
        ++stream.pending;
        running_ = &stream;
        runner_ = std::this_thread::get_id();
    }
    task();
    finish(stream);
}

namespace {

/// A running task is most often about to end: polling for this long is cheaper than to sleep and be woken.
constexpr std::chrono::microseconds host_patience{20};

void rest() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

}  // namespace

void EagerQueue::finish(StreamOrder& stream) {
    {
        std::lock_guard const lock(mutex_);
        --stream.pending;
        running_ = nullptr;
        may_wait_for_host_ = false;
    }
    finished_.fetch_add(1, std::memory_order_release);
    done_.notify_all();
    submitted_.notify_one();
}

void EagerQueue::refuse_inside_task() const {
    if (running_ != nullptr && runner_ == std::this_thread::get_id()) throw Failure(Result::not_permitted);
}

bool EagerQueue::waits_for_nothing(StreamOrder const& stream) const {
    if (stream.pending != 0) return false;
    if (!stream.is_legacy) return true;
    bool const follows_running = running_ != nullptr && in_order(stream, *running_);
    return !follows_running &&
           std::none_of(work_.begin(), work_.end(), [&](Work const& w) { return in_order(stream, *w.stream); });
}

template <class Done> void EagerQueue::help_until(Done const& done, std::unique_lock<std::mutex>& lock) {
    refuse_inside_task();
    while (!done()) {
        if (auto const at = ready_work(); at != work_.end()) {
            do_work(at, lock);
            continue;
        }
        std::uint64_t const before = finished_.load(std::memory_order_acquire);
        lock.unlock();
        auto const end = std::chrono::steady_clock::now() + host_patience;
        while (finished_.load(std::memory_order_acquire) == before && std::chrono::steady_clock::now() < end)
            rest();
        lock.lock();
        if (finished_.load(std::memory_order_acquire) == before && !done()) done_.wait(lock);
    }
}

void EagerQueue::wait(StreamOrder& stream) {
    std::unique_lock lock(mutex_);
    help_until([&] { return waits_for_nothing(stream); }, lock);
}

void EagerQueue::wait_all() {
    std::unique_lock lock(mutex_);
    help_until([&] { return work_.empty() && running_ == nullptr; }, lock);
}

void EagerQueue::wait_until(std::function<bool()> const& is_so) {
    std::unique_lock lock(mutex_);
    help_until(is_so, lock);
}

bool EagerQueue::is_done(StreamOrder& stream) {
    std::lock_guard const lock(mutex_);
    return waits_for_nothing(stream);
}

void EagerQueue::catch_up() {
    std::unique_lock lock(mutex_);
    if (running_ != nullptr && runner_ == std::this_thread::get_id()) return;
    done_.wait(lock, [&] { return running_ != nullptr ? may_wait_for_host_ : ready_work() == work_.end(); });
}

void EagerQueue::may_wait_for_host() {
    {
        std::lock_guard const lock(mutex_);
        if (std::exchange(may_wait_for_host_, true)) return;
    }
    done_.notify_all();
}

/// The first work, in the order of submission, that waits for no earlier work and whose condition holds.
std::deque<EagerQueue::Work>::iterator EagerQueue::ready_work() {
    if (running_ != nullptr) return work_.end();
    for (auto it = work_.begin(); it != work_.end(); ++it) {
        bool const follows =
            std::any_of(work_.begin(), it, [&](Work const& w) { return in_order(*w.stream, *it->stream); });
        if (!follows && (!it->condition || it->condition())) return it;
    }
    return work_.end();
}

std::deque<EagerQueue::Work>::iterator EagerQueue::next_work(std::unique_lock<std::mutex>& lock) {
    for (;;) {
        if (auto const at = ready_work(); at != work_.end()) return at;
        if (running_ == nullptr && ending_) return work_.end();
        // A condition may become true by stores of the host, which are not announced.
        if (work_.empty()) {
            submitted_.wait(lock);
        } else {
            submitted_.wait_for(lock, std::chrono::microseconds(100));
        }
    }
}

void EagerQueue::do_work(std::deque<Work>::iterator at, std::unique_lock<std::mutex>& lock) {
    Work const work = std::move(*at);
    work_.erase(at);
    running_ = work.stream;
    runner_ = std::this_thread::get_id();
    lock.unlock();
    work.task();
    finish(*work.stream);
    lock.lock();
}

void EagerQueue::serve() {
    sim::OwnThread const own;
    HostGuard::Inside const inside;
    std::unique_lock lock(mutex_);
    for (;;) {
        auto const at = next_work(lock);
        if (at == work_.end()) return;
        do_work(at, lock);
    }
}

}  // namespace warpsim::cuda
