// Planning of mbarriers, asynchronous copies and addresses in a cluster.
#include "sim/exec/function_planner.hpp"

#include <algorithm>

namespace warpsim::sim {

using isa::Modifier;
using isa::Operation;
using isa::Type;
using Kind = ir::Operand::Kind;
using Async = Asynchronous::Kind;

namespace {

/// Word `immediate` of a response of clusterlaunchcontrol.try_cancel.
void response_word(isa::Bases bases, isa::Operands const& o, LaneMask mask) {
    auto const* const words = isa::column<std::uint32_t>(bases, o.slot[1]);
    auto* const d = isa::column<std::uint32_t>(bases, o.slot[0]);
    for (int lane = 0; lane < 32; ++lane) {
        if ((mask >> lane & 1) != 0) d[lane] = words[4 * static_cast<std::size_t>(lane) + o.immediate];
    }
}

void is_canceled(isa::Bases bases, isa::Operands const& o, LaneMask mask) {
    auto const* const words = isa::column<std::uint32_t>(bases, o.slot[1]);
    LaneMask canceled = 0;
    for (int lane = 0; lane < 32; ++lane) canceled |= static_cast<LaneMask>(words[4 * lane + 3] != 0) << lane;
    auto* const d = isa::column<LaneMask>(bases, o.slot[0]);
    *d = (*d & ~mask) | (canceled & mask);
}

Async mbarrier_kind(Operation operation) {
    switch (operation) {
        case Operation::mbarrier_init: return Async::initialize;
        case Operation::mbarrier_inval: return Async::invalidate;
        case Operation::mbarrier_expect_tx: return Async::expect;
        case Operation::mbarrier_complete_tx: return Async::complete;
        case Operation::mbarrier_test_wait:
        case Operation::mbarrier_test_wait_parity:
        case Operation::mbarrier_try_wait:
        case Operation::mbarrier_try_wait_parity: return Async::test;
        case Operation::mbarrier_pending_count: return Async::pending_count;
        default: return Async::arrive;
    }
}

/// The first of two spaces is that of the target.
bool is_to_global(ir::Form const& form) {
    auto const at = [&](Modifier m) { return std::find(form.modifiers.begin(), form.modifiers.end(), m); };
    return std::min(at(Modifier::shared_cta), at(Modifier::shared_cluster)) > at(Modifier::global);
}

}  // namespace

Place FunctionPlanner::place(ir::Operand const& address, bool own) {
    Place p;
    p.own_shared = own;
    if (address.base == ir::Operand::AddressBase::reg) {
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

void FunctionPlanner::emit_asynchronous(Asynchronous const& a) {
    emit(kind_).target = static_cast<std::uint32_t>(plan_.asynchronous.size());
    plan_.asynchronous.push_back(a);
}

void FunctionPlanner::plan_mbarrier(Operands operands) {
    Asynchronous a;
    a.kind = mbarrier_kind(form_->operation);
    a.drops = form_->has(Modifier::arrive_drop);
    a.expects = form_->has(Modifier::expect_tx);
    a.must_not_complete = form_->has(Modifier::noComplete);
    a.by_parity = form_->has(Modifier::parity);
    a.may_suspend = form_->has(Modifier::try_wait);
    if (a.kind == Async::pending_count) {
        a.state = source(operands[1], 3);
        a.result = destination(operands[0], 2);
        return emit_asynchronous(a);
    }
    bool const has_result = a.kind == Async::arrive || a.kind == Async::test;
    std::size_t const at = has_result ? 1 : 0;
    // Bytes are expected and completed at generic addresses in the whole cluster, arrivals only at such that say
    // so.
    bool const counts_bytes = a.kind == Async::expect || a.kind == Async::complete;
    bool const in_cluster = form_->space == isa::StateSpace::shared_cluster ||
                            (counts_bytes && form_->space == isa::StateSpace::generic);
    a.barrier = place(operands[at], !in_cluster);
    a.has_count = operands.size() > at + 1 && operands[at + 1].kind != Kind::sink;
    if (a.has_count) {
        bool const is_state = a.kind == Async::test && !a.by_parity;
        (is_state ? a.state : a.count) = source(operands[at + 1], is_state ? 3 : 2);
    }
    if (a.kind == Async::test) a.result = destination(operands[0], 0);
    else if (has_result && operands[0].kind != Kind::sink) a.result = destination(operands[0], 3);
    emit_asynchronous(a);
}

void FunctionPlanner::plan_group(Operands operands) {
    bool const is_bulk = form_->has(Modifier::bulk);
    Asynchronous a;
    if (row_->effect == isa::Effect::commit_copies) {
        a.kind = is_bulk ? Async::bulk_commit : Async::commit;
    } else {
        a.kind = is_bulk ? Async::bulk_wait : Async::wait;
        a.reads_only = form_->has(Modifier::read);
        a.has_count = form_->operation != Operation::cp_async_wait_all;
        if (a.has_count) a.bytes = static_cast<std::uint32_t>(operands[0].value);
    }
    emit_asynchronous(a);
}

void FunctionPlanner::plan_arrival(Operands operands) {
    Asynchronous a;
    a.kind = Async::arrive_after;
    a.counts_itself = !form_->has(Modifier::noinc);
    a.barrier = place(operands[0], true);
    emit_asynchronous(a);
}

void FunctionPlanner::plan_copy(Operands operands) {
    // [dst], [src], size {, bytes of the source, or whether to ignore it} {, cache-policy}
    Asynchronous a;
    a.kind = Async::copy;
    a.target = place(operands[0], true);
    a.source = place(operands[1]);
    a.bytes = static_cast<std::uint32_t>(operands[2].value);
    a.past_l1 = form_->has(Modifier::cg);
    std::size_t const without = form_->has(Modifier::L2_cache_hint) ? 4 : 3;
    if (operands.size() > without && operands[3].kind != Kind::sink) {
        a.ignores = operands[3].type == Type::pred;
        a.has_count = !a.ignores;
        (a.ignores ? a.mask : a.count) = a.ignores ? predicate_source(operands[3]) : source(operands[3], 2);
    }
    emit_asynchronous(a);
}

void FunctionPlanner::choose_reduction(Asynchronous& a) {
    Type const type = form_->types[0];
    a.element_bytes = static_cast<std::uint32_t>(isa::width(type)) / 8;
    AtomicOperation const operation = atomic_operation(*form_);
    AtomicType const kind = atomic_type(type);
    for (std::size_t is_shared = 0; is_shared < 2; ++is_shared) {
        bool const is_known = operation != AtomicOperation::count && kind != AtomicType::count;
        if (is_known)
            a.reduce[is_shared] =
                atomics_.of[is_shared][static_cast<std::size_t>(kind)][static_cast<std::size_t>(operation)];
        if (a.reduce[is_shared] == nullptr) return refuse(std::string(row_->syntax));
    }
}

void FunctionPlanner::plan_async_store(Operands operands) {
    Asynchronous a;
    a.kind = Async::store;
    if (row_->effect == isa::Effect::reduce_async) choose_reduction(a);
    a.element_bytes = static_cast<std::uint32_t>(isa::width(form_->types[0])) / 8;
    a.to_global = form_->has(Modifier::release);
    bool const own = form_->has(Modifier::shared_cta);
    a.target = place(operands[0], own);
    bool const is_vector = operands[1].kind == Kind::vector;
    a.elements = is_vector ? operands[1].count : 1;
    int const log2 = column_log2(form_->types[0]);
    for (std::size_t i = 0; i < a.elements; ++i) a.data[i] = source(operands[(is_vector ? 2 : 1) + i], log2);
    if (!a.to_global) a.barrier = place(operands.back(), own);
    emit_asynchronous(a);
}

void FunctionPlanner::plan_bulk_copy(Operands operands) {
    Asynchronous a;
    if (form_->operation == Operation::cp_async_bulk_prefetch) {
        a.kind = Async::prefetch;
        return emit_asynchronous(a);
    }
    a.kind = Async::bulk;
    a.to_global = is_to_global(*form_);
    a.from_shared = a.to_global || !form_->has(Modifier::global);
    bool const own = !a.to_global && !form_->has(Modifier::shared_cluster);
    a.target = place(operands[0], own);
    a.source = place(operands[1], a.from_shared);
    a.count = source(operands[2], 2);
    if (!a.to_global) a.barrier = place(operands[3], own);
    a.is_multicast = form_->has(Modifier::multicast_cluster);
    a.has_mask = form_->has(Modifier::cp_mask);
    if (a.is_multicast) a.mask = source(operands[4], 1);
    if (a.has_mask) a.mask = source(operands.back(), 1);
    if (form_->operation == Operation::cp_reduce_async_bulk) choose_reduction(a);
    emit_asynchronous(a);
}

void FunctionPlanner::plan_map_copy(Operands operands) {
    Asynchronous a;
    a.kind = Async::copy_map;
    a.target = place(operands[0]);
    a.source = place(operands[1], true);
    a.target.is_generic = a.source.is_generic = false;
    a.bytes = static_cast<std::uint32_t>(operands[2].value);
    emit_asynchronous(a);
}

void FunctionPlanner::plan_cancel(Operands operands) {
    Asynchronous a;
    a.kind = Async::cancel_launch;
    a.is_multicast = form_->has(Modifier::multicast_cluster_all);
    a.target = place(operands[0], true);
    a.barrier = place(operands[1], true);
    emit_asynchronous(a);
}

void FunctionPlanner::plan_query_cancel(Operands operands) {
    Slot const response = source(operands.back(), 4);
    if (form_->has(Modifier::is_canceled)) {
        emit_lanes(is_canceled, destination(operands[0], 0), response);
        return;
    }
    if (operands[0].kind == Kind::vector) {
        for (std::uint64_t i = 0; i < 4; ++i) {
            if (operands[1 + i].kind != Kind::sink && i < 3)
                emit_lanes(response_word, destination(operands[1 + i], 2), response, 0, 0, i);
        }
        if (first_op_) emit(OpKind::nothing);
        return;
    }
    std::uint64_t const word = form_->has(Modifier::get_first_ctaid_y)   ? 1
                               : form_->has(Modifier::get_first_ctaid_z) ? 2
                                                                         : 0;
    emit_lanes(response_word, destination(operands[0], 2), response, 0, 0, word);
}

void FunctionPlanner::plan_rank(Operands operands) {
    bool const is_64 = column_log2(form_->types[0]) == 3;
    bool const gives_address = row_->effect == isa::Effect::map_address;
    Slot const address = source(operands[1], is_64 ? 3 : 2);
    Slot const rank = gives_address ? source(operands[2], 2) : 0;
    Slot const d = destination(operands[0], gives_address && is_64 ? 3 : 2);
    Op& op = emit(kind_);
    op.operands.slot[0] = d;
    op.operands.slot[1] = address;
    op.operands.slot[2] = rank;
    op.operands.immediate = (is_64 ? 1u : 0u) | (form_->space == isa::StateSpace::generic ? 2u : 0u);
}

}  // namespace warpsim::sim
