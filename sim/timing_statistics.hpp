// What only a timing run knows of a launch. Integers; rates are derived when printed.
#pragma once

#include "sim/counters.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
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
    tex_throttle,    // the queue of textures and surfaces is full; or arithmetic that the sub-cores share is busy
                     // (profilers: "decoupled math")
    gmma,            // products of its warpgroup: in a wait for them
    dispatch_stall,  // its unit would be free, but the registers of the one before are still being read
    imc_miss,        // a constant
    no_instruction,  // its next instruction is not here
    branch_resolving,
    sleeping,
    drain,         // it has exited, and its writes are not done
    not_selected,  // it could issue, another one did
    count,
};
inline constexpr std::size_t stall_reasons = static_cast<std::size_t>(StallReason::count);
std::string_view name(StallReason reason);
/// Whether a warp waits because of what it has issued, and not for what the next instruction needs.
bool is_of_last(StallReason reason);

inline std::string_view stall_name(std::size_t reason) { return name(static_cast<StallReason>(reason)); }
using StallCounts = std::array<std::uint64_t, stall_reasons>;  // warp cycles

/// Loads, stores and atomics of one PTX instruction; nobody counts them unless asked.
struct LineAccesses {
    std::uint64_t requests = 0, lanes = 0;  // to global and local memory
    std::uint64_t bytes = 0, sectors = 0;
    std::uint64_t shared_requests = 0, shared_passes = 0;  // to shared memory
    std::int64_t distance = 0;                             // bytes, the most common one between neighbouring lanes
    std::uint64_t at_distance = 0;                         // requests with it, of those that several lanes make

    /// Without the distance, which does not add up.
    template <class Visitor> static constexpr void visit(Visitor&& v) {
        using C = LineAccesses;
        v(counter("requests", &C::requests, "requests", "to global and local memory"));
        v(counter("lanes", &C::lanes, "thread instructions", "that make them"));
        v(counter("bytes", &C::bytes, "bytes", "that their lanes ask for"));
        v(counter("sectors", &C::sectors, "sectors", "that they touch"));
        v(counter("shared_requests", &C::shared_requests, "requests", "to shared memory"));
        v(counter("shared_passes", &C::shared_passes, "passes",
                  "of the banks for them, beyond the fewest possible"));
    }
};

/// What one PTX instruction did, and what warps waited for that came to it.
struct LineProfile {
    std::string function;
    std::string place;  // "saxpy.ptx:41"
    std::string text;
    std::string source;  // "kernels.cu:6"; empty when the PTX does not say
    std::uint64_t executed = 0;
    std::uint64_t threads = 0, threads_guarded = 0;
    std::uint64_t divergent = 0;  // of `executed`, those that parted the lanes
    std::uint64_t micro_ops = 0;
    StallCounts stalls{};
    LineAccesses accesses;

    template <class Visitor> static constexpr void visit(Visitor&& v) {
        using C = LineProfile;
        v(counter("executed", &C::executed, "warp instructions", "how often warps executed it"));
        v(counter("threads", &C::threads, "thread instructions", "their active lanes, before the guard"));
        v(counter("threads_guarded", &C::threads_guarded, "thread instructions", "their lanes after the guard"));
        v(counter("divergent", &C::divergent, "warp instructions", "those that parted the lanes"));
        v(counter("micro_ops", &C::micro_ops, "micro-ops",
                  "that were issued for it; none where another instruction's do its work"));
        v(counters("stall_warp_cycles", &C::stalls, stall_name, "warp cycles", "that warps waited for it"));
        v(nested("accesses", &C::accesses));
    }
};

/// Lines that L1 fetched before a load asked for them.
struct PrefetchCounts {
    std::uint64_t issued = 0;
    std::uint64_t useful = 0, late = 0;  // a load has found the line, or it on its way
    std::uint64_t missed = 0;            // lines that loads did not find, nor on their way

    std::uint64_t used() const { return useful + late; }

    bool operator==(PrefetchCounts const&) const = default;

