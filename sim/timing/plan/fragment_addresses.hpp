// Where the elements of wmma's fragments lie: each lane's offset from its number, once in a block for all fragments with the same
// stride, and the lane's address for each place. As ptxas 13.0 does it, whatever else the block computes.
#pragma once

#include "sim/timing/plan/machine_function.hpp"

#include <cstddef>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

namespace warpsim::timing {

/// Of wmma.load or wmma.store.
std::size_t fragment_registers(std::span<ir::Operand const> operands);

class FragmentAddresses {
public:
    explicit FragmentAddresses(MachineFunction const& m) : m_(m) {}

    /// The micro-ops of what the access needs and no one before it in the block; to be asked in the order of the program.
    void add(std::uint32_t i, std::vector<MicroOp>& out);

private:
    /// What a lane makes of its number: which rows and columns it has.
    enum class Scheme : std::uint8_t { pairs, matrices, bytes, columns };
    struct Place {
        std::uint32_t reg;  // what offsets are added to; ir::none: a variable
        bool is_further;    // by an offset
        bool is_constant;   // moves bring it into registers
    };
    Scheme scheme(ir::Form const& form) const;
    Place place(ir::Operand const& address) const;
    bool holds_number(std::uint32_t reg) const;

    MachineFunction const& m_;
    std::uint32_t block_ = ir::none;
    bool knows_lane_ = false;
    std::set<Scheme> schemes_;
    std::set<std::tuple<Scheme, ir::Operand::Kind, std::uint64_t>> strides_;
    std::set<std::tuple<Scheme, std::uint32_t, std::uint64_t>> places_;
    std::set<std::uint32_t> moved_;
};

}  // namespace warpsim::timing
