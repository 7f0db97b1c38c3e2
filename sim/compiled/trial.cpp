#include "sim/compiled/trial.hpp"

#include <algorithm>

namespace warpsim::sim {

namespace {

// So much quicker than anything measured before: what ran before need not have another turn.
constexpr double beyond_doubt = 0.75;

double median(std::vector<double> values) {
    auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace

Trial::Verdict Trial::add(KernelWork const& work) {
    if (work.is_mixed || work.code != turn() || work.warp_instructions == 0) return Verdict::open;
    rates_[side()].push_back(static_cast<double>(work.ns) / static_cast<double>(work.warp_instructions));
    if (rates_[side()].size() < reports_of_turn * (turn_ / 2 + 1)) return Verdict::open;
    if (turn_ == 0 && median(rates_[0]) < beyond_doubt * ns_before_) return Verdict::quicker;
    if (++turn_ < turns) return Verdict::open;
    return ratio() <= 1 ? Verdict::quicker : Verdict::slower;
}

double Trial::ratio() const { return rates_[1].empty() ? 1 : median(rates_[0]) / median(rates_[1]); }

}  // namespace warpsim::sim
