// A store takes a place for its line, and stays there.
#include "sim/timing/memory/components.hpp"

namespace warpsim::timing {

namespace {

class Allocate : public plugin::WritePolicy {
public:
    bool allocates(plugin::LineStore const&) override { return true; }
    bool state(plugin::State&) override { return true; }
};

}  // namespace

void write_policies::allocate(plugin::Registry& all) {
    all.write_policy("allocate", [](plugin::WriteSettings const&) { return std::make_unique<Allocate>(); });
}

}  // namespace warpsim::timing
