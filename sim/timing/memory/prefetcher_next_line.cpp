// The line behind one that was missing.
#include "sim/timing/memory/prefetcher.hpp"

namespace warpsim::timing {

namespace {

class NextLine : public Prefetcher {
public:
    void looked_up(std::uint64_t line, bool was_there, std::vector<std::uint64_t>& wanted) override {
        if (!was_there) wanted.push_back(line + 1);
    }
};

}  // namespace

std::unique_ptr<Prefetcher> prefetchers::next_line() { return std::make_unique<NextLine>(); }

}  // namespace warpsim::timing
