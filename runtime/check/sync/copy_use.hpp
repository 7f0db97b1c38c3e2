// Asynchronous copies that a thread waits for through groups: cp.async, and bulk copies out of shared memory.
#pragma once

#include "runtime/check/sync/reporter.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace warpsim::check {

class CopyUse {
public:
    explicit CopyUse(Reporter& reporter) : reporter_(reporter) {}

    void begin() { ctas_.clear(); }
    void issues(sim::WarpCopyIssue const& e);
    void issues(sim::BulkCopyIssue const& e);
    void groups(sim::CopyGroupEvent const& e);
    void exits(sim::ExitEvent const& e);
    void ends(sim::Cta const& cta);

private:
    struct Group {
        std::uint32_t number;  // of the thread's, from 0
        Instruction first;     // of its copies
    };
    /// What one thread has under way, of one sort of copies.
    struct Pending {
        std::uint32_t committed = 0;
        std::optional<Instruction> open;  // the first that is in no group
        std::vector<Group> groups;        // with copies; oldest first
    };
    using OfThread = std::array<Pending, 2>;  // of cp.async, of bulk copies

    std::vector<OfThread>& threads_of(sim::Cta const& cta);

    Reporter& reporter_;
    std::unordered_map<std::uint64_t, std::vector<OfThread>> ctas_;  // those with copies
};

}  // namespace warpsim::check
