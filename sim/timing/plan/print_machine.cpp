#include "frontend/ir/print.hpp"
#include "sim/timing/plan/machine_kernel.hpp"
#include "sim/timing/plan/machine_text.hpp"
#include "sim/timing/plan/routines.hpp"

#include <algorithm>

namespace warpsim::timing {

namespace {

std::string padded(std::string text, std::size_t width) {
    if (text.size() < width) text.append(width - text.size(), ' ');
    return text;
}

class Printer {
public:
    explicit Printer(CompiledFunction const& f) : f_(f), m_(f.machine), places_(code_places(f.machine)) {}

    std::string print() {
        std::string text =
            m_.function->name + ": " + std::to_string(places_.back()) + " micro-ops" + rare() + " for " +
            std::to_string(m_.instructions.size()) + " PTX instructions, " +
            std::to_string(f_.allocation.registers) + " registers (" + std::to_string(f_.allocation.most_live) +
            " live at once), " + std::to_string(f_.allocation.predicates) + " predicates" +
            (f_.allocation.uniform != 0 ? ", " + std::to_string(f_.allocation.uniform) + " uniform registers"
                                        : "") +
            (f_.spilled_bytes != 0 ? ", " + std::to_string(f_.spilled_bytes) + " bytes spilled" : "") + "\n";
        for (std::size_t b = 0; b < m_.function->blocks.size(); ++b) {
            text += "block " + std::to_string(b) + "\n";
            for (std::uint32_t i = m_.function->blocks[b].first; i <= m_.function->blocks[b].last; ++i)
                text += line(i);
        }
        return text;
    }

    std::string cost(std::uint32_t i) const {
        MachineInstruction const& instruction = m_.instructions[i];
        if (instruction.micros != 0) return micros(instruction);
        return instruction.fate == Fate::folded    ? "(folded)"
               : instruction.fate == Fate::removed ? "(removed)"
                                                   : "-";
    }
    std::string registers(std::uint32_t i) const {
        std::string text;
        for (std::uint32_t const reg : m_.machine_writes[i])
            text += (text.empty() ? "" : " ") + place(reg, ir::write_point(i));
        if (!m_.machine_reads[i].empty()) text += text.empty() ? "<-" : " <-";
        for (std::uint32_t const reg : m_.machine_reads[i]) text += " " + place(reg, ir::read_point(i));
        return text;
    }

private:
    std::string rare() const {
        auto const waits = std::count_if(m_.instructions.begin(), m_.instructions.end(),
                                         [](MachineInstruction const& i) { return i.awaits_clock; });
        std::size_t const usual = m_.micros.size() + static_cast<std::size_t>(waits), all = places_.back();
        return all > usual ? " (" + std::to_string(all - usual) + " for rare operands)" : "";
    }
    std::string line(std::uint32_t i) const {
        bool const is_spill = f_.original[i] == ir::none;
        std::string const place = m_.module->place(m_.ir(i)), source = m_.module->source_place(m_.ir(i));
        return "  " + padded(cost(i), 14) + padded(registers(i), 26) +
               padded(ir::print(*m_.module, *m_.function, m_.ir(i)), 52) + "  // " +
               (is_spill ? "spilled, " : "") + place + (source.empty() ? "" : ", " + source) + "\n";
    }
    /// Equal neighbours are counted: "2 alu, fma".
    std::string micros(MachineInstruction const& instruction) const {
        std::string text;
        for (std::uint32_t k = 0; k < instruction.micros;) {
            MicroUnit const unit = m_.micros[instruction.first_micro + k].unit;
            std::uint32_t run = 0;
            while (k < instruction.micros && m_.micros[instruction.first_micro + k].unit == unit) ++k, ++run;
            text += (text.empty() ? "" : ", ") + (run > 1 ? std::to_string(run) + " " : std::string()) +
                    std::string(name(unit));
        }
        return text;
    }
    std::string place(std::uint32_t reg, ir::ProgramPoint point) const {
        std::uint16_t const first = f_.allocation.at(reg, point);
        if (first == no_register) return "-";
        ir::Type const type = m_.function->registers[reg].type;
        if (type == ir::Type::pred) return "P" + std::to_string(first);
        std::uint32_t const units = m_.in_uniform_file(reg) ? (isa::width(type) > 32 ? 2 : 1) : m_.units(reg);
        return (m_.in_uniform_file(reg) ? "UR" : "R") + std::to_string(first) +
               (units > 1 ? ":" + std::to_string(first + units - 1) : "");
    }

    CompiledFunction const& f_;
    MachineFunction const& m_;
    std::vector<std::uint32_t> places_;
};

}  // namespace

MachineText machine_text(CompiledFunction const& function, std::uint32_t instruction) {
    Printer const printer(function);
    return {printer.cost(instruction), printer.registers(instruction)};
}

std::string print_machine_kernel(MachineKernel const& kernel) {
    std::string text;
    for (CompiledFunction const& f : kernel.functions) text += (text.empty() ? "" : "\n") + Printer(f).print();
    return text;
}

}  // namespace warpsim::timing
