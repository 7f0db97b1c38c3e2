// The order of what a program has a device do: which work of other streams a piece of work follows, by the order of streams,
// events and waits of the host. What is not ordered may happen at once, whatever the simulator does first.
#pragma once

#include "frontend/ir/builtins.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

namespace warpsim::runtime {

/// Of each stream, by its number, how many pieces of its work are known to be over.
class WorkClock {
public:
    std::uint64_t of(std::uint64_t stream) const {
        auto const found = done_.find(stream);
        return found != done_.end() ? found->second : 0;
    }
    void raise(std::uint64_t stream, std::uint64_t number) {
        std::uint64_t& done = done_[stream];
        done = std::max(done, number);
    }
    void add(WorkClock const& other) {
        for (auto const& [stream, number] : other.done_) raise(stream, number);
    }

private:
    std::map<std::uint64_t, std::uint64_t> done_;
};

/// A piece of work: a launch, a copy, a fill.
struct WorkOrder {
    std::uint64_t stream = 0;  // a number of its own, from 1 on; 0: work in no stream, which follows everything
    std::uint64_t number = 0;  // in its stream, from 1 on
    std::string name;          // of the stream: "stream 3"
    WorkClock follows;
    /// The number of a kernel before it in its stream that lets it begin early: of that it follows only what its threads have
    /// waited for; 0: none.
    std::uint64_t overlaps = 0;
    WorkClock host;        // what the host has waited for: all that comes later follows that
    bool is_alone = true;  // no other stream has had any work
};

/// Which call of a kernel has asked for a grid, a copy or a fill.
struct ChildRequest {
    std::uint64_t parent = 0;  // the grid's id
    std::uint64_t cta = 0;     // of the thread, in its grid
    std::uint32_t thread = 0;  // in its CTA
    std::uint32_t number = 0;  // of the thread's calls that ask for work, from 1 on
    std::uint64_t stream = 0;  // the handle
    bool is_in_order = true;   // with other work of the same stream and CTA
    bool is_tail = false;      // after everything else
};

/// Whether a function of the device runtime is such a call.
constexpr bool asks_for_work(ir::Builtin function) {
    using ir::Builtin;
    return function == Builtin::launch_device || function == Builtin::launch_device_v2 ||
           function == Builtin::memcpy_async || function == Builtin::memcpy_2d_async ||
           function == Builtin::memset_async || function == Builtin::memset_2d_async;
}

}  // namespace warpsim::runtime
