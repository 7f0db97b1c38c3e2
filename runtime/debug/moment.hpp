// Moments of a run, by numbers, which are the same each time it runs.
#pragma once

#include <cstdint>
#include <optional>
#include <tuple>

namespace warpsim::debug {

/// Before an instruction of a launch; or in timing mode, if there is a cycle, before that, behind instruction `count`.
struct Moment {
    std::uint64_t launch = 0;
    std::uint64_t count = 0;             // instructions of the launch that have begun, this one among them
    std::optional<std::uint64_t> cycle;  // of the launch

    friend bool operator<(Moment const& a, Moment const& b) {
        auto const order = [](Moment const& p) {
            return std::tuple(p.launch, p.count, p.cycle.has_value(), p.cycle.value_or(0));
        };
        return order(a) < order(b);
    }
    bool operator==(Moment const&) const = default;
};

}  // namespace warpsim::debug
