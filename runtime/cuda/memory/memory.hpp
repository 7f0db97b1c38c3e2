// The memory that a program has allocated, and what each range of it is. Every address that a kernel can reach is
// an address of this process, so that host code may follow pointers to managed and pinned memory.
#pragma once

#include "runtime/cuda/core/call_site.hpp"
#include "runtime/cuda/devices/gpu.hpp"
#include "runtime/cuda/memory/host_memory.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace warpsim::cuda {

/// What reads and writes it: texels are those of an array.
enum class MemoryUse : std::uint8_t { bytes, texels };
enum class MemoryKind : std::uint8_t { device, host, registered, managed, variable, managed_variable };

/// 0 none, 1 a device, 2 the host, 3 and 4 a part of the host.
struct MemoryPlace {
    int type = 0;
    int id = 0;
};
/// Stands for a device's number: none, and for memory that CUDA does not know.
inline constexpr int no_device = -2;

struct MemoryAdvice {
    bool is_read_mostly = false;
    MemoryPlace preferred, last_prefetch;
    std::vector<int> accessed_by;  // devices; -1: the host
};

struct MemoryRange {
    std::uint64_t begin = 0;
    std::uint64_t size = 0;
    MemoryKind kind = MemoryKind::device;
    int device = 0;
    unsigned flags = 0;        // as given to cudaHostAlloc, cudaHostRegister, cudaMallocManaged
    std::uint64_t pool = 0;    // the handle of the pool it came from; 0: none
    void* context = nullptr;   // in which it was allocated
    std::uint64_t id = 0;      // a number that no other range has
    bool is_of_graph = false;  // kept for a graph when it is freed
    bool is_mapped = false;    // mapped by the program: may continue in the next range
    MemoryAdvice advice = {};
    std::shared_ptr<CallSite const> made_by =
        CallSite::is_wanted ? std::make_shared<CallSite const>(CallSite::present()) : nullptr;

    std::uint64_t end() const { return begin + size; }
};

class Memory {
public:
    explicit Memory(Gpus const& gpus);

    /// Zeroed memory of that device, which all devices may access unless it is of kind `device`. For zero bytes
    /// the result is 0. Throws Failure(out_of_memory).
    std::uint64_t allocate(MemoryKind kind, int device, std::uint64_t bytes, unsigned flags = 0,
                           std::uint64_t pool = 0, MemoryUse use = MemoryUse::bytes);
    /// Frees what allocate() returned, if it is of one of these kinds; 0 is ignored. Throws Failure(otherwise).
    void free(std::uint64_t address, std::initializer_list<MemoryKind> kinds, Result otherwise);
    /// Frees everything that was allocated in a context, `with_pools`: what came from pools as well.
    void free_all(void const* context, bool with_pools);
    void add_registered(std::uint64_t address, std::uint64_t bytes, unsigned flags);
    void remove_registered(std::uint64_t address);
    /// Registers memory of a module, which lasts as long as the module.
    void add_variable(std::uint64_t address, std::uint64_t bytes, int device, bool is_managed);
    void remove_variable(std::uint64_t address);

    /// Memory of graphs: recognised while it is live, reserved otherwise. suspend() with `is_new` takes over what
    /// allocate() returned; end_of_graph() frees it, or leaves it to the program when it is live.
    void suspend(std::uint64_t address, bool is_new = false);
    void resume(std::uint64_t address, std::uint64_t bytes, MemoryKind kind, int device);
    void end_of_graph(std::uint64_t address, std::uint64_t bytes, MemoryKind kind, int device);
    /// Whether an address belongs to memory of a graph that is not live.
    bool is_suspended(std::uint64_t address) const;
    /// Of a device: what is live; what has been live at a time, which stays in use by graphs, and reserved for them,
    /// until it is trimmed.
    struct GraphUse {
        std::uint64_t live = 0, used = 0, used_high = 0, reserved = 0, reserved_high = 0;
    };
    GraphUse graph_use(int device) const;
    void reset_graph_use(int device, bool of_used);
    void trim_graph_use(int device);

    /// Memory that a program maps itself: recognised while a device may use it, and counted as long as it exists.
    void add_mapped(std::uint64_t address, std::uint64_t bytes, int device);
    void take_physical(int device, std::uint64_t bytes);
    void return_physical(int device, std::uint64_t bytes);

    /// Throws Failure(invalid_device) for an unknown number.
    void check_device(int device) const;
    template <class Each> void for_each(Each&& each) const {
        std::lock_guard const lock(mutex_);
        for (auto const& [address, range] : ranges_) each(range);
    }
    /// The range that holds an address.
    std::optional<MemoryRange> find(std::uint64_t address) const;
    void set_advice(std::uint64_t begin, MemoryAdvice const& advice);
    /// Throws BadMemory(invalid_value) when only a part of [address, address + bytes) is in a known range, or when it is
    /// memory of a device that is not allocated.
    void check(std::uint64_t address, std::uint64_t bytes) const;
    /// What is at an address that no range holds: "0x10000000000, inside a freed 64-byte allocation at 0x10000000000".
    std::string describe(std::uint64_t address) const;
    /// Free and total bytes of a device, limited to what the host can give.
    struct Amount {
        std::uint64_t free = 0;
        std::uint64_t total = 0;
    };
    Amount amount(int device) const;

private:
    void give_back(MemoryRange const& range);
    std::uint64_t total(int device) const;
    /// The memory of a device that is not given out yet, limited to what the host has left.
    std::uint64_t unpromised(int device) const;
    bool is_suspended_here(std::uint64_t address) const;
    bool is_shared(MemoryKind kind) const { return kind == MemoryKind::host || kind == MemoryKind::managed; }

    Gpus const& gpus_;
    HostMemory const host_;
    mutable std::mutex mutex_;
    std::map<std::uint64_t, MemoryRange> ranges_;
    std::uint64_t last_id_ = 0;
    std::map<int, GraphUse> graph_use_;
    std::map<std::uint64_t, std::uint64_t> suspended_;  // bytes by address
    std::uint64_t physical(int device) const;
    std::map<int, std::uint64_t> physical_;  // bytes of mapped memory
};

}  // namespace warpsim::cuda
