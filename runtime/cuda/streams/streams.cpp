#include "runtime/cuda/streams/streams.hpp"

#include "runtime/cuda/graphs/capture.hpp"

#include <algorithm>
#include <cstring>

namespace warpsim::cuda {

namespace {

constexpr unsigned non_blocking = 1;
constexpr unsigned event_interprocess = 4;
constexpr unsigned external = 1;  // in a captured stream: the event itself, at the graph's launch

}  // namespace

void* create_stream(unsigned flags, int priority) {
    if ((flags & ~non_blocking) != 0) throw Failure(Result::invalid_value);
    Process& process = Process::get();
    process.current().check();
    auto stream = std::make_shared<Stream>();
    stream->device = Thread::current().device;
    stream->flags = flags;
    stream->priority = std::min(0, std::max(-5, priority));
    stream->lane.is_blocking = (flags & non_blocking) == 0;
    stream->id = process.new_stream_id();
    stream->context = Thread::current().context();
    return process.streams.add(std::move(stream));
}

void destroy_stream(void* handle) {
    if (reinterpret_cast<std::uint64_t>(handle) <= 2) throw Failure(Result::invalid_handle);
    auto stream = Process::get().streams.remove(handle);
    // The last task keeps it until its work is done.
    Gpu& gpu = Process::get().gpu_of(*stream);
    Lane& lane = stream->lane;
    gpu.queue.submit(lane, [stream = std::move(stream)] {});
}

void synchronize(Stream& stream) {
    refuse_when_captured(stream);
    Process::get().gpu_of(stream).wait(stream);
}

void synchronize_device(Gpu& gpu) {
    check_unsafe_call();
    gpu.wait_all();
}

void query(Stream& stream) {
    refuse_when_captured(stream);
    Gpu& gpu = Process::get().gpu_of(stream);
    gpu.check();
    if (!gpu.queue.is_done(stream.lane)) throw Failure(Result::not_ready);
}

void wait_for_event(Stream& stream, void* handle, unsigned flags) {
    if (flags > 1) throw Failure(Result::invalid_value);
    auto event = Process::get().events.get(handle);
    check_capture_of(stream);
    bool const is_node = flags == external && is_captured(stream);
    if (is_node || !wait_captured(stream, *event)) submit(stream, WaitWork{std::move(event), handle});
}

void call_host(Stream& stream, void (*function)(void*), void* data) {
    if (function == nullptr) throw Failure(Result::invalid_value);
    submit(stream, HostWork{function, data});
}

void call_back(Stream& stream, void* handle, StreamCallback function, void* data, unsigned flags) {
    if (function == nullptr || flags != 0) throw Failure(Result::invalid_value);
    refuse_when_captured(stream);
    Gpu& gpu = Process::get().gpu_of(stream);
    gpu.queue.submit(stream.lane, [=, &gpu] {
        int status = 0;
        try {
            gpu.check();
        } catch (Failure const& failure) {
            status = static_cast<int>(failure.result());
        }
        function(handle, status, data);
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

void operate_on_values(Stream& stream, ValueWork work) {
    check(work);
    submit(stream, std::move(work));
}

void* create_event(unsigned flags) {
    if ((flags & ~7u) != 0) throw Failure(Result::invalid_value);
    if ((flags & event_interprocess) != 0)
        throw Failure((flags & 2u) != 0 ? Result::not_supported : Result::invalid_value);
    Process::get().current().check();
    auto event = std::make_shared<Event>();
    event->flags = flags;
    event->context = Thread::current().context();
    event->owner = Thread::current().device;
    return Process::get().events.add(std::move(event));
}

void destroy_event(void* handle) { Process::get().events.remove(handle); }

void record_event(void* handle, Stream& stream, unsigned flags) {
    if (flags > 1) throw Failure(Result::invalid_value);
    auto event = Process::get().events.get(handle);
    if (event->owner != stream.device) throw Failure(Result::invalid_handle);
    check_capture_of(stream);
    if (is_captured(stream) && flags != external) {
        record_captured(stream, *event);
        return;
    }
    event->point.reset();
    submit(stream, RecordWork{std::move(event), handle});
}

void query_event(void* handle) {
    auto const event = Process::get().events.get(handle);
    refuse_captured(*event);
    if (event->device >= 0) Process::get().gpu(event->device).check();
    if (!event->is_complete()) throw Failure(Result::not_ready);
}

void synchronize_event(void* handle) {
    auto const event = Process::get().events.get(handle);
    refuse_captured(*event);
    if (event->device >= 0) Process::get().gpu(event->device).wait_for(*event);
}

float elapsed_milliseconds(void* from_handle, void* to_handle) {
    auto const from = Process::get().events.get(from_handle), to = Process::get().events.get(to_handle);
    if (from->owner != to->owner || !from->is_timed() || !to->is_timed() || from->recorded == 0 ||
        to->recorded == 0) {
        throw Failure(Result::invalid_handle);
    }
    if (!from->is_complete() || !to->is_complete()) throw Failure(Result::not_ready);
    auto const ns = static_cast<std::int64_t>(to->time_ns - from->time_ns);
    return static_cast<float>(static_cast<double>(ns) * 1e-6);
}

}  // namespace warpsim::cuda
