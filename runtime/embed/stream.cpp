#include "runtime/embed/stream.hpp"

#include "sim/error.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace warpsim::embed {

Queue::Queue(runtime::Device& device, bool is_timed, Owner owner)
    : device_(device), is_timed_(is_timed), owner_(std::move(owner)) {}

std::shared_ptr<Stream> Queue::make_stream(int priority) { return std::make_shared<Stream>(++streams_, priority); }

/// Tells checkers what the work that begins now follows. What is in no stream follows everything, and the host waits for it.
void Queue::begin(Stream* stream) {
    if (!owner_.work_begins || streams_ == 0) return;
    runtime::WorkOrder order;
    if (stream == nullptr) {
        host_.add(all_);
        order.host = host_;
        order.follows = host_;
    } else {
        stream->clock_.add(host_);
        order.stream = stream->number_;
        order.number = ++stream->works_;
        order.name = "stream " + std::to_string(stream->number_);
        order.follows = stream->clock_;
        order.host = host_;
        order.is_alone = false;
        stream->clock_.raise(stream->number_, stream->works_);
        all_.add(stream->clock_);
    }
    owner_.work_begins(order);
}

std::shared_ptr<Work> Queue::add(Stream& stream) {
    // What was in no stream has taken its time.
    if (works_.empty()) now_ = std::max(now_, device_.quiet_time());
    auto work = std::make_shared<Work>();
    work->after_ = std::exchange(stream.after_, {work});
    work->begin_ = now_;
    work->clock_ = stream.clock_;
    works_.push_back(work);
    return work;
}

std::shared_ptr<Work> Queue::submit(Stream& stream, Order order) {
    device_.check(*order.module, order.kernel, order.shape, order.arguments.bytes().size());
    std::shared_ptr<Work> work = add(stream);
    work->is_launch_ = true;
    work->start_ = [this, one = work.get(), priority = stream.priority_,
                    order = std::move(order)](std::uint64_t at) {
        return device_.begin_launch(
            order.module, order.kernel, order.shape, order.arguments, priority, at,
            [this, one](runtime::LaunchResult const& counts) { one->launch_ = owner_.record(counts); });
    };
    return work;
}

std::shared_ptr<Work> Queue::done(Stream& stream, std::shared_ptr<Launch> launch) {
    auto work = std::make_shared<Work>();
    work->state_ = Work::State::over;
    work->launch_ = std::move(launch);
    work->clock_ = stream.clock_;
    return work;
}

std::shared_ptr<Work> Queue::copy(Stream& stream, runtime::TimedCopy const& copy, std::function<void()> move) {
    if (!is_timed_) {
        begin(&stream);
        move();
        return done(stream, nullptr);
    }
    std::shared_ptr<Work> work = add(stream);
    work->start_ = [this, copy](std::uint64_t at) { return device_.begin_copy(copy, at); };
    work->at_end_ = std::move(move);
    return work;
}

std::shared_ptr<Work> Queue::record(Stream& stream) { return is_timed_ ? add(stream) : done(stream, nullptr); }

void Queue::wait(Stream& stream, std::shared_ptr<Work> const& point) {
    stream.clock_.add(point->clock_);
    if (!point->is_over()) stream.after_.push_back(point);
}

void Queue::end(Work& work, std::uint64_t at) {
    work.end_ = at;
    work.state_ = Work::State::ended;
    if (work.at_end_) std::exchange(work.at_end_, {})();
}

/// Begins what waits for nothing any more.
void Queue::start_ready() {
    for (bool is_changed = true; std::exchange(is_changed, false);) {
        for (std::shared_ptr<Work> const& work : works_) {
            if (work->state_ != Work::State::waiting) continue;
            bool const waits = std::any_of(work->after_.begin(), work->after_.end(), [](auto const& w) {
                return w->state_ == Work::State::waiting || w->state_ == Work::State::running;
            });
            if (waits) continue;
            std::uint64_t at = work->begin_;
            for (std::shared_ptr<Work> const& before : work->after_) at = std::max(at, before->end_);
            work->after_.clear();
            work->begin_ = work->start_ ? std::max(at, now_) : at;
            work->state_ = Work::State::running;
            if (work->start_) work->ticket_ = std::exchange(work->start_, {})(work->begin_);
            if (work->ticket_ == 0) {
                end(*work, work->begin_);
                is_changed = true;
            }
        }
    }
    std::erase_if(works_, [](std::shared_ptr<Work> const& work) {
        bool const is_over = work->state_ == Work::State::ended && (!work->is_launch_ || work->launch_ != nullptr);
        if (!is_over) return false;
        if (work->launch_) {
            work->launch_->begin = work->begin_;
            work->launch_->end = work->end_;
        }
        work->state_ = Work::State::over;
        return true;
    });
}

void Queue::fail(std::exception_ptr const& error) {
    for (std::shared_ptr<Work> const& work : std::exchange(works_, {})) {
        work->error_ = error;
        work->start_ = nullptr;
        work->after_.clear();
        work->state_ = Work::State::over;
    }
}

void Queue::advance() {
    start_ready();
    if (works_.empty()) return;
    bool const is_running = std::any_of(works_.begin(), works_.end(),
                                        [](auto const& work) { return work->state_ == Work::State::running; });
    // Of kernels that have ended everything is known a little later.
    if (!is_running) return device_.settle();
    for (runtime::Device::Ended const& ended : device_.advance(UINT64_MAX)) {
        now_ = std::max(now_, ended.at);
        for (std::shared_ptr<Work> const& work : works_)
            if (work->state_ == Work::State::running && work->ticket_ == ended.ticket) end(*work, ended.at);
    }
}

/// Until something more is known.
void Queue::go_on() {
    try {
        owner_.guard([this] {
            advance();
            start_ready();
        });
    } catch (...) {
        fail(std::current_exception());
        throw;
    }
}

void Queue::finish(Work const& work) {
    host_.add(work.clock_);
    while (!work.is_over() && !works_.empty()) go_on();
}

void Queue::finish_all() {
    host_.add(all_);
    while (!works_.empty()) go_on();
}

}  // namespace warpsim::embed
