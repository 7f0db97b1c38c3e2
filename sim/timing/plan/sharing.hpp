// Which values may have one register after each other: what an instruction makes, and what it is the last to read.
#pragma once

#include "sim/timing/plan/values.hpp"

namespace warpsim::timing {

/// In which order ptxas makes values that are otherwise alike: what is read from special registers when all that is computed is there, and
/// then constants and copies.
enum class Lateness : std::uint8_t { computed, special, constant };

class Sharing {
public:
    struct Of {
        std::uint32_t made = UINT32_MAX;  // where in the program
        std::uint32_t reads = 0;          // instructions
        Lateness lateness = Lateness::computed;
        std::vector<std::uint32_t> others{};  // that end where it begins, or the other way round
        std::vector<std::uint32_t> copies{};  // ... and are the same
    };

    /// `order`: where in the program each instruction is, which are in the order of issue.
    Sharing(MachineFunction const& m, Values const& values, std::vector<std::uint32_t> const& order);

    Of const& of(std::uint32_t value) const { return of_[value]; }
    /// For each copy the two values.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> copies() const;

private:
    void find_makers(std::vector<std::uint32_t> const& order);
    void find_others(std::uint32_t i);

    MachineFunction const& m_;
    Values const& values_;
    std::vector<Of> of_;
};

}  // namespace warpsim::timing
