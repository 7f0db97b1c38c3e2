// Products of matrices: mma, wmma, wgmma.
#include "runtime/check/init/init_check.hpp"

#include "frontend/isa/product_shape.hpp"
#include "sim/matrix/descriptor.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <vector>

namespace warpsim::check {

using isa::Modifier;

namespace {

/// The fragments of a product among the sources of its step.
struct FragmentsOfProduct {
    std::span<Source const> a, b, c, rest;
};

/// Of d = a * b + c in one warp, with up to 16 rows: an element is undefined if that of c is, or anything in its row of a or its
/// column of b. Of each eight columns, the four lanes of a group have a row of d (or two), each lane two columns of it.
struct UndefinedSums {
    std::size_t m = 16, n = 8;
    bool all = false;
    std::array<bool, 16> rows{};
    std::array<bool, 256> columns{};
    OriginId origin = 0;

    bool any() const {
        auto const is_set = [](bool b) { return b; };
        return all || std::any_of(rows.begin(), rows.end(), is_set) ||
               std::any_of(columns.begin(), columns.end(), is_set);
    }
    /// What becomes undefined of register number `i` of so many.
    Bits bits(std::size_t i, std::size_t registers, unsigned register_bits, unsigned lane) const {
        std::size_t const each = std::max<std::size_t>(registers * 8 / n, 1), within = i % each;
        std::size_t const half = m == 16 && within >= each / 2 && each > 1 ? 8 : 0;
        if (all || rows[half + lane / 4]) return ~Bits{0};
        std::size_t const column = 8 * (i / each) + std::size_t{2} * (lane % 4);
        bool const is_pair = registers * 32 * (register_bits / 32) < m * n;  // two halves in a register
        if (!is_pair) return columns[column + within % 2] ? ~Bits{0} : 0;
        return (columns[column] ? Bits{0xffff} : 0) | (columns[column + 1] ? Bits{0xffff0000} : 0);
    }
};

/// Rows of a in registers, which hold two by turns if there are 16.
void add_rows(UndefinedSums& sums, FrameShadow const& f, std::span<Source const> registers) {
    for (std::size_t i = 0; i < registers.size(); ++i) {
        LaneMask const lanes = registers[i].reg == ir::none ? 0 : f.undefined(registers[i].reg);
        std::size_t const half = sums.m == 16 && i % 2 == 1 ? 8 : 0;
        for (unsigned group = 0; group < 8; ++group) sums.rows[half + group] |= (lanes >> (4 * group) & 15) != 0;
    }
}

std::size_t taken_list(std::span<ir::Operand const>& operands) {
    bool const is_list = !operands.empty() && operands[0].kind == ir::Operand::Kind::vector;
    std::size_t const count = is_list ? operands[0].count : operands.empty() ? 0 : 1;
    operands = operands.subspan(std::min(operands.size(), count + (is_list ? 1 : 0)));
    return count;
}

/// Lanes that have an undefined bit in any of the registers.
LaneMask undefined_lanes(FrameShadow const& f, std::span<Source const> registers) {
    LaneMask lanes = 0;
    for (Source const& s : registers)
        if (s.reg != ir::none) lanes |= f.undefined(s.reg);
    return lanes;
}

OriginId origin_in(FrameShadow const& f, std::span<Source const> registers) {
    for (Source const& s : registers)
        if (s.reg != ir::none && f.undefined(s.reg) != 0)
            return f.origin(s.reg, static_cast<unsigned>(std::countr_zero(f.undefined(s.reg))));
    return 0;
}

/// The registers of d may be those of c: their old bits are read first.
void put_sums(FrameShadow& f, Step const& step, std::span<Source const> c, UndefinedSums const& sums) {
    std::size_t const count = step.targets.size();
    std::vector<std::array<Bits, 32>> bits(count);
    std::vector<std::array<OriginId, 32>> origins(count);
    for (std::size_t i = 0; i < count; ++i) {
        bool const has_c = c.size() == count && c[i].reg != ir::none;
        for (unsigned lane = 0; lane < 32; ++lane) {
            Bits const before = has_c ? f.bits(c[i].reg, lane) : 0;
            Bits const added = sums.bits(i, count, step.targets[i].register_bits, lane);
            bits[i][lane] = (before | added) & low_bits(step.targets[i].register_bits);
            origins[i][lane] = before == 0 && added != 0 ? sums.origin : has_c ? f.origin(c[i].reg, lane) : 0;
        }
    }
    for (std::size_t i = 0; i < count; ++i) {
        if (step.targets[i].reg == ir::none) continue;
        for (unsigned lane = 0; lane < 32; ++lane)
            f.set(step.targets[i].reg, lane, bits[i][lane], origins[i][lane]);
    }
}

}  // namespace

/// Of shapes that have not eight columns only c is carried over, and a fragment that is undefined throughout.
void InitCheck::multiply(sim::Site const& site, FrameShadow& f, Step const& step) {
    ir::Function const& function = *site.frame.function->function;
    std::span<ir::Operand const> operands = function.operands_of(function.instructions[site.op.instruction]);
    taken_list(operands);  // d
    std::span<Source const> left = step.sources;
    auto const take = [&] {
        std::size_t const count = std::min(taken_list(operands), left.size());
        std::span<Source const> const taken = left.first(count);
        left = left.subspan(count);
        return taken;
    };
    FragmentsOfProduct p;
    p.a = take();
    p.b = take();
    p.c = take();
    p.rest = left;
    ir::Form const& form = this->form(site);
    isa::ProductShape const shape = isa::product_shape(form.modifiers).value_or(isa::ProductShape{});
    bool const is_known =
        form.operation == isa::Operation::mma && shape.n == 8 &&
        (shape.m == 16 || (shape.m == 8 && form.types[0] != isa::Type::f16 && form.types[0] != isa::Type::f32));
    LaneMask const in_b = undefined_lanes(f, p.b);
    UndefinedSums sums;
    sums.m = shape.m;
    sums.n = is_known ? 8 : std::max<std::size_t>(shape.n, 8);
    sums.all = undefined_lanes(f, p.rest) != 0;
    if (is_known) {
        add_rows(sums, f, p.a);
        for (unsigned group = 0; group < 8; ++group) sums.columns[group] = (in_b >> (4 * group) & 15) != 0;
    } else {
        auto const are_all = [&](std::span<Source const> registers) {
            return !registers.empty() && std::all_of(registers.begin(), registers.end(), [&](Source const& s) {
                return s.reg != ir::none && f.undefined(s.reg) == isa::all_lanes;
            });
        };
        sums.all |= are_all(p.a) || are_all(p.b);
    }
    sums.origin = origin_in(f, undefined_lanes(f, p.a) != 0 ? p.a : in_b != 0 ? p.b : p.rest);
    put_sums(f, step, p.c, sums);
}

// ---- wgmma -------------------------------------------------------------------------------------------------------

namespace {

/// The operands of wgmma.mma_async in their order.
struct WarpgroupOperands {
    std::span<ir::Operand const> a;         // registers; empty: it is in shared memory
    ir::Operand const* a_shared = nullptr;  // descriptors
    ir::Operand const* b = nullptr;
    ir::Operand const* adds = nullptr;
    sim::matrix::Major a_major = sim::matrix::Major::k, b_major = sim::matrix::Major::k;
};

WarpgroupOperands warpgroup_operands(std::span<ir::Operand const> operands, ir::Form const& form) {
    WarpgroupOperands w;
    taken_list(operands);  // d
    if (operands[0].kind == ir::Operand::Kind::vector) {
        w.a = operands.subspan(1, operands[0].count);
        taken_list(operands);
    } else {
        w.a_shared = operands.data();
        operands = operands.subspan(1);
    }
    w.b = operands.data();
    operands = operands.subspan(form.has(Modifier::sp) ? 3 : 1);  // metadata and selector
    w.adds = operands.data();
    operands = operands.subspan(1);
    if (isa::is_float(form.types[1])) operands = operands.subspan(std::min<std::size_t>(operands.size(), 2));
    auto const major = [&] {
        if (operands.empty()) return sim::matrix::Major::k;
        bool const is_across = operands[0].value != 0;
        operands = operands.subspan(1);
        return is_across ? sim::matrix::Major::mn : sim::matrix::Major::k;
    };
    if (w.a_shared != nullptr) w.a_major = major();
    w.b_major = major();
    return w;
}

}  // namespace

/// What of so many lines of a matrix in shared memory, rows of a or columns of b, is undefined.
OriginId InitCheck::undefined_lines(sim::Site const& site, SharedLines const& of, std::span<bool> lines) {
    std::vector<ShadowByte> const& shadow = cta(site.cta).shared.bytes;
    sim::matrix::Descriptor const descriptor = sim::matrix::descriptor_of(of.descriptor);
    std::uint64_t first_place = UINT64_MAX;
    auto const look = [&](bool& line, std::uint32_t row, std::uint32_t chunk, std::size_t offset,
                          std::size_t bytes) {
        std::uint64_t const at = sim::matrix::chunk_address(descriptor, of.major, row, chunk) + offset;
        if (at + bytes > shadow.size() || !has_undefined(shadow.data() + at, bytes)) return;
        line = true;
        first_place = std::min(first_place, at);
    };
    constexpr std::uint32_t words_of_chunk = sim::matrix::chunk_bytes / 4;
    for (std::uint32_t i = 0; i < lines.size(); ++i) {
        std::uint32_t const line = of.first + i;
        if (of.major == sim::matrix::Major::k) {
            for (std::uint32_t chunk = 0; chunk < of.words / words_of_chunk; ++chunk)
                look(lines[i], line, chunk, 0, sim::matrix::chunk_bytes);
        } else {  // elements of 16 bits, eight lines of each k in a chunk
            for (std::uint32_t k = 0; k < 2 * of.words; ++k)
                look(lines[i], k, line / 8, line % 8 * std::size_t{2}, 2);
        }
    }
    if (first_place == UINT64_MAX) return 0;
    return origin_at({&site.cta, first_place}, site, 0, std::array<ShadowByte, 1>{undefined_byte});
}

/// A warp has 16 rows of a and of the sums. Where scale-d says that the sums begin with zero, what stood in d before matters no
/// more.
void InitCheck::multiply_warpgroup(sim::Site const& site, FrameShadow& f, Step const& step) {
    ir::Function const& function = *site.frame.function->function;
    ir::Form const& form = this->form(site);
    WarpgroupOperands const w =
        warpgroup_operands(function.operands_of(function.instructions[site.op.instruction]), form);
    auto const value = [&](ir::Operand const& operand, unsigned bits, unsigned lane) {
        Source s;
        s.bits = s.register_bits = bits;
        s.is_negated = operand.negated;
        if (operand.kind == ir::Operand::Kind::reg) s.reg = operand.index;
        else s.value = static_cast<std::uint64_t>(operand.value) & low_bits(bits);
        return term(site, f, s, lane).value;
    };
    UndefinedSums sums;
    sums.n = isa::product_shape(form.modifiers).value_or(isa::ProductShape{}).n;
    std::uint32_t const words = form.has(Modifier::sp) ? 16 : 8;
    OriginId const in_b = undefined_lines(site, {value(*w.b, 64, 0), w.b_major, 0, words},
                                          std::span<bool>(sums.columns).first(sums.n));
    OriginId in_a = 0;
    std::vector<Source> registers;
    if (w.a_shared != nullptr) {
        in_a = undefined_lines(site, {value(*w.a_shared, 64, 0), w.a_major, 16 * (site.warp.index % 4), 8},
                               sums.rows);
    } else {
        for (ir::Operand const& operand : w.a) {
            registers.emplace_back();
            if (operand.kind == ir::Operand::Kind::reg) registers.back().reg = operand.index;
        }
        add_rows(sums, f, registers);
        in_a = origin_in(f, registers);
    }
    sums.origin = in_a != 0 ? in_a : in_b;
    if (is_strict_ && sums.any()) {
        if (in_b != 0 || w.a_shared != nullptr) note_read(site, isa::all_lanes, 0, sums.origin);
        sums.columns = {};
        if (w.a_shared != nullptr) sums.rows = {};
    }
    if (f.is_clean() && !sums.any()) return;
    for (unsigned lane = 0; lane < 32; ++lane) {
        if (value(*w.adds, 1, lane) != 0) continue;
        for (Target const& t : step.targets)
            if (t.reg != ir::none) f.define(t.reg, LaneMask{1} << lane);
    }
    std::vector<Source> c(step.targets.size());
    for (std::size_t i = 0; i < c.size(); ++i) c[i].reg = step.targets[i].reg;
    put_sums(f, step, c, sums);
}

}  // namespace warpsim::check
