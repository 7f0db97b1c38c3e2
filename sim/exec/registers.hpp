// How many registers the warps of a CTA own, where setmaxnreg changes that: a pool of the CTA has what warps gave up.
// Registers of a launch are as many as before; values are never lost here, since virtual registers have columns of their own.
#pragma once

#include "sim/exec/op.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpsim::sim {

struct Config;
struct Cta;
struct LaunchContext;
struct Warp;
struct WarpSplit;

/// The most registers that each thread can have if so many CTAs of so many threads are to be on an SM. As ptxas 13.0 counts,
/// their warps are spread over the sub-cores together: sixteen CTAs of two warps are eight warps for each of four.
std::uint32_t registers_for_all(Config const& config, std::uint64_t threads, std::uint64_t ctas);

/// The most registers that the kernel's directives allow a thread: .maxnreg, and .maxntid with .minnctapersm.
std::uint32_t register_limit(ir::Function const& kernel, Config const& config);

/// The registers of a thread with which a kernel begins that uses setmaxnreg. 0: it does not, or its directives do not say
/// (.maxnreg, or .minnctapersm with the size of a CTA), so that compilers ignore setmaxnreg.
std::uint32_t registers_at_entry(KernelPlan const& plan, Config const& config);

struct RegisterPool {
    /// One warp. All of a warpgroup must execute the same.
    struct Owner {
        std::uint32_t registers = 0;  // of each thread
        std::uint32_t changes = 0;    // that it has executed
        bool took = false;            // by the last of them
    };
    std::vector<Owner> warps;
    std::uint32_t free = 0;  // of each thread of a warp
};

/// Whether the warp split is at a setmaxnreg.inc that the pool has too few registers for.
bool waits_for_registers(LaunchContext const& launch, Cta const& cta, Warp const& warp, WarpSplit const& split);
/// "wait for 64 more registers a thread ...", for reports.
std::string waiting_text(LaunchContext const& launch, Cta const& cta, Warp const& warp, WarpSplit const& split);

}  // namespace warpsim::sim
