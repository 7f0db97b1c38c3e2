#include "runtime/check/sync_check.hpp"

#include "runtime/check/fault_findings.hpp"

namespace warpsim::check {

void SyncCheck::undefined(sim::UndefinedEvent const& e) {
    if (launch_ != nullptr) add_fault(findings_, Kind::sync, *launch_, e.what);
}

void SyncCheck::fault(sim::FaultEvent const& e) {
    if (launch_ != nullptr && kind_of(e.fault.kind) == Kind::sync)
        add_fault(findings_, Kind::sync, *launch_, e.fault);
}

}  // namespace warpsim::check
