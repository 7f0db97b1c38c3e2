// wgmma: four warps multiply matrices, of which b and perhaps a stand in shared memory. Each warp has 16 rows of a and of
// the product, which depend on no other warp, so it computes them when it executes the instruction: the results are those
// of any later time at which programs may look at them, because neither operand may change before wgmma.wait_group.
#include "sim/exec/effect_rule.hpp"
#include "sim/exec/matrix_products.hpp"
#include "sim/matrix/descriptor.hpp"

#include "frontend/isa/operation.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
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

constexpr std::size_t warps_of_group = 4;
constexpr std::size_t words_of_chunk = matrix::chunk_bytes / 4;

struct SharedMatrix {
    char const* name = "";
    Slot descriptor = 0;
    Major major = Major::k;
    std::size_t words = 8;  // of a row of a or a column of b
};

struct WarpgroupProduct {
    std::vector<Multiplication> parts;  // of as many columns as a block has
    bool a_is_shared = false;
    SharedMatrix a{"a"}, b{"b"};
    Slot adds = 0;               // a predicate: whether the accumulator is added
    std::uint32_t negation = 0;  // bits of each word of a that the factors 1 and -1 change
};

// ---- plans -------------------------------------------------------------------------------------------------------

/// The n of the modifier .m64n128k16.
std::size_t columns_of_product(ir::Form const& form) {
    for (Modifier const modifier : form.modifiers) {
        std::string_view const name = isa::name(modifier);
        std::size_t columns = 0;
        if (!name.starts_with(".m64n")) continue;
        std::from_chars(name.data() + 5, name.data() + name.size(), columns);
        return columns;
    }
    return 0;
}

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
        std::size_t const columns = columns_of_product(p_.form());
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

void check_warpgroup(WarpInstruction const& i) {
    i.check_whole_warp();
    std::size_t const first = i.warp.index / warps_of_group * warps_of_group;
    if (first + warps_of_group <= i.cta.warps.size()) return;
    i.fault(0, FaultKind::broken_promise,
            "an instruction of a warpgroup by warp " + std::to_string(i.warp.index) + " of a block of " +
                std::to_string(i.cta.warps.size()) + " warps: a warpgroup is four warps, from warp " +
                std::to_string(first) + " on");
}

/// A value that all lanes must bring.
template <class T> T common_value(WarpInstruction const& i, Slot slot, std::string const& what) {
    auto const* const values = isa::column<T>(i.warp.bases, slot);
    for (int lane = 1; lane < 32; ++lane) {
        if (values[lane] == values[0]) continue;
        i.fault(lane, FaultKind::illegal_operand,
                "illegal operand: " + what + " is not the same in all threads of the warp");
    }
    return values[0];
}

bool adds_accumulator(WarpInstruction const& i, Slot predicate) {
    LaneMask const lanes = *isa::column<LaneMask>(i.warp.bases, predicate);
    if (lanes == 0 || lanes == isa::all_lanes) return lanes != 0;
    i.fault(std::countr_zero(lanes), FaultKind::illegal_operand,
            "illegal operand: scale-d is not the same in all threads of the warp");
}

/// Reads rows of a or columns of b: both are lines of words in the order of k.
class SharedReader {
public:
    SharedReader(WarpInstruction const& i, SharedMatrix const& of)
        : i_(i),
          of_(of),
          descriptor_(matrix::descriptor_of(
              common_value<std::uint64_t>(i, of.descriptor, std::string("the descriptor of ") + of.name))) {}

    /// Of `count` lines, which are 8 or a multiple; `put` takes the line, the word and its value.
    template <class Put> void read(std::size_t first, std::size_t count, Put&& put) const {
        if (of_.major == Major::k) read_along_k(first, count, put);
        else read_across_k(first, count, put);
    }

private:
    void chunk(std::size_t line, std::size_t number, void* to) const {
        std::uint32_t const at = matrix::chunk_address(descriptor_, of_.major, static_cast<std::uint32_t>(line),
                                                       static_cast<std::uint32_t>(number));
        if (at + std::uint64_t{matrix::chunk_bytes} > i_.launch().shared_bytes) {
            i_.fault(0, FaultKind::illegal_address,
                     std::string("illegal address: 16 bytes of matrix ") + of_.name + " at shared " +
                         std::to_string(at) + ", past the end of " + std::to_string(i_.launch().shared_bytes) +
                         " bytes per block");
        }
        std::memcpy(to, i_.cta.shared.get() + at, matrix::chunk_bytes);
    }

