// Planning of what computes with addresses: conversions to and from generic ones, questions about them, cache
// policies.
#include "sim/exec/function_planner.hpp"
#include "sim/memory/reservation.hpp"

#include <algorithm>

namespace warpsim::sim {

using isa::Modifier;

using isa::StateSpace;
using Kind = ir::Operand::Kind;

std::uint64_t generic_window(StateSpace space) {
    Windows const& windows = Reservation::process().windows();
    switch (space) {
        case StateSpace::shared:
        case StateSpace::shared_cluster: return windows.shared;
        case StateSpace::local: return windows.local;
        case StateSpace::param:
        case StateSpace::param_entry: return windows.param;
        default: return 0;  // global and const addresses are generic addresses
    }
}

void FunctionPlanner::plan_convert_address(Operands operands) {
    int const log2 = column_log2(operands[0].type);
    std::uint64_t const window = generic_window(form_->space);
    bool const to_space = form_->has(Modifier::to);
    Slot const from = source(operands[1], log2);
    Slot const to = destination(operands[0], log2);
    if (window == 0) emit_lanes(access_.copy[log2], to, from);
    else emit_lanes(access_.add_offset[log2 - 2], to, from, 0, 0, to_space ? 0 - window : window);
}

namespace {

template <StateSpace space> void is_space(isa::Bases bases, isa::Operands const& operands, LaneMask mask) {
    Windows const& windows = Reservation::process().windows();
    auto const* const address = isa::column<std::uint64_t>(bases, operands.slot[1]);
    std::uint64_t const bank = *isa::column<std::uint64_t>(bases, operands.slot[2]);
    std::uint64_t const bank_bytes = operands.immediate;
    std::uint32_t const rank = *isa::column<std::uint32_t>(bases, operands.slot[3]);
    LaneMask inside = 0;
    for (int i = 0; i < 32; ++i) {
        std::uint64_t const a = address[i];
        bool const in_shared = Windows::inside(a, windows.shared);
        bool const in_local = Windows::inside(a, windows.local);
        bool const in_bank = a - bank < bank_bytes;
        std::uint64_t const prefix = (a - windows.shared) >> rank_shift;
        bool const is = space == StateSpace::shared           ? in_shared && (prefix == 0 || prefix == rank + 1)
                        : space == StateSpace::shared_cluster ? in_shared
                        : space == StateSpace::local          ? in_local
                        : space == StateSpace::param          ? Windows::inside(a, windows.param)
                        : space == StateSpace::constant       ? in_bank
                                                              : !in_shared && !in_local && !in_bank;
        inside |= static_cast<LaneMask>(is) << i;
    }
    LaneMask* const d = isa::column<LaneMask>(bases, operands.slot[0]);
    *d = (*d & ~mask) | (inside & mask);
}

}  // namespace

/// The window of .const is the module's bank.
std::pair<std::uint64_t, std::uint64_t> FunctionPlanner::constant_bank() const {
    std::uint64_t begin = UINT64_MAX, end = 0;
    for (std::size_t i = 0; i < module_.variables.size(); ++i) {
        if (module_.variables[i].space != StateSpace::constant) continue;
        begin = std::min(begin, kernel_.symbols.variable[i]);
        end = std::max(end, kernel_.symbols.variable[i] + module_.variables[i].size);
    }
    return {begin, end};
}

void FunctionPlanner::plan_is_space(Operands operands) {
    isa::LaneFunction run = nullptr;
    switch (form_->space) {
        case StateSpace::shared: run = is_space<StateSpace::shared>; break;
        case StateSpace::shared_cluster: run = is_space<StateSpace::shared_cluster>; break;
        case StateSpace::local: run = is_space<StateSpace::local>; break;
        case StateSpace::param:
        case StateSpace::param_entry: run = is_space<StateSpace::param>; break;
        case StateSpace::global: run = is_space<StateSpace::global>; break;
        case StateSpace::constant: run = is_space<StateSpace::constant>; break;
        default: break;
    }
    if (run == nullptr) {
        refuse("isspacep of this space");
        return;
    }
    auto const [begin, end] = constant_bank();
    Slot const address = source(operands[1], 3);
    Slot const bank = kernel_.constants.column(3, begin);
    Slot const rank = kernel_.special(ir::SpecialRegister::cluster_ctarank, 0, 2);
    emit_lanes(run, destination(operands[0], 0), address, bank, rank, end > begin ? end - begin : 0);
}

namespace {

// A policy is opaque to programs. This is the layout that ptxas computes for sm_80 to sm_100, whose values
// programs pass on the other hand as constants (0x14f0000000000000: evict_last, all of the data):
//   63..60 1   59 a range   58..57 primary priority: unchanged, first, last, normal   56 secondary is evict_first
//   fractions: 55..52 sixteenths of the data less one
//   ranges: 55..52 log2 of a granule of addresses, less 12   50..44 the first granule   43..37 those behind it
void policy_of_fraction(isa::Bases bases, isa::Operands const& operands, LaneMask mask) {
    auto const* const fraction = isa::column<float>(bases, operands.slot[1]);
    auto* const d = isa::column<std::uint64_t>(bases, operands.slot[0]);
    for (int i = 0; i < 32; ++i) {
        if ((mask >> i & 1) == 0) continue;
        float const share = fraction[i] >= 0.0f ? std::min(fraction[i], 1.0f) : 0.0f;
        d[i] = operands.immediate | static_cast<std::uint64_t>(share * 15.99f) << 52;
    }
}

void policy_of_range(isa::Bases bases, isa::Operands const& operands, LaneMask mask) {
    auto const* const address = isa::column<std::uint64_t>(bases, operands.slot[1]);
    auto const* const primary = isa::column<std::uint32_t>(bases, operands.slot[2]);
    auto const* const total = isa::column<std::uint32_t>(bases, operands.slot[3]);
    auto* const d = isa::column<std::uint64_t>(bases, operands.slot[0]);
    for (int i = 0; i < 32; ++i) {
        if ((mask >> i & 1) == 0) continue;
        unsigned granule = 14;
        while (total[i] >> granule >= 64) ++granule;
        std::uint64_t const first = address[i] >> granule;
        std::uint64_t const behind = ((address[i] + std::max(primary[i], 1u) - 1) >> granule) - first;
        d[i] = operands.immediate | static_cast<std::uint64_t>(granule - 12) << 52 | (first & 0x7f) << 44 |
               std::min<std::uint64_t>(behind, 0x7f) << 37;
    }
}

std::uint64_t priorities(ir::Form const& form) {
    // In the order of their codes.
    static constexpr Modifier names[] = {Modifier::L2_evict_unchanged, Modifier::L2_evict_first,
                                         Modifier::L2_evict_last, Modifier::L2_evict_normal};
    // The first priority that is written is the primary one.
    auto const is_priority = [](Modifier m) {
        return std::find(std::begin(names), std::end(names), m) != std::end(names);
    };
    auto const primary = std::find_if(form.modifiers.begin(), form.modifiers.end(), is_priority);
    std::uint64_t bits = std::uint64_t{1} << 60;
    if (primary == form.modifiers.end()) return bits;
    bits |= static_cast<std::uint64_t>(std::find(std::begin(names), std::end(names), *primary) - std::begin(names))
            << 57;
    if (std::find(primary + 1, form.modifiers.end(), names[1]) != form.modifiers.end())
        bits |= std::uint64_t{1} << 56;
    return bits;
}

}  // namespace

void FunctionPlanner::plan_create_policy(Operands operands) {
    Slot const d = destination(operands[0], 3);
    if (form_->has(Modifier::cvt)) {
        // The access properties of the CUDA API are policies already.
        emit_lanes(access_.copy[3], d, source(operands[1], 3));
    } else if (form_->has(Modifier::fractional)) {
        bool const is_written = operands.size() > 1 && operands[1].kind != Kind::sink;
        Slot const fraction = is_written ? source(operands[1], 2) : kernel_.constants.column(2, 0x3f800000);
        emit_lanes(policy_of_fraction, d, fraction, 0, 0, priorities(*form_));
    } else {
        Access const access = access_to(operands[1], true);
        Slot address = access.address;
        if (!access.address_is_64) {
            address = temporary(3);
            emit_lanes(access_.widen[0][2][3], address, access.address);
        }
        Slot const sum = temporary(3);
        emit_lanes(access_.add_offset[1], sum, address, 0, 0, static_cast<std::uint64_t>(access.offset));
        Slot const primary = source(operands[2], 2);
        Slot const total = source(operands[3], 2);
        emit_lanes(policy_of_range, d, sum, primary, total, priorities(*form_) | std::uint64_t{1} << 59);
    }
}

}  // namespace warpsim::sim
