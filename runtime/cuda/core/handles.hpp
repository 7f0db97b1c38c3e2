// Handles that a program gets for objects of the simulator. A handle is a number and never an address, and it is
// checked before an object is reached through it: a handle that was destroyed, one of another kind and a number
// that never was a handle are recognised without dereferencing anything.
#pragma once

#include "runtime/cuda/core/call_site.hpp"
#include "runtime/cuda/core/errors.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace warpsim::cuda {

/// Everything that a program can hold a handle of. The kind is a part of each handle.
enum class HandleKind : std::uint8_t {
    none,
    context,
    stream,
    event,
    kernel,
    library,  // and modules, which are libraries of one context
    linker,
    graph,
    graph_node,
    graph_exec,
    user_object,
    pool,
    physical_memory,
    array,
    mipmapped_array,
    texture_reference,
    surface_reference,
};

/// All handles of a process. A slot of the table is used again when its object is gone, with another generation,
/// so that an old handle does not reach the new object; a slot whose generations are used up is retired.
class HandleTable {
public:
    HandleTable() = default;
    HandleTable(HandleTable const&) = delete;
    HandleTable& operator=(HandleTable const&) = delete;

    /// Throws Failure(out_of_memory) when the table is full.
    std::uint64_t add(HandleKind kind, std::shared_ptr<void> object);
    /// Null unless it is a valid handle of that kind.
    std::shared_ptr<void> find(HandleKind kind, std::uint64_t handle) const;
    /// The same, and removes the handle.
    std::shared_ptr<void> remove(HandleKind kind, std::uint64_t handle);
    /// Removes all handles of a kind whose objects meet the condition.
    template <class Condition> void remove_if(HandleKind kind, Condition&& condition) {
        std::vector<std::shared_ptr<void>> gone;  // outlives the lock: ending an object may remove other handles
        std::lock_guard const lock(mutex_);
        for (std::size_t i = 0; i < slots_.size(); ++i) {
            if (slots_[i].kind == kind && condition(slots_[i].object.get())) gone.push_back(release(i));
        }
    }

    /// each(kind, the call that made it; null if nobody wants to know).
    template <class Each> void for_each(Each&& each) const {
        std::lock_guard const lock(mutex_);
        for (Slot const& slot : slots_)
            if (slot.kind != HandleKind::none) each(slot.kind, slot.made_by);
    }

private:
    struct Slot {
        std::shared_ptr<void> object;
        std::shared_ptr<CallSite const> made_by;
        std::uint32_t generation = 0;
        HandleKind kind = HandleKind::none;
    };
    static constexpr std::size_t nowhere = ~std::size_t{0};
    std::size_t slot_of(HandleKind kind, std::uint64_t handle) const;
    std::shared_ptr<void> release(std::size_t slot);

    mutable std::mutex mutex_;
    std::vector<Slot> slots_;
    std::vector<std::uint32_t> free_;  // slots that can be used again
};

/// The handles of one kind, as the objects they stand for.
template <class T> class Handles {
public:
    Handles(HandleTable& table, HandleKind kind) : table_(table), kind_(kind) {}

    void* add(std::shared_ptr<T> object) { return reinterpret_cast<void*>(table_.add(kind_, std::move(object))); }
    /// Null when there is none.
    std::shared_ptr<T> find(void const* handle) const {
        return std::static_pointer_cast<T>(table_.find(kind_, number(handle)));
    }
    /// Throws Failure(otherwise) when the handle is not valid.
    std::shared_ptr<T> get(void const* handle, Result otherwise = Result::invalid_handle) const {
        std::shared_ptr<T> object = find(handle);
        if (!object) throw Failure(otherwise);
        return object;
    }
    /// Removes the handle and returns its object. Throws Failure(invalid_handle) when it is not valid.
    std::shared_ptr<T> remove(void const* handle) {
        auto object = std::static_pointer_cast<T>(table_.remove(kind_, number(handle)));
        if (!object) throw Failure(Result::invalid_handle);
        return object;
    }
    /// The same for a handle that may be gone already.
    void forget(void const* handle) { table_.remove(kind_, number(handle)); }
    /// Removes the handles of all objects that meet the condition.
    template <class Condition> void remove_if(Condition&& condition) {
        table_.remove_if(kind_, [&](void* object) { return condition(*static_cast<T const*>(object)); });
    }

private:
    static std::uint64_t number(void const* handle) { return reinterpret_cast<std::uint64_t>(handle); }

    HandleTable& table_;
    HandleKind const kind_;
};

}  // namespace warpsim::cuda
