// Capturing: work that a program puts into streams becomes nodes of a graph.
#pragma once

#include "runtime/cuda/graphs/graph.hpp"
#include "runtime/cuda/streams/capture.hpp"

namespace warpsim::cuda {

/// Throws Failure(stream_capture_unsupported) for the default stream, illegal_state for one that is captured
/// already. With a graph, the nodes are added to it, behind `after`.
void begin_capture(Process& process, Stream& stream, CaptureMode mode, std::shared_ptr<Graph> graph = nullptr,
                   std::vector<Edge> after = {});
/// Whether the graph is one that the program gave, and so need not be told.
bool is_captured_into_given_graph(Stream const& stream);
/// The handle of the graph. Throws Failure and ends the capture when it was not well formed.
void* end_capture(Process& process, Stream& stream);
/// A graph that a captured stream launches becomes a node of the captured graph.
void add_captured(Stream& stream, Graph const& graph);
/// What a stream's capture is, where pointers are given; all of it is 0 when there is none.
void describe_capture(Stream& stream, std::uint64_t* id, void** graph, void const* const** nodes,
                      EdgeData const** data, std::size_t* count);
void set_capture_dependencies(Stream& stream, std::vector<Edge> after, bool replaces);

}  // namespace warpsim::cuda
