#include "sim/background.hpp"

#include "sim/own_thread.hpp"

#include <csignal>
#include <cstdlib>
#include <exception>
#include <sys/resource.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

namespace warpsim::sim {

namespace {

constexpr int lower_priority = 5;

/// Signals are for the program's threads: none may interrupt this one, not even when it has come to its end.
class AllSignalsBlocked {
public:
    AllSignalsBlocked() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~AllSignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    AllSignalsBlocked(AllSignalsBlocked const&) = delete;
    AllSignalsBlocked& operator=(AllSignalsBlocked const&) = delete;

private:
    sigset_t before_{};
};

}  // namespace

/// Is never destroyed: its thread may be there until the very end.
Background& Background::of_process() {
    static auto* const background = new Background();
    return *background;
}

/// The thread, and whatever it has locked, are in the process that this one was forked from.
bool Background::is_elsewhere() const {
    pid_t const process = process_;
    return process != 0 && process != ::getpid();
}

bool Background::add(Work work) {
    if (is_elsewhere()) return false;
    std::lock_guard const lock(mutex_);
    if (is_ending_) return false;
    todo_.push_back(std::move(work));
    if (!is_running_ && !start_thread()) {
        todo_.pop_back();
        return false;
    }
    // Once more, so that it comes before the destructors of all that the work may use.
    std::atexit(stop);
    return true;
}

bool Background::start_thread() {
    try {
        AllSignalsBlocked const blocked;
        std::thread([this] { run(); }).detach();
    } catch (std::system_error const&) {
        return false;
    }
    process_ = ::getpid();
    is_running_ = true;
    return true;
}

void Background::run() {
    OwnThread const own;
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), lower_priority);
    std::unique_lock lock(mutex_);
    while (!todo_.empty() && !is_ending_) {
        Work work = std::move(todo_.front());
        todo_.pop_front();
        lock.unlock();
        try {
            work([this] { check(); });
        } catch (std::exception const&) {}
        work = nullptr;  // with all that it holds
        lock.lock();
    }
    is_running_ = false;
    changed_.notify_all();
}

void Background::check() {
    std::unique_lock lock(mutex_);
    if (!is_ending_) return;
    is_parked_ = true;
    changed_.notify_all();
    lock.unlock();
    for (;;) ::pause();
}

void Background::wait() {
    if (is_elsewhere()) return;
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !is_running_; });
}

void Background::stop() {
    Background& background = of_process();
    if (background.is_elsewhere()) return;
    std::unique_lock lock(background.mutex_);
    background.is_ending_ = true;
    background.changed_.wait(lock, [&] { return !background.is_running_ || background.is_parked_; });
}

}  // namespace warpsim::sim
