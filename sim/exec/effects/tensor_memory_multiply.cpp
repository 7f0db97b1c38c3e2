// tcgen05.mma: each thread that executes it has the matrix unit multiply. What is wrong with descriptors and addresses is told
// at once; what is out of bounds, when the unit gets there.
#include "sim/exec/effect_rule.hpp"
#include "sim/exec/tensor/tensor_product.hpp"

#include "frontend/isa/operation.hpp"

#include <bit>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace warpsim::sim {

namespace {

using isa::Effect;
using isa::Modifier;
using Kind = ir::Operand::Kind;
using tensor_memory::cell_at;

struct TensorProductPlan {
    tensor_memory::Variation variation;
    matrix::ProductFunctions const* functions = nullptr;
    bool a_is_shared = true, shifts_a = false;
    Slot d = 0, a = 0, b = 0, metadata = 0, descriptor = 0, scale_a = 0, scale_b = 0;
    std::vector<Slot> disabled;
    Slot adds = 0;
    int scale_of_d = 0;
    bool has_mask = false;
    Slot mask = 0;  // of columns
    // The collector buffer of a (0) or b (1 to 4), and what the instruction does with it.
    int collector = 0;
    bool fills = false, uses = false, keeps = false;
};

// ---- plans -------------------------------------------------------------------------------------------------------

tensor_memory::Kind product_kind(ir::Form const& form) {
    using K = tensor_memory::Kind;
    if (form.has(Modifier::kind_f16)) return K::f16;
    if (form.has(Modifier::kind_tf32)) return K::tf32;
    if (form.has(Modifier::kind_f8f6f4)) return K::f8f6f4;
    if (form.has(Modifier::kind_i8)) return K::i8;
    if (form.has(Modifier::kind_mxf8f6f4)) return K::mxf8f6f4;
    return form.has(Modifier::kind_mxf4) ? K::mxf4 : K::mxf4nvf4;
}

std::uint32_t scale_count(ir::Form const& form) {
    if (form.has(Modifier::scale_vec_1X)) return 1;
    if (form.has(Modifier::scale_vec_2X)) return 2;
    return form.has(Modifier::scale_vec_4X) || form.has(Modifier::block16) ? 4 : 0;
}

void set_collector(ir::Form const& form, TensorProductPlan& t) {
    constexpr Modifier buffers[][4] = {{Modifier::collector_a_fill, Modifier::collector_a_use,
                                        Modifier::collector_a_lastuse, Modifier::collector_a_discard},
                                       {Modifier::collector_b0_fill, Modifier::collector_b0_use,
                                        Modifier::collector_b0_lastuse, Modifier::collector_b0_discard},
                                       {Modifier::collector_b1_fill, Modifier::collector_b1_use,
                                        Modifier::collector_b1_lastuse, Modifier::collector_b1_discard},
                                       {Modifier::collector_b2_fill, Modifier::collector_b2_use,
                                        Modifier::collector_b2_lastuse, Modifier::collector_b2_discard},
                                       {Modifier::collector_b3_fill, Modifier::collector_b3_use,
                                        Modifier::collector_b3_lastuse, Modifier::collector_b3_discard}};
    t.collector = t.variation.is_weight_stationary ? 1 : 0;
    for (int buffer = 0; buffer < 5; ++buffer) {
        auto const& of = buffers[buffer];
        if (!form.has(of[0]) && !form.has(of[1]) && !form.has(of[2]) && !form.has(of[3])) continue;
        t.collector = buffer;
        t.fills = form.has(of[0]);
        t.uses = form.has(of[1]) || form.has(of[2]);
        t.keeps = form.has(of[0]) || form.has(of[1]);
    }
}

void plan_tensor_product(FunctionPlanner& p, Operands operands) {
    ir::Form const& form = p.form();
    TensorProductPlan t;
    t.functions = &matrix::product_functions(p.kernel().options.host);
    t.variation = {product_kind(form), form.has(Modifier::sp), form.operation == isa::Operation::tcgen05_mma_ws,
                   is_of_pair(form),   scale_count(form),      p.kernel().module.target_sm == 103};
    t.shifts_a = form.has(Modifier::ashift);
    set_collector(form, t);
    if (t.shifts_a && (t.fills || (t.uses && t.keeps)))
        return p.refuse(".ashift with .collector::a::fill or .collector::a::use");
    std::size_t next = 0;
    auto const take = [&]() -> ir::Operand const& { return operands[next++]; };
    t.d = tensor_address(p, take());
    t.a_is_shared = operands[next].kind != Kind::address;
    t.a = t.a_is_shared ? p.source(take(), 3) : tensor_address(p, take());
    t.b = p.source(take(), 3);
    if (t.variation.is_sparse) t.metadata = tensor_address(p, take());
    t.descriptor = p.source(take(), 2);
    if (has_scales(t.variation.kind)) {
        t.scale_a = tensor_address(p, take());
        t.scale_b = tensor_address(p, take());
    }
    if (operands[next].kind == Kind::vector) {
        std::size_t const count = take().count;
        for (std::size_t i = 0; i < count; ++i) t.disabled.push_back(p.source(take(), 2));
    }
    t.adds = p.predicate_source(take());
    bool const has_more = next < operands.size() && operands[next].kind != Kind::sink;
    t.has_mask = has_more && t.variation.is_weight_stationary;
    if (t.has_mask) t.mask = p.source(take(), 3);
    else if (has_more) t.scale_of_d = static_cast<int>(take().value);
    bool const can_scale =
        t.variation.kind == tensor_memory::Kind::f16 || t.variation.kind == tensor_memory::Kind::tf32;
    if (t.scale_of_d != 0 && !can_scale) return p.refuse("scale-input-d for a kind other than f16 and tf32");
    p.emit_effect_with(std::move(t));
}

// ---- what is carried out -----------------------------------------------------------------------------------------

/// What one lane brings, checked.
class ProductReader {
public:
    ProductReader(WarpInstruction const& i, TensorProductPlan const& plan, int lane)
        : i_(i), plan_(plan), lane_(lane) {}

