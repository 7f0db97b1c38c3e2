// One GPU as its configuration describes it. The members mirror the keys of configs/schema.json, name for name;
// what a figure means stands in the schema, where it comes from in the "sources" of the configuration's own file.
//
// Groups that only a timing run reads are std::optional: a configuration that is meant for functional runs leaves
// them out. A member's initialiser is the schema's default; those that are 0 may be required by it instead.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::sim {

struct ComputeCapability {
    std::uint32_t major = 0;
    std::uint32_t minor = 0;
    /// As in sm_90: 90 for 9.0, 120 for 12.0.
    constexpr int number() const { return static_cast<int>(major * 10 + minor); }
    auto operator<=>(ComputeCapability const&) const = default;
};

enum class ControlFlow : std::uint8_t { independent, stack };

std::string_view name(ControlFlow control_flow);

/// What happens where the PTX manual says that behaviour is undefined and hardware goes on.
enum class Undefined : std::uint8_t { hardware, fault };

std::string_view name(Undefined undefined);

/// Where an access to global memory is a fault: outside of allocations, or, as on hardware, of the 2 MiB pages that
/// hold them.
enum class Bounds : std::uint8_t { exact, page };

std::string_view name(Bounds bounds);

struct SchedulerConfig {
    std::string policy = "cggty";       // one of sim/timing/sm/scheduler_*.cpp
    std::uint32_t issue_per_cycle = 1;  // instructions of one sub-core
    std::uint32_t active_warps = 8;     // of one sub-core; two_level only
};

struct SharedBanksConfig {
    std::uint32_t count = 32;
    std::uint32_t width_bytes = 4;
    std::uint32_t load_latency_cycles = 0;
    std::uint32_t store_latency_cycles = 0;
    std::uint32_t conflict_latency_cycles = 2;  // latency added by each pass after the first
};

/// Shared memory: the sizes that every run needs, and the banks that timing needs.
struct SharedConfig {
    std::uint32_t size_kib = 0;                 // the most one SM can give to shared memory
    std::vector<std::uint32_t> carve_outs_kib;  // the sizes the SM can be split to, ascending
    std::uint32_t cta_default_kib = 48;         // a CTA's limit without opt-in
    std::uint32_t cta_opt_in_kib = 0;           // and with it
    std::uint32_t cta_reserved_bytes = 0;       // taken by the system from each CTA's share
    std::uint32_t allocation_unit_bytes = 0;
    std::optional<SharedBanksConfig> banks;

    std::uint32_t size_bytes() const { return size_kib * 1024; }
    std::uint32_t cta_default_bytes() const { return cta_default_kib * 1024; }
    std::uint32_t cta_opt_in_bytes() const { return cta_opt_in_kib * 1024; }
    /// What a CTA that asks for `bytes` (static and dynamic) occupies of its SM.
    std::uint64_t allocated_bytes(std::uint64_t bytes) const;
};

struct FrontEndConfig {
    std::uint32_t instruction_bytes = 16;
    std::uint32_t buffer_entries = 0;       // instructions held per warp
    std::uint32_t taken_branch_cycles = 0;  // issue slots lost by the warp
    std::uint32_t branch_cycles = 1;        // from one that is not taken to the next instruction
    std::uint32_t line_bytes = 128;
    std::uint32_t l0_size_kib = 0;  // per sub-core
    std::uint32_t l0_ways = 8;
    std::uint32_t l0_prefetch_lines = 0;
    std::uint32_t l0_miss_cycles = 0;  // to the SM's instruction cache
    std::uint32_t l1_size_kib = 0;     // per SM
    std::uint32_t l1_ways = 8;
    std::uint32_t l1_miss_cycles = 0;  // to L2
    bool fetch_from_l2 = false;        // misses of the SM's cache are requests to L2, and take as long as these do
};

struct RegisterFileConfig {
    std::uint32_t banks = 0;               // per sub-core
    std::uint32_t ports_per_bank = 1;      // reads of one warp-wide 32-bit register per cycle
    std::uint32_t read_window_cycles = 0;  // that a fixed-latency instruction has to read its operands
    bool reuse_cache = true;
};

/// Dependences that cost more than the producing unit's latency.
struct DependenceConfig {
    std::uint32_t cross_unit_cycles = 0;          // added from alu to fma or back
    std::uint32_t predicate_to_guard_cycles = 0;  // from a predicate's writer to a branch, guard or vote
    std::uint32_t address_cycles = 0;  // added from an arithmetic result to the address of a memory access
    std::uint32_t counters = 0;        // of a warp, for results of variable latency; 0: as many as it needs
};

