#include "runtime/debug/machine.hpp"

#include "sim/exec/faults.hpp"
#include "sim/hexadecimal.hpp"

#include <algorithm>
#include <cstring>

namespace warpsim::debug {

using sim::SpaceKind;

sim::Cta const* Machine::cta(std::array<std::uint32_t, 3> const& id) const {
    auto const found = std::find_if(ctas_.begin(), ctas_.end(), [&](sim::Cta const* c) { return c->id == id; });
    return found != ctas_.end() ? *found : nullptr;
}

std::optional<Thread> Machine::thread(sim::Cta const& cta, std::array<std::uint32_t, 3> const& index) const {
    auto const& block = launch_.block;
    if (index[0] >= block[0] || index[1] >= block[1] || index[2] >= block[2]) return std::nullopt;
    std::uint32_t const linear = (index[2] * block[1] + index[1]) * block[0] + index[0];
    return Thread{&cta, &cta.warps[linear / 32], static_cast<int>(linear % 32)};
}

std::array<std::uint32_t, 3> Machine::index_of(Thread const& thread) const {
    auto const& block = launch_.block;
    std::uint32_t const linear = thread.linear();
    return {linear % block[0], linear / block[0] % block[1], linear / block[0] / block[1]};
}

Position Machine::position(Thread const& thread) const {
    sim::Warp const& warp = *thread.warp;
    sim::LaneMask const bit = thread.bit();
    if ((warp.exists & bit) == 0) return {};
    if ((warp.exited & bit) != 0) return {LaneState::exited, nullptr, 0, 0, 0};
    if (site_ != nullptr && &warp == &site_->warp && (active_ & bit) != 0)
        return {LaneState::executing, &site_->frame, site_->op.instruction, 0, 0};
    for (sim::WarpSplit const& split : warp.splits) {
        if ((split.lanes & bit) == 0) continue;
        using State = sim::WarpSplit::State;
        LaneState const state = split.state == State::in_collective        ? LaneState::in_collective
                                : split.state == State::in_barrier         ? LaneState::in_barrier
                                : split.state == State::in_cluster_barrier ? LaneState::in_cluster_barrier
                                                                           : LaneState::ready;
        return {state, &warp.frame_of(split), warp.op_of(split).instruction, split.barrier, 0};
    }
    for (sim::ConvergenceBarrier const& c : warp.convergence_barriers) {
        if ((c.arrived & bit) == 0 || c.frame == sim::no_frame) continue;
        sim::Frame const& frame = warp.frame(c.frame);
        return {LaneState::reconverging, &frame, frame.function->ops[c.point].instruction, 0,
                c.lanes & ~c.arrived};
    }
    return {LaneState::exited, nullptr, 0, 0, 0};
}

std::vector<StackFrame> Machine::stack(Thread const& thread) const {
    std::vector<StackFrame> stack;
    Position const at = position(thread);
    std::uint32_t instruction = at.instruction;
    for (sim::Frame const* frame = at.frame; frame != nullptr;) {
        std::vector<Inlined> const all = inlined_at(module(), *frame->function->function, instruction);
        for (std::size_t i = 0; i < all.size(); ++i)
            stack.push_back({all[i].function, all[i].line, frame, instruction, i + 1 < all.size()});
        if (frame->is_kernel()) break;
        sim::Frame const& caller = thread.warp->frame(frame->parent);
        instruction = caller.function->ops[frame->return_op - 1].instruction;
        frame = &caller;
    }
    return stack;
}

namespace {

struct Column {
    std::byte* bytes = nullptr;
    std::size_t element = 0;  // bytes; 0: a predicate
};

Column column_of(sim::Warp const& warp, sim::Frame const& frame, std::uint32_t which) {
    sim::Slot const slot = frame.function->register_slot[which];
    if (slot == sim::discard) return {};
    isa::Type const type = frame.function->function->registers[which].type;
    std::byte* const base = (slot & 3) == 0 ? frame.registers.get() : warp.bases[slot & 3];
    std::size_t const bytes = std::max<std::size_t>(static_cast<std::size_t>(isa::width(type)) / 8, 2);
    return {base + (slot & ~3), type == isa::Type::pred ? 0 : bytes};
}

/// Where byte `b` of a lane is in memory that is interleaved by words.
std::size_t interleaved_at(std::uint64_t b, int lane) {
    return b / 4 * 128 + static_cast<std::size_t>(lane) * 4 + b % 4;
}

}  // namespace

std::optional<Bits> Machine::read_register(Thread const& thread, sim::Frame const& frame,
                                           std::uint32_t which) const {
    Column const column = column_of(*thread.warp, frame, which);
    if (column.bytes == nullptr) return std::nullopt;
    Bits bits{};
    if (column.element == 0) {
        sim::LaneMask mask = 0;
        std::memcpy(&mask, column.bytes, sizeof mask);
        bits[0] = mask >> thread.lane & 1;
    } else {
        std::memcpy(bits.data(), column.bytes + static_cast<std::size_t>(thread.lane) * column.element,
                    column.element);
    }
    return bits;
}

bool Machine::write_register(Thread const& thread, sim::Frame const& frame, std::uint32_t which,
                             Bits const& bits) {
    Column const column = column_of(*thread.warp, frame, which);
    if (column.bytes == nullptr) return false;
    if (column.element == 0) {
        sim::LaneMask mask = 0;
        std::memcpy(&mask, column.bytes, sizeof mask);
        mask = (bits[0] & 1) != 0 ? mask | thread.bit() : mask & ~thread.bit();
        std::memcpy(column.bytes, &mask, sizeof mask);
    } else {
        std::memcpy(column.bytes + static_cast<std::size_t>(thread.lane) * column.element, bits.data(),
                    column.element);
    }
    return true;
}

MemoryPlace Machine::resolved(MemoryPlace const& place) const {
    if (place.space != SpaceKind::generic) return place;
    sim::Windows const& w = launch_.windows;
    std::uint64_t const a = place.address;
    if (sim::Windows::inside(a, w.shared)) return {SpaceKind::shared, a - w.shared};
    if (sim::Windows::inside(a, w.local)) return {SpaceKind::local, a - w.local};
    if (sim::Windows::inside(a, w.param)) return {SpaceKind::param_entry, a - w.param};
    return {SpaceKind::global, a};
}

/// One byte, of which the next ones need not follow. Null: it is not there.
std::byte* Machine::find(Thread const& thread, SpaceKind space, std::uint64_t address) const {
    MemoryPlace const place = resolved({space, address});
    address = place.address;
    switch (place.space) {
        case SpaceKind::global:
            // NOLINTNEXTLINE(performance-no-int-to-ptr)
            return launch_.memory.find(address, 1) ? reinterpret_cast<std::byte*>(address) : nullptr;
        case SpaceKind::shared: {
            sim::Cta const* owner = thread.cta;
            std::uint64_t const window = std::uint64_t{1} << sim::rank_shift;
            if (address >= window) {
                std::uint64_t const rank = (address >> sim::rank_shift) - 2;
                if (rank >= owner->cluster->ctas.size()) return nullptr;
                owner = &owner->cluster->ctas[rank];
                address %= window;
            }
            return address < launch_.shared_bytes ? owner->shared.get() + address : nullptr;
        }
        case SpaceKind::local: {
            Position const at = position(thread);
            if (at.frame == nullptr || address >= at.frame->local_end) return nullptr;
            std::size_t const offset = interleaved_at(address, thread.lane);
            auto& local = const_cast<sim::Warp*>(thread.warp)->local;
            return offset < local.size() ? local.data() + offset : nullptr;
        }
        case SpaceKind::param_entry:
            return address < launch_.plan.param_bytes ? launch_.plan_block + address : nullptr;
        default: return nullptr;
    }
}

bool Machine::read(Thread const& thread, SpaceKind space, std::uint64_t address, std::span<std::byte> to) const {
    for (std::size_t i = 0; i < to.size(); ++i) {
        std::byte const* const byte = find(thread, space, address + i);
        if (byte == nullptr) return false;
        to[i] = *byte;
    }
    return true;
}

bool Machine::write(Thread const& thread, SpaceKind space, std::uint64_t address,
                    std::span<std::byte const> from) {
    for (std::size_t i = 0; i < from.size(); ++i)
        if (find(thread, space, address + i) == nullptr) return false;
    for (std::size_t i = 0; i < from.size(); ++i) *find(thread, space, address + i) = from[i];
    return true;
}

std::string Machine::explain(SpaceKind space, std::uint64_t address) const {
    std::string const at = sim::hexadecimal(address);
    switch (space) {
        case SpaceKind::generic:
        case SpaceKind::global: return at + " cannot be read: it is " + launch_.memory.describe(address);
        case SpaceKind::shared:
            return at + " is outside of the block's " + std::to_string(launch_.shared_bytes) +
                   " bytes of shared memory";
        case SpaceKind::local: return at + " is outside of the thread's local memory";
        default:
            return at + " is outside of the " + std::to_string(launch_.plan.param_bytes) +
                   " bytes of the kernel's parameters";
    }
}

std::string state_text(Position const& at) {
    switch (at.state) {
        case LaneState::absent: return "no thread";
        case LaneState::executing: return "executes next";
        case LaneState::ready: return "can run";
        case LaneState::in_collective: return "waits for lanes of its warp";
        case LaneState::in_barrier: return "waits in barrier " + std::to_string(at.barrier);
        case LaneState::in_cluster_barrier: return "waits in the barrier of the cluster";
        case LaneState::reconverging: return "waits to reconverge with " + sim::lanes_text(at.waits_for);
        case LaneState::exited: return "has ended";
    }
    return "";
}

}  // namespace warpsim::debug
