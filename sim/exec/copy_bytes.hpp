// How asynchronous copies touch memory that other host threads may use at the same time.
#pragma once

#include "sim/exec/lanes/atomics.hpp"

#include <cstddef>
#include <cstdint>

namespace warpsim::sim {

/// Weak accesses, like a program's own loads and stores.
void copy_weak(std::byte* to, std::byte const* from, std::size_t bytes);

using SixteenBytes = std::uint64_t __attribute__((vector_size(16), aligned(1), may_alias));
/// The same for a row of a matrix, or what a thread copies at a time.
[[gnu::no_sanitize_thread]] inline void copy_sixteen(std::byte* to, std::byte const* from) {
    *reinterpret_cast<SixteenBytes*>(to) = *reinterpret_cast<SixteenBytes const*>(from);
}
/// Combines what is at `to` with elements of `size` bytes, in batches of 32, like a reduction by a warp.
void reduce_weak(std::byte* to, std::byte const* from, std::size_t bytes, std::size_t size, Atomic operation);

}  // namespace warpsim::sim