    TensorProduct read() const {
        TensorProduct p;
        p.functions = plan_.functions;
        std::string wrong;
        p.instruction = tensor_memory::instruction_of(plan_.variation, word(plan_.descriptor), wrong);
        check("the instruction descriptor", wrong);
        p.d = word(plan_.d);
        p.a_is_shared = plan_.a_is_shared;
        if (p.a_is_shared) p.a_shared = shared("A", plan_.a, p.instruction.a, p.instruction.a_major);
        else p.a = word(plan_.a);
        p.b = shared("B", plan_.b, p.instruction.b, p.instruction.b_major);
        p.shifts_a = plan_.shifts_a;
        if (plan_.variation.is_sparse) p.metadata = word(plan_.metadata);
        if (has_scales(plan_.variation.kind)) {
            // The uppermost bits of these addresses may hold the id that is also in the instruction descriptor.
            p.scale_a = word(plan_.scale_a) & 0x3fffffff;
            p.scale_b = word(plan_.scale_b) & 0x3fffffff;
        }
        p.adds = (*isa::column<LaneMask>(i_.warp.bases, plan_.adds) >> lane_ & 1) != 0;
        p.scale_of_d = plan_.scale_of_d;
        for (std::size_t w = 0; w < plan_.disabled.size(); ++w) p.disabled[w] = word(plan_.disabled[w]);
        if (plan_.has_mask) {
            p.zeros = tensor_memory::ColumnMask(isa::column<std::uint64_t>(i_.warp.bases, plan_.mask)[lane_],
                                                p.instruction, wrong);
            check("the zero-column mask descriptor", wrong);
        }
        check_places(p);
        return p;
    }

private:
    std::uint32_t word(Slot slot) const { return isa::column<std::uint32_t>(i_.warp.bases, slot)[lane_]; }
    void check(std::string const& what, std::string const& wrong) const {
        if (!wrong.empty()) i_.fault(lane_, FaultKind::illegal_operand, "illegal operand: " + what + ": " + wrong);
    }

