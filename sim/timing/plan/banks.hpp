// Which bank of the register file each value should be in: operands of one instruction are read together if they are in
// different banks, of which there are two since Volta, for even and for odd registers.
#pragma once

#include "sim/timing/plan/values.hpp"

#include <array>
#include <optional>

namespace warpsim::timing {

enum class Bank : std::uint8_t { even, odd, any };

inline Bank bank_of(std::uint32_t place) { return place % 2 != 0 ? Bank::odd : Bank::even; }

/// Values of one register that two operands of an instruction tie to each other are in opposite banks, and each chain of them is
/// settled by the first that has a register, or by a wide value in it, which begins in an even one.
class Banks {
public:
    /// `offsets`: per value, from the first register of the vector that it is part of; none: it is in no vector.
    Banks(MachineFunction const& m, Values const& values, std::vector<std::optional<std::uint32_t>> const& offsets,
          std::vector<std::pair<std::uint32_t, std::uint32_t>> const& copies);

    /// Instructions read it together with others.
    bool is_tied(std::uint32_t value) const { return is_tied_[value]; }
    Bank wish(std::uint32_t value) const;
    void settle(std::uint32_t value, std::uint32_t place);

private:
    struct Tie {
        std::uint32_t root;
        bool is_opposite;
    };
    struct Edge {
        int weight;
        std::uint32_t a, b;
        bool is_opposite;
    };

    void look_at(std::uint32_t i, std::vector<std::uint32_t> operands);
    void join(std::vector<std::pair<std::uint32_t, std::uint32_t>> const& copies);
    Tie root_of(std::uint32_t value) const;
    Bank known(std::uint32_t value) const;

    MachineFunction const& m_;
    Values const& values_;
    std::vector<std::optional<std::uint32_t>> const& offsets_;
    std::vector<Edge> edges_;
    std::vector<Tie> above_;  // per value, and one more that is in an even register
    std::vector<bool> is_tied_, is_joined_;
    std::vector<Bank> bank_of_root_;
    std::vector<Bank> settled_;
    std::vector<std::vector<std::array<std::uint32_t, 2>>> two_others_;  // of instructions with three operands
};

}  // namespace warpsim::timing
