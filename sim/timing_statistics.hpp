// What only a timing run knows of a launch. Integers; rates are derived when printed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::sim {

/// What a warp that does not issue waits for, as Nsight Compute names it.
enum class StallReason : std::uint8_t {
    wait,              // a fixed number of cycles, for a result of arithmetic
    long_scoreboard,   // data from L1 and beyond
    short_scoreboard,  // shared memory, special functions, shuffles
    barrier,
    membar,              // a fence, until its writes are done
    math_pipe_throttle,  // its unit is busy
    lg_throttle,         // the queue of memory operations is full, and it wants global or local memory
    mio_throttle,        // ... shared memory; or special functions, shuffles and their like are busy
    tex_throttle,        // arithmetic that the sub-cores share (profilers: "decoupled math") is busy
    dispatch_stall,      // its unit would be free, but the registers of the one before are still being read
    imc_miss,            // a constant
    no_instruction,      // its next instruction is not here
    branch_resolving,
    sleeping,
    drain,         // it has exited, and its writes are not done
    not_selected,  // it could issue, another one did
    count,
};
inline constexpr std::size_t stall_reasons = static_cast<std::size_t>(StallReason::count);
std::string_view name(StallReason reason);

/// What one PTX instruction did, and what warps waited for that came to it.
struct LineProfile {
    std::string function;
    std::string place;  // "saxpy.ptx:41"
    std::string text;
    std::string source;                                 // "kernels.cu:6"; empty when the PTX does not say
    std::uint64_t executed = 0;                         // by warps
    std::uint64_t threads = 0, threads_guarded = 0;     // their active lanes, before and after the guard
    std::uint64_t micro_ops = 0;                        // issued; none where another instruction's do its work
    std::array<std::uint64_t, stall_reasons> stalls{};  // warp cycles
};

/// What happened in so many cycles, on the whole GPU.
struct IntervalSample {
    std::uint64_t micro_ops = 0;
    std::uint64_t resident_warp_cycles = 0;
    std::array<std::uint64_t, stall_reasons> stalls{};  // warp cycles
    std::uint64_t l1_load_sectors = 0, l1_tag_hits = 0, l1_store_sectors = 0, l1_atomic_sectors = 0;
    std::uint64_t shared_requests = 0;
    std::uint64_t l2_read_sectors = 0, l2_write_sectors = 0, l2_atomic_sectors = 0, l2_tag_hits = 0;
    std::uint64_t dram_read_sectors = 0, dram_written_sectors = 0;
    std::uint64_t noc_request_bytes = 0, noc_reply_bytes = 0;

    IntervalSample& operator+=(IntervalSample const& o);
    IntervalSample& operator-=(IntervalSample const& o);
};

/// What only a timing run knows. Cycles are core cycles.
struct TimingCounts {
    std::uint64_t cycles = 0;
    std::uint32_t clock_mhz = 0;
    std::uint32_t sms = 0;
    std::uint32_t sub_cores = 0;
    std::uint64_t micro_ops = 0;  // warp instructions of the hardware
    std::uint64_t thread_micro_ops = 0;
    std::uint64_t code_size = 0;  // of the kernel, instructions of the hardware
    double theoretical_occupancy = 0;
    std::uint32_t max_warps = 0;  // of an SM
    std::string limited_by;
    std::uint64_t active_cycles = 0;  // of all SMs, with at least one warp
    std::uint64_t resident_warp_cycles = 0;
    std::uint64_t occupied_slots = 0;                   // cycles of schedulers that had a warp
    std::array<std::uint64_t, stall_reasons> stalls{};  // warp cycles
    struct Unit {
        std::string name;
        std::uint64_t micro_ops = 0;
        std::uint64_t busy_cycles = 0;
        std::uint64_t cycles = 0;  // of all such units in SMs that had a warp
    };
    std::vector<Unit> units;  // all that there are, whatever a kernel uses: tables have their columns
    std::uint64_t tlb_hits = 0, tlb_misses = 0;  // of pages; 0 when translation is not modelled
    std::uint64_t constant_loads = 0, constant_misses = 0;
    struct {
        std::uint64_t bytes_per_thread = 0;             // of local memory
        std::uint64_t loads = 0, stores = 0;            // executed by warps
        std::uint64_t load_bytes = 0, store_bytes = 0;  // of all threads
    } spills;                                           // values that did not fit the registers
    struct {
        std::uint64_t load_requests = 0, store_requests = 0, atomic_requests = 0;
        std::uint64_t load_sectors = 0, store_sectors = 0, atomic_sectors = 0;
        std::uint64_t sector_hits = 0, tag_hits = 0;  // of loads; see L1Statistics
        std::uint64_t store_hits = 0;                 // sectors of stores that were here
        std::uint64_t mshr_stall_cycles = 0;
        std::uint64_t shared_requests = 0, shared_conflicts = 0;
        std::uint64_t remote_requests = 0;  // to shared memory of other SMs
    } l1;
    struct {
        std::uint64_t read_sectors = 0, write_sectors = 0, atomic_sectors = 0;
        std::uint64_t sector_hits = 0, tag_hits = 0;  // of reads and atomics
        std::uint64_t written_back_sectors = 0;
        std::uint64_t stall_cycles = 0;
    } l2;
    struct {
        std::uint64_t read_sectors = 0, written_sectors = 0;
        std::uint64_t row_hits = 0, row_misses = 0;
        std::uint64_t busy_cycles = 0;  // of the data buses, memory clock
        std::uint32_t channels = 0;
        std::uint32_t clock_mhz = 0;
    } dram;
    struct {
        std::uint64_t request_bytes = 0, reply_bytes = 0;
    } noc;
    // Only when asked for.
    std::vector<LineProfile> profile;       // of all instructions that were executed, in the order of the program
    std::uint64_t interval_cycles = 0;      // of one sample; 0: none
    std::vector<IntervalSample> intervals;  // the first from cycle 0 on
};

}  // namespace warpsim::sim
