#include "runtime/check/fault_check.hpp"

#include "runtime/check/fault_recorder.hpp"
#include "runtime/check/findings/act.hpp"
#include "sim/exec/fault.hpp"
#include "sim/exec/launch_context.hpp"
#include "sim/exec/op.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>

namespace warpsim::check {

namespace {

/// "illegal address" of "illegal address: 4-byte store to ...". Some begin with which barrier it is.
std::string sort_of(sim::Fault const& fault) {
    std::string const words = fault.what.substr(0, fault.what.find(':'));
    bool const is_of_one = std::any_of(words.begin(), words.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!is_of_one) return words;
    if (fault.kind == FaultKind::heap_misuse) return "wrong deallocation";
    if (fault.kind != FaultKind::barrier_misuse)
        return fault.kind == FaultKind::broken_promise ? "broken promise" : "illegal operand";
    return words.starts_with("mbarrier") ? "misused mbarrier" : "misused barrier";
}

std::string trimmed(std::string const& line) {
    std::size_t const first = line.find_first_not_of(' ');
    return first == std::string::npos ? "" : line.substr(first);
}

/// The checker that a fault belongs to; none for what a program does on purpose: trap, assert.
std::optional<Kind> kind_of(FaultKind fault) {
    switch (fault) {
        case FaultKind::illegal_address:
        case FaultKind::misaligned_address:
        case FaultKind::wrong_address_space:
        case FaultKind::illegal_call:
        case FaultKind::illegal_operand:
        case FaultKind::stack_overflow:
        case FaultKind::heap_misuse: return Kind::memory;
        case FaultKind::broken_promise:
        case FaultKind::barrier_misuse:
        case FaultKind::deadlock:
        case FaultKind::undefined_value: return Kind::sync;
        case FaultKind::assertion:
        case FaultKind::trap:
        case FaultKind::breakpoint:
        case FaultKind::instruction_limit:
        case FaultKind::time_limit:
        case FaultKind::interrupted: return std::nullopt;
    }
    return std::nullopt;
}

}  // namespace

sim::EventMask FaultCheck::wants() const {
    sim::EventMask const both =
        sim::event_mask(sim::EventKind::launch, sim::EventKind::fault, sim::EventKind::undefined);
    return kind_ == Kind::memory ? both | sim::event_mask(sim::EventKind::bad_access) : both;
}

void FaultCheck::bad_access(sim::BadAccessEvent const& e) {
    add(e.fault, [&](Finding& finding) {
        if (!finding.address) finding.address = e.address;
        bool const is_load = e.site.op.kind == sim::OpKind::load;
        finding.notes.emplace_back(is_load ? "the load gives 0 here, and the thread goes on"
                                           : "it is left out, and the thread goes on");
    });
}

void FaultCheck::undefined(sim::UndefinedEvent const& e) {
    if (kind_of(e.what.kind) == kind_) add(e.what);
}

void FaultCheck::fault(sim::FaultEvent const& e) {
    if (kind_of(e.fault.kind) == kind_) add(e.fault);
}

/// `more` adds to what is said of the first one of its like.
void FaultCheck::add(sim::Fault const& fault, std::function<void(Finding&)> const& more) {
    if (launch_ == nullptr) return;
    sim::LaunchContext const& launch = *launch_;
    ir::Module const& module = *launch.plan.module;
    Alike const alike{kind_, static_cast<std::uint32_t>(fault.kind), &module, fault.function, fault.instruction, 0,
                      0};
    findings_.add(alike, [&] {
        Finding finding;
        finding.kernel = launch.plan.functions.front().function->name;
        finding.what = sort_of(fault);
        finding.message = fault.what;
        if (fault.has_place) {
            std::uint32_t const thread =
                fault.thread[0] + launch.block[0] * (fault.thread[1] + launch.block[1] * fault.thread[2]);
            finding.act = act_of("", module, {fault.function, fault.instruction}, fault.cta, thread, launch.block);
        }
        if (fault.address) {
            finding.space = fault.address->space;
            finding.address = fault.address->address;
            finding.bytes = fault.address->bytes;
            if (finding.space == "global") finding.allocation = nearest_allocation(launch, *finding.address);
        }
        std::istringstream lines(fault.details);
        for (std::string line; std::getline(lines, line);) finding.notes.push_back(trimmed(line));
        if (more) more(finding);
        return finding;
    });
}

}  // namespace warpsim::check
