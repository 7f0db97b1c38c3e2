// ldmatrix and stmatrix: rows of 16 bytes in shared memory, at addresses that as many lanes bring. The instruction becomes
// an op that gives each lane the address of four of these bytes, a load or store of them for every eight rows, and what
// brings the bytes to the lanes that the layout says. Where nobody looks on, the first op moves the rows itself.
#include "sim/exec/effect_rule.hpp"
#include "sim/exec/matrix/arrangement.hpp"
#include "sim/exec/matrix/matrix_rows.hpp"
#include "sim/matrix/products.hpp"
#include "sim/tensor_memory/packing.hpp"

#include "frontend/isa/operation.hpp"
#include "sim/hexadecimal.hpp"

#include <array>
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

constexpr std::size_t row_bytes = 16;

struct RowAddresses {
    Slot address = 0;
    bool address_is_64 = true;
    bool is_at_one_place = false;
    bool is_generic = false;
    std::int64_t offset = 0;
    std::vector<Slot> lanes;  // for every eight rows: a column of 64-bit addresses in shared memory
    // What the first op needs to move the rows itself; registers are empty if it cannot.
    std::vector<Slot> registers;
    bool is_store = false;
    bool is_transposed = false;
};

/// How the bytes of a matrix's rows stand in its registers. `rows` has a column for every eight rows, of which four lanes
/// hold one.
struct Arrangement {
    int packed_bits = 0;  // of the elements in memory, where they become bytes; 0: they are what they are
    std::vector<Slot> rows, registers;
    /// For each byte of the registers, lane by lane, the byte of the rows.
    std::vector<std::uint16_t> source;
};

/// The addresses first; then come the registers of the matrices.
Access plan_row_addresses(FunctionPlanner& p, ir::Operand const& address, std::size_t groups, RowAddresses m,
                          std::vector<Slot>& lanes) {
    Access access = p.access_to(address, true);
    m.address = access.address;
    m.address_is_64 = access.address_is_64;
    m.is_at_one_place = access.is_at_one_place;
    m.is_generic = access.space == SpaceKind::generic;
    m.offset = access.offset;
    for (std::size_t i = 0; i < groups; ++i) lanes.push_back(p.temporary(3));
    m.lanes = lanes;
    p.emit_effect_with(std::move(m));
    access.space = SpaceKind::shared;
    access.own_shared = true;
    access.is_at_one_place = false;
    access.address_is_64 = true;
    access.offset = 0;
    access.elements = 1;
    access.memory_log2 = 2;
    access.bytes = 4;
    access.is_signed = false;
    access.column_log2[0] = 2;
    return access;
}

void emit_row_access(FunctionPlanner& p, OpKind kind, Access access, Slot lanes, Slot data) {
    access.address = lanes;
    access.data[0] = data;
    access.move[0] = kind == OpKind::load ? p.access().load[2][0][2] : p.access().store[2][2];
    Op& op = p.emit(kind);
    op.target = static_cast<std::uint32_t>(p.plan().accesses.size());
    p.plan().accesses.push_back(access);
}

// ---- what is carried out ---------------------------------------------------------------------------------------------

/// The address of the row that a lane names.
std::uint64_t row_address(WarpInstruction const& i, RowAddresses const& m, std::size_t lane) {
    auto const offset = static_cast<std::uint64_t>(m.offset);
    std::uint64_t address = 0;
    if (m.is_at_one_place) address = *isa::column<std::uint64_t>(i.warp.bases, m.address) + offset;
    else if (m.address_is_64) address = isa::column<std::uint64_t>(i.warp.bases, m.address)[lane] + offset;
    else address = isa::column<std::uint32_t>(i.warp.bases, m.address)[lane] + static_cast<std::uint32_t>(offset);
    if (address % row_bytes != 0) {
        i.fault(static_cast<int>(lane), FaultKind::misaligned_address,
                "misaligned address: a row of a matrix at " + hexadecimal(address) +
                    ", which is not a multiple of 16");
    }
    if (!m.is_generic) return address;
    std::uint64_t const window = i.launch().windows.shared;
    if (Windows::inside(address, window)) return address - window;
    i.fault(static_cast<int>(lane), FaultKind::wrong_address_space,
            "invalid address space: a row of a matrix at " + hexadecimal(address) +
                ", which is not in shared memory");
}

