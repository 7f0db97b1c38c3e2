// Reads the cases of what threads do together; tests/isa/README.md describes their format.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace warpsim::test {

struct WarpCase {
    std::string place;   // "shuffle.cases:12"
    std::string target;  // "sm_90"
    std::string statements;
    std::vector<std::uint64_t> sources;              // a value for each thread of the CTA
    std::optional<std::vector<std::uint64_t>> d, p;  // what each thread has afterwards; none: not checked
};

std::vector<WarpCase> read_warp_cases();

/// "0..30 7*2 5": 0 to 30, 7 twice, 5. Throws std::runtime_error for anything else.
std::vector<std::uint64_t> values_of(std::string const& list);

/// A module with a kernel `case0`, `case1` ... (out, in) for each, that stores two 32-bit words for each thread:
/// d, and p as 0 or 1. All cases have one target.
std::string module_of(std::span<WarpCase const> cases);

}  // namespace warpsim::test
