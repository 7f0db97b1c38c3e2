// curandStatus_t.
#pragma once

namespace warpsim::curand {

enum Status : int {
    success = 0,
    not_initialized = 101,
    allocation_failed = 102,
    out_of_range = 104,
    launch_failure = 201,
    preexisting_failure = 202,
    initialization_failed = 203,
};

}  // namespace warpsim::curand
