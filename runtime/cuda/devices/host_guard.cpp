#include "runtime/cuda/devices/host_guard.hpp"

#include "runtime/cuda/devices/host_faults.hpp"

#include <algorithm>
#include <pthread.h>
#include <sys/mman.h>
#include <utility>

namespace warpsim::cuda {

namespace {

std::atomic<HostGuard*> the_guard{nullptr};

/// Accesses that are looked at one by one until something changes: each takes some microseconds.
constexpr std::uint32_t most_steps = 4096;

constexpr std::uint64_t page_of(std::uint64_t address) { return address & ~(HostGuard::page_bytes - 1); }

void set_protection(std::uint64_t begin, std::uint64_t end, int protection) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): device addresses are host addresses
    mprotect(reinterpret_cast<void*>(begin), end - begin, protection);
}

int protection_of(bool is_closed) { return is_closed ? PROT_NONE : PROT_READ; }

/// Pages that follow each other and are alike, at once: set(begin, end, is_closed).
template <class Set> void for_each_run(std::map<std::uint64_t, bool> const& pages, Set const& set) {
    for (auto first = pages.begin(); first != pages.end();) {
        auto last = first;
        std::uint64_t end = first->first + HostGuard::page_bytes;
        for (++last; last != pages.end() && last->first == end && last->second == first->second; ++last)
            end += HostGuard::page_bytes;
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

HostGuard* HostGuard::present() { return the_guard.load(std::memory_order_acquire); }

HostGuard& HostGuard::ask(std::shared_ptr<runtime::HostConflicts> device,
                          std::function<runtime::WorkClock()> host) {
    if (present() == nullptr) the_guard = new HostGuard;  // never destroyed: a fault may come at any time
    HostGuard& guard = *present();
    std::lock_guard const lock(guard.mutex_);
    if (guard.is_needed_) device->expect_host();
    guard.devices_.push_back({std::move(device), std::move(host)});
    return guard;
}

void HostGuard::add(std::uint64_t begin, std::uint64_t bytes) {
    std::lock_guard const lock(mutex_);
    ranges_[begin] = begin + bytes;
    if (is_needed_.exchange(true)) return;
    for (Device const& device : devices_) device.conflicts->expect_host();
}

void HostGuard::add_own(std::uint64_t begin, std::uint64_t bytes) {
    std::uint64_t const first = page_of(begin + page_bytes - 1), end = page_of(begin + bytes);
    if (first < end && !is_on_stack(first, end)) add(first, end - first);
}

void HostGuard::remove(std::uint64_t begin) {
    std::lock_guard const lock(mutex_);
    if (ranges_.erase(begin) != 0 || ranges_.erase(page_of(begin + page_bytes - 1)) != 0) update();
}

void HostGuard::work_begins() {
    std::lock_guard const lock(mutex_);
    if (at_work_++ == 0) lift_all();
}

void HostGuard::work_ends() {
    std::lock_guard const lock(mutex_);
    if (--at_work_ == 0) update();
}

void HostGuard::host_waits() {
    std::lock_guard const lock(mutex_);
    if (at_work_ == 0 && !protected_.empty()) update();
}

runtime::WorkClock HostGuard::host() const {
    runtime::WorkClock all;
    for (Device const& device : devices_) all.add(device.host());
    return all;
}

/// Protects what is in use, and nothing else.
void HostGuard::update() {
    if (at_work_ != 0) return;
    std::map<std::uint64_t, bool> wanted;
    runtime::WorkClock const known = host();
    for (Device const& device : devices_)
        for (auto const& [begin, end] : ranges_)
            device.conflicts->for_each_page(
                begin, end, known, [&](std::uint64_t page, bool is_written) { wanted[page] |= is_written; });
    steps_left_ = most_steps;
    stepped_.clear();
    if (wanted == protected_) return;
    std::erase_if(protected_, [&](auto const& page) { return wanted.contains(page.first); });
    for_each_run(protected_, open_pages);
    if (!wanted.empty()) catch_host_faults();
    for_each_run(wanted, close_pages);
    protected_ = std::move(wanted);
}

void HostGuard::lift(std::uint64_t page) {
    if (protected_.erase(page) != 0) set_protection(page, page + page_bytes, PROT_READ | PROT_WRITE);
}

void HostGuard::lift_all() {
    for_each_run(std::exchange(protected_, {}), open_pages);
    stepped_.clear();
}

void HostGuard::judge(runtime::HostTouch const& touch) {
    runtime::WorkClock const known = host();
    for (Device const& device : devices_) device.conflicts->host_touches(touch, known);
}

HostGuard::Fault HostGuard::fault(runtime::HostTouch const& touch) {
    bool const is_own = Inside::depth() != 0;
    Inside const inside;  // to find a line of source files are read
    std::lock_guard const lock(mutex_);
    std::uint64_t const page = page_of(touch.address);
    auto const found = protected_.find(page);
    if (found == protected_.end()) {
        auto const after = ranges_.upper_bound(page + page_bytes - 1);
        bool const is_ours = after != ranges_.begin() && std::prev(after)->second > page;
        return is_ours ? Fault::gone : Fault::foreign;
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
    auto const found = stepped_.find(page);
    if (found == stepped_.end()) return;  // something has changed since
    set_protection(page, page + page_bytes, protection_of(found->second));
    protected_[page] = found->second;
    stepped_.erase(found);
}

void HostGuard::permit(std::uint64_t begin, std::uint64_t bytes, bool is_write, runtime::HostTouch const& touch) {
    if (bytes == 0 || Inside::depth() != 0) return;
    Inside const inside;
    std::lock_guard const lock(mutex_);
    std::vector<std::uint64_t> pages;
    for (auto at = protected_.lower_bound(page_of(begin)); at != protected_.end() && at->first < begin + bytes;
         ++at)
        if (is_write || at->second) pages.push_back(at->first);
    if (pages.empty()) return;
    runtime::HostTouch part = touch;
    part.is_write = is_write;
    for (std::uint64_t const page : pages) {
        lift(page);
        part.address = std::max(begin, page);
        part.bytes = static_cast<std::uint32_t>(std::min(begin + bytes, page + page_bytes) - part.address);
        judge(part);
    }
}

}  // namespace warpsim::cuda