    template <class Visitor> static constexpr void visit(Visitor&& v) {
        using C = PrefetchCounts;
        v(counter("issued", &C::issued, "lines", "that `sm.l1.prefetcher` fetched"));
        v(counter("useful", &C::useful, "lines", "of them, that had come when the first load asked for them"));
        v(counter("late", &C::late, "lines", "of them, that were on their way then"));
        v(derived(
            "useless",
            [](auto const& t) {
                return t.l1.prefetch.issued - std::min(t.l1.prefetch.issued, t.l1.prefetch.used());
            },
            "lines", "of them, that no load has asked for while they were there"));
        v(hidden(&C::missed));
        v(derived(
            "accuracy", [](auto const& t) { return share(t.l1.prefetch.used(), t.l1.prefetch.issued); }, "share",
            "of the lines fetched: useful or late"));
        v(derived(
            "coverage",
            [](auto const& t) {
                auto const& p = t.l1.prefetch;
                return p.issued == 0 ? share(std::uint64_t{0}, std::uint64_t{0})
                                     : share(p.used(), p.used() + p.missed);
            },
            "share", "of the lines that loads would have missed: useful or late"));
    }
};
static_assert(shows_every_member<PrefetchCounts>());

/// Of an SM's first-level cache and shared memory.
struct L1Counts {
    std::uint64_t load_requests = 0, store_requests = 0, atomic_requests = 0;
    std::uint64_t load_sectors = 0, store_sectors = 0, atomic_sectors = 0;
    std::uint64_t sector_hits = 0;  // of loads: the data were here or on their way
    std::uint64_t tag_hits = 0;     // ... or at least the line: what profilers count as a hit
    std::uint64_t store_hits = 0;   // sectors of stores that were here
    std::uint64_t mshr_stall_cycles = 0;
    std::uint64_t shared_requests = 0, shared_conflicts = 0, remote_requests = 0;
    PrefetchCounts prefetch;

    bool operator==(L1Counts const&) const = default;

    template <class Visitor> static constexpr void visit(Visitor&& v) {
        using C = L1Counts;
        v(counter("load_requests", &C::load_requests, "requests", "loads from global and local memory"));
        v(counter("load_sectors", &C::load_sectors, "sectors", "that they touch"));
        v(counter("store_requests", &C::store_requests, "requests", "stores to global and local memory"));
        v(counter("store_sectors", &C::store_sectors, "sectors", "that they touch"));
        v(counter("atomic_requests", &C::atomic_requests, "requests", "atomics on global memory"));
        v(counter("atomic_sectors", &C::atomic_sectors, "sectors", "that they touch"));
        v(hidden(&C::sector_hits));
        v(hidden(&C::tag_hits));
        v(hidden(&C::store_hits));
        v(derived(
            "hit_rate", [](auto const& t) { return share(t.l1.tag_hits, t.l1.load_sectors); }, "share",
            "of loads: sectors whose line was there, as profilers count"));
        v(derived(
            "sector_hit_rate",
            [](auto const& t) {
                return share(t.l1.sector_hits + t.l1.store_hits, t.l1.load_sectors + t.l1.store_sectors);
            },
            "share",
            "of loads and stores: sectors that were there or on their way; `l1tex__t_sector_hit_rate` of Nsight "
            "Compute"));
        v(counter("mshr_stall_cycles", &C::mshr_stall_cycles, "cycles",
                  "of all SMs: the pipeline of L1 waited for a place to note a miss or for a write to be "
                  "acknowledged"));
        v(derived(
            "load_sectors_per_request", [](auto const& t) { return share(t.l1.load_sectors, t.l1.load_requests); },
            "sectors", ""));
        v(derived(
            "store_sectors_per_request",
            [](auto const& t) { return share(t.l1.store_sectors, t.l1.store_requests); }, "sectors", ""));
        v(counter("shared_requests", &C::shared_requests, "requests", "to shared memory"));
        v(counter("shared_bank_conflicts", &C::shared_conflicts, "passes", "after the first of each request"));
        v(counter("shared_remote_requests", &C::remote_requests, "requests", "to shared memory of other SMs"));
        v(nested("prefetch", &C::prefetch));
    }
};
static_assert(shows_every_member<L1Counts>());

/// Between SMs and L2.
struct NocCounts {
    std::uint64_t request_bytes = 0, reply_bytes = 0;
    std::uint64_t delay_cycles = 0;

    bool operator==(NocCounts const&) const = default;

