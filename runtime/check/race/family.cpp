#include "runtime/check/race/family.hpp"

#include <utility>

namespace warpsim::check {

namespace {

/// All of the first three are the stream that the threads of a CTA share.
std::uint64_t stream_of(runtime::ChildRequest const& request) { return request.stream <= 2 ? 0 : request.stream; }

}  // namespace

std::shared_ptr<Family const> Families::begin(std::uint64_t grid) {
    std::unique_ptr<runtime::ChildRequest> const request = std::exchange(next_, nullptr);
    if (!request) *this = {};  // the host's: all of the one before is over
    std::shared_ptr<Family> const family = request ? made(*request) : std::make_shared<Family>();
    family->grid = grid;
    grids_[grid] = family;
    return family;
}

std::shared_ptr<Family> Families::made(runtime::ChildRequest const& request) const {
    auto family = std::make_shared<Family>();
    family->request = request;
    auto const asked = asked_.find({request.parent, request.cta, request.thread, request.number});
    if (asked != asked_.end()) {
        family->known = asked->second.known;
        family->call = asked->second.call;
    }
    auto const parent = grids_.find(request.parent);
    if (parent != grids_.end()) family->parent = parent->second;
    return family;
}

bool Families::are_ordered(Family const* earlier, Family const* later) const {
    Kinship const kin = kinship(earlier, later);
    if (kin.descendant != nullptr) return kin.descendant->request.is_tail;
    return kin.elder == nullptr || has_events_ || are_in_order(*kin.elder, *kin.younger);
}

Kinship kinship(Family const* earlier, Family const* later) {
    for (Family const* y = later; y != nullptr && y->parent; y = y->parent.get()) {
        if (y->parent.get() == earlier) return {y, nullptr, nullptr};
        for (Family const* x = earlier; x != nullptr && x->parent; x = x->parent.get())
            if (x->parent == y->parent && x != y) return {nullptr, x, y};
    }
    return {};
}

bool are_in_order(Family const& elder, Family const& younger) {
    runtime::ChildRequest const &a = elder.request, &b = younger.request;
    return b.is_tail || (a.is_in_order && b.is_in_order && a.cta == b.cta && stream_of(a) == stream_of(b));
}

}  // namespace warpsim::check
