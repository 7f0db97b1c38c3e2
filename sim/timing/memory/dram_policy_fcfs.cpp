// First come, first served: the oldest request is next, reads and writes alike.
#include "sim/timing/memory/dram_policy.hpp"

namespace warpsim::timing {

namespace {

class Fcfs : public DramPolicy {
public:
    bool writes_wait() const override { return false; }
    std::size_t next(DramQueue const& queue) override {
        bool const is_ready = !queue.waiting.empty() && queue.is_ready(queue.waiting.front());
        return is_ready ? 0 : queue.waiting.size();
    }
    bool may_close(DramQueue const&, std::uint32_t) override { return true; }
};

}  // namespace

std::unique_ptr<DramPolicy> dram_policies::fcfs() { return std::make_unique<Fcfs>(); }

}  // namespace warpsim::timing
