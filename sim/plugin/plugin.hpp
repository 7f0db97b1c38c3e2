// What a plug-in sees of warpsim: a shared library that brings parts of the timing model under names of its own, and that
// `--plugin` loads. examples/plugin is one, README.md has the rules. Only the standard library is needed.
//
// The numbers here are the model's: SMs, slices and channels count from 0, a line is 128 bytes, its number is its address
// divided by 128, a sector is a quarter of a line and a bit of a mask. Cycles are those of SMs, in DRAM those of its clock.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace warpsim::plugin {

/// Changes with anything below; a plug-in that was compiled for another one is refused.
inline constexpr std::uint32_t interface_version = 3;

using Cycle = std::uint64_t;

/// What every component is made with.
struct Settings {
    /// What stands behind the colon in the configuration: "7" of `sm.l1.prefetcher=mine:7`; mostly nothing.
    std::string argument = {};
};

// ---- what a component remembers: --checkpoint ----

/// Writes what a component remembers, or replaces it by what was written earlier: a run can be kept and go on in another
/// process. Numbers, enumerations, arrays and vectors of them, and whatever has a state() itself:
///     bool state(plugin::State& state) override { state(last_, ages_); return true; }
class State {
public:
    virtual ~State() = default;
    /// Writes these bytes, or replaces them by those that were written.
    virtual void bytes(void* at, std::size_t size) = 0;
    virtual bool is_reading() const = 0;

    template <class... T> void operator()(T&... values) { (value(values), ...); }

private:
    template <class T> void value(T& x) {
        if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) bytes(&x, sizeof x);
        else x.state(*this);
    }
    template <class T, std::size_t count> void value(std::array<T, count>& list) {
        for (T& x : list) value(x);
    }
    template <class T, std::size_t count> void value(T (&list)[count]) {
        for (T& x : list) value(x);
    }
    template <class T, class Allocator> void value(std::vector<T, Allocator>& list) {
        std::uint64_t size = list.size();
        value(size);
        if (is_reading()) list.resize(size);
        for (T& x : list) value(x);
    }
};

// ---- which warp issues: sm.schedulers.policy ----

/// A bit for each warp of an SM.
using WarpMask = std::uint64_t;

struct SchedulerSettings : Settings {
    std::uint32_t sm = 0, sub_core = 0;
    std::uint32_t active_warps = 8;  // sm.schedulers.active_warps
};

/// Of one sub-core.
class WarpScheduler {
public:
    virtual ~WarpScheduler() = default;
    /// Returns one of the bits of `eligible`, which is not empty.
    virtual unsigned pick(WarpMask eligible) = 0;
    /// A warp started in this slot; later ones are younger.
    virtual void started(unsigned warp) = 0;
    virtual void ended(unsigned warp) = 0;
    /// The warp has to wait for memory.
    virtual void waits(unsigned) {}
    /// Gives all that it remembers to `state`. False: it cannot, and no run with it can be kept (--checkpoint).
    virtual bool state(State&) { return false; }
};

// ---- which line is evicted: sm.l1.replacement, l2.slices.replacement ----

enum class CacheLevel : std::uint8_t { l1, l2 };

struct ReplacementSettings : Settings {
    std::uint32_t sets = 1, ways = 1;
    CacheLevel level = CacheLevel::l1;
    std::uint32_t number = 0;  // of the SM or the slice
};

/// Of one cache.
class ReplacementPolicy {
public:
    virtual ~ReplacementPolicy() = default;
    /// The line in this way was read or written.
    virtual void used(std::uint32_t set, std::uint32_t way) = 0;
    /// A new line was placed there, in place of what victim() had named.
    virtual void filled(std::uint32_t set, std::uint32_t way, std::uint64_t line) = 0;
    /// The way to evict: one whose entry in `busy` is 0, as the others wait for their data. There is at least one.
    virtual std::uint32_t victim(std::uint32_t set, std::span<std::uint8_t const> busy) = 0;
    /// For those who look: all ways, the first to be replaced first. Empty: it knows no order.
    virtual std::vector<std::uint32_t> order(std::uint32_t /*set*/) const { return {}; }
    virtual bool state(State&) { return false; }  // as WarpScheduler's
};

// ---- what is fetched before a load asks for it: sm.l1.prefetcher ----

struct PrefetcherSettings : Settings {
    std::uint32_t sm = 0;
    std::uint32_t lines = 1;  // sm.l1.prefetch_lines
};

/// A load looks up a line in L1.
struct LineLoad {
    std::uint64_t line = 0;
    bool was_there = false;         // all its sectors
    bool is_first = true;           // of the lines of one warp instruction
    std::uint32_t warp = 0;         // its slot in the SM
    std::uint64_t instruction = 0;  // the same for every execution of one instruction, another for each
    Cycle cycle = 0;
};

