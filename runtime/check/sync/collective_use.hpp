// Whether the lanes that a member mask names take part.
#pragma once

#include "runtime/check/sync/reporter.hpp"

#include <cstdint>
#include <map>
#include <utility>

namespace warpsim::check {

class CollectiveUse {
public:
    explicit CollectiveUse(Reporter& reporter) : reporter_(reporter) {}

    void begin() { passed_.clear(); }
    void ends(sim::Cta const& cta);
    void go_on(sim::ReconvergenceEvent const& e);
    void meet(sim::CollectiveEvent const& e);

private:
    Reporter& reporter_;
    struct Passed {
        isa::LaneMask lanes = 0;
        Doer one;
    };
    /// By CTA and warp: lanes that have not waited any longer for others, which wait in an operation of the warp.
    std::map<std::pair<std::uint64_t, std::uint32_t>, Passed> passed_;
};

}  // namespace warpsim::check
