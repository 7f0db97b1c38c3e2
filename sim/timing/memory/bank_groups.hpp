// What banks of one group share, so that commands to the same group need a longer time between them than others; and how
// many rows a channel may open in a time. Cycles of the memory clock.
#pragma once

#include "sim/config/config.hpp"
#include "sim/engine/clock.hpp"
#include "sim/plugin/plugin.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpsim::timing {

using engine::Cycle;

/// Neighbouring banks are in different groups.
class BankGroups {
public:
    explicit BankGroups(sim::DramChannelsConfig const& config)
        : column_(config.same_group_cycles),
          activate_(config.same_group_activate_cycles),
          write_to_read_(config.same_group_write_to_read_cycles),
          four_activates_(config.four_activates_cycles),
          groups_(config.bank_groups > 1 ? config.bank_groups : 0) {}

    /// Between two column commands of one group; 0: no more than between any.
    Cycle column_interval() const { return groups_.empty() ? 0 : column_; }

    /// The last column command of an access began in cycle `last`, and its data end in cycle `end`.
    void transferred(std::uint32_t bank, Cycle last, Cycle end, bool is_write,
                     std::vector<plugin::DramBank>& banks) {
        if (groups_.empty()) return;
        Group& group = groups_[bank % groups_.size()];
        if (is_write) group.read_ready = end + write_to_read_;
        delay(bank % groups_.size(), last + column_, banks);
    }
    /// The bus turns from writing to reading.
    void begin_reading(std::vector<plugin::DramBank>& banks) const {
        for (std::size_t g = 0; g < groups_.size(); ++g) delay(g, groups_[g].read_ready, banks);
    }

    Cycle activate_ready(std::uint32_t bank) const {
        Cycle const fifth = four_activates_ == 0 ? 0 : last_activates_[next_];
        return groups_.empty() ? fifth : std::max(fifth, groups_[bank % groups_.size()].activate_ready);
    }
    void activated(std::uint32_t bank, Cycle at) {
        last_activates_[next_] = at + four_activates_;
        next_ = (next_ + 1) % last_activates_.size();
        if (!groups_.empty()) groups_[bank % groups_.size()].activate_ready = at + activate_;
    }
    template <class Archive> void state(Archive& archive) { archive(groups_, last_activates_, next_); }

private:
    struct Group {
        Cycle activate_ready = 0, read_ready = 0;
    };
    void delay(std::size_t group, Cycle until, std::vector<plugin::DramBank>& banks) const {
        for (std::size_t b = group; b < banks.size(); b += groups_.size())
            banks[b].column_ready = std::max(banks[b].column_ready, until);
    }

    Cycle column_, activate_, write_to_read_, four_activates_;
    std::vector<Group> groups_;              // empty: the banks are not grouped
    std::array<Cycle, 4> last_activates_{};  // until when the last four matter, the oldest at `next_`
    std::size_t next_ = 0;
};

}  // namespace warpsim::timing
