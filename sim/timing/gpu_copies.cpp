// What copies of the host and fills leave in L2.
#include "sim/memory/reservation.hpp"
#include "sim/timing/gpu.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace warpsim::timing {

void Gpu::note_copy(std::uint64_t address, std::uint64_t bytes, Cycle begin, Cycle end) {
    // Later than all that has happened, whatever the length of epochs.
    Cycle const at = std::max(end, begin + 2 * longest_epoch_);
    std::uint64_t const first = address - sim::Reservation::process().moved_by();
    CopiedLines copied{at, first / line_bytes, (first + bytes + line_bytes - 1) / line_bytes};
    if (!config_.copies.fill_l2) {
        for (auto const& partition : partitions_) partition->note_copy(copied);
        return;
    }
    // No more than L2 holds can be there in the end.
    std::uint64_t const most = config_.l2.size_bytes() / line_bytes;
    std::vector<std::vector<std::uint64_t>> lines(partitions_.size());
    for (std::uint64_t line = copied.past - std::min(most, copied.past - copied.first); line < copied.past; ++line)
        lines[map_.channel_of_slice(map_.slice(line * line_bytes))].push_back(line);
    for (std::size_t p = 0; p < partitions_.size(); ++p) {
        if (lines[p].empty()) continue;
        copied.in_l2 = std::move(lines[p]);
        partitions_[p]->note_copy(copied);
    }
}

}  // namespace warpsim::timing
