#include "sim/timing/plan/named_vectors.hpp"

#include "frontend/ir/registers.hpp"

#include <algorithm>

namespace warpsim::timing {

namespace {

using Kind = ir::Operand::Kind;

constexpr std::uint32_t most_units = 4;

class VectorFinder {
public:
    explicit VectorFinder(MachineFunction const& m) : m_(m), is_read_(m.function->registers.size(), false) {
        for (std::uint32_t const reg : m.machine_reads.items) is_read_[reg] = true;
    }

    std::vector<NamedVector> run() {
        for (std::uint32_t i = 0; i < m_.instructions.size(); ++i) {
            if (m_.instructions[i].fate != Fate::issued || m_.instructions[i].micros == 0) continue;
            if (m_.instructions[i].merged_bytes != 0) merged(i);
            else look_at(i);
        }
        std::stable_sort(found_.begin(), found_.end(), [](NamedVector const& a, NamedVector const& b) {
            return std::pair(b.units, a.is_written ? 0 : 1) < std::pair(a.units, b.is_written ? 0 : 1);
        });
        return std::move(found_);
    }

private:
    void look_at(std::uint32_t i) {
        ir::Form const& form = m_.form(i);
        switch (ir::effect(*m_.module, m_.ir(i))) {
            case isa::Effect::load:
            case isa::Effect::store:
                if (isa::width(form.types[0]) >= 32) braced(i);  // bytes and halves share registers
                break;
            case isa::Effect::matrix_load:
            case isa::Effect::matrix_store:
            case isa::Effect::matrix_multiply: braced(i); break;
            case isa::Effect::texture_fetch: texture(i); break;
            case isa::Effect::surface_load:
            case isa::Effect::surface_store: surface(i); break;
            case isa::Effect::atomic:
                if (form.has(isa::Modifier::cas)) compared(i);
                break;
            default: break;
        }
    }

    /// What is compared, and what is stored if it is the same.
    void compared(std::uint32_t i) {
        NamedVector v;
        v.instruction = i;
        auto const operands = m_.operands(i);
        for (ir::Operand const& o : operands.last(2)) {
            if (o.kind != Kind::reg) return;
            v.elements.push_back({m_.root[o.index], v.units});
            v.units += units(o.index);
        }
        add(std::move(v));
    }

    /// { ... }
    void braced(std::uint32_t i) {
        auto const operands = m_.operands(i);
        for (std::size_t k = 0; k < operands.size(); ++k) {
            if (operands[k].kind == Kind::vector) beside(i, operands.subspan(k + 1, operands[k].count));
        }
    }
    void beside(std::uint32_t i, std::span<ir::Operand const> operands) {
        NamedVector v;
        v.instruction = i;
        for (ir::Operand const& o : operands) {
            if (o.kind == Kind::reg) v.elements.push_back({m_.root[o.index], v.units});
            v.units += o.kind == Kind::reg ? units(o.index) : 1;
        }
        add(std::move(v));
    }

    /// Results are two pairs, of which only what is read is written.
    void texture(std::uint32_t i) {
        auto const operands = m_.operands(i);
        auto const results = operands.subspan(1, operands[0].count);
        for (std::size_t k = 0; k + 1 < results.size(); k += 2) {
            auto const is_read = [&](ir::Operand const& o) {
                return o.kind == Kind::reg && is_read_[m_.root[o.index]];
            };
            if (is_read(results[k]) && is_read(results[k + 1])) beside(i, results.subspan(k, 2));
        }
        beside(i, coordinates(i));
    }

    /// Layers stand behind other coordinates.
    void surface(std::uint32_t i) {
        auto const operands = m_.operands(i);
        ir::Form const& form = m_.form(i);
        bool const is_load = ir::effect(*m_.module, m_.ir(i)) == isa::Effect::surface_load;
        std::size_t const values = is_load ? operands[0].count : operands.back().count;
        bool const is_whole = std::any_of(form.types.begin(), form.types.end(),
                                          [](isa::Type t) { return isa::width(t) == 32 || isa::width(t) == 64; });
        if (is_whole && values > 1) beside(i, is_load ? operands.subspan(1, values) : operands.last(values));
        auto const given = coordinates(i);
        std::vector<ir::Operand> ordered(given.begin(), given.end());
        bool const has_layer = form.has(isa::Modifier::a1d) || form.has(isa::Modifier::a2d);
        if (has_layer) std::rotate(ordered.begin(), ordered.begin() + 1, ordered.end());
        beside(i, ordered);
    }

    /// Behind the address, without the copies of the last one that fill them up.
    std::span<ir::Operand const> coordinates(std::uint32_t i) const {
        auto const operands = m_.operands(i);
        auto const address = std::find_if(operands.begin(), operands.end(),
                                          [](ir::Operand const& o) { return o.kind == Kind::address; });
        if (address == operands.end() || address + 1 == operands.end() || address[1].kind != Kind::vector)
            return {};
        std::span const all(address + 2, address[1].count);
        std::size_t real = all.size();
        while (real > 1 && all[real - 1].kind == Kind::reg && all[real - 2].kind == Kind::reg &&
               m_.root[all[real - 1].index] == m_.root[all[real - 2].index])
            --real;
        return all.first(real);
    }
    std::uint32_t units(std::uint32_t reg) const { return std::max(m_.units(m_.root[reg]), 1u); }

    /// An access with those before it merged into it.
    void merged(std::uint32_t last) {
        NamedVector v;
        v.instruction = last;
        std::uint32_t const bytes = m_.instructions[last].merged_bytes;
        v.units = bytes / 4;
        std::uint32_t i = last;
        do {
            auto const operands = m_.operands(i);
            bool const loads = !m_.writes[i].empty();
            ir::Operand const& value = operands[loads ? 0 : 1];
            ir::Operand const& address = operands[loads ? 1 : 0];
            if (isa::width(m_.form(i).types[0]) < 32) return;
            if (value.kind == Kind::reg)
                v.elements.push_back(
                    {m_.root[value.index], static_cast<std::uint32_t>(address.value & (bytes - 1)) / 4});
        } while (i != 0 && m_.instructions[--i].is_merged);
        add(std::move(v));
    }

    void add(NamedVector v) {
        if (v.units == most_units - 1) v.units = most_units;
        if ((v.units != 2 && v.units != most_units) || v.elements.size() < 2) return;
        auto const reads = m_.machine_reads[v.instruction], writes = m_.machine_writes[v.instruction];
        auto const is_in = [](auto const& list, std::uint32_t reg) {
            return std::find(list.begin(), list.end(), reg) != list.end();
        };
        v.is_written = is_in(writes, v.elements.front().reg);
        for (auto e = v.elements.begin(); e != v.elements.end(); ++e) {
            bool const is_named = is_in(v.is_written ? writes : reads, e->reg) && m_.units(e->reg) != 0;
            bool const is_twice =
                std::any_of(v.elements.begin(), e, [&](auto const& other) { return other.reg == e->reg; });
            if (!is_named || is_twice) return;
        }
        found_.push_back(std::move(v));
    }

    MachineFunction const& m_;
    std::vector<bool> is_read_;
    std::vector<NamedVector> found_;
};

}  // namespace

std::vector<NamedVector> find_named_vectors(MachineFunction const& m) { return VectorFinder(m).run(); }

}  // namespace warpsim::timing
