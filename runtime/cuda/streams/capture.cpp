#include "runtime/cuda/streams/capture.hpp"

#include <utility>

namespace warpsim::cuda {

namespace {

/// Which captures wait for the work of a default stream.
auto waits_for(Stream const& legacy) {
    return [&legacy](Capture const& capture) {
        return capture.origin->order.is_blocking && &capture.origin->gpu == &legacy.gpu;
    };
}

}  // namespace

std::shared_ptr<Capture> capture_of(Stream const& stream) {
    if (!stream.point || stream.point->capture->is_over) return nullptr;
    return stream.point->capture;
}

void invalidate(Capture& capture, Result result) {
    capture.is_valid = false;
    throw Failure(result);
}

CapturePoint& capture_point_of(Stream const& stream) {
    if (!stream.point->capture->is_valid) throw Failure(Result::stream_capture_invalidated);
    return *stream.point;
}

void check_capture_of(Process& process, Stream& stream) {
    if (!process.captures.is_any()) return;
    if (std::shared_ptr<Capture> const capture = capture_of(stream)) {
        if (!capture->is_valid) throw Failure(Result::stream_capture_invalidated);
        return;
    }
    if (!stream.order.is_legacy) return;
    if (process.captures.invalidate_if(waits_for(stream))) throw Failure(Result::stream_capture_implicit);
}

void refuse_when_captured(Process& process, Stream& stream) {
    check_capture_of(process, stream);
    if (std::shared_ptr<Capture> const capture = capture_of(stream))
        invalidate(*capture, Result::stream_capture_unsupported);
}

void check_unsafe_call(Process& process) {
    if (!process.captures.is_any()) return;
    auto const mode = static_cast<CaptureMode>(Thread::current().capture_mode);
    if (mode == CaptureMode::relaxed) return;
    bool const breaks = process.captures.invalidate_if([&](Capture const& capture) {
        bool const is_own = capture.thread == std::this_thread::get_id() && capture.mode != CaptureMode::relaxed;
        return is_own || (mode == CaptureMode::global && capture.mode == CaptureMode::global);
    });
    if (breaks) throw Failure(Result::stream_capture_unsupported);
}

void record_captured(Stream& stream, Event& event) { event.point = stream.point->copy(); }

bool wait_captured(Stream& stream, Event& event) {
    std::shared_ptr<Capture> const own = capture_of(stream);
    bool const is_of_capture = event.point && !event.point->capture->is_over;
    if (!is_of_capture) {
        if (!own) return false;
        // An event that was never recorded has nothing to wait for.
        if (event.recorded == 0) return true;
        invalidate(*own, Result::stream_capture_isolation);
    }
    Capture& other = *event.point->capture;
    if (!other.is_valid) throw Failure(Result::stream_capture_invalidated);
    if (stream.order.is_legacy) invalidate(other, Result::stream_capture_implicit);
    if (!own) {
        stream.point = event.point->copy();
        return true;
    }
    if (own.get() != &other) {
        other.is_valid = false;
        invalidate(*own, Result::stream_capture_merge);
    }
    stream.point->join(*event.point);
    return true;
}

void refuse_captured(Event& event) {
    if (!event.point || event.point->capture->is_over) return;
    invalidate(*event.point->capture, Result::captured_event);
}

int capture_status(Process& process, Stream& stream) {
    if (!process.captures.is_any()) return 0;
    // The question breaks no capture.
    if (stream.order.is_legacy && process.captures.is_any_with(waits_for(stream)))
        throw Failure(Result::stream_capture_implicit);
    std::shared_ptr<Capture> const capture = capture_of(stream);
    if (!capture) return 0;
    return capture->is_valid ? 1 : 2;
}

CaptureMode exchange_capture_mode(CaptureMode mode) {
    if (static_cast<int>(mode) < 0 || static_cast<int>(mode) > 2) throw Failure(Result::invalid_value);
    return static_cast<CaptureMode>(std::exchange(Thread::current().capture_mode, static_cast<int>(mode)));
}

}  // namespace warpsim::cuda
