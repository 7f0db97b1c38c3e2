#include "sim/timing/sampler.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace warpsim::timing {

namespace {

constexpr std::size_t fewest_windows = 3;  // of the first stretch
constexpr std::size_t kept_windows = 8;    // the last ones: the rate may still have changed before
/// So many windows are enough of a large grid, whatever they say: stretches behind will tell what else there is.
constexpr std::size_t most_windows = 24;
constexpr std::uint64_t large_waves = 18;
/// A grid with a remainder of so many waves has a further stretch for each time that it has as many; a stretch takes some.
constexpr std::uint64_t waves_per_stretch = 16, most_stretches = 8;
/// The GPU has filled after so many waves, even if CTAs of the first one still run.
constexpr std::uint64_t longest_fill = 8;
/// What no spread shows: caches and DRAM stand otherwise behind CTAs that were skipped. Relative, of what is projected.
constexpr double systematic_error = 0.02;
/// ... and CTAs that execute more or less than those that were timed also differ otherwise: a share of the logarithm of the
/// ratio.
constexpr double unlike_error = 0.15;
constexpr Cycle shortest_patience = 20000;
constexpr double patience_waves = 8;

/// Student's t: of 100 means of n + 1 values 95 are within so many standard errors.
double student_t(std::size_t n) {
    constexpr std::array quantiles{12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23};
    return n == 0 ? quantiles[0] : n <= quantiles.size() ? quantiles[n - 1] : 2.1;
}

double real(std::uint64_t n) { return static_cast<double>(n); }

}  // namespace

double Sampler::Stretch::cycles_per_work() const {
    double cycles = 0, work = 0;
    for (std::size_t i = windows.size() - std::min(windows.size(), kept_windows); i < windows.size(); ++i) {
        cycles += windows[i].cycles;
        work += windows[i].work;
    }
    return cycles / std::max(work, 1.0);
}

double Sampler::Stretch::error() const {
    std::size_t const n = std::min(windows.size(), kept_windows);
    if (n < 2) return 0;
    double const mean = cycles_per_work();
    double squares = 0;
    for (std::size_t i = windows.size() - n; i < windows.size(); ++i) {
        double const off = windows[i].cycles / std::max(windows[i].work, 1.0) / mean - 1;
        squares += off * off;
    }
    return student_t(n - 1) * std::sqrt(squares / real((n - 1) * n));
}

bool Sampler::wants_work(Standing const& standing) const {
    bool const is_at_end = standing.next == clusters_;
    if (has_skipped() && !has_tail_ && is_at_end) return true;
    switch (state_) {
        case State::filling: return is_filled(standing);
        case State::measuring:
            return standing.ended - ended_then_ >= wave_ || (is_at_end && stretches_.size() == 1);
        case State::draining: return standing.resident == 0;
        case State::whole: break;
    }
    return false;
}

Sampler::Action Sampler::follow(Standing const& standing) {
    was_beside_others_ |= !standing.is_alone;
    if (has_skipped() && !has_tail_ && standing.next == clusters_ && state_ != State::draining) {
        has_tail_ = true;
        tail_ = {standing.now, standing.work};
    }
    switch (state_) {
        case State::filling:
            if (first_past_ == 0) {
                if (standing.next == clusters_ && wave_ == 0) state_ = State::whole;
                else if (standing.next != first_) begin_stretch(standing);
                return Action::nothing;
            }
            if (!is_filled(standing)) return Action::nothing;
            if (stretches_.size() == 1) fill_waves_ = (standing.ended + wave_ - 1) / wave_;
            state_ = State::measuring;
            begin_window(standing);
            stretch_begin_ = window_;
            return Action::begin_counting;
        case State::measuring: return measure(standing);
        case State::draining:
            if (standing.resident == 0) return Action::skip;
            return real(standing.now - window_.at) > real(shortest_patience) + patience_waves * wave_cycles() &&
                           give_up(standing.now)
                       ? Action::go_on
                       : Action::nothing;
        case State::whole: break;
    }
    return Action::nothing;
}

/// As many CTAs have begun as there is room for.
void Sampler::begin_stretch(Standing const& standing) {
    if (wave_ == 0) wave_ = standing.resident;
    first_past_ = standing.next;
    first_left_ = (first_past_ - first_) * ctas_per_cluster_;
}

