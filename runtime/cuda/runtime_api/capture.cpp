#include "runtime/cuda/graphs/capture.hpp"
#include "runtime/cuda/graphs/calls.hpp"

#include "runtime/cuda/runtime_api/call.hpp"
#include "runtime/cuda/runtime_api/newest_names.hpp"

using namespace warpsim::cuda;

WARPSIM_API cudaError_t cudaStreamBeginCaptureToGraph(void* stream, void* graph, void* const* after,
                                                      EdgeData const* data, std::size_t count, int mode) {
    Arguments const said(stream, graph, after, data, count, mode);
    return call([&](Process& process) {
        begin_capture(process, *process.stream(stream), static_cast<CaptureMode>(mode), graph_of(process, graph),
                      edges_of(process, after, data, count));
    });
}
WARPSIM_PER_THREAD(cudaStreamBeginCaptureToGraph, cudaStreamBeginCaptureToGraph_ptsz)
WARPSIM_API cudaError_t cudaThreadExchangeStreamCaptureMode(int* mode) {
    Arguments const said(mode);
    return call([&] {
        if (mode == nullptr) throw Failure(Result::invalid_value);
        *mode = static_cast<int>(exchange_capture_mode(static_cast<CaptureMode>(*mode)));
    });
}
WARPSIM_API cudaError_t cudaStreamEndCapture(void* stream, void** graph) {
    Arguments const said(stream, graph);
    return call([&](Process& process) {
        auto const captured = process.stream(stream);
        if (graph != nullptr) *graph = nullptr;
        else if (!is_captured_into_given_graph(*captured)) throw Failure(Result::invalid_value);
        void* const handle = end_capture(process, *captured);
        if (graph != nullptr) *graph = handle;
    });
}
WARPSIM_PER_THREAD(cudaStreamEndCapture, cudaStreamEndCapture_ptsz)
WARPSIM_API cudaError_t cudaStreamIsCapturing(void* stream, int* out) {
    Arguments const said(stream, out);
    return call([&](Process& process) { give(out, capture_status(process, *process.stream(stream))); });
}
WARPSIM_PER_THREAD(cudaStreamIsCapturing, cudaStreamIsCapturing_ptsz)
WARPSIM_API cudaError_t cudaStreamBeginCapture(void* stream, int mode) {
    Arguments const said(stream, mode);
    return call([&](Process& process) {
        begin_capture(process, *process.stream(stream), static_cast<CaptureMode>(mode));
    });
}
WARPSIM_PER_THREAD(cudaStreamBeginCapture, cudaStreamBeginCapture_ptsz)
WARPSIM_API cudaError_t cudaStreamUpdateCaptureDependencies(void* stream, void* const* nodes, EdgeData const* data,
                                                            std::size_t count, unsigned flags) {
    Arguments const said(stream, nodes, data, count, flags);
    return call([&](Process& process) {
        if (flags > 1) throw Failure(Result::invalid_value);
        set_capture_dependencies(*process.stream(stream), edges_of(process, nodes, data, count), flags == 1);
    });
}
WARPSIM_PER_THREAD(cudaStreamUpdateCaptureDependencies, cudaStreamUpdateCaptureDependencies_ptsz)
WARPSIM_API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t s, int* status, unsigned long long* id, void** graph,
                                                 void const* const** nodes, EdgeData const** data,
                                                 std::size_t* count) {
    Arguments const said(s, status, id, graph, nodes, data, count);
    return call([&](Process& process) {
        auto const stream = process.stream(s);
        give(status, capture_status(process, *stream));
        std::uint64_t number = 0;
        describe_capture(*stream, &number, graph, nodes, data, count);
        if (id != nullptr) *id = number;
    });
}
WARPSIM_PER_THREAD(cudaStreamGetCaptureInfo, cudaStreamGetCaptureInfo_ptsz)
