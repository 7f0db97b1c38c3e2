#include "runtime/cuda/devices/host_faults.hpp"

#include "runtime/cuda/core/call_site.hpp"
#include "runtime/cuda/devices/host_guard.hpp"
#include "runtime/cuda/devices/page_key.hpp"
#include "sim/memory/host_memory.hpp"
#include "sim/memory/pass_signal_on.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <map>
#include <mutex>
#include <ucontext.h>

namespace warpsim::cuda {

namespace {

using runtime::HostTouch;
using Fault = HostGuard::Fault;

constexpr std::uint64_t trap_flag = 1u << 8;       // of the processor's flags: a trap behind the next instruction
constexpr std::uint64_t error_is_write = 1u << 1;  // of what a page fault says

/// An instruction may access several pages.
struct Step {
    std::array<std::uint64_t, 4> pages{};
    std::size_t count = 0;
    bool has_rights = false;  // for now
};
Step& own_step() {
    thread_local Step step;
    return step;
}

/// The same fault, again and again, although nothing is protected, is the program's own.
bool is_repeated(std::uint64_t address) {
    struct Last {
        std::uint64_t address = 0;
        int times = 0;
    };
    thread_local Last last;
    constexpr int most = 100;
    last.times = last.address == address ? last.times + 1 : 0;
    last.address = address;
    if (last.times < most) return false;
    last = {};
    return true;
}

HostTouch::Place place_of(CallSite const& site) {
    SourcePlace const place = site.source();
    if (place) return {place.file, static_cast<std::uint32_t>(place.line), ""};
    return {"", 0, site.place_text()};
}

/// Found out once for each instruction.
HostTouch::Place place_at(std::uintptr_t code) {
    static std::mutex mutex;
    static std::map<std::uintptr_t, HostTouch::Place> known;
    CallSite const site = CallSite::interrupted(code);
    std::lock_guard const lock(mutex);
    auto const [found, is_new] = known.try_emplace(site.code);
    if (is_new) found->second = place_of(site);
    return found->second;
}

/// An action that the program has set. Where it sets others while ours are there, it learns only of its own.
class Action {
public:
    explicit Action(int signal) : signal_(signal) {}

    /// False: ours is not there yet.
    bool exchange(struct sigaction const* wanted, struct sigaction* before) {
        if (!is_ours_ || is_own_call()) return false;
        struct sigaction next {
        }, last{};  // the program's memory may be no memory
        if (wanted != nullptr) next = *wanted;
        {
            std::lock_guard const lock(mutex_);
            last = programs_;
            if (wanted != nullptr) programs_ = next;
        }
        if (before != nullptr) *before = last;
        return true;
    }
    void pass_on(siginfo_t* info, void* context) {
        struct sigaction before {};
        {
            std::lock_guard const lock(mutex_);
            before = programs_;
        }
        // From here on the system does it.
        if (!sim::is_handled(before)) is_ours_ = false;
        sim::pass_signal_on(before, signal_, info, context, signal_ == SIGTRAP);
    }
    /// In place of what is there.
    void replace(void (*handler)(int, siginfo_t*, void*)) {
        std::lock_guard const lock(mutex_);
        struct sigaction now {};
        set(nullptr, &now);
        if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == handler) return;
        programs_ = now;
        struct sigaction ours {};
        ours.sa_sigaction = handler;
        ours.sa_flags =
            SA_SIGINFO | SA_NODEFER;  // on the thread's own stack: looking for a line of source needs some
        sigemptyset(&ours.sa_mask);
        set(&ours, nullptr);
        is_ours_ = true;
    }

private:
    /// By sigaction(), which asks program_sets_action() first, where the program's calls do.
    void set(struct sigaction const* wanted, struct sigaction* before) const {
        is_own_call() = true;
        sigaction(signal_, wanted, before);
        is_own_call() = false;
    }
    static bool& is_own_call() {
        thread_local bool is_own = false;
        return is_own;
    }

