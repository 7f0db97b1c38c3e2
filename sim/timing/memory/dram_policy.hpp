// Which request of a DRAM channel is served next. A policy is one file, dram_policy_NAME.cpp; its name in the
// configuration is NAME.
#pragma once

#include "sim/engine/clock.hpp"
#include "sim/timing/memory/messages.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace warpsim::timing {

using engine::Cycle;

struct DramRequest {
    std::uint64_t address = 0;   // in the channel
    std::uint32_t accesses = 1;  // of access_bytes each, in one row
    bool is_write = false;
    std::uint64_t tag = 0;  // returned with the data
    GridNumber grid = 0;    // that it belongs to
};

/// A request in a channel's queue.
struct DramWaiting {
    DramRequest request;
    std::uint64_t row;
    std::uint32_t bank;
    bool missed = false;  // its row had to be opened
};

struct DramBank {
    std::uint64_t row = UINT64_MAX;  // the open one
    Cycle column_ready = 0;          // first column command to the open row
    Cycle precharge_ready = 0;
    Cycle activate_ready = 0;
};

/// What a policy bases its decision on: the queue that the bus serves now, oldest first; all of it has one
/// direction.
struct DramQueue {
    std::span<DramWaiting const> waiting;
    std::span<DramBank const> banks;
    Cycle now;

    /// Whether its row is open and accepts a column command.
    bool is_ready(DramWaiting const& w) const {
        return banks[w.bank].row == w.row && banks[w.bank].column_ready <= now;
    }
};

class DramPolicy {
public:
    virtual ~DramPolicy() = default;
    /// Whether writes wait in a queue of their own until there are many, because each turn of the bus costs time.
    virtual bool writes_wait() const = 0;
    /// The request that gets the next column command, which must be ready; queue.waiting.size() for none.
    virtual std::size_t next(DramQueue const& queue) = 0;
    /// Whether the open row of a bank may be closed for the oldest request that needs another one.
    virtual bool may_close(DramQueue const& queue, std::uint32_t bank) = 0;
};

/// Creates the policy with this name.
std::unique_ptr<DramPolicy> make_dram_policy(std::string const& which);

/// The policies: dram_policy_NAME.cpp defines dram_policies::NAME.
namespace dram_policies {
#define WARPSIM_CHOICE(name) std::unique_ptr<DramPolicy> name();
#include "sim/timing/memory/dram_policies.inc"
#undef WARPSIM_CHOICE
}  // namespace dram_policies

}  // namespace warpsim::timing
