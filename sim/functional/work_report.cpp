#include "sim/functional/work_report.hpp"

#include "sim/exec/code_runner.hpp"
#include "sim/host_clock.hpp"

namespace warpsim::sim {

namespace {

// Enough for its rate to mean something.
constexpr std::uint64_t much = 1 << 16;

}  // namespace

WorkReport::WorkReport(LaunchContext const& launch, Interpreter const& interpreter, Schedule const& schedule)
    : launch_(launch), interpreter_(interpreter), schedule_(schedule) {
    if (launch_.code != nullptr) work_.code = launch_.code->current();
}

WorkReport::~WorkReport() {
    if (launch_.code != nullptr) tell();
}

void WorkReport::begin_stretch() {
    if (launch_.code != nullptr) begin_ = HostClock::ticks();
}

void WorkReport::end_stretch() {
    if (launch_.code == nullptr) return;
    ticks_ += HostClock::ticks() - begin_;
    work_.warp_instructions += stretch_;
    stretch_ = 0;
    if (work_.warp_instructions >= much) tell();
}

void WorkReport::drop_stretch() {
    stretch_ = 0;
    begin_stretch();
}

void WorkReport::tell() {
    CompiledKernel const* const now = launch_.code->current();
    if (work_.warp_instructions != 0) {
        work_.ns = HostClock::nanoseconds(ticks_ - told_ticks_);
        // Of all threads, if they are as far as this one.
        double const left = schedule_.share_left() * static_cast<double>(schedule_.limits().workers);
        work_.ns_left = static_cast<std::uint64_t>(static_cast<double>(HostClock::nanoseconds(ticks_)) * left);
        work_.is_mixed = work_.code != now;
        work_.has_some_lanes = launch_.threads() % isa::warp_size != 0 || interpreter_.has_diverged() ||
                               interpreter_.compiled()->has_mismatched();
        launch_.code->add_work(work_);
    }
    told_ticks_ = ticks_;
    work_ = {};
    work_.code = now;
}

}  // namespace warpsim::sim
