// When an instruction is available: an L0 cache for each sub-core in front of one of the SM; a miss also fetches
// the lines that follow. A miss of the SM's cache takes a fixed time, or as long as L2 needs.
#pragma once

#include "sim/config/config.hpp"
#include "sim/engine/clock.hpp"
#include "sim/timing/memory/messages.hpp"

#include <cstdint>
#include <vector>

namespace warpsim::timing {

using engine::Cycle;

class InstructionCaches {
public:
    InstructionCaches(sim::FrontEndConfig const& config, std::uint32_t sub_cores);
    /// The line of the instruction with this number of a grid's kernel.
    std::uint64_t line_of(std::uint32_t code_address, GridNumber grid = 0) const {
        return std::uint64_t{grid} << kernel_shift |
               std::uint64_t{code_address} * config_.instruction_bytes / config_.line_bytes;
    }
    /// Where it begins in the kernel's code, in bytes.
    std::uint64_t offset_of(std::uint64_t line) const { return slot_of(line) * config_.line_bytes; }
    /// The cycle from which on the sub-core that asks now can use the line; never: it is in wanted(), or was before.
    Cycle fetch(std::uint32_t sub_core, std::uint64_t line, Cycle now);
    /// Lines that have to come from L2, where that does not take a fixed time.
    std::vector<std::uint64_t>& wanted() { return wanted_; }
    /// One of them is in the SM's cache from cycle `ready` on, and on its way to the sub-cores that have asked for it.
    void filled(std::uint64_t line, Cycle ready);
    /// When the sub-core has a line that is in the SM's cache from cycle `filled` on.
    Cycle ready(std::uint32_t sub_core, std::uint64_t line, Cycle filled);
    /// For a new kernel the caches are empty.
    void clear();
    template <class Archive> void state(Archive& archive) { archive(l0_, l1_, wanted_); }

private:
    static constexpr unsigned kernel_shift = 48;
    /// The part of a line's number that decides where it may be placed.
    static std::uint64_t slot_of(std::uint64_t line) { return line & ((std::uint64_t{1} << kernel_shift) - 1); }
    struct Entry {
        std::uint64_t line = UINT64_MAX;
        Cycle ready = 0;
        Cycle used = 0;
    };
    struct Tags {
        std::uint32_t sets = 1, ways = 1;
        std::vector<Entry> entries;
        Entry* find(std::uint64_t line);
        Entry& put(std::uint64_t line, Cycle ready, Cycle now);
    };
    static Tags make(std::uint32_t kib, std::uint32_t ways, std::uint32_t line_bytes);
    Cycle from_l1(std::uint64_t line, Cycle now);

    sim::FrontEndConfig config_;
    std::vector<Tags> l0_;
    Tags l1_;
    std::vector<std::uint64_t> wanted_;
};

}  // namespace warpsim::timing
