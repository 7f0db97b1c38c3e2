// All that a process's CUDA libraries hold: devices, handles, and what each host thread has chosen.
#pragma once

#include "runtime/cuda/code/library.hpp"
#include "runtime/cuda/code/program.hpp"
#include "runtime/cuda/core/handles.hpp"
#include "runtime/cuda/core/options.hpp"
#include "runtime/cuda/devices/gpu.hpp"
#include "runtime/cuda/memory/memory.hpp"
#include "runtime/cuda/memory/pools.hpp"
#include "runtime/cuda/memory/virtual_memory.hpp"
#include "runtime/cuda/process/context.hpp"
#include "runtime/cuda/textures/textures.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace warpsim::cuda {

class Graph;
class GraphExec;
class UserObject;
struct Node;

/// What belongs to one host thread.
struct Thread {
    int device = 0;                   // of the current context, or the one chosen for the first
    std::vector<void*> contexts;      // handles, the current one last
    int capture_mode = 0;             // as CUstreamCaptureMode counts
    bool null_stream_is_own = false;  // in a call of a per-thread variant
    Result last_error = Result::success;
    struct CallConfiguration {
        std::array<std::uint32_t, 3> grid, block;
        std::size_t shared = 0;
        void* stream = nullptr;
    };
    std::vector<CallConfiguration> calls;                // of <<<>>>, innermost last
    std::map<int, std::shared_ptr<Stream>> own_streams;  // per device: its per-thread default stream

    static Thread& current();
    /// The thread ends; its work goes on.
    void end();
    /// The handle of the current context; null when there is none.
    void* context() const { return contexts.empty() ? nullptr : contexts.back(); }
};

/// For the time of a call: stream 0 is the calling thread's own.
class OwnStreamScope {
public:
    OwnStreamScope() : before_(std::exchange(Thread::current().null_stream_is_own, true)) {}
    ~OwnStreamScope() { Thread::current().null_stream_is_own = before_; }
    OwnStreamScope(OwnStreamScope const&) = delete;
    OwnStreamScope& operator=(OwnStreamScope const&) = delete;

private:
    bool before_;
};

class Process {
public:
    /// Made at the first call, and never destroyed: programs call until after their last static destructor. Throws
    /// Failure(not_initialized) when the options are not valid, Failure(no_device) when they leave no device,
    /// after telling why. Throws it too in a process that was forked from one that had it: the threads that do the
    /// work are not there.
    static Process& get();
    /// Whether get() has made it, in this process.
    static bool exists();

    Gpu& gpu(int device);  // throws Failure(invalid_device)
    /// The device of the calling thread's context, for the runtime interface: a thread that has none gets the
    /// primary one.
    Gpu& current();
    int devices() const { return static_cast<int>(gpus_.size()); }

    /// The stream of a handle: 0 and 1 are the legacy default stream, 2 the calling thread's own.
    std::shared_ptr<Stream> stream(void* handle);
    Gpu& gpu_of(Stream const& stream) { return gpu(stream.device); }
    /// Prints what the user asked to see at the end.
    void finish();
    /// A number that no other stream of the process has.
    std::uint64_t new_stream_id() { return next_stream_++; }

private:
    std::unique_ptr<runtime::Session> session_;
    Gpus gpus_;

public:
    HandleTable handles;
    Memory memory;
    Handles<Stream> streams{handles, HandleKind::stream};
    Handles<Event> events{handles, HandleKind::event};
    Handles<Kernel> kernels{handles, HandleKind::kernel};
    Handles<Library> libraries{handles, HandleKind::library};
    Handles<Graph> graphs{handles, HandleKind::graph};
    Handles<Node> nodes{handles, HandleKind::graph_node};
    Handles<GraphExec> graph_execs{handles, HandleKind::graph_exec};
    Handles<UserObject> user_objects{handles, HandleKind::user_object};
    Arrays arrays;
    Textures textures;
    bool const is_eager;       // kernels are read and planned with their modules
    bool const launches_wait;  // until the kernel has ended
    Contexts contexts;
    Pools pools;
    VirtualMemory virtual_memory{handles};

private:
    explicit Process(Options const& options);
    std::atomic<std::uint64_t> next_stream_{4};
};

}  // namespace warpsim::cuda
