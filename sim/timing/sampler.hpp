// Which CTAs of a grid are timed, and what these say of the others: its cycles and counts, and how wrong they may be.
#pragma once

#include "sim/engine/clock.hpp"
#include "sim/events.hpp"
#include "sim/timing_statistics.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace warpsim::timing {

using engine::Cycle;

/// What became of CTAs that are not timed.
struct SkippedCtas {
    std::uint64_t past = 0;                     // behind the last cluster of them (CTA, if there are no clusters)
    std::vector<sim::ExecutionCount> executed;  // of the PTX
};

struct Sampling {
    double error =
        0;  // relative, of the cycles, that may be expected in 5 of 100 launches; 0: everything is timed
    /// Runs clusters that are not timed to their ends, on the same memory: from `first` on, `most` of them, and more if
    /// these wait for more. `timed`: instructions that were executed so far otherwise. May throw sim::Fault.
    std::function<SkippedCtas(std::uint64_t first, std::uint64_t most, std::uint64_t timed)> run;
};

/// Follows a grid through stretches in which its CTAs are timed. In each the GPU fills, until the CTAs that it has begun with
/// have ended (a wave, as many as there is room for; of a few that take much longer it sees enough), and then its rate is measured over windows of a wave each. In the first one
/// until the cycles can be projected with the error that is asked for: then no more CTAs begin, those that have begun are
/// timed to their ends, and after that others follow that are not timed, up to the next stretch. Stretches lie at equal
/// distances, the last at the end of the grid; of a small grid the first is the only one.
///
/// No CTA begins before all earlier ones have ended or are being timed, so whatever waits for earlier CTAs goes on. If CTAs
/// that have begun do not end, they may be waiting for later ones: then the grid is timed to its end.
class Sampler {
public:
    /// Of a grid with so many clusters of so many CTAs.
    Sampler(std::uint64_t clusters, std::uint32_t ctas_per_cluster, double error)
        : clusters_(clusters), ctas_per_cluster_(ctas_per_cluster), error_(error), limit_(clusters) {}

    /// How the grid stands at the end of an epoch.
    struct Standing {
        Cycle now = 0;                                    // since its launch
        std::uint64_t next = 0, ended = 0, resident = 0;  // the next cluster, and CTAs
        std::uint64_t work = 0;                           // micro-ops that have been issued
        bool is_alone = false;                            // nothing else is under way on the GPU
    };
    /// Whether follow() wants to know how much work was done; the GPU must add them up.
    bool wants_work(Standing const& standing) const;
    enum class Action : std::uint8_t {
        nothing,
        begin_counting,  // the counts of all components from now on ...
        stop_counting,   // ... to now are those of the steady state
        skip,            // nothing is resident: clusters that are not timed are to be run, up to skip_until()
        go_on,           // CTAs begin again
    };
    Action follow(Standing const& standing);
    /// A CTA of that cluster has ended.
    void ended(std::uint64_t cluster) { first_left_ -= cluster >= first_ && cluster < first_past_ ? 1 : 0; }
    /// Clusters from here on do not begin for now.
    std::uint64_t limit() const { return limit_; }
    std::uint64_t skip_until() const;
    /// What was run then: clusters up to `past`, with as much work.
    void skipped(Standing const& standing, std::uint64_t past, std::uint64_t work);
    /// Nothing goes on, as the CTAs wait for others: all may begin. False: they may already.
    bool give_up(Cycle now);

    bool has_skipped() const { return skipped_work_ != 0; }
    /// Counting has begun and was not stopped: the grid may end before the window of its last stretch is over.
    bool is_counting() const { return state_ == State::measuring; }
    struct Projection {
        double cycles = 0;          // of the launch, from its beginning to its end
        double relative_error = 0;  // of them: 95 of 100 are not farther away
        double timed_share = 1;     // of the work
        double steady_factor = 0;   // what was not timed, in units of what was counted in the steady state
    };
    /// At the end of the grid, after so many cycles. `each`: how many micro-ops were issued for one that is expected of
    /// what was executed.
    Projection project(Cycle cycles, std::uint64_t work, double each) const;
    std::uint64_t skipped_ctas() const { return skipped_clusters_ * ctas_per_cluster_; }
    /// Why nothing was skipped, in words; empty if something was.
    std::string note() const;

private:
    enum class State : std::uint8_t { filling, measuring, draining, whole };
    struct Mark {
        Cycle at = 0;
        std::uint64_t work = 0;
    };
    struct Window {
        double cycles = 0, work = 0;
    };
    struct Stretch {
        std::vector<Window> windows;
        std::uint64_t begin = 0,
                      skipped_before = 0;  // work: that had been done, and since the stretch before
        double cycles_per_work() const;
        /// Of the mean, relative, with a confidence of 95 %.
        double error() const;
    };
    Action measure(Standing const& standing);
    void begin_stretch(Standing const& standing);
    void begin_window(Standing const& standing);
    void end_window(Standing const& standing);
    bool is_enough(Standing const& standing) const;
    bool is_filled(Standing const& standing) const;
    std::uint64_t wave_clusters() const;
    /// Of a stretch behind the first: it fills, is measured, and drains.
    std::uint64_t stretch_waves() const { return 2 + fill_waves_; }
    std::uint64_t stretch_count(std::uint64_t left) const;
    void plan_stretches(std::uint64_t next);
    double wave_cycles() const;
    double end_of_waves() const;
    double middle_cycles(double each) const;
    double rate_error() const;

    std::uint64_t const clusters_;
    std::uint32_t const ctas_per_cluster_;
    double const error_;
    State state_ = State::filling;
    std::uint64_t limit_;
    std::uint64_t wave_ = 0;                    // CTAs
    std::uint64_t first_ = 0, first_past_ = 0;  // clusters with which the stretch has begun; none yet
    std::uint64_t first_left_ = 0;              // CTAs of them that have not ended
    std::uint64_t fill_waves_ = 1;              // that the first stretch took to fill
    std::vector<Stretch> stretches_ = std::vector<Stretch>(1);
    std::vector<std::uint64_t> begins_;  // clusters with which the stretches behind the first begin
    std::uint64_t ended_then_ = 0;       // when the stretch or window began
    Mark window_, stretch_begin_, head_, tail_;
    struct Ending {
        Cycle at;
        std::uint64_t before, after;  // CTAs
    };
    std::vector<Ending> endings_;  // in the window
    std::uint64_t last_ended_ = 0;
    double lockstep_ = 0;  // 0: CTAs end one after the other; 1: all of a wave together
    bool has_tail_ = false, waited_ = false, was_beside_others_ = false;
    Cycle pause_ = 0;  // in which nothing began, in vain
    std::uint64_t skipped_clusters_ = 0, skipped_work_ = 0, steady_work_ = 0;
};

}  // namespace warpsim::timing