/// CTAs that take long have few others beside them at first: a rate is that of all only when these are among them.
bool Sampler::is_filled(Standing const& standing) const {
    std::uint64_t const ended = standing.ended - ended_then_;
    return first_past_ != 0 && ended >= wave_ && (first_left_ <= wave_ / 16 || ended >= longest_fill * wave_);
}

Sampler::Action Sampler::measure(Standing const& standing) {
    if (standing.ended != last_ended_) endings_.push_back({standing.now, last_ended_, standing.ended});
    last_ended_ = standing.ended;
    bool const is_first = stretches_.size() == 1;
    bool const is_over = standing.ended - ended_then_ >= wave_;
    if (is_over) end_window(standing);
    bool const is_at_end = standing.next == clusters_;
    if (!is_at_end && (!is_over || (is_first && !is_enough(standing)))) {
        if (is_over) begin_window(standing);
        return Action::nothing;
    }
    if (is_at_end && !is_over && !is_first)
        return Action::nothing;  // the window of the last stretch ends behind it
    steady_work_ += standing.work - stretch_begin_.work;
    if (is_at_end || (!is_first && begins_.empty())) {
        state_ = State::whole;
        return Action::stop_counting;
    }
    if (is_first) {
        plan_stretches(standing.next);
        head_ = {standing.now, standing.work};
    }
    state_ = State::draining;
    limit_ = standing.next;
    window_ = tail_ = {standing.now, standing.work};
    return Action::stop_counting;
}

void Sampler::begin_window(Standing const& standing) {
    window_ = {standing.now, standing.work};
    ended_then_ = last_ended_ = standing.ended;
    endings_.clear();
}

void Sampler::end_window(Standing const& standing) {
    Window const window{real(standing.now - window_.at), real(standing.work - window_.work)};
    stretches_.back().windows.push_back(window);
    if (stretches_.size() != 1) return;
    double const all = real(standing.ended - ended_then_);
    double farthest = 0;
    for (Ending const& e : endings_) {
        double const time = real(e.at - window_.at) / std::max(window.cycles, 1.0);
        for (std::uint64_t const ended : {e.before, e.after})
            farthest = std::max(farthest, std::abs(real(ended - ended_then_) / all - time));
    }
    lockstep_ = farthest;
}

double Sampler::wave_cycles() const {
    std::vector<Window> const& windows = stretches_.front().windows;
    std::size_t const n = std::min(windows.size(), kept_windows);
    double sum = 0;
    for (std::size_t i = windows.size() - n; i < windows.size(); ++i) sum += windows[i].cycles;
    return n == 0 ? 0 : sum / real(n);
}

/// By how much the end of the grid may be later or earlier, as its last wave is not whole.
double Sampler::end_of_waves() const { return lockstep_ * wave_cycles() / 2; }

bool Sampler::is_enough(Standing const& standing) const {
    std::uint64_t const left = (clusters_ - standing.next) * ctas_per_cluster_;
    std::size_t const windows = stretches_.front().windows.size();
    if (!standing.is_alone || left < 2 * wave_ || windows < fewest_windows) return false;
    if (windows >= most_windows && left >= large_waves * wave_) return true;
    double const each = real(standing.work) / (real(standing.ended) + real(standing.resident) / 2);
    double const rest = real(left) * each * stretches_.front().cycles_per_work();
    double const total = real(standing.now) + rest;
    double const end = stretch_count(left / ctas_per_cluster_) == 0 ? end_of_waves() : 0;
    return std::hypot(stretches_.front().error() * rest, systematic_error * rest, end) <= error_ * total;
}

std::uint64_t Sampler::wave_clusters() const { return std::max<std::uint64_t>(wave_ / ctas_per_cluster_, 1); }

/// How many follow the first, with so many clusters left.
std::uint64_t Sampler::stretch_count(std::uint64_t left) const {
    return std::min(3 * left / (waves_per_stretch * stretch_waves() * wave_clusters()), most_stretches);
}

void Sampler::plan_stretches(std::uint64_t next) {
    std::uint64_t const count = stretch_count(clusters_ - next);
    if (count == 0) return;
    // The last wave is as large as it would be, if CTAs end in waves.
    std::uint64_t const wave = wave_clusters(), last = clusters_ - stretch_waves() * wave - clusters_ % wave;
    for (std::uint64_t i = 1; i <= count; ++i) begins_.push_back(next + (last - next) * i / count);
}

