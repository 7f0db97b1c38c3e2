// A store takes a place for its line, and goes on to the next level as well.
#include "sim/timing/memory/components.hpp"

namespace warpsim::timing {

namespace {

class Through : public plugin::WritePolicy {
public:
    bool allocates(plugin::LineStore const&) override { return true; }
    bool writes_through(plugin::LineStore const&) override { return true; }
    bool state(plugin::State&) override { return true; }
};

}  // namespace

void write_policies::through(plugin::Registry& all) {
    all.write_policy("through", [](plugin::WriteSettings const&) { return std::make_unique<Through>(); });
}

}  // namespace warpsim::timing
