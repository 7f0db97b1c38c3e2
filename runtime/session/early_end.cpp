#include "runtime/session/early_end.hpp"

#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

namespace warpsim::runtime {

namespace {

/// One Ctrl-C may come several times: to the process, to its group, and from whoever passes signals on to it.
constexpr std::chrono::milliseconds echo{300};

std::atomic<sem_t*> listener{nullptr};
std::atomic<std::int64_t> interrupted_at{0};  // ns; 0: it was not
std::atomic<int> interrupted_by{SIGINT};

std::int64_t now_ns() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void note_interrupt(int signal) {
    std::int64_t const now = now_ns();
    std::int64_t first = 0;
    if (interrupted_at == 0) interrupted_by = signal;
    if (!interrupted_at.compare_exchange_strong(first, now)) {
        if (now - first > std::chrono::nanoseconds(echo).count()) end_by_interrupt();
        return;
    }
    if (sem_t* const news = listener.load()) sem_post(news);
}

timespec timespec_of(std::chrono::steady_clock::time_point at) {
    auto const ns = std::chrono::duration_cast<std::chrono::nanoseconds>(at.time_since_epoch()).count();
    return {static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
}

}  // namespace

void end_by_interrupt() {
    int const signal = interrupted_by;
    std::signal(signal, SIG_DFL);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
    std::raise(signal);
    _exit(128 + signal);
}

EarlyEnd::EarlyEnd(Options const& options, std::function<bool()> may_end, std::function<void()> last_words)
    : options_(options), may_end_(std::move(may_end)), last_words_(std::move(last_words)) {
    if (options.deadline_ns != 0) deadline_ = Clock::time_point(std::chrono::nanoseconds(options.deadline_ns));
    else if (options.seconds != 0) deadline_ = Clock::now() + std::chrono::seconds(options.seconds);
    sem_init(&news_, 0, 0);
    if (options.at_interrupt) listen(SIGINT);
    if (options.at_termination) listen(SIGTERM);
    thread_ = std::thread([this] { watch(); });
}

void EarlyEnd::listen(int signal) {
    Heard heard{signal, {}};
    sigaction(signal, nullptr, &heard.before);
    bool const is_free = (heard.before.sa_flags & SA_SIGINFO) == 0 && heard.before.sa_handler == SIG_DFL;
    sem_t* nobody = nullptr;
    if (!is_free || (heard_.empty() && !listener.compare_exchange_strong(nobody, &news_))) return;
    if (heard_.empty()) interrupted_at = 0;
    heard_.push_back(heard);
    struct sigaction action {};
    action.sa_handler = note_interrupt;
    action.sa_flags = SA_RESTART;
    sigaction(signal, &action, nullptr);
}

EarlyEnd::~EarlyEnd() {
    has_ended_ = true;
    sem_post(&news_);
    thread_.join();
    for (Heard const& heard : heard_) {
        struct sigaction now {};
        sigaction(heard.signal, nullptr, &now);
        if ((now.sa_flags & SA_SIGINFO) == 0 && now.sa_handler == note_interrupt)
            sigaction(heard.signal, &heard.before, nullptr);
    }
    if (!heard_.empty()) listener = nullptr;
    sem_destroy(&news_);
}

bool EarlyEnd::wait(std::optional<Clock::time_point> until) {
    bool const was_on = stop_->is_on();
    while (true) {
        if (has_ended_) return true;
        if (!was_on && !heard_.empty() && interrupted_at != 0) return true;
        int failed = 0;
        if (until) {
            timespec const at = timespec_of(*until);
            failed = sem_clockwait(&news_, CLOCK_MONOTONIC, &at);
        } else {
            failed = sem_wait(&news_);
        }
        if (failed != 0 && errno == ETIMEDOUT) return false;
    }
}

void EarlyEnd::watch() {
    // The program's own threads are the ones to handle its signals.
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    bool const is_interrupt = wait(deadline_);
    if (has_ended_) return;
    stop_->kind = is_interrupt ? FaultKind::interrupted : FaultKind::time_limit;
    stop_->what = is_interrupt ? "interrupted" : "time limit";
    stop_->why = is_interrupt ? (interrupted_by == SIGTERM ? "by SIGTERM" : "by SIGINT")
                              : "after " + std::to_string(options_.seconds) + " s (--timeout)";
    stop_->is_made.store(true, std::memory_order_release);
    for (Clock::time_point const end = Clock::now() + options_.patience; Clock::now() < end && !may_end_();)
        if (wait(Clock::now() + std::chrono::milliseconds(10))) return;
    last_words_();
    if (is_interrupt) end_by_interrupt();
    _exit(timed_out_status);
}

}  // namespace warpsim::runtime
