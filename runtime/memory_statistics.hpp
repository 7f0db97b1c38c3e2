// Counts what the memory system would see: 32-byte sectors of global accesses, bank conflicts of shared ones.
#pragma once

#include "sim/events.hpp"
#include "sim/exec/lanes/transactions.hpp"
#include "sim/statistics.hpp"

namespace warpsim::runtime {

/// One for each host thread.
class MemoryStatistics : public sim::EventSink {
public:
    explicit MemoryStatistics(sim::Banks banks) : banks_(banks) {}
    sim::EventMask wants() const override { return sim::event_mask(sim::EventKind::access); }
    void access(sim::AccessEvent const& event) override;
    sim::MemoryCounts const& counted() const { return counts_; }

private:
    sim::Banks banks_;
    sim::MemoryCounts counts_;
};

}  // namespace warpsim::runtime
