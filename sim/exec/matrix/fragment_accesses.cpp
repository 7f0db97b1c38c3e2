#include "sim/exec/matrix/fragment_accesses.hpp"

#include "frontend/isa/product_shape.hpp"

#include <string>

namespace warpsim::sim {

namespace {

using isa::Modifier;
using isa::Operation;
using isa::Type;

// What ldmatrix loads at once: matrices of eight rows of 16 bytes, a register each. ptxas does not take more of bytes.
constexpr std::uint32_t most_of_halves = 4, most_of_bytes = 2;

bool is_factor(ir::Form const& form) {
    return form.operation == Operation::wmma_load_a || form.operation == Operation::wmma_load_b;
}

/// "wmma.m16n16k16.f16.a"
std::string layout_name(ir::Form const& form) {
    std::string name = "wmma";
    for (Modifier const modifier : form.modifiers) {
        if (isa::product_shape(modifier)) name += isa::name(modifier);
    }
    Type const type = form.types[0];
    if (!is_factor(form)) return name + (type == Type::f16 ? ".c.f16" : ".c");
    Type const same = type == Type::bf16 ? Type::f16
                      : type == Type::u8 ? Type::s8
                      : type == Type::u4 ? Type::s4
                                         : type;
    return name + "." + std::string(isa::name(same)) + (form.operation == Operation::wmma_load_a ? ".a" : ".b");
}

/// Whether each lane's element lies behind the one with the number before, in memory.
bool are_neighbours(matrix::Layout const& layout, int element, bool is_column) {
    for (int lane = 0; lane < 32; ++lane) {
        matrix::Cell const before = layout.cell(lane, element - 1), cell = layout.cell(lane, element);
        bool const is_next = is_column ? cell.column == before.column && cell.row == before.row + 1
                                       : cell.row == before.row && cell.column == before.column + 1;
        if (!is_next) return false;
    }
    return true;
}

}  // namespace

FragmentAccesses fragment_accesses(ir::Form const& form, std::size_t registers) {
    FragmentAccesses all{matrix::layout_named(layout_name(form))};
    matrix::Layout const& layout = all.layout;
    bool const is_column = form.has(Modifier::col), is_shared = form.space == isa::StateSpace::shared;
    int const in_register = layout.register_bits / layout.element_bits;
    if (in_register > 1 && !are_neighbours(layout, 1, is_column))
        all.parts = static_cast<std::uint32_t>(in_register);
    bool const are_halves = layout.element_bits == 16;
    all.is_factor = is_factor(form);
    all.is_by_matrices = is_shared && all.is_factor && layout.element_bits <= 16 && (are_halves || all.parts == 1);
    std::uint32_t const at_once = are_halves ? most_of_halves : most_of_bytes;
    for (std::size_t r = 0; r < registers; ++r) {
        int const first = static_cast<int>(r) * in_register;
        bool const is_repeated = first >= layout.elements;
        bool const is_second =
            in_register == 1 && r % 2 != 0 && !all.is_factor && are_neighbours(layout, first, is_column);
        bool const is_further = all.is_by_matrices && r % at_once != 0;
        for (std::uint32_t part = 0; part < all.parts; ++part) {
            all.joins.push_back(is_repeated                               ? Joins::repeats
                                : is_second                               ? Joins::behind
                                : is_further || (are_halves && part != 0) ? Joins::beside
                                                                          : Joins::none);
            if (all.joins.back() == Joins::none) ++all.count;
        }
        if (is_repeated || all.parts == 1) continue;
        if (!are_halves) ++all.packed;
        else if (!all.is_by_matrices) ++all.transposes;
    }
    return all;
}

}  // namespace warpsim::sim
