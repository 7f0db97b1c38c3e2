// What the host's own code does, through pointers, to memory that kernels use: for those who can say whether it may.
#pragma once

#include "runtime/work_order.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace warpsim::runtime {

/// An access by code of the host, outside of any call of ours.
struct HostTouch {
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
    bool is_write = false;
    struct Place {
        std::string file;
        std::uint32_t line = 0;  // 0: not known
        std::string text;        // ... then this, in words
    };
    std::function<Place()> place;  // of the program's source
};

/// Knows what work of a device that the host has not waited for may still do to memory. Of the functions, those that look may
/// be called while no work of the device goes on.
class HostConflicts {
public:
    virtual ~HostConflicts() = default;
    /// From now on there is memory that the host may access: what it has not waited for is remembered.
    virtual void expect_host() = 0;
    /// Calls visit(page, is_written) for pages of 4 KiB of [begin, end) that work uses which is not in `host`; for some of them
    /// several times.
    virtual void for_each_page(std::uint64_t begin, std::uint64_t end, WorkClock const& host,
                               std::function<void(std::uint64_t page, bool is_written)> const& visit) = 0;
    /// The host has done that, after having waited for `host`.
    virtual void host_touches(HostTouch const& touch, WorkClock const& host) = 0;
};

}  // namespace warpsim::runtime
