#include "runtime/check/memory_check.hpp"

#include "runtime/check/fault_findings.hpp"
#include "sim/exec/op.hpp"

#include <algorithm>
#include <iterator>

namespace warpsim::check {

namespace {

std::string space_name(sim::SpaceKind space) {
    switch (space) {
        case sim::SpaceKind::global: return "global";
        case sim::SpaceKind::generic: return "generic";
        case sim::SpaceKind::shared: return "shared";
        case sim::SpaceKind::local: return "local";
        case sim::SpaceKind::constant: return "const";
        case sim::SpaceKind::param_entry:
        case sim::SpaceKind::frame_param: return "param";
    }
    return "";
}

/// The one that a wrong address was probably meant for.
std::optional<Finding::Allocation> nearest(sim::AllocationMap const& allocations, std::uint64_t address) {
    constexpr std::uint64_t near = std::uint64_t{1} << 20;
    auto const& all = allocations.all();
    auto const after = std::upper_bound(all.begin(), all.end(), address,
                                        [](std::uint64_t a, sim::Allocation const& one) { return a < one.begin; });
    if (after != all.begin()) {
        sim::Allocation const& below = *std::prev(after);
        if (address < below.end || address - below.end < near)
            return Finding::Allocation{below.begin, below.end - below.begin};
    }
    if (after != all.end() && after->begin - address < near)
        return Finding::Allocation{after->begin, after->end - after->begin};
    return std::nullopt;
}

}  // namespace

void MemoryCheck::bad_access(sim::BadAccessEvent const& e) {
    add_fault(findings_, Kind::memory, *launch_, e.fault, [&](Finding& finding) {
        finding.space = space_name(e.access.space);
        finding.address = e.address;
        finding.bytes = e.access.bytes;
        bool const is_global =
            e.access.space == sim::SpaceKind::global || e.access.space == sim::SpaceKind::generic;
        if (is_global) finding.allocation = nearest(launch_->allocations, e.address);
        bool const is_load = e.site.op.kind == sim::OpKind::load;
        finding.notes.push_back(is_load ? "the load gives 0 here, and the thread goes on"
                                        : "it is left out, and the thread goes on");
    });
}

void MemoryCheck::fault(sim::FaultEvent const& e) {
    if (launch_ != nullptr && kind_of(e.fault.kind) == Kind::memory)
        add_fault(findings_, Kind::memory, *launch_, e.fault);
}

}  // namespace warpsim::check
