#include "runtime/cuda/driver_api/call.hpp"
#include "runtime/cuda/streams/copies.hpp"

using namespace warpsim::cuda;
using namespace warpsim::cuda::driver;

namespace {

/// `width` counts elements.
template <class T>
CUresult set(CUdeviceptr to, std::size_t pitch, T value, std::size_t width, std::size_t height, CUstream s) {
    return in_stream(s, [&](Stream& stream) {
        std::size_t const bytes = width * sizeof(T);
        if (bytes / sizeof(T) != width) throw Failure(Result::invalid_value);
        std::size_t const row = height > 1 ? pitch : bytes;
        fill({to, row, row * height}, {bytes, height, 1}, value, sizeof(T), stream);
    });
}

}  // namespace

#define WARPSIM_SET(bits, type)                                                                                 \
    WARPSIM_API CUresult cuMemsetD##bits##_v2(CUdeviceptr to, type value, std::size_t n) {                      \
        return set(to, 0, value, n, 1, nullptr);                                                                \
    }                                                                                                           \
    WARPSIM_PER_THREAD(cuMemsetD##bits##_v2, _ptds)                                                             \
    WARPSIM_API CUresult cuMemsetD##bits##Async(CUdeviceptr to, type value, std::size_t n, CUstream s) {        \
        return set(to, 0, value, n, 1, s);                                                                      \
    }                                                                                                           \
    WARPSIM_PER_THREAD(cuMemsetD##bits##Async, _ptsz)                                                           \
    WARPSIM_API CUresult cuMemsetD2D##bits##_v2(CUdeviceptr to, std::size_t pitch, type value, std::size_t w,   \
                                                std::size_t h) {                                                \
        return set(to, pitch, value, w, h, nullptr);                                                            \
    }                                                                                                           \
    WARPSIM_PER_THREAD(cuMemsetD2D##bits##_v2, _ptds)                                                           \
    WARPSIM_API CUresult cuMemsetD2D##bits##Async(CUdeviceptr to, std::size_t pitch, type value, std::size_t w, \
                                                  std::size_t h, CUstream s) {                                  \
        return set(to, pitch, value, w, h, s);                                                                  \
    }                                                                                                           \
    WARPSIM_PER_THREAD(cuMemsetD2D##bits##Async, _ptsz)

WARPSIM_SET(8, unsigned char)
WARPSIM_SET(16, unsigned short)
WARPSIM_SET(32, unsigned)
