// The values that vector registers hold one after another. A register of the PTX may hold several that have nothing to do with
// each other, as in the copies of an unrolled loop.
#pragma once

#include "sim/timing/plan/temporaries.hpp"

namespace warpsim::timing {

struct Value {
    std::uint32_t reg;    // of the PTX; ir::none: a temporary
    std::uint32_t units;  // registers of 32 bits
    std::vector<ir::LiveInterval> pieces;
};

class Values {
public:
    Values(MachineFunction const& m, LiveRanges const& ranges);

    std::vector<Value> const& all() const { return all_; }
    /// Those for which no register of the PTX stands come last, from `first_temporary` on.
    std::vector<Temporary> const& temporaries() const { return temporaries_; }
    std::uint32_t first_temporary() const { return static_cast<std::uint32_t>(all_.size() - temporaries_.size()); }
    /// As values.
    std::vector<std::uint32_t> const& temporaries_read_by(std::uint32_t instruction) const {
        return read_by_[instruction];
    }
    /// Of a vector register that is live at that point.
    std::uint32_t at(std::uint32_t reg, ir::ProgramPoint point) const;

private:
    struct Begin {
        std::uint32_t reg;
        ir::ProgramPoint point;
        std::uint32_t value;
    };

    std::vector<Value> all_;
    std::vector<Temporary> temporaries_;
    std::vector<std::vector<std::uint32_t>> read_by_;  // per instruction
    std::vector<Begin> begins_;                        // of pieces, in order
};

}  // namespace warpsim::timing
