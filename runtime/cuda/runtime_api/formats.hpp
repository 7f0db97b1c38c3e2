// Elements of arrays and textures as the runtime interface describes them.
#pragma once

#include "runtime/cuda/runtime_api/types.hpp"
#include "runtime/cuda/textures/arrays.hpp"

namespace warpsim::cuda {

inline ChannelFormat format_of(cudaChannelFormatDesc const& d) {
    return {{d.x, d.y, d.z, d.w}, static_cast<ChannelKind>(d.f)};
}
inline cudaChannelFormatDesc description_of(ChannelFormat const& f) {
    return {f.bits[0], f.bits[1], f.bits[2], f.bits[3], static_cast<int>(f.kind)};
}

}  // namespace warpsim::cuda