/// A line has arrived in L1, with all that it was waiting for.
struct LineFill {
    std::uint64_t line = 0;
    bool is_prefetched = false;  // and no load has asked for it yet
    Cycle cycle = 0;
};

/// Of one L1. Both add the numbers of lines that are worth fetching, the most wanted first; lines that are present already
/// are skipped, and all of them while loads would have to wait for a place to note a miss.
class Prefetcher {
public:
    virtual ~Prefetcher() = default;
    virtual void loaded(LineLoad const& load, std::vector<std::uint64_t>& wanted) = 0;
    virtual void filled(LineFill const&, std::vector<std::uint64_t>&) {}
    virtual bool state(State&) { return false; }  // as WarpScheduler's
};

// ---- what becomes of a store: sm.l1.write_policy, l2.slices.write_policy ----

struct WriteSettings : Settings {
    CacheLevel level = CacheLevel::l1;
    std::uint32_t number = 0;  // of the SM or the slice
};

struct LineStore {
    std::uint64_t line = 0;
    std::uint8_t sectors = 0;  // that it touches
    std::uint8_t whole = 0;    // those in which it writes every byte
    bool was_there = false;    // the line, whatever sectors of it
};

/// Of one cache.
class WritePolicy {
public:
    virtual ~WritePolicy() = default;
    /// Whether a store of a line that is not there takes a place for it; else it goes on to the next level.
    virtual bool allocates(LineStore const& store) = 0;
    /// Whether what is stored goes on to the next level at once, and stays here clean. L1 writes through whatever is answered.
    virtual bool writes_through(LineStore const&) { return false; }
    virtual bool state(State&) { return false; }  // as WarpScheduler's
};

// ---- which request of a DRAM channel is next: dram.channels.policy ----

struct DramSettings : Settings {
    std::uint32_t channel = 0;
};

struct DramRequest {
    std::uint64_t address = 0;   // in the channel
    std::uint32_t accesses = 1;  // column commands, in one row
    bool is_write = false;
    std::uint64_t tag = 0;  // the simulator's own
    std::uint8_t grid = 0;  // that it belongs to
};

struct DramWaiting {
    DramRequest request;
    std::uint64_t row = 0;
    std::uint32_t bank = 0;
    bool missed = false;  // its row had to be opened
};

struct DramBank {
    std::uint64_t row = UINT64_MAX;  // the open one
    Cycle column_ready = 0;          // first column command to the open row
    Cycle precharge_ready = 0;
    Cycle activate_ready = 0;
};

/// The queue that the bus serves now, oldest first; all of it has one direction.
struct DramQueue {
    std::span<DramWaiting const> waiting;
    std::span<DramBank const> banks;
    Cycle now;
    std::span<std::uint32_t const> open;  // by bank: how many of them need its open row

    /// Whether its row is open and accepts a column command.
    bool is_ready(DramWaiting const& w) const {
        return banks[w.bank].row == w.row && banks[w.bank].column_ready <= now;
    }
};

/// Of one channel.
class DramPolicy {
public:
    virtual ~DramPolicy() = default;
    /// Whether writes wait in a queue of their own until there are many, because each turn of the bus costs time.
    virtual bool writes_wait() const = 0;
    /// The request that gets the next column command, which must be ready; queue.waiting.size() for none. Asked when any is.
    virtual std::size_t next(DramQueue const& queue) = 0;
    /// Whether the open row of a bank may be closed for the oldest request that needs another one.
    virtual bool may_close(DramQueue const& queue, std::uint32_t bank) = 0;
    virtual bool state(State&) { return false; }  // as WarpScheduler's
};

// ---- the links between SMs and L2: interconnect.topology ----

struct TopologySettings : Settings {
    std::uint32_t sms = 1, slices = 1;
    std::vector<std::uint32_t> gpc_of = {};  // by SM
    std::uint32_t hop_cycles = 1;            // interconnect.hop_cycles
    std::uint32_t link_bytes_per_cycle = 1;  // interconnect.link_bytes_per_cycle
};

/// From an SM to a slice; a reply, from a slice to an SM.
struct Packet {
    std::uint32_t sm = 0, slice = 0;
    std::uint32_t bytes = 0;
    bool is_reply = false;
    Cycle sent = 0;
};

/// Of the GPU. Nothing in it pushes back: who sends learns nothing of what waits.
class Topology {
public:
    virtual ~Topology() = default;
    /// By how many cycles the packet comes later than after the latency of its way, which is the same for all. Packets are
    /// asked about in the order in which they are sent.
    virtual Cycle delay(Packet const& packet) = 0;
    virtual bool state(State&) { return false; }  // as WarpScheduler's
};

// ---- where a CTA begins: launch.placement ----

