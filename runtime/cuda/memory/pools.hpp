// Memory pools, the source of asynchronous allocations, as far as programs can see them: how much is in use, how
// much is kept. The memory itself comes from the device like all other.
#pragma once

#include "runtime/cuda/core/handles.hpp"
#include "runtime/cuda/memory/memory.hpp"

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace warpsim::cuda {

/// The kind of memory in a pool, and where it is.
struct PoolPlace {
    MemoryKind kind = MemoryKind::device;  // or host, or managed
    int device = 0;                        // 0 for the host
    auto operator<=>(PoolPlace const&) const = default;
};

class Pool {
public:
    Pool(PoolPlace const& of, std::uint64_t most_bytes) : place(of), most_(most_bytes) {}

    PoolPlace const place;
    void* handle = nullptr;
    bool is_default = false;

    /// Throws Failure(out_of_memory) when the pool's limit is exceeded.
    void take(std::uint64_t bytes);
    void give_back(std::uint64_t bytes);
    /// Releases unused memory, but keeps at least this much.
    void trim(std::uint64_t bytes);
    /// By the numbers of cudaMemPoolAttr: 1 to 3 are an int, 4 to 8 a std::uint64_t. Throw Failure(invalid_value).
    void get(int attribute, void* value) const;
    void set(int attribute, void const* value);

private:
    void keep(std::uint64_t at_most);

    mutable std::mutex mutex_;
    std::uint64_t const most_;  // 0: no limit
    int reuse_[3] = {1, 1, 1};
    std::uint64_t release_threshold_ = 0;
    std::uint64_t used_ = 0, used_high_ = 0, reserved_ = 0, reserved_high_ = 0;
};

class Pools {
public:
    Pools(HandleTable& handles, int devices);

    /// Throws Failure(invalid_value) for an unknown handle.
    std::shared_ptr<Pool> get(void const* handle) const { return pools_.get(handle, Result::invalid_value); }
    std::shared_ptr<Pool> find(void const* handle) const { return pools_.find(handle); }
    void* default_of(PoolPlace const& place);
    void* current_of(PoolPlace const& place);
    /// Throws Failure(invalid_value) for a pool in another location.
    void set_current(PoolPlace const& place, void* handle);
    void* create(PoolPlace const& place, std::uint64_t most_bytes);
    /// Throws Failure(invalid_value) for a default pool.
    void destroy(void* handle);

private:
    Handles<Pool> pools_;
    std::mutex mutex_;
    std::map<PoolPlace, void*> default_, current_;  // of devices, and of other locations that were asked for
};

}  // namespace warpsim::cuda
