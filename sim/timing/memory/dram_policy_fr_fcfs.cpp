// First ready, first come, first served: the oldest request whose row is open; writes wait until there are many.
#include "sim/timing/memory/components.hpp"

#include <algorithm>

namespace warpsim::timing {

namespace {

class FrFcfs : public plugin::DramPolicy {
public:
    bool writes_wait() const override { return true; }
    std::size_t next(plugin::DramQueue const& queue) override {
        auto const ready = std::find_if(queue.waiting.begin(), queue.waiting.end(),
                                        [&](plugin::DramWaiting const& w) { return queue.is_ready(w); });
        return static_cast<std::size_t>(ready - queue.waiting.begin());
    }
    /// Not while other requests need the open row.
    bool may_close(plugin::DramQueue const& queue, std::uint32_t bank) override { return queue.open[bank] == 0; }
    bool state(plugin::State&) override { return true; }
};

}  // namespace

void dram_policies::fr_fcfs(plugin::Registry& all) {
    all.dram_policy("fr_fcfs", [](plugin::DramSettings const&) { return std::make_unique<FrFcfs>(); });
}

}  // namespace warpsim::timing
