// What each instruction of a launch did: how often it ran and in how many lanes, whether it parted them, and what its
// accesses asked of memory. Timing mode adds to that what warps waited for.
#pragma once

#include "runtime/part_sinks.hpp"
#include "sim/events.hpp"
#include "sim/exec/lanes/transactions.hpp"
#include "sim/timing_statistics.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace warpsim::lines {

/// Texts that lines stand in: PTX by the name that places have, sources by the name of their file.
using Texts = std::map<std::string, std::string>;

class LineCounts final : public sim::EventSink, public runtime::PartSinks {
public:
    /// `keeps_texts`: of PTX and sources. `banks`: of shared memory.
    LineCounts(sim::Banks banks, bool keeps_texts) : banks_(banks), keeps_texts_(keeps_texts) {}

    sim::EventMask wants() const override { return sim::event_mask(sim::EventKind::counts); }
    void counts(sim::CountsEvent const& e) override;
    bool listens_to(sim::LaunchContext const&) override { return true; }
    std::shared_ptr<sim::EventSink> part(sim::LaunchContext const& launch, std::uint32_t sm) override;

    /// The instructions that a launch has executed, in the order of the PTX, with the micro-ops and stalls of `profile`, which
    /// timing mode has. Once for each launch.
    std::vector<sim::LineProfile> take(std::uint64_t launch, std::vector<sim::LineProfile> const& profile);
    /// Of all launches so far.
    Texts texts() const;

private:
    struct Accesses;
    class Part;
    void keep_texts(ir::Module const& module);

    sim::Banks const banks_;
    bool const keeps_texts_;
    mutable std::mutex mutex_;                                           // devices run beside each other
    std::map<std::uint64_t, std::vector<std::shared_ptr<Part>>> parts_;  // by launch
    std::map<std::uint64_t, std::vector<sim::LineProfile>> lines_;
    Texts texts_;
};

}  // namespace warpsim::lines
