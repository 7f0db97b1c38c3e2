#include "sim/exec/matrix/fragment_moves.hpp"

#include "sim/exec/matrix/matrix_rows.hpp"

namespace warpsim::sim {

Lying lying_of(std::span<FragmentAddresses::Part const> parts, std::size_t part_bytes, std::size_t element_bits) {
    bool are_rows = parts.size() == 1 && part_bytes == 4, are_columns = parts.size() == 2 && part_bytes == 2;
    FragmentAddresses::Part const& first = parts[0];
    for (std::size_t lane = 0; lane < 32; ++lane) {
        std::size_t const row = lane / 4 * 4, in_row = lane % 4;
        are_rows = are_rows && first.line[lane] == first.line[row] &&
                   first.place[lane] == first.place[row] + in_row * 32 / element_bits;
        for (std::size_t part = 0; part < parts.size(); ++part) {
            are_columns = are_columns && parts[part].line[lane] == first.line[0] + 2 * in_row + part &&
                          parts[part].place[lane] == first.place[0] + lane / 4;
        }
    }
    return are_rows ? Lying::rows : are_columns ? Lying::columns : Lying::scattered;
}

namespace {

/// Where a matrix begins in the host's memory; null if not all of it, with what lies between its lines, is in the CTA's own
/// shared memory or in one allocation.
std::byte* find_matrix(WarpInstruction const& i, FragmentAddresses const& f, std::uint64_t base,
                       std::uint64_t stride) {
    std::uint64_t const last = f.byte_of(f.last_line, f.last_place, stride);
    LaunchContext const& launch = i.launch();
    bool const is_in_window = f.space == SpaceKind::generic && Windows::inside(base, launch.windows.shared);
    if (f.space == SpaceKind::shared || is_in_window) {
        std::uint64_t const at = is_in_window ? base - launch.windows.shared : base;
        bool const is_inside = at <= launch.shared_bytes && last + f.part_bytes <= launch.shared_bytes - at;
        return is_inside ? i.cta.shared.get() + at : nullptr;
    }
    bool const is_global = f.space == SpaceKind::global || f.space == SpaceKind::generic;
    if (!is_global || base + last < base || !i.parts.execution.can_access(i.warp, base, base + last, f.part_bytes))
        return nullptr;
    return reinterpret_cast<std::byte*>(base);
}

/// The elements of each lane by themselves.
template <class T>
[[gnu::no_sanitize_thread]] void move_scattered(FragmentAddresses const& f, std::size_t first, std::byte* column,
                                                std::byte* matrix, std::uint64_t stride) {
    using Element [[gnu::may_alias, gnu::aligned(1)]] = T;
    for (std::size_t part = 0; part < f.parts_of_register; ++part) {
        FragmentAddresses::Part const& p = f.parts[first + part];
        for (std::size_t lane = 0; lane < 32; ++lane) {
            auto* const element =
                reinterpret_cast<Element*>(matrix + f.byte_of(p.line[lane], p.place[lane], stride));
            auto* const own = reinterpret_cast<Element*>(column + lane * f.register_bytes + part * sizeof(T));
            if (f.is_store) *element = *own;
            else *own = *element;
        }
    }
}

void move_register(FragmentAddresses const& f, std::size_t r, std::byte* column, std::byte* matrix,
                   std::uint64_t stride) {
    std::size_t const first = r * f.parts_of_register;
    Lying const lying = f.registers[r].lying;
    if (lying == Lying::scattered) {
        switch (f.part_bytes) {
            case 1: return move_scattered<std::uint8_t>(f, first, column, matrix, stride);
            case 2: return move_scattered<std::uint16_t>(f, first, column, matrix, stride);
            case 4: return move_scattered<std::uint32_t>(f, first, column, matrix, stride);
            default: return move_scattered<std::uint64_t>(f, first, column, matrix, stride);
        }
    }
    FragmentAddresses::Part const& part = f.parts[first];
    EightRows rows;
    for (std::size_t row = 0; row < 8; ++row) {
        rows[row] = matrix + (lying == Lying::rows ? f.byte_of(part.line[4 * row], part.place[4 * row], stride)
                                                   : f.byte_of(part.line[0] + row, part.place[0], stride));
    }
    auto* const words = reinterpret_cast<std::uint32_t*>(column);
    if (f.is_store) store_rows(rows, words, lying == Lying::columns);
    else load_rows(words, rows, lying == Lying::columns);
}

}  // namespace

bool move_fragment(WarpInstruction const& i, FragmentAddresses const& f, std::uint64_t base,
                   std::uint64_t stride) {
    if (!i.is_unobserved()) return false;
    std::byte* const matrix = find_matrix(i, f, base, stride);
    if (matrix == nullptr) return false;
    for (std::size_t r = 0; r < f.registers.size(); ++r)
        move_register(f, r, isa::column<std::byte>(i.warp.bases, f.registers[r].data), matrix, stride);
    if (f.is_store) ++i.cta.changes;
    return true;
}

}  // namespace warpsim::sim