    template <class Visitor> static constexpr void visit(Visitor&& v) {
        using C = NocCounts;
        v(counter("request_bytes", &C::request_bytes, "bytes", "from SMs to L2, headers included"));
        v(counter("reply_bytes", &C::reply_bytes, "bytes", "from L2 to SMs"));
        v(counter(
            "delay_cycles", &C::delay_cycles, "cycles",
            "of all packets together: in the routers and links of `interconnect.topology`; 0 in a crossbar"));
        v(derived(
            "request_bytes_per_cycle", [](auto const& t) { return share(t.noc.request_bytes, t.cycles); },
            "bytes a cycle", "of all ports together"));
        v(derived(
            "reply_bytes_per_cycle", [](auto const& t) { return share(t.noc.reply_bytes, t.cycles); },
            "bytes a cycle", "of all ports together"));
    }
};
static_assert(shows_every_member<NocCounts>());

/// Of all slices.
struct L2Counts {
    std::uint64_t read_sectors = 0, write_sectors = 0, atomic_sectors = 0;
    std::uint64_t sector_hits = 0;  // of reads and atomics: the data were here or on their way
    std::uint64_t tag_hits = 0;     // ... or at least the line: what profilers count as a hit
    std::uint64_t written_back_sectors = 0;
    std::uint64_t stall_cycles = 0;

    std::uint64_t all_sectors() const { return read_sectors + atomic_sectors + write_sectors; }

    bool operator==(L2Counts const&) const = default;

    template <class Visitor> static constexpr void visit(Visitor&& v) {
        using C = L2Counts;
        v(counter("read_sectors", &C::read_sectors, "sectors", "reads asked of all slices"));
        v(counter("write_sectors", &C::write_sectors, "sectors", "writes asked of all slices"));
        v(counter("atomic_sectors", &C::atomic_sectors, "sectors", "atomics asked of all slices"));
        v(hidden(&C::sector_hits));
        v(hidden(&C::tag_hits));
        // A profiler counts written sectors as hits.
        v(derived(
            "hit_rate",
            [](auto const& t) { return share(t.l2.tag_hits + t.l2.write_sectors, t.l2.all_sectors()); }, "share",
            "sectors whose line was there, written ones always"));
        v(derived(
            "sector_hit_rate",
            [](auto const& t) { return share(t.l2.sector_hits + t.l2.write_sectors, t.l2.all_sectors()); },
            "share", "sectors that were there or on their way, written ones always; `lts__t_sector_hit_rate`"));
        v(counter("written_back_sectors", &C::written_back_sectors, "sectors", "to DRAM, while the kernel ran"));
        v(counter("stall_cycles", &C::stall_cycles, "cycles",
                  "of all slices: they served nobody, for want of a place to note a miss or in DRAM's queues"));
    }
};
static_assert(shows_every_member<L2Counts>());

/// Of all DRAM channels.
struct DramCounts {
    std::uint64_t read_sectors = 0, written_sectors = 0;
    std::uint64_t row_hits = 0, row_misses = 0;  // requests whose row was open when they were served, and others
    std::uint64_t busy_cycles = 0;               // of the data buses, memory clock
    std::uint64_t turns = 0;                     // of the buses, from reading to writing

    bool operator==(DramCounts const&) const = default;

    template <class Visitor> static constexpr void visit(Visitor&& v) {
        using C = DramCounts;
        v(counter("read_sectors", &C::read_sectors, "sectors", "read through its buses"));
        v(counter("written_sectors", &C::written_sectors, "sectors", "written through its buses"));
        v(hidden(&C::row_hits));
        v(hidden(&C::row_misses));
        v(hidden(&C::busy_cycles));
        v(hidden(&C::turns));
        v(derived(
            "row_hit_rate",
            [](auto const& t) { return share(t.dram.row_hits, t.dram.row_hits + t.dram.row_misses); }, "share",
            "requests whose row was open"));
        v(derived(
            "bandwidth_gb_per_s", [](auto const& t) { return t.dram_bandwidth(); }, "GB/s", "bytes, of `cycles`"));
        v(derived(
            "utilization", [](auto const& t) { return t.dram_utilization(); }, "share",
            "of `cycles` in which a data bus was busy"));
    }
};
static_assert(shows_every_member<DramCounts>());

/// What each SM counts; of a launch, all of them.
struct SmCounts {
    std::uint64_t micro_ops = 0;  // warp instructions of the hardware
    std::uint64_t thread_micro_ops = 0;
    std::uint64_t active_cycles = 0;  // with at least one warp
    std::uint64_t resident_warp_cycles = 0;
    std::uint64_t occupied_slots = 0;  // cycles of schedulers that had a warp
    StallCounts stalls{};
    L1Counts l1;
    std::uint64_t constant_loads = 0, constant_misses = 0;  // of the first cache
    std::uint64_t tlb_hits = 0, tlb_misses = 0;             // of pages; 0 when translation is not modelled
    NocCounts noc;

