#include "runtime/check/fault_findings.hpp"

#include "runtime/check/findings/act.hpp"

#include <sstream>

namespace warpsim::check {

namespace {

/// "illegal address" of "illegal address: 4-byte store to ...".
std::string first_words(std::string const& what) { return what.substr(0, what.find(':')); }

std::string trimmed(std::string const& line) {
    std::size_t const first = line.find_first_not_of(' ');
    return first == std::string::npos ? "" : line.substr(first);
}

}  // namespace

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
        case FaultKind::instruction_limit: return std::nullopt;
    }
    return std::nullopt;
}

void add_fault(Findings& findings, Kind kind, sim::LaunchContext const& launch, sim::Fault const& fault,
               std::function<void(Finding&)> const& add) {
    ir::Module const& module = *launch.plan.module;
    Alike const alike{kind, static_cast<std::uint32_t>(fault.kind), &module, fault.function, fault.instruction, 0,
                      0};
    findings.add(alike, [&] {
        Finding finding;
        finding.kernel = launch.plan.functions.front().function->name;
        finding.what = first_words(fault.what);
        finding.message = fault.what;
        if (fault.has_place) {
            std::uint32_t const thread =
                fault.thread[0] + launch.block[0] * (fault.thread[1] + launch.block[1] * fault.thread[2]);
            finding.act = act_of("", module, {fault.function, fault.instruction}, fault.cta, thread, launch.block);
        }
        std::istringstream lines(fault.details);
        for (std::string line; std::getline(lines, line);) finding.notes.push_back(trimmed(line));
        if (add) add(finding);
        return finding;
    });
}

}  // namespace warpsim::check
