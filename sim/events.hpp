// What happens while kernels run and while the host works with a device, as facts and never as text. Observers are
// EventSinks, which only listen: traces, statistics and checkers.
#pragma once

#include "frontend/isa/operands.hpp"
#include "frontend/isa/types.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace warpsim::ir {
enum class Builtin : std::uint8_t;
struct Module;
}  // namespace warpsim::ir

namespace warpsim::sim {

struct Access;
struct Addresses;
struct Cta;
struct Fault;
struct Frame;
struct FunctionPlan;
struct LaunchContext;
class MatrixWork;
struct Op;
struct TensorBox;
struct Warp;
enum class SpaceKind : std::uint8_t;
enum class StallReason : std::uint8_t;

using isa::LaneMask;

/// The kinds of events that a sink can ask for.
enum class EventKind : std::uint8_t {
    launch,
    cta,
    instruction,
    access,
    texel_access,
    remote_access,
    runtime_access,
    divergence,
    reconvergence,
    barrier,
    mbarrier,
    collective,
    copy,
    bulk_copy,
    warp_copy,
    copy_group,
    matrix_work,
    fence,
    call,
    allocation,
    host_access,
    micro_op,
    stall,
    residence,
    undefined,
    bad_access,
    module,
    counts,
    fault,
};

/// A set of kinds.
using EventMask = std::uint32_t;
constexpr EventMask event_mask() { return 0; }
template <class... Kinds> constexpr EventMask event_mask(EventKind first, Kinds... others) {
    return 1u << static_cast<unsigned>(first) | event_mask(others...);
}
inline constexpr EventMask all_events = (1u << (static_cast<unsigned>(EventKind::fault) + 1)) - 1;
/// Told around a launch and not from inside of it: whoever wants nothing else leaves it all its threads and native code.
inline constexpr EventMask events_around_launches =
    event_mask(EventKind::launch, EventKind::host_access, EventKind::module, EventKind::counts, EventKind::fault);

// References in events lead to the state of the engine and are valid during the call of the sink. Cycles are those
// of timing mode; in functional mode, which has no time, they are 0.

/// A warp, and the instruction that it executes.
struct Site {
    Cta const& cta;
    Warp const& warp;
    Frame const& frame;
    Op const& op;
    std::uint64_t cycle;
};

/// An instruction of a module.
struct ModulePlace {
    std::uint32_t function = 0;     // in ir::Module::functions
    std::uint32_t instruction = 0;  // in ir::Function::instructions
};

/// Bytes of the shared memory of a CTA, or of global memory if `cta` is null.
struct MemoryPlace {
    Cta const* cta = nullptr;
    std::uint64_t address = 0;
};

/// A module is on the device, with the bodies of all its functions.
struct ModuleEvent {
    static constexpr EventKind kind = EventKind::module;
    ir::Module const& module;
};

struct LaunchBegin {
    static constexpr EventKind kind = EventKind::launch;
    std::string_view kernel;
    LaunchContext const& launch;
    bool is_watched;          // else nobody hears what happens inside of it
    std::uint64_t cycle = 0;  // in which it was launched
    std::uint64_t origin =
        0;  // picoseconds from the making of the device to cycle 0, which is another after a fault
};
/// The launch has ended, possibly by a fault.
struct LaunchEnd {
    static constexpr EventKind kind = EventKind::launch;
    std::string_view kernel;
    LaunchContext const& launch;
    bool has_faulted;
    std::uint64_t cycle = 0;  // of its end
};

struct CtaStart {
    static constexpr EventKind kind = EventKind::cta;
    Cta const& cta;
    std::uint64_t cycle;
};
struct CtaEnd {
    static constexpr EventKind kind = EventKind::cta;
    Cta const& cta;
    std::uint64_t cycle;
};

/// Before an instruction executes.
struct InstructionEvent {
    static constexpr EventKind kind = EventKind::instruction;
    Site site;
    LaneMask active;  // before the guard
    LaneMask mask;    // after it
};

/// Loads, stores and atomics, after their execution: what the lanes of `addresses.mask` did in one space.
/// A generic access that reaches several spaces is one event for each.
struct AccessEvent {
    static constexpr EventKind kind = EventKind::access;
    Site site;
    Access const& access;
    SpaceKind space;
    /// For shared memory, offsets in the CTA's own, or with the rank of another CTA of the cluster from bit 24 on.
    Addresses const& addresses;
    /// The loaded values are known only at the end of the epoch.
    bool is_late;

