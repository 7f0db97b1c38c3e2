#include "runtime/cuda/devices/host_guard.hpp"

#include "runtime/cuda/devices/host_faults.hpp"
#include "runtime/cuda/devices/host_knowledge.hpp"
#include "runtime/cuda/devices/last_thread.hpp"
#include "runtime/cuda/devices/page_key.hpp"
#include "sim/own_thread.hpp"

#include <algorithm>
#include <pthread.h>
#include <sys/mman.h>
#include <thread>
#include <utility>

namespace warpsim::cuda {

namespace {

std::atomic<HostGuard*> the_guard{nullptr};

/// Accesses that are looked at one by one until something changes: each takes some microseconds.
constexpr std::uint32_t most_steps = 4096;

int protection_of(bool is_closed) { return is_closed ? PROT_NONE : PROT_READ; }

/// Pages that follow each other and are alike, at once: set(begin, end, is_closed).
template <class Set> void for_each_run(std::map<std::uint64_t, bool> const& pages, Set const& set) {
    for (auto first = pages.begin(); first != pages.end();) {
        auto last = first;
        std::uint64_t end = first->first + page_bytes;
        for (++last; last != pages.end() && last->first == end && last->second == first->second; ++last)
            end += page_bytes;
        set(first->first, end, first->second);
        first = last;
    }
}

/// Whether some of it is the stack of this thread, on which faults are handled.
bool is_on_stack(std::uint64_t begin, std::uint64_t end) {
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return true;
    void* lowest = nullptr;
    std::size_t bytes = 0;
    pthread_attr_getstack(&attributes, &lowest, &bytes);
    pthread_attr_destroy(&attributes);
    auto const from = reinterpret_cast<std::uint64_t>(lowest);
    return begin < from + bytes && from < end;
}

void open_pages(std::uint64_t begin, std::uint64_t end, bool) {
    set_protection(begin, end, PROT_READ | PROT_WRITE);
}

void close_pages(std::uint64_t begin, std::uint64_t end, bool is_closed) {
    set_protection(begin, end, protection_of(is_closed));
}

}  // namespace

int& HostGuard::Inside::depth() {
    thread_local int depth = 0;
    return depth;
}

bool& HostGuard::Inside::has_rights() {
    thread_local bool has_rights = false;
    return has_rights;
}

void HostGuard::Inside::give_up_rights() {
    has_rights() = false;
    if (PageKey const* const key = PageKey::present()) key->take_back();
}

HostGuard* HostGuard::present() { return the_guard.load(std::memory_order_acquire); }

HostGuard& HostGuard::ask(std::shared_ptr<runtime::HostConflicts> device) {
    if (present() == nullptr) the_guard = new HostGuard;  // never destroyed: a fault may come at any time
    HostGuard& guard = *present();
    std::lock_guard const lock(guard.mutex_);
    if (guard.is_needed_) device->expect_host();
    guard.devices_.push_back(std::move(device));
    return guard;
}

void HostGuard::add(std::uint64_t begin, std::uint64_t bytes) {
    std::lock_guard const lock(mutex_);
    ranges_[begin] = begin + bytes;
    if (is_needed_.exchange(true)) return;
    for (auto const& device : devices_) device->expect_host();
}

void HostGuard::add_own(std::uint64_t begin, std::uint64_t bytes) {
    std::uint64_t const first = page_of(begin + page_bytes - 1), end = page_of(begin + bytes);
    if (first >= end || is_on_stack(first, end)) return;
    add(first, end - first);
    std::lock_guard const lock(mutex_);
    own_.insert(first);
}

void HostGuard::remove(std::uint64_t begin) {
    std::lock_guard const lock(mutex_);
    window_.remove(begin);
    own_.erase(page_of(begin + page_bytes - 1));
    if (ranges_.erase(begin) != 0 || ranges_.erase(page_of(begin + page_bytes - 1)) != 0) update();
}

void HostGuard::work_begins() {
    std::lock_guard const lock(mutex_);
    if (at_work_++ != 0) return window_.forget();
    lift_all();
    // Other threads may have the program's own memory on their stacks, or locks in it that the system uses.
    std::map<std::uint64_t, std::uint64_t> watched;
    for (auto const& range : ranges_)
        if (!own_.contains(range.first)) watched.insert(range);
    if (watched.empty() || threads_of_program() == 1) return;
    catch_host_faults();
    window_.open(watched);
    for (auto const& [begin, end] : lent_)
        for (std::uint64_t page = begin; page < end; page += page_bytes)
            if (window_.is_closed(page)) window_.use(page);
}

void HostGuard::work_ends() {
    std::lock_guard const lock(mutex_);
    if (--at_work_ != 0) return;
    for (runtime::HostTouch const& touch : window_.close()) judge(touch);
    update();
}

void HostGuard::host_will_wait() {
    std::chrono::microseconds time{0};
    {
        std::lock_guard const lock(mutex_);
        if (at_work_ != 0 || protected_.empty()) return;
        time = patience_ / 200;
    }
    if (time.count() == 0 || threads_of_program() == 1) return;
    std::this_thread::sleep_for(time);
    std::lock_guard const lock(mutex_);
    patience_ -= std::min(patience_, time);
}

void HostGuard::host_waits() {
    std::lock_guard const lock(mutex_);
    if (at_work_ == 0 && !protected_.empty()) update();
}

/// Protects what is in use, and nothing else.
void HostGuard::update() {
    if (at_work_ != 0) return;
    std::map<std::uint64_t, bool> wanted;
    runtime::WorkClock const known = HostKnowledge::own().clock();
    for (auto const& device : devices_)
        for (auto const& [begin, end] : ranges_)
            device->for_each_page(begin, end, known,
                                  [&](std::uint64_t page, bool is_written) { wanted[page] |= is_written; });
    for (auto const& [begin, end] : lent_) wanted.erase(wanted.lower_bound(begin), wanted.lower_bound(end));
    steps_left_ = most_steps;
    stepped_.clear();
    if (wanted == protected_) return;
    std::erase_if(protected_, [&](auto const& page) { return wanted.contains(page.first); });
    for_each_run(protected_, open_pages);
    if (!wanted.empty()) catch_host_faults();
    for_each_run(wanted, close_pages);
    protected_ = std::move(wanted);
}

/// Whether some of it is memory that the host shares with devices.
bool HostGuard::is_ours(std::uint64_t begin, std::uint64_t end) const {
    auto const after = ranges_.lower_bound(end);
    return after != ranges_.begin() && std::prev(after)->second > begin;
}

void HostGuard::lift(std::uint64_t page) {
    if (protected_.erase(page) != 0) set_protection(page, page + page_bytes, PROT_READ | PROT_WRITE);
}

void HostGuard::lift_all() {
    for_each_run(std::exchange(protected_, {}), open_pages);
    stepped_.clear();
}

void HostGuard::judge(runtime::HostTouch const& touch) {
    runtime::WorkClock const known = HostKnowledge::own().clock();
    for (auto const& device : devices_) device->host_touches(touch, known);
}

bool HostGuard::opens_for_own(std::uint64_t address) {
    if (!is_own_thread()) return false;
    std::lock_guard const lock(mutex_);
    std::uint64_t const page = page_of(address);
    if (!window_.has(page)) return false;
    if (window_.is_closed(page)) window_.use(page);
    return true;
}

bool HostGuard::is_own_thread() { return Inside::depth() != 0 || sim::OwnThread::is_present(); }

void HostGuard::opens_for_step(std::uint64_t address) {
    std::lock_guard const lock(mutex_);
    if (window_.is_closed(page_of(address))) WorkWindow::open_for_step(page_of(address));
}

HostGuard::Fault HostGuard::fault(runtime::HostTouch const& touch, bool is_by_key) {
    bool const is_own = is_own_thread();
    Inside const inside;  // to find a line of source files are read
    std::lock_guard const lock(mutex_);
    std::uint64_t const page = page_of(touch.address);
    if (window_.is_closed(page)) {
        if (is_own) {
            if (is_by_key) return Fault::own_by_key;
            window_.use(page);
            return Fault::permitted;
        }
        if (!window_.keep(touch)) return Fault::permitted;
        if (is_by_key) return Fault::step_by_key;
        WorkWindow::open_for_step(page);
        return Fault::single_step;
    }
    auto const found = protected_.find(page);
    if (found == protected_.end()) {
        return is_ours(page, page + page_bytes) ? Fault::gone : Fault::foreign;
    }
    bool const is_closed = found->second;
    lift(page);
    if (is_own) return Fault::permitted;
    judge(touch);
    if (steps_left_ == 0) return Fault::permitted;
    --steps_left_;
    stepped_[page] = is_closed;
    return Fault::single_step;
}

void HostGuard::protect_again(std::uint64_t page) {
    std::lock_guard const lock(mutex_);
    bool const is_lent = std::any_of(
        lent_.begin(), lent_.end(), [&](auto const& range) { return range.first <= page && page < range.second; });
    if (is_lent) return;
    window_.close_again(page);
    auto const found = stepped_.find(page);
    if (found == stepped_.end()) return;  // something has changed since
    set_protection(page, page + page_bytes, protection_of(found->second));
    protected_[page] = found->second;
    stepped_.erase(found);
}

bool HostGuard::lend(std::uint64_t begin, std::uint64_t bytes, runtime::HostTouch const& touch) {
    if (is_own_thread()) return false;
    Inside const inside;
    std::lock_guard const lock(mutex_);
    if (!is_ours(begin, begin + bytes)) return false;
    lent_.emplace(page_of(begin), page_of(begin + bytes + page_bytes - 1));
    for (std::uint64_t page = page_of(begin); page < begin + bytes; page += page_bytes) {
        runtime::HostTouch part = touch;
        part.address = std::max(begin, page);
        part.bytes = static_cast<std::uint32_t>(std::min(begin + bytes, page + page_bytes) - part.address);
        if (window_.is_closed(page)) {
            window_.keep(part);
            window_.use(page);
            continue;
        }
        auto const found = protected_.find(page);
        if (found == protected_.end() || (!touch.is_write && !found->second)) continue;
        lift(page);
        judge(part);
    }
    return true;
}

void HostGuard::take_back(std::uint64_t begin, std::uint64_t bytes) {
    std::lock_guard const lock(mutex_);
    std::uint64_t const end = page_of(begin + bytes + page_bytes - 1);
    auto const [first, last] = lent_.equal_range(page_of(begin));
    auto const found = std::find_if(first, last, [&](auto const& range) { return range.second == end; });
    if (found != last) lent_.erase(found);
}

}  // namespace warpsim::cuda
