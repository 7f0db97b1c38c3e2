#include "sim/memory/host_memory.hpp"

#include "sim/memory/pass_signal_on.hpp"

#include <algorithm>
#include <atomic>
#include <csetjmp>
#include <csignal>
#include <mutex>
#include <pthread.h>
#include <unistd.h>

namespace warpsim::sim {

namespace {

/// Where a host thread resumes after a fault. The handler finds its thread's record in a list rather than in
/// thread-local storage, whose first use on a thread may call malloc; records are reused and never freed.
struct Watch {
    std::atomic<bool> is_taken{true};
    std::atomic<pthread_t> thread{};
    std::atomic<sigjmp_buf*> target{nullptr};  // null while the thread uses no such memory
    HostFault fault;
    Watch* next = nullptr;
};

std::atomic<Watch*> watches{nullptr};

Watch* take_watch() {
    for (Watch* w = watches.load(); w != nullptr; w = w->next) {
        bool is_taken = false;
        if (w->is_taken.compare_exchange_strong(is_taken, true)) return w;
    }
    auto* const made = new Watch;
    made->next = watches.load();
    while (!watches.compare_exchange_weak(made->next, made)) {}
    return made;
}

struct OwnWatch {
    Watch* watch = take_watch();
    OwnWatch() { watch->thread = pthread_self(); }
    ~OwnWatch() { watch->is_taken = false; }
};

Watch& own_watch() {
    thread_local OwnWatch own;
    return *own.watch;
}

std::atomic<MayRetry> asked_first{nullptr};

struct sigaction previous[2];  // the previous actions for SIGSEGV and SIGBUS

char const* reason_of(int signal, siginfo_t const& info) {
    if (signal == SIGBUS) return "the file that is mapped there ends before";
    if (info.si_code == SEGV_ACCERR) return "the memory there is protected against it";
    return "this process has no memory there";
}

void on_fault(int signal, siginfo_t* info, void* context) {
    auto* const may_retry = asked_first.load();
    bool const is_protected = signal == SIGSEGV && (info->si_code == SEGV_ACCERR || info->si_code == SEGV_PKUERR);
    if (is_protected && may_retry != nullptr && may_retry(*info, context)) return;
    pthread_t const self = pthread_self();
    for (Watch* w = watches.load(); w != nullptr && info->si_code > 0; w = w->next) {
        sigjmp_buf* const target = w->target.load(std::memory_order_relaxed);
        if (target == nullptr || pthread_equal(w->thread.load(std::memory_order_relaxed), self) == 0) continue;
        w->target.store(nullptr, std::memory_order_relaxed);
        bool const has_address = info->si_code != SI_KERNEL;  // else it is not a user-space address at all
        w->fault = {true, has_address, reinterpret_cast<std::uint64_t>(info->si_addr), reason_of(signal, *info)};
        siglongjmp(*target, 1);
    }
    pass_signal_on(previous[signal == SIGBUS], signal, info, context);
}

/// Reads or rewrites one byte of each page. The value written is the value that is there, in one atomic step.
void touch(std::uint64_t address, std::uint64_t bytes, bool is_written) {
    constexpr std::uint64_t page = 4096;
    std::uint64_t const last = address + bytes - 1;
    for (std::uint64_t at = address;; at = std::min((at / page + 1) * page, last)) {
        auto* const byte = reinterpret_cast<unsigned char*>(at);
        if (is_written) __atomic_fetch_or(byte, 0, __ATOMIC_RELAXED);
        else static_cast<void>(__atomic_load_n(byte, __ATOMIC_RELAXED));
        if (at >= last) return;
    }
}

}  // namespace

void ask_about_protected_pages(MayRetry may_retry) { asked_first = may_retry; }

void watch_host_memory() {
    static std::mutex mutex;
    std::lock_guard const lock(mutex);
    for (int const signal : {SIGSEGV, SIGBUS}) {
        struct sigaction now {};
        sigaction(signal, nullptr, &now);
        if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_fault) continue;
        previous[signal == SIGBUS] = now;
        struct sigaction ours {};
        ours.sa_sigaction = on_fault;
        ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
        sigemptyset(&ours.sa_mask);
        sigaction(signal, &ours, nullptr);
    }
}

__attribute__((noinline)) HostFault with_host_memory(void (*work)(void*), void* argument) {
    Watch& watch = own_watch();
    sigjmp_buf target;
    // The handler leaves its signal unblocked, so the mask need not be saved: that would take a system call per
    // access.
    if (sigsetjmp(target, 0) != 0) return own_watch().fault;
    watch.target.store(&target, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    work(argument);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    watch.target.store(nullptr, std::memory_order_relaxed);
    return {};
}

HostFault try_host_memory(std::uint64_t address, std::uint64_t bytes, bool is_written) {
    if (bytes == 0) return {};
    if (address + bytes < address) return {true, false, address, "it is no address"};
    return with_host_memory([&] { touch(address, bytes, is_written); });
}

}  // namespace warpsim::sim
