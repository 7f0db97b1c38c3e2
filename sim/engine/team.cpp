#include "sim/engine/team.hpp"

#include "sim/host_arena.hpp"
#include "sim/host_thread.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <immintrin.h>
#include <memory>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

namespace warpsim::engine {

namespace {

/// What one thread has in a round of work, as one word, so that whoever reads it knows which component is next and of how
/// many, whatever has come since. Those who come too late count on past the last one.
class Ticket {
public:
    static constexpr unsigned bits = 20;
    static constexpr std::uint64_t over = std::uint64_t{1} << 63;

    explicit Ticket(std::uint64_t word) : word_(word) {}
    static std::uint64_t first(std::uint64_t round, std::size_t count) {
        return (round << 2 * bits & ~over) | std::uint64_t{count} << bits;
    }
    std::size_t next() const { return word_ & mask; }
    bool has_next() const { return next() < (word_ >> bits & mask); }
    bool is_over() const { return (word_ & over) != 0; }

private:
    static constexpr std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    std::uint64_t word_;
};

/// Calls `is_there` until it is true, and `otherwise` in between once that has taken long: rounds follow each other within
/// microseconds.
template <class Condition, class Otherwise>
void await(int patience, Condition const& is_there, Otherwise const& otherwise) {
    for (int i = 0; !is_there(); ++i) {
        if (i < patience) _mm_pause();
        else otherwise();
    }
}

}  // namespace

struct Team::State {
    static std::size_t arena_threads(TeamOptions const& o) {
        return static_cast<std::size_t>(std::max(o.threads, 1));
    }
    explicit State(TeamOptions const& o)
        : options(o),
          arena(arena_threads(o)),
          patience(arena_threads(o) <= sim::hardware_threads() ? 2000 : 0),
          threads(arena_threads(o)),
          lanes(std::make_unique<Lane[]>(threads)) {}

    void stand_by(std::size_t thread);
    void take_turns(std::size_t thread);
    /// Gives each thread the ticket that `of` makes for it.
    template <class Of> void give(Of const& of) {
        for (std::size_t t = threads; t-- > 0;) {
            lanes[t].ticket.store(of(t), std::memory_order_release);
            lanes[t].ticket.notify_all();
        }
    }
    // Of as many components as there are threads a thread has one, the same in each round: what that needs stays in the caches
    // of its core. Those that are busy, the first ones mostly, are spread over all threads.
    std::size_t component(std::size_t thread, std::size_t n) const { return thread + n * threads; }
    std::size_t components_of(std::size_t thread) const { return (count + threads - 1 - thread) / threads; }

    struct alignas(64) Lane {
        std::atomic<std::uint64_t> ticket{0};
    };

    TeamOptions options;
    sim::HostArena arena;
    int const patience;  // none where others have to wait for this thread's core
    std::size_t const threads;
    std::unique_ptr<Lane[]> const lanes;
    bool is_together = false;
    std::vector<std::size_t> order;
    std::uint64_t round = 0;
    // Of this round; whoever has a component of it may read them.
    std::function<void(std::size_t)> const* work = nullptr;
    std::size_t count = 0;
    bool is_permuted = false;
    alignas(64) std::atomic<std::size_t> finished{0};
};

/// Runs the thread's own components, then what is left of the others'.
void Team::State::take_turns(std::size_t thread) {
    std::size_t done = 0;
    for (std::size_t k = 0; k < threads; ++k) {
        std::size_t const whose = (thread + k) % threads;
        std::atomic<std::uint64_t>& ticket = lanes[whose].ticket;
        while (Ticket(ticket.load(std::memory_order_acquire)).has_next()) {
            Ticket const mine(ticket.fetch_add(1, std::memory_order_acq_rel));
            if (!mine.has_next()) break;
            std::size_t const i = component(whose, mine.next());
            (*work)(is_permuted ? order[i] : i);
            ++done;
        }
    }
    // No round ends before that.
    if (done != 0) finished.fetch_add(done, std::memory_order_release);
}

void Team::State::stand_by(std::size_t thread) {
    sim::DefaultFloatingPoint const environment;
    std::atomic<std::uint64_t>& ticket = lanes[thread].ticket;
    for (;;) {
        std::uint64_t word = 0;
        await(
            patience,
            [&] {
                word = ticket.load(std::memory_order_acquire);
                return Ticket(word).has_next() || Ticket(word).is_over();
            },
            [&] { ticket.wait(word, std::memory_order_acquire); });
        if (Ticket(word).is_over()) return;
        take_turns(thread);
    }
}

Team::Team(TeamOptions options) : state_(std::make_unique<State>(options)) {}

Team::~Team() = default;

int Team::threads() const { return static_cast<int>(state_->threads); }

void Team::together(std::function<void()> const& body) {
    State& s = *state_;
    if (s.threads == 1 || s.is_together) return body();
    s.is_together = true;
    for (std::size_t t = 0; t < s.threads; ++t) s.lanes[t].ticket.store(0, std::memory_order_relaxed);
    std::exception_ptr error;
    s.arena.run(s.threads, [&](std::size_t thread) {
        if (thread != 0) return s.stand_by(thread);
        try {
            body();
        } catch (...) {
            error = std::current_exception();
        }
        s.give([](std::size_t) { return Ticket::over; });
    });
    s.is_together = false;
    if (error) std::rethrow_exception(error);
}

void Team::each(std::size_t count, std::function<void(std::size_t)> const& work) {
    State& s = *state_;
    ++s.round;
    s.is_permuted = s.options.permutation_seed != 0;
    if (s.is_permuted) {
        s.order.resize(count);
        permute(s.options.permutation_seed + s.round, count, s.order.data());
    }
    if (s.threads == 1 || count <= 1) {
        sim::DefaultFloatingPoint const environment;
        for (std::size_t i = 0; i < count; ++i) work(s.is_permuted ? s.order[i] : i);
        return;
    }
    together([&] {
        sim::DefaultFloatingPoint const environment;
        s.work = &work;
        s.count = count;
        s.finished.store(0, std::memory_order_relaxed);
        s.give([&](std::size_t t) { return Ticket::first(s.round, s.components_of(t)); });
        s.take_turns(0);
        await(
            s.patience, [&] { return s.finished.load(std::memory_order_acquire) == count; },
            [] { std::this_thread::yield(); });
    });
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
