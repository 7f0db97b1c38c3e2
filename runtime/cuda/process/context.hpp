// Contexts: whose memory, streams and modules are whose, so that they end together. A device has one primary
// context, which the runtime interface uses, and as many others as a program makes. All of a device share its
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
    unsigned version = 0;  // of the interface it was made by
    std::atomic<unsigned> flags{0};
    std::atomic<int> cache_preference{0};
    std::atomic<int> bank_size{0};
    std::atomic<int> uses{1};  // of those that cuCtxAttach() and cuCtxDetach() count
};

class Contexts {
public:
    Contexts(Process& process, int devices);

    /// Throws Failure(invalid_context) for what is no context, or no longer one.
    std::shared_ptr<Context> get(void const* handle) const {
        return contexts_.get(handle, Result::invalid_context);
    }
    bool exists(void const* handle) const { return contexts_.find(handle) != nullptr; }
    /// The handle of the primary context, which stays the same.
    void* primary(int device) const { return primary_[static_cast<std::size_t>(device)].handle; }
    bool is_active(int device) const;
    void retain(int device);
    /// Ends what is in it with the last one's release. Throws Failure(invalid_context) when nobody retains it.
    void release(int device);
    /// Ends what is in it, and forgets how the device failed.
    void reset(int device);
    /// Makes it the calling thread's, for the runtime interface.
    void use_primary(int device);

    void* create(int device, unsigned flags, unsigned version);
    void destroy(void* handle);
    /// Puts a context in the place of the calling thread's current one; null takes that away.
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
    void clear(void* handle, int device);

    Process& process_;
    Handles<Context> contexts_;
    mutable std::mutex mutex_;
    std::vector<Primary> primary_;  // its counts are guarded
    std::atomic<std::uint64_t> next_id_{1};
};

}  // namespace warpsim::cuda
