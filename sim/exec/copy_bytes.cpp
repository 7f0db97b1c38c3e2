#include "sim/exec/copy_bytes.hpp"

#include <algorithm>
#include <cstring>

namespace warpsim::sim {

__attribute__((no_sanitize("thread"), noinline)) void copy_weak(std::byte* to, std::byte const* from,
                                                                std::size_t bytes) {
    std::size_t i = 0;
    for (; i + 8 <= bytes &&
           ((reinterpret_cast<std::uintptr_t>(to + i) | reinterpret_cast<std::uintptr_t>(from + i)) & 7) == 0;
         i += 8) {
        std::uint64_t const word =
            __atomic_load_n(reinterpret_cast<std::uint64_t const*>(from + i), __ATOMIC_RELAXED);
        __atomic_store_n(reinterpret_cast<std::uint64_t*>(to + i), word, __ATOMIC_RELAXED);
    }
    for (; i < bytes; ++i) {
        auto const byte = __atomic_load_n(reinterpret_cast<std::uint8_t const*>(from + i), __ATOMIC_RELAXED);
        __atomic_store_n(reinterpret_cast<std::uint8_t*>(to + i), byte, __ATOMIC_RELAXED);
    }
}

void reduce_weak(std::byte* to, std::byte const* from, std::size_t bytes, std::size_t size, Atomic operation) {
    alignas(64) std::byte column[32 * 16];
    std::byte* bases[4] = {column, column, column, column};
    for (std::size_t at = 0; at < bytes; at += 32 * size) {
        std::size_t const count = std::min<std::size_t>(32, (bytes - at) / size);
        std::memcpy(column, from + at, count * size);
        Addresses a;
        a.pattern = Pattern::affine;
        a.bytes = static_cast<std::uint32_t>(size);
        a.mask = count == 32 ? isa::all_lanes : (1u << count) - 1;
        a.lane_zero = a.low = reinterpret_cast<std::uint64_t>(to) + at;
        a.past_high = a.low + count * size;
        operation(bases, {-4, 0, 0}, a, 0, 0);
    }
}

}  // namespace warpsim::sim