    tensor_memory::SharedMatrix shared(std::string const& name, Slot slot, isa::Type type,
                                       matrix::Major major) const {
        std::string wrong;
        tensor_memory::SharedMatrix const m =
            tensor_memory::shared_matrix(isa::column<std::uint64_t>(i_.warp.bases, slot)[lane_], wrong);
        bool const is_tf32_across_k = type == isa::Type::tf32 && major == matrix::Major::mn;
        if (wrong.empty() && m.keeps_32_bytes != is_tf32_across_k) {
            wrong = is_tf32_across_k ? "a transposed matrix of 32 bits has the swizzle of 128 bytes in units of 32"
                                     : "only a transposed matrix of 32 bits has a swizzle in units of 32 bytes";
        }
        check("the descriptor of matrix " + name, wrong);
        return m;
    }

    void check_lane(std::string const& what, std::uint32_t address, std::uint32_t wanted) const {
        if (cell_at(address).lane == wanted) return;
        i_.fault(lane_, FaultKind::illegal_address,
                 "illegal address: " + what + " at " + tensor_address_text(address) + ": its lane must be " +
                     std::to_string(wanted));
    }

    void check_places(TensorProduct const& p) const {
        std::uint32_t const lane = cell_at(p.d).lane;
        bool const may_be_upper = uses_half(p.instruction) && lane == tensor_memory::segment_lanes;
        if (!may_be_upper) check_lane("matrix D", p.d, 0);
        if (!p.a_is_shared) {
            check_lane("matrix A", p.a, lane);
            check("the instruction descriptor", p.instruction.a_major == matrix::Major::k
                                                    ? ""
                                                    : "bit 15: a matrix in tensor memory cannot be transposed");
        }
        if (plan_.variation.is_sparse) check_lane("the metadata of A", p.metadata, lane);
        if (has_scales(plan_.variation.kind)) {
            check_lane("the scales of A", p.scale_a, 0);
            check_lane("the scales of B", p.scale_b, 0);
        }
        if (p.shifts_a && p.instruction.rows() != tensor_memory::lanes)
            check("the instruction descriptor", ".ashift is for M = 128 of a block, M = 256 of a pair");
    }

    WarpInstruction const& i_;
    TensorProductPlan const& plan_;
    int lane_;
};

/// The collector buffers only save time, but what is used must have been filled.
void check_collector(WarpInstruction const& i, TensorProductPlan const& plan, int lane) {
    if (!i.cta.tensor_memory) return;  // which is wrong in another way
    std::uint8_t& filled = i.cta.tensor_memory->collectors;
    auto const bit = static_cast<std::uint8_t>(1u << plan.collector);
    if (plan.uses && (filled & bit) == 0) {
        std::string const name = plan.collector == 0 ? "a" : "b" + std::to_string(plan.collector - 1);
        i.fault(lane, FaultKind::broken_promise,
                "the collector buffer " + name + " is used, which no product before this one has filled and kept");
    }
    filled = static_cast<std::uint8_t>(plan.keeps ? filled | bit : filled & ~bit);
}

Flow multiply_into_tensor_memory(WarpInstruction& i) {
    TensorProductPlan const& plan = i.function.details_of<TensorProductPlan>(i.op);
    for (LaneMask m = i.mask; m != 0; m &= m - 1) {
        int const lane = std::countr_zero(m);
        Issue const by{i.cta, i.warp, i.op, lane};
        check_tensor_group(by, i.parts.execution, plan.variation.of_pair);
        check_collector(i, plan, lane);
        i.parts.asynchronous.begin_work(
            by, std::make_shared<TensorMultiplication>(by, i.parts.execution.faults,
                                                       ProductReader(i, plan, lane).read()));
    }
    return Flow::next;
}

}  // namespace

EffectRules effects::tensor_memory_multiply_rules() {
    static constexpr EffectRule rules[] = {
        {Effect::tensor_memory_multiply, plan_tensor_product, multiply_into_tensor_memory},
    };
    return rules;
}

}  // namespace warpsim::sim
