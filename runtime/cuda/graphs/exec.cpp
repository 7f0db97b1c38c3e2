#include "runtime/cuda/graphs/exec.hpp"

#include "runtime/cuda/graphs/capture.hpp"
#include "runtime/cuda/graphs/graph_memory.hpp"
#include "runtime/cuda/streams/allocation.hpp"

#include <algorithm>

namespace warpsim::cuda {

namespace {

std::vector<Node*> nodes_in_order(Graph const& graph) {
    std::vector<Node*> list;
    for_each_in_order(graph, [&](Node& node) { list.push_back(&node); });
    return list;
}

/// Where the dependencies of a node stand in an order; for nodes outside, a child graph has one position.
std::vector<std::size_t> places(Node const& node, std::unordered_map<Node const*, std::size_t> const& place) {
    std::vector<std::size_t> list;
    for (Edge const& e : node.dependencies) {
        auto const at = place.find(e.node);
        list.push_back(at != place.end() ? at->second : ~std::size_t{0});
    }
    std::sort(list.begin(), list.end());
    return list;
}

std::unordered_map<Node const*, std::size_t> placed(std::vector<Node*> const& order) {
    std::unordered_map<Node const*, std::size_t> place;
    for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
    return place;
}

/// Sets conditions to their initial values for a launch, also those in bodies.
void reset_conditions(Graph const& graph, Submission const& submission) {
    for (std::shared_ptr<Condition> const& c : graph.conditions) {
        if (!c->resets) continue;
        ValueOperation o;
        o.kind = ValueOperation::Kind::write_32;
        o.address = c->address();
        o.value = c->initial;
        submission(ValueWork{{o}});
    }
    for (std::shared_ptr<Node> const& node : graph.nodes()) {
        if (auto const* conditional = std::get_if<ConditionalWork>(&node->work)) {
            for (auto const& body : conditional->bodies) reset_conditions(*body, submission);
        } else if (auto const* child = std::get_if<ChildWork>(&node->work)) {
            reset_conditions(*child->graph, submission);
        }
    }
}

/// Bodies run on the device's own thread, which cannot wait for events or call the host.
void check_bodies(Graph const& graph) {
    for_each_in_order(graph, [](Node const& node) {
        auto const* const conditional = std::get_if<ConditionalWork>(&node.work);
        if (conditional == nullptr) return;
        for (std::shared_ptr<Graph> const& body : conditional->bodies) {
            for_each_in_order(*body, [](Node const& inner) {
                NodeType const type = inner.type();
                bool const is_allowed = type == NodeType::kernel || type == NodeType::copy ||
                                        type == NodeType::fill || type == NodeType::empty ||
                                        type == NodeType::conditional;
                if (!is_allowed) throw Failure(Result::not_supported);
            });
            check_bodies(*body);
        }
    });
}

/// Kernels may launch graphs of kernels, copies and fills. That they do is another matter: `cudaGraphLaunch` of device
/// code is not there to be linked.
bool is_for_kernels(Graph const& graph) {
    bool is = true;
    for_each_in_order(graph, [&](Node const& node) {
        NodeType const type = node.type();
        is &= type == NodeType::kernel || type == NodeType::copy || type == NodeType::fill;
    });
    return is;
}

/// Objects that a node refers to may be gone when it is launched.
void check_memory(Process& process, std::vector<Node*> const& nodes) {
    for (Node const* const node : nodes) {
        if (!node->is_enabled) continue;
        if (auto const* copy = std::get_if<CopyWork>(&node->work)) check(process, *copy);
        else if (auto const* fill = std::get_if<FillWork>(&node->work)) check(process, *fill);
        else if (auto const* conditional = std::get_if<ConditionalWork>(&node->work)) {
            for (std::shared_ptr<Graph> const& body : conditional->bodies)
                check_memory(process, nodes_in_order(*body));
        }
    }
}

/// The body that runs as number `round` of a conditional node; null: none does.
Graph const* body_of(ConditionalWork const& w, unsigned round) {
    enum Type : int { if_else = 0, loop = 1, choice = 2 };
    if (w.type != loop && round != 0) return nullptr;
    std::uint32_t const value = w.condition->value();
    if (w.type == loop) return value != 0 ? w.bodies[0].get() : nullptr;
    std::size_t const which = w.type == choice ? value : value != 0 ? 0 : 1;
    return which < w.bodies.size() ? w.bodies[which].get() : nullptr;
}

/// In functional mode: executes work at once, on the thread that is running the queue. These are the kinds of work that
/// bodies of conditions may have.
void perform(Process& process, Gpu& gpu, Graph const& graph);

void perform(Process& process, Gpu& gpu, ConditionalWork const& w) {
    for (unsigned round = 0; Graph const* const body = body_of(w, round); ++round) perform(process, gpu, *body);
}

void perform(Process& process, Gpu& gpu, Graph const& graph) {
    for_each_in_order(graph, [&](Node const& node) {
        if (auto const* k = std::get_if<KernelWork>(&node.work)) {
            gpu.execute(*k->kernel->program->module(gpu), k->kernel->name, k->shape, k->arguments);
        } else if (auto const* c = std::get_if<CopyWork>(&node.work)) {
            move(devices_of(process, gpu, *c), c->to, c->from, c->extent);
        } else if (auto const* f = std::get_if<FillWork>(&node.work)) {
            set(device_of(process, gpu, *f), f->to, f->extent, f->value, f->element_bytes);
        } else if (auto const* conditional = std::get_if<ConditionalWork>(&node.work)) {
            perform(process, gpu, *conditional);
        }
    });
}

/// Where a node runs in a graph that is launched into a stream of `gpu`: only kernels are tied to their devices.
Gpu& gpu_of(Process& process, Gpu& gpu, Node const& node) {
    auto const* const kernel = std::get_if<KernelWork>(&node.work);
    return kernel != nullptr && kernel->device >= 0 ? process.gpu(kernel->device) : gpu;
}

void launch_branches(Process& process, Graph const& graph, Stream& origin);

/// Puts the work of a graph into a stream.
struct NodeSubmission : Submission {
    using Submission::operator();

