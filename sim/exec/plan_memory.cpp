// Planning of loads, stores and atomics: which space, which columns, how many bytes.
#include "sim/exec/function_planner.hpp"

#include <bit>
#include <utility>

namespace warpsim::sim {

using isa::Operation;

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
        // Without a sub-qualifier a load in a kernel reads the kernel's parameters; a store is always of a call's.
        case StateSpace::param: return in_entry && is_load ? SpaceKind::param_entry : SpaceKind::frame_param;
        case StateSpace::param_entry: return SpaceKind::param_entry;
        case StateSpace::param_func: return SpaceKind::frame_param;
        default: return SpaceKind::generic;
    }
}

}  // namespace

Access FunctionPlanner::access_to(ir::Operand const& address, bool is_load) {
    Access access;
    Type const type = form_->types[0];
    access.space = space_kind(form_->space, function_.is_entry, is_load);
    // In a kernel, the parameters that it passes to its calls are its own too: the variable tells which.
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
            // What was cut off is the same for all of the module's constants.
            access.address_is_64 = true;
            Slot const narrow = std::exchange(access.address, temporary(3));
            emit_lanes(access_.widen[0][2][3], access.address, narrow);
            access.offset += static_cast<std::int64_t>(constant_bank().first & ~std::uint64_t{UINT32_MAX});
        }
        return access;
    }
    access.is_at_one_place = true;
    bool const is_local_variable =
        address.base == Base::function_variable && function_.variables[address.index].space == StateSpace::local;
    if (is_local_variable) {
        access.address = plan_.local_base;
        access.offset = static_cast<std::int64_t>(function_.variables[address.index].offset) + address.value;
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

bool FunctionPlanner::plan_parameter_load(Operands operands, Access const& access) {
    // A kernel parameter at a known place is the same for all lanes: a broadcast, no memory access.
    if (access.space != SpaceKind::param_entry || operands.back().base == Base::reg) return false;
    if (static_cast<std::uint64_t>(access.offset) + access.bytes > function_.param_bytes) return false;
    for (std::size_t i = 0; i < access.elements; ++i) {
        if (access.data[i] == discard) continue;
        isa::LaneFunction const run =
            access_.broadcast[access.memory_log2][access.is_signed][access.column_log2[i]];
        emit_lanes(run, access.data[i], parameter_block, 0, 0,
                   static_cast<std::uint64_t>(access.offset) + (i << access.memory_log2));
    }
    if (first_op_) emit(OpKind::nothing);
    return true;
}

void FunctionPlanner::plan_load(Operands operands) {
    bool const is_vector = operands[0].kind == Kind::vector;
    std::size_t const first = is_vector ? 1 : 0;
    std::size_t const count = is_vector ? operands[0].count : 1;
    ir::Operand const& address = operands[first + count];
    Access access = access_to(address, true);
    for (std::size_t i = 0; i < count; ++i) add_element(access, operands[first + i], true);
    if (plan_parameter_load(operands.first(first + count + 1), access)) return;
    Op& op = emit(OpKind::load);
    op.target = static_cast<std::uint32_t>(plan_.accesses.size());
    plan_.accesses.push_back(access);
}

void FunctionPlanner::plan_store(Operands operands) {
    Access access = access_to(operands[0], false);
    if (access.space == SpaceKind::param_entry) {
        refuse("a store to a kernel parameter");
        return;
    }
    bool const is_vector = operands[1].kind == Kind::vector;
    std::size_t const first = is_vector ? 2 : 1;
    std::size_t const count = is_vector ? operands[1].count : 1;
    for (std::size_t i = 0; i < count; ++i) add_element(access, operands[first + i], false);
    Op& op = emit(OpKind::store);
    op.target = static_cast<std::uint32_t>(plan_.accesses.size());
    plan_.accesses.push_back(access);
}

void FunctionPlanner::plan_hint(Operands operands) {
    // Hints for caches change no values. A prefetch of a bad address does nothing; those that name a range of
    // memory to do something with are checked like an access to it, and move nothing.
    if (form_->operation != Operation::discard && form_->operation != Operation::applypriority) {
        emit(OpKind::nothing);
        return;
    }
    bool const is_write = form_->operation == Operation::discard;
    Access access = access_to(operands[0], !is_write);
    access.elements = 0;
    access.bytes = 128;
    Op& op = emit(is_write ? OpKind::store : OpKind::load);
    op.target = static_cast<std::uint32_t>(plan_.accesses.size());
    plan_.accesses.push_back(access);
}

void FunctionPlanner::plan_bulk_store(Operands operands) {
    // [a], size, 0
    Access access = access_to(operands[0], false);
    access.elements = 0;
    access.bytes = 8;
    access.source[0] = source(operands[1], 3);
    Op& op = emit(OpKind::bulk_store);
    op.target = static_cast<std::uint32_t>(plan_.accesses.size());
    plan_.accesses.push_back(access);
}

}  // namespace warpsim::sim