struct UnitConfig {
    std::uint32_t latency_cycles = 0;         // issue to the earliest issue of a dependent instruction
    std::uint32_t issue_interval_cycles = 0;  // between two warp instructions of one sub-core (SM, if per_sm)
    bool per_sm = false;                      // one unit serves all sub-cores
    bool scoreboarded = false;                // variable latency: the scoreboard announces the result
};

/// Dense fused multiply-adds per cycle of one SM; 0: the unit computes the type as the next wider one.
struct TensorConfig {
    std::uint32_t latency_cycles = 0;          // of mma.m16n8k16 in fp16
    std::uint32_t f16_sum_latency_cycles = 0;  // the same with sums in fp16; 0: as long
    std::uint32_t warp_mma_percent = 100;      // share of the rates below that mma of one warp reaches; wgmma: all
    std::uint32_t f32_sum_percent =
        100;  // share of the rates of floats up to 16 bits that remains with sums in f32
    std::uint32_t fp16_fma_per_cycle = 0;
    std::uint32_t tf32_fma_per_cycle = 0;
    std::uint32_t fp8_fma_per_cycle = 0;
    std::uint32_t warpgroup_fp8_fma_per_cycle = 0;  // of wgmma; 0: as the one above
    std::uint32_t warpgroup_tail_cycles = 0;        // of a wait for wgmma, beyond its operands and multiply-adds
    std::uint32_t warpgroup_queue_entries = 0;      // products in the unit and in front of it; 0: any number
    std::uint32_t fp4_fma_per_cycle = 0;
    std::uint32_t int8_fma_per_cycle = 0;
    std::uint32_t int4_fma_per_cycle = 0;
    std::uint32_t int1_fma_per_cycle = 0;
    std::uint32_t fp64_fma_per_cycle = 0;
    std::uint32_t tensor_memory_latency_cycles = 16;    // of tcgen05.ld, beyond what it moves
    std::uint32_t tensor_memory_bytes_per_cycle = 256;  // that a sub-core moves between its quarter and registers
    std::uint32_t tensor_memory_copy_bytes_per_cycle = 64;  // of tcgen05.cp, from shared memory
    std::uint32_t tensor_memory_tail_cycles = 58;  // from the end of the unit's work to the arrival of a commit
};

struct UnitsConfig {
    UnitConfig alu;
    UnitConfig fma;
    UnitConfig fp16;
    UnitConfig fp64;
    UnitConfig sfu;
    UnitConfig branch;
    UnitConfig shuffle;
    UnitConfig vote;
    std::optional<UnitConfig> uniform;   // no uniform datapath where absent
    std::optional<TensorConfig> tensor;  // no tensor cores where absent
};

struct LsuConfig {
    std::uint32_t queue_entries = 0;            // per sub-core
    std::uint32_t address_interval_cycles = 0;  // per sub-core
    std::uint32_t accept_interval_cycles = 0;   // of the part that the sub-cores share
    std::uint32_t coalescing_threads = 8;       // threads whose accesses are merged together
    std::uint32_t return_bytes_per_cycle = 0;   // into the register files
    bool packs_equal_pairs = false;             // twice that for wide shared loads by pairs of lanes of the same
};

struct TextureConfig {
    std::uint32_t units = 4;                    // of an SM
    std::uint32_t filter_bytes_per_cycle = 16;  // texels that each of them filters
    std::uint32_t fetch_bytes_per_cycle = 8;    // of a texel that is not filtered
    std::uint32_t queue_entries = 8;            // instructions that wait for them
    std::uint32_t hit_latency_cycles = 86;      // from issue to use
};

struct L1Config {
    std::uint32_t size_kib = 0;   // together with shared memory
    std::uint32_t cache_kib = 0;  // of what shared memory leaves, at most; 0: all of it
    std::uint32_t line_bytes = 128;
    std::uint32_t sector_bytes = 32;
    std::uint32_t ways = 0;
    std::string replacement = "lru";  // one of sim/timing/memory/replacement_*.cpp
    std::string write_policy =
        "allocate";                    // of stores, one of sim/timing/memory/write_policy_*.cpp; L1 writes through
    std::string prefetcher = "none";   // one of sim/timing/memory/prefetcher_*.cpp
    std::uint32_t prefetch_lines = 1;  // ahead
    std::uint32_t hit_latency_cycles = 0;
    std::uint32_t bytes_per_cycle = 0;
    std::uint32_t tags_per_cycle = 4;
    std::uint32_t mshrs = 0;        // lines with sectors under way
    std::uint32_t mshr_merges = 0;  // requests waiting for one of them
};

