#include "runtime/check/annotations.hpp"

#include "runtime/check/findings/act.hpp"
#include "runtime/check/findings/report.hpp"
#include "sim/demangled.hpp"
#include "sim/exec/fault.hpp"
#include "sim/exec/launch_context.hpp"

#include <algorithm>

namespace warpsim::check {

void Annotations::launch_begins(sim::LaunchBegin const& e) {
    std::lock_guard const lock(mutex_);
    launch_ = &e.launch;
}

void Annotations::fault(sim::FaultEvent const& e) {
    std::lock_guard const lock(mutex_);
    if (launch_ == nullptr) return;
    sim::Fault const& fault = e.fault;
    std::string message =
        fault.what + "\nkernel " + sim::demangled(launch_->plan.functions.front().function->name);
    Act act;
    if (fault.has_place) {
        auto const& block = launch_->block;
        std::uint32_t const thread = fault.thread[0] + block[0] * (fault.thread[1] + block[1] * fault.thread[2]);
        act = act_of("", *launch_->plan.module, {fault.function, fault.instruction}, fault.cta, thread, block);
        message += "\n" + who(act);
        if (act.ptx) message += "\n" + act.ptx.file + ":" + std::to_string(act.ptx.number) + ": " + act.ptx.text;
    }
    if (!fault.details.empty()) message += "\n" + fault.details;
    faults_.emplace_back(fault.what,
                         github_command("error", fault.what.substr(0, fault.what.find(':')), &act, message));
}

std::string Annotations::text(std::vector<Finding> const& findings) const {
    std::lock_guard const lock(mutex_);
    std::string all;
    for (auto const& [what, command] : faults_) all += command;
    for (Finding const& finding : findings) {
        bool const is_fault = std::any_of(faults_.begin(), faults_.end(),
                                          [&](auto const& fault) { return fault.first == finding.message; });
        if (!is_fault) all += to_github(finding);
    }
    return all;
}

}  // namespace warpsim::check
