// Runs a kernel under the checker of definedness and says what it found.
#pragma once

#include "runtime/check/checkers.hpp"
#include "tests/check/checked_run.hpp"
#include "tests/support/run_ptx.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace warpsim::test {

struct InitRun {
    bool is_strict = false;
    int threads = 1;
    /// Does something with the device, the kernel's `out`, which the host has written, and `in`, which nobody has; what
    /// it does after the launch stands in the second.
    std::function<void(runtime::Device&, std::uint64_t, std::uint64_t)> before, after;
};

/// What is found in one launch of `k`, whose `out` the host reads as a whole.
inline std::vector<check::Finding> init_findings(std::string const& text, Threads const& threads,
                                                 InitRun const& run = {}) {
    constexpr std::size_t bytes = 65536;
    check::Options options;
    options.kinds = {check::Kind::init};
    options.print_limit = 0;
    options.init_is_strict = run.is_strict;
    check::Checkers checkers(options);
    runtime::DeviceOptions device;
    device.threads = run.threads;
    device.print = [](std::string_view) {};
    checkers.observe(device);
    Program program(text, "independent", device);
    runtime::DevicePointer const out = program.device.upload(std::vector<std::uint32_t>(bytes / 4));
    program.in = program.device.allocate(bytes);
    if (run.before) run.before(program.device, out, program.in);
    program.launch(out, threads);
    static_cast<void>(program.device.download<std::uint32_t>(out, bytes / 4));
    if (run.after) run.after(program.device, out, program.in);
    return checkers.findings().all();
}

}  // namespace warpsim::test
