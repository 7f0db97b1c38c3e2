#include "runtime/cuda/streams/work.hpp"

#include "runtime/cuda/streams/capture.hpp"

#include <algorithm>
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

void write(runtime::Device const& device, ValueOperation const& o) {
    if (o.kind == ValueOperation::Kind::write_64) {
        std::atomic_ref(*reinterpret_cast<std::uint64_t*>(o.address)).store(o.value);
    } else if (o.kind == ValueOperation::Kind::write_32) {
        std::atomic_ref(*reinterpret_cast<std::uint32_t*>(o.address)).store(static_cast<std::uint32_t>(o.value));
    }
    if (o.kind != ValueOperation::Kind::barrier) device.tell_set(o.address, o.is_wide() ? 8 : 4);
}

}  // namespace

void Submission::operator()(KernelWork const& w) const {
    stream.gpu.launch(stream, w.kernel->program->module(stream.gpu), w.kernel->name, w.shape, w.arguments,
                      std::min(stream.priority, w.priority));
}

void Submission::operator()(CopyWork const& w) const {
    stream.gpu.submit(stream, in_time(process, stream.gpu, w), [w, devices = devices_of(process, stream.gpu, w)] {
        move(devices, w.to, w.from, w.extent);
    });
}

void Submission::operator()(FillWork const& w) const {
    stream.gpu.submit(stream, in_time(process, stream.gpu, w), [w, &device = device_of(process, stream.gpu, w)] {
        set(device, w.to, w.extent, w.value, w.element_bytes);
    });
}

void Submission::operator()(HostWork const& w) const {
    stream.gpu.submit_for_host(stream, [w] { w.function(w.data); });
}

void Submission::operator()(RecordWork const& w) const { stream.gpu.record(w.event, stream); }

void Submission::operator()(WaitWork const& w) const {
    stream.gpu.follow(stream, *w.event);
    std::uint64_t const wanted = w.event->recorded;
    if (w.event->completed >= wanted) return;
    stream.gpu.submit(
        stream, [] {}, [event = w.event, wanted] { return event->completed >= wanted; });
}

void Submission::operator()(ValueWork const& w) const {
    for (ValueOperation const& o : w.operations) {
        if (o.is_wait()) {
            stream.gpu.follow_all(stream);  // one of them has written the value, or will
            stream.gpu.submit(
                stream, [] {}, [o] { return holds(o); });
        } else {
            stream.gpu.submit_for_host(stream, [o, &device = stream.gpu.device] { write(device, o); });
        }
    }
}

void check(Process& process, ValueWork const& work) {
    for (ValueOperation const& o : work.operations) {
        if (o.kind == ValueOperation::Kind::barrier) continue;
        std::uint64_t const bytes = o.is_wide() ? 8 : 4;
        if (o.address == 0 || o.address % bytes != 0) throw Failure(Result::invalid_value);
        if (!process.memory.find(o.address)) throw Failure(Result::invalid_value);
        process.memory.check(o.address, bytes);
    }
}

namespace {

/// A kernel that may begin before the one in front of it has ended, because that lets it, must wait for it itself.
void check_dependence(Process& process, Stream& stream, Work const& work) {
    auto const* const kernel = std::get_if<KernelWork>(&work);
    std::shared_ptr<Kernel> const before =
        stream.last_kernel.exchange(kernel != nullptr ? kernel->kernel : nullptr);
    if (kernel == nullptr || before == nullptr || !kernel->begins_early) return;
    auto const attributes = [&](Kernel const& of) {
        return stream.gpu.device.attributes(*of.program->module(stream.gpu), of.name);
    };
    bool lets_begin = false, waits = false;
    try {
        lets_begin = attributes(*before).lets_grids_begin;
        waits = attributes(*kernel->kernel).waits_for_grids;
    } catch (Failure const&) {
        // The library of the kernel before has been unloaded.
    }
    if (!lets_begin) return;
    stream.order.next_overlaps = true;
    if (!waits && process.checks.looks_at_order()) process.checks.tell_early(kernel->kernel->name, before->name);
}

}  // namespace

void submit(Process& process, Stream& stream, Work const& work) {
    stream.gpu.check();
    check_capture_of(process, stream);
    if (is_captured(stream)) {
        Work node = work;
        if (auto* const kernel = std::get_if<KernelWork>(&node)) kernel->device = stream.gpu.ordinal;
        capture_point_of(stream).add(std::move(node));
        return;
    }
    if (process.checks.looks_at_dependences()) check_dependence(process, stream, work);
    std::visit(Submission{process, stream}, work);
}

}  // namespace warpsim::cuda
