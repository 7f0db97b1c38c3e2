// A store of a line that is not there goes around the cache.
#include "sim/timing/memory/components.hpp"

namespace warpsim::timing {

namespace {

class Around : public plugin::WritePolicy {
public:
    bool allocates(plugin::LineStore const&) override { return false; }
    bool state(plugin::State&) override { return true; }
};

}  // namespace

void write_policies::around(plugin::Registry& all) {
    all.write_policy("around", [](plugin::WriteSettings const&) { return std::make_unique<Around>(); });
}

}  // namespace warpsim::timing
