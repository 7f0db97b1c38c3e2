// A queue that also keeps account of what each piece of work follows, for those who ask what might happen at once.
#pragma once

#include "runtime/cuda/devices/host_guard.hpp"
#include "runtime/cuda/devices/queue.hpp"
#include "runtime/work_order.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

namespace warpsim::cuda {

class OrderedQueue final : public Queue {
public:
    using Told = std::function<void(runtime::WorkOrder const&)>;

    /// `told` hears of each piece of work when it begins, and of work in no stream when it is over. `conflicts`, which may be
    /// null, is asked about what the host does meanwhile.
    OrderedQueue(std::unique_ptr<Queue> queue, Told told,
                 std::shared_ptr<runtime::HostConflicts> conflicts = nullptr);

    using Queue::submit;
    void submit(StreamOrder& stream, Task task, Condition condition) override;
    void run(StreamOrder& stream, Task task) override;
    void wait(StreamOrder& stream) override;
    void wait_all() override;
    void wait_until(std::function<bool()> const& is_so) override { queue_->wait_until(is_so); }
    bool is_done(StreamOrder& stream) override;
    void poll() override { queue_->poll(); }
    void may_wait_for_host() override { queue_->may_wait_for_host(); }

    /// What an event stands for that is recorded now.
    runtime::WorkClock clock_of(StreamOrder& stream);
    /// The stream's later work follows that, or all that was submitted.
    void follow(StreamOrder& stream, runtime::WorkClock const& what);
    void follow_all(StreamOrder& stream);
    /// The host has waited for that: all later work follows it.
    void host_follows(runtime::WorkClock const& what);
    /// Called by a task: the host learns from it what it follows.
    void tell_host();

private:
    struct Known {
        bool is_legacy = false, is_blocking = true;
        std::uint64_t works = 0;
        runtime::WorkClock clock;  // of its latest work
    };
    Known& known(StreamOrder& stream);
    runtime::WorkOrder begin(StreamOrder& stream);
    Task telling(StreamOrder& stream, Task task);
    void host_follows(StreamOrder& stream);

    Told told_;
    HostGuard* guard_ = nullptr;
    std::mutex mutex_;            // guards what follows
    runtime::WorkClock at_work_;  // what the running task follows
    std::map<std::uint64_t, Known> streams_;
    std::unique_ptr<Queue> queue_;  // the last: it does the remaining work when it ends
};

}  // namespace warpsim::cuda
