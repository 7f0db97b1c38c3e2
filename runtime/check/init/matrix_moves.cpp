// Matrices between shared memory and the registers of a warp: ldmatrix, stmatrix, movmatrix. Bits of the shadow take the ways
// of the bytes that they stand for.
#include "runtime/check/init/init_check.hpp"

#include "sim/exec/matrix/arrangement.hpp"
#include "sim/matrix/products.hpp"
#include "sim/tensor_memory/packing.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace warpsim::check {

namespace {

/// A word of each lane: four lanes have a row of 16 bytes.
struct Words {
    std::array<std::uint32_t, 32> bits{};
    std::array<OriginId, 32> origin{};

    std::uint8_t byte(std::size_t at) const { return static_cast<std::uint8_t>(bits[at / 4] >> (8 * (at % 4))); }
    /// Of the row, where elements have moved within it.
    OriginId origin_at(std::size_t at) const {
        if (origin[at / 4] != 0) return origin[at / 4];
        auto const row = origin.begin() + static_cast<std::ptrdiff_t>(at / 16 * 4);
        auto const first = std::find_if(row, row + 4, [](OriginId id) { return id != 0; });
        return first == row + 4 ? 0 : *first;
    }
};

/// Which of the instruction's accesses to eight rows this one is.
std::size_t number_of_access(sim::Site const& site) {
    auto const& ops = site.frame.function->ops;
    std::size_t number = 0;
    for (auto i = static_cast<std::size_t>(&site.op - ops.data());
         i-- > 0 && ops[i].instruction == site.op.instruction;)
        number += ops[i].kind == site.op.kind;
    return number;
}

}  // namespace

ir::Form const& InitCheck::form(sim::Site const& site) const {
    ir::Instruction const& instruction = site.frame.function->function->instructions[site.op.instruction];
    return launch_->plan.module->forms[instruction.form];
}

/// The access has brought eight rows; an arrangement takes some of its bytes from them.
void InitCheck::load_rows(sim::AccessEvent const& e, Reach const& r, FrameShadow& f, Step const& step) {
    Words words;
    LaneMask undefined = 0;
    for (LaneMask m = e.addresses.mask; m != 0; m &= m - 1) {
        auto const lane = static_cast<unsigned>(std::countr_zero(m));
        std::uint64_t const from = e.addresses.of(static_cast<int>(lane));
        std::array<ShadowByte, 4> shadow;
        read(r, e.site, lane, from, 4, shadow.data());
        std::memcpy(&words.bits[lane], shadow.data(), 4);
        if (words.bits[lane] == 0) continue;
        undefined |= LaneMask{1} << lane;
        words.origin[lane] = origin(r, e.site, lane, from, shadow.data(), 4);
    }
    if (undefined == 0) return;
    if (is_strict_) {
        auto const lane = static_cast<unsigned>(std::countr_zero(undefined));
        return note_read(e.site, undefined, lane, words.origin[lane]);
    }
    std::size_t const number = number_of_access(e.site);
    std::string_view const name = sim::arrangement_name(form(e.site), true);
    if (name.empty()) {
        if (number >= step.targets.size() || step.targets[number].reg == ir::none) return;
        for (LaneMask m = undefined; m != 0; m &= m - 1) {
            auto const lane = static_cast<unsigned>(std::countr_zero(m));
            f.set(step.targets[number].reg, lane, words.bits[lane], words.origin[lane]);
        }
        return;
    }
    if (int const packed = sim::packed_row_bits(form(e.site)); packed != 0)
        for (std::size_t row = 0; row < 8; ++row) sim::tensor_memory::unpack(&words.bits[4 * row], packed);
    std::vector<std::uint16_t> const source = sim::arranged_bytes(name);
    std::size_t const each = source.size() / 128;  // registers of a matrix, and accesses
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (source[i] / 128 != number % each) continue;
        std::size_t const from = source[i] % 128, reg = number / each * each + i / 4 % each;
        if (words.byte(from) == 0 || reg >= step.targets.size() || step.targets[reg].reg == ir::none) continue;
        auto const lane = static_cast<unsigned>(i / 4 / each);
        std::uint32_t const to = step.targets[reg].reg;
        f.set(to, lane, f.bits(to, lane) | Bits{words.byte(from)} << (8 * (i % 4)), words.origin_at(from));
    }
}

void InitCheck::store_rows(sim::AccessEvent const& e, Reach const& r, FrameShadow& f, Step const& step) {
    std::size_t const number = number_of_access(e.site);
    if (number >= step.sources.size() || step.sources[number].reg == ir::none ||
        f.undefined(step.sources[number].reg) == 0)
        return define(e, r);
    Words words, rows;
    for (unsigned lane = 0; lane < 32; ++lane) {
        words.bits[lane] = static_cast<std::uint32_t>(f.bits(step.sources[number].reg, lane));
        words.origin[lane] = f.origin(step.sources[number].reg, lane);
    }
    std::string_view const name = sim::arrangement_name(form(e.site), false);
    if (name.empty()) {
        rows = words;
    } else {
        std::vector<std::uint16_t> const to = sim::arranged_bytes(name);
        for (std::size_t i = 0; i < to.size(); ++i) {
            if (words.byte(i) == 0) continue;
            rows.bits[to[i] / 4] |= std::uint32_t{words.byte(i)} << (8 * (to[i] % 4));
            rows.origin[to[i] / 4] = words.origin[i / 4];
        }
    }
    for (LaneMask m = e.addresses.mask; m != 0; m &= m - 1) {
        auto const lane = static_cast<unsigned>(std::countr_zero(m));
        std::array<ShadowByte, 4> shadow;
        std::memcpy(shadow.data(), &rows.bits[lane], 4);
        write(r, e.site, lane, e.addresses.of(static_cast<int>(lane)), 4, shadow.data(), rows.origin[lane]);
    }
}

/// movmatrix: halves of words change places.
void InitCheck::transpose(FrameShadow& f, Step const& step) {
    std::uint32_t const from = step.sources[0].reg, to = step.targets[0].reg;
    if (to == ir::none) return;
    std::array<std::uint32_t, 32> bits{}, transposed{};
    OriginId origin = 0;
    for (unsigned lane = 0; lane < 32 && from != ir::none; ++lane) {
        bits[lane] = static_cast<std::uint32_t>(f.bits(from, lane));
        if (origin == 0) origin = f.origin(from, lane);
    }
    sim::matrix::transpose_halves(transposed.data(), bits.data());
    for (unsigned lane = 0; lane < 32; ++lane) f.set(to, lane, transposed[lane], origin);
}

}  // namespace warpsim::check
