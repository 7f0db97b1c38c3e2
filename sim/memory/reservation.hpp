// The one range of host virtual addresses that contains all simulated device memory, so that a device address is
// also a host address and is the same in every run. It is reserved once per process, and unreadable until
// allocated.
//
//   base                                                          base + devices * slot_bytes
//   | device 0 | device 1 | ...                                   | shared | local | param |   4 GiB windows
#pragma once

#include <cstdint>

namespace warpsim::sim {

inline constexpr int max_devices = 16;
inline constexpr std::uint64_t usual_base = 0x10000000000;
inline constexpr std::uint64_t window_bytes = std::uint64_t{1} << 32;

/// Where generic addresses of the spaces other than global memory lie. Nothing is ever mapped there, so no host
/// pointer can fall inside.
struct Windows {
    std::uint64_t shared = 0;
    std::uint64_t local = 0;
    std::uint64_t param = 0;  // kernel parameters; inside the global window, as the ISA defines it

    static bool inside(std::uint64_t address, std::uint64_t window) { return address - window < window_bytes; }
};

/// A program with 32-bit addresses knows the lower half of each address: its device's memory, which begins at a
/// multiple of 4 GiB, ends where these small windows of the other spaces begin.
inline constexpr Windows narrow_windows{0xfd000000, 0xfe000000, 0xff000000};
inline constexpr std::uint64_t narrow_window_bytes = std::uint64_t{1} << 24;

class Reservation {
public:
    /// The reservation of this process, made at the first call. Throws Error(launch) when the host refuses the
    /// range.
    static Reservation& process();

    std::uint64_t slot_bytes() const { return slot_bytes_; }
    Windows const& windows() const { return windows_; }
    std::uint64_t base() const { return base_; }
    /// The base address of a free device slot; throws Error(launch) when all are taken.
    std::uint64_t acquire_slot();
    /// Returns the slot's memory to the host and makes it unreadable again.
    void release_slot(std::uint64_t base);

private:
    Reservation();

    std::uint64_t base_ = 0;
    std::uint64_t slot_bytes_ = 0;
    Windows windows_;
    std::uint32_t taken_ = 0;  // guarded by a mutex in the source file
};

}  // namespace warpsim::sim
