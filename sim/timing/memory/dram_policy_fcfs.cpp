// First come, first served: the oldest request is next, reads and writes alike.
#include "sim/timing/memory/components.hpp"

namespace warpsim::timing {

namespace {

class Fcfs : public plugin::DramPolicy {
public:
    bool writes_wait() const override { return false; }
    std::size_t next(plugin::DramQueue const& queue) override {
        bool const is_ready = !queue.waiting.empty() && queue.is_ready(queue.waiting.front());
        return is_ready ? 0 : queue.waiting.size();
    }
    bool may_close(plugin::DramQueue const&, std::uint32_t) override { return true; }
    bool state(plugin::State&) override { return true; }
};

}  // namespace

void dram_policies::fcfs(plugin::Registry& all) {
    all.dram_policy("fcfs", [](plugin::DramSettings const&) { return std::make_unique<Fcfs>(); });
}

}  // namespace warpsim::timing
