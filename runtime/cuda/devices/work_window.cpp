#include "runtime/cuda/devices/work_window.hpp"

#include "runtime/cuda/devices/page_key.hpp"

#include <iterator>
#include <sys/mman.h>
#include <utility>

namespace warpsim::cuda {

namespace {

/// Each page that is opened costs some microseconds, and the system a mapping of its own.
constexpr std::size_t most_opened = 2048;
/// Accesses that are kept: to find where each was made takes some ten microseconds.
constexpr std::size_t most_kept = 1024;

void close_all(std::uint64_t begin, std::uint64_t end) {
    if (PageKey const* const key = PageKey::present()) key->close(begin, end);
    else set_protection(begin, end, PROT_NONE);
}

void open_all(std::uint64_t begin, std::uint64_t end) {
    if (PageKey const* const key = PageKey::present()) key->open(begin, end);
    else set_protection(begin, end, PROT_READ | PROT_WRITE);
}

}  // namespace

void set_protection(std::uint64_t begin, std::uint64_t end, int protection) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): device addresses are host addresses
    mprotect(reinterpret_cast<void*>(begin), end - begin, protection);
}

void WorkWindow::open(std::map<std::uint64_t, std::uint64_t> const& ranges) {
    for (auto const& [begin, end] : ranges) {
        std::uint64_t const first = page_of(begin), last = page_of(end + page_bytes - 1);
        close_all(first, last);
        ranges_[first] = last;
    }
}

void WorkWindow::lift_all() {
    for (auto const& [begin, end] : ranges_) open_all(begin, end);
    ranges_.clear();
    opened_.clear();
}

std::vector<runtime::HostTouch> WorkWindow::close() {
    lift_all();
    return std::exchange(touches_, {});
}

void WorkWindow::remove(std::uint64_t begin) {
    auto const found = ranges_.find(page_of(begin));
    if (found == ranges_.end()) return;
    open_all(found->first, found->second);
    ranges_.erase(found);
}

bool WorkWindow::has(std::uint64_t page) const {
    auto const after = ranges_.upper_bound(page);
    return after != ranges_.begin() && std::prev(after)->second > page;
}

void WorkWindow::use(std::uint64_t page) {
    if (opened_.size() == most_opened) return lift_all();
    opened_.insert(page);
    open_all(page, page + page_bytes);
}

bool WorkWindow::keep(runtime::HostTouch touch) {
    if (touches_.size() == most_kept) {
        use(page_of(touch.address));
        return false;
    }
    // The stack on which it can be seen where the access is made is there now only.
    touch.place = [place = touch.place()] { return place; };
    touches_.push_back(std::move(touch));
    return true;
}

void WorkWindow::open_for_step(std::uint64_t page) { open_all(page, page + page_bytes); }

void WorkWindow::close_again(std::uint64_t page) {
    if (is_closed(page)) close_all(page, page + page_bytes);
}

}  // namespace warpsim::cuda
