// One simulated device as CUDA sees it: the device, what is submitted to it, and how it failed.
#pragma once

#include "runtime/cuda/core/errors.hpp"
#include "runtime/cuda/devices/ordered_queue.hpp"
#include "runtime/cuda/devices/queue.hpp"
#include "runtime/cuda/devices/stream.hpp"
#include "runtime/cuda/devices/timed_queue.hpp"
#include "runtime/device.hpp"
#include "runtime/session/session.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::cuda {

class Gpu {
public:
    Gpu(int ordinal, sim::Config const& config, runtime::DeviceOptions const& options, runtime::Session& session,
        std::string fault_marker);

    int const ordinal;
    runtime::Device device;

private:
    TimedQueue* timed_ = nullptr;      // in timing mode the queue
    OrderedQueue* ordered_ = nullptr;  // ... if somebody asks for the order of work
    std::unique_ptr<Queue> const owned_queue_;

public:
    Queue& queue;
    Stream legacy{*this};   // the default stream
    bool is_eager = false;  // the kernels of a module are planned as soon as it is loaded
    /// Limits that change nothing here, by number: what a program has set is what it reads.
    std::array<std::atomic<std::uint64_t>, 7> hints{0, 0, 0, 2, 2048, 64, 0};

    /// Throws the failure that made this device unusable, if one did.
    void check() const;
    /// Submits a task that may throw Error: a fault makes the device fail, and later tasks are not done.
    void submit(Stream& stream, std::function<void()> task, Queue::Condition condition = {});
    /// Submits a copy or fill, whose bytes the task moves: in timing mode it takes time, and is done at its end.
    void submit(Stream& stream, runtime::TimedCopy const& copy, std::function<void()> task);
    /// Submits a task by which the host learns how far the stream has come: it writes what the host may look at, or is the
    /// host's own.
    void submit_for_host(Stream& stream, std::function<void()> task);
    /// ... does one that has been submitted.
    void tell_host(std::function<void()> const& task);
    /// In timing mode: submits work that becomes known part by part. `next` puts the part of that number into a stream
    /// and says whether there was one; it is asked for another when that has been done.
    using Parts = std::function<bool(Stream& part, unsigned number)>;
    void submit_parts(Stream& stream, Parts next);
    /// Does a copy or fill in its turn, waits, and throws the device's failure.
    void run(Stream& stream, runtime::TimedCopy const& copy, std::function<void()> task);
    /// While this lives, all that is submitted comes with one call of the host.
    [[nodiscard]] std::unique_ptr<TimedQueue::HostCall> one_call();
    void wait(Stream& stream);
    void wait_all();
    /// Submits a launch. As for streams, kernels of a smaller priority come first.
    void launch(Stream& stream, std::shared_ptr<runtime::Module> module, std::string kernel,
                runtime::LaunchShape const& shape, runtime::Arguments arguments, int priority);
    /// In functional mode: runs a launch now, in the calling thread, which has the queue's turn. Throws Error.
    void execute(runtime::Module& module, std::string_view kernel, runtime::LaunchShape const& shape,
                 runtime::Arguments const& arguments);
    void record(std::shared_ptr<Event> const& event, Stream& stream);
    /// Waits until what was recorded last is reached.
    void wait_for(Event& event);
    /// At the end of the program: in timing mode what was submitted is done, and everything counted is told.
    void finish();
    /// The stream's later work follows the event, or all that was submitted.
    void follow(Stream& stream, Event const& event);
    void follow_all(Stream& stream);
    /// The host knows that the event is complete.
    void host_follows(Event const& event);
    bool is_timed() const { return timed_ != nullptr; }
    /// Whether anybody wants to know what is copied where.
    bool tells_of_copies() const { return timed_ != nullptr || timeline_ != nullptr; }
    /// Branches of graphs are told apart.
    bool has_branches() const { return timed_ != nullptr || ordered_ != nullptr; }
    /// Forgets the failure; what was on the device stays.
    void reset() { failure_ = Result::success; }
    /// Simulated time in timing mode; the host's otherwise.
    std::uint64_t now_ns() const;
    /// The clock of the host in timing mode, in picoseconds; else as DeviceTimeline::now_ps(). 0 if there is no timeline.
    std::uint64_t host_ps() const;
    /// Says, once a process, which of them a measured time is, when it is not a GPU's.
    void tell_of_clock() const;

private:
    void begin_part(Stream& stream, Parts const& next, unsigned number);
    statistics::LaunchPlace place_of(Stream const& stream) const;
    /// The task, which tells the timeline of itself in functional mode, where it takes time when it is done.
    std::function<void()> telling(Stream& stream, runtime::TimedCopy const& copy, std::function<void()> task);
    timeline::Origin timeline_origin(Stream const& stream);
    runtime::DeviceOptions with_own(runtime::DeviceOptions options);
    std::unique_ptr<Queue> make_queue(runtime::DeviceOptions const& options);
    std::optional<std::vector<runtime::Device::Ended>> advance(TimedQueue::Time until);
    void attempt(std::function<void()> const& task);
    void fail(std::string const& report, Result result);

    runtime::Session& session_;
    timeline::DeviceTimeline* const timeline_;  // null: there is none
    std::string fault_marker_;
    std::atomic<Result> failure_{Result::success};
};

/// The devices of a process, by their numbers.
using Gpus = std::vector<std::unique_ptr<Gpu>>;

}  // namespace warpsim::cuda
