// Work that is under way beside other work: what one stream was given goes in order, and streams wait for each other where
// they are told to. In timing mode it begins when the host waits, and then overlaps in simulated time; in functional mode it is
// done when it is given, as any order that the streams allow is as good as another.
#pragma once

#include "runtime/device.hpp"
#include "runtime/embed/launch.hpp"
#include "runtime/work_order.hpp"

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

namespace warpsim::embed {

class Queue;

/// A launch, a copy, or a point in a stream, which takes no time.
class Work {
public:
    /// Whether it has ended, in whatever way, and everything is known of it.
    bool is_over() const { return state_ == State::over; }
    /// In picoseconds of simulated time, once it is over.
    std::uint64_t begin() const { return begin_; }
    std::uint64_t end() const { return end_; }
    /// Of a launch that has come to its end; else null. Throws what it has ended with.
    std::shared_ptr<Launch const> launch() const {
        if (error_) std::rethrow_exception(error_);
        return launch_;
    }

private:
    friend class Queue;
    enum class State : std::uint8_t { waiting, running, ended, over };  // ended: not everything is known yet

    State state_ = State::waiting;
    std::vector<std::shared_ptr<Work>> after_;
    std::function<runtime::Device::Ticket(std::uint64_t at)> start_;  // null: it takes no time
    std::function<void()> at_end_;
    bool is_launch_ = false;
    runtime::Device::Ticket ticket_ = 0;
    std::uint64_t begin_ = 0, end_ = 0;
    std::shared_ptr<Launch> launch_;
    std::exception_ptr error_;
    runtime::WorkClock clock_;  // of the stream behind it
};

class Stream {
public:
    Stream(std::uint64_t number, int priority) : number_(number), priority_(priority) {}
    std::uint64_t number() const { return number_; }

private:
    friend class Queue;
    std::uint64_t const number_;
    int const priority_;  // greater ones come first
    std::uint64_t works_ = 0;
    std::vector<std::shared_ptr<Work>>
        after_;  // what comes next follows these: its last work, and what it was told to wait for
    runtime::WorkClock clock_;
};

/// The streams of one device. Not to be used by several threads at once.
class Queue {
public:
    struct Order {
        std::shared_ptr<runtime::Module> module;
        std::string kernel;
        runtime::LaunchShape shape;
        runtime::Arguments arguments;
    };
    struct Owner {
        std::function<std::shared_ptr<Launch>(sim::LaunchStatistics const&)>
            record;                                               // makes a launch of what was counted
        std::function<void(std::function<void()> const&)> guard;  // does something, whose faults come out as Fault
        std::function<void(runtime::WorkOrder const&)> work_begins;  // as in DeviceOptions; null: nobody asks
    };
    Queue(runtime::Device& device, bool is_timed, Owner owner);

    std::shared_ptr<Stream> make_stream(int priority);
    /// Timing mode: begins later. Throws Error(launch) when it cannot be placed.
    std::shared_ptr<Work> submit(Stream& stream, Order order);
    /// Work that was done at once.
    std::shared_ptr<Work> done(Stream& stream, std::shared_ptr<Launch> launch);
    /// Such work begins: in functional mode; null: in no stream, when everything else is over.
    void begin(Stream* stream);
    /// `move` moves the bytes.
    std::shared_ptr<Work> copy(Stream& stream, runtime::TimedCopy const& copy, std::function<void()> move);
    /// The point that the stream has come to.
    std::shared_ptr<Work> record(Stream& stream);
    void wait(Stream& stream, std::shared_ptr<Work> const& point);

    /// Goes on until it is over. Throws Fault, after which everything is over.
    void finish(Work const& work);
    void finish_all();
    bool is_idle() const { return works_.empty(); }

private:
    std::shared_ptr<Work> add(Stream& stream);
    void start_ready();
    void advance();
    void go_on();
    void end(Work& work, std::uint64_t at);
    void fail(std::exception_ptr const& error);

    runtime::Device& device_;
    bool const is_timed_;
    Owner const owner_;
    std::vector<std::shared_ptr<Work>> works_;  // that are not over, in the order of submission
    std::uint64_t streams_ = 0;
    std::uint64_t now_ = 0;  // nothing may begin before
    runtime::WorkClock host_, all_;
};

}  // namespace warpsim::embed
