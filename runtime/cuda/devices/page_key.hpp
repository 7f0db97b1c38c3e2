// Memory that some threads of the process may use and others may not, by a protection key of the processor. Each thread has rights
// of its own for pages with the key: none, unless they are given to it.
#pragma once

#include <csignal>
#include <cstdint>
#include <ucontext.h>

namespace warpsim::cuda {

class PageKey {
public:
    /// Null: the processor or the system has none.
    static PageKey const* present();

    void close(std::uint64_t begin, std::uint64_t end) const;
    void open(std::uint64_t begin, std::uint64_t end) const;
    /// Whether a fault was of a thread without rights.
    static bool is_cause(siginfo_t const& fault);

    /// Gives rights to the thread that a signal has interrupted, or takes them back, once its handler returns. False: it cannot.
    bool give(ucontext_t& interrupted) const { return set(interrupted, true); }
    bool take_back(ucontext_t& interrupted) const { return set(interrupted, false); }
    /// From the calling thread.
    void take_back() const;

private:
    explicit PageKey(int key) : key_(key) {}
    bool set(ucontext_t& interrupted, bool may_use) const;

    int key_;
};

}  // namespace warpsim::cuda
