// NVIDIA's own cuRAND, as the program would have got it. Of its functions only those may be called that leave the CUDA runtime
// inside it alone, which talks to NVIDIA's driver only: of its generators, those on the host.
#pragma once

#include "runtime/cuda/curand/status.hpp"

#include <string>

namespace warpsim::curand {

/// A function of it; null when there is none: a line in the log says why, once.
void* real_function(char const* name);
std::string const& real_path();

template <class... Arguments> int forward(char const* name, Arguments... arguments) {
    auto* const function = reinterpret_cast<int (*)(Arguments...)>(real_function(name));
    return function != nullptr ? function(arguments...) : static_cast<int>(initialization_failed);
}

}  // namespace warpsim::curand
