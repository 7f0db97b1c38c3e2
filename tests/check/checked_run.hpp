// Runs a kernel under checkers and says what they found.
#pragma once

#include "runtime/check/checkers.hpp"
#include "sim/fault_kind.hpp"
#include "tests/support/run_ptx.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace warpsim::test {

/// What checkers find in one launch of `k`, which may write to 64 KiB at %out and read 128 KiB at %in.
inline std::vector<check::Finding> findings_of(std::string const& text, Threads const& threads,
                                               std::string const& checked) {
    check::Options options;
    options.kinds = check::parse_kinds(checked);
    options.print_limit = 0;
    check::Checkers checkers(options);
    runtime::DeviceOptions device = Program::one_thread();
    checkers.observe(device);
    Program program(text, "independent", device);
    program.in = program.device.allocate(std::uint64_t{128} << 10);
    try {
        static_cast<void>(program.run<std::uint32_t>(16384, threads));
    } catch (FaultError const&) {
        // That, too, is a finding.
    }
    return checkers.findings().all();
}

/// The `what` of each finding, without repetitions, in alphabetical order: "read after write, write after read".
inline std::string whats(std::vector<check::Finding> const& findings) {
    std::vector<std::string> all;
    for (check::Finding const& finding : findings) all.push_back(finding.what);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    std::string text;
    for (std::string const& what : all) text += (text.empty() ? "" : ", ") + what;
    return text;
}

}  // namespace warpsim::test
