#include "runtime/cuda/devices/gpu.hpp"

#include "runtime/cuda/devices/attributes.hpp"
#include "runtime/cuda/devices/eager_queue.hpp"
#include "runtime/log.hpp"
#include "sim/error.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string_view>

namespace warpsim::cuda {

namespace {

/// As CUDA programs know it.
Result result_of_fault(FaultKind kind) {
    switch (kind) {
        case FaultKind::misaligned_address: return Result::misaligned_address;
        case FaultKind::illegal_address:
        case FaultKind::stack_overflow: return Result::illegal_address;
        case FaultKind::wrong_address_space: return Result::invalid_address_space;
        case FaultKind::illegal_call: return Result::invalid_pc;
        case FaultKind::time_limit: return Result::launch_timeout;
        case FaultKind::assertion: return Result::assertion;
        default: return Result::launch_failed;
    }
}

}  // namespace

Gpu::Gpu(int number, sim::Config const& config, runtime::DeviceOptions const& options, runtime::Session& session,
         std::string fault_marker)
    : ordinal(number),
      device(config, with_own(options)),
      owned_queue_(make_queue(options)),
      queue(*owned_queue_),
      session_(session),
      timeline_(session.timeline() != nullptr ? &session.timeline()->device(static_cast<std::size_t>(number))
                                              : nullptr),
      fault_marker_(std::move(fault_marker)) {
    legacy.order.is_legacy = true;
}

std::unique_ptr<Queue> Gpu::make_queue(runtime::DeviceOptions const& options) {
    if (options.mode != runtime::Mode::timing) {
        auto eager = std::make_unique<EagerQueue>();
        if (!options.work_begins) return eager;
        auto ordered =
            std::make_unique<OrderedQueue>(std::move(eager), options.work_begins, options.host_conflicts);
        ordered_ = ordered.get();
        return ordered;
    }
    // A configuration without it cannot run kernels in timing mode; the first launch says so.
    auto const& launch = device.config().launch;
    TimedQueue::Time const call = launch ? TimedQueue::Time{launch->host_call_ns} * 1000 : 0;
    auto made = std::make_unique<TimedQueue>([this](TimedQueue::Time until) { return advance(until); }, call);
    timed_ = made.get();
    return made;
}

/// What the device tells of the grids that kernels launch, and kernels of the device.
runtime::DeviceOptions Gpu::with_own(runtime::DeviceOptions options) {
    options.child_launched = [this](runtime::LaunchResult const& result) { session_.launched(result, {ordinal}); };
    if (options.host_conflicts) options.waits_for_host = [this] { queue.may_wait_for_host(); };
    options.ordinal = ordinal;
    options.attribute = [this](int which) { return attribute(device.config(), which, ordinal); };
    return options;
}

void Gpu::check() const {
    Result const failure = failure_.load();
    if (failure != Result::success) throw Failure(failure);
}

void Gpu::fail(std::string const& report, Result result) {
    log::error(report.ends_with('\n') ? std::string_view(report).substr(0, report.size() - 1) : report);
    failure_ = result;
    if (fault_marker_.empty()) return;
    if (std::FILE* const file = std::fopen(fault_marker_.c_str(), "w")) std::fclose(file);
}

void Gpu::attempt(std::function<void()> const& task) {
    if (failure_.load() != Result::success) return;
    try {
        task();
    } catch (Failure const& failure) {
        failure_ = failure.result();
    } catch (FaultError const& error) {
        fail(error.what(), result_of_fault(error.fault()));
    } catch (Error const& error) {
        fail(error.what(), Result::launch_failed);
    } catch (std::exception const& error) {
        fail(std::string("internal error: ") + error.what(), Result::unknown);
    }
}

void Gpu::submit(Stream& stream, std::function<void()> task, Queue::Condition condition) {
    queue.submit(
        stream.order, [this, task = std::move(task)] { attempt(task); }, std::move(condition));
}

timeline::Origin Gpu::timeline_origin(Stream const& stream) {
    if (timeline_ == nullptr) return {};
    // The default stream comes first.
    std::uint64_t const number = stream.order.is_legacy ? 1 : 2 + stream.id;
    timeline_->name_stream(number,
                           stream.order.is_legacy ? "default stream" : "stream " + std::to_string(stream.id));
    return {number, timeline::present_call()};
}

namespace {

std::string name_of(runtime::TimedCopy::Way way) {
    switch (way) {
        case runtime::TimedCopy::Way::to_device: return "copy to the device";
        case runtime::TimedCopy::Way::to_host: return "copy to the host";
        case runtime::TimedCopy::Way::inside: return "copy inside the device";
        case runtime::TimedCopy::Way::fill: break;
    }
    return "fill";
}

}  // namespace

std::function<void()> Gpu::telling(Stream& stream, runtime::TimedCopy const& copy, std::function<void()> task) {
    if (timeline_ == nullptr) return task;
    return [this, origin = timeline_origin(stream), copy, task = std::move(task)] {
        std::uint64_t const from = timeline_->now_ps();
        task();
        timeline_->work(origin, name_of(copy.way), copy.bytes, from, timeline_->now_ps());
    };
}

void Gpu::submit(Stream& stream, runtime::TimedCopy const& copy, std::function<void()> task) {
    if (timed_ == nullptr) return submit(stream, telling(stream, copy, std::move(task)));
    auto const begun_at = std::make_shared<TimedQueue::Time>();
    timed_->submit(
        stream.order,
        [this, copy, begun_at](TimedQueue::Time at) {
            *begun_at = at;
            TimedQueue::Begun begun{at};
            attempt([&] { begun.ticket = device.begin_copy(copy, at); });
            return begun;
        },
        [this, copy, begun_at, origin = timeline_origin(stream), task = std::move(task)] {
            attempt(task);
            if (timeline_ != nullptr)
                timeline_->work(origin, name_of(copy.way), copy.bytes, *begun_at, timed_->now());
        });
}

void Gpu::submit_parts(Stream& stream, Parts next) {
    timed_->submit(stream.order,
                   [this, &stream, next = std::move(next)](TimedQueue::Time at) {
                       begin_part(stream, next, 0);
                       return TimedQueue::Begun{at, 0, true};
                   },
                   {});
}

/// A part has a stream of its own, which must live until the last of its tasks, also when the device has failed.
void Gpu::begin_part(Stream& stream, Parts const& next, unsigned number) {
    auto part = std::make_shared<Stream>(*this);
    part->order.is_blocking = false;
    part->priority = stream.priority;
    bool is_one = false;
    attempt([&] { is_one = next(*part, number); });
    queue.submit(part->order, [this, &stream, next, number, part, is_one] {
        if (is_one) begin_part(stream, next, number + 1);
        else timed_->end(stream.order);
    });
}

void Gpu::submit_for_host(Stream& stream, std::function<void()> task) {
    submit(stream, [this, task = std::move(task)] { tell_host(task); });
}

void Gpu::tell_host(std::function<void()> const& task) {
    if (ordered_ != nullptr) {
        ordered_->tell_host();
        ordered_->may_wait_for_host();
    }
    task();
}

void Gpu::run(Stream& stream, runtime::TimedCopy const& copy, std::function<void()> task) {
    if (timed_ == nullptr) {
        queue.run(stream.order, [this, task = telling(stream, copy, std::move(task))] { attempt(task); });
    } else {
        submit(stream, copy, std::move(task));
        queue.wait(stream.order);
    }
    check();
}

std::unique_ptr<TimedQueue::HostCall> Gpu::one_call() {
    return timed_ == nullptr ? nullptr : std::make_unique<TimedQueue::HostCall>(*timed_);
}

std::optional<std::vector<runtime::Device::Ended>> Gpu::advance(TimedQueue::Time until) {
    std::optional<std::vector<runtime::Device::Ended>> ended;
    attempt([&] { ended = device.advance(until); });
    return ended;
}

void Gpu::wait(Stream& stream) {
    queue.wait(stream.order);
    check();
}

void Gpu::wait_all() {
    queue.wait_all();
    check();
}

void Gpu::launch(Stream& stream, std::shared_ptr<runtime::Module> module, std::string kernel,
                 runtime::LaunchShape const& shape, runtime::Arguments arguments, int priority) {
    if (timed_ != nullptr) {
        timed_->submit(stream.order,
                       [this, module = std::move(module), kernel = std::move(kernel), shape,
                        arguments = std::move(arguments), priority, place = place_of(stream),
                        origin = timeline_origin(stream)](TimedQueue::Time at) {
                           TimedQueue::Begun begun{at};
                           timeline::DeviceTimeline::set_origin(origin);
                           attempt([&] {
                               begun.ticket = device.begin_launch(
                                   module, kernel, shape, arguments, -priority, at,
                                   [this, place](auto const& result) { session_.launched(result, place); });
                           });
                           return begun;
                       },
                       {});
        return;
    }
    submit(stream, [this, module = std::move(module), kernel = std::move(kernel), shape,
                    arguments = std::move(arguments), place = place_of(stream), origin = timeline_origin(stream)] {
        timeline::DeviceTimeline::set_origin(origin);
        session_.launched(device.launch(*module, kernel, shape, arguments), place);
    });
}

void Gpu::execute(runtime::Module& module, std::string_view kernel, runtime::LaunchShape const& shape,
                  runtime::Arguments const& arguments) {
    session_.launched(device.launch(module, kernel, shape, arguments), {ordinal});
}

statistics::LaunchPlace Gpu::place_of(Stream const& stream) const {
    statistics::LaunchPlace place{ordinal};
    if (!stream.order.is_legacy) place.stream += stream.id;
    return place;
}

void Gpu::record(std::shared_ptr<Event> const& event, Stream& stream) {
    std::uint64_t const number = ++event->recorded;
    event->device = ordinal;
    // An event is reached also on a device that has failed: nobody must wait for it for ever.
    queue.submit(stream.order, [this, event, number] {
        event->time_ns = now_ns();
        event->completed = number;
    });
    if (ordered_ != nullptr) event->follows = ordered_->clock_of(stream.order);
}

void Gpu::wait_for(Event& event) {
    std::uint64_t const wanted = event.recorded;
    queue.wait_until([&] { return event.completed >= wanted; });
    host_follows(event);
    check();
}

void Gpu::follow(Stream& stream, Event const& event) {
    if (ordered_ != nullptr) ordered_->follow(stream.order, event.follows);
}

void Gpu::follow_all(Stream& stream) {
    if (ordered_ != nullptr) ordered_->follow_all(stream.order);
}

void Gpu::host_follows(Event const& event) {
    if (ordered_ != nullptr) ordered_->host_follows(event.follows);
}

void Gpu::finish() {
    if (timed_ == nullptr) return;
    timed_->finish();
    attempt([this] { device.settle(); });
}

void Gpu::tell_of_clock() const {
    if (timed_ != nullptr) return;
    log::warning_once("clock",
                      "in functional mode events tell the host's time, not a GPU's; --mode timing simulates "
                      "that");
}

std::uint64_t Gpu::host_ps() const {
    if (timeline_ == nullptr) return 0;
    return timed_ != nullptr ? timed_->host_time() : timeline_->now_ps();
}

std::uint64_t Gpu::now_ns() const {
    if (timed_ != nullptr) return timed_->now() / 1000;
    auto const now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

}  // namespace warpsim::cuda
