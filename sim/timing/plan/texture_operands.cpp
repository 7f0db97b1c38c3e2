#include "sim/timing/plan/texture_operands.hpp"

#include "sim/timing/plan/effect_timing.hpp"
#include "sim/timing/plan/operations.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace warpsim::timing {

namespace {

using isa::Modifier;
using Kind = ir::Operand::Kind;

bool is_filtered(ir::Form const& f) { return f.operation == Operation::tex && f.types[1] == isa::Type::f32; }

class OperandCounter {
public:
    OperandCounter(MachineFunction& m, Definitions const& d, int capability)
        : m_(m), d_(d), has_uniform_handles_(capability >= 90), names_bank_(capability < 90) {}

    void run() {
        for (std::uint32_t i = 0; i < m_.instructions.size(); ++i) {
            if (m_.instructions[i].fate != Fate::issued || !names_handle(m_, i)) continue;
            std::size_t const moves = handle_moves(i) + level_moves(i) + coordinate_moves(i);
            std::uint8_t& extensions = m_.instructions[i].extensions;
            extensions = static_cast<std::uint8_t>(std::min<std::size_t>(extensions + moves, 32));
        }
    }

private:
    /// Loaded once; that of a texture has another part, which is zero.
    std::size_t handle_moves(std::uint32_t i) {
        auto const operands = m_.operands(i);
        auto const handle = std::find_if(operands.begin(), operands.end(),
                                         [](ir::Operand const& o) { return o.kind == Kind::address; });
        bool const is_constant = handle != operands.end() && handle->base == ir::Operand::AddressBase::reg &&
                                 d_.constant[d_.root[handle->index]] == Constant::bank;
        if (!has_uniform_handles_ || !is_constant || !handles_.insert(d_.root[handle->index]).second) return 0;
        return fetches(m_.form(i)) || m_.form(i).operation == Operation::tld4 ? 2 : 1;
    }
    std::size_t level_moves(std::uint32_t i) {
        if (!is_filtered(m_.form(i))) return 0;
        // Behind three coordinates it takes the place of the fourth, from 9.0 on the upper half of another pair.
        bool const is_3d = m_.form(i).has(Modifier::_3d);
        m_.instructions[i].level_registers = !is_3d ? 1 : has_uniform_handles_ ? 2 : 0;
        if (has_level_) return 0;
        has_level_ = true;
        return 1;
    }
    /// Behind the address stand the coordinates, in braces.
    std::size_t coordinate_moves(std::uint32_t i) {
        if (is_one_of(m_.form(i).operation, Operation::tld4, Operation::txq, Operation::suq)) return 0;
        if (m_.function->block_of[i] != block_) beside_.clear();
        block_ = m_.function->block_of[i];
        auto const operands = m_.operands(i);
        auto at = std::find_if(operands.begin(), operands.end(),
                               [](ir::Operand const& o) { return o.kind == Kind::address; });
        if (at == operands.end() || ++at == operands.end() || at->kind != Kind::vector) return 0;
        std::span const coordinates(at + 1, at->count);
        std::vector<std::uint32_t> together;
        for (ir::Operand const& o : coordinates) {
            if (o.kind == Kind::reg &&
                std::find(together.begin(), together.end(), d_.root[o.index]) == together.end())
                together.push_back(d_.root[o.index]);
        }
        std::size_t moves = fetches(m_.form(i)) ? fetch_moves(m_.form(i), coordinates) : 0;
        for (std::uint32_t const reg : together) {
            auto const [known, is_new] = beside_.try_emplace(reg, together);
            if (together.size() > 1 && !is_new && known->second != together) ++moves;
        }
        return moves;
    }

    /// They lie side by side: each place is written, be it with zero or with what stands in another one, too.
    std::size_t fetch_moves(ir::Form const& form, std::span<ir::Operand const> coordinates) {
        // Of one dimension are textures of two whose second coordinate is zero.
        bool const has_second = form.has(Modifier::_1d) && isa::is_float(form.types[1]);
        bool const has_zero = has_second && coordinates.front().kind == Kind::reg &&
                              beside_.contains(d_.root[coordinates.front().index]);
        std::size_t moves = has_second && !has_zero ? 1 : 0;
        // Others are filled up with copies of the last one.
        bool const fills = form.has(Modifier::_3d) || form.has(Modifier::cube) || form.has(Modifier::a2d);
        auto const real = coordinates.first(std::min<std::size_t>(coordinates.size(), fills ? 3 : 4));
        for (std::size_t k = 0; k < real.size(); ++k) {
            ir::Operand const& o = real[k];
            bool const is_again = std::any_of(real.begin(), real.begin() + static_cast<std::ptrdiff_t>(k),
                                              [&](ir::Operand const& other) { return is_same(o, other); });
            if (is_again || (o.kind == Kind::immediate && o.value == 0)) ++moves;
        }
        // A layer is compared and chosen, and read from the constant bank for either.
        bool const has_layer = form.has(Modifier::a1d) || form.has(Modifier::a2d) || form.has(Modifier::acube);
        ir::Operand const& first = coordinates.front();
        if (has_layer && names_bank_ && first.kind == Kind::reg &&
            d_.constant[d_.root[first.index]] == Constant::bank)
            ++moves;
        return moves;
    }
    bool is_same(ir::Operand const& a, ir::Operand const& b) const {
        if (a.kind != b.kind) return false;
        return a.kind == Kind::reg ? d_.root[a.index] == d_.root[b.index] : a.value == b.value;
    }

    MachineFunction& m_;
    Definitions const& d_;
    bool const has_uniform_handles_, names_bank_;  // the constant bank, as operands
    bool has_level_ = false;
    std::set<std::uint32_t> handles_;
    std::uint32_t block_ = ir::none;
    std::map<std::uint32_t, std::vector<std::uint32_t>>
        beside_;  // per register: those that it first stood with in the block
};

}  // namespace

bool fetches(ir::Form const& f) {
    return is_one_of(f.operation, Operation::tex, Operation::tex_level, Operation::tex_grad);
}

bool names_handle(MachineFunction const& m, std::uint32_t i) {
    return timing_of(ir::effect(*m.module, m.ir(i))).expand == expansions::texture;
}

void count_texture_operands(MachineFunction& m, Definitions const& d, int capability) {
    OperandCounter(m, d, capability).run();
}

}  // namespace warpsim::timing
