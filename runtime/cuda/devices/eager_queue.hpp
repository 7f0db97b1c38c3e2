// The work of a device in the order of submission, done as soon as possible, and the thread that does it: nothing depends
// on how host threads are scheduled. A thread that waits does the work itself if the other thread has not begun it:
// waking a sleeping thread takes longer than most work.
#pragma once

#include "runtime/cuda/devices/queue.hpp"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace warpsim::cuda {

class EagerQueue final : public Queue {
public:
    EagerQueue() = default;
    ~EagerQueue() override;

    using Queue::submit;
    void submit(StreamOrder& stream, Task task, Condition condition) override;
    /// In the calling thread if nothing is in progress.
    void run(StreamOrder& stream, Task task) override;
    void wait(StreamOrder& stream) override;
    void wait_all() override;
    void wait_until(std::function<bool()> const& is_so) override;
    bool is_done(StreamOrder& stream) override;
    void poll() override {}
    void catch_up() override;
    void may_wait_for_host() override;

private:
    struct Work {
        StreamOrder* stream;
        Task task;
        Condition condition;
    };

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
    bool may_wait_for_host_ = false;          // the running task
    std::atomic<std::uint64_t> finished_{0};  // tasks
};

}  // namespace warpsim::cuda
