// Allocating memory in the calling thread's context, as both interfaces offer it.
#pragma once

#include "runtime/cuda/process/process.hpp"

#include <cstddef>

namespace warpsim::cuda {

/// Throws Failure(out_of_memory).
void* allocate(Process& process, MemoryKind kind, std::size_t bytes, unsigned flags = 0);
/// Flags: 1 for all streams, 2 for the host's, 4 for one stream's.
void* allocate_managed(Process& process, std::size_t bytes, unsigned flags);
/// Flags: 1 portable, 2 mapped, 4 write-combined.
void* allocate_host(Process& process, std::size_t bytes, unsigned flags);
struct Pitched {
    void* memory = nullptr;
    std::size_t pitch = 0;  // bytes from row to row
};
Pitched allocate_pitched(Process& process, std::size_t width, std::size_t height, std::size_t depth);
/// Work that may still use the memory is completed first. Null is ignored; throws Failure(invalid_value).
void free_device(Process& process, void* pointer);
void free_host(Process& process, void* pointer);
void unregister_host(Process& process, void* pointer);

/// The memory is available at once, and freed in the stream's order. It comes from a pool; null stands for the
/// current pool of the stream's device.
void* allocate_in_order(Process& process, std::size_t bytes, Stream& stream, void* pool = nullptr);
void free_in_order(Process& process, void* pointer, Stream& stream);
/// Frees at once: memory of a device or of pools, and with `also_managed` managed memory. Throws
/// Failure(invalid_value).
void free_in_turn(Process& process, std::uint64_t address, bool also_managed);

}  // namespace warpsim::cuda