    bool operator==(SmCounts const&) const = default;

    template <class Visitor> static constexpr void visit(Visitor&& v) {
        using C = SmCounts;
        v(counter("micro_ops.warp", &C::micro_ops, "micro-ops",
                  "instructions of the hardware that were issued, as a profiler counts them"));
        v(counter("micro_ops.thread", &C::thread_micro_ops, "thread micro-ops", "their lanes"));
        v(hidden(&C::active_cycles));
        v(hidden(&C::resident_warp_cycles));
        v(hidden(&C::occupied_slots));
        v(derived(
            "stalls.selected", [](auto const& t) { return share(t.micro_ops, t.micro_ops); }, "warps",
            "that issued: 1"));
        v(shares(
            "stalls", &C::stalls, stall_name, [](auto const& t) { return t.micro_ops; }, "warps",
            "in that state on the average, for each issued instruction; the states are Nsight Compute's"));
        v(nested("l1", &C::l1));
        v(counter("l1.constant_requests", &C::constant_loads, "requests",
                  "loads of constants by the kernel itself"));
        v(hidden(&C::constant_misses));
        v(derived(
            "l1.constant_hit_rate",
            [](auto const& t) { return share(t.constant_loads - t.constant_misses, t.constant_loads); }, "share",
            "of them in the first constant cache"));
        v(hidden(&C::tlb_hits));
        v(hidden(&C::tlb_misses));
        v(derived(
            "l1.tlb_hit_rate", [](auto const& t) { return share(t.tlb_hits, t.tlb_hits + t.tlb_misses); }, "share",
            "of pages, where translation is modelled"));
        v(nested("noc", &C::noc));
    }
};
static_assert(shows_every_member<SmCounts>());

/// What happened in so many cycles, on the whole GPU.
struct IntervalSample : SmCounts {
    L2Counts l2;
    DramCounts dram;

    template <class Visitor> static constexpr void visit(Visitor&& v) {
        SmCounts::visit(v);
        v(nested("l2", &IntervalSample::l2));
        v(nested("dram", &IntervalSample::dram));
    }
    bool operator==(IntervalSample const&) const = default;
    IntervalSample& operator+=(IntervalSample const& o) {
        add(*this, o);
        return *this;
    }
    IntervalSample& operator-=(IntervalSample const& o) {
        subtract(*this, o);
        return *this;
    }
};

/// Values that did not fit the registers.
struct SpillCounts {
    std::uint64_t bytes_per_thread = 0;
    std::uint64_t loads = 0, stores = 0;
    std::uint64_t load_bytes = 0, store_bytes = 0;

    template <class Visitor> static constexpr void visit(Visitor&& v) {
        using C = SpillCounts;
        v(property("bytes_per_thread", &C::bytes_per_thread, "bytes",
                   "of local memory, for values without a register"));
        v(counter("loads", &C::loads, "warp instructions", "loads of them"));
        v(counter("stores", &C::stores, "warp instructions", "stores of them"));
        v(counter("load_bytes", &C::load_bytes, "bytes", "that the loads moved for all threads"));
        v(counter("store_bytes", &C::store_bytes, "bytes", "that the stores moved for all threads"));
    }
};

/// All units of one kind.
struct UnitCounts {
    std::string name;
    std::uint64_t micro_ops = 0;
    std::uint64_t busy_cycles = 0;
    std::uint64_t cycles = 0;  // of all such units in SMs that had a warp

    template <class Visitor> static constexpr void visit(Visitor&& v) {
        using C = UnitCounts;
        v(counter("micro_ops", &C::micro_ops, "micro-ops", "that such units took"));
        v(hidden(&C::busy_cycles));
        v(hidden(&C::cycles));
        v(derived(
            "utilization", [](auto const& unit) { return share(unit.busy_cycles, unit.cycles); }, "share",
            "of their cycles, in SMs that had a warp, in which they could take no other"));
    }
};

/// What energy is estimated for.
enum class EnergyPart : std::uint8_t {
    constant,  // the board and its memory, whatever runs
    sms,       // whether they work or not
    alu,
    fma,
    fp16,
    fp64,
    sfu,
    tensor,
    l1,
    shared,
    l2,
    dram,
    count,
};
inline constexpr std::size_t energy_parts = static_cast<std::size_t>(EnergyPart::count);
std::string_view energy_name(std::size_t part);

