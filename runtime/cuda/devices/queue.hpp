// The work that a program has submitted to one device, and the thread that does it. Work of one stream goes in
// order; across streams it goes in the order of submission, so that nothing depends on how host threads are
// scheduled. A thread that waits does the work itself where the other has not begun: to wake a sleeping thread
// takes longer than most work.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace warpsim::cuda {

/// Which work of a device waits for which.
struct Lane {
    bool is_legacy = false;     // the legacy default stream: waits for all blocking lanes, and they for it
    bool is_blocking = true;    // not created as non-blocking
    std::uint64_t pending = 0;  // tasks submitted and not done; guarded by the queue
};

class Queue {
public:
    using Task = std::function<void()>;
    /// Whether a task may begin; asked again and again while it says no, and later work of other streams
    /// overtakes.
    using Condition = std::function<bool()>;

    Queue() = default;
    /// Does what is left first.
    ~Queue();
    Queue(Queue const&) = delete;
    Queue& operator=(Queue const&) = delete;

    /// The task must not throw. The lane must live until it is done.
    void submit(Lane& lane, Task task, Condition condition = {});
    /// Does the task in its turn and waits for it, in the calling thread where nothing is under way. This and all
    /// that wait throw Failure(not_permitted) inside of a task, which would wait for itself.
    void run(Lane& lane, Task task);
    /// Wait for all tasks of the lane (of a legacy lane: for all that it waits for as well), or of all lanes, or
    /// until something is so that a task brings about. All may do tasks in the calling thread.
    void wait(Lane& lane);
    void wait_all();
    void wait_until(std::function<bool()> const& is_so);
    /// Whether wait() would return at once.
    bool is_done(Lane& lane);

private:
    struct Work {
        Lane* lane;
        Task task;
        Condition condition;
    };

    static bool in_order(Lane const& a, Lane const& b) {
        return &a == &b || (a.is_legacy && b.is_blocking) || (b.is_legacy && a.is_blocking);
    }
    void refuse_inside_task() const;
    void serve();
    std::deque<Work>::iterator ready_work();
    std::deque<Work>::iterator next_work(std::unique_lock<std::mutex>& lock);
    void do_work(std::deque<Work>::iterator at, std::unique_lock<std::mutex>& lock);
    template <class Done> void help_until(Done const& done, std::unique_lock<std::mutex>& lock);
    bool waits_for_nothing(Lane const& lane) const;
    void finish(Lane& lane);

    std::mutex mutex_;
    std::condition_variable submitted_, done_;
    std::deque<Work> work_;
    Lane* running_ = nullptr;  // the lane whose task is being done
    std::thread::id runner_;   // by whom
    std::thread thread_;       // started by the first submit(): a process may fork before
    bool ending_ = false;
    std::atomic<std::uint64_t> finished_{0};  // tasks
};

}  // namespace warpsim::cuda
