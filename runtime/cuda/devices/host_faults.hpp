// The faults by which HostGuard notices accesses of the host.
#pragma once

#include "runtime/host_conflicts.hpp"

#include <csignal>
#include <cstdint>
#include <utility>
#include <vector>

namespace warpsim::cuda {

/// Catches them from here on; faults of other kinds go to the handlers of the program.
void catch_host_faults();
/// sigaction(), called by the program. True: the faults of that signal are caught, and what it does with others is kept.
bool program_sets_action(int signal, struct sigaction const* wanted, struct sigaction* before);

/// Bytes that the instruction of the host accesses, as far as they are known; at least 1.
std::uint32_t bytes_of_access(unsigned char const* code);

/// A call of the system that is about to use memory of the host, while it lives: it would fail where pages are protected.
class HostCall {
public:
    explicit HostCall(char const* name) : name_(name) {}
    ~HostCall();
    HostCall(HostCall const&) = delete;
    HostCall& operator=(HostCall const&) = delete;

    void uses(void const* memory, std::uint64_t bytes, bool is_written);

private:
    char const* name_;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> lent_;  // begins and bytes
};

}  // namespace warpsim::cuda
