// What an SM does beyond itself inside one epoch: to global memory, to shared memory of other SMs of the cluster,
// and to what the host sees. It is invisible to all others until the end of the epoch, when the deferred effects
// of all SMs happen in the order (cycle, SM, sequence); the SM itself sees its stores at once, through the
// overlay.
#pragma once

#include "sim/engine/clock.hpp"
#include "sim/exec/interpreter.hpp"
#include "sim/exec/print_buffer.hpp"
#include "sim/huge_pages.hpp"
#include "sim/timing/memory/coalescer.hpp"
#include "sim/timing/memory/messages.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace warpsim::timing {

using engine::Cycle;
using sim::Addresses;

/// The bytes that this SM has stored in this epoch, by line: most stores are to one or two.
class Overlay {
public:
    Overlay();
    /// Whether any of the bytes of [low, past_high) may be here.
    bool may_have(std::uint64_t low, std::uint64_t past_high) const {
        return low / line_bytes <= highest_ && (past_high - 1) / line_bytes >= lowest_;
    }
    void clear();
    void write(std::uint64_t address, std::uint32_t bytes, std::byte const* from);
    /// An atomic will change the sector: its bytes are unknown until the end of the epoch.
    void mark_unknown(std::uint64_t address);
    enum class Overlap : std::uint8_t { none, stored, unknown };
    Overlap look(std::uint64_t address, std::uint32_t bytes) const;
    /// Replaces the bytes in the copy `to` of [address, address + bytes) that were stored here.
    void patch(std::uint64_t address, std::uint32_t bytes, std::byte* to) const;

private:
    using Mask = std::array<std::uint64_t, line_bytes / 64>;  // a bit for each byte
    struct Line {
        explicit Line(std::uint64_t n) : number(n) {}  // leaves the bytes as they are
        std::uint64_t number;
        Mask stored{};
        Mask unknown{};  // all of a sector
        std::byte bytes[line_bytes];
    };
    static bool has_any(Mask const& mask, std::uint32_t first, std::uint32_t bytes);
    static void add(Mask& mask, std::uint32_t first, std::uint32_t bytes);
    Line const* find(std::uint64_t number) const;
    Line& at(std::uint64_t number);
    std::size_t home_of(std::uint64_t number) const {
        return number * 0x9e3779b97f4a7c15 >> 32 & (index_.size() - 1);
    }
    void grow();
    /// Where the line is in the index, or would be.
    std::size_t place_of(std::uint64_t number) const;

    // Lines lie together in the order in which they were stored, so that those of an epoch take little of the host's caches.
    sim::HugeVector<Line> lines_;
    sim::HugeVector<std::uint32_t> index_;             // open addressing: positions and 1; 0: none
    std::uint64_t lowest_ = UINT64_MAX, highest_ = 0;  // numbers of lines that are here
};

/// What cp.async copies for a warp. The bytes are read when it issues, as the SM sees them then, or at the end of
/// the epoch.
struct FewCopies {
    sim::Cta* cta = nullptr;
    std::uint64_t linear = 0;
    std::uint32_t first_thread = 0;  // of the warp
    sim::LaneMask lanes = 0;
    bool is_late = false;  // some of the bytes are read at the end of the epoch
    std::array<sim::FewBytes, 32> lane;
    alignas(16) std::array<std::array<std::byte, 16>, 32> data;
};

/// An asynchronous copy in flight. Its bytes are read when the deferred effects of the epoch happen, and written
/// later.
struct Transfer {
    sim::UnderWay copy;
    sim::Cluster* cluster = nullptr;  // of those that the copy names by their ranks
    sim::Culprit by;
    std::uint64_t linear = 0;        // of the CTA whose shared memory is the target
    GridNumber grid = 0;             // that issued it
    std::shared_ptr<FewCopies> few;  // of a cp.async that reads late: what `lane` is a lane of
    std::size_t lane = 0;
};

