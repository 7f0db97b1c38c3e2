// Everything that the CUDA libraries of a process own: devices, handles, and what each host thread has selected.
#pragma once

#include "runtime/cuda/code/library.hpp"
#include "runtime/cuda/code/program.hpp"
#include "runtime/cuda/core/handles.hpp"
#include "runtime/cuda/core/options.hpp"
#include "runtime/cuda/devices/captures.hpp"
#include "runtime/cuda/devices/gpu.hpp"
#include "runtime/cuda/devices/rejected_launches.hpp"
#include "runtime/cuda/devices/thread.hpp"
#include "runtime/cuda/memory/memory.hpp"
#include "runtime/cuda/memory/pools.hpp"
#include "runtime/cuda/memory/virtual_memory.hpp"
#include "runtime/cuda/process/call_timeline.hpp"
#include "runtime/cuda/process/context.hpp"
#include "runtime/cuda/process/host_checks.hpp"
#include "runtime/cuda/textures/references.hpp"
#include "runtime/cuda/textures/textures.hpp"
#include "runtime/debug/terminal.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace warpsim::cuda {

class Graph;
class GraphExec;
class UserObject;
struct Node;

class Process {
public:
    /// Created by the first call and never destroyed, because programs call us until after their last static
    /// destructor. Throws Failure(not_initialized) for invalid options, Failure(no_device) when they leave no
    /// device, after reporting the reason. Also throws it in a process that was forked from one that had it: the
    /// worker threads do not exist there.
    static Process& get();
    /// Whether get() has created it, in this process.
    static bool exists();

    Gpu& gpu(int device);  // throws Failure(invalid_device)
    /// The device of the calling thread's context, for the runtime interface: a thread without a context gets the
    /// primary one.
    Gpu& current();
    int devices() const { return static_cast<int>(gpus_.size()); }

    /// The stream of a handle: 0 and 1 are the legacy default stream, 2 the calling thread's own.
    std::shared_ptr<Stream> stream(void* handle);
    /// Prints what the user asked to see at the end of the run.
    void finish();
    /// A number that no other stream of the process has.
    std::uint64_t new_stream_id() { return next_stream_++; }

private:
    std::unique_ptr<debug::Terminal> terminal_;  // null: nobody debugs
    std::unique_ptr<runtime::Session> session_;
    Gpus gpus_;
    std::unique_ptr<CallTimeline> call_timeline_;  // null: nobody asks
    std::string fault_marker_;  // a file to create for `warpsim exec` when a checker has found something

public:
    HostChecks checks;
    HandleTable handles;
    Memory memory;
    Handles<Stream> streams{handles, HandleKind::stream};
    Handles<Event> events{handles, HandleKind::event};
    Handles<Kernel> kernels{handles, HandleKind::kernel};
    Libraries libraries;
    Handles<Graph> graphs{handles, HandleKind::graph};
    Handles<Node> nodes{handles, HandleKind::graph_node};
    Handles<GraphExec> graph_execs{handles, HandleKind::graph_exec};
    Handles<UserObject> user_objects{handles, HandleKind::user_object};
    Arrays arrays;
    Textures textures;
    References references;
    Captures captures;
    RejectedLaunches rejected_launches;
    bool const is_eager;       // kernels are read and planned together with their modules
    bool const launches_wait;  // a launch returns when the kernel has ended
    Contexts contexts;
    Pools pools;
    VirtualMemory virtual_memory;

private:
    explicit Process(Options const& options);
    std::atomic<std::uint64_t> next_stream_{4};
};

}  // namespace warpsim::cuda
