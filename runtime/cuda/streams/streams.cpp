#include "runtime/cuda/streams/streams.hpp"

#include "runtime/cuda/streams/capture.hpp"

#include <algorithm>
#include <cstring>

namespace warpsim::cuda {

namespace {

constexpr unsigned non_blocking = 1;
constexpr unsigned event_interprocess = 4;
constexpr unsigned external = 1;  // in a captured stream: the event itself, at the graph's launch

}  // namespace

void* create_stream(Process& process, unsigned flags, int priority) {
    if ((flags & ~non_blocking) != 0) throw Failure(Result::invalid_value);
    Gpu& gpu = process.current();
    gpu.check();
    auto stream = std::make_shared<Stream>(gpu);
    stream->flags = flags;
    stream->priority = std::min(0, std::max(-5, priority));
    stream->order.is_blocking = (flags & non_blocking) == 0;
    stream->id = process.new_stream_id();
    stream->context = Thread::current().context();
    return process.streams.add(std::move(stream));
}

void destroy_stream(Process& process, void* handle) {
    if (reinterpret_cast<std::uint64_t>(handle) <= 2) throw Failure(Result::invalid_handle);
    auto stream = process.streams.remove(handle);
    // The last task keeps it until its work is done.
    Gpu& gpu = stream->gpu;
    StreamOrder& order = stream->order;
    gpu.queue.submit(order, [stream = std::move(stream)] {});
}

void synchronize(Process& process, Stream& stream) {
    refuse_when_captured(process, stream);
    stream.gpu.wait(stream);
}

void synchronize_device(Process& process, Gpu& gpu) {
    check_unsafe_call(process);
    gpu.wait_all();
}

void query(Process& process, Stream& stream) {
    refuse_when_captured(process, stream);
    Gpu& gpu = stream.gpu;
    gpu.check();
    if (!gpu.queue.is_done(stream.order)) throw Failure(Result::not_ready);
}

void wait_for_event(Process& process, Stream& stream, void* handle, unsigned flags) {
    if (flags > 1) throw Failure(Result::invalid_value);
    auto event = process.events.get(handle);
    check_capture_of(process, stream);
    bool const is_node = flags == external && is_captured(stream);
    if (is_node || !wait_captured(stream, *event)) submit(process, stream, WaitWork{std::move(event), handle});
}

void call_host(Process& process, Stream& stream, void (*function)(void*), void* data) {
    if (function == nullptr) throw Failure(Result::invalid_value);
    submit(process, stream, HostWork{function, data});
}

void call_back(Process& process, Stream& stream, void* handle, StreamCallback function, void* data,
               unsigned flags) {
    if (function == nullptr || flags != 0) throw Failure(Result::invalid_value);
    refuse_when_captured(process, stream);
    Gpu& gpu = stream.gpu;
    gpu.queue.submit(stream.order, [=, &gpu] {
        int status = 0;
        try {
            gpu.check();
        } catch (Failure const& failure) {
            status = static_cast<int>(failure.result());
        }
        gpu.tell_host([&] { function(handle, status, data); });
    });
}

namespace {

enum StreamAttribute : int { access_window = 1, waiting = 3, priority_attribute = 8, domain_map = 9, domain = 10 };

void check_attribute(int attribute, void const* value) {
    bool const is_one = attribute == access_window || attribute == waiting || attribute == priority_attribute ||
                        attribute == domain_map || attribute == domain;
    if (!is_one || value == nullptr) throw Failure(Result::invalid_value);
}

}  // namespace

void set_stream_attribute(Stream& stream, int attribute, void const* value) {
    check_attribute(attribute, value);
    std::array<unsigned char, 64>& kept = stream.attributes[attribute];
    std::memcpy(kept.data(), value, kept.size());
    if (attribute == priority_attribute) std::memcpy(&stream.priority, value, sizeof stream.priority);
}

void get_stream_attribute(Stream const& stream, int attribute, void* value) {
    check_attribute(attribute, value);
    std::memset(value, 0, sizeof(std::array<unsigned char, 64>));
    auto const at = stream.attributes.find(attribute);
    if (at != stream.attributes.end()) std::memcpy(value, at->second.data(), at->second.size());
    else if (attribute == priority_attribute) std::memcpy(value, &stream.priority, sizeof stream.priority);
}

void copy_stream_attributes(Stream& to, Stream const& from) {
    to.attributes = from.attributes;
    to.priority = from.priority;
}

void operate_on_values(Process& process, Stream& stream, ValueWork work) {
    check(process, work);
    submit(process, stream, std::move(work));
}

void* create_event(Process& process, unsigned flags) {
    if ((flags & ~7u) != 0) throw Failure(Result::invalid_value);
    if ((flags & event_interprocess) != 0)
        throw Failure((flags & 2u) != 0 ? Result::not_supported : Result::invalid_value);
    process.current().check();
    auto event = std::make_shared<Event>();
    event->flags = flags;
    event->context = Thread::current().context();
    event->owner = Thread::current().device;
    return process.events.add(std::move(event));
}

void destroy_event(Process& process, void* handle) { process.events.remove(handle); }

void record_event(Process& process, void* handle, Stream& stream, unsigned flags) {
    if (flags > 1) throw Failure(Result::invalid_value);
    auto event = process.events.get(handle);
    if (event->owner != stream.gpu.ordinal) throw Failure(Result::invalid_handle);
    check_capture_of(process, stream);
    if (is_captured(stream) && flags != external) {
        record_captured(stream, *event);
        return;
    }
    event->point.reset();
    submit(process, stream, RecordWork{std::move(event), handle});
}

void query_event(Process& process, void* handle) {
    auto const event = process.events.get(handle);
    refuse_captured(*event);
    if (event->device >= 0) {
        process.gpu(event->device).queue.poll();
        process.gpu(event->device).check();
    }
    if (!event->is_complete()) throw Failure(Result::not_ready);
    if (event->device >= 0) process.gpu(event->device).host_follows(*event);
}

void synchronize_event(Process& process, void* handle) {
    auto const event = process.events.get(handle);
    refuse_captured(*event);
    if (event->device >= 0) process.gpu(event->device).wait_for(*event);
}

float elapsed_milliseconds(Process& process, void* from_handle, void* to_handle) {
    auto const from = process.events.get(from_handle), to = process.events.get(to_handle);
    if (from->owner != to->owner || !from->is_timed() || !to->is_timed() || from->recorded == 0 ||
        to->recorded == 0) {
        throw Failure(Result::invalid_handle);
    }
    if (!from->is_complete() || !to->is_complete()) throw Failure(Result::not_ready);
    if (from->device >= 0) process.gpu(from->device).tell_of_clock();
    auto const ns = static_cast<std::int64_t>(to->time_ns - from->time_ns);
    return static_cast<float>(static_cast<double>(ns) * 1e-6);
}

}  // namespace warpsim::cuda
