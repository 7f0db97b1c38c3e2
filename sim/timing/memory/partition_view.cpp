// What others see of a memory partition.
#include "sim/timing/memory/memory_partition.hpp"

#include <algorithm>

namespace warpsim::timing {

DramView DramChannel::view() const {
    DramView view;
    view.queues = {{"requests on their way", arriving_.size(), 0},
                   {"reads", reads_.size(), std::max(config_.queue_entries, 1u)},
                   {"writes", writes_.size(), config_.write_queue_entries}};
    if (!writes_wait_) view.queues[1].name = "reads and writes", view.queues.pop_back();
    view.is_writing = writing_;
    for (std::uint32_t b = 0; b < banks_.size(); ++b) {
        auto const of = [b](DramRequests const& requests) {
            std::span<Waiting const> const all = requests.waiting();
            return std::count_if(all.begin(), all.end(), [b](Waiting const& w) { return w.bank == b; });
        };
        DramView::Bank const bank{b, banks_[b].row != UINT64_MAX, banks_[b].row,
                                  static_cast<std::uint32_t>(of(reads_) + of(writes_))};
        if (bank.has_row || bank.waiting != 0) view.banks.push_back(bank);
    }
    return view;
}

PartitionView MemoryPartition::view() const {
    PartitionView view;
    for (Slice const& slice : slices_) {
        view.slices.push_back({slice.number,
                               {{"requests", slice.inbox.size(), 0},
                                {"misses (MSHRs)", slice.mshrs.in_use(), slice.mshrs.entries()},
                                {"replies", slice.hits.size(), 0},
                                {"partly written", slice.partly_written.count(), l2_.partial_accesses},
                                {"being completed", slice.merging, l2_.partial_merges}},
                               slice.is_blocked,
                               slice.waits_for_dram});
    }
    view.dram = dram_.view();
    return view;
}

}  // namespace warpsim::timing
