// Where kernel parameters are read.
#pragma once

#include "sim/timing/plan/if_conversion.hpp"
#include "sim/timing/plan/unroll.hpp"

#include <cstdint>
#include <vector>

namespace warpsim::timing {

/// How often a compiler reads parameters again.
enum class Rereading : std::uint8_t {
    before_loops,  // in each block that uses them, or in front of the loops around it
    in_loops,  // inside of loops as well, where registers are scarce, and behind them numbers of threads and CTAs
};

/// Kernels read their parameters at their beginning, but compilers where they are used: until then they take no registers.
/// Adds these reads, which count as no instructions of the PTX. Returns for each register the one that held its value before,
/// or itself.
std::vector<std::uint32_t> reread_parameters(ir::Module const& module, ir::Function& function, GuardedPaths& paths,
                                             Unrolled& unrolled, Rereading rereading);

}  // namespace warpsim::timing
