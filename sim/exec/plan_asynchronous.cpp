// Planning of mbarriers, asynchronous copies and addresses in a cluster.
#include "sim/exec/function_planner.hpp"

namespace warpsim::sim {

using isa::Modifier;
using isa::Operation;

using isa::Type;
using Kind = ir::Operand::Kind;
using Async = Asynchronous::Kind;

namespace {

AtomicType atomic_type(Type type) {
    switch (type) {
        case Type::s32: return AtomicType::s32;
        case Type::u64:
        case Type::b64: return AtomicType::u64;
        case Type::s64: return AtomicType::s64;
        case Type::f16: return AtomicType::f16;
        case Type::bf16: return AtomicType::bf16;
        case Type::f32: return AtomicType::f32;
        case Type::f64: return AtomicType::f64;
        default: return AtomicType::u32;
    }
}

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

bool is_in(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

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

bool FunctionPlanner::plan_asynchronous(Operands operands) {
    if (row_->effect == isa::Effect::not_executed) return false;
    if (form_->opcode == "mbarrier") plan_mbarrier(operands);
    else if (form_->opcode == "cp") plan_copy(operands);
    else if (form_->opcode == "clusterlaunchcontrol") plan_cancel(operands);
    else if (form_->opcode == "tensormap") plan_map_copy(operands);
    else if (form_->operation == Operation::mapa || form_->operation == Operation::getctarank) plan_rank(operands);
    else if ((form_->opcode == "st" || form_->opcode == "red") && form_->has(Modifier::async))
        plan_async_store(operands);
    else return false;
    return true;
}

void FunctionPlanner::emit_asynchronous(Asynchronous const& a) {
    emit(OpKind::asynchronous).target = static_cast<std::uint32_t>(plan_.asynchronous.size());
    plan_.asynchronous.push_back(a);
}

void FunctionPlanner::plan_mbarrier(Operands operands) {
    static constexpr std::pair<std::string_view, Async> kinds[] = {{".init", Async::initialize},
                                                                   {".inval", Async::invalidate},
                                                                   {".arrive", Async::arrive},
                                                                   {".arrive_drop", Async::arrive},
                                                                   {".test_wait", Async::test},
                                                                   {".try_wait", Async::test},
                                                                   {".pending_count", Async::pending_count}};
    Asynchronous a;
    a.kind = form_->has(Modifier::expect_tx) ? Async::expect : Async::complete;
    for (auto const& [word, kind] : kinds) {
        if (form_->has(word)) a.kind = kind;
    }
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

void FunctionPlanner::plan_copy(Operands operands) {
    std::string_view const syntax = row_->syntax;
    Asynchronous a;
    bool const is_bulk = form_->has(Modifier::bulk);
    if (form_->has(Modifier::commit_group)) {
        a.kind = is_bulk ? Async::bulk_commit : Async::commit;
    } else if (form_->has(Modifier::wait_group) || form_->has(Modifier::wait_all)) {
        a.kind = is_bulk ? Async::bulk_wait : Async::wait;
        a.reads_only = form_->has(Modifier::read);
        a.has_count = form_->has(Modifier::wait_group);
        if (a.has_count) a.bytes = static_cast<std::uint32_t>(operands[0].value);
    } else if (is_in(syntax, "cp.async.mbarrier.arrive")) {
        a.kind = Async::arrive_after;
        a.counts_itself = !form_->has(Modifier::noinc);
        a.barrier = place(operands[0], true);
    } else if (form_->has(Modifier::prefetch)) {
        a.kind = Async::prefetch;
    } else if (is_bulk) {
        return plan_bulk_copy(operands);
    } else {
        a.target = place(operands[0], true);
        a.source = place(operands[1]);
        a.bytes = static_cast<std::uint32_t>(operands[2].value);
        a.past_l1 = form_->has(Modifier::cg);
        bool const has_hint = is_in(form_->text, ".L2::cache_hint");
        if (operands.size() > (has_hint ? 4u : 3u) && operands[3].kind != Kind::sink) {
            a.ignores = is_in(syntax, "ignore-src");
            a.has_count = !a.ignores;
            (a.ignores ? a.mask : a.count) = a.ignores ? predicate_source(operands[3]) : source(operands[3], 2);
        }
    }
    emit_asynchronous(a);
}

void FunctionPlanner::choose_reduction(Asynchronous& a) {
    static constexpr std::pair<std::string_view, AtomicOperation> operations[] = {
        {".add", AtomicOperation::add},       {".min", AtomicOperation::min},
        {".max", AtomicOperation::max},       {".and", AtomicOperation::bit_and},
        {".or", AtomicOperation::bit_or},     {".xor", AtomicOperation::bit_xor},
        {".inc", AtomicOperation::increment}, {".dec", AtomicOperation::decrement}};
    Type const type = form_->types[0];
    a.element_bytes = static_cast<std::uint32_t>(isa::width(type)) / 8;
    for (auto const& [word, operation] : operations) {
        if (!form_->has(word)) continue;
        for (std::size_t is_shared = 0; is_shared < 2; ++is_shared) {
            a.reduce[is_shared] = atomic_functions(kernel_.options.host)
                                      .of[is_shared][static_cast<std::size_t>(atomic_type(type))]
                                         [static_cast<std::size_t>(operation)];
        }
    }
    if (a.reduce[0] == nullptr || a.reduce[1] == nullptr) refuse(std::string(row_->syntax));
}

void FunctionPlanner::plan_async_store(Operands operands) {
    Asynchronous a;
    a.kind = Async::store;
    if (form_->opcode == "red") choose_reduction(a);
    a.element_bytes = static_cast<std::uint32_t>(isa::width(form_->types[0])) / 8;
    a.to_global = !is_in(row_->syntax, "[mbar]");
    bool const own = is_in(row_->syntax, ".shared::cta");
    a.target = place(operands[0], own);
    bool const is_vector = operands[1].kind == Kind::vector;
    a.elements = is_vector ? operands[1].count : 1;
    int const log2 = column_log2(form_->types[0]);
    for (std::size_t i = 0; i < a.elements; ++i) a.data[i] = source(operands[(is_vector ? 2 : 1) + i], log2);
    if (!a.to_global) a.barrier = place(operands.back(), own);
    emit_asynchronous(a);
}

void FunctionPlanner::plan_bulk_copy(Operands operands) {
    std::string_view const syntax = row_->syntax;
    Asynchronous a;
    a.kind = Async::bulk;
    a.to_global = is_in(syntax, "global.shared::cta");
    a.from_shared = a.to_global || is_in(syntax, "shared::cluster.shared::cta");
    bool const own = !a.to_global && !is_in(syntax, "shared::cluster");
    a.target = place(operands[0], own);
    a.source = place(operands[1], a.from_shared);
    a.count = source(operands[2], 2);
    if (!a.to_global) a.barrier = place(operands[3], own);
    a.is_multicast = form_->has(Modifier::multicast_cluster);
    a.has_mask = form_->has(Modifier::cp_mask);
    if (a.is_multicast) a.mask = source(operands[4], 1);
    if (a.has_mask) a.mask = source(operands.back(), 1);
    if (is_in(syntax, "cp.reduce")) {
        choose_reduction(a);
    }
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
    if (form_->has(Modifier::try_cancel)) {
        Asynchronous a;
        a.kind = Async::cancel_launch;
        a.is_multicast = is_in(form_->text, ".multicast::cluster::all");
        a.target = place(operands[0], true);
        a.barrier = place(operands[1], true);
        return emit_asynchronous(a);
    }
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
    std::uint64_t const word = is_in(form_->text, "::y") ? 1 : is_in(form_->text, "::z") ? 2 : 0;
    emit_lanes(response_word, destination(operands[0], 2), response, 0, 0, word);
}

void FunctionPlanner::plan_rank(Operands operands) {
    bool const is_64 = column_log2(form_->types[0]) == 3;
    bool const gives_address = form_->operation == Operation::mapa;
    Slot const address = source(operands[1], is_64 ? 3 : 2);
    Slot const rank = gives_address ? source(operands[2], 2) : 0;
    Slot const d = destination(operands[0], gives_address && is_64 ? 3 : 2);
    Op& op = emit(gives_address ? OpKind::map_rank : OpKind::rank_of);
    op.operands.slot[0] = d;
    op.operands.slot[1] = address;
    op.operands.slot[2] = rank;
    op.operands.immediate = (is_64 ? 1u : 0u) | (form_->space == isa::StateSpace::generic ? 2u : 0u);
}

}  // namespace warpsim::sim