/// Bulk copies between global and shared memory, and inside a cluster.
enum class MatrixSum : std::uint8_t { aligned, exact, halves };

std::string_view name(MatrixSum sum);

/// How a matrix unit adds products of one kind: see sim/matrix.
struct AccumulatorConfig {
    MatrixSum sum = MatrixSum::aligned;
    std::int32_t group = 16;      // products that are added at once
    std::int32_t extra_bits = 2;  // kept of each term behind the 23 fraction bits of the largest; may be negative
    std::int32_t floor_f32 = -133;   // terms are aligned to this exponent at least, for results of f32
    std::int32_t floor_f16 = -21;    // ... and of f16
    bool rounds_to_nearest = false;  // results of f32, not toward zero; those of f16 always are
};

struct MatrixConfig {
    AccumulatorConfig f16;  // and bf16
    AccumulatorConfig tf32{.group = 8};
    AccumulatorConfig f8{.sum = MatrixSum::exact, .group = 32};  // formats of 8 bits and less, by mma
    /// ... and by wgmma.
    AccumulatorConfig wgmma_f8{.group = 32, .extra_bits = -10, .floor_f32 = -133, .floor_f16 = -133};
};

struct CopyEngineConfig {
    std::uint32_t latency_cycles = 170;  // before the first line, beyond what a load takes
    std::uint32_t bytes_per_cycle = 128;
    std::uint32_t store_cycles =
        7;  // from the register file's side of L1 to shared memory: cp.async beyond a load
    std::uint32_t copy_interval_cycles = 48;  // from one bulk copy to the next
    std::uint32_t map_entries = 32;           // tensor maps that the engine keeps
};

struct ConstantConfig {
    std::uint32_t l1_size_kib = 0;
    std::uint32_t l1_line_bytes = 64;
    std::uint32_t l1_latency_cycles = 0;
    std::uint32_t l15_size_kib = 0;
    std::uint32_t l15_line_bytes = 256;
    std::uint32_t l15_latency_cycles = 0;
    std::uint32_t word_cycles = 1;  // of the SM, for each different word that the lanes of a load read
};

struct TlbConfig {
    bool enabled = false;
    std::uint32_t entries = 16;
    std::uint32_t page_kib = 2048;
    std::uint32_t miss_latency_cycles = 0;
};

struct SynchronisationConfig {
    std::uint32_t barrier_latency_cycles = 0;  // bar.sync of one warp
    std::uint32_t barrier_cycles_per_warp = 0;
    std::uint32_t warp_barrier_latency_cycles = 0;  // bar.warp.sync
    std::uint32_t fence_cta_cycles = 0;             // beyond the way of the warp's writes to L1
    std::uint32_t fence_gpu_cycles = 0;             // with the way of one store to L2 and back
    std::uint32_t fence_system_cycles = 0;
};

struct SmConfig {
    std::uint32_t count = 0;  // SMs of the GPU
    std::uint32_t sub_cores = 0;
    std::uint32_t gpcs = 1;  // groups of SMs of equal size, as far as it goes: the CTAs of a cluster are in one
    std::uint32_t sms_per_tpc = 1;  // a TPC is in one GPC with all of its SMs
    std::uint32_t max_warps = 0;
    std::uint32_t max_threads = 0;
    std::uint32_t max_ctas = 0;
    std::uint32_t registers = 0;                    // 32-bit
    std::uint32_t register_allocation_unit = 256;   // registers of one warp are rounded up to it
    std::uint32_t warp_allocation_granularity = 4;  // a CTA's warps are rounded up to it, for registers
    std::uint32_t barriers = 0;                     // the SM's budget for all its CTAs
    ControlFlow control_flow = ControlFlow::independent;
    std::uint32_t convergence_patience = 1000000;  // warp instructions of the other lanes
    SchedulerConfig schedulers;
    SharedConfig shared;

