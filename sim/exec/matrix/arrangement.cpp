#include "sim/exec/matrix/arrangement.hpp"

#include "sim/matrix/layout.hpp"

namespace warpsim::sim {

using isa::Modifier;

std::string_view arrangement_name(ir::Form const& form, bool is_load) {
    if (form.has(Modifier::m16n16)) return "ldmatrix.m16n16.trans.b8";
    if (form.has(Modifier::m8n16)) return form.has(Modifier::b8x16) ? "ldmatrix.m8n16.b8x16" : "";
    if (form.has(Modifier::m16n8)) return "stmatrix.m16n8.trans.b8";
    if (!form.has(Modifier::trans)) return "";
    return is_load ? "ldmatrix.m8n8.trans.b16" : "stmatrix.m8n8.trans.b16";
}

int packed_row_bits(ir::Form const& form) {
    return form.has(Modifier::b6x16_p32) ? 6 : form.has(Modifier::b4x16_p64) ? 4 : 0;
}

std::vector<std::uint16_t> arranged_bytes(std::string_view name) {
    constexpr int row_bytes = 16;
    std::vector<std::uint16_t> source;
    matrix::Layout const& layout = matrix::layout_named(name);
    int const bytes = layout.element_bits / 8;
    for (int lane = 0; lane < 32; ++lane) {
        for (int element = 0; element < layout.elements; ++element) {
            auto const [row, column] = layout.cell(lane, element);
            for (int byte = 0; byte < bytes; ++byte)
                source.push_back(static_cast<std::uint16_t>(row_bytes * row + bytes * column + byte));
        }
    }
    return source;
}

}  // namespace warpsim::sim
