// Streams and events, as both interfaces offer them.
#pragma once

#include "runtime/cuda/streams/work.hpp"

namespace warpsim::cuda {

/// Flags: 1 for a stream that does not wait for the default one. Priorities are clamped to -5 to 0.
void* create_stream(Process& process, unsigned flags, int priority);
/// Its work is completed nevertheless. Throws Failure(invalid_handle), also for default streams.
void destroy_stream(Process& process, void* handle);
void synchronize(Process& process, Stream& stream);
void synchronize_device(Process& process, Gpu& gpu);
/// Throws Failure(not_ready).
void query(Process& process, Stream& stream);
void wait_for_event(Process& process, Stream& stream, void* event, unsigned flags);
void call_host(Process& process, Stream& stream, void (*function)(void*), void* data);
/// `status` is the state of the device; also called after a failure.
using StreamCallback = void (*)(void* stream, int status, void* data);
void call_back(Process& process, Stream& stream, void* handle, StreamCallback function, void* data,
               unsigned flags);
/// By the numbers of cudaLaunchAttributeID; values have 64 bytes. The priority takes effect; the others are hints
/// about caches and waiting, which are only stored. Throw Failure(invalid_value).
void set_stream_attribute(Stream& stream, int attribute, void const* value);
void get_stream_attribute(Stream const& stream, int attribute, void* value);
void copy_stream_attributes(Stream& to, Stream const& from);
/// Checks the operations and submits them.
void operate_on_values(Process& process, Stream& stream, ValueWork work);

/// Flags: 1 blocking, 2 without time, 4 for other processes, which must be without time and is refused.
void* create_event(Process& process, unsigned flags);
void destroy_event(Process& process, void* handle);
void record_event(Process& process, void* handle, Stream& stream, unsigned flags);
/// Throws Failure(not_ready).
void query_event(Process& process, void* handle);
void synchronize_event(Process& process, void* handle);
float elapsed_milliseconds(Process& process, void* from, void* to);

}  // namespace warpsim::cuda
