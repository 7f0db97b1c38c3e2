// Addresses without memory, memory without addresses, and mapping one to the other: the program's own page tables.
// Everything is a multiple of the granularity.
#pragma once

#include "runtime/cuda/core/handles.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>

namespace warpsim::cuda {

class Gpu;
class Memory;

/// Memory without an address of its own: pages of an anonymous file, which can be mapped several times.
class PhysicalMemory {
public:
    /// `types` are the kinds of handles that other processes may get, as CUmemAllocationHandleType. Throws
    /// Failure(out_of_memory).
    PhysicalMemory(Memory& memory, int device, std::uint64_t bytes, int types);
    /// The contents of the file of another PhysicalMemory, in this process or another. Throws
    /// Failure(invalid_value) for any other file; keeps a copy of the descriptor.
    PhysicalMemory(Memory& memory, int device, int file);
    ~PhysicalMemory();
    PhysicalMemory(PhysicalMemory const&) = delete;
    PhysicalMemory& operator=(PhysicalMemory const&) = delete;

    int const device;
    std::uint64_t const bytes;
    int const handle_types;
    int file() const { return file_; }
    std::uint64_t handle = 0;
    int references = 1;  // held by the program, guarded by VirtualMemory

private:
    Memory& memory_;
    bool const is_counted_;  // in the amount that the device has given out
    int file_ = -1;
};

class VirtualMemory {
public:
    VirtualMemory(HandleTable& handles, Memory& memory)
        : memory_(memory), memories_(handles, HandleKind::physical_memory) {}

    static constexpr std::uint64_t granularity = std::uint64_t{2} << 20;

    // All throw Failure(invalid_value) for arguments that are not multiples, or are not reserved or mapped as
    // required.

    /// Throws Failure(out_of_memory). `wanted` is a hint.
    std::uint64_t reserve(std::uint64_t bytes, std::uint64_t alignment, std::uint64_t wanted);
    void free(std::uint64_t address, std::uint64_t bytes);
    std::uint64_t create(int device, std::uint64_t bytes, int handle_types);
    std::uint64_t import(int device, int file);
    void release(std::uint64_t handle);
    /// The handle of the memory that is mapped at an address, with one reference more.
    std::uint64_t retain(std::uint64_t address);
    std::shared_ptr<PhysicalMemory> physical(std::uint64_t handle) const;
    void map(std::uint64_t address, std::uint64_t bytes, std::uint64_t offset, std::uint64_t handle);
    void unmap(std::uint64_t address, std::uint64_t bytes);
    /// Allows or forbids a device to read and write whole mappings.
    void set_access(std::uint64_t address, std::uint64_t bytes, Gpu& gpu, bool is_allowed);
    bool has_access(std::uint64_t address, Gpu const& gpu) const;

private:
    struct Mapping {
        std::uint64_t bytes = 0;
        std::shared_ptr<PhysicalMemory> memory;
        std::set<Gpu*> devices;
    };
    bool is_reserved(std::uint64_t address, std::uint64_t bytes) const;
    template <class F> void for_whole_mappings(std::uint64_t address, std::uint64_t bytes, F&& visit);
    void end_access(std::uint64_t address, Mapping& mapping, Gpu& gpu);

    Memory& memory_;
    mutable std::mutex mutex_;
    std::map<std::uint64_t, std::uint64_t> reserved_;  // bytes by address
    std::map<std::uint64_t, Mapping> mappings_;        // by address
    Handles<PhysicalMemory> memories_;
};

}  // namespace warpsim::cuda
