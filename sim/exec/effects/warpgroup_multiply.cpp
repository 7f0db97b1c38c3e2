// wgmma: four warps multiply matrices, of which b and perhaps a stand in shared memory. Each warp has 16 rows of a and of
// the product, which depend on no other warp, so it computes them when it executes the instruction: the results are those
// of any later time at which programs may look at them, because neither operand may change before wgmma.wait_group, which
// waits until all four have executed the products.
#include "sim/exec/effect_rule.hpp"
#include "sim/exec/matrix/matrix_products.hpp"
#include "sim/exec/matrix/shared_matrix.hpp"

#include "frontend/isa/product_shape.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace warpsim::sim {

namespace {

using isa::Effect;
using isa::Modifier;
using isa::Type;
using Kind = ir::Operand::Kind;
using matrix::Block;
using matrix::block_rows;
using matrix::Major;

struct WarpgroupProduct {
    std::vector<Multiplication> parts;  // of as many columns as a block has
    bool a_is_shared = false;
    SharedMatrix a{"a"}, b{"b"};
    Slot adds = 0;               // a predicate: whether the accumulator is added
    std::uint32_t negation = 0;  // bits of each word of a that the factors 1 and -1 change
};

// ---- plans -------------------------------------------------------------------------------------------------------

std::uint32_t signs_of_word(Type type) {
    switch (type) {
        case Type::tf32: return 0x80000000u;
        case Type::f16:
        case Type::bf16: return 0x80008000u;
        default: return 0x80808080u;
    }
}

/// What all parts of a product have in common.
Multiplication common_part(FunctionPlanner& p) {
    ir::Form const& form = p.form();
    auto const [d, a, b] = form.types;
    Multiplication m;
    m.functions = &matrix::product_functions(p.kernel().options.host);
    m.d_is_f16 = m.c_is_f16 = d == Type::f16;
    m.integers = {a, b, form.has(Modifier::satfinite), form.has(Modifier::and_)};
    m.floats.a = a;
    m.floats.b = b;
    m.floats.result_is_f16 = m.d_is_f16;
    m.accumulator = a == Type::f16 || a == Type::bf16 ? &MatrixConfig::f16
                    : a == Type::tf32                 ? &MatrixConfig::tf32
                                                      : &MatrixConfig::wgmma_f8;
    m.is_sparse = m.is_ordered = form.has(Modifier::sp);
    // A row of a has 32 bytes, without the elements that are absent.
    m.k = static_cast<std::size_t>(256 / (a == Type::tf32 ? 32 : isa::width(a))) * (m.is_sparse ? 2 : 1);
    return m;
}

/// Takes the operands one after the other.
class WarpgroupPlanner {
public:
    WarpgroupPlanner(FunctionPlanner& p, Operands operands) : p_(p), operands_(operands) {}

    WarpgroupProduct planned() {
        Multiplication m = common_part(p_);
        WarpgroupProduct w;
        std::vector<Slot> const sums = registers(true);
        w.a_is_shared = operands_[0].kind != Kind::vector;
        if (w.a_is_shared) w.a.descriptor = p_.source(next(), 3);
        else m.a = registers(false);
        w.b.descriptor = p_.source(next(), 3);
        if (m.is_sparse) {
            w.b.words *= 2;
            m.metadata = p_.source(next(), 2);
            m.selector = static_cast<std::size_t>(next().value);
        }
        w.adds = p_.predicate_source(next());
        if (isa::is_float(m.floats.a)) {
            bool const negates_a = next().value != 1, negates_b = next().value != 1;
            if (negates_a != negates_b) w.negation = signs_of_word(m.floats.a);
        }
        if (!operands_.empty() && w.a_is_shared) w.a.major = major();
        if (!operands_.empty()) w.b.major = major();
        split(w, m, sums);
        return w;
    }

private:
    ir::Operand const& next() {
        ir::Operand const& operand = operands_[0];
        operands_ = operands_.subspan(1);
        return operand;
    }
    Major major() { return next().value != 0 ? Major::mn : Major::k; }

