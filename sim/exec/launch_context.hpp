// What all warps of a launch share while it runs: immutable, except for the pool of faults that end it.
#pragma once

#include "sim/config/config.hpp"
#include "sim/exec/lanes/transactions.hpp"
#include "sim/exec/op.hpp"
#include "sim/huge_pages.hpp"
#include "sim/memory/global_memory.hpp"
#include "sim/memory/reservation.hpp"
#include "sim/texture/table.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

namespace warpsim::sim {

class KernelCode;
class DeviceHeap;
class DeviceRuntime;
class Notices;
class PrintBuffer;

struct LaunchContext {
    KernelPlan const& plan;
    AccessFunctions const& access;
    AllocationMap const& allocations;
    GlobalMemory const& memory;  // for describing bad addresses, and for the range of its addresses
    texture::TableMap const* textures = nullptr;  // null: there are none
    bool host_trust = false;                      // addresses outside of `memory` are the host's, and are tried
    Windows windows;
    std::array<std::uint32_t, 3> grid{1, 1, 1};
    std::array<std::uint32_t, 3> block{1, 1, 1};
    std::array<std::uint32_t, 3> cluster{1, 1, 1};  // CTAs; divides the grid
    bool explicit_cluster = false;                  // a cluster was requested, even if of one CTA
    std::uint64_t grid_workspace = 0;  // for a cooperative launch: zeroed global memory for its barriers
    std::uint64_t shared_bytes = 0;    // of a CTA, static and dynamic, and the system's where a kernel asks
    std::uint64_t dynamic_shared = 0;
    std::uint64_t grid_id = 0;
    std::uint64_t number = 0;  // of the launch in this process, as LaunchStatistics has it
    std::uint32_t sms = 1;
    ControlFlow control_flow = ControlFlow::independent;
    std::uint32_t convergence_patience = 1000000;  // instructions
    bool late_copies = false;  // asynchronous copies are performed only when something waits for them
    Undefined undefined = Undefined::hardware;
    bool drops_bad_accesses =
        false;                      // a load, store or atomic that faults is left out, for the lane that it is of
    MatrixConfig matrix{};          // how matrix units add
    std::uint64_t stack_bytes = 0;  // per thread, of called functions
    std::byte* plan_block = nullptr;   // base `plan`, initialised
    std::byte* warp_blocks = nullptr;  // base `warp` of each warp of a CTA, one after the other
    std::atomic<std::uint64_t>* sm_clocks =
        nullptr;                       // per SM its executed warp instructions; null when not requested
    KernelCode* code = nullptr;        // null: everything is interpreted
    Banks banks{};                     // of shared memory, for code that counts conflicts
    DeviceHeap* heap = nullptr;        // of malloc; not null if the plan uses it
    DeviceRuntime* runtime = nullptr;  // of dynamic parallelism; not null if the plan uses it
    Notices* notices = nullptr;        // null: notices are dropped
    PrintBuffer* print = nullptr;      // null: what kernels print is dropped
    std::uint32_t warps_per_sm = 0;
    std::uint32_t registers_at_entry = 0;  // of a thread, where setmaxnreg changes them; 0: nothing changes them
    std::uint64_t user_shared = 0;         // bytes of shared memory without the system's part, in whole units
    std::uint64_t reserved_shared = 0;  // bytes of the system's part; follows the user's if a kernel asks for it

    std::uint32_t threads() const { return block[0] * block[1] * block[2]; }
    std::uint64_t ctas() const { return std::uint64_t{grid[0]} * grid[1] * grid[2]; }
    std::uint32_t ctas_per_cluster() const { return cluster[0] * cluster[1] * cluster[2]; }
    std::uint64_t clusters() const { return ctas() / ctas_per_cluster(); }
};

/// Zeroed host memory aligned to a cache line; a copy has bytes of its own.
class AlignedBytes {
public:
    AlignedBytes() = default;
    explicit AlignedBytes(std::size_t bytes) : bytes_(make(bytes)), size_(bytes) {}
    AlignedBytes(AlignedBytes&&) = default;
    AlignedBytes& operator=(AlignedBytes&&) = default;
    AlignedBytes(AlignedBytes const& other) : bytes_(other ? make(other.size_) : nullptr), size_(other.size_) {
        if (other) std::memcpy(bytes_.get(), other.get(), size_);
    }
    AlignedBytes& operator=(AlignedBytes const& other) { return *this = AlignedBytes(other); }

    std::byte* get() const { return bytes_.get(); }
    std::size_t size() const { return size_; }
    explicit operator bool() const { return bytes_ != nullptr; }

private:
    struct Delete {
        Delete() : bytes(0) {}
        explicit Delete(std::size_t all) : bytes(all) {}
        std::size_t bytes;
        void operator()(std::byte* p) const {
            if (p != nothing) give_back_huge(p, bytes);
        }
    };
    using Owner = std::unique_ptr<std::byte[], Delete>;
    static Owner make(std::size_t bytes) {
        if (bytes == 0) return Owner(nothing);
        // Zeroed, as a checkpoint has it all: what nobody reads before it is written is to be the same in every run.
        return Owner(static_cast<std::byte*>(std::memset(take_huge(bytes), 0, bytes)), Delete{bytes});
    }

    /// Of all that have no bytes: memory with this alignment takes longer to get than a small kernel runs.
    alignas(64) static inline std::byte nothing[64] = {};

    Owner bytes_;
    std::size_t size_ = 0;
};

/// Builds the block behind base `plan`: parameters, constants, special registers of the launch.
AlignedBytes make_plan_block(KernelPlan const& plan, LaunchContext const& launch,
                             std::vector<std::byte> const& parameters);
/// Builds the blocks behind base `warp`: the thread ids of each warp are the same in all CTAs.
AlignedBytes make_warp_blocks(KernelPlan const& plan, LaunchContext const& launch);

}  // namespace warpsim::sim
