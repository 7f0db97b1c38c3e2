#include "runtime/cuda/driver_api/call.hpp"
#include "runtime/cuda/streams/copies.hpp"

using namespace warpsim::cuda;
using namespace warpsim::cuda::driver;

namespace {

/// `width` counts elements.
template <class T>
CUresult set(CUdeviceptr to, std::size_t pitch, T value, std::size_t width, std::size_t height, CUstream s,
             bool asynchronous) {
    return in_stream(s, [&](Process& process, Stream& stream) {
        std::size_t const bytes = width * sizeof(T);
        if (bytes / sizeof(T) != width) throw Failure(Result::invalid_value);
        std::size_t const row = height > 1 ? pitch : bytes;
        fill(process, {to, row, row * height}, {bytes, height, 1}, value, sizeof(T), stream, asynchronous);
    });
}

}  // namespace

WARPSIM_API CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, std::size_t n) {
    Arguments const said(to, value, n);
    return set(to, 0, value, n, 1, nullptr, false);
}
WARPSIM_PER_THREAD(cuMemsetD8_v2, cuMemsetD8_v2_ptds)
WARPSIM_API CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t n, CUstream s) {
    Arguments const said(to, value, n, s);
    return set(to, 0, value, n, 1, s, true);
}
WARPSIM_PER_THREAD(cuMemsetD8Async, cuMemsetD8Async_ptsz)
WARPSIM_API CUresult cuMemsetD2D8_v2(CUdeviceptr to, std::size_t pitch, unsigned char value, std::size_t w,
                                     std::size_t h) {
    Arguments const said(to, pitch, value, w, h);
    return set(to, pitch, value, w, h, nullptr, false);
}
WARPSIM_PER_THREAD(cuMemsetD2D8_v2, cuMemsetD2D8_v2_ptds)
WARPSIM_API CUresult cuMemsetD2D8Async(CUdeviceptr to, std::size_t pitch, unsigned char value, std::size_t w,
                                       std::size_t h, CUstream s) {
    Arguments const said(to, pitch, value, w, h, s);
    return set(to, pitch, value, w, h, s, true);
}
WARPSIM_PER_THREAD(cuMemsetD2D8Async, cuMemsetD2D8Async_ptsz)
WARPSIM_API CUresult cuMemsetD16_v2(CUdeviceptr to, unsigned short value, std::size_t n) {
    Arguments const said(to, value, n);
    return set(to, 0, value, n, 1, nullptr, false);
}
WARPSIM_PER_THREAD(cuMemsetD16_v2, cuMemsetD16_v2_ptds)
WARPSIM_API CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, std::size_t n, CUstream s) {
    Arguments const said(to, value, n, s);
    return set(to, 0, value, n, 1, s, true);
}
WARPSIM_PER_THREAD(cuMemsetD16Async, cuMemsetD16Async_ptsz)
WARPSIM_API CUresult cuMemsetD2D16_v2(CUdeviceptr to, std::size_t pitch, unsigned short value, std::size_t w,
                                      std::size_t h) {
    Arguments const said(to, pitch, value, w, h);
    return set(to, pitch, value, w, h, nullptr, false);
}
WARPSIM_PER_THREAD(cuMemsetD2D16_v2, cuMemsetD2D16_v2_ptds)
WARPSIM_API CUresult cuMemsetD2D16Async(CUdeviceptr to, std::size_t pitch, unsigned short value, std::size_t w,
                                        std::size_t h, CUstream s) {
    Arguments const said(to, pitch, value, w, h, s);
    return set(to, pitch, value, w, h, s, true);
}
WARPSIM_PER_THREAD(cuMemsetD2D16Async, cuMemsetD2D16Async_ptsz)
WARPSIM_API CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned value, std::size_t n) {
    Arguments const said(to, value, n);
    return set(to, 0, value, n, 1, nullptr, false);
}
WARPSIM_PER_THREAD(cuMemsetD32_v2, cuMemsetD32_v2_ptds)
WARPSIM_API CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, std::size_t n, CUstream s) {
    Arguments const said(to, value, n, s);
    return set(to, 0, value, n, 1, s, true);
}
WARPSIM_PER_THREAD(cuMemsetD32Async, cuMemsetD32Async_ptsz)
WARPSIM_API CUresult cuMemsetD2D32_v2(CUdeviceptr to, std::size_t pitch, unsigned value, std::size_t w,
                                      std::size_t h) {
    Arguments const said(to, pitch, value, w, h);
    return set(to, pitch, value, w, h, nullptr, false);
}
WARPSIM_PER_THREAD(cuMemsetD2D32_v2, cuMemsetD2D32_v2_ptds)
WARPSIM_API CUresult cuMemsetD2D32Async(CUdeviceptr to, std::size_t pitch, unsigned value, std::size_t w,
                                        std::size_t h, CUstream s) {
    Arguments const said(to, pitch, value, w, h, s);
    return set(to, pitch, value, w, h, s, true);
}
WARPSIM_PER_THREAD(cuMemsetD2D32Async, cuMemsetD2D32Async_ptsz)
