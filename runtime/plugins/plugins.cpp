#include "runtime/plugins/plugins.hpp"

#include "frontend/ir/module.hpp"
#include "runtime/log.hpp"
#include "runtime/part_sinks.hpp"
#include "sim/exec/launch_context.hpp"
#include "sim/exec/warp.hpp"
#include "sim/plugin/guards.hpp"
#include "sim/timing/placements.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace warpsim::plugins {

namespace {

plugin::Space space_of(sim::SpaceKind space) {
    switch (space) {
        case sim::SpaceKind::global: return plugin::Space::global;
        case sim::SpaceKind::shared: return plugin::Space::shared;
        case sim::SpaceKind::local: return plugin::Space::local;
        case sim::SpaceKind::constant: return plugin::Space::constant;
        default: return plugin::Space::other;
    }
}

/// One part of a launch, for the observers that were made for it.
class Part final : public sim::EventSink {
public:
    Part(sim::LaunchContext const& launch, std::uint32_t number,
         std::vector<std::unique_ptr<plugin::Observer>> observers)
        : launch_(launch), number_(number) {
        for (auto& observer : observers) {
            std::uint32_t const wants = observer->wants();
            wants_ |= wants;
            observers_.push_back({std::move(observer), wants});
        }
    }

    std::uint32_t number() const { return number_; }
    sim::EventMask wants() const override {
        using Kind = sim::EventKind;
        auto const if_wanted = [&](plugin::Observer::Event event, Kind kind) {
            return (wants_ & event) != 0 ? sim::event_mask(kind) : 0;
        };
        return if_wanted(plugin::Observer::ctas, Kind::cta) |
               if_wanted(plugin::Observer::instructions, Kind::instruction) |
               if_wanted(plugin::Observer::accesses, Kind::access) |
               if_wanted(plugin::Observer::issues, Kind::micro_op);
    }
    void cta_starts(sim::CtaStart const& e) override {
        tell(plugin::Observer::ctas, [&](plugin::Observer& o) { o.cta_starts({e.cta.id, 0, e.cycle}); });
    }
    void cta_ends(sim::CtaEnd const& e) override {
        tell(plugin::Observer::ctas, [&](plugin::Observer& o) { o.cta_ends({e.cta.id, 0, e.cycle}); });
    }
    void instruction(sim::InstructionEvent const& e) override {
        plugin::InstructionInfo const info = instruction_of(e.site, e.active, e.mask);
        tell(plugin::Observer::instructions, [&](plugin::Observer& o) { o.executes(info); });
    }
    void access(sim::AccessEvent const& e) override {
        plugin::AccessInfo info{instruction_of(e.site, e.addresses.mask, e.addresses.mask),
                                space_of(e.space),
                                e.site.op.kind != sim::OpKind::store,
                                e.site.op.kind != sim::OpKind::load,
                                e.access.bytes,
                                addresses_};
        for (int lane = 0; lane < 32; ++lane)
            addresses_[static_cast<std::size_t>(lane)] =
                (e.addresses.mask >> lane & 1) != 0 ? e.addresses.of(lane) : 0;
        tell(plugin::Observer::accesses, [&](plugin::Observer& o) { o.accesses_memory(info); });
    }
    void micro_op(sim::MicroOpEvent const& e) override {
        tell(plugin::Observer::issues, [&](plugin::Observer& o) {
            o.issues_micro_op({e.cta.id, e.warp.index, e.cycle});
        });
    }
    void finish(plugin::LaunchInfo const& info) {
        for (auto& [observer, wants] : observers_) observer->finished(info);
    }

private:
    template <class Call> void tell(plugin::Observer::Event event, Call&& call) {
        for (auto& [observer, wants] : observers_)
            if ((wants & event) != 0) call(*observer);
    }
    plugin::InstructionInfo instruction_of(sim::Site const& site, std::uint32_t active, std::uint32_t mask) {
        auto const function = static_cast<std::uint64_t>(site.frame.function - launch_.plan.functions.data());
        std::uint64_t const number = function << 32 | site.op.instruction;
        auto [place, is_new] = places_.try_emplace(number);
        if (is_new)
            place->second =
                launch_.plan.module->place(site.frame.function->function->instructions[site.op.instruction]);
        return {{site.cta.id, site.warp.index, site.cycle}, number, place->second, active, mask};
    }

    struct Listening {
        std::unique_ptr<plugin::Observer> observer;
        std::uint32_t wants;
    };
    sim::LaunchContext const& launch_;
    std::uint32_t number_, wants_ = 0;
    std::vector<Listening> observers_;
    std::unordered_map<std::uint64_t, std::string> places_;
    std::array<std::uint64_t, 32> addresses_{};
};

class Observers final : public sim::EventSink, public runtime::PartSinks {
public:
    explicit Observers(bool is_timing) : is_timing_(is_timing) {}

    sim::EventMask wants() const override { return sim::event_mask(sim::EventKind::launch); }
    bool listens_to(sim::LaunchContext const&) override { return true; }
    std::shared_ptr<sim::EventSink> part(sim::LaunchContext const& launch, std::uint32_t sm) override {
        std::lock_guard const lock(mutex_);
        auto& parts = parts_[launch.number];
        plugin::ObserverSettings settings;
        settings.part = is_timing_ ? sm : static_cast<std::uint32_t>(parts.size());
        settings.is_timing = is_timing_;
        return parts.emplace_back(
            std::make_shared<Part>(launch, settings.part, plugin::Components::all().make_observers(settings)));
    }
    void launch_ends(sim::LaunchEnd const& e) override {
        std::unique_lock lock(mutex_);
        std::vector<std::shared_ptr<Part>> parts = std::exchange(parts_[e.launch.number], {});
        parts_.erase(e.launch.number);
        lock.unlock();
        std::stable_sort(parts.begin(), parts.end(),
                         [](auto const& a, auto const& b) { return a->number() < b->number(); });
        for (auto const& part : parts) part->finish({e.launch.number, e.kernel, e.launch.grid, e.launch.block});
        // Nobody asks for it any more: timing mode does while it runs.
        if (std::string const failure = plugin::take_failure(); !failure.empty()) log::failure(failure);
    }

private:
    bool const is_timing_;
    std::mutex mutex_;
    std::map<std::uint64_t, std::vector<std::shared_ptr<Part>>> parts_;  // by launch
};

}  // namespace

void load(std::vector<std::string> const& libraries) {
    plugin::Components& all = timing::all_components();
    for (std::string const& library : libraries) all.load(library);
}

void observe(runtime::DeviceOptions& device) {
    if (!plugin::Components::all().has_observers()) return;
    auto const one = std::make_shared<Observers>(device.mode == runtime::Mode::timing);
    device.sinks.push_back(one);
    device.part_sinks.push_back(one);
}

}  // namespace warpsim::plugins
