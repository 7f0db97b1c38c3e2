// The lines behind one that was missing.
#include "sim/timing/memory/components.hpp"

namespace warpsim::timing {

namespace {

class NextLine : public plugin::Prefetcher {
public:
    explicit NextLine(std::uint32_t lines) : lines_(lines) {}
    void loaded(plugin::LineLoad const& load, std::vector<std::uint64_t>& wanted) override {
        if (load.was_there) return;
        for (std::uint32_t k = 1; k <= lines_; ++k) wanted.push_back(load.line + k);
    }
    bool state(plugin::State&) override { return true; }

private:
    std::uint32_t lines_;
};

}  // namespace

void prefetchers::next_line(plugin::Registry& all) {
    all.prefetcher("next_line", [](plugin::PrefetcherSettings const& settings) {
        return std::make_unique<NextLine>(settings.lines);
    });
}

}  // namespace warpsim::timing
