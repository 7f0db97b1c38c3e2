#include "runtime/cuda/graphs/capture.hpp"

#include "runtime/cuda/graphs/graph_memory.hpp"

#include <algorithm>
#include <set>

namespace warpsim::cuda {

namespace {

struct GraphCapture : Capture {
    std::shared_ptr<Graph> graph;
    bool is_into_given_graph = false;
};

void add_edges(std::vector<Edge>& to, std::vector<Edge> const& more) {
    for (Edge const& e : more) {
        bool const is_there =
            std::any_of(to.begin(), to.end(), [&](Edge const& known) { return known.node == e.node; });
        if (!is_there) to.push_back(e);
    }
}

/// The nodes that the next node of a stream depends on.
class GraphPoint final : public CapturePoint {
public:
    GraphPoint(std::shared_ptr<GraphCapture> of, std::vector<Edge> behind)
        : CapturePoint(of), after(std::move(behind)), capture_(std::move(of)) {}

    std::vector<Edge> after;
    std::vector<void*> handles;  // of `after`, for programs to read
    std::vector<EdgeData> data;

    GraphCapture& graph_capture() const { return *capture_; }
    void add_node(NodeWork work) { after = {{&capture_->graph->add(std::move(work), after), {}}}; }

    void add(Work work) override {
        auto const* const kernel = std::get_if<KernelWork>(&work);
        if (kernel != nullptr && kernel->begins_early) depend_on_triggers();
        std::visit([this](auto& one) { add_node(std::move(one)); }, work);
    }
    std::uint64_t allocate(PoolPlace const& place, std::uint64_t bytes) override {
        auto memory = std::make_shared<GraphMemory>(capture_->graph->process.memory, place, bytes);
        std::uint64_t const address = memory->address();
        add_node(AllocationWork{std::move(memory)});
        return address;
    }
    void free(std::uint64_t address) override { add_node(FreeWork{address}); }
    std::shared_ptr<CapturePoint> copy() const override { return std::make_shared<GraphPoint>(capture_, after); }
    void join(CapturePoint const& other) override {
        add_edges(after, static_cast<GraphPoint const&>(other).after);
    }

private:
    /// A kernel that may begin before those it follows have ended depends on what they trigger.
    void depend_on_triggers() {
        constexpr EdgeData triggered{.from_port = 1, .type = 1};
        for (Edge& e : after)
            if (e.node->type() == NodeType::kernel && e.data == EdgeData{}) e.data = triggered;
    }

    std::shared_ptr<GraphCapture> const capture_;
};

/// Every node must lead to the last ones of the first stream: all forked streams have joined it again.
bool is_joined(Graph const& graph, std::vector<Edge> const& tail) {
    std::set<Node const*> reached;
    std::vector<Node const*> todo;
    for (Edge const& e : tail) todo.push_back(e.node);
    while (!todo.empty()) {
        Node const* const node = todo.back();
        todo.pop_back();
        if (!reached.insert(node).second) continue;
        for (Edge const& e : node->dependencies) todo.push_back(e.node);
    }
    auto const& nodes = graph.nodes();
    return std::all_of(nodes.begin(), nodes.end(), [&](auto const& n) { return reached.contains(n.get()); });
}

GraphPoint& point_of(Stream const& stream) { return static_cast<GraphPoint&>(*stream.point); }

}  // namespace

void begin_capture(Process& process, Stream& stream, CaptureMode mode, std::shared_ptr<Graph> graph,
                   std::vector<Edge> after) {
    if (static_cast<int>(mode) < 0 || static_cast<int>(mode) > 2) throw Failure(Result::invalid_value);
    if (stream.order.is_legacy) throw Failure(Result::stream_capture_unsupported);
    if (is_captured(stream)) throw Failure(Result::illegal_state);
    auto capture = std::make_shared<GraphCapture>();
    capture->is_into_given_graph = graph != nullptr;
    capture->graph = graph ? std::move(graph) : add_graph(process);
    capture->mode = mode;
    capture->thread = std::this_thread::get_id();
    capture->origin = &stream;
    stream.point = std::make_shared<GraphPoint>(capture, std::move(after));
    process.captures.begin(capture);
}

bool is_captured_into_given_graph(Stream const& stream) {
    return is_captured(stream) && point_of(stream).graph_capture().is_into_given_graph;
}

void* end_capture(Process& process, Stream& stream) {
    if (!is_captured(stream)) throw Failure(Result::illegal_state);
    GraphCapture& capture = point_of(stream).graph_capture();
    if (capture.origin != &stream) invalidate(capture, Result::stream_capture_unmatched);
    if (capture.mode != CaptureMode::relaxed && capture.thread != std::this_thread::get_id()) {
        invalidate(capture, Result::stream_capture_wrong_thread);
    }
    process.captures.end(capture);
    std::shared_ptr<CapturePoint> const point = std::move(stream.point);
    // Other streams and events that were captured refer to the capture for as long as they are not used again.
    std::shared_ptr<Graph> const graph = std::move(capture.graph);
    auto const drop = [&](Result result) {
        if (!capture.is_into_given_graph) process.graphs.forget(graph->handle);
        throw Failure(result);
    };
    if (!capture.is_valid) drop(Result::stream_capture_invalidated);
    bool const is_whole =
        capture.is_into_given_graph || is_joined(*graph, static_cast<GraphPoint const&>(*point).after);
    if (!is_whole) drop(Result::stream_capture_unjoined);
    return graph->handle;
}

void add_captured(Stream& stream, Graph const& graph) {
    static_cast<GraphPoint&>(capture_point_of(stream)).add_node(ChildWork{inner_copy(graph)});
}

void describe_capture(Stream& stream, std::uint64_t* id, void** graph, void const* const** nodes,
                      EdgeData const** data, std::size_t* count) {
    GraphPoint* const point = is_captured(stream) ? &point_of(stream) : nullptr;
    if (point != nullptr) {
        point->handles.clear();
        point->data.clear();
        for (Edge const& e : point->after) {
            point->handles.push_back(e.node->handle);
            point->data.push_back(e.data);
        }
    }
    if (id != nullptr) *id = point != nullptr ? point->capture->id : 0;
    if (graph != nullptr) *graph = point != nullptr ? point->graph_capture().graph->handle : nullptr;
    if (nodes != nullptr) *nodes = point != nullptr ? point->handles.data() : nullptr;
    if (data != nullptr) *data = point != nullptr ? point->data.data() : nullptr;
    if (count != nullptr) *count = point != nullptr ? point->handles.size() : 0;
}

void set_capture_dependencies(Stream& stream, std::vector<Edge> after, bool replaces) {
    if (!is_captured(stream)) throw Failure(Result::illegal_state);
    GraphPoint& point = point_of(stream);
    for (Edge const& e : after) {
        if (e.node->graph != point.graph_capture().graph.get()) throw Failure(Result::invalid_value);
    }
    if (replaces) point.after.clear();
    add_edges(point.after, after);
}

}  // namespace warpsim::cuda
