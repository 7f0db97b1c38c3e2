// Which kernel runs, for those who have to say so.
#pragma once

#include "sim/events.hpp"

#include <cstdint>
#include <mutex>
#include <string>

namespace warpsim::runtime {

class LaunchWatch final : public sim::EventSink {
public:
    sim::EventMask wants() const override { return sim::event_mask(sim::EventKind::launch); }
    void launch_begins(sim::LaunchBegin const& e) override;
    void launch_ends(sim::LaunchEnd const& e) override;

    /// A launch is in the reports now, however it has ended.
    void launch_told();

    /// Whether all launches are in the reports: one that has just ended may not be yet.
    bool is_idle() const;
    /// "no kernel was running; the last was scale(float*), launch 3"
    std::string text() const;

private:
    mutable std::mutex mutex_;  // of several devices
    std::string kernel_;
    std::uint64_t begun_ = 0, ended_ = 0, told_ = 0;
};

}  // namespace warpsim::runtime
