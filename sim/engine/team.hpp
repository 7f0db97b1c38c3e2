// Runs the components of one epoch on the host's cores. Which thread runs a component, and in which order, makes
// no difference: components share no mutable state. A seed permutes the order to prove it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace warpsim::engine {

struct TeamOptions {
    int threads = 1;                     // host threads
    std::uint64_t permutation_seed = 0;  // 0: ascending order
};

class Team {
public:
    explicit Team(TeamOptions options);
    ~Team();
    Team(Team const&) = delete;
    Team& operator=(Team const&) = delete;

    /// Calls `body` in this thread while the others stand by, so that each() in it begins at once.
    void together(std::function<void()> const& body);
    /// Calls work(0) ... work(count - 1), each once, in the default floating-point environment, and returns when
    /// all have finished. `work` must not throw. `count` is less than a million.
    void each(std::size_t count, std::function<void(std::size_t)> const& work);
    int threads() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// A pseudo-random permutation of 0 ... count - 1; the same seed gives the same one on every machine.
void permute(std::uint64_t seed, std::size_t count, std::size_t* order);

}  // namespace warpsim::engine
