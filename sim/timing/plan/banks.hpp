// Which bank of the register file each value should be in: operands of one instruction are read together if they are in
// different banks, of which there are two since Volta, for even and for odd registers.
#pragma once

#include "sim/timing/plan/values.hpp"

#include <optional>
#include <span>
#include <vector>

namespace warpsim::timing {

enum class Bank : std::uint8_t { even, odd, any };

inline Bank bank_of(std::uint32_t place) { return place % 2 != 0 ? Bank::odd : Bank::even; }

/// A value of one register that instructions read together with others is in the bank that fewer of those are in which have their
/// registers already.
class Banks {
public:
    /// `offsets`: per value, from the first register of the vector that it is part of; none: it is in no vector.
    Banks(MachineFunction const& m, Values const& values, std::vector<std::optional<std::uint32_t>> const& offsets,
          int capability);

    /// Instructions read it together with others.
    bool is_tied(std::uint32_t value) const { return is_tied_[value]; }
    /// For values in one register.
    Bank wish(std::span<std::uint32_t const> values) const;
    void settle(std::uint32_t value, std::uint32_t place) { settled_[value] = bank_of(place); }

private:
    void look_at(std::uint32_t i, std::vector<std::uint32_t> operands);
    void look_at_sum(std::uint32_t i, std::vector<std::uint32_t> operands);

    MachineFunction const& m_;
    Values const& values_;
    std::vector<std::optional<std::uint32_t>> const& offsets_;
    int capability_;
    std::vector<std::vector<std::uint32_t>> partners_;  // once for each instruction
    std::vector<bool> is_tied_;
    std::vector<Bank> settled_;
};

}  // namespace warpsim::timing
