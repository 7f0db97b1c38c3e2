#include "runtime/session/launch_watch.hpp"

#include "sim/demangled.hpp"
#include "sim/exec/fault.hpp"

namespace warpsim::runtime {

void LaunchWatch::launch_begins(sim::LaunchBegin const& e) {
    std::lock_guard const lock(mutex_);
    kernel_ = e.kernel;
    ++begun_;
}

void LaunchWatch::launch_ends(sim::LaunchEnd const&) {
    std::lock_guard const lock(mutex_);
    ++ended_;
}

void LaunchWatch::fault(sim::FaultEvent const& e) {
    std::lock_guard const lock(mutex_);
    has_stopped_ = has_stopped_ || e.fault.kind == FaultKind::time_limit || e.fault.kind == FaultKind::interrupted;
}

void LaunchWatch::launch_told() {
    std::lock_guard const lock(mutex_);
    ++told_;
}

bool LaunchWatch::is_idle() const {
    std::lock_guard const lock(mutex_);
    return begun_ == told_;
}

bool LaunchWatch::has_stopped() const {
    std::lock_guard const lock(mutex_);
    return has_stopped_;
}

std::string LaunchWatch::text() const {
    std::lock_guard const lock(mutex_);
    if (begun_ == 0) return "it had not launched a kernel yet";
    std::string const last = sim::demangled(kernel_) + ", launch " + std::to_string(begun_ - 1);
    return begun_ == ended_ ? "no kernel was running; the last was " + last : "what ran was " + last;
}

}  // namespace warpsim::runtime
