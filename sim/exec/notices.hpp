// Undefined behaviour of a kernel that is no reason to stop it: reported once for each
// instruction.
#pragma once

#include "sim/exec/fault.hpp"

#include <mutex>
#include <set>
#include <utility>
#include <vector>

namespace warpsim::sim {

/// Safe to use from all host threads.
class Notices {
public:
    /// Keeps the first notice of each instruction of a plan, over all launches. `plan` is only compared.
    void add(void const* plan, Fault notice) {
        std::lock_guard const lock(mutex_);
        auto const place = std::pair(plan, std::pair(notice.function, notice.instruction));
        if (told_.insert(place).second) notices_.push_back(std::move(notice));
    }
    /// A copy of those that take() would give.
    std::vector<Fault> pending() const {
        std::lock_guard const lock(mutex_);
        return notices_;
    }
    /// The notices added since the last call.
    std::vector<Fault> take() {
        std::lock_guard const lock(mutex_);
        return std::exchange(notices_, {});
    }

private:
    mutable std::mutex mutex_;
    std::set<std::pair<void const*, std::pair<std::uint32_t, std::uint32_t>>> told_;
    std::vector<Fault> notices_;
};

}  // namespace warpsim::sim
