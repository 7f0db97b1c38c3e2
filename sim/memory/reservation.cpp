#include "sim/memory/reservation.hpp"

#include "sim/error.hpp"

#include <array>
#include <mutex>
#include <string>
#include <sys/mman.h>

namespace warpsim::sim {

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WARPSIM_SHADOWED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define WARPSIM_SHADOWED 1
#endif
#endif

#ifdef WARPSIM_SHADOWED
// The sanitizers' shadow memory occupies the low addresses; only the top of the user range is always free.
constexpr std::array<std::uint64_t, 2> bases{0x7e8000000000, 0x7ea000000000};
constexpr std::uint64_t bytes_per_slot = std::uint64_t{4} << 30;
#else
// Allocators that ask for addresses of their own choice sit at 2 to 32 TiB (mimalloc, and so pyarrow and pandas).
constexpr std::array<std::uint64_t, 5> bases{usual_base, 0x200000000000, 0x300000000000, 0x400000000000,
                                             0x500000000000};
constexpr std::uint64_t bytes_per_slot = std::uint64_t{256} << 30;
#endif

std::mutex slots_mutex;

bool reserve(std::uint64_t base, std::uint64_t bytes) {
    void* const wanted = reinterpret_cast<void*>(base);
    void* const got =
        mmap(wanted, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == MAP_FAILED) return false;
    if (got != wanted) {  // the kernel does not know MAP_FIXED_NOREPLACE
        munmap(got, bytes);
        return false;
    }
    madvise(got, bytes, MADV_DONTDUMP);
    return true;
}

}  // namespace

Reservation& Reservation::process() {
    static Reservation reservation;
    return reservation;
}

Reservation::Reservation() : slot_bytes_(bytes_per_slot) {
    std::uint64_t const bytes = max_devices * bytes_per_slot + 3 * window_bytes;
    for (std::uint64_t const base : bases) {
        if (!reserve(base, bytes)) continue;
        base_ = base;
        break;
    }
    if (base_ == 0) {
        throw Error(ErrorKind::launch, "cannot reserve " + std::to_string(bytes >> 30) +
                                           " GiB of virtual addresses for device memory (is `ulimit -v` set?)");
    }
    std::uint64_t const end = base_ + max_devices * bytes_per_slot;
    windows_ = {end, end + window_bytes, end + 2 * window_bytes};
}

std::uint64_t Reservation::acquire_slot() {
    std::lock_guard const lock(slots_mutex);
    for (unsigned i = 0; i < max_devices; ++i) {
        if ((taken_ >> i & 1) != 0) continue;
        taken_ |= 1u << i;
        return base_ + i * slot_bytes_;
    }
    throw Error(ErrorKind::launch,
                "a process can have at most " + std::to_string(max_devices) + " devices at once");
}

void Reservation::release_slot(std::uint64_t base) {
    std::lock_guard const lock(slots_mutex);
    void* const address = reinterpret_cast<void*>(base);
    mmap(address, slot_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    madvise(address, slot_bytes_, MADV_DONTDUMP);
    taken_ &= ~(1u << ((base - base_) / slot_bytes_));
}

}  // namespace warpsim::sim
