// Check reports as JUnit's XML: one test for each checker.
#include "runtime/check/findings/junit.hpp"
#include "runtime/check/findings/report.hpp"

namespace warpsim::check {

std::string to_junit(Run const& run, std::vector<Finding> const& findings) {
    std::vector<TestCase> cases;
    for (Kind const kind : run.checked) {
        TestCase one{"warpsim.check", std::string(name(kind)), {}, false, {}};
        for (Finding const& finding : findings)
            if (finding.kind == kind) one.failures.push_back({finding.message, finding.what, to_text(finding)});
        cases.push_back(std::move(one));
    }
    return junit_text(run.command, cases);
}

}  // namespace warpsim::check
