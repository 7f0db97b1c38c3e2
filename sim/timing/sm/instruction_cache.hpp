// When an instruction is available: an L0 cache for each sub-core in front of one of the SM; a miss also fetches
// the lines that follow. A miss of the SM's cache takes a fixed time, or as long as L2 needs. What is there stays from one launch
// to the next: drivers have a launch invalidate constants, textures and L1, but not code.
#pragma once

#include "sim/config/config.hpp"
#include "sim/engine/clock.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace warpsim::timing {

using engine::Cycle;

class InstructionCaches {
public:
    InstructionCaches(sim::FrontEndConfig const& config, std::uint32_t sub_cores);
    /// The line of the instruction with this number of a kernel whose code begins at address `begin`.
    std::uint64_t line_of(std::uint32_t instruction, std::uint64_t begin = 0) const {
        std::uint64_t const address = begin + std::uint64_t{instruction} * config_.instruction_bytes;
        return line_log2_ != 0 ? address >> line_log2_ : address / config_.line_bytes;
    }
    std::uint64_t address_of(std::uint64_t line) const { return line * config_.line_bytes; }
    /// The caches have this code from now on, as far as they have room.
    void put_all(std::uint64_t begin, std::uint32_t instructions, Cycle now);
    /// The cycle from which on the sub-core that asks now can use the line; never: it is in wanted(), or was before.
    Cycle fetch(std::uint32_t sub_core, std::uint64_t line, Cycle now);
    /// Lines that have to come from L2, where that does not take a fixed time.
    std::vector<std::uint64_t>& wanted() { return wanted_; }
    /// One of them is in the SM's cache from cycle `ready` on, and on its way to the sub-cores that have asked for it.
    void filled(std::uint64_t line, Cycle ready);
    /// When the sub-core has a line that is in the SM's cache from cycle `filled` on.
    Cycle ready(std::uint32_t sub_core, std::uint64_t line, Cycle filled);
    template <class Archive> void state(Archive& archive) { archive(l0_, l1_, wanted_); }

private:
    struct Entry {
        std::uint64_t line = UINT64_MAX;
        Cycle ready = 0;
        Cycle used = 0;
        std::uint64_t followed =
            0;  // of an L0: as of this number of changes all lines that are fetched with it are there

        template <class Archive> void state(Archive& archive) { archive(line, ready, used); }
    };
    struct Tags {
        std::uint32_t sets = 1, ways = 1;
        std::vector<Entry> entries;
        std::uint64_t changes = 1;
        std::array<std::uint32_t, 32>
            found{};  // entries that were found last, by some bits of their lines: looked at first

        template <class Archive> void state(Archive& archive) { archive(sets, ways, entries); }
        Entry* find(std::uint64_t line);
        Entry& put(std::uint64_t line, Cycle ready, Cycle now);
    };
    static Tags make(std::uint32_t kib, std::uint32_t ways, std::uint32_t line_bytes);
    Cycle from_l1(std::uint64_t line, Cycle now);

    sim::FrontEndConfig config_;
    unsigned line_log2_;  // 0: its size is no power of two
    std::vector<Tags> l0_;
    Tags l1_;
    std::vector<std::uint64_t> wanted_;
};

}  // namespace warpsim::timing