/// An estimate, of a configuration that has what it takes.
struct EnergyCounts {
    bool counted = false;
    std::string source;
    std::array<double, energy_parts> joules{};

    double total() const { return std::accumulate(joules.begin(), joules.end(), 0.0); }

    template <class Visitor> static constexpr void visit(Visitor&& v) {
        using C = EnergyCounts;
        v(property("estimated_from", &C::source, "",
                   "that it is an estimate, and of whose figures: `energy.source` of the configuration"));
        v(derived(
            "total_joules", [](auto const& t) { return t.energy.total(); }, "joules", "all of the following"));
        v(derived(
            "average_watts", [](auto const& t) { return t.average_watts(); }, "watts",
            "`total_joules` in `time_us`"));
        v(counters(
            "joules", &C::joules, energy_name, "joules",
            "by what takes it: the board and idle memory, SMs without their work, lanes by unit, products of "
            "matrices, accesses by level"));
    }
};

/// How much of a launch was timed, where only a sample is (--sample).
struct SamplingCounts {
    bool counted = false;     // everything is timed, and nobody asks
    bool is_sampled = false;  // whether anything was projected
    std::uint64_t timed_ctas = 0;
    std::uint64_t timed_launches = 0;  // that a launch was projected from of which no CTA was timed
    double error = 0;                  // of the cycles, relative
    std::string note;

    template <class Visitor> static constexpr void visit(Visitor&& v) {
        using C = SamplingCounts;
        v(property("timed_ctas", &C::timed_ctas, "CTAs",
                   "of the launch that were timed; the others only executed"));
        v(property("timed_launches", &C::timed_launches, "launches",
                   "of the kernel, that the cycles of one are projected from of which no CTA was timed"));
        v(property(
            "cycles_error", &C::error, "share",
            "of `cycles`: of 100 launches 95 are estimated to be no farther from what the whole would take"));
        v(property("note", &C::note, "", "why a launch was not sampled"));
    }
};

/// What only a timing run knows. Cycles are core cycles.
struct TimingCounts : SmCounts {
    std::uint64_t cycles = 0;
    std::uint32_t clock_mhz = 0;
    std::uint32_t sms = 0;
    std::uint32_t sub_cores = 0;
    std::uint64_t code_size = 0;  // of the kernel, instructions of the hardware
    double theoretical_occupancy = 0;
    std::uint32_t max_warps = 0;  // of an SM
    std::string limited_by;
    using Unit = UnitCounts;
    std::vector<UnitCounts> units;  // all that there are, whatever a kernel uses: tables have their columns
    SpillCounts spills;
    SamplingCounts sampling;
    L2Counts l2;
    DramCounts dram;
    std::uint64_t tensor_work = 0;  // multiply-adds in fp16 that the tensor units could have done meanwhile
    EnergyCounts energy;
    std::uint32_t dram_channels = 0;
    std::uint32_t dram_clock_mhz = 0;
    // Only when asked for.
    std::vector<LineProfile> profile;       // of all instructions that were executed, in the order of the program
    std::uint64_t interval_cycles = 0;      // of one sample; 0: none
    std::vector<IntervalSample> intervals;  // the first from cycle 0 on

    std::uint64_t slots() const { return active_cycles * sub_cores; }
    std::optional<double> dram_bandwidth() const;    // GB/s
    std::optional<double> dram_utilization() const;  // of the data buses
    std::optional<double> average_watts() const;

