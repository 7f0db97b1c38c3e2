// Capturing: work that a program puts into streams becomes nodes of a graph instead.
#pragma once

#include "runtime/cuda/graphs/graph.hpp"

#include <thread>

namespace warpsim::cuda {

/// Which calls that might wait for what is never going to run are refused meanwhile, as CUstreamCaptureMode
/// counts.
enum class CaptureMode : int { global = 0, thread_local_ = 1, relaxed = 2 };

struct Capture {
    std::uint64_t id = 0;
    std::shared_ptr<Graph> graph;
    CaptureMode mode = CaptureMode::global;
    std::thread::id thread;
    Stream const* origin = nullptr;
    bool is_valid = true;
    bool is_over = false;
    bool is_into_given_graph = false;
};

/// Which nodes the next one of a stream follows.
struct CapturePoint {
    std::shared_ptr<Capture> capture;
    std::vector<Edge> after;
    std::vector<void*> handles;  // of `after`, for programs to read
    std::vector<EdgeData> data;
};

bool is_captured(Stream const& stream);
/// Ends captures that a call would break, and throws the failure: work in the default stream while another stream
/// that it waits for is captured.
void check_capture_of(Stream& stream);
/// For calls that a captured stream cannot have: ends the capture and throws Failure(stream_capture_unsupported).
void refuse_when_captured(Stream& stream);
/// For calls that might wait for all streams: memory that is asked for or freed, whole devices.
void check_unsafe_call();

/// Adds a node behind those that the stream has come to. The stream must be captured.
Node& add_captured(Stream& stream, Work work);
/// The event stands for where the stream is; a stream that waits for it is captured too.
void record_captured(Stream& stream, Event& event);
/// True when that is all that is to be done.
bool wait_captured(Stream& stream, Event& event);
/// For calls that ask how an event of a capture stands.
void refuse_captured(Event& event);

/// Throws Failure(stream_capture_unsupported) for the default stream, illegal_state for one that is captured
/// already. With a graph, the nodes are added to it, behind `after`.
void begin_capture(Stream& stream, CaptureMode mode, std::shared_ptr<Graph> graph = nullptr,
                   std::vector<Edge> after = {});
/// Whether the graph is one that the program gave, and so need not be told.
bool is_captured_into_given_graph(Stream const& stream);
/// The handle of the graph. Throws Failure and ends the capture when it was not well formed.
void* end_capture(Stream& stream);
/// As CUstreamCaptureStatus counts: 0 none, 1 active, 2 no longer valid.
int capture_status(Stream& stream);
CaptureMode exchange_capture_mode(CaptureMode mode);
/// Null when the stream is not captured. Its lists are brought up to date.
CapturePoint* capture_point(Stream& stream);
/// What a stream's capture is, where pointers are given; all of it is 0 when there is none.
void describe_capture(Stream& stream, std::uint64_t* id, void** graph, void const* const** nodes,
                      EdgeData const** data, std::size_t* count);
void set_capture_dependencies(Stream& stream, std::vector<Edge> after, bool replaces);

}  // namespace warpsim::cuda
