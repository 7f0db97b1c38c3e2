// The work of a device: its order, and who does it.
#include "runtime/cuda/core/errors.hpp"
#include "runtime/cuda/devices/eager_queue.hpp"
#include "tests/support/catch.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

namespace queue_test {

using namespace warpsim::cuda;

TEST_CASE("Work is done in the order of submission, also by a thread that waits", "[cuda]") {
    EagerQueue queue;
    StreamOrder a, b;
    std::vector<int> order;  // one task at a time
    for (int round = 0; round < 200; ++round) {
        order.clear();
        for (int i = 0; i < 10; ++i) queue.submit(i % 2 == 0 ? a : b, [&order, i] { order.push_back(i); });
        if (round % 2 == 0) queue.wait_all();
        else queue.wait(b), queue.wait(a);
        CHECK(order == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
    }
}

TEST_CASE("Work that waits for a condition lets work of other streams go first", "[cuda]") {
    EagerQueue queue;
    StreamOrder a, b;
    std::atomic<bool> may{false};
    std::vector<int> order;
    queue.submit(
        a, [&] { order.push_back(1); }, [&] { return may.load(); });
    queue.submit(a, [&] { order.push_back(2); });
    queue.submit(b, [&] { order.push_back(3); });
    queue.wait(b);
    CHECK(order == std::vector<int>{3});
    CHECK_FALSE(queue.is_done(a));
    std::thread host([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        may = true;
    });
    queue.wait_all();
    host.join();
    CHECK(order == std::vector<int>{3, 1, 2});
}

TEST_CASE("Work begins without anybody waiting for it", "[cuda]") {
    EagerQueue queue;
    StreamOrder order;
    std::atomic<bool> ran{false};
    queue.submit(order, [&] { ran = true; });
    for (int i = 0; i < 10000 && !ran; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    CHECK(ran);
}

TEST_CASE("A task that waits for its own queue is told that it may not, for it would wait for ever", "[cuda]") {
    EagerQueue queue;
    StreamOrder own, other;
    int refused = 0;
    auto const try_to_wait = [&] {
        for (auto const& wait : std::vector<std::function<void()>>{
                 [&] { queue.wait(own); }, [&] { queue.wait_all(); }, [&] { queue.run(other, [] {}); }}) {
            try {
                wait();
            } catch (Failure const& failure) {
                refused += failure.result() == Result::not_permitted;
            }
        }
        queue.submit(own, [&] { refused += 10; });  // which waits for nothing
    };
    queue.run(own, try_to_wait);
    queue.wait_all();
    CHECK(refused == 13);
    queue.submit(own, try_to_wait);
    queue.wait_all();
    CHECK(refused == 26);
}

TEST_CASE("A thread may wait for what a task of another thread brings about", "[cuda]") {
    EagerQueue queue;
    StreamOrder order;
    std::atomic<int> reached{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < 200; ++i) {
                queue.submit(order, [&] { ++reached; });
                int const at_least = 1;
                queue.wait_until([&] { return reached >= at_least; });
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    queue.wait(order);
    CHECK(reached == 800);
    CHECK(queue.is_done(order));
}

TEST_CASE("Who catches up waits for all work but that which waits for the host", "[cuda]") {
    EagerQueue queue;
    StreamOrder a, b;
    std::atomic<bool> may{false}, is_over{false};
    std::atomic<int> done{0};
    std::thread::id const self = std::this_thread::get_id();
    bool is_here = false;
    SECTION("it is done by another thread") {
        for (int i = 0; i < 3; ++i)
            queue.submit(a, [&] {
                is_here = is_here || std::this_thread::get_id() == self;
                ++done;
            });
        queue.catch_up();
        CHECK(done == 3);
        CHECK_FALSE(is_here);
    }
    SECTION("what cannot begin is left") {
        queue.submit(
            a, [&] { ++done; }, [&] { return may.load(); });
        queue.submit(b, [&] { ++done; });
        queue.catch_up();
        CHECK(done == 1);
        may = true;
    }
    SECTION("what says that it may wait for the host is left") {
        queue.submit(a, [&] {
            queue.may_wait_for_host();
            while (!may) std::this_thread::yield();
            is_over = true;
        });
        queue.catch_up();
        CHECK_FALSE(is_over);
        may = true;
    }
    queue.wait_all();
}

}  // namespace queue_test
