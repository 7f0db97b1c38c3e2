// Programs of lanes that part and meet: results equal to those of a single thread, the same instruction counts under both
// models, and one warp split again behind each structure.
#pragma once

#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace warpsim::test {

/// Stores %r0 as the thread's result, and after it how many lanes do so together.
inline std::string const store_results =
    "\nactivemask.b32 %r30; popc.b32 %r30, %r30;\nst.global.v2.u32 [%o8], {%r0, %r30};";

/// What store_results leaves in memory.
inline std::vector<std::uint32_t> with_lanes(std::function<std::uint32_t(std::uint32_t)> const& value,
                                             std::uint32_t threads = 32, std::uint32_t together = 32) {
    return each<std::uint32_t>(2 * threads, [&](std::uint32_t n) { return n % 2 == 0 ? value(n / 2) : together; });
}

/// Runs the body under both models; results and counts of instructions must be equal.
inline void check_both_models(std::string const& body, std::vector<std::uint32_t> const& want,
                              std::string const& before = {}) {
    std::vector<std::uint64_t> counts, threads;
    for (std::string const& model : control_flows()) {
        INFO(model);
        Program program(kernel(body, before), model);
        CHECK(program.run<std::uint32_t>(want.size()) == want);
        counts.push_back(program.result.instructions.warp);
        threads.push_back(program.result.instructions.thread);
    }
    CHECK(counts[0] == counts[1]);
    CHECK(threads[0] == threads[1]);
}

/// Calls a function of one u32 with the thread's index; its result is %r0.
inline std::string call_with_index(std::string const& name) {
    return "{ .param .u32 q; .param .u32 s; st.param.u32 [q], %i; call (s), " + name +
           ", (q); ld.param.u32 %r0, [s]; }\n";
}

}  // namespace warpsim::test
