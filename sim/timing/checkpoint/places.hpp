// What pointers in the state of a GPU lead to, as numbers: clusters, parts of the plans of grids. A GPU that was made anew
// with the same grids has the same numbers.
#pragma once

#include "sim/exec/warp.hpp"
#include "sim/timing/memory/messages.hpp"
#include "sim/timing/plan/timing_plan.hpp"

#include <array>
#include <cstdint>
#include <stdexcept>
#include <unordered_map>
#include <vector>

namespace warpsim::timing {

class Places {
public:
    /// A grid on the GPU. Its plans outlive this.
    void add(GridNumber number, sim::KernelPlan const& functional, TimingPlan const& timing) {
        grids_[number] = {&functional, &timing};
        for (sim::FunctionPlan const& f : functional.functions) {
            for (std::uint32_t i = 0; i < f.details.size(); ++i)
                details_.emplace(f.details[i].get(), Place{f.plan_index, i});
        }
    }
    /// The next cluster; of those that begin later the storage is reused, so it is the storage that has a number.
    void add(sim::Cluster& cluster) {
        numbers_.emplace(&cluster, static_cast<std::uint32_t>(clusters_.size()));
        clusters_.push_back(&cluster);
    }
    /// State of this grid follows.
    void enter(GridNumber number) {
        here_ = grids_[number];
        if (here_.functional == nullptr) throw std::logic_error("state of a grid that is not on the GPU");
    }
    sim::KernelPlan const& plan() const { return *here_.functional; }

    template <class Archive, class Cluster> void cluster(Archive& archive, Cluster*& to) const {
        std::uint32_t number = none;
        if (to != nullptr) number = numbers_.at(to);
        archive(number);
        to = number == none ? nullptr : clusters_.at(number);
    }
    template <class Archive, class Cta> void cta(Archive& archive, Cta*& to) const {
        sim::Cluster* of = to == nullptr ? nullptr : static_cast<sim::Cluster*>(to->cluster);
        std::uint32_t rank = to == nullptr ? 0 : to->rank;
        cluster(archive, of);
        archive(rank);
        to = of == nullptr ? nullptr : &of->ctas.at(rank);
    }
    template <class Archive> void function(Archive& archive, sim::FunctionPlan const*& to) const {
        std::uint32_t number = to == nullptr ? none : to->plan_index;
        archive(number);
        to = number == none ? nullptr : &plan().functions.at(number);
    }
    /// An element of a list of functions of the plan: `list(function)`.
    template <class Archive, class T, class Functions, class List>
    void element(Archive& archive, T const*& to, Functions const& functions, List&& list) const {
        Place place = to == nullptr ? Place{} : place_of(to, functions, list);
        archive(place);
        to = place.function == none ? nullptr : list(functions.at(place.function)).data() + place.index;
    }
    template <class Archive> void op(Archive& archive, sim::Op const*& to) const {
        element(
            archive, to, plan().functions, [](auto const& f) -> auto const& { return f.ops; });
    }
    template <class Archive> void call(Archive& archive, sim::CallPlan const*& to) const {
        element(
            archive, to, plan().functions, [](auto const& f) -> auto const& { return f.calls; });
    }
    template <class Archive> void results(Archive& archive, BoardSlot const*& to) const {
        element(
            archive, to, here_.timing->functions, [](auto const& f) -> auto const& { return f.results; });
    }
    /// What the plan says of an effect.
    template <class Archive, class T> void detail(Archive& archive, T const*& to) const {
        Place place;
        if (to != nullptr) place = details_.at(to);
        archive(place);
        if (place.function == none) to = nullptr;
        else to = static_cast<T const*>(plan().functions.at(place.function).details.at(place.index).get());
    }

private:
    static constexpr std::uint32_t none = UINT32_MAX;
    struct Place {
        std::uint32_t function = none, index = 0;
    };
    template <class T, class Functions, class List>
    static Place place_of(T const* to, Functions const& functions, List&& list) {
        for (std::uint32_t f = 0; f < functions.size(); ++f) {
            auto const& all = list(functions[f]);
            if (to >= all.data() && to < all.data() + all.size())
                return {f, static_cast<std::uint32_t>(to - all.data())};
        }
        throw std::logic_error("a pointer into a plan of no grid on the GPU");
    }

    struct Plans {
        sim::KernelPlan const* functional = nullptr;
        TimingPlan const* timing = nullptr;
    };
    std::array<Plans, 256> grids_{};
    Plans here_;
    std::vector<sim::Cluster*> clusters_;
    std::unordered_map<sim::Cluster const*, std::uint32_t> numbers_;
    std::unordered_map<void const*, Place> details_;
};

}  // namespace warpsim::timing
