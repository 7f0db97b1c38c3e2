// The launches and expectations of a run as tests, for --junit.
#pragma once

#include "runtime/check/findings/finding.hpp"
#include "runtime/check/findings/junit.hpp"
#include "runtime/launch.hpp"
#include "runtime/plan/plan.hpp"
#include "sim/error.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpsim::command {

class PlanTests {
public:
    /// Throws Error(usage) if the file cannot be written.
    PlanTests(plan::LaunchPlan const& plan, std::string file);

    /// A launch has ended; what follows has this number among all launches, those by kernels included.
    void launched(runtime::LaunchResult const& result, std::uint64_t next_launch);
    /// An expectation has been compared; `failure` is empty if it holds.
    void judged(plan::Expectation const& expectation, std::string const& failure);
    /// The run ends by this error, which no expectation has told of.
    void fail(Error const& error);
    /// What checkers have found belongs to its launch.
    void add(std::vector<check::Finding> const& findings);
    void write() const;

private:
    std::string suite_, file_;
    std::vector<check::TestCase> launches_, expectations_, others_;
    std::vector<std::uint64_t> ends_;  // of launches: the number of what follows
};

}  // namespace warpsim::command
