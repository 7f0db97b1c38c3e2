// What each host thread of the program has selected.
#pragma once

#include "runtime/cuda/core/call_site.hpp"
#include "runtime/cuda/core/errors.hpp"
#include "runtime/cuda/devices/stream.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace warpsim::cuda {

struct Thread {
    std::uint64_t const id = new_id();  // that no other thread has or had
    int device = 0;                     // of the current context, or selected for the first one
    std::vector<void*> contexts;        // their handles; the last is the current one
    int capture_mode = 0;               // with the numbers of CUstreamCaptureMode
    bool null_stream_is_own = false;    // during a call of a per-thread variant
    Result last_error = Result::success;
    struct CallConfiguration {
        std::array<std::uint32_t, 3> grid, block;
        std::size_t shared = 0;
        void* stream = nullptr;
        LaunchSite from;
    };
    std::vector<CallConfiguration> calls;                // of <<<>>>; the innermost is last
    std::map<int, std::shared_ptr<Stream>> own_streams;  // its per-thread default stream on each device

    static Thread& current();
    /// The handle of the current context; null when there is none.
    void* context() const { return contexts.empty() ? nullptr : contexts.back(); }

private:
    static std::uint64_t new_id();
    void end();
};

/// For the duration of a call, stream 0 is the calling thread's own.
class OwnStreamScope {
public:
    OwnStreamScope() : before_(std::exchange(Thread::current().null_stream_is_own, true)) {}
    ~OwnStreamScope() { Thread::current().null_stream_is_own = before_; }
    OwnStreamScope(OwnStreamScope const&) = delete;
    OwnStreamScope& operator=(OwnStreamScope const&) = delete;

private:
    bool before_;
};

}  // namespace warpsim::cuda