    void operator()(AllocationWork const& w) const { w.memory->begin(); }
    void operator()(FreeWork const& w) const {
        auto const range = process.memory.find(w.address);
        if (!range || range->begin != w.address) throw Failure(Result::invalid_value);
        if (range->is_of_graph) {
            process.memory.suspend(w.address);
            return;
        }
        stream.gpu.submit(stream, [&owner = process, w] { free_in_turn(owner, w.address, false); });
    }
    void operator()(ChildWork const& w) const {
        for_each_in_order(*w.graph, [this](Node const& node) { std::visit(*this, node.work); });
    }
    void operator()(ConditionalWork const& w) const {
        Gpu& gpu = stream.gpu;
        if (!gpu.is_timed()) return gpu.submit(stream, [w, &gpu, &owner = process] { perform(owner, gpu, w); });
        gpu.submit_parts(stream, [w, &owner = process](Stream& part, unsigned round) {
            Graph const* const body = body_of(w, round);
            if (body != nullptr) launch_branches(owner, *body, part);
            return body != nullptr;
        });
    }
};

/// In timing mode nodes that do not depend on each other are under way at the same time, and a checker is told that they
/// might be. A node follows one of its
/// dependencies in the same stream, where no other does yet and it runs on the same device, or gets a stream of its own; for
/// the other dependencies it waits for events.
class Branches {
public:
    Branches(Process& process, Stream& origin) : process_(process), origin_(origin), fork_(record(origin)) {}