    std::optional<FrontEndConfig> front_end;
    std::optional<RegisterFileConfig> register_file;
    std::optional<DependenceConfig> dependences;
    std::optional<UnitsConfig> units;
    std::optional<LsuConfig> lsu;
    TextureConfig texture;
    std::optional<L1Config> l1;
    std::optional<ConstantConfig> constant;
    std::optional<SynchronisationConfig> synchronisation;
    TlbConfig tlb;
    MatrixConfig matrix;
    CopyEngineConfig copy_engine;

    /// Registers that one warp of a kernel with this many registers per thread occupies.
    std::uint32_t registers_per_warp(std::uint32_t registers_per_thread) const;
    /// How many GPCs have SMs.
    std::uint32_t gpc_count() const;
    /// A GPC has the SMs from its first one to before the first one of the next.
    std::uint32_t first_of_gpc(std::uint32_t gpc) const;
};

/// What a launch is checked against.
struct LimitsConfig {
    std::uint32_t max_threads_per_cta = 1024;
    std::array<std::uint32_t, 3> max_cta_size{1024, 1024, 64};             // threads
    std::array<std::uint32_t, 3> max_grid_size{2147483647, 65535, 65535};  // CTAs
    std::uint32_t max_registers_per_thread = 255;
    std::uint32_t max_registers_per_cta = 65536;
    std::uint32_t max_cluster_size = 1;  // CTAs, portable; 1: no clusters
    std::uint32_t max_cluster_size_non_portable = 1;
    std::uint32_t parameter_bytes = 32764;
    std::uint32_t constant_bank_kib = 64;
    std::uint32_t local_bytes_per_thread = 524288;  // the most a thread's local memory can hold
    std::uint32_t stack_bytes_per_thread = 16384;   // for calls and alloca, until a program sets another limit
    std::uint32_t printf_fifo_kib = 1024;
    std::uint32_t malloc_heap_kib = 8192;

    std::uint32_t constant_bank_bytes() const { return constant_bank_kib * 1024; }
};

struct MemoryConfig {
    std::uint32_t global_mib = 0;
    Bounds bounds = Bounds::exact;
    std::uint64_t global_bytes() const { return std::uint64_t{global_mib} << 20; }
};

struct L2SlicesConfig {
    std::uint32_t count = 0;
    std::uint32_t partitions = 1;  // groups of slices that are near to a part of the SMs
    std::uint32_t clock_mhz = 0;
    std::uint32_t line_bytes = 128;
    std::uint32_t sector_bytes = 32;
    std::uint32_t fetch_bytes = 32;            // a miss brings this much, aligned
    bool reads_before_partial_writes = false;  // of a sector that is there
    std::uint32_t ways = 16;
    std::string replacement = "lru";        // one of sim/timing/memory/replacement_*.cpp
    std::string write_policy = "allocate";  // one of sim/timing/memory/write_policy_*.cpp
    std::uint32_t hit_latency_cycles = 0;   // in the slice: without the interconnect and L1
    std::uint32_t bytes_per_cycle = 0;
    std::uint32_t write_bytes_per_cycle = 0;  // of stores, and of what comes from DRAM; 0: as many as are read
    std::uint32_t mshrs = 0;
    std::uint32_t mshr_merges = 0;
    std::uint32_t atomic_interval_cycles = 1;  // between two operations on one address
    std::uint32_t partial_accesses = 0;        // of DRAM, that may be partly written at once; 0: all
    std::uint32_t partial_merges = 0;          // ... and are completed at a time; 0: all
};

struct L2Config {
    std::uint32_t size_kib = 0;
    std::optional<L2SlicesConfig> slices;

    std::uint64_t size_bytes() const { return std::uint64_t{size_kib} << 10; }
};

