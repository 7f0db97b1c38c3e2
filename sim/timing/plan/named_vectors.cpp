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
            else if (is_wide(i)) braced(i);
            else if (is_swap(i)) compared(i);
        }
        std::stable_sort(found_.begin(), found_.end(), [](NamedVector const& a, NamedVector const& b) {
            return std::pair(b.units, a.is_written ? 0 : 1) < std::pair(a.units, b.is_written ? 0 : 1);
        });
        return std::move(found_);
    }

private:
    /// Bytes and halves share registers.
    bool is_wide(std::uint32_t i) const {
        switch (ir::effect(*m_.module, m_.ir(i))) {
            case isa::Effect::load:
            case isa::Effect::store: return isa::width(m_.form(i).types[0]) >= 32;
            case isa::Effect::matrix_load:
            case isa::Effect::matrix_store:
            case isa::Effect::matrix_multiply:
            case isa::Effect::texture_fetch: return true;
            default: return false;
        }
    }

    bool is_swap(std::uint32_t i) const {
        return ir::effect(*m_.module, m_.ir(i)) == isa::Effect::atomic && m_.form(i).has(isa::Modifier::cas);
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
        // Textures write only what is read of their results, and fill their coordinates up with copies of the last one.
        bool const is_texture = ir::effect(*m_.module, m_.ir(i)) == isa::Effect::texture_fetch;
        for (std::size_t k = 0; k < operands.size(); ++k) {
            if (operands[k].kind != Kind::vector) continue;
            // Their results are two pairs.
            if (is_texture && k == 0 && operands[0].count == 4 && isa::width(m_.form(i).types[0]) == 32) {
                for (std::size_t const half : {std::size_t{1}, std::size_t{3}}) {
                    NamedVector v;
                    v.instruction = i;
                    for (ir::Operand const& o : operands.subspan(half, 2)) {
                        if (o.kind == Kind::reg && is_read(o.index))
                            v.elements.push_back({m_.root[o.index], v.units});
                        ++v.units;
                    }
                    add(std::move(v));
                }
                continue;
            }
            NamedVector v;
            v.instruction = i;
            for (ir::Operand const& o : operands.subspan(k + 1, operands[k].count)) {
                bool const fills = is_texture && o.kind == Kind::reg && !v.elements.empty() &&
                                   v.elements.back().reg == m_.root[o.index];
                if (o.kind == Kind::reg && !fills && (!is_texture || k != 0 || is_read(o.index)))
                    v.elements.push_back({m_.root[o.index], v.units});
                v.units += o.kind == Kind::reg ? units(o.index) : 1;
            }
            add(std::move(v));
        }
    }
    bool is_read(std::uint32_t reg) const { return is_read_[m_.root[reg]]; }
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
