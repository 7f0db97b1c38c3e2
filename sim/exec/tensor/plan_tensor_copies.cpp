// cp.async.bulk.tensor, cp.reduce.async.bulk.tensor and cp.async.bulk.prefetch.tensor.
#include "sim/exec/plan_asynchronous.hpp"
#include "sim/exec/tensor/tensor_copy.hpp"

namespace warpsim::sim {

namespace {

using isa::Modifier;
using isa::Operation;
using Kind = ir::Operand::Kind;

/// Takes one operand after the other; a list is its length and its elements.
class Taker {
public:
    Taker(FunctionPlanner& p, FunctionPlanner::Operands operands) : p_(p), operands_(operands) {}

    ir::Operand const& one() { return operands_[next_++]; }
    template <std::size_t most> std::uint32_t list(std::array<Slot, most>& to, int log2) {
        bool const is_list = operands_[next_].kind == Kind::vector;
        std::uint32_t const count = is_list ? one().count : 1;
        for (std::uint32_t i = 0; i < count; ++i) to[i] = p_.source(one(), log2);
        return count;
    }

private:
    FunctionPlanner& p_;
    FunctionPlanner::Operands operands_;
    std::size_t next_ = 0;
};

tensor::Request request_of(ir::Form const& form) {
    constexpr Modifier ranks[] = {Modifier::_1d, Modifier::_2d, Modifier::_3d, Modifier::_4d, Modifier::_5d};
    tensor::Request request;
    for (std::uint32_t i = 0; i < std::size(ranks); ++i) {
        if (form.has(ranks[i])) request.rank = i + 1;
    }
    request.is_gather = form.has(Modifier::tile_gather4) || form.has(Modifier::tile_scatter4);
    if (form.has(Modifier::im2col) || form.has(Modifier::im2col_no_offs)) request.mode = tensor::Mode::im2col;
    if (form.has(Modifier::im2col_w)) request.mode = tensor::Mode::im2col_w;
    if (form.has(Modifier::im2col_w_128)) request.mode = tensor::Mode::im2col_w_128;
    return request;
}

/// Where the map is, for ClusterMemory::map_bytes(): a variable among the parameters has a generic address there.
AddressOperand map_place(FunctionPlanner& p, ir::Operand const& address) {
    AddressOperand place = p.place(address);
    using Base = ir::Operand::AddressBase;
    if (address.base == Base::function_variable && !address.generic)
        place.offset += static_cast<std::int64_t>(generic_window(p.function().variables[address.index].space));
    return place;
}

}  // namespace

void plan_tensor_copy(FunctionPlanner& p, FunctionPlanner::Operands operands) {
    ir::Form const& form = p.form();
    auto copy = std::make_shared<TensorCopy>();
    copy->request = request_of(form);
    copy->only_prefetches = form.operation == Operation::cp_async_bulk_prefetch_tensor;
    if (form.operation == Operation::cp_reduce_async_bulk_tensor) {
        copy->atomics = &p.atomics();
        copy->operation = atomic_operation(form);
    }
    Asynchronous a;
    a.kind = Asynchronous::Kind::tensor;
    a.to_global = form.has(Modifier::bulk_group);
    copy->request.is_store = a.to_global;
    a.from_shared = a.to_global;
    bool const is_load = !a.to_global && !copy->only_prefetches;
    bool const own = is_load && !form.has(Modifier::shared_cluster);
    Taker take(p, operands);
    if (is_load) a.target = p.place(take.one(), own);
    copy->map = map_place(p, take.one());
    copy->coordinates = take.list(copy->at, 2);
    if (a.to_global) a.source = p.place(take.one(), true);
    a.is_of_pair = form.has(Modifier::cta_group_2);
    // A pair's mbarrier may be the other CTA's.
    if (is_load) a.barrier = p.place(take.one(), own && !a.is_of_pair);
    bool const has_offsets = copy->request.mode != tensor::Mode::tile && !form.has(Modifier::im2col_no_offs);
    if (has_offsets) copy->offset_count = take.list(copy->offsets, 1);
    a.is_multicast = form.has(Modifier::multicast_cluster);
    if (a.is_multicast) a.mask = p.source(take.one(), 1);
    a.tensor = std::move(copy);
    emit_asynchronous(p, a);
}

}  // namespace warpsim::sim
