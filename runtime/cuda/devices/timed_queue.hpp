// The work of a device in timing mode, in simulated time. What was put into several streams is under way at the same
// time; what one stream was given goes in order.
//
// The host has a clock of its own: each call that submits work or asks about it takes a fixed time, and a call that
// waits ends when what it waits for does. So the same program takes the same simulated time however fast the real
// host is. Simulated time passes only while the host waits or asks, as what it submits later could still begin
// before what would happen next; a host that does neither for a second, as one that polls memory, is taken to wait.
#pragma once

#include "runtime/cuda/devices/queue.hpp"
#include "runtime/device.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <list>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace warpsim::cuda {

class TimedQueue final : public Queue {
public:
    using Time = std::uint64_t;  // picoseconds
    static constexpr Time never = UINT64_MAX;
    /// When work that has begun will end: at a time that is known, with a launch or copy of the device, or when a task
    /// calls end().
    struct Begun {
        Time end = 0;
        runtime::Device::Ticket ticket = 0;  // 0: none
        bool is_open = false;                // until end() of its stream
    };
    using Begin = std::function<Begun(Time at)>;
    /// Goes on with the device until launches or copies end, which it returns, or until that time. None: the device has failed,
    /// and nothing is under way on it any more.
    using Advance = std::function<std::optional<std::vector<runtime::Device::Ended>>(Time until)>;

    /// While one lives, all that is submitted comes with one call of the host.
    class HostCall {
    public:
        explicit HostCall(TimedQueue& queue) : queue_(queue) { queue_.begin_call(); }
        ~HostCall() { queue_.end_call(); }
        HostCall(HostCall const&) = delete;
        HostCall& operator=(HostCall const&) = delete;

    private:
        TimedQueue& queue_;
    };

    /// `call`: how long a call takes the host.
    TimedQueue(Advance advance, Time call);
    ~TimedQueue() override;

    using Queue::submit;
    void submit(StreamOrder& stream, Task task, Condition condition) override;
    /// Work that takes time; the task is done when it ends. What a task submits may begin at once.
    void submit(StreamOrder& stream, Begin begin, Task at_end);
    /// Ends the open work that the stream waits for.
    void end(StreamOrder& stream);
    void run(StreamOrder& stream, Task task) override;
    void wait(StreamOrder& stream) override;
    void wait_all() override;
    void wait_until(std::function<bool()> const& is_so) override;
    bool is_done(StreamOrder& stream) override;
    void poll() override;
    /// Does what can be done, and does not wait for conditions.
    void finish();
    /// The time that the work under way has come to.
    Time now() const { return now_; }
    /// The host's clock.
    Time host_time() {
        Lock const lock(mutex_);
        return std::max(host_, now_.load());
    }

private:
    struct Work {
        StreamOrder* stream;
        Begin begin;  // null: it takes no time
        Task task;
        Condition condition;
        Time submitted;
        bool is_running = false;
        Time end = never;  // of what is running, when it is known
        runtime::Device::Ticket ticket = 0;
    };
    using Works = std::list<Work>;
    struct Next {
        Works::iterator work{};
        Time at = never;
        bool waits_for_condition = false;  // some work does, and for nothing else
    };
    using Lock = std::unique_lock<std::mutex>;

    void begin_call();
    void end_call();
    void pass_call();
    void add(Work work);
    bool is_inside_task() const { return is_driven_ && driver_ == std::this_thread::get_id(); }
    void refuse_inside_task() const;
    bool waits_for_nothing(StreamOrder const& stream) const;
    template <class Done> void drive_until(Done const& done, Lock& lock);
    bool drive(Time until, Lock& lock);
    Next next_event();
    bool step(Time until, Lock& lock);
    bool advance(Time until, Lock& lock);
    void happen(Works::iterator work, Lock& lock);
    void serve();

    Advance const advance_;
    Time const call_;
    std::mutex mutex_;
    std::condition_variable changed_;
    Works works_;  // in the order of submission
    Time host_ = 0;
    std::atomic<Time> now_{0};
    bool is_driven_ = false;   // one thread lets time pass
    std::thread::id driver_;   // ... this one
    std::uint64_t calls_ = 0;  // of the host
    unsigned in_call_ = 0;     // calls under way that submit several things
    std::thread thread_;       // started by the first submit(): a process may fork before
    bool is_ending_ = false;
};

}  // namespace warpsim::cuda
