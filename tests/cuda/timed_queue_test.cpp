// The order and the times of work in simulated time.
#include "runtime/cuda/core/errors.hpp"
#include "runtime/cuda/devices/timed_queue.hpp"
#include "tests/support/catch.hpp"

#include <atomic>
#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace timed_queue_test {

using namespace warpsim;
using namespace warpsim::cuda;

namespace {

/// A device on which every launch takes the time that was asked for.
class Bench {
public:
    explicit Bench(TimedQueue::Time call = 0)
        : queue([this](TimedQueue::Time until) { return advance(until); }, call) {}

    void launch(StreamOrder& stream, std::string const& name, TimedQueue::Time length) {
        queue.submit(
            stream,
            [this, name, length](TimedQueue::Time at) {
                note(name + " begins", at);
                runtime::Device::Ticket const ticket = ++last_;
                ends_[ticket] = at + length;
                return TimedQueue::Begun{at, ticket};
            },
            [this, name] { note(name + " ends", queue.now()); });
    }
    void copy(StreamOrder& stream, std::string const& name, TimedQueue::Time length) {
        queue.submit(
            stream, [length](TimedQueue::Time at) { return TimedQueue::Begun{at + length}; },
            [this, name] { note(name + " ends", queue.now()); });
    }
    void mark(StreamOrder& stream, std::string const& name) {
        queue.submit(stream, [this, name] { note(name, queue.now()); });
    }

    std::vector<std::string> log;

private:
    void note(std::string const& what, TimedQueue::Time at) { log.push_back(what + " " + std::to_string(at)); }
    std::optional<std::vector<runtime::Device::Ended>> advance(TimedQueue::Time until) {
        std::vector<runtime::Device::Ended> ended;
        TimedQueue::Time first = until;
        for (auto const& [ticket, end] : ends_) first = std::min(first, end);
        for (auto const& [ticket, end] : ends_) {
            if (end == first && end <= until) ended.push_back({ticket, end});
        }
        for (auto const& e : ended) ends_.erase(e.ticket);
        return ended;
    }

    std::map<runtime::Device::Ticket, TimedQueue::Time> ends_;
    runtime::Device::Ticket last_ = 0;

public:
    TimedQueue queue;
};

}  // namespace

TEST_CASE("Work of different streams is under way at the same time, that of one stream in order", "[cuda]") {
    Bench bench;
    StreamOrder a, b;
    bench.launch(a, "first", 100);
    bench.launch(a, "second", 50);
    bench.copy(b, "copy", 120);
    bench.mark(b, "mark");
    bench.queue.wait_all();
    CHECK(bench.log == std::vector<std::string>{"first begins 0", "first ends 100", "second begins 100",
                                                "copy ends 120", "mark 120", "second ends 150"});
}

TEST_CASE("The default stream waits for blocking streams and they for it, others do not", "[cuda]") {
    Bench bench;
    StreamOrder legacy, blocking, other;
    legacy.is_legacy = true;
    other.is_blocking = false;
    bench.launch(blocking, "a", 100);
    bench.launch(legacy, "b", 10);
    bench.launch(other, "c", 5);
    bench.launch(blocking, "d", 1);
    bench.queue.wait_all();
    CHECK(bench.log == std::vector<std::string>{"a begins 0", "c begins 0", "c ends 5", "a ends 100",
                                                "b begins 100", "b ends 110", "d begins 110", "d ends 111"});
}

TEST_CASE("Calls take the host time, and a call that waits ends with what it waits for", "[cuda]") {
    Bench bench(10);
    StreamOrder a, b;
    bench.mark(a, "one");
    bench.mark(a, "two");
    bench.launch(a, "kernel", 100);
    bench.queue.wait(a);
    bench.mark(b, "three");
    {
        TimedQueue::HostCall const call(bench.queue);
        bench.mark(a, "four");
        bench.mark(b, "five");
    }
    bench.queue.wait_all();
    CHECK(bench.log == std::vector<std::string>{"one 10", "two 20", "kernel begins 30", "kernel ends 130",
                                                "three 140", "four 150", "five 150"});
}

TEST_CASE("Asking lets time pass, no more than the host has come to", "[cuda]") {
    Bench bench(10);
    StreamOrder a;
    bench.launch(a, "kernel", 35);
    int asked = 0;
    while (!bench.queue.is_done(a)) ++asked;
    CHECK(asked == 3);  // at 20, 30 and 40; it ends at 45
    bench.mark(a, "mark");
    bench.queue.wait(a);
    CHECK(bench.log.back() == "mark 60");
}

TEST_CASE("Open work ends when a task says so, and lets others be under way", "[cuda]") {
    Bench bench(7);
    StreamOrder a, b, part;
    bench.launch(a, "beside", 300);
    bench.queue.submit(
        b,
        [&](TimedQueue::Time at) {
            bench.launch(part, "part", 20);  // by no call of the host
            bench.queue.submit(part, [&] { bench.queue.end(b); });
            return TimedQueue::Begun{at, 0, true};
        },
        [&] { bench.log.push_back("open ends " + std::to_string(bench.queue.now())); });
    bench.launch(b, "behind", 5);
    bench.queue.wait_all();
    CHECK(bench.log == std::vector<std::string>{"beside begins 7", "part begins 14", "part ends 34",
                                                "open ends 34", "behind begins 34", "behind ends 39",
                                                "beside ends 307"});
}

TEST_CASE("A condition holds up its stream only, and may come true by the host", "[cuda]") {
    Bench bench;
    StreamOrder a, b;
    std::atomic<bool> may{false};
    bench.queue.submit(
        a, [&] { bench.log.push_back("went on"); }, [&] { return may.load(); });
    bench.launch(b, "kernel", 100);
    bench.queue.wait(b);
    CHECK(bench.log == std::vector<std::string>{"kernel begins 0", "kernel ends 100"});
    std::thread host([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        may = true;
    });
    bench.queue.wait_all();
    host.join();
    CHECK(bench.log.back() == "went on");
}

TEST_CASE("Work of a host that only polls memory begins all the same", "[cuda]") {
    Bench bench;
    StreamOrder a;
    std::atomic<bool> ran{false};
    bench.queue.submit(a, [&] { ran = true; });
    for (int i = 0; i < 10000 && !ran; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    CHECK(ran);
}

TEST_CASE("A task that waits for its own timed queue is told that it may not", "[cuda]") {
    Bench bench;
    StreamOrder own;
    int refused = 0;
    bench.queue.run(own, [&] {
        try {
            bench.queue.wait_all();
        } catch (Failure const& failure) {
            refused += failure.result() == Result::not_permitted;
        }
        CHECK_FALSE(bench.queue.is_done(own));
    });
    CHECK(refused == 1);
}

TEST_CASE("When the device fails nothing is under way any more", "[cuda]") {
    StreamOrder a, b;
    bool has_ended = false;
    TimedQueue queue([](TimedQueue::Time) { return std::nullopt; }, 0);
    for (StreamOrder* const stream : {&a, &b})
        queue.submit(
            *stream,
            [](TimedQueue::Time at) {
                return TimedQueue::Begun{at, 1};
            },
            [&] { has_ended = true; });
    queue.wait_all();
    CHECK(has_ended);
}

}  // namespace timed_queue_test
