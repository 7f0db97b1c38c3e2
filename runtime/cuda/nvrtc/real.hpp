// NVIDIA's own NVRTC, as the program would have got it.
#pragma once

namespace warpsim::nvrtc {

/// A function of it; null when there is none: a line in the log says why, once.
void* real_function(char const* name);

}  // namespace warpsim::nvrtc
