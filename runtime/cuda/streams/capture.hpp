// What captured streams do with work, and which calls they refuse. The graphs that result are in graphs/.
#pragma once

#include "runtime/cuda/devices/captures.hpp"
#include "runtime/cuda/memory/pools.hpp"
#include "runtime/cuda/streams/work.hpp"

namespace warpsim::cuda {

/// How far a captured stream has come: its next work follows that.
class CapturePoint {
public:
    explicit CapturePoint(std::shared_ptr<Capture> of) : capture(std::move(of)) {}
    virtual ~CapturePoint() = default;

    std::shared_ptr<Capture> const capture;

    virtual void add(Work work) = 0;
    /// Memory that exists while the captured work runs. Returns its address.
    virtual std::uint64_t allocate(PoolPlace const& place, std::uint64_t bytes) = 0;
    virtual void free(std::uint64_t address) = 0;
    virtual std::shared_ptr<CapturePoint> copy() const = 0;
    /// The following work also follows the other point, which is of the same capture.
    virtual void join(CapturePoint const& other) = 0;

protected:
    CapturePoint(CapturePoint const&) = default;
};

/// The stream's capture while it lasts, or null.
std::shared_ptr<Capture> capture_of(Stream const& stream);
inline bool is_captured(Stream const& stream) { return capture_of(stream) != nullptr; }
/// The point that a captured stream has reached. Throws Failure(stream_capture_invalidated).
CapturePoint& capture_point_of(Stream const& stream);

/// Invalidates captures that a call would break, and throws the failure: work in the default stream while another
/// stream that it waits for is captured.
void check_capture_of(Process& process, Stream& stream);
/// For calls that a captured stream does not allow: invalidates the capture and throws
/// Failure(stream_capture_unsupported).
void refuse_when_captured(Process& process, Stream& stream);
/// For calls that might wait for all streams: allocating and freeing memory, whole devices.
void check_unsafe_call(Process& process);
/// Invalidates the capture for that reason.
[[noreturn]] void invalidate(Capture& capture, Result result);

/// The event stands for the stream's present position; a stream that waits for it is captured too.
void record_captured(Stream& stream, Event& event);
/// True when nothing else is needed to make the stream wait.
bool wait_captured(Stream& stream, Event& event);
/// For queries about an event of a capture.
void refuse_captured(Event& event);

/// The numbers of CUstreamCaptureStatus: 0 none, 1 active, 2 invalidated.
int capture_status(Process& process, Stream& stream);
/// Sets the calling thread's mode and returns the former one.
CaptureMode exchange_capture_mode(CaptureMode mode);

}  // namespace warpsim::cuda
