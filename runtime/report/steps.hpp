// What the teaching view steps through: the instructions of the first warps of small launches, with the state of their
// lanes and the addresses that these use.
#pragma once

#include "runtime/part_sinks.hpp"
#include "runtime/report/step_values.hpp"
#include "sim/events.hpp"
#include "sim/exec/lanes/access.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace warpsim::report {

class Steps final : public runtime::PartSinks {
public:
    struct Limits {
        std::uint64_t threads = 65536;  // of a launch that is recorded
        std::uint32_t launches = 8;
        std::uint32_t ctas = 2;        // the first of a launch
        std::size_t steps = 1500;      // of a CTA
        std::size_t values = 200'000;  // bytes that the page has for values of registers of a CTA
    };
    Steps() = default;
    explicit Steps(Limits limits) : limits_(limits) {}

    bool listens_to(sim::LaunchContext const& launch) override;
    std::shared_ptr<sim::EventSink> part(sim::LaunchContext const& launch, std::uint32_t sm) override;

    /// {"LAUNCH": {"places": [[line, text, source]...], "ctas": [{"cta": [x,y,z], "steps": [...], "complete": bool}]}}, where
    /// `index_of` gives the number of each launch.
    std::string to_json(std::map<std::uint64_t, std::size_t> const& index_of) const;

private:
    struct Split {
        std::uint32_t place;
        sim::LaneMask lanes;
        std::uint8_t state;  // sim::WarpSplit::State
    };
    struct Barrier {
        std::uint32_t place;
        sim::LaneMask lanes, arrived;
    };
    struct Used {  // addresses
        sim::SpaceKind space;
        std::uint32_t bytes;
        sim::LaneMask lanes;
        std::array<std::uint64_t, 32> at;
    };
    struct Step {
        std::uint32_t place = 0, warp = 0;
        sim::LaneMask active = 0, mask = 0;
        std::uint64_t cycle = 0;
        std::vector<Split> splits;
        std::vector<Barrier> barriers;
        std::vector<Used> used;
        std::vector<std::string> read, written;  // values of registers, before and after it, as JSON
        sim::LaneMask taken = 0, not_taken = 0;  // of a branch that parted lanes
    };
    struct Result {  // of a step, that is to come
        sim::Warp const* warp;
        sim::Frame const* frame;
        std::size_t step;
        runtime::UsedRegister of;
        sim::LaneMask left;  // lanes whose value is to come
        StepValues values;
    };
    struct OfCta {
        std::array<std::uint32_t, 3> id{};
        std::vector<Step> steps;
        std::map<std::uint32_t, std::size_t> last;  // step of each warp
        std::vector<Result> results;
        std::size_t value_bytes = 0;  // that its steps have
        bool is_complete = true;
    };
    /// CTAs are apart, each executed by one thread at a time.
    struct Recording {
        ir::Module const* module = nullptr;  // during the launch
        std::vector<OfCta> ctas;
        std::vector<std::array<std::string, 3>>
            places;                                  // of all instructions of all functions, one after the other
        std::map<void const*, std::uint32_t> first;  // place of a function
    };
    class Part;

    Limits const limits_{};
    mutable std::mutex mutex_;
    std::map<std::uint64_t, std::shared_ptr<Recording>> recordings_;  // by LaunchContext::number
};

}  // namespace warpsim::report