    int signal_;
    std::mutex mutex_;
    struct sigaction programs_ {};
    std::atomic<bool> is_ours_{false};
};

Action faults(SIGSEGV), traps(SIGTRAP);

/// Of a page that is closed by the key, if one of our own threads was interrupted.
bool lets_own_use(std::uint64_t address, ucontext_t& interrupted) {
    if (!HostGuard::is_own_thread() || !PageKey::present()->give(interrupted))
        return HostGuard::present()->opens_for_own(address);
    HostGuard::Inside::has_rights() = true;
    return true;
}

void on_fault(int, siginfo_t* info, void* raw) {
    auto& machine = static_cast<ucontext_t*>(raw)->uc_mcontext;
    auto const address = reinterpret_cast<std::uint64_t>(info->si_addr);
    HostGuard* const guard = HostGuard::present();
    bool const is_by_key = PageKey::is_cause(*info);
    if (guard == nullptr || (info->si_code != SEGV_ACCERR && !is_by_key)) return faults.pass_on(info, raw);
    auto const code = static_cast<std::uintptr_t>(machine.gregs[REG_RIP]);
    int const error = errno;
    HostTouch touch;
    touch.address = address;
    touch.is_write = (static_cast<std::uint64_t>(machine.gregs[REG_ERR]) & error_is_write) != 0;
    touch.bytes = bytes_of_access(reinterpret_cast<unsigned char const*>(code));
    touch.place = [code] { return place_at(code); };
    Fault const fault = guard->fault(touch, is_by_key);
    errno = error;
    if (fault == Fault::foreign || (fault == Fault::gone && is_repeated(address)))
        return faults.pass_on(info, raw);
    auto& interrupted = *static_cast<ucontext_t*>(raw);
    Step& step = own_step();
    if (fault == Fault::own_by_key) {
        lets_own_use(address, interrupted);
        return;
    }
    bool const is_step = fault == Fault::single_step || fault == Fault::step_by_key;
    if (!is_step || step.count == step.pages.size()) return;
    if (fault == Fault::step_by_key) {
        step.has_rights = PageKey::present()->give(interrupted);
        if (!step.has_rights) guard->opens_for_step(address);
    }
    step.pages[step.count++] = page_of(address);
    machine.gregs[REG_EFL] |= static_cast<greg_t>(trap_flag);
}

void on_trap(int, siginfo_t* info, void* raw) {
    auto& machine = static_cast<ucontext_t*>(raw)->uc_mcontext;
    Step& step = own_step();
    if (step.count == 0) return traps.pass_on(info, raw);
    machine.gregs[REG_EFL] &= ~static_cast<greg_t>(trap_flag);
    if (step.has_rights) PageKey::present()->take_back(*static_cast<ucontext_t*>(raw));
    step.has_rights = false;
    int const error = errno;
    for (; step.count != 0; --step.count) HostGuard::present()->protect_again(step.pages[step.count - 1]);
    errno = error;
}

}  // namespace

void catch_host_faults() {
    // Kernels may use any memory of the host, under a watch of their own.
    sim::ask_about_protected_pages([](siginfo_t const& info, void* context) {
        auto const address = reinterpret_cast<std::uint64_t>(info.si_addr);
        return PageKey::is_cause(info) ? lets_own_use(address, *static_cast<ucontext_t*>(context))
                                       : HostGuard::present()->opens_for_own(address);
    });
    faults.replace(on_fault);
    traps.replace(on_trap);
}

bool program_sets_action(int signal, struct sigaction const* wanted, struct sigaction* before) {
    if (signal == SIGSEGV) return faults.exchange(wanted, before);
    return signal == SIGTRAP && traps.exchange(wanted, before);
}

void HostCall::uses(void const* memory, std::uint64_t bytes, bool is_written) {
    HostGuard* const guard = HostGuard::present();
    if (guard == nullptr || !guard->is_needed() || bytes == 0) return;
    HostTouch touch;
    touch.is_write = is_written;
    touch.place = [this] {
        HostTouch::Place place = place_of(CallSite::present());
        if (place.line == 0) place.text = std::string(" by ") + name_ + "()" + place.text;
        return place;
    };
    auto const begin = reinterpret_cast<std::uint64_t>(memory);
    if (guard->lend(begin, bytes, touch)) lent_.emplace_back(begin, bytes);
}

HostCall::~HostCall() {
    int const error = errno;
    for (auto const& [begin, bytes] : lent_) HostGuard::present()->take_back(begin, bytes);
    errno = error;
}

}  // namespace warpsim::cuda
