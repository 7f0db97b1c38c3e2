// A random way, from the cache's own generator, so that every run makes the same choices.
#include "sim/timing/memory/components.hpp"

namespace warpsim::timing {

namespace {

class Random : public plugin::ReplacementPolicy {
public:
    void used(std::uint32_t, std::uint32_t) override {}
    void filled(std::uint32_t, std::uint32_t, std::uint64_t) override {}
    std::uint32_t victim(std::uint32_t, std::span<std::uint8_t const> busy) override {
        state_ ^= state_ << 13;  // xorshift64
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        std::size_t way = state_ % busy.size();
        while (busy[way] != 0) way = (way + 1) % busy.size();
        return static_cast<std::uint32_t>(way);
    }
    bool state(plugin::State& state) override {
        state(state_);
        return true;
    }

private:
    std::uint64_t state_ = 0x2545f4914f6cdd1d;
};

}  // namespace

void replacements::random(plugin::Registry& all) {
    all.replacement("random", [](plugin::ReplacementSettings const&) { return std::make_unique<Random>(); });
}

}  // namespace warpsim::timing
