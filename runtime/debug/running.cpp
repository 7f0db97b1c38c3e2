// Launches of timing mode that are under way together: the debugger looks at one of them, and turns to another one when
// something happens there, or when its user wants to see it.
#include "runtime/debug/debugger.hpp"

#include <algorithm>
#include <bit>

namespace warpsim::debug {

std::vector<Debugger::Launch> Debugger::running() {
    if (running_.size() < 2) return {{launches_, kernel_, launch_, ctas_.size()}};
    std::vector<Launch> all;
    for (Running const& r : running_) {
        all.push_back({r.number, r.kernel, r.launch, 0});
        for (sim::Cta const* const cta : ctas_) all.back().blocks += launch_of(*cta) == r.launch;
    }
    return all;
}

bool Debugger::turn_to(sim::LaunchContext const* launch) {
    auto const wanted =
        std::find_if(running_.begin(), running_.end(), [&](Running const& r) { return r.launch == launch; });
    if (wanted == running_.end()) return false;
    if (launch_ == launch && launches_ == wanted->number) return true;
    auto const present = std::find_if(running_.begin(), running_.end(), [&](Running const& r) {
        return r.launch == launch_ && r.number == launches_;
    });
    if (present != running_.end()) present->count = count_;
    launch_ = launch;
    symbols_ = wanted->symbols;
    launches_ = wanted->number;
    kernel_ = wanted->kernel;
    count_ = wanted->count;
    launched_at_ = wanted->launched_at;
    if (std::exchange(module_, launch->plan.module) != module_) breakpoints_changed();
    return true;
}

bool Debugger::turn_to(std::uint64_t number) {
    auto const wanted =
        std::find_if(running_.begin(), running_.end(), [&](Running const& r) { return r.number == number; });
    return wanted != running_.end() && turn_to(wanted->launch);
}

sim::LaunchContext const* Debugger::launch_of(sim::Cta const& cta) {
    sim::LaunchContext const*& owner = owners_[&cta];
    if (owner == nullptr && gpu_ != nullptr) owner = gpu_->launch_of(cta);
    return owner;
}

void Debugger::turn_to_launch_of(sim::Cta const& cta) {
    if (running_.size() > 1) turn_to(launch_of(cta));
}

std::vector<sim::Cta*> const& Debugger::its_ctas() {
    if (running_.size() < 2) return ctas_;
    its_ctas_.clear();
    for (sim::Cta* const cta : ctas_)
        if (launch_of(*cta) == launch_) its_ctas_.push_back(cta);
    return its_ctas_;
}

bool Debugger::ends_beside_others() {
    std::erase_if(running_, [&](Running const& r) { return r.number == launches_; });
    if (running_.empty()) return false;
    launch_ = nullptr;
    turn_to(running_.front().launch);
    return true;
}

bool Debugger::look_at(std::uint64_t kernel) {
    if (!turn_to(kernel) || its_ctas().empty()) {
        turn_to(focus_.kernel);
        return false;
    }
    auto const live =
        std::find_if(its_ctas_.begin(), its_ctas_.end(), [](sim::Cta const* c) { return !c->has_ended(); });
    sim::Cta const& cta = live != its_ctas_.end() ? **live : *its_ctas_.front();
    focus_ = {cta.id, 0, 0, kernel};
    for (sim::Warp const& warp : cta.warps)
        if (warp.live() != 0) {
            focus_.warp = warp.index;
            focus_.lane = std::countr_zero(warp.live());
            break;
        }
    bool const is_there = stopped_at_ != nullptr && stopped_in_ == kernel;
    machine_.emplace(*launch_, is_there ? stopped_at_ : nullptr, is_there ? stopped_lanes_ : 0, its_ctas());
    return true;
}

}  // namespace warpsim::debug
