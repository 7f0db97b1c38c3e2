// What a device does for a program, launch by launch and copy by copy, and which of it may happen at the same time.
#pragma once

#include "runtime/check/race/family.hpp"
#include "runtime/work_order.hpp"
#include "sim/events.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace warpsim::ir {
struct Module;
}

namespace warpsim::check {

/// A launch that later ones may not have to wait for.
struct PastLaunch {
    runtime::WorkOrder order;
    std::string kernel;
    std::uint64_t number = 0;  // of the process
    ir::Module const* module = nullptr;
    std::array<std::uint32_t, 3> grid{}, block{};
    std::shared_ptr<Family const> family;
    bool talks_to_host = false;  // by strong accesses that reach it: what it may know by these is not looked into
    /// Of a kernel that begins early: numbers of kernels of its stream that may go on when it begins, and still when it has waited
    /// for the one in front of it.
    std::vector<std::uint64_t> open_at_begin{}, open_after_wait{};
    bool has_waited = false;       // some thread has, so that it ends later than the one in front of it
    bool lets_begin_late = false;  // the one behind it begins after that

    /// Whether this one may begin before the other has ended.
    bool may_begin_beside(PastLaunch const& other) const { return is_in(open_at_begin, other); }
    /// ... and whatever its threads wait for.
    bool is_beside_for_good(PastLaunch const& other) const { return is_in(open_after_wait, other); }

private:
    bool is_in(std::vector<std::uint64_t> const& open, PastLaunch const& other) const {
        return order.stream == other.order.stream &&
               std::find(open.begin(), open.end(), other.order.number) != open.end();
    }
};

/// Bytes of global memory that a copy or a fill has read or written.
struct PastRange {
    runtime::WorkOrder order;
    std::uint64_t begin = 0, end = 0;
    bool is_written = false;
    char const* what = "";                 // "a copy", "a fill"
    std::shared_ptr<Family const> family;  // if a kernel has asked for it
    bool is_freed = false;

    bool overlaps(std::uint64_t from, std::uint64_t to) const { return from < end && begin < to; }
};

/// Whether work is over before later work begins.
inline bool is_followed(runtime::WorkOrder const& work, runtime::WorkOrder const& by) {
    if (work.stream == 0 || by.stream == 0) return true;
    // Grids that a kernel launches belong to the same work.
    if (work.stream == by.stream && work.number == by.number) return true;
    return by.follows.of(work.stream) >= work.number;
}
/// Whether it is the kernel that lets the later one begin early.
inline bool is_overlapped(runtime::WorkOrder const& work, runtime::WorkOrder const& by) {
    return by.overlaps != 0 && work.stream == by.stream && work.number == by.overlaps;
}
/// Whether all work to come follows it; `but_host`: and the host's own code.
inline bool is_over(runtime::WorkOrder const& work, runtime::WorkOrder const& now, bool but_host) {
    if (is_overlapped(work, now)) return false;
    return work.stream == 0 || now.stream == 0 || (now.is_alone && !but_host) ||
           now.host.of(work.stream) >= work.number;
}

}  // namespace warpsim::check