    /// The bits of one element that `lane` loaded or stored, for an atomic the old ones; not if `is_late`.
    std::array<std::uint64_t, 2> value(int lane, std::size_t element = 0) const;
};

/// What a texture instruction has read: the k-th texel of each lane that read so many, as one access to global memory; without
/// values, which no register holds. A kind of its own, since the lanes are fetched one by one for those who ask for it.
struct TexelAccessEvent : AccessEvent {
    static constexpr EventKind kind = EventKind::texel_access;
};

/// A load, store or atomic of these lanes in the shared memory of another CTA of the cluster, beside its AccessEvent.
struct RemoteAccessEvent {
    static constexpr EventKind kind = EventKind::remote_access;
    Site site;
    LaneMask lanes;
    Cta const& owner;
};

/// The simulator reads or writes memory for one thread: arguments of printf, answers of the device runtime or tcgen05.alloc.
struct RuntimeAccessEvent {
    static constexpr EventKind kind = EventKind::runtime_access;
    Site site;
    int lane;
    std::uint64_t address;  // generic
    std::uint32_t bytes;
    bool is_write;
};

/// Lanes that continue at one op.
struct DivergedPath {
    std::uint32_t pc;  // index of the op in the function's plan
    LaneMask lanes;
};
struct DivergenceEvent {
    static constexpr EventKind kind = EventKind::divergence;
    Site site;
    LaneMask taken, not_taken;
    std::span<DivergedPath const> splits;
};
/// Lanes that waited for each other continue together, or those that have waited too long without the others.
struct ReconvergenceEvent {
    static constexpr EventKind kind = EventKind::reconvergence;
    Site site;  // where they continue
    LaneMask lanes;
};

enum class BarrierScope : std::uint8_t { cta, cluster };
struct BarrierArrival {
    static constexpr EventKind kind = EventKind::barrier;
    Site site;
    BarrierScope scope;
    std::uint32_t id;  // of a CTA's barrier
    LaneMask lanes;
    bool waits;  // the lanes stay until all have arrived; of a cluster, they have arrived before
};
/// All threads have arrived, and those that wait are released. One event for each CTA.
struct BarrierRelease {
    static constexpr EventKind kind = EventKind::barrier;
    Cta const& cta;
    BarrierScope scope;
    std::uint32_t id;
    std::uint64_t cycle;
};

enum class MbarrierOperation : std::uint8_t {
    initialize,
    invalidate,
    expect,
    complete,
    arrive,
    add_pending,
    test
};
/// What has done something to an mbarrier: an instruction when it was executed, a copy that has arrived, or what a thread
/// had asked to follow its earlier copies (cp.async.mbarrier.arrive) or its work of the matrix unit (tcgen05.commit).
enum class MbarrierCause : std::uint8_t { instruction, copy, earlier_copies, earlier_work };
/// What one thread, or a copy that it has issued, did to an mbarrier.
struct MbarrierEvent {
    static constexpr EventKind kind = EventKind::mbarrier;
    MemoryPlace place;
    MbarrierOperation operation;
    std::uint32_t count;               // of arrivals or bytes
    std::array<std::uint32_t, 3> cta;  // of the thread
    std::uint32_t thread;              // in its CTA
    ModulePlace by;                    // its instruction
    bool passed;                       // of a test: the phase that it tests is complete
    std::uint64_t cycle;
    MbarrierCause cause;
};
/// A phase is complete, and those that wait for it are released.
struct MbarrierRelease {
    static constexpr EventKind kind = EventKind::mbarrier;
    MemoryPlace place;
    std::uint32_t parity;  // of the phase that has ended
    std::uint64_t cycle;
};

/// Lanes that took part in one operation of a warp; site.op.kind says which. If lanes met from several positions
/// in the code, one event for each position.
struct CollectiveEvent {
    static constexpr EventKind kind = EventKind::collective;
    Site site;
    LaneMask members;
    LaneMask lanes;     // that executed this instruction
    LaneMask together;  // all that took part
};

/// Asynchronous copies, and stores of registers that are delivered like copies.
struct CopyIssue {
    static constexpr EventKind kind = EventKind::copy;
    Site site;
    int lane;
    MemoryPlace from, to;
    std::uint32_t bytes;         // to write
    std::uint32_t source_bytes;  // to read; the rest is zero
    bool is_bulk;
    bool is_of_registers;         // no `from`
    TensorBox const* tensor;      // of a tensor: where its bytes are in global memory; else null
    bool is_in_group;             // waited for through groups; else through `barrier`, if there is one
    std::uint32_t reduced_bytes;  // of an element that is combined with what stands there; 0: the bytes replace it
    MemoryPlace barrier;          // an mbarrier, in shared memory; no CTA: none
};
/// All but cp.async: bulk copies and stores of registers.
struct BulkCopyIssue : CopyIssue {
    static constexpr EventKind kind = EventKind::bulk_copy;
};
/// cp.async of a warp, once for all of its lanes. Offsets in the CTA's shared memory, and global addresses; bytes that
/// are not read become zeros.
struct WarpCopyIssue {
    static constexpr EventKind kind = EventKind::warp_copy;
    Site site;
    Addresses const& to;
    Addresses const& from;  // its lanes are those that read
};
/// Threads close a group of their asynchronous operations, wait until at most so many groups are incomplete, or have an
/// mbarrier wait for the copies that they have issued (cp.async.mbarrier.arrive).
struct CopyGroupEvent {
    static constexpr EventKind kind = EventKind::copy_group;
    enum class Of : std::uint8_t { copies, bulk_copies, products };  // cp.async, cp.async.bulk, wgmma
    enum class Action : std::uint8_t { commit, wait, arrive_after };
    Site site;
    LaneMask lanes;
    Of of;
    Action action;
    std::uint32_t left;  // groups that a wait leaves
    bool is_for_all;     // cp.async.wait_all: also for what is in no group
    bool is_for_reads;   // until they have read their sources
};
/// The bytes have arrived at their target.
struct CopyArrival {
    static constexpr EventKind kind = EventKind::copy;
    MemoryPlace from, to;
    std::uint32_t bytes;
    std::array<std::uint32_t, 3> cta;  // of the thread that issued it
    std::uint32_t thread;
    bool is_bulk;
    std::uint64_t cycle;
};

/// Cells of the tensor memory of a CTA.
struct TensorCellRange {
    std::uint32_t lane = 0, lanes = 0, column = 0, columns = 0;
    bool are_written = false;
};
/// What the matrix unit has read and written in one CTA for a thread that gave it work (tcgen05.mma, cp, shift).
struct MatrixWorkEvent {
    static constexpr EventKind kind = EventKind::matrix_work;
    std::array<std::uint32_t, 3> cta;  // of the thread
    std::uint32_t thread;
    std::uint32_t function, instruction;  // in ir::Module
    Cta const& owner;
    std::span<std::uint64_t const> chunks;  // offsets in its shared memory of 16 bytes each, read
    std::span<TensorCellRange const> cells;
    MatrixWork const& work;  // of which several events may tell
};
/// tcgen05.ld and tcgen05.st.
struct TensorAccessEvent {
    static constexpr EventKind kind = EventKind::matrix_work;
    Site site;
    std::span<TensorCellRange const> cells;
};

struct FenceEvent {  // griddepcontrol.wait, too, which is weak and has no scope
    static constexpr EventKind kind = EventKind::fence;
    Site site;
    LaneMask lanes;
    isa::Order order;
    isa::Scope scope;
};

struct CallEvent {
    static constexpr EventKind kind = EventKind::call;
    Site site;
    LaneMask lanes;
    FunctionPlan const* callee;  // null: a function of the device runtime
    ir::Builtin builtin;         // ... namely this one
};
struct ReturnEvent {
    static constexpr EventKind kind = EventKind::call;
    Site site;  // in the callee
    LaneMask lanes;
};
/// Lanes end.
struct ExitEvent {
    static constexpr EventKind kind = EventKind::call;
    Site site;
    LaneMask lanes;
};

enum class AllocationSource : std::uint8_t {
    runtime,      // memory of the device, by the host
    host_shared,  // ... that the host reads and writes through pointers of its own, too: managed or pinned
    texels,       // ... of an array: surfaces write it, which is not told
    host_memory,  // memory of the process becomes visible to kernels, or ceases to be
    device_heap,  // by a thread
    parameters,   // of a grid that a thread will launch
};
struct AllocationEvent {
    static constexpr EventKind kind = EventKind::allocation;
    AllocationSource source;
    bool is_free;
    std::uint64_t address;             // 0: there was no room
    std::uint64_t bytes;               // 0 of a free
    std::array<std::uint32_t, 3> cta;  // of the thread, on the device's heap
    std::uint32_t thread;
};

/// The host uses memory of the device by a call, or a stream or graph does so for it. What host code reads and writes
/// through pointers of its own, to managed memory for example, is no event.
struct HostAccessEvent {
    static constexpr EventKind kind = EventKind::host_access;
    enum class Operation : std::uint8_t { read, write, copy, fill };
    Operation operation;    // a copy has both sides on devices, this one or others
    std::uint64_t address;  // read or written
    std::uint64_t from;     // of a copy
    std::uint64_t bytes;
};

/// An instruction of the kernel or of a function that it calls, after the passes of timing mode's compiler.
struct CodePlace {
    std::uint32_t function = 0;     // in KernelPlan::functions
    std::uint32_t instruction = 0;  // in ir::Function::instructions
};
/// How often a launch has executed an instruction, in warps and in lanes.
struct ExecutionCount {
    CodePlace place;
    std::uint64_t warps = 0, threads = 0;
    /// Of the threads, those that its guard lets through: of a branch, those that take it.
    std::uint64_t threads_guarded = 0;
    std::uint64_t divergent = 0;  // of the warps, those that a branch has parted
};
/// A watched launch has ended, and this has been counted, whatever engine ran it; it may come after the launch's end.
struct CountsEvent {
    static constexpr EventKind kind = EventKind::counts;
    LaunchContext const& launch;
    std::span<ExecutionCount const> counts;
};
/// Timing mode: a warp has issued a micro-op.
struct MicroOpEvent {
    static constexpr EventKind kind = EventKind::micro_op;
    Cta const& cta;
    Warp const& warp;
    CodePlace place;
    std::uint64_t cycle;
};
/// Timing mode: a warp has not issued anything in the cycles from `from` to `until`, all for one reason; told when it is
/// over. Of one wait there may be several: it begins for one reason, and goes on for another.
struct StallEvent {
    static constexpr EventKind kind = EventKind::stall;
    Cta const& cta;
    Warp const& warp;
    CodePlace last, next;  // the instruction that it has issued, and the one that it is to issue
    StallReason reason;
    std::uint64_t from, until;
};

/// Timing mode: a warp has left its SM, on which it was from `from` to `until`. In each of these cycles it has issued a
/// micro-op or was stalled.
struct ResidenceEvent {
    static constexpr EventKind kind = EventKind::residence;
    Cta const& cta;
    Warp const& warp;
    std::uint64_t from, until;
};

/// What the ISA leaves undefined, and hardware does in some way; the thread goes on.
struct UndefinedEvent {
    static constexpr EventKind kind = EventKind::undefined;
    Fault const& what;
};

/// The access of one lane is a fault, and is left out: LaunchContext::drops_bad_accesses. A load gives 0.
struct BadAccessEvent {
    static constexpr EventKind kind = EventKind::bad_access;
    Site site;
    int lane;
    Access const& access;
    std::uint64_t address;  // as the thread gives it
    Fault const& fault;
};

struct FaultEvent {
    static constexpr EventKind kind = EventKind::fault;
    LaunchContext const& launch;
    Fault const& fault;
};

/// Is told what it wants, by one host thread at a time; but what the host does while a kernel runs, it hears from
/// another thread than what the kernel does.
class EventSink {
public:
    virtual ~EventSink() = default;
    /// Must not change: events of other kinds are not even made.
    virtual EventMask wants() const = 0;

