// What captured streams do with work, and which calls they refuse. The graphs that come of it are in graphs/.
#pragma once

#include "runtime/cuda/devices/captures.hpp"
#include "runtime/cuda/streams/work.hpp"

namespace warpsim::cuda {

/// How far a captured stream has come: what it is given next comes behind that.
class CapturePoint {
public:
    explicit CapturePoint(std::shared_ptr<Capture> of) : capture(std::move(of)) {}
    virtual ~CapturePoint() = default;

    std::shared_ptr<Capture> const capture;

    virtual void add(Work work) = 0;
    /// Memory that is there while the captured work runs. Returns its address.
    virtual std::uint64_t allocate(int device, std::uint64_t bytes) = 0;
    virtual void free(std::uint64_t address) = 0;
    virtual std::shared_ptr<CapturePoint> copy() const = 0;
    /// What comes next is behind the other point as well, which is of the same capture.
    virtual void join(CapturePoint const& other) = 0;

protected:
    CapturePoint(CapturePoint const&) = default;
};

/// The stream's capture while it goes on, or null.
std::shared_ptr<Capture> capture_of(Stream const& stream);
inline bool is_captured(Stream const& stream) { return capture_of(stream) != nullptr; }
/// The point that a captured stream has come to. Throws Failure(stream_capture_invalidated).
CapturePoint& capture_point_of(Stream const& stream);

/// Ends captures that a call would break, and throws the failure: work in the default stream while another stream
/// that it waits for is captured.
void check_capture_of(Process& process, Stream& stream);
/// For calls that a captured stream cannot have: ends the capture and throws Failure(stream_capture_unsupported).
void refuse_when_captured(Process& process, Stream& stream);
/// For calls that might wait for all streams: memory that is asked for or freed, whole devices.
void check_unsafe_call(Process& process);
/// The capture is no longer valid, for that reason.
[[noreturn]] void invalidate(Capture& capture, Result result);

/// The event stands for where the stream is; a stream that waits for it is captured too.
void record_captured(Stream& stream, Event& event);
/// True when nothing else is to be done to make the stream wait.
bool wait_captured(Stream& stream, Event& event);
/// For calls that ask how an event of a capture stands.
void refuse_captured(Event& event);

/// With the numbers of CUstreamCaptureStatus: 0 none, 1 active, 2 no longer valid.
int capture_status(Process& process, Stream& stream);
/// Sets the calling thread's mode and returns the one before.
CaptureMode exchange_capture_mode(CaptureMode mode);

}  // namespace warpsim::cuda
