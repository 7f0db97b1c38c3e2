// Copies of the host: what they leave in L2 while no grid is under way, and what they have done.
#include "sim/timing/gpu.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace warpsim::timing {

void Gpu::begin_copy(CopyOrder order, engine::Time at) {
    for (auto const& partition : partitions_) partition->count_copies();
    copies_.begin(order, at);
}

void Gpu::note_passed() {
    for (CopyEngines::Passed const& passed : copies_.passed()) note_passed(passed);
    copies_.passed().clear();
}

void Gpu::note_passed(CopyEngines::Passed const& passed) {
    CopiedLines copied{std::max(passed.at, done_ + lead_), passed.to.part(passed.first).line,
                       passed.to.part(passed.past - 1).line + 1};
    if (!config_.copies.fill_l2) {
        for (auto const& partition : partitions_) partition->note_copy(copied);
        return;
    }
    // No more than L2 holds can be there in the end.
    std::uint64_t const most = config_.l2.size_bytes() / line_bytes;
    std::vector<LineInL2> lines;
    for (std::uint64_t i = passed.past - std::min(most, passed.past - passed.first); i < passed.past; ++i) {
        lines.push_back({passed.to.part(i).line});
    }
    leave_in_l2(copied, lines);
}

void Gpu::leave_in_l2(CopiedLines copied, std::span<LineInL2 const> lines) {
    std::vector<std::vector<LineInL2>> of_partition(partitions_.size());
    for (LineInL2 const& line : lines)
        of_partition[map_.channel_of_slice(map_.slice(line.number * line_bytes))].push_back(line);
    for (std::size_t p = 0; p < partitions_.size(); ++p) {
        if (of_partition[p].empty()) continue;
        copied.in_l2 = std::move(of_partition[p]);
        partitions_[p]->note_copy(copied);
    }
}

void Gpu::warm_l2(std::span<LineInL2 const> lines) { leave_in_l2({done_ + lead_, 0, 0}, lines); }

void Gpu::add_copies(sim::L2Counts& l2, sim::DramCounts& dram) const {
    for (auto const& partition : partitions_) {
        partition->count_copies();
        sim::add(l2, partition->l2(of_copies));
        sim::add(dram, partition->dram(of_copies));
    }
}

}  // namespace warpsim::timing