std::uint64_t Sampler::skip_until() const { return begins_.empty() ? clusters_ : begins_.front(); }

void Sampler::skipped(Standing const& standing, std::uint64_t past, std::uint64_t work) {
    skipped_clusters_ += past - standing.next;
    skipped_work_ += work;
    stretches_.push_back({{}, standing.work, work});
    ended_then_ = standing.ended;
    first_ = past;
    first_past_ = 0;
    limit_ = clusters_;
    has_tail_ = past == clusters_;
    state_ = has_tail_ ? State::whole : State::filling;
    if (!begins_.empty()) begins_.erase(begins_.begin());
}

bool Sampler::give_up(Cycle now) {
    if (state_ != State::draining) return false;
    state_ = State::whole;
    limit_ = clusters_;
    waited_ = true;
    pause_ += now - window_.at;
    return true;
}

double Sampler::middle_cycles(double each) const {
    double cycles = 0, rate = 0;
    for (std::size_t i = 0; i < stretches_.size(); ++i) {
        Stretch const& here = stretches_[i];
        double const own = here.windows.empty() ? rate : here.cycles_per_work();
        std::uint64_t const begin = i == 0 ? head_.work : here.begin;
        std::uint64_t const end =
            std::min(i + 1 < stretches_.size() ? stretches_[i + 1].begin : tail_.work, tail_.work);
        if (i != 0) cycles += each * real(here.skipped_before) * (rate + own) / 2;
        cycles += real(end - std::min(begin, end)) * own;
        rate = own;
    }
    return cycles;
}

/// Of the mean rate, relative: by what the stretches differ from one to the next, as their order may matter, and by what
/// the windows of the first do.
double Sampler::rate_error() const {
    double squares = 0, last = stretches_.front().cycles_per_work();
    double low = last, high = last;
    std::size_t steps = 0;
    for (Stretch const& stretch : stretches_) {
        if (stretch.windows.empty() || &stretch == &stretches_.front()) continue;
        double const rate = stretch.cycles_per_work();
        squares += (rate - last) * (rate - last);
        low = std::min(low, rate);
        high = std::max(high, rate);
        last = rate;
        ++steps;
    }
    double const within = stretches_.front().error() / std::sqrt(real(steps + 1));
    if (steps == 0) return within;
    double const between = student_t(steps) * std::sqrt(squares / real(2 * steps * (steps + 1)));
    return std::hypot(within, std::min(between, high - low) / ((low + high) / 2));
}

Sampler::Projection Sampler::project(Cycle cycles, std::uint64_t work, double each) const {
    Projection p{real(cycles), real(pause_) / std::max(real(cycles), 1.0), 1, 0};
    if (!has_skipped()) return p;
    double const middle = middle_cycles(each), skipped = each * real(skipped_work_);
    bool const is_tail_projected = stretches_.back().windows.empty();
    double const end = is_tail_projected ? end_of_waves() : 0;
    p.cycles = real(head_.at) + middle + real(cycles - tail_.at) + end;
    double const timed = real(work) / real(clusters_ - skipped_clusters_);
    double const ratio = skipped / real(skipped_clusters_) / timed;
    double const unlike = unlike_error * std::abs(std::log(std::max(ratio, 1e-3)));
    double const wrong = std::hypot(rate_error() * middle, std::hypot(systematic_error, unlike) * middle, end);
    p.relative_error = (wrong + real(pause_)) / p.cycles;
    p.timed_share = real(work) / (real(work) + skipped);
    std::uint64_t const steady = steady_work_ + (is_counting() ? work - stretch_begin_.work : 0);
    p.steady_factor = skipped / std::max(real(steady), 1.0);
    return p;
}

std::string Sampler::note() const {
    if (has_skipped()) return "";
    if (waited_) return "its CTAs wait for others";
    if (was_beside_others_) return "other kernels or copies were beside it";
    bool const is_small = stretches_.front().windows.size() < fewest_windows;
    return is_small ? "it has too few CTAs" : "its rate was not steady enough";
}

}  // namespace warpsim::timing
