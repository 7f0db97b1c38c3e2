#include "plan_tests.hpp"

#include "runtime/check/findings/report.hpp"
#include "sim/demangled.hpp"

#include <algorithm>
#include <utility>

namespace warpsim::command {

namespace {

std::string type_of(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::fault: return "fault";
        case ErrorKind::launch: return "launch";
        case ErrorKind::ptx: return "ptx";
        case ErrorKind::comparison: return "comparison";
        case ErrorKind::usage:
        case ErrorKind::config:
        case ErrorKind::plan: break;
    }
    return "plan";
}

}  // namespace

PlanTests::PlanTests(plan::LaunchPlan const& plan, std::string file) : suite_(plan.path), file_(std::move(file)) {
    for (std::size_t i = 0; i < plan.launches.size(); ++i) {
        plan::Launch const& launch = plan.launches[i];
        std::string const kernel = launch.kernel.empty() ? "" : ": " + sim::demangled(launch.kernel);
        for (std::uint64_t n = 0; n < launch.repeat; ++n) {
            std::string const again = n == 0 ? "" : " (" + std::to_string(n + 1) + ")";
            launches_.push_back({suite_, "launch " + std::to_string(i) + kernel + again, {}, true, {}});
        }
    }
    for (plan::Expectation const& expectation : plan.expectations)
        expectations_.push_back({suite_, "expect " + expectation.name, {}, true, {}});
    write();
}

void PlanTests::launched(runtime::LaunchResult const& result, std::uint64_t next_launch) {
    check::TestCase& one = launches_[ends_.size()];
    one.is_skipped = false;
    one.seconds = result.host_seconds;
    ends_.push_back(next_launch);
}

void PlanTests::judged(plan::Expectation const& expectation, std::string const& failure) {
    auto const one =
        std::find_if(expectations_.begin(), expectations_.end(), [&](check::TestCase const& expected) {
            return expected.is_skipped && expected.name == "expect " + expectation.name;
        });
    if (one == expectations_.end()) return;
    one->is_skipped = false;
    if (!failure.empty()) one->failures.push_back({failure, type_of(ErrorKind::comparison), failure});
}

void PlanTests::fail(Error const& error) {
    bool const is_of_launch =
        (error.kind() == ErrorKind::fault || error.kind() == ErrorKind::launch) && ends_.size() < launches_.size();
    check::TestCase& one = is_of_launch ? launches_[ends_.size()]
                                        : others_.emplace_back(check::TestCase{suite_, "the run", {}, false, {}});
    one.is_skipped = false;
    one.failures.push_back({error.what(), type_of(error.kind()), error.what()});
}

void PlanTests::add(std::vector<check::Finding> const& findings) {
    for (check::Finding const& finding : findings) {
        auto const place =
            static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), finding.launch) - ends_.begin());
        if (launches_.empty()) continue;
        check::TestCase& one = launches_[std::min(place, launches_.size() - 1)];
        one.is_skipped = false;
        one.failures.push_back({finding.message, std::string(check::name(finding.kind)) + ": " + finding.what,
                                check::to_text(finding)});
    }
}

void PlanTests::write() const {
    std::vector<check::TestCase> all = launches_;
    all.insert(all.end(), expectations_.begin(), expectations_.end());
    all.insert(all.end(), others_.begin(), others_.end());
    check::write_text(file_, "JUnit report", check::junit_text(suite_, all));
}

}  // namespace warpsim::command
