#include "sim/host_arena.hpp"

#include "sim/host_thread.hpp"
#include "sim/own_thread.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <tbb/task_scheduler_observer.h>
#include <thread>
#include <utility>
#include <vector>

namespace warpsim::sim {

struct HostArena::Arena {
    /// Tells the workers that come into an arena from threads of the program.
    class Workers : public tbb::task_scheduler_observer {
    public:
        explicit Workers(tbb::task_arena& arena) : task_scheduler_observer(arena) { observe(true); }
        ~Workers() override { observe(false); }
        Workers(Workers const&) = delete;
        Workers& operator=(Workers const&) = delete;

        void on_scheduler_entry(bool is_worker) override {
            if (is_worker) keep_own_thread();
        }
    };

    explicit Arena(std::size_t n) : threads(n), arena(static_cast<int>(n), 1) {
        allow();
        if (n > 1) workers.emplace(arena);
    }

    void allow() {
        allowed.emplace(tbb::global_control::max_allowed_parallelism, std::max(threads, hardware_threads()));
    }

    std::size_t threads;
    tbb::task_arena arena;
    std::optional<tbb::global_control> allowed;  // while it is in use: the least of all that exist holds
    std::optional<Workers> workers;
};

/// The arenas that no launch uses. They stay until the process ends: an arena is dear beside a small launch, and a
/// worker may still be leaving it.
class HostArena::Pool {
public:
    static Pool& of_process() {
        static auto* const pool = new Pool();
        return *pool;
    }

    std::unique_ptr<Arena> take(std::size_t threads) {
        {
            std::lock_guard const lock(mutex_);
            most_ = std::max(most_, threads);
            auto const at =
                std::find_if(free_.begin(), free_.end(), [&](auto& a) { return a->threads == threads; });
            if (at != free_.end()) {
                std::swap(*at, free_.back());
                auto arena = std::move(free_.back());
                free_.pop_back();
                arena->allow();
                return arena;
            }
        }
        return std::make_unique<Arena>(threads);
    }

    void give_back(std::unique_ptr<Arena> arena) {
        arena->allowed.reset();
        std::lock_guard const lock(mutex_);
        free_.push_back(std::move(arena));
    }

    /// The threads of the largest arena so far.
    std::size_t most() {
        std::lock_guard const lock(mutex_);
        return most_;
    }

private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<Arena>> free_;
    std::size_t most_ = 0;
};

HostArena::HostArena(std::size_t threads) : arena_(Pool::of_process().take(std::max<std::size_t>(threads, 1))) {}

HostArena::~HostArena() { Pool::of_process().give_back(std::move(arena_)); }

void HostArena::run(std::size_t count, std::function<void(std::size_t)> const& task) {
    arena_->arena.execute([&] {
        tbb::task_group group;
        Handover handover;
        handover.give();
        for (std::size_t i = 1; i < count; ++i) group.run(WARPSIM_TASK(handover, task, i));
        if (count > 0) task(0);
        group.wait();
        handover.take();
    });
}

void count_workers() {
    constexpr std::chrono::milliseconds longest{5};
    std::size_t const threads = HostArena::Pool::of_process().most();
    if (threads < 2) return;
    std::atomic<std::size_t> here{0};
    auto const until = std::chrono::steady_clock::now() + longest;
    // All are in the arena at the same time, so each is another worker.
    auto const stay = [&](std::size_t) {
        ++here;
        while (here < threads && std::chrono::steady_clock::now() < until) std::this_thread::yield();
    };
    HostArena(threads).run(threads, stay);
}

}  // namespace warpsim::sim
