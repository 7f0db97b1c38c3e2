// The faults by which HostGuard notices accesses of the host.
#pragma once

#include "runtime/host_conflicts.hpp"

#include <csignal>
#include <cstdint>

namespace warpsim::cuda {

/// Catches them from here on; faults of other kinds go to the handlers of the program.
void catch_host_faults();
/// sigaction(), called by the program. True: the faults of that signal are caught, and what it does with others is kept.
bool program_sets_action(int signal, struct sigaction const* wanted, struct sigaction* before);

/// Bytes that the instruction of the host accesses, as far as they are known; at least 1.
std::uint32_t bytes_of_access(unsigned char const* code);

/// A call of the system is about to use memory of the host: it would fail where pages are protected. `call`: its name.
void host_call_uses(void const* memory, std::uint64_t bytes, bool is_written, char const* call);

}  // namespace warpsim::cuda
