#include "runtime/cuda/core/handles.hpp"

namespace warpsim::cuda {

namespace {

// A handle, from its lowest bit up: four zero bits, as in an aligned address; the slot; the generation; the kind.
// The highest bit stays zero, since some languages treat handles as signed numbers. The kind makes a handle larger
// than any address of a process, and thus larger than the few special streams, too.
constexpr unsigned slot_shift = 4, slot_bits = 24;
constexpr unsigned generation_shift = slot_shift + slot_bits, generation_bits = 28;
constexpr unsigned kind_shift = generation_shift + generation_bits;
constexpr std::uint64_t most_slots = std::uint64_t{1} << slot_bits;
constexpr std::uint32_t last_generation = (std::uint32_t{1} << generation_bits) - 1;

std::uint64_t handle_of(HandleKind kind, std::uint64_t slot, std::uint64_t generation) {
    return static_cast<std::uint64_t>(kind) << kind_shift | generation << generation_shift | slot << slot_shift;
}

}  // namespace

std::uint64_t HandleTable::add(HandleKind kind, std::shared_ptr<void> object) {
    std::lock_guard const lock(mutex_);
    std::size_t at = slots_.size();
    if (!free_.empty()) {
        at = free_.back();
        free_.pop_back();
    } else {
        if (at == most_slots) throw Failure(Result::out_of_memory);
        slots_.emplace_back();
    }
    Slot& slot = slots_[at];
    slot.object = std::move(object);
    slot.made_by = CallSite::is_wanted ? std::make_shared<CallSite const>(CallSite::present()) : nullptr;
    slot.kind = kind;
    return handle_of(kind, at, slot.generation);
}

std::size_t HandleTable::slot_of(HandleKind kind, std::uint64_t handle) const {
    std::uint64_t const at = handle >> slot_shift & (most_slots - 1);
    if (at >= slots_.size()) return nowhere;
    Slot const& slot = slots_[at];
    bool const is_it = slot.kind == kind && handle == handle_of(kind, at, slot.generation);
    return is_it ? at : nowhere;
}

std::shared_ptr<void> HandleTable::release(std::size_t at) {
    Slot& slot = slots_[at];
    slot.kind = HandleKind::none;
    if (slot.generation != last_generation) {
        ++slot.generation;
        free_.push_back(static_cast<std::uint32_t>(at));
    }
    return std::exchange(slot.object, nullptr);
}

std::shared_ptr<void> HandleTable::find(HandleKind kind, std::uint64_t handle) const {
    std::lock_guard const lock(mutex_);
    std::size_t const at = slot_of(kind, handle);
    return at != nowhere ? slots_[at].object : nullptr;
}

std::shared_ptr<void> HandleTable::remove(HandleKind kind, std::uint64_t handle) {
    std::lock_guard const lock(mutex_);
    std::size_t const at = slot_of(kind, handle);
    return at != nowhere ? release(at) : nullptr;
}

}  // namespace warpsim::cuda
