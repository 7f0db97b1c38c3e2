// Memory of this process whose extent is unknown; kernels that are given plain host pointers use it. Whether an
// address is valid can only be found out by using it, so a fault of the host is caught and reported.
#pragma once

#include <csignal>
#include <cstdint>
#include <string>

namespace warpsim::sim {

/// What the host's hardware reported about an access.
struct HostFault {
    bool happened = false;
    bool has_address = false;  // false for an address that no process can have
    std::uint64_t address = 0;
    char const* reason = "";  // "this process has no memory there"

    explicit operator bool() const { return happened; }
};

/// Catches SIGSEGV and SIGBUS from here on, until something else replaces the handlers; called before each launch
/// that needs it. Faults outside of with_host_memory() go to the previous handlers.
void watch_host_memory();

/// Is asked first about pages that are there and protected, with what a handler is told: true if the access may be tried again.
using MayRetry = bool (*)(siginfo_t const& info, void* context);
void ask_about_protected_pages(MayRetry may_retry);

/// Calls work(argument), which may use any address. A fault abandons it where it stands, so it must own nothing
/// and hold no lock.
HostFault with_host_memory(void (*work)(void*), void* argument);
template <class F> HostFault with_host_memory(F&& work) {
    return with_host_memory([](void* w) { (*static_cast<F*>(w))(); }, &work);
}

/// Whether all of [address, address + bytes) can be read, or written; its contents do not change.
HostFault try_host_memory(std::uint64_t address, std::uint64_t bytes, bool is_written);

}  // namespace warpsim::sim
