// Components of every kind, each as short as it can be and still of some use.
#include "sim/plugin/plugin.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace warpsim::plugin;

/// The warp that began last: what the younger ones load is not evicted by the older ones.
class Youngest : public WarpScheduler {
public:
    unsigned pick(WarpMask eligible) override {
        unsigned best = 0;
        std::uint64_t latest = 0;
        for (WarpMask left = eligible; left != 0; left &= left - 1) {
            auto const w = static_cast<unsigned>(std::countr_zero(left));
            if (since_[w] < latest) continue;
            latest = since_[w];
            best = w;
        }
        return best;
    }
    void started(unsigned warp) override { since_[warp] = ++clock_; }
    void ended(unsigned) override {}
    bool state(State& state) override {
        state(clock_, since_);
        return true;
    }

private:
    std::uint64_t clock_ = 0;
    std::uint64_t since_[64] = {};
};

/// Static re-reference interval prediction with 2 bits (Jaleel et al., "High performance cache replacement using
/// re-reference interval prediction", ISCA 2010): a new line is expected to be used late, one that is used again soon.
class Srrip : public ReplacementPolicy {
public:
    explicit Srrip(ReplacementSettings const& settings)
        : ways_(settings.ways), values_(std::size_t{settings.sets} * settings.ways, distant) {}
    void used(std::uint32_t set, std::uint32_t way) override { at(set, way) = 0; }
    void filled(std::uint32_t set, std::uint32_t way, std::uint64_t) override { at(set, way) = distant - 1; }
    std::uint32_t victim(std::uint32_t set, std::span<std::uint8_t const> busy) override {
        for (;;) {
            for (std::uint32_t way = 0; way < ways_; ++way)
                if (busy[way] == 0 && at(set, way) == distant) return way;
            for (std::uint32_t way = 0; way < ways_; ++way)
                if (at(set, way) < distant) ++at(set, way);
        }
    }

private:
    static constexpr std::uint8_t distant = 3;
    std::uint8_t& at(std::uint32_t set, std::uint32_t way) { return values_[std::size_t{set} * ways_ + way]; }

    std::uint32_t ways_;
    std::vector<std::uint8_t> values_;
};

/// A line `distance` lines ahead of each that is loaded, as sm.l1.prefetcher=ahead:DISTANCE says; with what comes in, one more.
class Ahead : public Prefetcher {
public:
    explicit Ahead(std::uint64_t distance) : distance_(distance) {}
    void loaded(LineLoad const& load, std::vector<std::uint64_t>& wanted) override {
        if (!load.was_there) wanted.push_back(load.line + distance_);
    }
    void filled(LineFill const& fill, std::vector<std::uint64_t>& wanted) override {
        if (!fill.is_prefetched) wanted.push_back(fill.line + distance_ + 1);
    }

private:
    std::uint64_t distance_;
};

/// Only stores of whole sectors take a place.
class WholeSectors : public WritePolicy {
public:
    bool allocates(LineStore const& store) override { return store.sectors == store.whole; }
};

/// The request of the bank that has waited least for the bus: the newest whose row is open.
class Newest : public DramPolicy {
public:
    bool writes_wait() const override { return true; }
    std::size_t next(DramQueue const& queue) override {
        for (std::size_t i = queue.waiting.size(); i-- > 0;)
            if (queue.is_ready(queue.waiting[i])) return i;
        return queue.waiting.size();
    }
    bool may_close(DramQueue const&, std::uint32_t) override { return true; }
};

/// Fills one SM after the other.
class Packed : public CtaPlacement {
public:
    std::uint32_t choose(SmRooms const& sms, std::uint64_t) override {
        for (std::uint32_t sm = 0; sm < sms.count(); ++sm)
            if (sms.room(sm) != 0) return sm;
        return nowhere;
    }
};

/// Two routers, one with the first half of the SMs and slices, one with the rest, and a link in each direction between them.
class Halves : public Topology {
public:
    explicit Halves(TopologySettings const& settings) : settings_(settings) {}
    Cycle delay(Packet const& packet) override {
        bool const sm_is_first = packet.sm < settings_.sms / 2,
                   slice_is_first = packet.slice < settings_.slices / 2;
        if (sm_is_first == slice_is_first) return 0;
        Cycle& free = free_[sm_is_first == packet.is_reply ? 1 : 0];
        Cycle const begin = std::max(packet.sent, free);
        free = begin + (packet.bytes + settings_.link_bytes_per_cycle - 1) / settings_.link_bytes_per_cycle;
        return begin - packet.sent + settings_.hop_cycles;
    }

private:
    TopologySettings settings_;
    Cycle free_[2] = {};  // of the two directions
};

/// Bytes that lanes load and store, by line of the PTX. Each part counts for itself; when all of a launch have ended, they are
/// told one after the other, so that adding up needs no lock.
class Bytes : public Observer {
public:
    explicit Bytes(ObserverSettings const& settings) : part_(settings.part) {}
    std::uint32_t wants() const override { return accesses; }
    void accesses_memory(AccessInfo const& access) override {
        bytes_[std::string(access.by.place)] +=
            std::uint64_t{access.bytes} * static_cast<std::uint64_t>(std::popcount(access.by.mask));
    }
    void finished(LaunchInfo const& launch) override {
        for (auto const& [place, bytes] : bytes_)
            std::printf("%.*s, part %u, %s: %llu bytes\n", static_cast<int>(launch.kernel.size()),
                        launch.kernel.data(), part_, place.c_str(), static_cast<unsigned long long>(bytes));
    }

private:
    std::uint32_t part_;
    std::map<std::string, std::uint64_t> bytes_;
};

}  // namespace

WARPSIM_PLUGIN(registry) {
    registry.warp_scheduler("youngest", [](SchedulerSettings const&) { return std::make_unique<Youngest>(); });
    registry.replacement("srrip",
                         [](ReplacementSettings const& settings) { return std::make_unique<Srrip>(settings); });
    registry.prefetcher("ahead", [](PrefetcherSettings const& settings) {
        // What is thrown becomes the message with which the run ends.
        if (settings.argument.empty()) throw std::invalid_argument("say how far: ahead:4");
        return std::make_unique<Ahead>(std::stoul(settings.argument));
    });
    registry.write_policy("whole_sectors", [](WriteSettings const&) { return std::make_unique<WholeSectors>(); });
    registry.dram_policy("newest", [](DramSettings const&) { return std::make_unique<Newest>(); });
    registry.topology("halves",
                      [](TopologySettings const& settings) { return std::make_unique<Halves>(settings); });
    registry.cta_placement("packed", [](Settings const&) { return std::make_unique<Packed>(); });
    registry.observer("bytes", [](ObserverSettings const& settings) { return std::make_unique<Bytes>(settings); });
}