    void add(Node const& node) {
        Gpu& gpu = gpu_of(process_, origin_.gpu, node);
        std::shared_ptr<Stream> stream;
        for (Edge const& e : node.dependencies) {
            Done& before = done_.at(e.node);
            if (stream || before.is_followed || &before.stream->gpu != &gpu) continue;
            before.is_followed = true;
            stream = before.stream;
        }
        if (!stream) stream = begin_branch(gpu);
        for (Edge const& e : node.dependencies) {
            if (done_.at(e.node).stream != stream) wait(*stream, done_.at(e.node).event);
        }
        submit(node, *stream);
        done_[&node] = {stream, record(*stream), false};
    }
    /// The stream that the graph was launched in goes on when all nodes are done.
    void join(Graph const& graph) {
        for (std::shared_ptr<Node> const& node : graph.nodes()) {
            if (node->dependents.empty()) wait(origin_, done_.at(node.get()).event);
        }
        for (std::shared_ptr<Stream> const& stream : streams_) {
            StreamOrder& order = stream->order;
            stream->gpu.queue.submit(order, [stream] {});  // which keeps it until then
        }
    }

private:
    struct Done {
        std::shared_ptr<Stream> stream;
        std::shared_ptr<Event> event;
        bool is_followed = false;
    };

    std::shared_ptr<Event> record(Stream& stream) {
        auto event = std::make_shared<Event>();
        stream.gpu.record(event, stream);
        return event;
    }
    void wait(Stream& stream, std::shared_ptr<Event> const& event) {
        Submission{process_, stream}(WaitWork{event, nullptr});
    }
    std::shared_ptr<Stream> begin_branch(Gpu& gpu) {
        auto stream = std::make_shared<Stream>(gpu);
        stream->order.is_blocking = false;
        stream->priority = origin_.priority;
        streams_.push_back(stream);
        wait(*stream, fork_);
        return stream;
    }
    void submit(Node const& node, Stream& stream) {
        if (auto const* child = std::get_if<ChildWork>(&node.work))
            launch_branches(process_, *child->graph, stream);
        else if (node.is_enabled) std::visit(NodeSubmission{{process_, stream}}, node.work);
    }

