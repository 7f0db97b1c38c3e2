// What checkers say of a program's own calls: those that failed and that it did not look at, and what is left at the end.
#pragma once

#include "runtime/check/checkers.hpp"
#include "runtime/cuda/core/call_site.hpp"
#include "runtime/cuda/core/errors.hpp"

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace warpsim::cuda {

class Process;

class HostChecks {
public:
    /// Null: nothing is checked. `tells_of_calls`: somebody else listens to the program's calls.
    HostChecks(check::Checkers* checkers, bool tells_of_calls);

    bool looks_at_calls() const { return looks_at_calls_; }
    bool looks_at_order() const { return looks_at_order_; }
    /// Whether somebody wants to know which kernels may begin early.
    bool looks_at_dependences() const { return looks_at_order_ || looks_for_races_; }
    /// The call that the thread is in fails.
    void fail(std::uint64_t thread, Failure const& failure);
    /// The thread has asked for its last error.
    void look(std::uint64_t thread);
    /// The program has asked what an error is called.
    void look(Result result);
    /// The call launches a kernel that does not wait for the one before it, which lets it begin early.
    void tell_early(std::string const& kernel, std::string const& before);
    /// Nobody will look any more.
    void finish(Process& process);

private:
    void find_leaks(Process& process);
    void tell(BadMemory const& bad, CallSite const& site);

    check::Checkers* checkers_;
    bool looks_at_calls_ = false, looks_for_leaks_ = false, looks_at_memory_ = false, looks_at_order_ = false,
         looks_for_races_ = false;
    struct Failed {
        std::uint64_t thread;
        Result result;
        std::uintptr_t code;  // of the call
        check::Finding finding;
    };
    std::mutex mutex_;
    std::vector<Failed> failed_;
};

}  // namespace warpsim::cuda