struct DramChannelsConfig {
    std::uint32_t count = 0;
    std::uint32_t banks = 16;  // per channel
    std::uint32_t row_bytes = 0;
    std::uint32_t access_bytes = 32;  // moved by one command
    std::uint32_t queue_entries = 0;
    std::string policy = "fr_fcfs";             // one of sim/timing/memory/dram_policy_*.cpp
    std::uint32_t latency_cycles = 0;           // core cycles between L2 and the channel, both ways together
    std::uint32_t activate_to_read_cycles = 0;  // tRCD and so on, in cycles of dram.clock_mhz
    std::uint32_t activate_to_precharge_cycles = 0;
    std::uint32_t activate_to_activate_cycles = 0;
    std::uint32_t precharge_cycles = 0;
    std::uint32_t activate_interval_cycles = 0;  // tRRD, between two banks
    std::uint32_t bank_groups = 1;
    std::uint32_t same_group_cycles = 0;                // tCCD_L, between column commands of one group
    std::uint32_t same_group_activate_cycles = 0;       // tRRD_L
    std::uint32_t same_group_write_to_read_cycles = 0;  // tWTR_L
    std::uint32_t four_activates_cycles =
        0;  // tFAW: in so long a time at most four rows are opened; 0: any number
    std::uint32_t read_cycles = 0;
    std::uint32_t write_cycles = 1;
    std::uint32_t command_interval_cycles = 0;
    std::uint32_t write_to_read_cycles = 0;      // tWTR, last data to command
    std::uint32_t read_to_write_cycles = 0;      // of the data bus, last data to first data
    std::uint32_t read_to_precharge_cycles = 0;  // tRTP
    std::uint32_t write_recovery_cycles = 0;     // tWR
    std::uint32_t write_queue_entries = 64;
    std::uint32_t write_high_watermark = 56;
    std::uint32_t write_low_watermark = 32;
    std::uint32_t input_entries = 64;  // requests in front of full queues
    std::uint32_t l2_bytes_per_cycle =
        0;  // of L2, between a channel and its slices, both ways together; 0: any number
    std::uint32_t refresh_interval_cycles = 0;  // tREFI: every so often all banks close; 0: refresh is left out
    std::uint32_t refresh_cycles = 0;           // tRFC: ... for so long
};

struct DramConfig {
    std::uint32_t bus_width_bits = 0;
    std::uint32_t clock_mhz = 0;
    std::uint32_t transfers_per_clock = 2;
    std::optional<DramChannelsConfig> channels;

    /// The clock that CUDA reports: the one at which a bus of two transfers per clock would be as fast.
    std::uint32_t reported_clock_mhz() const { return clock_mhz * transfers_per_clock / 2; }
    /// Peak, in bytes per second.
    std::uint64_t bytes_per_second() const {
        return std::uint64_t{bus_width_bits} * clock_mhz * transfers_per_clock * 125'000;
    }
};

/// How functional runs go; nothing of the GPU.
struct FunctionalConfig {
    bool late_async = false;  // asynchronous operations take effect only when something waits for them
    Undefined undefined = Undefined::hardware;
};

struct InterconnectConfig {
    std::uint32_t clock_mhz = 0;
    std::uint32_t request_latency_cycles = 0;        // one way, SM to L2 slice
    std::uint32_t reply_latency_cycles = 0;          // one way, L2 slice to SM
    std::uint32_t far_partition_cycles = 0;          // added by a round trip to the other L2 partition
    std::uint32_t request_bytes_per_cycle = 0;       // of one SM
    std::uint32_t reply_bytes_per_cycle = 0;         // of one SM
    std::uint32_t slice_reply_bytes_per_cycle = 32;  // of one slice
    std::uint32_t slice_reply_entries = 64;          // sectors that wait for its port
    std::uint32_t interleave_bytes = 256;            // addresses change slice every so many bytes
    std::uint32_t sm_to_sm_latency_cycles = 0;       // one way, inside a cluster; 0: no clusters
    std::string topology = "crossbar";               // one of sim/timing/network/topology_*.cpp
    std::uint32_t hop_cycles = 1;                    // of a topology: from one router to the next
    std::uint32_t link_bytes_per_cycle = 32;         // ... of one link, in core cycles
};

struct LaunchConfig {
    std::uint32_t kernel_launch_cycles = 0;       // from the launch to the first CTA's start
    std::uint32_t cta_launch_latency_cycles = 0;  // from a CTA's end to the start of the next in its place
    std::string placement = "fewest_warps";       // of CTAs, one of sim/timing/placement_*.cpp
    std::uint32_t ctas_per_1000_cycles = 0;  // that the work distributor starts on all SMs together; 0: no limit
    std::uint32_t drain_cycles = 0;          // from the last write to the end of the kernel
    std::uint32_t resident_grids = 0;        // at most; 0: as many as CUDA documents
    bool flush_caches = false;               // before a kernel that nothing else runs beside
    std::uint32_t host_call_ns = 2000;       // of a call that submits work or asks about it
    bool registers_of_machine_code = true;   // of kernels with machine code beside their PTX
};

