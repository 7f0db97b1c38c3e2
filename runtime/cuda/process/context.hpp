// Contexts: which memory, streams and modules belong together and end together. A device has one primary context,
// which the runtime interface uses, and as many others as a program creates. All contexts of a device share its
// queue of work.
#pragma once

#include "runtime/cuda/core/handles.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace warpsim::cuda {

class Process;

struct Context {
    int device = 0;
    bool is_primary = false;
    std::uint64_t id = 0;
    unsigned version = 0;  // of the interface that created it
    std::atomic<unsigned> flags{0};
    std::atomic<int> cache_preference{0};
    std::atomic<int> bank_size{0};
    std::atomic<int> uses{1};  // counted by cuCtxAttach() and cuCtxDetach()
};

class Contexts {
public:
    Contexts(Process& process, int devices);

    /// Throws Failure(invalid_context) unless the handle is that of a live context.
    std::shared_ptr<Context> get(void const* handle) const {
        return contexts_.get(handle, Result::invalid_context);
    }
    bool exists(void const* handle) const { return contexts_.find(handle) != nullptr; }
    /// The handle of the primary context, which never changes.
    void* primary(int device) const { return primary_[static_cast<std::size_t>(device)].handle; }
    bool is_active(int device) const;
    void retain(int device);
    /// The last release destroys its contents. Throws Failure(invalid_context) when it is not retained.
    void release(int device);
    /// Destroys its contents, and clears the device's failure.
    void reset(int device);
    /// Makes it current in the calling thread, for the runtime interface.
    void use_primary(int device);

    void* create(int device, unsigned flags, unsigned version);
    void destroy(void* handle);
    /// Replaces the calling thread's current context; null removes it.
    void set_current(void* handle);
    void push(void* handle);
    void* pop();

private:
    struct Primary {
        void* handle = nullptr;
        int retained = 0;
        bool is_used = false;  // by the runtime interface, or set without being retained
    };
    void enter(void* handle);
    void clear(void* handle, int device, bool is_primary);

    Process& process_;
    Handles<Context> contexts_;
    mutable std::mutex mutex_;
    std::vector<Primary> primary_;  // its counts are guarded
    std::atomic<std::uint64_t> next_id_{1};
};

}  // namespace warpsim::cuda
