// mma, mma.sp, wmma.mma: a warp multiplies two matrices whose elements its lanes share. movmatrix.
#include "sim/exec/effect_rule.hpp"
#include "sim/exec/matrix/matrix_products.hpp"

#include "frontend/isa/product_shape.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace warpsim::sim {

namespace {

using isa::Effect;
using isa::Modifier;
using isa::Type;
using Kind = ir::Operand::Kind;

/// Takes the operands of a product, one after the other.
class ProductPlanner {
public:
    ProductPlanner(FunctionPlanner& p, Operands operands)
        : p_(p),
          operands_(operands),
          shape_(isa::product_shape(p.form().modifiers).value_or(isa::ProductShape{})),
          is_wmma_(p.form().operation == isa::Operation::wmma_mma) {}

    Multiplication planned() {
        m.functions = &matrix::product_functions(p_.kernel().options.host);
        set_types();
        set_tiles();
        set_modifiers();
        int const log2 = m.floats.a == Type::f64 ? 3 : 2;
        m.d = registers(true, log2);
        m.a = registers(false, log2);
        m.b = registers(false, log2);
        m.c = registers(false, log2);
        drop_copies();
        if (m.is_sparse) {
            m.metadata = p_.source(operands_[0], 2);
            m.selector = static_cast<std::size_t>(operands_[1].value);
            operands_ = operands_.subspan(2);
        }
        if (m.scales != 0) {
            m.scale_a = scale();
            m.scale_b = scale();
        }
        m.is_in_place = can_stay_in_place();
        return m;
    }

private:
    bool has(Modifier modifier) const { return p_.form().has(modifier); }

    /// Types are written as d, a, b, c; wmma leaves out a and b if they are f16.
    void set_types() {
        auto [d, a, b] = p_.form().types;
        if (is_wmma_ && b == Type::none) {
            m.c_is_f16 = a == Type::f16;
            a = b = Type::f16;
        } else {
            m.c_is_f16 = a == Type::f16 ? false : d == Type::f16;
        }
        m.d_is_f16 = d == Type::f16;
        m.integers = {a, b, has(Modifier::satfinite), has(Modifier::and_)};
        m.is_finite = has(Modifier::satfinite) && isa::is_float(a);
        m.floats.a = a;
        m.floats.b = b;
        m.floats.is_packed = has(Modifier::kind_mxf4) || has(Modifier::kind_mxf4nvf4);
        m.accumulator = a == Type::f16 || a == Type::bf16 ? &MatrixConfig::f16
                        : a == Type::tf32                 ? &MatrixConfig::tf32
                                                          : &MatrixConfig::f8;
    }

    void set_tiles() {
        m.rows = std::min<std::size_t>(shape_.m, 16);
        m.k = shape_.k;
        m.row_tiles = shape_.m / m.rows;
        m.column_tiles = shape_.n / 8;
    }

    void set_modifiers() {
        if (p_.form().rounding != isa::Rounding::none) m.rounding = p_.form().rounding;
        // The layouts come first: a's, then b's.
        auto const& modifiers = p_.form().modifiers;
        auto const is_layout = [](Modifier word) { return word == Modifier::row || word == Modifier::col; };
        auto const layout = std::find_if(modifiers.begin(), modifiers.end(), is_layout);
        m.a_is_column = *layout == Modifier::col;
        m.b_is_row = *std::find_if(layout + 1, modifiers.end(), is_layout) == Modifier::row;
        m.is_ordered = has(Modifier::sp_ordered_metadata);
        m.is_sparse = m.is_ordered || has(Modifier::sp);
        if (!has(Modifier::block_scale)) return;
        m.scales = has(Modifier::scale_vec_4X) ? 4 : has(Modifier::kind_mxf8f6f4) ? 1 : 2;
        m.floats.scale_block = static_cast<int>(m.k / m.scales);
        m.floats.scales_are_e4m3 =
            std::find(modifiers.begin(), modifiers.end(), Modifier::ue4m3) != modifiers.end();
    }