    template <class Visitor> static constexpr void visit(Visitor&& v) {
        using C = TimingCounts;
        v(maximum("cycles", &C::cycles, "cycles", "from the launch to its end, the way of the launch included"));
        v(derived(
            "time_us", [](auto const& t) { return share(t.cycles, t.clock_mhz); }, "microseconds", "the same"));
        SmCounts::visit(v);
        v(derived(
            "ipc", [](auto const& t) { return quotient(static_cast<double>(t.micro_ops) / t.sms, t.cycles); },
            "micro-ops", "`micro_ops.warp` of a cycle and an SM (of all that the GPU has)"));
        v(property("occupancy.theoretical", &C::theoretical_occupancy, "share",
                   "warps that fit on an SM, of those that an SM can hold"));
        v(derived(
            "occupancy.achieved",
            [](auto const& t) {
                return quotient(static_cast<double>(t.resident_warp_cycles) / t.max_warps, t.active_cycles);
            },
            "share", "warps that were there, in cycles in which an SM had any, of those that an SM can hold"));
        v(property("occupancy.limited_by", &C::limited_by, "",
                   "what allows no more: `blocks`, `warps`, `threads`, `registers`, `shared_memory`, `barriers`"));
        v(nested("spills", &C::spills));
        v(derived(
            "sampled", [](auto const& t) { return t.sampling.is_sampled; }, "",
            "`true`: cycles and counts are projected (`--sample`), except `instructions` and `branches`"));
        v(nested("sampling", &C::sampling));
        v(derived(
            "issue_slots.issued", [](auto const& t) { return share(t.micro_ops, t.slots()); }, "share",
            "of the schedulers' cycles in SMs that had a warp: a warp issued"));
        v(derived(
            "issue_slots.not_eligible",
            [](auto const& t) {
                return share(t.occupied_slots - std::min(t.micro_ops, t.occupied_slots), t.slots());
            },
            "share", "... none of the scheduler's warps could"));
        v(derived(
            "issue_slots.no_warp",
            [](auto const& t) { return share(t.slots() - std::min(t.occupied_slots, t.slots()), t.slots()); },
            "share", "... it had none"));
        v(nested("units", &C::units));
        v(nested("l2", &C::l2));
        v(nested("dram", &C::dram));
        v(hidden(&C::tensor_work));
        v(nested("energy", &C::energy));
    }
};

/// A sample with what its rates need of the launch, and under which keys it is reported.
struct ReportedSample {
    IntervalSample const& counts;
    std::uint64_t cycle;  // in which it begins
    TimingCounts const& launch;

    template <class Visitor> static constexpr void visit(Visitor&& v) {
        auto const sm_average = [](auto const& s, std::uint64_t count) {
            return quotient(static_cast<double>(count) / s.launch.sms, s.launch.interval_cycles);
        };
        v(derived(
            "cycle", [](auto const& s) { return s.cycle; }, "cycles", "in which the sample begins"));
        v(derived(
            "micro_ops", [](auto const& s) { return s.counts.micro_ops; }, "micro-ops", "issued"));
        v(derived(
            "ipc", [=](auto const& s) { return sm_average(s, s.counts.micro_ops); }, "micro-ops",
            "issued in a cycle and an SM"));
        v(derived(
            "active_warps", [=](auto const& s) { return sm_average(s, s.counts.resident_warp_cycles); }, "warps",
            "of an SM (of all) on the average"));
        v(derived(
            "l1_load_sectors", [](auto const& s) { return s.counts.l1.load_sectors; }, "sectors", ""));
        v(derived(
            "l1_hit_rate", [](auto const& s) { return share(s.counts.l1.tag_hits, s.counts.l1.load_sectors); },
            "share", "as `l1.hit_rate`"));
        v(derived(
            "l1_store_sectors", [](auto const& s) { return s.counts.l1.store_sectors; }, "sectors", ""));
        v(derived(
            "l1_atomic_sectors", [](auto const& s) { return s.counts.l1.atomic_sectors; }, "sectors", ""));
        v(derived(
            "shared_requests", [](auto const& s) { return s.counts.l1.shared_requests; }, "requests", ""));
        v(derived(
            "l2_read_sectors", [](auto const& s) { return s.counts.l2.read_sectors; }, "sectors", ""));
        v(derived(
            "l2_write_sectors", [](auto const& s) { return s.counts.l2.write_sectors; }, "sectors", ""));
        v(derived(
            "l2_atomic_sectors", [](auto const& s) { return s.counts.l2.atomic_sectors; }, "sectors", ""));
        v(derived(
            "l2_hit_rate",
            [](auto const& s) {
                L2Counts const& l2 = s.counts.l2;
                return share(l2.tag_hits + l2.write_sectors, l2.all_sectors());
            },
            "share", "as `l2.hit_rate`"));
        v(derived(
            "dram_read_sectors", [](auto const& s) { return s.counts.dram.read_sectors; }, "sectors", ""));
        v(derived(
            "dram_written_sectors", [](auto const& s) { return s.counts.dram.written_sectors; }, "sectors", ""));
        v(derived(
            "noc_request_bytes", [](auto const& s) { return s.counts.noc.request_bytes; }, "bytes", ""));
        v(derived(
            "noc_reply_bytes", [](auto const& s) { return s.counts.noc.reply_bytes; }, "bytes", ""));
    }
};

}  // namespace warpsim::sim
