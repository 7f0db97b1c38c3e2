#include "runtime/cuda/graphs/capture.hpp"
#include "runtime/cuda/graphs/calls.hpp"

#include "runtime/cuda/driver_api/call.hpp"

using namespace warpsim::cuda;
using namespace warpsim::cuda::driver;

namespace {

using Count = std::size_t;

CUresult capture_info(CUstream s, int* status, std::uint64_t* id, void** graph, void const* const** nodes,
                      EdgeData const** data, std::size_t* count) {
    return call([&](Process& process) {
        auto const stream = process.stream(s);
        give(status, capture_status(process, *stream));
        describe_capture(*stream, id, graph, nodes, data, count);
    });
}

}  // namespace

WARPSIM_API CUresult cuStreamBeginCaptureToGraph(void* stream, void* graph, void* const* after,
                                                 EdgeData const* data, std::size_t count, int mode) {
    Arguments const said(stream, graph, after, data, count, mode);
    return call([&](Process& process) {
        begin_capture(process, *process.stream(stream), static_cast<CaptureMode>(mode), graph_of(process, graph),
                      edges_of(process, after, data, count));
    });
}
WARPSIM_PER_THREAD(cuStreamBeginCaptureToGraph, cuStreamBeginCaptureToGraph_ptsz)
WARPSIM_API CUresult cuThreadExchangeStreamCaptureMode(int* mode) {
    Arguments const said(mode);
    return call([&] {
        if (mode == nullptr) throw Failure(Result::invalid_value);
        *mode = static_cast<int>(exchange_capture_mode(static_cast<CaptureMode>(*mode)));
    });
}
WARPSIM_API CUresult cuStreamEndCapture(void* stream, void** graph) {
    Arguments const said(stream, graph);
    return call([&](Process& process) {
        auto const captured = process.stream(stream);
        if (graph != nullptr) *graph = nullptr;
        else if (!is_captured_into_given_graph(*captured)) throw Failure(Result::invalid_value);
        void* const handle = end_capture(process, *captured);
        if (graph != nullptr) *graph = handle;
    });
}
WARPSIM_PER_THREAD(cuStreamEndCapture, cuStreamEndCapture_ptsz)
WARPSIM_API CUresult cuStreamIsCapturing(void* stream, int* out) {
    Arguments const said(stream, out);
    return call([&](Process& process) { give(out, capture_status(process, *process.stream(stream))); });
}
WARPSIM_PER_THREAD(cuStreamIsCapturing, cuStreamIsCapturing_ptsz)
WARPSIM_API CUresult cuStreamBeginCapture_v2(void* stream, int mode) {
    Arguments const said(stream, mode);
    return call([&](Process& process) {
        begin_capture(process, *process.stream(stream), static_cast<CaptureMode>(mode));
    });
}
WARPSIM_PER_THREAD(cuStreamBeginCapture_v2, cuStreamBeginCapture_v2_ptsz)
WARPSIM_API CUresult cuStreamUpdateCaptureDependencies_v2(void* stream, void* const* nodes, EdgeData const* data,
                                                          std::size_t count, unsigned flags) {
    Arguments const said(stream, nodes, data, count, flags);
    return call([&](Process& process) {
        if (flags > 1) throw Failure(Result::invalid_value);
        set_capture_dependencies(*process.stream(stream), edges_of(process, nodes, data, count), flags == 1);
    });
}
WARPSIM_PER_THREAD(cuStreamUpdateCaptureDependencies_v2, cuStreamUpdateCaptureDependencies_v2_ptsz)
WARPSIM_API CUresult cuStreamBeginCapture(CUstream s) {
    Arguments const said(s);
    return cuStreamBeginCapture_v2(s, 0);
}
WARPSIM_PER_THREAD(cuStreamBeginCapture, cuStreamBeginCapture_ptsz)
WARPSIM_API CUresult cuStreamGetCaptureInfo(CUstream s, int* status, std::uint64_t* id) {
    Arguments const said(s, status, id);
    return capture_info(s, status, id, nullptr, nullptr, nullptr, nullptr);
}
WARPSIM_PER_THREAD(cuStreamGetCaptureInfo, cuStreamGetCaptureInfo_ptsz)
WARPSIM_API CUresult cuStreamGetCaptureInfo_v2(CUstream s, int* status, std::uint64_t* id, void** graph,
                                               void const* const** nodes, std::size_t* count) {
    Arguments const said(s, status, id, graph, nodes, count);
    return capture_info(s, status, id, graph, nodes, nullptr, count);
}
WARPSIM_PER_THREAD(cuStreamGetCaptureInfo_v2, cuStreamGetCaptureInfo_v2_ptsz)
WARPSIM_API CUresult cuStreamGetCaptureInfo_v3(CUstream s, int* status, std::uint64_t* id, void** graph,
                                               void const* const** nodes, EdgeData const** data,
                                               std::size_t* count) {
    Arguments const said(s, status, id, graph, nodes, data, count);
    return capture_info(s, status, id, graph, nodes, data, count);
}
WARPSIM_PER_THREAD(cuStreamGetCaptureInfo_v3, cuStreamGetCaptureInfo_v3_ptsz)
WARPSIM_API CUresult cuStreamUpdateCaptureDependencies(CUstream s, void** nodes, Count count, unsigned flags) {
    Arguments const said(s, nodes, count, flags);
    return cuStreamUpdateCaptureDependencies_v2(s, nodes, nullptr, count, flags);
}
WARPSIM_PER_THREAD(cuStreamUpdateCaptureDependencies, cuStreamUpdateCaptureDependencies_ptsz)
