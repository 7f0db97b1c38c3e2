// Handles that a program gets for objects of ours. A handle is a number and never an address: one that was
// destroyed, or that never was one, is told from the others and not followed.
#pragma once

#include "runtime/cuda/core/errors.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace warpsim::cuda {

/// The objects of one kind. `kind` keeps the handles of different kinds apart.
template <class T> class Handles {
public:
    explicit Handles(std::uint64_t kind) : next_((kind << 40) + 16) {}

    void* add(std::shared_ptr<T> object) {
        std::lock_guard const lock(mutex_);
        std::uint64_t const handle = next_;
        next_ += 16;
        objects_.emplace(handle, std::move(object));
        return reinterpret_cast<void*>(handle);
    }
    /// Null when there is none.
    std::shared_ptr<T> find(void const* handle) const {
        std::lock_guard const lock(mutex_);
        auto const at = objects_.find(reinterpret_cast<std::uint64_t>(handle));
        return at != objects_.end() ? at->second : nullptr;
    }
    /// Throws Failure(invalid_handle) when there is none.
    std::shared_ptr<T> get(void const* handle, Result otherwise = Result::invalid_handle) const {
        std::shared_ptr<T> object = find(handle);
        if (!object) throw Failure(otherwise);
        return object;
    }
    /// The object, which has no handle any more.
    std::shared_ptr<T> remove(void const* handle) {
        std::lock_guard const lock(mutex_);
        auto const at = objects_.find(reinterpret_cast<std::uint64_t>(handle));
        if (at == objects_.end()) throw Failure(Result::invalid_handle);
        std::shared_ptr<T> object = std::move(at->second);
        objects_.erase(at);
        return object;
    }

    /// The same for a handle that may be gone already.
    void forget(void const* handle) {
        std::shared_ptr<T> object;  // ends after the lock
        std::lock_guard const lock(mutex_);
        auto const at = objects_.find(reinterpret_cast<std::uint64_t>(handle));
        if (at == objects_.end()) return;
        object = std::move(at->second);
        objects_.erase(at);
    }
    /// Takes away the handles of all objects of which this is true.
    template <class Condition> void remove_if(Condition&& condition) {
        std::vector<std::shared_ptr<T>> gone;  // ends after the lock: an object may hold others of its kind
        std::lock_guard const lock(mutex_);
        for (auto at = objects_.begin(); at != objects_.end();) {
            if (!condition(*at->second)) {
                ++at;
                continue;
            }
            gone.push_back(std::move(at->second));
            at = objects_.erase(at);
        }
    }

private:
    mutable std::mutex mutex_;
    std::uint64_t next_;
    std::unordered_map<std::uint64_t, std::shared_ptr<T>> objects_;
};

}  // namespace warpsim::cuda
