// What a device does for a program, launch by launch and copy by copy, and which of it may happen at the same time.
#pragma once

#include "runtime/check/race/family.hpp"
#include "runtime/work_order.hpp"
#include "sim/events.hpp"

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
};

/// Bytes of global memory that a copy or a fill has read or written.
struct PastRange {
    runtime::WorkOrder order;
    std::uint64_t begin = 0, end = 0;
    bool is_written = false;
    char const* what = "";  // "a copy", "a fill"

    bool overlaps(std::uint64_t from, std::uint64_t to) const { return from < end && begin < to; }
};

/// Whether work is over before later work begins.
inline bool is_followed(runtime::WorkOrder const& work, runtime::WorkOrder const& by) {
    if (work.stream == 0 || by.stream == 0) return true;
    // Grids that a kernel launches belong to the same work.
    if (work.stream == by.stream && work.number == by.number) return true;
    return by.follows.of(work.stream) >= work.number;
}
/// Whether all work to come follows it.
inline bool is_over(runtime::WorkOrder const& work, runtime::WorkOrder const& now) {
    return work.stream == 0 || now.stream == 0 || now.is_alone || now.host.of(work.stream) >= work.number;
}

}  // namespace warpsim::check
