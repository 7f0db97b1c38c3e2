// Grids, copies and fills that a kernel asks for, and how they stand to each other ("CUDA Dynamic Parallelism" in the CUDA Programming Guide).
#pragma once

#include "runtime/check/findings/act.hpp"
#include "runtime/check/race/clock.hpp"
#include "runtime/work_order.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>

namespace warpsim::check {

/// A grid among those that descend from one launch of the host, or a copy or fill that one of them has asked for.
struct Family {
    std::uint64_t grid = 0;  // its id
    runtime::ChildRequest request;
    Knowledge known;   // to the thread that asked for it, of its own grid, when it did
    Instruction call;  // by which it asked
    std::shared_ptr<Family const> parent;
};

/// The family of the present launch.
class Families {
public:
    /// A thread calls a function that asks for work.
    void ask(std::uint64_t grid, Thread const& thread, Knowledge known, Instruction call) {
        std::uint32_t const number = ++calls_[{grid, thread.cta, thread.number}];
        asked_[{grid, thread.cta, thread.number, number}] = {std::move(known), call};
    }
    /// Events of kernels order grids, too, in a way that is not looked at.
    void use_events() { has_events_ = true; }
    bool has_events() const { return has_events_; }
    /// The next grid is one that a kernel has launched.
    void announce(runtime::ChildRequest const& request) {
        next_ = std::make_unique<runtime::ChildRequest>(request);
    }
    bool is_next_child() const { return next_ != nullptr; }
    std::shared_ptr<Family const> begin(std::uint64_t grid);
    /// A copy or fill.
    std::shared_ptr<Family const> moving(runtime::ChildRequest const& request) const { return made(request); }
    /// Whether the later of two is known to begin when the other is over, as far as that does not depend on what single threads know.
    bool are_ordered(Family const* earlier, Family const* later) const;

private:
    struct Asked {
        Knowledge known;
        Instruction call;
    };
    std::shared_ptr<Family> made(runtime::ChildRequest const& request) const;

    std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>, std::uint32_t> calls_;
    std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint32_t, std::uint32_t>, Asked> asked_;
    std::map<std::uint64_t, std::shared_ptr<Family const>> grids_;
    std::unique_ptr<runtime::ChildRequest> next_;
    bool has_events_ = false;
};

/// Of two grids of one family, where the earlier one has run before the other.
struct Kinship {
    Family const* descendant = nullptr;  // of the earlier one, its child, from which the later one descends; or
    Family const *elder = nullptr, *younger = nullptr;  // siblings, from which they descend or which they are
};
/// Nothing: they are of different families.
Kinship kinship(Family const* earlier, Family const* later);
/// Whether siblings do not run at once.
bool are_in_order(Family const& elder, Family const& younger);

}  // namespace warpsim::check
