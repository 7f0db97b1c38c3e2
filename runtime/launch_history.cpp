#include "runtime/launch_history.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace warpsim::runtime {

namespace {

constexpr std::size_t fewest_timed = 3, kept_rates = 8;
constexpr std::uint64_t first_interval = 8, longest_interval = 64;
/// A launch that executes so much more or less than the last timed one is another kind of launch.
constexpr double strange = 0.1;
/// As of CTAs that are skipped: caches stand otherwise.
constexpr double systematic_error = 0.01;

double real(std::uint64_t n) { return static_cast<double>(n); }

/// Student's t for a confidence of 95 %.
double student_t(std::size_t n) {
    constexpr std::array quantiles{12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36};
    return quantiles.at(std::clamp<std::size_t>(n, 1, quantiles.size()) - 1);
}

}  // namespace

double LaunchHistory::Known::mean() const {
    return std::accumulate(rates.begin(), rates.end(), 0.0) / real(rates.size());
}

/// Of one more launch, relative: the spread of those that were timed.
double LaunchHistory::Known::error() const {
    double const middle = mean();
    double squares = 0;
    for (double const rate : rates) squares += (rate / middle - 1) * (rate / middle - 1);
    double const n = real(rates.size());
    double const spread = student_t(rates.size() - 1) * std::sqrt(squares / (n - 1) * (1 + 1 / n));
    return std::hypot(spread, own_error, systematic_error);
}

void LaunchHistory::add(LaunchKind const& kind, LaunchResult const& timed) {
    if (!timed.timing || timed.instructions.warp == 0 || timed.status != sim::LaunchStatus::ok) return;
    Known& known = known_[kind];
    double const rate = real(timed.timing->cycles) / real(timed.instructions.warp);
    if (known.projected != 0) {
        // What was projected is checked: as long as it holds, more and more is.
        bool const holds = std::abs(rate / known.mean() - 1) <= error_ && !known.is_strange;
        known.interval = holds ? std::min(2 * known.interval, longest_interval) : first_interval;
        if (!holds) known.rates.clear();
    }
    known.rates.push_back(rate);
    if (known.rates.size() > kept_rates) known.rates.erase(known.rates.begin());
    known.own_error = timed.timing->sampling.error;
    known.last = timed;
    known.projected = 0;
    known.is_strange = false;
    ++known.timed;
}

bool LaunchHistory::may_project(LaunchKind const& kind) const {
    auto const found = known_.find(kind);
    if (found == known_.end()) return false;
    Known const& known = found->second;
    return known.rates.size() >= fewest_timed && known.projected < known.interval && !known.is_strange &&
           known.error() <= error_;
}

void LaunchHistory::project(LaunchKind const& kind, LaunchResult& executed) {
    Known& known = known_.at(kind);
    ++known.projected;
    double const share = real(executed.instructions.warp) / real(known.last.instructions.warp);
    known.is_strange = std::abs(share - 1) > strange;
    sim::TimingCounts const& last = *known.last.timing;
    sim::TimingCounts& t = executed.timing.emplace(last);
    static_cast<sim::SmCounts&>(t) = sim::times<sim::SmCounts>(last, share);
    t.l2 = sim::times(last.l2, share);
    t.dram = sim::times(last.dram, share);
    t.spills = sim::times(last.spills, share);
    for (sim::TimingCounts::Unit& unit : t.units) unit = sim::times(unit, share);
    t.cycles = static_cast<std::uint64_t>(std::llround(known.mean() * real(executed.instructions.warp)));
    for (std::size_t part = 0; part < sim::energy_parts; ++part) {
        bool const is_power = part <= static_cast<std::size_t>(sim::EnergyPart::sms);
        t.energy.joules[part] *= is_power ? real(t.cycles) / real(last.cycles) : share;
    }
    // Cycles need not follow what is executed.
    double const error = known.error() + (known.is_strange ? std::abs(share - 1) : 0);
    t.sampling = {true, true, 0, known.timed, error, ""};
}

}  // namespace warpsim::runtime
