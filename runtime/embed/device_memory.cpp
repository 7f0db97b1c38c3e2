// Memory and streams of an embedded device.
#include "runtime/embed/device.hpp"
#include "runtime/embed/operation.hpp"
#include "sim/error.hpp"
#include "sim/hexadecimal.hpp"

#include <bit>
#include <cstring>
#include <utility>

namespace warpsim::embed {

namespace {

// Device memory is memory of this process.
std::byte* bytes_at(runtime::DevicePointer address) { return std::bit_cast<std::byte*>(address); }

runtime::TimedCopy::Area area(runtime::DevicePointer at, std::size_t bytes) { return {at, bytes, 1, 0}; }

}  // namespace

void Device::write(runtime::DevicePointer to, void const* from, std::size_t bytes) {
    Operation const operation(*this);
    queue_->finish_all();
    queue_->begin(nullptr);
    device_->write(to, from, bytes);
}

void Device::read(void* to, runtime::DevicePointer from, std::size_t bytes) {
    Operation const operation(*this);
    queue_->finish_all();
    queue_->begin(nullptr);
    device_->read(to, from, bytes);
}

void Device::check_allocated(runtime::DevicePointer at, std::uint64_t bytes) const {
    if (bytes == 0 || device_->is_allocated(at, bytes)) return;
    throw Error(ErrorKind::launch, "cannot copy " + std::to_string(bytes) + " bytes: those at " +
                                       sim::hexadecimal(at) + " are not all in one allocation");
}

void Device::copy_now(runtime::DevicePointer to, runtime::DevicePointer from, std::uint64_t bytes) {
    if (bytes == 0) return;
    std::memmove(bytes_at(to), bytes_at(from), bytes);
    device_->tell_moved(to, from, bytes);
}

void Device::copy(runtime::DevicePointer to, runtime::DevicePointer from, std::uint64_t bytes) {
    Operation const operation(*this);
    queue_->finish_all();
    queue_->begin(nullptr);
    check_allocated(to, bytes);
    check_allocated(from, bytes);
    copy_now(to, from, bytes);
}

/// Whoever gives memory back may be inside of an operation, and need not know of it.
void Device::free(runtime::DevicePointer pointer) {
    {
        std::lock_guard const lock(mutex_);
        if (!is_idle_) {
            unused_.push_back(pointer);
            return;
        }
    }
    device_->free(pointer);
}

/// An operation ends.
void Device::settle_idle() {
    std::vector<runtime::DevicePointer> unused;
    {
        std::lock_guard const lock(mutex_);
        is_idle_ = queue_->is_idle();
        if (is_idle_) unused = std::exchange(unused_, {});
    }
    for (runtime::DevicePointer const pointer : unused) device_->free(pointer);
}

std::shared_ptr<Stream> Device::make_stream(int priority) {
    Operation const operation(*this);
    return queue_->make_stream(priority);
}

std::shared_ptr<Work> Device::submit(Stream& stream, Queue::Order const& order) {
    Operation const operation(*this);
    if (about_->session.mode == "timing") return queue_->submit(stream, order);
    std::shared_ptr<Launch> launch = launch_now(&stream, order);
    return queue_->done(stream, std::move(launch));
}

std::shared_ptr<Work> Device::submit_write(Stream& stream, runtime::DevicePointer to, void const* from,
                                           std::size_t bytes) {
    Operation const operation(*this);
    check_allocated(to, bytes);
    auto const* const begin = static_cast<std::byte const*>(from);
    std::vector<std::byte> kept(begin, begin + bytes);
    runtime::TimedCopy const copy{runtime::TimedCopy::Way::to_device, true, bytes, {}, area(to, bytes)};
    return queue_->copy(stream, copy,
                        [this, to, kept = std::move(kept)] { device_->write(to, kept.data(), kept.size()); });
}

std::shared_ptr<Work> Device::submit_read(Stream& stream, void* to, runtime::DevicePointer from,
                                          std::size_t bytes) {
    Operation const operation(*this);
    check_allocated(from, bytes);
    runtime::TimedCopy const copy{runtime::TimedCopy::Way::to_host, true, bytes, area(from, bytes), {}};
    return queue_->copy(stream, copy, [this, to, from, bytes] { device_->read(to, from, bytes); });
}

std::shared_ptr<Work> Device::submit_copy(Stream& stream, runtime::DevicePointer to, runtime::DevicePointer from,
                                          std::size_t bytes) {
    Operation const operation(*this);
    check_allocated(to, bytes);
    check_allocated(from, bytes);
    runtime::TimedCopy const copy{runtime::TimedCopy::Way::inside, false, bytes, area(from, bytes),
                                  area(to, bytes)};
    return queue_->copy(stream, copy, [this, to, from, bytes] { copy_now(to, from, bytes); });
}

std::shared_ptr<Work> Device::record(Stream& stream) {
    Operation const operation(*this);
    return queue_->record(stream);
}

void Device::wait(Stream& stream, std::shared_ptr<Work> const& point) {
    Operation const operation(*this);
    queue_->wait(stream, point);
}

void Device::finish(Work const& work) {
    Operation const operation(*this);
    queue_->finish(work);
}

void Device::finish_all() {
    Operation const operation(*this);
    queue_->finish_all();
}

}  // namespace warpsim::embed
