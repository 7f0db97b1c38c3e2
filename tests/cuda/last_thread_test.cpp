// A program's threads are counted while they begin and end.
#include "runtime/cuda/devices/last_thread.hpp"

#include "tests/support/catch.hpp"

#include <atomic>
#include <thread>

namespace last_thread_test {

using namespace warpsim;

TEST_CASE("A program's threads are counted while others end", "[cuda]") {
    std::atomic<bool> is_over{false};
    std::thread brief([&] {
        while (!is_over) std::thread([] {}).join();
    });
    int counted = 0;
    for (int look = 0; look < 5000; ++look) counted += cuda::threads_of_program() >= 2 ? 1 : 0;
    is_over = true;
    brief.join();
    CHECK(counted > 0);
}

}  // namespace last_thread_test