    Process& process_;
    Stream& origin_;
    std::shared_ptr<Event> fork_;
    std::unordered_map<Node const*, Done> done_;
    std::vector<std::shared_ptr<Stream>> streams_;
};

/// What the work uses is kept, though the executable graph is destroyed or updated, until the stream has come here.
void keep_what_it_uses(Graph const& graph, Stream& stream) {
    std::vector<std::shared_ptr<void const>> kept;
    graph.append_kept(kept);
    if (!kept.empty()) stream.gpu.submit(stream, [kept]() mutable { kept.clear(); });
}

void launch_branches(Process& process, Graph const& graph, Stream& origin) {
    Branches branches(process, origin);
    for (Node* const node : graph.order()) branches.add(*node);
    branches.join(graph);
}

}  // namespace

GraphExec::GraphExec(Graph const& graph, std::uint64_t with) : flags(with) {
    if ((with & ~(free_on_launch | upload | device_launch | node_priority)) != 0)
        throw Failure(Result::invalid_value);
    if ((with & device_launch) != 0 && !is_for_kernels(graph)) throw Failure(Result::not_supported);
    check_bodies(graph);
    graph_ = graph.copy();
    order_ = nodes_in_order(*graph_);
    for (std::shared_ptr<Node> const& node : graph_->nodes()) by_original_[node->original] = node.get();
    for (Node* const node : order_) by_original_[node->original] = node;
}

Node& GraphExec::node(void const* original) const {
    auto const at = by_original_.find(original);
    if (at == by_original_.end()) throw Failure(Result::invalid_value);
    return *at->second;
}

namespace {

using Update = GraphExec::Update;

/// The first reason for which nodes cannot take over the work of others; success when there is none.
Update difference(std::vector<Node*> const& own, std::vector<Node*> const& theirs) {
    if (theirs.size() != own.size()) return {UpdateResult::topology_changed, nullptr, nullptr};
    auto const own_places = placed(own), their_places = placed(theirs);
    for (std::size_t i = 0; i < theirs.size(); ++i) {
        Node const &now = *own[i], &then = *theirs[i];
        if (now.type() != then.type()) return {UpdateResult::type_changed, then.handle, nullptr};
        if (places(now, own_places) != places(then, their_places)) {
            void* const from = then.dependencies.empty() ? nullptr : then.dependencies.front().node->handle;
            return {UpdateResult::topology_changed, then.handle, from};
        }
        bool const is_memory = now.type() == NodeType::allocation || now.type() == NodeType::free;
        if (is_memory) return {UpdateResult::parameters_changed, then.handle, nullptr};
        auto const* const condition = std::get_if<ConditionalWork>(&now.work);
        if (condition == nullptr) continue;
        ConditionalWork const& changed = std::get<ConditionalWork>(then.work);
        if (condition->type != changed.type || condition->bodies.size() != changed.bodies.size())
            return {UpdateResult::parameters_changed, then.handle, nullptr};
        for (std::size_t b = 0; b < changed.bodies.size(); ++b) {
            Update const inner =
                difference(nodes_in_order(*condition->bodies[b]), nodes_in_order(*changed.bodies[b]));
            if (inner.result != UpdateResult::success) return inner;
        }
    }
    return {};
}

/// Conditional nodes keep their bodies, whose nodes change, and follow the conditions that kernels set now.
void take_over(std::vector<Node*> const& own, std::vector<Node*> const& theirs) {
    for (std::size_t i = 0; i < theirs.size(); ++i) {
        auto* const condition = std::get_if<ConditionalWork>(&own[i]->work);
        if (condition == nullptr) {
            own[i]->work = theirs[i]->work;
            continue;
        }
        ConditionalWork const& changed = std::get<ConditionalWork>(theirs[i]->work);
        condition->condition = changed.condition;
        for (std::size_t b = 0; b < changed.bodies.size(); ++b) {
            condition->bodies[b]->conditions = changed.bodies[b]->conditions;
            take_over(nodes_in_order(*condition->bodies[b]), nodes_in_order(*changed.bodies[b]));
        }
    }
}

}  // namespace

GraphExec::Update GraphExec::update(Graph const& other) {
    std::vector<Node*> const theirs = nodes_in_order(other);
    Update const found = difference(order_, theirs);
    if (found.result != UpdateResult::success) return found;
    take_over(order_, theirs);
    graph_->conditions = other.conditions;
    graph_->take_objects(other);
    for (std::size_t i = 0; i < theirs.size(); ++i) by_original_[theirs[i]->handle] = order_[i];
    return {};
}

void GraphExec::launch(Stream& stream) {
    Process& process = graph_->process;
    stream.gpu.check();
    check_capture_of(process, stream);
    if (is_captured(stream)) {
        add_captured(stream, *graph_);
        return;
    }
    check_memory(process, order_);
    for (Node const* const node : order_) {
        auto const* const allocation = std::get_if<AllocationWork>(&node->work);
        if (allocation == nullptr || !allocation->memory->is_live()) continue;
        if ((flags & free_on_launch) == 0) throw Failure(Result::invalid_value);
        allocation->memory->end();
    }
    auto const call = stream.gpu.one_call();
    reset_conditions(*graph_, Submission{process, stream});
    bool const is_here = std::all_of(order_.begin(), order_.end(), [&](Node const* node) {
        return &gpu_of(process, stream.gpu, *node) == &stream.gpu;
    });
    if (stream.gpu.has_branches() || !is_here) {
        // It never runs beside itself, whichever streams it is launched into.
        Submission const submission{process, stream};
        if (last_end_) submission(WaitWork{last_end_, nullptr});
        launch_branches(process, *graph_, stream);
        keep_what_it_uses(*graph_, stream);
        last_end_ = std::make_shared<Event>();
        return submission(RecordWork{last_end_, nullptr});
    }
    NodeSubmission const submission{{process, stream}};
    for (Node const* const node : order_) {
        if (node->is_enabled) std::visit(submission, node->work);
    }
    keep_what_it_uses(*graph_, stream);
}

void set_work(Node& node, NodeWork work) {
    if (node.work.index() != work.index()) throw Failure(Result::invalid_value);
    node.work = std::move(work);
}

}  // namespace warpsim::cuda
