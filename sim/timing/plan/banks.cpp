#include "sim/timing/plan/banks.hpp"

#include "frontend/ir/registers.hpp"
#include "frontend/isa/effect.hpp"

#include <algorithm>
#include <map>

namespace warpsim::timing {

namespace {

/// Textures take their operands one after another.
bool reads_together(MachineFunction const& m, std::uint32_t i) {
    return m.instructions[i].micros != 0 && !m.uses(i, {MicroUnit::texture});
}

Bank opposite(Bank bank) { return bank == Bank::odd ? Bank::even : Bank::odd; }

bool is_access(MachineFunction const& m, std::uint32_t i) {
    return isa::is_access(ir::effect(*m.module, m.ir(i)));
}

/// A number of 16 bits, which PRMT makes: any bank is as good for it.
bool is_narrow_number(MachineFunction const& m, std::uint32_t reg) {
    std::uint32_t const maker = m.only_definition[reg];
    return isa::width(m.function->registers[reg].type) == 16 && maker != ir::none &&
           ir::effect(*m.module, m.ir(maker)) == isa::Effect::move &&
           m.operands(maker).back().kind == ir::Operand::Kind::immediate;
}

}  // namespace

Banks::Banks(MachineFunction const& m, Values const& values,
             std::vector<std::optional<std::uint32_t>> const& offsets,
             std::vector<std::pair<std::uint32_t, std::uint32_t>> const& copies)
    : m_(m),
      values_(values),
      offsets_(offsets),
      is_tied_(values.all().size(), false),
      is_joined_(values.all().size(), false),
      bank_of_root_(values.all().size() + 1, Bank::any),
      settled_(values.all().size(), Bank::any),
      two_others_(values.all().size()) {
    for (std::uint32_t i = 0; i < m.instructions.size(); ++i) {
        if (reads_together(m, i)) look_at(i, values.temporaries_read_by(i));
    }
    join(copies);
}

void Banks::look_at(std::uint32_t i, std::vector<std::uint32_t> operands) {
    for (std::uint32_t const reg : m_.machine_reads[i]) {
        if (m_.units(reg) == 0 || is_narrow_number(m_, reg)) continue;
        std::uint32_t const v = values_.at(reg, ir::read_point(i));
        // What lanes have together is counted or added up before, into another register.
        if (m_.instructions[i].gathering != 0 && m_.units(reg) == 1) continue;
        // An access names a vector by its first register.
        if (is_access(m_, i) && offsets_[v].value_or(0) != 0) continue;
        if (std::find(operands.begin(), operands.end(), v) == operands.end()) operands.push_back(v);
    }
    if (operands.size() < 2) return;
    for (std::uint32_t const v : operands) is_tied_[v] = true;
    if (operands.size() == 2) edges_.push_back({1, operands[0], operands[1], true});
    if (operands.size() != 3) return;
    for (std::size_t k = 0; k < 3; ++k)
        two_others_[operands[k]].push_back({operands[(k + 1) % 3], operands[(k + 2) % 3]});
}

Bank Banks::known(std::uint32_t value) const {
    if (offsets_[value]) return bank_of(*offsets_[value]);
    return values_.all()[value].units > 1 ? Bank::even : settled_[value];
}

void Banks::join(std::vector<std::pair<std::uint32_t, std::uint32_t>> const& copies) {
    auto const even = static_cast<std::uint32_t>(values_.all().size());
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> between;
    std::vector<int> to_odd(even, 0);
    for (Edge const& e : edges_) {
        Bank const a = known(e.a), b = known(e.b);
        if (a != Bank::any && b != Bank::any) continue;
        if (a != Bank::any) to_odd[e.b] += a == Bank::odd ? -1 : 1;
        else if (b != Bank::any) to_odd[e.a] += b == Bank::odd ? -1 : 1;
        else ++between[std::minmax(e.a, e.b)];
    }
    edges_.clear();
    for (auto const& [a, b] : copies)
        if (values_.all()[a].units == 1 && values_.all()[b].units == 1 && !offsets_[a] && !offsets_[b])
            edges_.push_back({1000, a, b, false});
    for (auto const& [pair, weight] : between) edges_.push_back({weight, pair.first, pair.second, true});
    for (std::uint32_t v = 0; v < even; ++v)
        if (to_odd[v] != 0) edges_.push_back({std::abs(to_odd[v]), v, even, to_odd[v] > 0});
    std::stable_sort(edges_.begin(), edges_.end(),
                     [](Edge const& a, Edge const& b) { return a.weight > b.weight; });
    above_.resize(even + 1);
    for (std::uint32_t v = 0; v <= even; ++v) above_[v] = {v, false};
    bank_of_root_[even] = Bank::even;
    for (Edge const& e : edges_) {
        Tie a = root_of(e.a), b = root_of(e.b);
        if (e.a != even) is_joined_[e.a] = true;
        if (e.b != even) is_joined_[e.b] = true;
        if (a.root == b.root) continue;
        if (a.root == even) std::swap(a, b);
        above_[a.root] = {b.root, (a.is_opposite != b.is_opposite) != e.is_opposite};
    }
    edges_.clear();
}

Banks::Tie Banks::root_of(std::uint32_t value) const {
    bool is_opposite = false;
    while (above_[value].root != value) {
        is_opposite = is_opposite != above_[value].is_opposite;
        value = above_[value].root;
    }
    return {value, is_opposite};
}

Bank Banks::wish(std::uint32_t value) const {
    if (is_joined_[value]) {
        Tie const tie = root_of(value);
        Bank const bank = bank_of_root_[tie.root];
        if (bank != Bank::any) return tie.is_opposite ? opposite(bank) : bank;
    }
    // Of three operands not all should be in one bank.
    int to_odd = 0;
    for (auto const& [x, y] : two_others_[value]) {
        Bank const bank = known(x);
        if (bank != Bank::any && bank == known(y)) to_odd += bank == Bank::odd ? -1 : 1;
    }
    return to_odd == 0 ? Bank::any : to_odd > 0 ? Bank::odd : Bank::even;
}

void Banks::settle(std::uint32_t value, std::uint32_t place) {
    Bank const bank = settled_[value] = bank_of(place);
    if (!is_joined_[value]) return;
    Tie const tie = root_of(value);
    if (bank_of_root_[tie.root] == Bank::any) bank_of_root_[tie.root] = tie.is_opposite ? opposite(bank) : bank;
}

}  // namespace warpsim::timing
