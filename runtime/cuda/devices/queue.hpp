// The work that a program has submitted to one device. Work of one stream is done in order: EagerQueue does it as soon
// as possible, TimedQueue in simulated time.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

namespace warpsim::cuda {

/// What a stream's work waits for, as far as the queue knows it.
struct StreamOrder {
    bool is_legacy = false;      // the legacy default stream: waits for all blocking streams, and they for it
    bool is_blocking = true;     // not created as non-blocking
    std::uint64_t pending = 0;   // tasks submitted and not done; guarded by the queue
    std::uint64_t number = 0;    // by which OrderedQueue knows it; 0: not yet
    bool next_overlaps = false;  // what is submitted next may begin before the kernel in front of it has ended
};

class Queue {
public:
    using Task = std::function<void()>;
    /// Whether a task may begin; called repeatedly until it says yes, while later work of other streams may
    /// overtake.
    using Condition = std::function<bool()>;

    Queue() = default;
    /// Does the remaining work first.
    virtual ~Queue() = default;
    Queue(Queue const&) = delete;
    Queue& operator=(Queue const&) = delete;

    /// The task must not throw. The stream must live until it is done.
    virtual void submit(StreamOrder& stream, Task task, Condition condition) = 0;
    void submit(StreamOrder& stream, Task task) { submit(stream, std::move(task), {}); }
    /// Does the task in its turn and waits for it. This and all functions that wait throw Failure(not_permitted)
    /// inside a task, which would wait for itself.
    virtual void run(StreamOrder& stream, Task task) = 0;
    /// Wait for all tasks of the stream (for the legacy stream also for those of all blocking ones), or of all
    /// streams, or until a task has made a condition true. All may do tasks in the calling thread.
    virtual void wait(StreamOrder& stream) = 0;
    virtual void wait_all() = 0;
    virtual void wait_until(std::function<bool()> const& is_so) = 0;
    /// Whether wait() would return at once.
    virtual bool is_done(StreamOrder& stream) = 0;
    /// The program asks how far something has come.
    virtual void poll() = 0;
    /// Waits until no work that was submitted can go on, or what goes on has said that it may wait for the host; does none of
    /// it in the calling thread. Of no effect inside a task, and where nothing happens before somebody waits.
    virtual void catch_up() {}
    /// Called by a task, or while it is done: it may wait for the host.
    virtual void may_wait_for_host() {}

protected:
    static bool in_order(StreamOrder const& a, StreamOrder const& b) {
        return &a == &b || (a.is_legacy && b.is_blocking) || (b.is_legacy && a.is_blocking);
    }
};

}  // namespace warpsim::cuda