    virtual void module_is_there(ModuleEvent const&) {}
    virtual void launch_begins(LaunchBegin const&) {}
    virtual void launch_ends(LaunchEnd const&) {}
    virtual void cta_starts(CtaStart const&) {}
    virtual void cta_ends(CtaEnd const&) {}
    virtual void instruction(InstructionEvent const&) {}
    virtual void access(AccessEvent const&) {}  // of both kinds
    virtual void remote_access(RemoteAccessEvent const&) {}
    virtual void runtime_access(RuntimeAccessEvent const&) {}
    virtual void diverges(DivergenceEvent const&) {}
    virtual void reconverges(ReconvergenceEvent const&) {}
    virtual void arrives_at_barrier(BarrierArrival const&) {}
    virtual void barrier_releases(BarrierRelease const&) {}
    virtual void mbarrier(MbarrierEvent const&) {}
    virtual void mbarrier_releases(MbarrierRelease const&) {}
    virtual void collective(CollectiveEvent const&) {}
    virtual void copy_issues(CopyIssue const&) {}
    virtual void copy_arrives(CopyArrival const&) {}
    virtual void warp_copies(WarpCopyIssue const&) {}
    virtual void bulk_copies(BulkCopyIssue const&) {}
    virtual void copy_group(CopyGroupEvent const&) {}
    virtual void matrix_work(MatrixWorkEvent const&) {}
    virtual void tensor_access(TensorAccessEvent const&) {}
    virtual void fence(FenceEvent const&) {}
    virtual void calls(CallEvent const&) {}
    virtual void returns(ReturnEvent const&) {}
    virtual void exits(ExitEvent const&) {}
    virtual void allocation(AllocationEvent const&) {}
    virtual void host_access(HostAccessEvent const&) {}
    virtual void counts(CountsEvent const&) {}
    virtual void micro_op(MicroOpEvent const&) {}
    virtual void stalls(StallEvent const&) {}
    virtual void leaves(ResidenceEvent const&) {}
    virtual void undefined(UndefinedEvent const&) {}
    virtual void bad_access(BadAccessEvent const&) {}
    virtual void fault(FaultEvent const&) {}
};

inline void deliver(EventSink& to, ModuleEvent const& e) { to.module_is_there(e); }
inline void deliver(EventSink& to, LaunchBegin const& e) { to.launch_begins(e); }
inline void deliver(EventSink& to, LaunchEnd const& e) { to.launch_ends(e); }
inline void deliver(EventSink& to, CtaStart const& e) { to.cta_starts(e); }
inline void deliver(EventSink& to, CtaEnd const& e) { to.cta_ends(e); }
inline void deliver(EventSink& to, InstructionEvent const& e) { to.instruction(e); }
inline void deliver(EventSink& to, AccessEvent const& e) { to.access(e); }
inline void deliver(EventSink& to, TexelAccessEvent const& e) { to.access(e); }
inline void deliver(EventSink& to, RemoteAccessEvent const& e) { to.remote_access(e); }
inline void deliver(EventSink& to, RuntimeAccessEvent const& e) { to.runtime_access(e); }
inline void deliver(EventSink& to, DivergenceEvent const& e) { to.diverges(e); }
inline void deliver(EventSink& to, ReconvergenceEvent const& e) { to.reconverges(e); }
inline void deliver(EventSink& to, BarrierArrival const& e) { to.arrives_at_barrier(e); }
inline void deliver(EventSink& to, BarrierRelease const& e) { to.barrier_releases(e); }
inline void deliver(EventSink& to, MbarrierEvent const& e) { to.mbarrier(e); }
inline void deliver(EventSink& to, MbarrierRelease const& e) { to.mbarrier_releases(e); }
inline void deliver(EventSink& to, CollectiveEvent const& e) { to.collective(e); }
inline void deliver(EventSink& to, CopyIssue const& e) { to.copy_issues(e); }
inline void deliver(EventSink& to, CopyArrival const& e) { to.copy_arrives(e); }
inline void deliver(EventSink& to, WarpCopyIssue const& e) { to.warp_copies(e); }
inline void deliver(EventSink& to, BulkCopyIssue const& e) { to.bulk_copies(e); }
inline void deliver(EventSink& to, CopyGroupEvent const& e) { to.copy_group(e); }
inline void deliver(EventSink& to, MatrixWorkEvent const& e) { to.matrix_work(e); }
inline void deliver(EventSink& to, TensorAccessEvent const& e) { to.tensor_access(e); }
inline void deliver(EventSink& to, FenceEvent const& e) { to.fence(e); }
inline void deliver(EventSink& to, CallEvent const& e) { to.calls(e); }
inline void deliver(EventSink& to, ReturnEvent const& e) { to.returns(e); }
inline void deliver(EventSink& to, ExitEvent const& e) { to.exits(e); }
inline void deliver(EventSink& to, AllocationEvent const& e) { to.allocation(e); }
inline void deliver(EventSink& to, HostAccessEvent const& e) { to.host_access(e); }
inline void deliver(EventSink& to, CountsEvent const& e) { to.counts(e); }
inline void deliver(EventSink& to, MicroOpEvent const& e) { to.micro_op(e); }
inline void deliver(EventSink& to, StallEvent const& e) { to.stalls(e); }
inline void deliver(EventSink& to, ResidenceEvent const& e) { to.leaves(e); }
inline void deliver(EventSink& to, UndefinedEvent const& e) { to.undefined(e); }
inline void deliver(EventSink& to, BadAccessEvent const& e) { to.bad_access(e); }
inline void deliver(EventSink& to, FaultEvent const& e) { to.fault(e); }

/// The sinks of one source of events, which they outlive.
class EventSinks {
public:
    void add(EventSink& sink) {
        sinks_.push_back({&sink, sink.wants()});
        wanted_ |= sinks_.back().wants;
    }
    bool empty() const { return sinks_.empty(); }
    bool want(EventKind kind) const { return (wanted_ & event_mask(kind)) != 0; }
    /// No other kind.
    bool want_at_most(EventKind kind) const { return (wanted_ & ~event_mask(kind)) == 0; }
    /// Delivers the event that `make` returns; `make` is called only when a sink wants it.
    template <class Event, class Make> void tell(Make const& make) const {
        if (!want(Event::kind)) return;
        Event const event = make();
        for (Listener const& l : sinks_) {
            if ((l.wants & event_mask(Event::kind)) != 0) deliver(*l.sink, event);
        }
    }

private:
    struct Listener {
        EventSink* sink;
        EventMask wants;
    };
    std::vector<Listener> sinks_;
    EventMask wanted_ = 0;
};

}  // namespace warpsim::sim
