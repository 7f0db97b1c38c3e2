#include "sim/compiled/llvm/lane_shapes.hpp"

#include <algorithm>
#include <cstring>

namespace warpsim::sim {

namespace {

bool is_of(Slot slot, isa::Base base) { return (slot & 3) == static_cast<Slot>(base); }

}  // namespace

std::optional<std::uint32_t> position_step(KernelPlan const& plan, LaneOperand const& operand) {
    if (!is_of(operand.slot, isa::Base::warp) || operand.log2 < 2) return std::nullopt;
    for (SpecialColumn const& special : plan.warp_specials) {
        if (special.slot != operand.slot) continue;
        return special.which == ir::SpecialRegister::tid && special.component == 0 ? 1 : 0;
    }
    return std::nullopt;
}

LaneShapes::LaneShapes(KernelPlan const& plan, FunctionPlan const& function, CodeFlow const& flow)
    : plan_(plan), function_(function), flow_(flow) {
    begin_.assign(flow.blocks.size(), LaneShapeList(flow.columns.size(), LaneShape::unknown));
    find();
}

LaneShape LaneShapes::of(LaneOperand const& operand, LaneShapeList const& now) const {
    if (is_of(operand.slot, isa::Base::frame)) return now[flow_.column(operand)];
    return constant_shape(operand);
}

LaneShape LaneShapes::constant_shape(LaneOperand const& operand) const {
    if (is_of(operand.slot, isa::Base::cta) || plan_.is_of_launch(operand.slot)) return LaneShape::uniform;
    if (is_of(operand.slot, isa::Base::warp))
        return position_step(plan_, operand) ? LaneShape::linear : LaneShape::any;
    std::byte const* const bytes = plan_.constants.data() + (operand.slot & ~3);
    if (operand.is_predicate()) {
        LaneMask mask = 0;
        std::memcpy(&mask, bytes, sizeof mask);
        return mask == 0 || mask == isa::all_lanes ? LaneShape::uniform : LaneShape::any;
    }
    std::size_t const size = std::size_t{1} << operand.log2;
    for (std::size_t lane = 1; lane < isa::warp_size; ++lane) {
        if (std::memcmp(bytes, bytes + lane * size, size) != 0) return LaneShape::any;
    }
    return LaneShape::uniform;
}

LaneShape LaneShapes::result(std::uint32_t op, LaneShapeList const& now) const {
    CompiledOp const& compiled = flow_.ops[op];
    if (!compiled.is_compiled || !compiled.writes_all_lanes) return LaneShape::any;
    if (compiled.lanes) return lanes_result(*compiled.lanes, now);
    if (function_.ops[op].kind != OpKind::load) return LaneShape::any;
    // One load for all lanes. What a generic address leads to may be each lane's own.
    Access const& access = function_.accesses[function_.ops[op].target];
    bool const is_common = access.space == SpaceKind::global || access.space == SpaceKind::shared ||
                           access.space == SpaceKind::constant;
    if (!is_common || access.order != isa::Order::weak) return LaneShape::any;
    if (access.is_at_one_place) return LaneShape::uniform;
    LaneOperand const address{access.address, static_cast<std::uint8_t>(access.address_is_64 ? 3 : 2)};
    return of(address, now) == LaneShape::uniform ? LaneShape::uniform : LaneShape::any;
}

LaneShape LaneShapes::lanes_result(LaneCall const& call, LaneShapeList const& now) const {
    LaneShape widest = call.reads_destination ? of(call.destination, now) : LaneShape::uniform;
    for (LaneOperand const& source : call.sources) widest = std::max(widest, of(source, now));
    if (widest == LaneShape::unknown || widest == LaneShape::uniform) return widest;
    if (widest == LaneShape::any || !call.linear.is_linear) return LaneShape::any;
    if (call.linear.multiplies) {
        bool const first = of(call.sources[0], now) == LaneShape::linear;
        bool const second = of(call.sources[1], now) == LaneShape::linear;
        if (second && (first || call.linear.only_first_varies)) return LaneShape::any;
    }
    return LaneShape::linear;
}

std::uint32_t LaneShapes::varying_factor(LaneCall const& call, LaneShapeList const& now) const {
    return of(call.sources[1], now) == LaneShape::linear ? 1 : 0;
}

// ---- finding them ------------------------------------------------------------------------------------------------

bool LaneShapes::enter(std::uint32_t block, LaneShapeList const& with) {
    bool grows = false;
    for (std::size_t i = 0; i < with.size(); ++i) {
        if (with[i] <= begin_[block][i]) continue;
        begin_[block][i] = with[i];
        grows = true;
    }
    return grows;
}

/// Columns that the lanes of a branch may write before they meet again.
std::vector<std::uint32_t> LaneShapes::written_apart(std::uint32_t branch) const {
    Op const& op = function_.ops[branch];
    std::vector<std::uint32_t> written, todo = {flow_.block_of[op.target], flow_.block_of[branch + 1]};
    std::vector<bool> seen(flow_.blocks.size(), false);
    seen[flow_.block_of[op.reconverge]] = true;
    while (!todo.empty()) {
        std::uint32_t const b = todo.back();
        todo.pop_back();
        if (seen[b]) continue;
        seen[b] = true;
        for (std::uint32_t i = flow_.blocks[b].begin; i < flow_.blocks[b].end; ++i)
            written.insert(written.end(), flow_.ops[i].writes.begin(), flow_.ops[i].writes.end());
        todo.insert(todo.end(), flow_.blocks[b].successors.begin(), flow_.blocks[b].successors.end());
    }
    return written;
}

/// A branch that not all lanes need take the same way: where they meet, what they have written is theirs.
bool LaneShapes::part(std::uint32_t branch) {
    Op const& op = function_.ops[branch];
    if (op.reconverge >= function_.ops.size() || flow_.block_of[op.reconverge] == CodeFlow::none) return false;
    LaneShapeList apart(flow_.columns.size(), LaneShape::unknown);
    for (std::uint32_t const column : written_apart(branch)) apart[column] = LaneShape::any;
    return enter(flow_.block_of[op.reconverge], apart);
}

void LaneShapes::find() {
    LaneShapeList const anything(flow_.columns.size(), LaneShape::any);
    std::vector<bool> is_reached(flow_.blocks.size(), false), has_parted(function_.ops.size(), false);
    // What no block leads to may be entered with anything.
    for (std::uint32_t first = 0; first < flow_.blocks.size(); ++first) {
        if (is_reached[first]) continue;
        enter(first, anything);
        is_reached[first] = true;
        while (spread(is_reached, has_parted)) {}
    }
}

/// True when more is known afterwards.
bool LaneShapes::spread(std::vector<bool>& is_reached, std::vector<bool>& has_parted) {
    bool changes = false;
    for (std::uint32_t b = 0; b < flow_.blocks.size(); ++b) {
        if (!is_reached[b]) continue;
        CodeBlock const& block = flow_.blocks[b];
        LaneShapeList now = begin_[b];
        for (std::uint32_t i = block.begin; i < block.end; ++i) {
            Op const& op = function_.ops[i];
            if (op.kind == OpKind::branch && is_of(op.guard, isa::Base::frame) && !has_parted[i] &&
                of({op.guard, 0}, now) == LaneShape::any) {
                has_parted[i] = true;
                changes |= part(i);
            }
            LaneShape const shape = result(i, now);
            for (std::uint32_t const column : flow_.ops[i].writes) now[column] = shape;
        }
        for (std::uint32_t const next : block.successors) {
            bool const grows = enter(next, now);
            changes |= grows || !is_reached[next];
            is_reached[next] = true;
        }
    }
    return changes;
}

}  // namespace warpsim::sim
