#include "sim/engine/team.hpp"

#include "sim/host_arena.hpp"
#include "sim/host_thread.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

namespace warpsim::engine {

struct Team::State {
    explicit State(TeamOptions const& o) : options(o), arena(static_cast<std::size_t>(std::max(o.threads, 1))) {}

    TeamOptions options;
    sim::HostArena arena;
    std::vector<std::size_t> order;
    std::uint64_t round = 0;
    std::atomic<std::size_t> ticket{0};  // the next component to run
};

Team::Team(TeamOptions options) : state_(std::make_unique<State>(options)) {}

Team::~Team() = default;

int Team::threads() const { return std::max(state_->options.threads, 1); }

void Team::each(std::size_t count, std::function<void(std::size_t)> const& work) {
    State& s = *state_;
    bool const permuted = s.options.permutation_seed != 0;
    if (permuted) {
        s.order.resize(count);
        permute(s.options.permutation_seed + ++s.round, count, s.order.data());
    }
    auto const component = [&](std::size_t i) { return permuted ? s.order[i] : i; };
    if (threads() == 1 || count <= 1) {
        sim::DefaultFloatingPoint const environment;
        for (std::size_t i = 0; i < count; ++i) work(component(i));
        return;
    }
    auto const take_turns = [&](std::size_t) {
        sim::DefaultFloatingPoint const environment;
        for (std::size_t i; (i = s.ticket.fetch_add(1, std::memory_order_relaxed)) < count;) work(component(i));
    };
    s.ticket.store(0, std::memory_order_relaxed);
    s.arena.run(std::min(static_cast<std::size_t>(threads()), count), std::ref(take_turns));
}

void permute(std::uint64_t seed, std::size_t count, std::size_t* order) {
    std::iota(order, order + count, std::size_t{0});
    std::uint64_t state = seed;
    auto const random = [&] {  // splitmix64
        std::uint64_t z = state += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return z ^ z >> 31;
    };
    for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random() % i]);
}

}  // namespace warpsim::engine
