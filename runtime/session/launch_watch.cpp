#include "runtime/session/launch_watch.hpp"

#include "sim/demangled.hpp"

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

void LaunchWatch::launch_told() {
    std::lock_guard const lock(mutex_);
    ++told_;
}

bool LaunchWatch::is_idle() const {
    std::lock_guard const lock(mutex_);
    return begun_ == told_;
}

std::string LaunchWatch::text() const {
    std::lock_guard const lock(mutex_);
    if (begun_ == 0) return "it had not launched a kernel yet";
    std::string const last = sim::demangled(kernel_) + ", launch " + std::to_string(begun_ - 1);
    return begun_ == ended_ ? "no kernel was running; the last was " + last : "what ran was " + last;
}

}  // namespace warpsim::runtime
