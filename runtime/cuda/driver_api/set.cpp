#include "runtime/cuda/copies.hpp"
#include "runtime/cuda/driver_api/call.hpp"

using namespace warpsim::cuda;
using namespace warpsim::cuda::driver;

namespace {

/// `width` counts elements.
CUresult set(CUdeviceptr to, std::size_t pitch, std::uint32_t value, unsigned element_bytes, std::size_t width,
             std::size_t height, CUstream s) {
    return in_stream(s, [&](Stream& stream) {
        std::size_t const bytes = width * element_bytes;
        if (bytes / element_bytes != width) throw Failure(Result::invalid_value);
        std::size_t const row = height > 1 ? pitch : bytes;
        fill({to, row, row * height}, {bytes, height, 1}, value, element_bytes, stream);
    });
}

}  // namespace

WARPSIM_API CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, std::size_t n) {
    return set(to, 0, value, 1, n, 1, nullptr);
}
WARPSIM_PER_THREAD(cuMemsetD8_v2, _ptds)
WARPSIM_API CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t n, CUstream s) {
    return set(to, 0, value, 1, n, 1, s);
}
WARPSIM_PER_THREAD(cuMemsetD8Async, _ptsz)
WARPSIM_API CUresult cuMemsetD2D8_v2(CUdeviceptr to, std::size_t pitch, unsigned char value, std::size_t w, std::size_t h) {
    return set(to, pitch, value, 1, w, h, nullptr);
}
WARPSIM_PER_THREAD(cuMemsetD2D8_v2, _ptds)
WARPSIM_API CUresult cuMemsetD2D8Async(CUdeviceptr to, std::size_t pitch, unsigned char value, std::size_t w, std::size_t h,
                                      CUstream s) {
    return set(to, pitch, value, 1, w, h, s);
}
WARPSIM_PER_THREAD(cuMemsetD2D8Async, _ptsz)
WARPSIM_API CUresult cuMemsetD16_v2(CUdeviceptr to, unsigned short value, std::size_t n) {
    return set(to, 0, value, 2, n, 1, nullptr);
}
WARPSIM_PER_THREAD(cuMemsetD16_v2, _ptds)
WARPSIM_API CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, std::size_t n, CUstream s) {
    return set(to, 0, value, 2, n, 1, s);
}
WARPSIM_PER_THREAD(cuMemsetD16Async, _ptsz)
WARPSIM_API CUresult cuMemsetD2D16_v2(CUdeviceptr to, std::size_t pitch, unsigned short value, std::size_t w, std::size_t h) {
    return set(to, pitch, value, 2, w, h, nullptr);
}
WARPSIM_PER_THREAD(cuMemsetD2D16_v2, _ptds)
WARPSIM_API CUresult cuMemsetD2D16Async(CUdeviceptr to, std::size_t pitch, unsigned short value, std::size_t w, std::size_t h,
                                      CUstream s) {
    return set(to, pitch, value, 2, w, h, s);
}
WARPSIM_PER_THREAD(cuMemsetD2D16Async, _ptsz)
WARPSIM_API CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned value, std::size_t n) {
    return set(to, 0, value, 4, n, 1, nullptr);
}
WARPSIM_PER_THREAD(cuMemsetD32_v2, _ptds)
WARPSIM_API CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, std::size_t n, CUstream s) {
    return set(to, 0, value, 4, n, 1, s);
}
WARPSIM_PER_THREAD(cuMemsetD32Async, _ptsz)
WARPSIM_API CUresult cuMemsetD2D32_v2(CUdeviceptr to, std::size_t pitch, unsigned value, std::size_t w, std::size_t h) {
    return set(to, pitch, value, 4, w, h, nullptr);
}
WARPSIM_PER_THREAD(cuMemsetD2D32_v2, _ptds)
WARPSIM_API CUresult cuMemsetD2D32Async(CUdeviceptr to, std::size_t pitch, unsigned value, std::size_t w, std::size_t h,
                                      CUstream s) {
    return set(to, pitch, value, 4, w, h, s);
}
WARPSIM_PER_THREAD(cuMemsetD2D32Async, _ptsz)
