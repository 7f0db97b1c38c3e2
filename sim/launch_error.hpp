// Why a launch that is well formed cannot be made, for those who number errors.
#pragma once

#include "sim/error.hpp"

namespace warpsim {

class LaunchError : public Error {
public:
    enum class Reason {
        resources,      // a CTA, or a cooperative grid, does not fit
        cluster,        // the cluster is too large, or no divisor of the grid
        launch_bounds,  // the kernel was compiled for other CTAs
        not_executed,   // the kernel has instructions that are not executed
    };
    LaunchError(Reason reason, std::string const& message) : Error(ErrorKind::launch, message), reason_(reason) {}
    Reason reason() const { return reason_; }

private:
    Reason reason_;
};

}  // namespace warpsim
