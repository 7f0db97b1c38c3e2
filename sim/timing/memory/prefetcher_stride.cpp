// What the same instruction of the same warp will load next, once it has moved twice by the same distance. The table is as
// of Fu, Patel and Janssens, "Stride directed prefetching in scalar processors", MICRO 1992, with the warp beside the
// instruction, as warps take turns (Lee et al., "Many-thread aware prefetching mechanisms for GPGPU applications",
// MICRO 2010).
#include "sim/timing/memory/components.hpp"

#include <array>

namespace warpsim::timing {

namespace {

class Stride : public plugin::Prefetcher {
public:
    explicit Stride(std::uint32_t lines) : lines_(lines) {}
    void loaded(plugin::LineLoad const& load, std::vector<std::uint64_t>& wanted) override {
        Entry& entry = entries_[(load.instruction * 64 + load.warp) % entries_.size()];
        if (load.is_first) learn(entry, load);
        // The other lines of an access move with its first one.
        if (entry.confidence < 1 || entry.distance == 0) return;
        for (std::uint32_t k = 1; k <= lines_; ++k) wanted.push_back(load.line + k * entry.distance);
    }
    bool state(plugin::State& state) override {
        state(entries_);
        return true;
    }

private:
    struct Entry {
        std::uint64_t instruction = UINT64_MAX;
        std::uint32_t warp = 0;
        std::uint32_t confidence = 0;  // how often the distance was the same again
        std::uint64_t line = 0;
        std::uint64_t distance = 0;  // in lines; wraps around when it is negative

        template <class Archive> void state(Archive& archive) {
            archive(instruction, warp, confidence, line, distance);
        }
    };
    static void learn(Entry& entry, plugin::LineLoad const& load) {
        if (entry.instruction != load.instruction || entry.warp != load.warp) {
            entry = {load.instruction, load.warp, 0, load.line, 0};
            return;
        }
        std::uint64_t const distance = load.line - entry.line;
        if (distance == 0) return;  // it stays inside a line
        entry.confidence = distance == entry.distance ? entry.confidence + 1 : 0;
        entry.distance = distance;
        entry.line = load.line;
    }

    std::uint32_t lines_;
    std::array<Entry, 1024> entries_{};
};

}  // namespace

void prefetchers::stride(plugin::Registry& all) {
    all.prefetcher("stride", [](plugin::PrefetcherSettings const& settings) {
        return std::make_unique<Stride>(settings.lines);
    });
}

}  // namespace warpsim::timing
