#include "runtime/check/annotations.hpp"

#include "runtime/check/findings/act.hpp"
#include "runtime/check/findings/report.hpp"
#include "sim/demangled.hpp"

#include <algorithm>

namespace warpsim::check {

namespace {

std::string command(RecordedFault const& fault) {
    std::string message = fault.what + "\nkernel " + sim::demangled(fault.kernel);
    Act act;
    if (fault.act) {
        act = *fault.act;
        message += "\n" + who(act);
        if (act.ptx) message += "\n" + act.ptx.file + ":" + std::to_string(act.ptx.number) + ": " + act.ptx.text;
    }
    if (!fault.details.empty()) message += "\n" + fault.details;
    return github_command("error", fault.what.substr(0, fault.what.find(':')), &act, message);
}

}  // namespace

std::string annotations(std::vector<RecordedFault> const& faults, std::vector<Finding> const& findings) {
    std::string all;
    for (RecordedFault const& fault : faults) all += command(fault);
    for (Finding const& finding : findings) {
        bool const is_fault = std::any_of(faults.begin(), faults.end(), [&](RecordedFault const& fault) {
            return fault.what == finding.message;
        });
        if (!is_fault) all += to_github(finding);
    }
    return all;
}

}  // namespace warpsim::check
