// Operands that are addresses: their space, their columns, and how the elements of an access are moved.
#include "sim/exec/function_planner.hpp"
#include "sim/memory/reservation.hpp"

#include <algorithm>
#include <utility>

namespace warpsim::sim {

using isa::StateSpace;
using isa::Type;
using Kind = ir::Operand::Kind;
using Base = ir::Operand::AddressBase;

namespace {

int memory_log2(Type type) {
    int const bits = isa::width(type);
    return bits <= 8 ? 0 : bits <= 16 ? 1 : bits <= 32 ? 2 : bits <= 64 ? 3 : 4;
}

SpaceKind space_kind(StateSpace space, bool in_entry, bool is_load) {
    switch (space) {
        case StateSpace::global: return SpaceKind::global;
        case StateSpace::constant: return SpaceKind::constant;
        case StateSpace::shared:
        case StateSpace::shared_cluster: return SpaceKind::shared;
        case StateSpace::local: return SpaceKind::local;
        // Without a sub-qualifier, a load in a kernel reads the kernel's parameters; a store always writes those
        // of a call.
        case StateSpace::param: return in_entry && is_load ? SpaceKind::param_entry : SpaceKind::frame_param;
        case StateSpace::param_entry: return SpaceKind::param_entry;
        case StateSpace::param_func: return SpaceKind::frame_param;
        default: return SpaceKind::generic;
    }
}

void widen_address(isa::Bases bases, isa::Operands const& operands, LaneMask mask) {
    Windows const& windows = Reservation::process().windows();
    auto const* const from = isa::column<std::uint32_t>(bases, operands.slot[1]);
    auto* const to = isa::column<std::uint64_t>(bases, operands.slot[0]);
    for (unsigned i = 0; i < 32; ++i) {
        std::uint64_t const address = from[i];
        std::uint64_t const in_window = address & (narrow_window_bytes - 1);
        if ((mask >> i & 1) == 0) continue;
        to[i] = address < narrow_windows.shared  ? operands.immediate + address
                : address < narrow_windows.local ? windows.shared + in_window
                : address < narrow_windows.param ? windows.local + in_window
                                                 : windows.param + in_window;
    }
}

}  // namespace

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

std::uint64_t FunctionPlanner::window(StateSpace space) const {
    if (module_.address_bits == 64) return generic_window(space);
    switch (space) {
        case StateSpace::shared:
        case StateSpace::shared_cluster: return narrow_windows.shared;
        case StateSpace::local: return narrow_windows.local;
        case StateSpace::param:
        case StateSpace::param_entry: return narrow_windows.param;
        default: return 0;
    }
}

Slot FunctionPlanner::wide_address(Slot address, int log2) {
    if (module_.address_bits == 64 || log2 == 3) return address;
    Slot const wide = temporary(3);
    emit_lanes(widen_address, wide, address, 0, 0, kernel_.symbols.memory);
    return wide;
}

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

Access FunctionPlanner::access_to(ir::Operand const& address, bool is_load) {
    Access access;
    Type const type = form_->types[0];
    access.space = space_kind(form_->space, function_.is_entry, is_load);
    // The parameters that a kernel passes to its calls have the same space as its own: the variable tells them
    // apart.
    if (address.base == Base::function_variable && access.space == SpaceKind::param_entry) {
        bool is_formal = false;
        for (std::size_t i = 0; i < function_.parameters.size(); ++i)
            is_formal |= function_.parameters[i] == address.index;
        if (!is_formal) access.space = SpaceKind::frame_param;
    }
    access.own_shared = form_->space == StateSpace::shared;
    access.is_signed = isa::is_signed(type);
    access.memory_log2 = static_cast<std::uint8_t>(memory_log2(type));
    access.elements = form_->vector;
    access.bytes = static_cast<std::uint32_t>(access.elements) << access.memory_log2;
    access.order = form_->order;
    access.scope = form_->scope;
    if (address.base == Base::reg) {
        int const log2 = column_log2(function_.registers[address.index].type);
        access.address_is_64 = log2 == 3;
        access.address = plan_.register_slot[address.index];
        if (log2 == 1) {
            access.address = temporary(2);
            emit_lanes(access_.widen[0][1][2], access.address, plan_.register_slot[address.index]);
        }
        access.offset = address.value;
        if (access.space == SpaceKind::constant && log2 < 3) {
            // The upper bits are the same for all of the module's constants.
            access.address_is_64 = true;
            Slot const narrow = std::exchange(access.address, temporary(3));
            emit_lanes(access_.widen[0][2][3], access.address, narrow);
            access.offset += static_cast<std::int64_t>(constant_bank().first & ~std::uint64_t{UINT32_MAX});
        }
        bool const is_far = access.space == SpaceKind::global || access.space == SpaceKind::generic;
        if (is_far && module_.address_bits == 32 && log2 < 3) {
            access.address_is_64 = true;
            access.address = wide_address(access.address, 2);
        }
        return access;
    }
    access.is_at_one_place = true;
    bool const is_local_variable =
        address.base == Base::function_variable && function_.variables[address.index].space == StateSpace::local;
    if (is_local_variable) {
        access.space = SpaceKind::local;  // a generic access too
        access.address = plan_.local_base;
        access.offset = static_cast<std::int64_t>(local_offset(address.index)) + address.value;
    } else {
        access.address = kernel_.constants.column(3, 0);
        access.offset = static_cast<std::int64_t>(constant_address(address));
    }
    return access;
}

void FunctionPlanner::add_element(Access& access, ir::Operand const& operand, bool is_load) {
    std::size_t index = 0;
    while (access.column_log2[index] != 0) ++index;
    std::uint8_t const log2 = access.memory_log2;
    int own = log2 == 0 ? 1 : log2;
    if (operand.kind == Kind::sink) {
        access.data[index] = discard;
        access.column_log2[index] = 1;
        return;
    }
    if (operand.kind == Kind::reg) {
        own = column_log2(function_.registers[operand.index].type);
        access.data[index] = plan_.register_slot[operand.index];
    } else {
        access.data[index] = source(operand, own);
    }
    access.column_log2[index] = static_cast<std::uint8_t>(own);
    // Shared memory belongs to the host thread that runs the CTA.
    bool const is_strong = access.order != isa::Order::weak &&
                           (access.space == SpaceKind::global || access.space == SpaceKind::generic);
    access.move[index] = is_load ? (is_strong ? access_.load_strong : access_.load)[log2][access.is_signed][own]
                                 : (is_strong ? access_.store_strong : access_.store)[log2][own];
    if (access.move[index] == nullptr) refuse("a register narrower than the value");
}

AddressOperand FunctionPlanner::place(ir::Operand const& address, bool own) {
    AddressOperand p;
    p.own_shared = own;
    if (address.base == ir::Operand::AddressBase::reg) {
        if (module_.address_bits == 32) refuse("an asynchronous operation of a module with 32-bit addresses");
        p.is_64 = column_log2(function_.registers[address.index].type) == 3;
        p.column = plan_.register_slot[address.index];
        p.offset = address.value;
        p.is_generic = form_->space == isa::StateSpace::generic;
    } else {
        p.column = kernel_.constants.column(3, 0);
        p.offset = static_cast<std::int64_t>(constant_address(address));
        p.is_generic = address.generic;
    }
    return p;
}

}  // namespace warpsim::sim
