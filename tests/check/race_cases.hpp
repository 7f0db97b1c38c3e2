// Kernels with a race, and their twins without.
#pragma once

#include "tests/check/checked_run.hpp"
#include "tests/support/catch.hpp"

#include <string>
#include <vector>

namespace warpsim::test {

struct Case {
    char const* name;
    Threads threads;
    std::string body;
    char const* found;         // as whats() has it; "": nothing
    char const* missing = "";  // a part of the message
};

inline Threads blocks(std::uint32_t count, std::uint32_t threads) { return {{threads, 1, 1}, {count, 1, 1}}; }

inline std::string const values = ".shared .align 16 .b8 values[1024];\n";
/// %d0 = the address of this thread's word in shared memory, %d1 = of that of its mirror image in the CTA.
inline std::string const addresses =
    "mov.u64 %d2, values; mov.u32 %r0, %tid.x; mov.u32 %r1, %ntid.x; sub.u32 %r1, %r1, %r0; sub.u32 %r1, %r1, 1;\n"
    "mul.wide.u32 %d0, %r0, 4; add.u64 %d0, %d0, %d2; mul.wide.u32 %d1, %r1, 4; add.u64 %d1, %d1, %d2;\n";
inline std::string const put = "st.shared.u32 [%d0], %r0;\n";
inline std::string const get = "ld.shared.u32 %r2, [%d1]; st.global.u32 [%o4], %r2;\n";

/// `text` is a whole module, or the body of a kernel.
inline void check_cases(std::vector<Case> const& cases) {
    for (Case const& c : cases) {
        INFO(c.name);
        bool const is_module = c.body.rfind(".version", 0) == 0;
        auto const findings = findings_of(is_module ? c.body : kernel(c.body), c.threads, "race");
        std::string messages;
        for (check::Finding const& finding : findings) {
            UNSCOPED_INFO(check::to_text(finding));
            messages += finding.message + "\n";
        }
        CHECK(whats(findings) == c.found);
        CHECK(messages.find(c.missing) != std::string::npos);
    }
}

}  // namespace warpsim::test
