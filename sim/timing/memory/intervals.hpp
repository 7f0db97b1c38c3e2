// The counts of one component in each interval of a run, which show how they change over time.
#pragma once

#include "sim/engine/clock.hpp"
#include "sim/timing_statistics.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace warpsim::timing {

using engine::Cycle;

class Intervals {
public:
    /// The length in cycles, and the beginning of the first interval; 0 when no samples were asked for.
    explicit Intervals(Cycle length, Cycle begin = 0)
        : length_(length), begin_(begin), end_(length == 0 ? engine::never : begin + length) {}

    bool wanted() const { return length_ != 0; }
    /// Whether the component has reached another interval: then it must note() its totals before it counts
    /// anything.
    bool ends_by(Cycle now) const { return now >= end_; }
    /// Adds the growth of the totals since the last call to the current interval; the interval of `now` becomes
    /// the current one.
    void note(Cycle now, sim::IntervalSample const& totals) {
        sim::IntervalSample& sample = at(static_cast<std::size_t>((end_ - begin_) / length_ - 1));
        if (totals != noted_) {  // most components of a small grid do nothing for most of the time
            sample += totals;
            sample -= noted_;
            noted_ = totals;
        }
        end_ = std::max(end_, begin_ + ((now - begin_) / length_ + 1) * length_);
    }
    /// For what is known only at its end, such as how long a warp waited: calls add(sample, cycles) for each
    /// interval that overlaps [from, until).
    template <class Add> void spread(Cycle from, Cycle until, Add&& add) {
        from -= begin_;
        until -= begin_;
        while (from < until) {
            Cycle const end = std::min(until, (from / length_ + 1) * length_);
            add(at(static_cast<std::size_t>(from / length_)), end - from);
            from = end;
        }
    }
    /// Adds everything to the samples of the GPU, and starts anew.
    void give_to(std::vector<sim::IntervalSample>& samples) {
        if (samples_.empty()) return;
        if (samples.size() < first_ + samples_.size()) samples.resize(first_ + samples_.size());
        for (std::size_t i = 0; i < samples_.size(); ++i) samples[first_ + i] += samples_[i];
        samples_.clear();
    }
    template <class Archive> void state(Archive& archive) { archive(end_, first_, samples_, noted_); }

private:
    sim::IntervalSample& at(std::size_t interval) {
        if (samples_.empty()) first_ = interval;
        if (interval < first_) {  // a long wait began before the last call of give_to()
            samples_.insert(samples_.begin(), first_ - interval, {});
            first_ = interval;
        }
        if (interval - first_ >= samples_.size()) samples_.resize(interval - first_ + 1);
        return samples_[interval - first_];
    }

    Cycle length_, begin_;
    Cycle end_;              // of the current interval
    std::size_t first_ = 0;  // interval of samples_[0]
    std::vector<sim::IntervalSample> samples_;
    sim::IntervalSample noted_;  // the totals at the last note()
};

}  // namespace warpsim::timing