/// What happens at the end of the epoch.
struct DeferredEffect {
    enum class Kind : std::uint8_t {
        access,  // a store, atomic or load of a warp
        read,
        write,  // of a copy: its source, its target in global memory
        print,
        heap,  // printf; malloc and free
        work,  // of the matrix unit for two CTAs
        cluster_arrival,
        cancel_launch,  // carried out by the GPU
    };
    DeferredEffect() {}  // leaves the lanes' addresses as they are
    Kind kind = Kind::access;
    bool is_read = true;       // by an instruction; what a load gives otherwise has no register any more
    std::uint32_t staged = 0;  // offset of an access's operands; for other kinds the index of their details
    Cycle cycle = 0;
    sim::Cta* cta = nullptr;
    sim::Warp* warp = nullptr;
    sim::Op const* op = nullptr;
    sim::Access const* access = nullptr;
    std::byte* frame = nullptr;  // the registers of the instruction
    sim::Cta* peer = nullptr;    // whose shared memory is accessed; null: global memory
    Addresses addresses;
};

/// What only some kinds have.
struct EffectDetails {
    std::shared_ptr<Transfer> transfer;
    std::shared_ptr<sim::MatrixWork const> work;
    std::string text;                        // of print
    std::uint64_t argument = 0;              // bytes or address of a heap call; bytes of the text in its buffer
    sim::FrameIndex caller = sim::no_frame;  // of a heap call, in its warp
    int lane = 0;
    sim::Bytes response, barrier;     // of cancel_launch
    sim::Cluster* cluster = nullptr;  // ... in which they are
    bool to_all = false;
    sim::Culprit by;
};

class EffectLog {
public:
    void store(Cycle cycle, sim::Cta& cta, sim::Warp& warp, sim::Op const& op, sim::Access const& access,
               Addresses const& a);
    void atomic(Cycle cycle, sim::Cta& cta, sim::Warp& warp, sim::Op const& op, sim::Access const& access,
                Addresses const& a);
    void late_load(Cycle cycle, sim::Cta& cta, sim::Warp& warp, sim::Op const& op, sim::Access const& access,
                   Addresses const& a, bool is_read);
    /// The same three for shared memory of `peer`.
    void remote(Cycle cycle, sim::Cta& cta, sim::Warp& warp, sim::Op const& op, sim::Access const& access,
                Addresses const& a, sim::Cta& peer, bool is_read);
    /// Of a kind other than an access; the caller fills in what it needs.
    EffectDetails& other(Cycle cycle, DeferredEffect::Kind kind, sim::Cta* cta, sim::Warp* warp = nullptr,
                         sim::Op const* op = nullptr);
    EffectDetails& details(DeferredEffect const& e) { return details_[e.staged]; }
    /// Reads global memory as this SM sees it now; false when that must wait for the end of the epoch.
    bool read(std::uint64_t address, std::uint32_t bytes, std::byte* to);
    /// A load that happens now, from memory as it was when the epoch began and from this SM's stores since. False
    /// when it must wait for the end of the epoch, because an atomic of this SM changes what it reads.
    bool load(sim::Warp& warp, sim::Access const& access, Addresses const& a);

    std::size_t size() const { return effects_.size(); }
    DeferredEffect const& operator[](std::size_t i) const { return effects_[i]; }
    /// Performs effect `i` with the SM's interpreter. Throws Fault.
    void apply(std::size_t i, sim::Interpreter& interpreter, sim::PrintBuffer* print);
    /// The epoch has ended.
    void clear();

private:
    DeferredEffect& add(Cycle cycle, sim::Cta& cta, sim::Warp& warp, sim::Op const& op, sim::Access const& access,
                        Addresses const& a);
    std::byte* stage(std::size_t bytes, std::uint32_t& at);
    void stage_store(DeferredEffect& e, sim::Warp& warp);
    void stage_atomic(DeferredEffect& e, sim::Warp& warp);
    void apply_access(DeferredEffect& e, sim::Interpreter& interpreter);
    void apply_atomic(DeferredEffect& e, sim::Interpreter& interpreter);

    sim::HugeVector<DeferredEffect> effects_;
    sim::HugeVector<std::byte> staging_;  // grows, and is not cleared: what is staged is written as a whole
    std::size_t staged_ = 0;              // bytes
    std::vector<EffectDetails> details_;
    Overlay overlay_;
};

}  // namespace warpsim::timing
