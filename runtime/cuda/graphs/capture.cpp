#include "runtime/cuda/graphs/capture.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>

namespace warpsim::cuda {

namespace {

/// Captures under way.
struct Captures {
    std::mutex mutex;
    std::vector<std::weak_ptr<Capture>> list;
    std::atomic<std::size_t> count{0};  // so that calls are fast while there are none
    std::atomic<std::uint64_t> last_id{0};
};

Captures& captures() {
    static Captures* const all = new Captures;
    return *all;
}

template <class F> void for_each_active(F&& visit) {
    Captures& all = captures();
    if (all.count == 0) return;
    std::lock_guard const lock(all.mutex);
    for (std::weak_ptr<Capture> const& weak : all.list) {
        if (std::shared_ptr<Capture> const capture = weak.lock(); capture && !capture->is_over) visit(*capture);
    }
}

void end(Capture& capture) {
    Captures& all = captures();
    std::lock_guard const lock(all.mutex);
    capture.is_over = true;
    std::erase_if(all.list, [&](std::weak_ptr<Capture> const& weak) {
        auto const one = weak.lock();
        return !one || one.get() == &capture;
    });
    all.count = all.list.size();
}

/// The stream's capture, while it goes on.
std::shared_ptr<Capture> capture_of(Stream const& stream) {
    if (!stream.point || stream.point->capture->is_over) return nullptr;
    return stream.point->capture;
}

[[noreturn]] void invalidate(Capture& capture, Result result) {
    capture.is_valid = false;
    throw Failure(result);
}

void add_edges(std::vector<Edge>& to, std::vector<Edge> const& more) {
    for (Edge const& e : more) {
        bool const is_there =
            std::any_of(to.begin(), to.end(), [&](Edge const& known) { return known.node == e.node; });
        if (!is_there) to.push_back(e);
    }
}

/// All leaves must be where the first stream is: what was forked came back.
bool is_joined(Capture const& capture, std::vector<Edge> const& tail) {
    std::set<Node const*> reached;
    std::vector<Node const*> todo;
    for (Edge const& e : tail) todo.push_back(e.node);
    while (!todo.empty()) {
        Node const* const node = todo.back();
        todo.pop_back();
        if (!reached.insert(node).second) continue;
        for (Edge const& e : node->dependencies) todo.push_back(e.node);
    }
    auto const& nodes = capture.graph->nodes();
    return capture.is_into_given_graph ||
           std::all_of(nodes.begin(), nodes.end(), [&](auto const& n) { return reached.contains(n.get()); });
}

}  // namespace

bool is_captured(Stream const& stream) { return captures().count != 0 && capture_of(stream) != nullptr; }

void check_capture_of(Stream& stream) {
    if (captures().count == 0) return;
    if (std::shared_ptr<Capture> const capture = capture_of(stream)) {
        if (!capture->is_valid) throw Failure(Result::stream_capture_invalidated);
        return;
    }
    if (!stream.lane.is_legacy) return;
    bool breaks = false;
    for_each_active([&](Capture& capture) {
        if (!capture.origin->lane.is_blocking || capture.origin->device != stream.device) return;
        capture.is_valid = false;
        breaks = true;
    });
    if (breaks) throw Failure(Result::stream_capture_implicit);
}

void refuse_when_captured(Stream& stream) {
    check_capture_of(stream);
    if (std::shared_ptr<Capture> const capture = capture_of(stream))
        invalidate(*capture, Result::stream_capture_unsupported);
}

void check_unsafe_call() {
    if (captures().count == 0) return;
    auto const mode = static_cast<CaptureMode>(Thread::current().capture_mode);
    if (mode == CaptureMode::relaxed) return;
    bool breaks = false;
    for_each_active([&](Capture& capture) {
        bool const is_own = capture.thread == std::this_thread::get_id() && capture.mode != CaptureMode::relaxed;
        if (!is_own && (mode != CaptureMode::global || capture.mode != CaptureMode::global)) return;
        capture.is_valid = false;
        breaks = true;
    });
    if (breaks) throw Failure(Result::stream_capture_unsupported);
}

Node& add_captured(Stream& stream, Work work) {
    std::shared_ptr<Capture> const capture = capture_of(stream);
    if (!capture->is_valid) throw Failure(Result::stream_capture_invalidated);
    if (auto const* child = std::get_if<ChildWork>(&work)) work = ChildWork{inner_copy(*child->graph)};
    Node& node = capture->graph->add(std::move(work), stream.point->after);
    stream.point->after = {{&node, {}}};
    return node;
}

void record_captured(Stream& stream, Event& event) { event.point = std::make_shared<CapturePoint>(*stream.point); }

bool wait_captured(Stream& stream, Event& event) {
    std::shared_ptr<Capture> const own = is_captured(stream) ? capture_of(stream) : nullptr;
    bool const is_of_capture = event.point && !event.point->capture->is_over;
    if (!is_of_capture) {
        if (!own) return false;
        // Never recorded: nothing to wait for.
        if (event.recorded == 0) return true;
        invalidate(*own, Result::stream_capture_isolation);
    }
    Capture& other = *event.point->capture;
    if (!other.is_valid) throw Failure(Result::stream_capture_invalidated);
    if (stream.lane.is_legacy) invalidate(other, Result::stream_capture_implicit);
    if (!own) {
        stream.point = std::make_shared<CapturePoint>(*event.point);
        return true;
    }
    if (own.get() != &other) {
        other.is_valid = false;
        invalidate(*own, Result::stream_capture_merge);
    }
    add_edges(stream.point->after, event.point->after);
    return true;
}

void refuse_captured(Event& event) {
    if (captures().count == 0 || !event.point || event.point->capture->is_over) return;
    invalidate(*event.point->capture, Result::captured_event);
}

void begin_capture(Stream& stream, CaptureMode mode, std::shared_ptr<Graph> graph, std::vector<Edge> after) {
    if (static_cast<int>(mode) < 0 || static_cast<int>(mode) > 2) throw Failure(Result::invalid_value);
    if (stream.lane.is_legacy) throw Failure(Result::stream_capture_unsupported);
    if (is_captured(stream)) throw Failure(Result::illegal_state);
    auto capture = std::make_shared<Capture>();
    Captures& all = captures();
    capture->id = ++all.last_id;
    capture->is_into_given_graph = graph != nullptr;
    capture->graph = graph ? std::move(graph) : add_graph();
    capture->mode = mode;
    capture->thread = std::this_thread::get_id();
    capture->origin = &stream;
    stream.point = std::make_shared<CapturePoint>(CapturePoint{capture, std::move(after), {}, {}});
    std::lock_guard const lock(all.mutex);
    all.list.push_back(capture);
    all.count = all.list.size();
}

bool is_captured_into_given_graph(Stream const& stream) {
    std::shared_ptr<Capture> const capture = capture_of(stream);
    return capture && capture->is_into_given_graph;
}

void* end_capture(Stream& stream) {
    std::shared_ptr<Capture> const capture = capture_of(stream);
    if (!capture) throw Failure(Result::illegal_state);
    if (capture->origin != &stream) invalidate(*capture, Result::stream_capture_unmatched);
    if (capture->mode != CaptureMode::relaxed && capture->thread != std::this_thread::get_id()) {
        invalidate(*capture, Result::stream_capture_wrong_thread);
    }
    end(*capture);
    std::shared_ptr<CapturePoint> const point = std::move(stream.point);
    auto const drop = [&](Result result) {
        if (!capture->is_into_given_graph) Process::get().graphs.forget(capture->graph->handle);
        throw Failure(result);
    };
    if (!capture->is_valid) drop(Result::stream_capture_invalidated);
    if (!is_joined(*capture, point->after)) drop(Result::stream_capture_unjoined);
    return capture->graph->handle;
}

int capture_status(Stream& stream) {
    if (captures().count == 0) return 0;
    if (stream.lane.is_legacy) check_capture_of(stream);
    std::shared_ptr<Capture> const capture = capture_of(stream);
    if (!capture) return 0;
    return capture->is_valid ? 1 : 2;
}

CaptureMode exchange_capture_mode(CaptureMode mode) {
    if (static_cast<int>(mode) < 0 || static_cast<int>(mode) > 2) throw Failure(Result::invalid_value);
    return static_cast<CaptureMode>(std::exchange(Thread::current().capture_mode, static_cast<int>(mode)));
}

CapturePoint* capture_point(Stream& stream) {
    if (!is_captured(stream)) return nullptr;
    CapturePoint& point = *stream.point;
    point.handles.clear();
    point.data.clear();
    for (Edge const& e : point.after) {
        point.handles.push_back(e.node->handle);
        point.data.push_back(e.data);
    }
    return &point;
}

void describe_capture(Stream& stream, std::uint64_t* id, void** graph, void const* const** nodes,
                      EdgeData const** data, std::size_t* count) {
    CapturePoint const* const point = capture_point(stream);
    if (id != nullptr) *id = point != nullptr ? point->capture->id : 0;
    if (graph != nullptr) *graph = point != nullptr ? point->capture->graph->handle : nullptr;
    if (nodes != nullptr) *nodes = point != nullptr ? point->handles.data() : nullptr;
    if (data != nullptr) *data = point != nullptr ? point->data.data() : nullptr;
    if (count != nullptr) *count = point != nullptr ? point->handles.size() : 0;
}

void set_capture_dependencies(Stream& stream, std::vector<Edge> after, bool replaces) {
    std::shared_ptr<Capture> const capture = capture_of(stream);
    if (!capture) throw Failure(Result::illegal_state);
    for (Edge const& e : after) {
        if (e.node->graph != capture->graph.get()) throw Failure(Result::invalid_value);
    }
    if (replaces) stream.point->after.clear();
    add_edges(stream.point->after, after);
}

}  // namespace warpsim::cuda
