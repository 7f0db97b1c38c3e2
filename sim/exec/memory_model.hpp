// Decides when the effects of a CTA become visible to others; without a memory model, at once. An engine with a
// clock has one: everything that reaches beyond the CTA is handed to it and takes effect later. The CTAs of a
// cluster may then run in parallel on different host threads, so this includes everything that one of them does to
// another.
#pragma once

#include "sim/events.hpp"
#include "sim/exec/fault.hpp"
#include "sim/exec/warp.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace warpsim::sim {

/// Identifies the thread whose action takes effect later, for the report if that is a fault.
struct Culprit {
    std::array<std::uint32_t, 3> cta{};
    std::uint32_t thread = 0;    // of the CTA
    std::uint32_t function = 0;  // ir::Module::functions
    std::uint32_t instruction = 0;
};

/// An operation on the mbarrier of another CTA.
struct MbarrierUpdate {
    Bytes place;
    Asynchronous::Kind kind = Asynchronous::Kind::arrive;
    std::uint32_t count = 1;  // arrivals, or bytes of expect, complete and arrivals that expect
    bool expects = false;
    bool drops = false;
    bool must_not_complete = false;
    MbarrierCause cause = MbarrierCause::instruction;
};

/// What cp.async copies for one lane.
struct FewBytes {
    std::uint64_t to = 0;            // in the CTA's shared memory
    std::uint64_t from = 0;          // global
    std::uint32_t bytes = 0;         // to write
    std::uint32_t source_bytes = 0;  // to read; the rest is zero
};

/// What the lanes of a texture instruction have read.
struct TextureReads {
    std::vector<std::uint64_t> texels;      // their addresses, lane by lane
    std::array<std::uint32_t, 32> count{};  // of them, by lane
    std::uint32_t texel_bytes = 4, channel_bytes = 4;
    std::uint32_t result_bytes = 0;  // of all lanes
};

class MemoryModel {
public:
    virtual ~MemoryModel() = default;
    /// The cycle in which an instruction executes.
    virtual std::uint64_t cycle() const = 0;
    /// The time that the program reads.
    virtual std::uint64_t nanoseconds() const = 0;
    /// The lanes of `addresses.mask` make an access whose space is known and whose bounds are not checked yet.
    virtual void access(Op const&, Access const&, SpaceKind, Addresses const&) = 0;
    /// Texels that were read, after they were.
    virtual void texture(TextureReads const&) = 0;
    /// A valid access to global memory: the model performs it now, or `later` by Interpreter::perform(). Addresses
    /// are bytes of the host.
    enum class Taken : std::uint8_t { now, later };
    virtual Taken take_global(Cta&, Warp&, Op const&, Access const&, Addresses const&) = 0;
    /// Threads of the CTA arrived at the barrier of its cluster, or exited: Interpreter::end_cluster_phase() has
    /// to follow.
    virtual void cluster_arrival(Cta&) = 0;
    /// An access to the shared memory of `peer` (addresses are offsets there): Interpreter::perform() has to
    /// follow.
    virtual void remote(Cta&, Warp&, Op const&, Access const&, Addresses const&, Cta& peer) = 0;
    /// Interpreter::update() has to follow.
    virtual void remote_mbarrier(Cluster&, MbarrierUpdate const&, Culprit const&) = 0;
    /// An arrival at an mbarrier of the CTA that waits for the copies that the thread has issued: update() has to
    /// follow.
    virtual void arrival_after_copies(Cluster&, MbarrierUpdate const&, Culprit const&) = 0;
    /// The SM has so many columns of tensor memory left, which are then the CTA's.
    virtual bool take_tensor_columns(Cta&, std::uint32_t columns) = 0;
    virtual void return_tensor_columns(Cta&, std::uint32_t columns) = 0;
    /// The matrix unit has work that a thread of the CTA gave it: perform() has to follow if it reaches another CTA.
    virtual void matrix_work(Cta&, std::shared_ptr<MatrixWork const>) = 0;
    /// An arrival at an mbarrier that waits for such work of the thread: update() has to follow.
    virtual void arrival_after_work(Cluster&, Cta&, MbarrierUpdate const&, bool of_pair, Culprit const&) = 0;
    /// Interpreter::land() has to follow.
    virtual void copy_few(Cta&, std::uint32_t thread, FewBytes const&) = 0;
    /// Bulk copies, st.async, red.async: read_source(), arrive_in_global() or finish() have to follow.
    virtual void copy(Cluster&, UnderWay&&, Culprit const&) = 0;
    /// A kernel prints: add() of the launch's buffer has to follow.
    virtual void print(std::string text, std::uint64_t bytes) = 0;
    /// malloc, free, or a call of the device runtime by one lane: Interpreter::call_heap() has to follow before
    /// the warp continues.
    virtual void heap_call(Cta&, Warp&, Op const&, int lane, std::uint64_t argument) = 0;
    /// The warp asks to sleep for that time.
    virtual void sleeps(std::uint64_t nanoseconds) = 0;
    /// A cluster that has not started should be kept from starting; the answer is Interpreter::cancelled().
    virtual void cancel_launch(Cluster&, Bytes const& response, Bytes const& barrier, bool to_all,
                               Culprit const&) = 0;
};

}  // namespace warpsim::sim