    template <class Put> void read_along_k(std::size_t first, std::size_t count, Put&& put) const {
        for (std::size_t line = 0; line < count; ++line) {
            for (std::size_t number = 0; number < of_.words / words_of_chunk; ++number) {
                std::uint32_t words[words_of_chunk];
                chunk(first + line, number, words);
                for (std::size_t w = 0; w < words_of_chunk; ++w) put(line, words_of_chunk * number + w, words[w]);
            }
        }
    }

    /// Only elements of 16 bits have this layout.
    template <class Put> void read_across_k(std::size_t first, std::size_t count, Put&& put) const {
        for (std::size_t word = 0; word < of_.words; ++word) {
            for (std::size_t line = 0; line < count; line += 8) {
                std::uint16_t halves[2][8];
                for (std::size_t odd = 0; odd < 2; ++odd) chunk(2 * word + odd, (first + line) / 8, halves[odd]);
                for (std::size_t j = 0; j < 8; ++j)
                    put(line + j, word, halves[0][j] | static_cast<std::uint32_t>(halves[1][j]) << 16);
            }
        }
    }

    WarpInstruction const& i_;
    SharedMatrix const& of_;
    matrix::Descriptor descriptor_;
};

using RowsOfA = std::uint32_t[matrix::most_words][block_rows];

void read_rows(WarpInstruction const& i, WarpgroupProduct const& w, RowsOfA& rows) {
    if (w.a_is_shared) {
        SharedReader(i, w.a).read(
            i.warp.index % warps_of_group * block_rows, block_rows,
            [&](std::size_t line, std::size_t word, std::uint32_t value) { rows[word][line] = value; });
    } else {
        Fragments(i.warp.bases, w.parts[0]).read_a(rows, 0);
    }
    for (std::size_t word = 0; word < w.a.words && w.negation != 0; ++word)
        for (std::uint32_t& value : rows[word]) value ^= w.negation;
}

void multiply_part(WarpInstruction const& i, Multiplication const& m, RowsOfA const& rows, Block& block) {
    bool const is_float = isa::is_float(m.floats.a);
    matrix::FloatProduct const floats = is_float ? float_product(i, m) : matrix::FloatProduct{};
    if (m.is_sparse) return multiply_sparse(i, m, floats, rows, block);
    std::memcpy(block.a, rows, sizeof(block.a[0]) * static_cast<std::size_t>(block.words));
    if (is_float) m.functions->floats(floats, block);
    else m.functions->integers(m.integers, block);
}

Flow multiply_as_warpgroup(WarpInstruction& i) {
    check_warpgroup(i);
    WarpgroupProduct const& w = i.function.details_of<WarpgroupProduct>(i.op);
    bool const adds = adds_accumulator(i, w.adds);
    RowsOfA rows;
    read_rows(i, w, rows);
    SharedReader const columns_of_b(i, w.b);
    for (std::size_t part = 0; part < w.parts.size(); ++part) {
        Multiplication const& m = w.parts[part];
        Fragments const fragments(i.warp.bases, m);
        Block block;
        block.words = static_cast<int>(w.b.words);
        block.columns = static_cast<int>(8 * m.column_tiles);
        columns_of_b.read(
            matrix::most_columns * part, 8 * m.column_tiles,
            [&](std::size_t line, std::size_t word, std::uint32_t value) { block.b[line][word] = value; });
        if (adds) fragments.read_addend(block, 0);
        else std::memset(block.d, 0, sizeof block.d);
        multiply_part(i, m, rows, block);
        fragments.write(block, 0);
    }
    return Flow::next;
}

// ---- wgmma.fence, commit_group, wait_group -----------------------------------------------------------------------

void plan_warpgroup_order(FunctionPlanner& p, Operands) { p.emit_effect(); }

/// Products are complete when they have been executed: there is nothing to wait for.
Flow keep_warpgroup_order(WarpInstruction& i) {
    check_warpgroup(i);
    return Flow::next;
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
