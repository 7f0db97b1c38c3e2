#include "sim/plugin/guards.hpp"

#include <atomic>
#include <bit>
#include <exception>
#include <mutex>
#include <utility>

namespace warpsim::plugin {

namespace {

std::mutex failure_mutex;
std::atomic<bool> has_failed = false;
std::string failure;

void fail(std::string const& text) {
    std::lock_guard const lock(failure_mutex);
    if (has_failed) return;
    failure = text;
    has_failed = true;
}

/// One component of a plug-in; none, if making it has failed.
template <class C> class Guard {
public:
    Guard(std::string who, std::unique_ptr<C> inner) : who_(std::move(who)), inner_(std::move(inner)) {}

protected:
    /// What `call` of the component returns; `otherwise`, if it throws.
    template <class R, class Call> R ask(char const* what, R otherwise, Call&& call) const {
        if (!inner_) return otherwise;
        try {
            return call(*inner_);
        } catch (std::exception const& e) {
            fail(who_ + ": " + what + " threw: " + e.what());
        } catch (...) {
            fail(who_ + ": " + what + " threw");
        }
        return otherwise;
    }
    template <class Call> void tell(char const* what, Call&& call) const {
        ask(what, 0, [&](C& c) {
            call(c);
            return 0;
        });
    }
    void wrong(std::string const& text) const {
        if (inner_) fail(who_ + ": " + text);
    }
    bool keep(State& state) const {
        return ask("state()", false, [&](C& c) { return c.state(state); });
    }

private:
    std::string who_;
    std::unique_ptr<C> inner_;
};

class GuardedScheduler final : public WarpScheduler, Guard<WarpScheduler> {
public:
    using Guard::Guard;
    bool state(State& state) override { return keep(state); }
    unsigned pick(WarpMask eligible) override {
        auto const first = static_cast<unsigned>(std::countr_zero(eligible));
        auto const w = ask("pick()", first, [&](WarpScheduler& c) { return c.pick(eligible); });
        if (w < 64 && (eligible >> w & 1) != 0) return w;
        wrong("pick() returned warp " + std::to_string(w) + ", which is not eligible");
        return first;
    }
    void started(unsigned warp) override {
        tell("started()", [&](WarpScheduler& c) { c.started(warp); });
    }
    void ended(unsigned warp) override {
        tell("ended()", [&](WarpScheduler& c) { c.ended(warp); });
    }
    void waits(unsigned warp) override {
        tell("waits()", [&](WarpScheduler& c) { c.waits(warp); });
    }
};

class GuardedReplacement final : public ReplacementPolicy, Guard<ReplacementPolicy> {
public:
    using Guard::Guard;
    bool state(State& state) override { return keep(state); }
    void used(std::uint32_t set, std::uint32_t way) override {
        tell("used()", [&](ReplacementPolicy& c) { c.used(set, way); });
    }
    void filled(std::uint32_t set, std::uint32_t way, std::uint64_t line) override {
        tell("filled()", [&](ReplacementPolicy& c) { c.filled(set, way, line); });
    }
    std::uint32_t victim(std::uint32_t set, std::span<std::uint8_t const> busy) override {
        std::uint32_t first = 0;
        while (busy[first] != 0) ++first;
        auto const way = ask("victim()", first, [&](ReplacementPolicy& c) { return c.victim(set, busy); });
        if (way < busy.size() && busy[way] == 0) return way;
        wrong(
            "victim() returned way " + std::to_string(way) +
            (way < busy.size() ? ", which waits for its data" : ", but there are " + std::to_string(busy.size())));
        return first;
    }
    std::vector<std::uint32_t> order(std::uint32_t set) const override {
        return ask("order()", std::vector<std::uint32_t>{}, [&](ReplacementPolicy& c) { return c.order(set); });
    }
};

class GuardedPrefetcher final : public Prefetcher, Guard<Prefetcher> {
public:
    using Guard::Guard;
    bool state(State& state) override { return keep(state); }
    void loaded(LineLoad const& load, std::vector<std::uint64_t>& wanted) override {
        tell("loaded()", [&](Prefetcher& c) { c.loaded(load, wanted); });
    }
    void filled(LineFill const& fill, std::vector<std::uint64_t>& wanted) override {
        tell("filled()", [&](Prefetcher& c) { c.filled(fill, wanted); });
    }
};

class GuardedWritePolicy final : public WritePolicy, Guard<WritePolicy> {
public:
    using Guard::Guard;
    bool state(State& state) override { return keep(state); }
    bool allocates(LineStore const& store) override {
        return ask("allocates()", true, [&](WritePolicy& c) { return c.allocates(store); });
    }
    bool writes_through(LineStore const& store) override {
        return ask("writes_through()", false, [&](WritePolicy& c) { return c.writes_through(store); });
    }
};

class GuardedDramPolicy final : public DramPolicy, Guard<DramPolicy> {
public:
    using Guard::Guard;
    bool state(State& state) override { return keep(state); }
    bool writes_wait() const override {
        return ask("writes_wait()", true, [](DramPolicy const& c) { return c.writes_wait(); });
    }
    std::size_t next(DramQueue const& queue) override {
        std::size_t const none = queue.waiting.size();
        auto const chosen = ask("next()", none, [&](DramPolicy& c) { return c.next(queue); });
        if (chosen == none || (chosen < none && queue.is_ready(queue.waiting[chosen]))) return chosen;
        wrong("next() returned request " + std::to_string(chosen) + " of " + std::to_string(none) +
              ", which is not ready");
        return none;
    }
    bool may_close(DramQueue const& queue, std::uint32_t bank) override {
        return ask("may_close()", true, [&](DramPolicy& c) { return c.may_close(queue, bank); });
    }
};

class GuardedTopology final : public Topology, Guard<Topology> {
public:
    using Guard::Guard;
    bool state(State& state) override { return keep(state); }
    Cycle delay(Packet const& packet) override {
        Cycle const late = ask("delay()", Cycle{0}, [&](Topology& c) { return c.delay(packet); });
        if (late <= longest) return late;
        wrong("delay() returned " + std::to_string(late) + " cycles, which is more than " +
              std::to_string(longest));
        return 0;
    }

private:
    static constexpr Cycle longest = Cycle{1} << 40;
};

class GuardedPlacement final : public CtaPlacement, Guard<CtaPlacement> {
public:
    using Guard::Guard;
    bool state(State& state) override { return keep(state); }
    std::uint32_t choose(SmRooms const& sms, std::uint64_t cta) override {
        std::uint32_t const sm = ask("choose()", nowhere, [&](CtaPlacement& c) { return c.choose(sms, cta); });
        if (sm == nowhere && is_idle_with_room(sms)) wrong("choose() returned no SM, and all of them are idle");
        if (sm == nowhere || (sm < sms.count() && sms.room(sm) != 0)) return sm;
        wrong("choose() returned SM " + std::to_string(sm) + ", which has no room");
        return nowhere;
    }

private:
    /// Nothing would ever happen again.
    static bool is_idle_with_room(SmRooms const& sms) {
        bool has_room = false;
        for (std::uint32_t s = 0; s < sms.count(); ++s) {
            if (sms.warps(s) != 0) return false;
            has_room |= sms.room(s) != 0;
        }
        return has_room;
    }
};

class GuardedObserver final : public Observer, Guard<Observer> {
public:
    using Guard::Guard;
    std::uint32_t wants() const override {
        return ask("wants()", 0u, [](Observer const& c) { return c.wants(); });
    }
    void cta_starts(WarpInfo const& i) override {
        tell("cta_starts()", [&](Observer& c) { c.cta_starts(i); });
    }
    void cta_ends(WarpInfo const& i) override {
        tell("cta_ends()", [&](Observer& c) { c.cta_ends(i); });
    }
    void executes(InstructionInfo const& i) override {
        tell("executes()", [&](Observer& c) { c.executes(i); });
    }
    void accesses_memory(AccessInfo const& i) override {
        tell("accesses_memory()", [&](Observer& c) { c.accesses_memory(i); });
    }
    void issues_micro_op(WarpInfo const& i) override {
        tell("issues_micro_op()", [&](Observer& c) { c.issues_micro_op(i); });
    }
    void finished(LaunchInfo const& i) override {
        tell("finished()", [&](Observer& c) { c.finished(i); });
    }
};

template <class C> struct GuardOf;
template <> struct GuardOf<WarpScheduler> : std::type_identity<GuardedScheduler> {};
template <> struct GuardOf<ReplacementPolicy> : std::type_identity<GuardedReplacement> {};
template <> struct GuardOf<Prefetcher> : std::type_identity<GuardedPrefetcher> {};
template <> struct GuardOf<WritePolicy> : std::type_identity<GuardedWritePolicy> {};
template <> struct GuardOf<DramPolicy> : std::type_identity<GuardedDramPolicy> {};
template <> struct GuardOf<Topology> : std::type_identity<GuardedTopology> {};
template <> struct GuardOf<CtaPlacement> : std::type_identity<GuardedPlacement> {};
template <> struct GuardOf<Observer> : std::type_identity<GuardedObserver> {};

}  // namespace

std::string take_failure() {
    if (!has_failed) return "";
    std::lock_guard const lock(failure_mutex);
    has_failed = false;
    return std::exchange(failure, "");
}

template <class C, class S>
std::unique_ptr<C> guarded(std::string who, Maker<C, S> const& make, S const& settings) {
    std::unique_ptr<C> made;
    try {
        made = make(settings);
        if (!made) fail(who + ": nothing was made");
    } catch (std::exception const& e) {
        fail(who + " cannot be made: " + e.what());
    } catch (...) {
        fail(who + " cannot be made: it threw");
    }
    return std::make_unique<typename GuardOf<C>::type>(std::move(who), std::move(made));
}

template std::unique_ptr<WarpScheduler> guarded(std::string, Maker<WarpScheduler, SchedulerSettings> const&,
                                                SchedulerSettings const&);
template std::unique_ptr<ReplacementPolicy>
guarded(std::string, Maker<ReplacementPolicy, ReplacementSettings> const&, ReplacementSettings const&);
template std::unique_ptr<Prefetcher> guarded(std::string, Maker<Prefetcher, PrefetcherSettings> const&,
                                             PrefetcherSettings const&);
template std::unique_ptr<WritePolicy> guarded(std::string, Maker<WritePolicy, WriteSettings> const&,
                                              WriteSettings const&);
template std::unique_ptr<DramPolicy> guarded(std::string, Maker<DramPolicy, DramSettings> const&,
                                             DramSettings const&);
template std::unique_ptr<Topology> guarded(std::string, Maker<Topology, TopologySettings> const&,
                                           TopologySettings const&);
template std::unique_ptr<CtaPlacement> guarded(std::string, Maker<CtaPlacement, Settings> const&, Settings const&);
template std::unique_ptr<Observer> guarded(std::string, Maker<Observer, ObserverSettings> const&,
                                           ObserverSettings const&);

}  // namespace warpsim::plugin
