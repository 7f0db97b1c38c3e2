// Earlier launches of a program, which run again from copies of what there was when they began.
#include "runtime/debug/debugger.hpp"
#include "sim/demangled.hpp"

#include <algorithm>
#include <utility>

namespace warpsim::debug {

namespace {

/// For all of them together; the oldest are given up first.
constexpr std::uint64_t most_kept_bytes = std::uint64_t{1} << 30;

}  // namespace

void Debugger::note_begin() {
    if (!is_quiet())
        front_.note("[kernel " + std::to_string(launches_) + ", " + sim::demangled(kernel_) + ", begins]");
}

void Debugger::note_end(std::string const& how) {
    if (!is_quiet())
        front_.note("[kernel " + std::to_string(launches_) + ", " + sim::demangled(kernel_) + ", " + how + "]");
}

/// The present launch has ended. What runs again as a whole needs no copies.
void Debugger::keep(sim::FunctionalOptions const& options, std::shared_ptr<void const> owner) {
    if (can_run_again) return;
    if (!beginning_ || is_detached_) return kept_.clear();
    Kept kept{std::move(owner),       launch_,         symbols_, kernel_, launches_, options,
              *std::move(beginning_), beginning_bytes_};
    kept.options.sinks = [this](int) {
        sim::EventSinks sinks;
        sinks.add(*this);
        return sinks;
    };
    kept.options.counted = nullptr;
    kept.options.progress = nullptr;
    kept.options.waits_for_host = nullptr;
    kept.options.stop = nullptr;
    kept_.push_back(std::move(kept));
    std::uint64_t bytes = 0;
    for (Kept const& k : kept_) bytes += k.bytes;
    while (bytes > most_kept_bytes) {
        bytes -= kept_.front().bytes;
        kept_.pop_front();
    }
}

/// What has been freed since cannot be put back, and so nothing from before it.
std::uint64_t Debugger::first_kept() const {
    std::uint64_t first = present_;
    for (auto k = kept_.rbegin(); k != kept_.rend(); ++k) {
        bool const is_there = std::all_of(
            k->beginning.memory.begin(), k->beginning.memory.end(), [&](sim::Snapshot::Saved const& s) {
                return s.bytes.empty() || k->launch->memory.find(s.begin, s.bytes.size());
            });
        if (!is_there) break;
        first = k->number;
    }
    return first;
}

bool Debugger::leads_back() const {
    if (can_run_again || kept_.empty()) return false;
    if (launches_ != present_) return true;  // it is there already
    return search_ ? search_->is_whole : target_ && target_->launch < present_;
}

/// Another launch is the one that runs.
void Debugger::enter(std::uint64_t number) {
    launches_ = number;
    module_ = launch_->plan.module;
    at_cycle_.reset();
    breakpoints_changed();
    front_.launch_begins();
    if (search_) search_->line = {};
    note_begin();
}

void Debugger::run_earlier() {
    std::uint64_t next = search_ && search_->is_whole ? first_kept() : search_ ? launches_ : target_->launch;
    while (next < present_) {
        auto const kept =
            std::find_if(kept_.begin(), kept_.end(), [&](Kept const& k) { return k.number == next; });
        if (kept == kept_.end()) break;
        launch_ = kept->launch;
        symbols_ = kept->symbols;
        kernel_ = kept->kernel;
        try {
            run_kept(*kept);
            ++next;
        } catch (Again const&) {
            bool const is_elsewhere = search_ ? search_->is_whole : target_->launch != next;
            if (is_elsewhere) next = search_ ? first_kept() : target_->launch;
        }
    }
}

void Debugger::run_kept(Kept& kept) {
    count_ = 0;
    ctas_.clear();
    is_abandoned_ = false;
    enter(kept.number);
    sim::LaunchStatistics nothing;
    sim::run_from(kept.beginning, *kept.launch, kept.options, nothing);
    // As at the end of any launch.
    stops_at_launch_ = stops_at_launch_ || stepping_.has_value();
    stepping_.reset();
    if (target_ && !search_ && target_->launch <= launches_) target_.reset();
    ctas_.clear();
    note_end("has ended");
}

}  // namespace warpsim::debug