/// Translation beyond the TLBs of SMs.
struct MmuConfig {
    std::uint32_t entries = 0;  // of the TLB that all SMs share; 0: there is none
    std::uint32_t ways = 16;
    std::uint32_t walkers = 8;      // walks through the page table at a time
    std::uint32_t walk_cycles = 0;  // of one
};

/// Copies and fills that the host asks for.
struct CopiesConfig {
    std::uint32_t engines = 1;                         // of each direction
    std::uint32_t bandwidth_mb_per_s = 12000;          // of page-locked host memory, each direction
    std::uint32_t pageable_bandwidth_mb_per_s = 6000;  // of other host memory
    std::uint32_t latency_ns = 1500;                   // before the first byte
    std::uint32_t dram_percent = 80;                   // of its bandwidth, for copies inside the GPU and fills
    bool fill_l2 = true;                               // with what they write
};

/// Picojoules that an active lane of an instruction of the unit takes, its fetch and its registers included.
struct LaneEnergyConfig {
    double alu = 0, fma = 0, fp16 = 0, fp64 = 0, sfu = 0;
};

/// Picojoules of other events, and watts, at the reference clock: what the energy of a launch is estimated from.
struct EnergyConfig {
    std::string source;  // that statistics name
    std::uint32_t reference_clock_mhz = 0;
    std::vector<std::uint32_t>
        voltage_clocks_mhz;  // ascending; the voltage at them, of that at the reference clock:
    std::vector<std::uint32_t> voltage_percents;
    double constant_w = 0;                  // of the board, whatever the voltage
    double idle_sm_w = 0, active_sm_w = 0;  // of an SM without a warp, and with one
    LaneEnergyConfig lane_pj;
    double tensor_f16_fma_pj = 0;  // other types: as much in the same time
    double l1_sector_pj = 0;       // of loads, stores and atomics, hit or miss
    double shared_pass_pj = 0;     // of the banks
    double l2_sector_pj = 0;       // the way from and to the SM included
    double dram_read_sector_pj = 0, dram_write_sector_pj = 0;

    /// At a core clock, as a share of that at the reference clock: on the line between its neighbours in the table, which
    /// goes on flat at its ends.
    double voltage(std::uint32_t clock_mhz) const;
};

struct Config {
    std::string name;  // "h100"; of a file, its name without folder and .json
    std::string description;
    std::string product;  // what programs see as the device's name
    ComputeCapability compute_capability;
    std::uint32_t clock_mhz = 0;
    SmConfig sm;
    LimitsConfig limits;
    MemoryConfig memory;
    L2Config l2;
    DramConfig dram;
    MmuConfig mmu;
    FunctionalConfig functional;
    std::optional<InterconnectConfig> interconnect;
    std::optional<LaunchConfig> launch;
    CopiesConfig copies;
    std::optional<EnergyConfig> energy;  // no estimate where absent

    /// The groups that a timing run needs and this configuration leaves out, by their JSON path; empty: none.
    std::vector<std::string> missing_timing_groups() const;
};

struct ConfigSummary {
    std::string name;
    std::string description;
    ComputeCapability compute_capability;
    std::uint32_t sms = 0;
};

inline constexpr std::string_view default_config_name = "h100";

/// The built-in configuration of that name, or else the file at that path, with inheritance and then the overrides
/// applied. An override is "KEY=VALUE": the key a JSON path (sm.schedulers.policy), the value JSON or else a
/// string. Throws Error(config) that names, a line each, every problem found.
Config load_config(std::string_view name_or_path, std::span<std::string const> overrides = {});

/// The same as JSON text: one self-contained configuration with its defaults filled in, in the schema's order,
/// that load_config() reads back to an equal Config.
std::string show_config(std::string_view name_or_path, std::span<std::string const> overrides = {});

/// Throws as load_config() does.
void validate_config(std::string_view name_or_path);

/// A figure that two configurations do not share, as JSON text; "": one of them leaves it out.
struct ConfigDifference {
    std::string key;  // its JSON path
    std::string first, second;

    bool operator==(ConfigDifference const&) const = default;
};

/// Every one, sources aside, in the schema's order; the overrides are the second's. Throws as load_config() does.
std::vector<ConfigDifference> compare_configs(std::string_view first, std::string_view second,
                                              std::span<std::string const> overrides = {});

/// In the order in which `warpsim config list` prints them: the default first.
std::vector<ConfigSummary> builtin_configs();

/// The text of configs/schema.json.
std::string_view config_schema();

}  // namespace warpsim::sim