/// False if a row is not in the CTA's own shared memory, or not at a multiple of 16: which lane is to blame is found out
/// elsewhere.
bool move_rows(WarpInstruction const& i, RowAddresses const& m) {
    if (m.registers.empty() || m.is_at_one_place || !i.is_unobserved()) return false;
    AccessFunctions const& access = i.launch().access;
    std::uint64_t const limit = i.launch().shared_bytes;
    bool const has_window = m.is_generic && m.address_is_64;
    auto const offset = static_cast<std::uint64_t>(m.offset) - (has_window ? i.launch().windows.shared : 0);
    Addresses rows;
    (m.address_is_64 ? access.classify64 : access.classify32)(
        rows, isa::column<std::byte>(i.warp.bases, m.address), static_cast<std::int64_t>(offset),
        isa::all_lanes >> (32 - 8 * m.registers.size()), row_bytes);
    // The last address lies before the first where addresses begin again at zero.
    bool const is_inside =
        limit >= row_bytes && rows.low <= limit - row_bytes && rows.past_high - row_bytes <= limit - row_bytes;
    if (!is_inside || rows.misaligned % row_bytes != 0) return false;
    std::byte* const shared = i.cta.shared.get();
    for (std::size_t group = 0; group < m.registers.size(); ++group) {
        auto* const column = isa::column<std::uint32_t>(i.warp.bases, m.registers[group]);
        EightRows at;
        for (std::size_t r = 0; r < 8; ++r) at[r] = shared + rows.of(static_cast<int>(8 * group + r));
        if (m.is_store) store_rows(at, column, m.is_transposed);
        else load_rows(column, at, m.is_transposed);
    }
    if (m.is_store) ++i.cta.changes;
    return true;
}

Flow find_row_addresses(WarpInstruction& i) {
    i.check_whole_warp();
    RowAddresses const& m = i.function.details_of<RowAddresses>(i.op);
    if (move_rows(i, m)) {
        // An access for every eight rows, and a transposition of each.
        i.skip(static_cast<std::uint32_t>(m.registers.size() * (m.is_transposed ? 2 : 1)));
        return Flow::next;
    }
    for (std::size_t group = 0; group < m.lanes.size(); ++group) {
        auto* const column = isa::column<std::uint64_t>(i.warp.bases, m.lanes[group]);
        std::uint64_t rows[8];
        for (std::size_t r = 0; r < 8; ++r) rows[r] = row_address(i, m, 8 * group + r);
        for (std::size_t lane = 0; lane < 32; ++lane) column[lane] = rows[lane / 4] + 4 * (lane % 4);
    }
    return Flow::next;
}

Flow arrange_loaded(WarpInstruction& i) {
    Arrangement const& a = i.function.details_of<Arrangement>(i.op);
    std::uint32_t words[4 * 16];
    for (std::size_t group = 0; group < a.rows.size(); ++group)
        std::memcpy(words + 32 * group, isa::column<std::uint8_t>(i.warp.bases, a.rows[group]), 128);
    for (std::size_t r = 0; r < 8 * a.rows.size() && a.packed_bits != 0; ++r)
        tensor_memory::unpack(words + 4 * r, a.packed_bits);
    auto const* const rows = reinterpret_cast<std::uint8_t const*>(words);
    std::uint16_t const* source = a.source.data();
    for (std::size_t lane = 0; lane < 32; ++lane) {
        for (Slot const slot : a.registers) {
            std::uint8_t* const to = isa::column<std::uint8_t>(i.warp.bases, slot) + 4 * lane;
            for (std::size_t byte = 0; byte < 4; ++byte) to[byte] = rows[*source++];
        }
    }
    return Flow::next;
}

Flow arrange_stored(WarpInstruction& i) {
    Arrangement const& a = i.function.details_of<Arrangement>(i.op);
    std::uint8_t rows[8 * row_bytes];
    std::uint8_t const* const from = isa::column<std::uint8_t>(i.warp.bases, a.registers[0]);
    for (std::size_t byte = 0; byte < sizeof rows; ++byte) rows[a.source[byte]] = from[byte];
    std::memcpy(isa::column<std::uint8_t>(i.warp.bases, a.rows[0]), rows, sizeof rows);
    return Flow::next;
}

