// Memory of this process whose extent nobody knows: kernels that were given plain host pointers use it. Whether an
// address may be used is seen only by using it, so a fault of the host is caught and told.
#pragma once

#include <cstdint>
#include <string>

namespace warpsim::sim {

/// What the host's hardware said of an access.
struct HostFault {
    bool happened = false;
    bool has_address = false;  // false for addresses that no process can have
    std::uint64_t address = 0;
    char const* reason = "";  // "this process has no memory there"

    explicit operator bool() const { return happened; }
};

/// Catches SIGSEGV and SIGBUS from here on, as long as nobody takes them over; called before each launch that
/// needs it. What happens outside of with_host_memory() goes to whoever caught it before.
void watch_host_memory();

/// Calls work(argument), which may use any address. A fault ends it where it is: it must own nothing and hold no
/// lock.
HostFault with_host_memory(void (*work)(void*), void* argument);
template <class F> HostFault with_host_memory(F&& work) {
    return with_host_memory([](void* w) { (*static_cast<F*>(w))(); }, &work);
}

/// Whether all of [address, address + bytes) may be read, or written; nothing is changed.
HostFault try_host_memory(std::uint64_t address, std::uint64_t bytes, bool is_written);

}  // namespace warpsim::sim