/// The SMs as the work distributor sees them; valid during the call.
class SmRooms {
public:
    virtual ~SmRooms() = default;
    virtual std::uint32_t count() const = 0;
    /// How many CTAs of the grid have room there beside what is resident.
    virtual std::uint32_t room(std::uint32_t sm) const = 0;
    virtual std::uint32_t warps(std::uint32_t sm) const = 0;  // resident, of all grids
    virtual std::uint32_t ctas(std::uint32_t sm) const = 0;   // resident, of this grid
};

/// Of the GPU. CTAs of a cluster are placed by other rules.
class CtaPlacement {
public:
    static constexpr std::uint32_t nowhere = UINT32_MAX;
    virtual ~CtaPlacement() = default;
    /// An SM with room for this CTA; `nowhere` to wait until another CTA has ended, which one must be there for.
    virtual std::uint32_t choose(SmRooms const& sms, std::uint64_t cta) = 0;
    virtual bool state(State&) { return false; }  // as WarpScheduler's
};

// ---- what happens, for those who count: no key, every observer that is registered listens ----

using Coordinates = std::array<std::uint32_t, 3>;

struct ObserverSettings : Settings {
    std::uint32_t part = 0;  // the SM; in functional mode the number of a host thread's share of the launch
    bool is_timing = false;
};

struct LaunchInfo {
    std::uint64_t number = 0;  // of the launch
    std::string_view kernel = {};
    Coordinates grid{}, block{};
};

struct WarpInfo {
    Coordinates cta{};
    std::uint32_t warp = 0;  // in its CTA
    Cycle cycle = 0;         // 0 in functional mode
};

/// Before an instruction of PTX executes.
struct InstructionInfo {
    WarpInfo by;
    std::uint64_t instruction = 0;       // the same for every execution of one instruction, another for each
    std::string_view place = {};         // "saxpy.ptx:41"
    std::uint32_t active = 0, mask = 0;  // lanes before and after its guard
};

enum class Space : std::uint8_t { global, shared, local, constant, other };

/// After a load, store or atomic.
struct AccessInfo {
    InstructionInfo by;
    Space space = Space::other;
    bool is_read = false, is_write = false;
    std::uint32_t bytes = 0;                   // of each lane
    std::span<std::uint64_t const> addresses;  // of all 32 lanes; those in by.mask are valid
};

/// Listens to one SM and one launch; in functional mode to a share of the launch. Several are called at once, each by one thread
/// at a time. finished() of all of a launch comes last, from one thread, in the order of their parts.
class Observer {
public:
    enum Event : std::uint32_t { ctas = 1, instructions = 2, accesses = 4, issues = 8 };
    virtual ~Observer() = default;
    /// Which of these it wants: a sum of Events that does not change. The others are not even made.
    virtual std::uint32_t wants() const = 0;
    virtual void cta_starts(WarpInfo const&) {}
    virtual void cta_ends(WarpInfo const&) {}
    virtual void executes(InstructionInfo const&) {}
    virtual void accesses_memory(AccessInfo const&) {}
    /// Timing mode: a warp issues a micro-op.
    virtual void issues_micro_op(WarpInfo const&) {}
    virtual void finished(LaunchInfo const&) {}
};

// ---- how a plug-in says what it brings ----

template <class Component, class S> using Maker = std::function<std::unique_ptr<Component>(S const&)>;

/// Each function gives a component a name, by which the configuration chooses it: letters, digits and _.
class Registry {
public:
    virtual ~Registry() = default;
    virtual void warp_scheduler(std::string_view name, Maker<WarpScheduler, SchedulerSettings> make) = 0;
    virtual void replacement(std::string_view name, Maker<ReplacementPolicy, ReplacementSettings> make) = 0;
    virtual void prefetcher(std::string_view name, Maker<Prefetcher, PrefetcherSettings> make) = 0;
    virtual void write_policy(std::string_view name, Maker<WritePolicy, WriteSettings> make) = 0;
    virtual void dram_policy(std::string_view name, Maker<DramPolicy, DramSettings> make) = 0;
    virtual void topology(std::string_view name, Maker<Topology, TopologySettings> make) = 0;
    virtual void cta_placement(std::string_view name, Maker<CtaPlacement, Settings> make) = 0;
    virtual void observer(std::string_view name, Maker<Observer, ObserverSettings> make) = 0;
};

}  // namespace warpsim::plugin

/// WARPSIM_PLUGIN(registry) { registry.warp_scheduler("mine", ...); } stands once in a plug-in.
#define WARPSIM_PLUGIN(registry)                                                               \
    extern "C" __attribute__((visibility("default"))) std::uint32_t warpsim_plugin_version() { \
        return ::warpsim::plugin::interface_version;                                           \
    }                                                                                          \
    extern "C" __attribute__((visibility("default"))) void warpsim_plugin(::warpsim::plugin::Registry& registry)
