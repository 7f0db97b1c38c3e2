#include "runtime/cuda/streams/work.hpp"

#include "runtime/cuda/graphs/capture.hpp"
#include "runtime/cuda/graphs/graph_memory.hpp"
#include "runtime/cuda/streams/allocation.hpp"

#include <atomic>
#include <cstring>

namespace warpsim::cuda {

namespace {

bool holds(ValueOperation const& o) {
    std::uint64_t found = 0;
    if (o.is_wide()) {
        found = std::atomic_ref(*reinterpret_cast<std::uint64_t*>(o.address)).load();
    } else {
        found = std::atomic_ref(*reinterpret_cast<std::uint32_t*>(o.address)).load();
    }
    switch (o.comparison) {
        case ValueOperation::Comparison::at_least:
            // Cyclic, so that counters may run over.
            return o.is_wide() ? static_cast<std::int64_t>(found - o.value) >= 0
                               : static_cast<std::int32_t>(static_cast<std::uint32_t>(found - o.value)) >= 0;
        case ValueOperation::Comparison::equal: return found == o.value;
        case ValueOperation::Comparison::any_bit: return (found & o.value) != 0;
        case ValueOperation::Comparison::not_all_bits: break;
    }
    std::uint64_t const all = o.is_wide() ? ~std::uint64_t{0} : 0xffffffffu;
    return (~(found | o.value) & all) != 0;
}

void write(ValueOperation const& o) {
    if (o.kind == ValueOperation::Kind::write_64) {
        std::atomic_ref(*reinterpret_cast<std::uint64_t*>(o.address)).store(o.value);
    } else if (o.kind == ValueOperation::Kind::write_32) {
        std::atomic_ref(*reinterpret_cast<std::uint32_t*>(o.address)).store(static_cast<std::uint32_t>(o.value));
    }
}

/// Does work now, on the thread that has the queue's turn: what the body of a condition may have.
void perform(Gpu& gpu, Graph const& graph);

void perform(Gpu& gpu, ConditionalWork const& w) {
    enum Type : int { if_else = 0, loop = 1, choice = 2 };
    if (w.type == loop) {
        while (w.condition->value() != 0) perform(gpu, *w.bodies[0]);
        return;
    }
    std::uint32_t const value = w.condition->value();
    std::size_t const which = w.type == choice ? value : value != 0 ? 0 : 1;
    if (which < w.bodies.size()) perform(gpu, *w.bodies[which]);
}

void perform(Gpu& gpu, Graph const& graph) {
    for_each_in_order(graph, [&](Node const& node) {
        if (auto const* k = std::get_if<KernelWork>(&node.work)) {
            gpu.execute(*k->kernel->program->module(gpu), k->kernel->name, k->shape, k->arguments);
        } else if (auto const* c = std::get_if<CopyWork>(&node.work)) {
            move(c->to, c->from, c->extent);
        } else if (auto const* f = std::get_if<FillWork>(&node.work)) {
            set(f->to, f->extent, f->value, f->element_bytes);
        } else if (auto const* conditional = std::get_if<ConditionalWork>(&node.work)) {
            perform(gpu, *conditional);
        }
    });
}

struct Submission {
    Gpu& gpu;
    Stream& stream;

    void operator()(EmptyWork const&) const {}
    void operator()(KernelWork const& w) const {
        gpu.launch(stream, w.kernel->program->module(gpu), w.kernel->name, w.shape, w.arguments);
    }
    void operator()(CopyWork const& w) const {
        gpu.submit(stream, [w] { move(w.to, w.from, w.extent); });
    }
    void operator()(FillWork const& w) const {
        gpu.submit(stream, [w] { set(w.to, w.extent, w.value, w.element_bytes); });
    }
    void operator()(HostWork const& w) const {
        gpu.submit(stream, [w] { w.function(w.data); });
    }
    void operator()(RecordWork const& w) const { gpu.record(w.event, stream); }
    void operator()(WaitWork const& w) const {
        std::uint64_t const wanted = w.event->recorded;
        if (w.event->completed >= wanted) return;
        gpu.submit(
            stream, [] {}, [event = w.event, wanted] { return event->completed >= wanted; });
    }
    void operator()(AllocationWork const& w) const { w.memory->begin(); }
    void operator()(FreeWork const& w) const {
        Memory& memory = Process::get().memory;
        auto const range = memory.find(w.address);
        if (!range || range->begin != w.address) throw Failure(Result::invalid_value);
        if (range->is_of_graph) {
            memory.suspend(w.address);
            return;
        }
        gpu.submit(stream, [w] { free_in_turn(w.address, false); });
    }
    void operator()(ChildWork const& w) const {
        for_each_in_order(*w.graph, [this](Node const& node) { std::visit(*this, node.work); });
    }
    void operator()(ConditionalWork const& w) const {
        gpu.submit(stream, [w, &on = gpu] { perform(on, w); });
    }
    void operator()(ValueWork const& w) const {
        for (ValueOperation const& o : w.operations) {
            if (o.is_wait()) {
                gpu.submit(
                    stream, [] {}, [o] { return holds(o); });
            } else {
                gpu.submit(stream, [o] { write(o); });
            }
        }
    }
};

}  // namespace

void check(ValueWork const& work) {
    for (ValueOperation const& o : work.operations) {
        if (o.kind == ValueOperation::Kind::barrier) continue;
        std::uint64_t const bytes = o.is_wide() ? 8 : 4;
        if (o.address == 0 || o.address % bytes != 0) throw Failure(Result::invalid_value);
        Memory const& memory = Process::get().memory;
        if (!memory.find(o.address)) throw Failure(Result::invalid_value);
        memory.check(o.address, bytes);
    }
}

void submit(Stream& stream, Work const& work) {
    Gpu& gpu = Process::get().gpu_of(stream);
    gpu.check();
    check_capture_of(stream);
    if (is_captured(stream)) {
        add_captured(stream, work);
        return;
    }
    std::visit(Submission{gpu, stream}, work);
}

}  // namespace warpsim::cuda
