// Listeners for launches that go on at full width: each part of the engine has listeners of its own.
#pragma once

#include "sim/events.hpp"

#include <cstdint>
#include <memory>

namespace warpsim::runtime {

/// Makes a listener for each part of a launch, which is a host thread in functional mode and an SM in timing mode. The
/// parts run at once, so what their listeners share must stand that. Launches of one device come one at a time in
/// functional mode, and are told apart by LaunchContext::number.
class PartSinks {
public:
    virtual ~PartSinks() = default;
    /// Whether there will be any for this launch. In functional mode it is interpreted then.
    virtual bool listens_to(sim::LaunchContext const& launch) = 0;
    /// The listener of one more part, which has that SM in timing mode; null: none. It is kept until the launch is over.
    virtual std::shared_ptr<sim::EventSink> part(sim::LaunchContext const& launch, std::uint32_t sm) = 0;
};

}  // namespace warpsim::runtime
