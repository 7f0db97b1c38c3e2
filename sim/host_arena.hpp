// Host threads that work on one launch together: oneTBB's workers and the thread that calls.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace warpsim::sim {

class HostArena {
public:
    /// `threads`: the calling one among them; more than there are cores are allowed.
    explicit HostArena(std::size_t threads);
    ~HostArena();
    HostArena(HostArena const&) = delete;
    HostArena& operator=(HostArena const&) = delete;

    /// Calls task(0) ... task(count - 1), each once, and returns when all have finished. `task` must not throw.
    void run(std::size_t count, std::function<void(std::size_t)> const& task);

private:
    struct Arena;
    class Pool;
    friend void count_workers();

    std::unique_ptr<Arena> arena_;
};

/// Makes OwnThreads of workers that oneTBB started and that found nothing left to do. Takes a few milliseconds.
void count_workers();

}  // namespace warpsim::sim