Flow transpose_register(WarpInstruction& i) {
    matrix::transpose_halves(isa::column<std::uint32_t>(i.warp.bases, i.op.operands.slot[0]),
                             isa::column<std::uint32_t>(i.warp.bases, i.op.operands.slot[1]));
    return Flow::next;
}

// ---- plans -------------------------------------------------------------------------------------------------------

void emit_arrangement(FunctionPlanner& p, CarryOut carry_out, Arrangement arrangement) {
    Op& op = p.emit_effect(carry_out);
    op.target = static_cast<std::uint32_t>(p.plan().details.size());
    p.plan().details.push_back(std::make_shared<Arrangement const>(std::move(arrangement)));
}
void emit_transpose(FunctionPlanner& p, Slot to, Slot from) {
    Op& op = p.emit_effect(transpose_register);
    op.operands.slot[0] = to;
    op.operands.slot[1] = from;
}

std::size_t matrices_in(Operands& operands) {
    if (operands[0].kind != ir::Operand::Kind::vector) return 1;
    std::size_t const count = operands[0].count;
    operands = operands.subspan(1);
    return count;
}

/// Whether rows become registers as they are, or as matrices of halves that are transposed.
bool is_direct(ir::Form const& form, std::string_view arrangement) {
    bool const is_of_bytes = form.has(Modifier::m16n16) || form.has(Modifier::m16n8) || form.has(Modifier::m8n16);
    return arrangement.empty() || !is_of_bytes;
}

void plan_matrix_load(FunctionPlanner& p, Operands operands) {
    std::size_t const count = matrices_in(operands);
    std::string_view const name = arrangement_name(p.form(), true);
    std::size_t const each = p.form().has(Modifier::m16n16) ? 2 : 1;  // registers, and groups of eight rows
    RowAddresses m;
    std::vector<Slot> registers, lanes;
    for (std::size_t i = 0; i < count; ++i) registers.push_back(p.destination(operands[i], 2));
    m.is_transposed = !name.empty();
    if (is_direct(p.form(), name)) m.registers = registers;
    Access const access = plan_row_addresses(p, operands[count], count, std::move(m), lanes);
    for (std::size_t i = 0; i < count; i += each) {
        if (is_direct(p.form(), name)) {
            emit_row_access(p, OpKind::load, access, lanes[i], registers[i]);
            if (!name.empty()) emit_transpose(p, registers[i], registers[i]);
            continue;
        }
        Arrangement arrangement{packed_row_bits(p.form()), {}, {}, arranged_bytes(name)};
        for (std::size_t group = 0; group < each; ++group) {
            arrangement.registers.push_back(registers[i + group]);
            arrangement.rows.push_back(p.temporary(2));
            emit_row_access(p, OpKind::load, access, lanes[i + group], arrangement.rows.back());
        }
        emit_arrangement(p, arrange_loaded, std::move(arrangement));
    }
}

void plan_matrix_store(FunctionPlanner& p, Operands operands) {
    ir::Operand const& address = operands[0];
    operands = operands.subspan(1);
    std::size_t const count = matrices_in(operands);
    std::string_view const name = arrangement_name(p.form(), false);
    RowAddresses m;
    std::vector<Slot> registers, lanes;
    for (std::size_t i = 0; i < count; ++i) registers.push_back(p.source(operands[i], 2));
    m.is_store = true;
    m.is_transposed = !name.empty();
    if (is_direct(p.form(), name)) m.registers = registers;
    Access const access = plan_row_addresses(p, address, count, std::move(m), lanes);
    for (std::size_t i = 0; i < count; ++i) {
        Slot from = registers[i];
        if (!name.empty()) {
            Slot const rows = p.temporary(2);
            if (is_direct(p.form(), name)) {
                emit_transpose(p, rows, from);
            } else {
                Arrangement arrangement{0, {}, {}, arranged_bytes(name)};
                arrangement.registers.push_back(from);
                arrangement.rows.push_back(rows);
                emit_arrangement(p, arrange_stored, std::move(arrangement));
            }
            from = rows;
        }
        emit_row_access(p, OpKind::store, access, lanes[i], from);
    }
}

}  // namespace

EffectRules effects::matrix_access_rules() {
    static constexpr EffectRule rules[] = {
        {Effect::matrix_load, plan_matrix_load, find_row_addresses},
        {Effect::matrix_store, plan_matrix_store, find_row_addresses},
    };
    return rules;
}

}  // namespace warpsim::sim