    /// The columns of the next operand.
    std::vector<Slot> registers(bool is_destination, int log2) {
        bool const is_list = operands_[0].kind == Kind::vector;
        std::size_t const count = is_list ? operands_[0].count : 1;
        if (is_list) operands_ = operands_.subspan(1);
        std::vector<Slot> slots;
        for (std::size_t i = 0; i < count; ++i) {
            slots.push_back(is_destination ? p_.destination(operands_[i], log2) : p_.source(operands_[i], log2));
        }
        operands_ = operands_.subspan(count);
        return slots;
    }

    ScaleOperand scale() {
        ScaleOperand s;
        s.data = registers(false, 2).front();
        std::vector<Slot> const selectors = registers(false, 1);
        s.byte = selectors[0];
        s.thread = selectors[1];
        return s;
    }

    /// Fragments of f16 have eight registers in wmma; where they need less, the others repeat these. mma of m8n8k4 has two
    /// types of c by their number.
    void drop_copies() {
        if (m.floats.a != Type::f16) return;
        if (is_wmma_) {
            m.a.resize(shape_.m * shape_.k / 64);
            m.b.resize(shape_.n * shape_.k / 64);
        } else {
            m.c_is_f16 = m.c.size() == (m.k == 4 ? 4u : 2u);
        }
    }

    /// Whether registers are those of tiles of 16 rows as they are, and no result is written over what is still needed.
    bool can_stay_in_place() const {
        bool const is_plain = m.rows == 16 && m.row_tiles == 1 && !m.is_sparse && m.scales == 0 && !m.is_finite &&
                              !m.c_is_f16 && !m.d_is_f16 && m.floats.a != Type::f64;
        bool const has_all = m.a.size() % 2 == 0 && m.b.size() == m.column_tiles * m.a.size() / 2 &&
                             m.c.size() == 4 * m.column_tiles && m.d.size() == m.c.size();
        if (!is_plain || !has_all) return false;
        auto const is_among = [](std::vector<Slot> const& list, Slot slot) {
            return std::find(list.begin(), list.end(), slot) != list.end();
        };
        for (std::size_t i = 0; i < m.d.size(); ++i) {
            for (std::size_t j = 0; j < m.c.size(); ++j)
                if (i != j && m.c[j] == m.d[i]) return false;
            if (is_among(m.a, m.d[i]) || is_among(m.b, m.d[i])) return false;
        }
        return true;
    }

    FunctionPlanner& p_;
    Operands operands_;
    isa::ProductShape shape_;
    bool is_wmma_;
    Multiplication m;
};

void plan_product(FunctionPlanner& p, Operands operands) {
    Multiplication m = ProductPlanner(p, operands).planned();
    m.floats.result_is_f16 = m.c_is_f16 && m.d_is_f16;
    p.emit_effect_with(std::move(m));
}

Flow multiply_matrices(WarpInstruction& i) {
    i.check_whole_warp();
    Multiplication const& m = i.function.details_of<Multiplication>(i.op);
    bool const is_of_groups = m.floats.a == Type::f16 && m.rows == 8 && m.k == 4;
    if (m.floats.a == Type::f64) multiply_doubles(i, m);
    else if (m.is_in_place) multiply_in_place(i, m);
    else if (is_of_groups) multiply_groups(i, m);
    else multiply_tiles(i, m);
    return Flow::next;
}

// ---- movmatrix ---------------------------------------------------------------------------------------------------

void plan_movmatrix(FunctionPlanner& p, Operands operands) {
    Slot const d = p.destination(operands[0], 2), a = p.source(operands[1], 2);
    Op& op = p.emit_effect();
    op.operands.slot[0] = d;
    op.operands.slot[1] = a;
}

Flow move_matrix(WarpInstruction& i) {
    i.check_whole_warp();
    matrix::transpose_halves(isa::column<std::uint32_t>(i.warp.bases, i.op.operands.slot[0]),
                             isa::column<std::uint32_t>(i.warp.bases, i.op.operands.slot[1]));
    return Flow::next;
}

}  // namespace

EffectRules effects::matrix_multiply_rules() {
    static constexpr EffectRule rules[] = {
        {Effect::matrix_multiply, plan_product, multiply_matrices},
        {Effect::matrix_transpose, plan_movmatrix, move_matrix},
    };
    return rules;
}

}  // namespace warpsim::sim
