// The order of what a program has a device do: which work of other streams a piece of work follows, by the order of streams,
// events and waits of the host. What is not ordered may happen at once, whatever the simulator does first.
#pragma once

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
    WorkClock host;        // what the host has waited for: all that comes later follows that
    bool is_alone = true;  // no other stream has had any work
};

/// Which call of a kernel has launched a grid.
struct ChildRequest {
    std::uint64_t parent = 0;  // the grid's id
    std::uint64_t cta = 0;     // of the thread, in its grid
    std::uint32_t thread = 0;  // in its CTA
    std::uint32_t number = 0;  // of the thread's calls that launch, from 1 on
    std::uint64_t stream = 0;  // the handle
    bool is_in_order = true;   // with other grids of the same stream and CTA
    bool is_tail = false;      // after everything else
};

}  // namespace warpsim::runtime
