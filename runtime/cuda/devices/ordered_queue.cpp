#include "runtime/cuda/devices/ordered_queue.hpp"

#include "runtime/cuda/devices/host_knowledge.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace warpsim::cuda {

using runtime::WorkClock;
using runtime::WorkOrder;

OrderedQueue::OrderedQueue(std::unique_ptr<Queue> queue, Told told,
                           std::shared_ptr<runtime::HostConflicts> conflicts)
    : told_(std::move(told)), queue_(std::move(queue)) {
    if (conflicts == nullptr) return;
    guard_ = &HostGuard::ask(std::move(conflicts));
}

OrderedQueue::Known& OrderedQueue::known(StreamOrder& stream) {
    static std::atomic<std::uint64_t> last{0};  // of all devices: events tell one of the other
    if (stream.number == 0) stream.number = ++last;
    Known& known = streams_[stream.number];
    known.is_legacy = stream.is_legacy;
    known.is_blocking = stream.is_blocking;
    return known;
}

WorkOrder OrderedQueue::begin(StreamOrder& stream) {
    std::lock_guard const lock(mutex_);
    Known& own = known(stream);
    WorkClock host = HostKnowledge::own().clock();
    own.clock.add(host);
    for (auto const& [number, other] : streams_) {
        bool const is_before = (own.is_legacy && other.is_blocking) || (other.is_legacy && own.is_blocking);
        if (is_before) own.clock.add(other.clock);
    }
    WorkOrder order;
    order.stream = stream.number;
    if (std::exchange(stream.next_overlaps, false)) order.overlaps = own.works;
    order.number = ++own.works;
    order.name = own.is_legacy ? "the default stream" : "stream " + std::to_string(stream.number);
    order.follows = own.clock;
    order.host = std::move(host);
    order.is_alone = streams_.size() == 1;
    own.clock.raise(stream.number, own.works);
    return order;
}

Queue::Task OrderedQueue::telling(StreamOrder& stream, Task task) {
    return [this, order = begin(stream), task = std::move(task)] {
        if (guard_ != nullptr) guard_->work_begins();
        {
            std::lock_guard const lock(mutex_);
            at_work_ = order.follows;
        }
        told_(order);
        task();
        told_({});
        if (guard_ != nullptr) guard_->work_ends();
    };
}

void OrderedQueue::submit(StreamOrder& stream, Task task, Condition condition) {
    queue_->submit(stream, telling(stream, std::move(task)), std::move(condition));
    // What the host does next is judged by what the work has done.
    if (guard_ != nullptr && guard_->is_needed()) queue_->catch_up();
}

void OrderedQueue::run(StreamOrder& stream, Task task) {
    queue_->run(stream, telling(stream, std::move(task)));
    host_follows(stream);
}

void OrderedQueue::host_follows(StreamOrder& stream) {
    if (guard_ != nullptr) guard_->host_will_wait();
    {
        std::lock_guard const lock(mutex_);
        Known const& own = known(stream);
        for (auto const& [number, other] : streams_)
            if (number == stream.number || (own.is_legacy && other.is_blocking))
                HostKnowledge::own().add(other.clock);
    }
    if (guard_ != nullptr) guard_->host_waits();
}

void OrderedQueue::wait(StreamOrder& stream) {
    queue_->wait(stream);
    host_follows(stream);
}

void OrderedQueue::wait_all() {
    queue_->wait_all();
    if (guard_ != nullptr) guard_->host_will_wait();
    {
        std::lock_guard const lock(mutex_);
        for (auto const& [number, stream] : streams_) HostKnowledge::own().add(stream.clock);
    }
    if (guard_ != nullptr) guard_->host_waits();
}

bool OrderedQueue::is_done(StreamOrder& stream) {
    bool const is_so = queue_->is_done(stream);
    if (is_so) host_follows(stream);
    return is_so;
}

WorkClock OrderedQueue::clock_of(StreamOrder& stream) {
    std::lock_guard const lock(mutex_);
    return known(stream).clock;
}

void OrderedQueue::follow(StreamOrder& stream, WorkClock const& what) {
    std::lock_guard const lock(mutex_);
    known(stream).clock.add(what);
}

void OrderedQueue::follow_all(StreamOrder& stream) {
    std::lock_guard const lock(mutex_);
    WorkClock all;
    for (auto const& [number, other] : streams_) all.add(other.clock);
    known(stream).clock.add(all);
}

void OrderedQueue::host_follows(WorkClock const& what) {
    if (guard_ != nullptr) guard_->host_will_wait();
    HostKnowledge::own().add(what);
    if (guard_ != nullptr) guard_->host_waits();
}

void OrderedQueue::tell_host() {
    std::lock_guard const lock(mutex_);
    HostKnowledge::own().add(at_work_);
}

}  // namespace warpsim::cuda