    std::vector<Slot> registers(bool are_sums) {
        std::vector<Slot> slots(next().count);
        for (Slot& slot : slots) slot = are_sums ? p_.destination(next(), 2) : p_.source(next(), 2);
        return slots;
    }

    void split(WarpgroupProduct& w, Multiplication& m, std::vector<Slot> const& sums) const {
        std::size_t const columns = isa::product_shape(p_.form().modifiers).value_or(isa::ProductShape{}).n;
        std::size_t const each = sums.size() * 8 / columns;  // registers of eight columns
        for (std::size_t first = 0; first < columns; first += matrix::most_columns) {
            m.column_tiles = std::min<std::size_t>(columns - first, matrix::most_columns) / 8;
            auto const begin = sums.begin() + static_cast<std::ptrdiff_t>(first / 8 * each);
            m.c = m.d = std::vector<Slot>(begin, begin + static_cast<std::ptrdiff_t>(m.column_tiles * each));
            w.parts.push_back(m);
        }
    }

    FunctionPlanner& p_;
    Operands operands_;
};

void plan_warpgroup_product(FunctionPlanner& p, Operands operands) {
    p.emit_effect_with(WarpgroupPlanner(p, operands).planned());
}

// ---- what is carried out -----------------------------------------------------------------------------------------

std::uint32_t first_of_group(Warp const& warp) { return warp.index / warps_of_group * warps_of_group; }

/// The group that the warp belongs to, which has four warps.
Warpgroup& check_warpgroup(WarpInstruction const& i) {
    i.check_whole_warp();
    std::uint32_t const first = first_of_group(i.warp);
    if (first + warps_of_group <= i.cta.warps.size()) return warpgroup_of(i.cta, i.warp);
    i.fault(0, FaultKind::broken_promise,
            "an instruction of a warpgroup by warp " + std::to_string(i.warp.index) + " of a block of " +
                std::to_string(i.cta.warps.size()) + " warps: a warpgroup is four warps, from warp " +
                std::to_string(first) + " on");
}

bool adds_accumulator(WarpInstruction const& i, Slot predicate) {
    LaneMask const lanes = *isa::column<LaneMask>(i.warp.bases, predicate);
    if (lanes == 0 || lanes == isa::all_lanes) return lanes != 0;
    i.fault(std::countr_zero(lanes), FaultKind::illegal_operand,
            "illegal operand: scale-d is not the same in all threads of the warp");
}

void read_rows(WarpInstruction const& i, WarpgroupProduct const& w, std::uint64_t descriptor, RowsOfA& rows) {
    if (w.a_is_shared) {
        SharedReader const reader(i, w.a, descriptor);
        std::size_t const first = i.warp.index % warps_of_group * block_rows;
        for (std::size_t half = 0; half < 2; ++half) reader.read_eight(first + 8 * half, rows[0][half], 64);
        reader.tell(first, block_rows, 1, 0);
    } else {
        Fragments(i.warp.bases, w.parts[0]).read_a(rows, 0);
    }
    for (std::size_t four = 0; four < w.a.words / 4 && w.negation != 0; ++four) {
        for (auto& half : rows[four])
            for (std::uint32_t& value : half) value ^= w.negation;
    }
}

void multiply_part(WarpInstruction const& i, Multiplication const& m, RowsOfA const& rows, Block& block) {
    bool const is_float = isa::is_float(m.floats.a);
    matrix::FloatProduct const floats = is_float ? float_product(i, m) : matrix::FloatProduct{};
    if (m.is_sparse) return multiply_sparse(i, m, floats, rows, block);
    std::memcpy(block.a, rows, sizeof(block.a[0]) * static_cast<std::size_t>(block.words) / 4);
    if (is_float) m.functions->floats(floats, block);
    else m.functions->integers(m.integers, block);
}

/// All warps of the group execute the same products with the same operands.
Warpgroup::Product agreed_product(WarpInstruction const& i, WarpgroupProduct const& w) {
    Warpgroup& group = check_warpgroup(i);
    Warpgroup::Product product;
    product.op = &i.op;
    if (w.a_is_shared) product.a = common_descriptor(i, w.a);
    product.b = common_descriptor(i, w.b);
    product.adds = adds_accumulator(i, w.adds);
    std::string const what = group.execute(i.warp.index % warps_of_group, product);
    ++i.cta.changes;
    if (what.empty()) return product;
    i.fault(0, FaultKind::broken_promise,
            "a product of a warpgroup for which its warps do not agree: " + what + " of warp " +
                std::to_string(i.warp.index) + " is another than that of the warp that was here first");
}

Flow multiply_as_warpgroup(WarpInstruction& i) {
    WarpgroupProduct const& w = i.function.details_of<WarpgroupProduct>(i.op);
    Warpgroup::Product const product = agreed_product(i, w);
    RowsOfA rows;
    read_rows(i, w, product.a, rows);
    SharedReader const columns_of_b(i, w.b, product.b);
    std::size_t columns = 0;
    for (Multiplication const& m : w.parts) {
        Fragments const fragments(i.warp.bases, m);
        Block block;
        block.words = static_cast<int>(w.b.words);
        block.columns = static_cast<int>(8 * m.column_tiles);
        for (std::size_t tile = 0; tile < m.column_tiles; ++tile, columns += 8)
            columns_of_b.read_eight(columns, block.b[tile][0], 32);
        if (product.adds) fragments.read_addend(block, 0);
        else std::memset(block.d, 0, sizeof block.d);
        multiply_part(i, m, rows, block);
        fragments.write(block, 0);
    }
    // The unit reads b once for all four warps, each of which tells of a part.
    columns_of_b.tell(0, columns, warps_of_group, i.warp.index % warps_of_group);
    return Flow::next;
}

// ---- wgmma.fence, commit_group, wait_group -----------------------------------------------------------------------

void plan_warpgroup_order(FunctionPlanner& p, Operands operands) {
    WarpgroupOrder order;
    if (p.form().operation == isa::Operation::wgmma_commit_group) order.kind = WarpgroupOrder::Kind::commit;
    if (p.form().operation == isa::Operation::wgmma_wait_group) {
        order.kind = WarpgroupOrder::Kind::wait;
        order.left = static_cast<std::uint32_t>(operands[0].value);
    }
    p.emit_effect_with(order);
}

void tell_group(WarpInstruction const& i, WarpgroupOrder const& order) {
    i.sinks().tell<CopyGroupEvent>([&] {
        using Action = CopyGroupEvent::Action;
        Action const action = order.kind == WarpgroupOrder::Kind::wait ? Action::wait : Action::commit;
        return CopyGroupEvent{i.site(), i.mask, CopyGroupEvent::Of::products, action, order.left, false, false};
    });
}

/// A product has been computed when a warp has executed it, but shared memory may be written again only when all four
/// have: behind a wait, of which one warp may tell others.
Flow keep_warpgroup_order(WarpInstruction& i) {
    Warpgroup& group = check_warpgroup(i);
    WarpgroupOrder const& order = i.function.details_of<WarpgroupOrder>(i.op);
    std::uint32_t const part = i.warp.index % warps_of_group;
    if (order.kind == WarpgroupOrder::Kind::commit) {
        ++group.committed[part];
        ++i.cta.changes;
        tell_group(i, order);
    }
    if (order.kind != WarpgroupOrder::Kind::wait) return Flow::next;
    std::uint32_t const missing = group.missing(part, order.left);
    if (missing == 0) {
        tell_group(i, order);
        return Flow::next;
    }
    std::uint32_t ended = 0;
    for (std::uint32_t other = 0; other < warps_of_group; ++other)
        ended |= i.cta.warps[first_of_group(i.warp) + other].live() == 0 ? 1u << other : 0;
    if ((missing & ended) == 0) return Flow::try_again;
    i.fault(0, FaultKind::broken_promise,
            "a wait for products of a warpgroup that " + warps_text(first_of_group(i.warp), missing & ended) +
                " did not execute before ending");
}

}  // namespace

EffectRules effects::warpgroup_multiply_rules() {
    static constexpr EffectRule rules[] = {
        {Effect::warpgroup_multiply, plan_warpgroup_product, multiply_as_warpgroup},
        {Effect::warpgroup_order, plan_warpgroup_order, keep_warpgroup_order},
    };
    return rules;
}

}  // namespace warpsim::sim
