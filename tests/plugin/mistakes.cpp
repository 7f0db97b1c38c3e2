// Plug-ins with a mistake each, which MISTAKE_... chooses.
#include "sim/plugin/plugin.hpp"

#include <stdexcept>

namespace {

using namespace warpsim::plugin;

class Wrong : public WarpScheduler {
public:
    unsigned pick(WarpMask) override {
#ifdef MISTAKE_RUN
        throw std::runtime_error("no idea");
#else
        return 77;
#endif
    }
    void started(unsigned) override {}
    void ended(unsigned) override {}
};

}  // namespace

#if defined(MISTAKE_VERSION)
extern "C" __attribute__((visibility("default"))) std::uint32_t warpsim_plugin_version() { return 9999; }
extern "C" __attribute__((visibility("default"))) void warpsim_plugin(Registry&) {}
#elif defined(MISTAKE_NOTHING)
extern "C" __attribute__((visibility("default"))) int warpsim_has_nothing() { return 0; }
#else
WARPSIM_PLUGIN(registry) {
#if defined(MISTAKE_REGISTER)
    throw std::runtime_error("not today");
#elif defined(MISTAKE_TAKEN)
    registry.warp_scheduler("gto", [](SchedulerSettings const&) { return std::make_unique<Wrong>(); });
#elif defined(MISTAKE_MAKE)
    registry.warp_scheduler("wrong", [](SchedulerSettings const&) -> std::unique_ptr<WarpScheduler> { throw 1; });
#else
    registry.warp_scheduler("wrong", [](SchedulerSettings const&) { return std::make_unique<Wrong>(); });
#endif
    registry.topology("late", [](TopologySettings const&) {
        class Late : public Topology {
            Cycle delay(Packet const&) override { return ~Cycle{0}; }
        };
        return std::make_unique<Late>();
    });
    registry.cta_placement("never", [](Settings const&) {
        class Never : public CtaPlacement {
            std::uint32_t choose(SmRooms const&, std::uint64_t) override { return nowhere; }
        };
        return std::make_unique<Never>();
    });
}
#endif
