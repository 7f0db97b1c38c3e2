// Capturing: work that a program puts into streams becomes nodes of a graph.
#pragma once

#include "runtime/cuda/graphs/graph.hpp"
#include "runtime/cuda/streams/capture.hpp"

namespace warpsim::cuda {

/// Throws Failure(stream_capture_unsupported) for the default stream, illegal_state for a stream that is being
/// captured. With `graph`, the nodes are added to that graph, after `after`.
void begin_capture(Process& process, Stream& stream, CaptureMode mode, std::shared_ptr<Graph> graph = nullptr,
                   std::vector<Edge> after = {});
/// Whether the program supplied the graph, so that it need not be returned.
bool is_captured_into_given_graph(Stream const& stream);
/// Returns the handle of the graph. Throws Failure, and ends the capture, when the capture was not well formed.
void* end_capture(Process& process, Stream& stream);
/// A graph that a captured stream launches becomes a node of the captured graph.
void add_captured(Stream& stream, Graph const& graph);
/// Describes a stream's capture through the pointers that are not null; everything is 0 without a capture.
void describe_capture(Stream& stream, std::uint64_t* id, void** graph, void const* const** nodes,
                      EdgeData const** data, std::size_t* count);
void set_capture_dependencies(Stream& stream, std::vector<Edge> after, bool replaces);

}  // namespace warpsim::cuda
