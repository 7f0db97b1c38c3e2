// What launches that are not timed would have left in L2 and in the caches of instructions.
#pragma once

#include "sim/events.hpp"
#include "sim/timing/memory/copied_lines.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace warpsim::runtime {

/// Remembers the lines of global memory that were accessed last: `most` of them, and never more than twice as many.
class CacheWarmth final : public sim::EventSink {
public:
    /// Addresses are told less `moved_by` of the memory that they lie in.
    CacheWarmth(std::size_t most, std::uint64_t moved_by) : most_(most), moved_(moved_by) {}
    sim::EventMask wants() const override { return sim::event_mask(sim::EventKind::access); }
    void access(sim::AccessEvent const& e) override;

    /// A kernel runs. Simplified: its code stays where it is until it is timed, whatever else runs in between.
    void runs(std::string_view kernel) { kernels_.emplace(kernel); }
    bool has_run(std::string_view kernel) const { return kernels_.contains(kernel); }

    /// The lines, that of the last access last; then it remembers none.
    std::vector<timing::LineInL2> take();

private:
    struct Seen {
        std::uint64_t last = 0;  // when it was accessed
        std::uint8_t valid = 0, dirty = 0;
    };
    void note(std::uint64_t first, std::uint64_t past, bool is_write);
    std::vector<timing::LineInL2> latest() const;

    std::size_t const most_;
    std::uint64_t const moved_;
    std::uint64_t now_ = 0;
    std::unordered_map<std::uint64_t, Seen> lines_;  // by number
    std::set<std::string, std::less<>> kernels_;
};

}  // namespace warpsim::runtime
