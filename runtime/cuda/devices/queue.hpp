// The work that a program has submitted to one device, and the thread that does it. Work of one stream is done in
// order, work of different streams in the order of submission, so that nothing depends on how host threads are
// scheduled. A thread that waits does the work itself if the other thread has not begun it: waking a sleeping
// thread takes longer than most work.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace warpsim::cuda {

/// What a stream's work waits for, as far as the queue knows it.
struct StreamOrder {
    bool is_legacy = false;     // the legacy default stream: waits for all blocking streams, and they for it
    bool is_blocking = true;    // not created as non-blocking
    std::uint64_t pending = 0;  // tasks submitted and not done; guarded by the queue
};

class Queue {
public:
    using Task = std::function<void()>;
    /// Whether a task may begin; called repeatedly until it says yes, while later work of other streams may
    /// overtake.
    using Condition = std::function<bool()>;

    Queue() = default;
    /// Does the remaining work first.
    ~Queue();
    Queue(Queue const&) = delete;
    Queue& operator=(Queue const&) = delete;

    /// The task must not throw. The stream must live until it is done.
    void submit(StreamOrder& stream, Task task, Condition condition = {});
    /// Does the task in its turn and waits for it, in the calling thread if nothing is in progress. This and all
    /// functions that wait throw Failure(not_permitted) inside a task, which would wait for itself.
    void run(StreamOrder& stream, Task task);
    /// Wait for all tasks of the stream (for the legacy stream also for those of all blocking ones), or of all
    /// streams, or until a task has made a condition true. All may do tasks in the calling thread.
    void wait(StreamOrder& stream);
    void wait_all();
    void wait_until(std::function<bool()> const& is_so);
    /// Whether wait() would return at once.
    bool is_done(StreamOrder& stream);

private:
    struct Work {
        StreamOrder* stream;
        Task task;
        Condition condition;
    };

    static bool in_order(StreamOrder const& a, StreamOrder const& b) {
        return &a == &b || (a.is_legacy && b.is_blocking) || (b.is_legacy && a.is_blocking);
    }
    void refuse_inside_task() const;
    void serve();
    std::deque<Work>::iterator ready_work();
    std::deque<Work>::iterator next_work(std::unique_lock<std::mutex>& lock);
    void do_work(std::deque<Work>::iterator at, std::unique_lock<std::mutex>& lock);
    template <class Done> void help_until(Done const& done, std::unique_lock<std::mutex>& lock);
    bool waits_for_nothing(StreamOrder const& stream) const;
    void finish(StreamOrder& stream);

    std::mutex mutex_;
    std::condition_variable submitted_, done_;
    std::deque<Work> work_;
    StreamOrder* running_ = nullptr;  // the stream whose task is being done
    std::thread::id runner_;          // by whom
    std::thread thread_;              // started by the first submit(): a process may fork before
    bool ending_ = false;
    std::atomic<std::uint64_t> finished_{0};  // tasks
};

}  // namespace warpsim::cuda
