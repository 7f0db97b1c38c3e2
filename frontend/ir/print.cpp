#include "frontend/ir/print.hpp"

#include "frontend/ir/registers.hpp"
#include "frontend/isa/types.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace warpsim::ir {
namespace {

constexpr std::array special_names{
    "%tid",
    "%ntid",
    "%laneid",
    "%warpid",
    "%nwarpid",
    "%ctaid",
    "%nctaid",
    "%smid",
    "%nsmid",
    "%gridid",
    "%clusterid",
    "%nclusterid",
    "%cluster_ctaid",
    "%cluster_nctaid",
    "%cluster_ctarank",
    "%cluster_nctarank",
    "%is_explicit_cluster",
    "%lanemask_eq",
    "%lanemask_le",
    "%lanemask_lt",
    "%lanemask_ge",
    "%lanemask_gt",
    "%clock",
    "%clock_hi",
    "%clock64",
    "%pm",
    "%pm64",
    "%envreg",
    "%globaltimer",
    "%globaltimer_lo",
    "%globaltimer_hi",
    "%reserved_smem_offset_begin",
    "%reserved_smem_offset_end",
    "%reserved_smem_offset_cap",
    "%reserved_smem_offset_",
    "%total_smem_size",
    "%aggr_smem_size",
    "%dynamic_smem_size",
    "%current_graph_exec",
};
static_assert(special_names.size() == static_cast<std::size_t>(SpecialRegister::count));

std::string special_name(Operand const& operand) {
    if (operand.index >= special_names.size()) {
        return "?";
    }
    std::string name = special_names[operand.index];
    auto const component = static_cast<unsigned>(operand.value);
    switch (static_cast<SpecialRegister>(operand.index)) {
        case SpecialRegister::tid:
        case SpecialRegister::ntid:
        case SpecialRegister::ctaid:
        case SpecialRegister::nctaid:
        case SpecialRegister::clusterid:
        case SpecialRegister::nclusterid:
        case SpecialRegister::cluster_ctaid:
        case SpecialRegister::cluster_nctaid: return name + '.' + "xyzw"[component & 3];
        case SpecialRegister::pm:
        case SpecialRegister::envreg:
        case SpecialRegister::reserved_smem_offset: return name + std::to_string(component);
        case SpecialRegister::pm64: return "%pm" + std::to_string(component) + "_64";
        default: return name;
    }
}

template <class T> std::string name_in(std::vector<T> const& things, std::uint32_t index) {
    return index < things.size() ? things[index].name : "?";
}

std::string hexadecimal(std::string_view prefix, std::int64_t value, int digits) {
    auto bits = static_cast<unsigned long long>(value);
    bits &= digits < 16 ? (1ull << 4 * digits) - 1 : ~0ull;
    std::array<char, 20> text{};
    std::snprintf(text.data(), text.size(), "%0*llX", digits, bits);
    return std::string(prefix) + text.data();
}

std::string immediate_text(Operand const& operand) {
    switch (operand.type) {
        case Type::f32: return hexadecimal("0f", operand.value, 8);
        case Type::f64: return hexadecimal("0d", operand.value, 16);
        case Type::f16:
        case Type::bf16: return hexadecimal("0x", operand.value, 4);
        case Type::f16x2:
        case Type::bf16x2: return hexadecimal("0x", operand.value, 8);
        case Type::u64: return std::to_string(static_cast<std::uint64_t>(operand.value));
        case Type::s8:
        case Type::s16:
        case Type::s32: {
            // The bits above the type's width are zero: extends the sign.
            int const unused = 64 - isa::width(operand.type);
            auto const bits = static_cast<std::uint64_t>(operand.value) << unused;
            return std::to_string(static_cast<std::int64_t>(bits) >> unused);
        }
        default: return std::to_string(operand.value);
    }
}

std::string with_offset(std::string base, std::int64_t offset) {
    return offset == 0 ? base : base + '+' + std::to_string(offset);
}

std::string number(std::size_t index) { return std::to_string(index); }
std::string block_name(std::uint32_t block) { return "block" + number(block); }

/// Mnemonics are kept as written, which may be on several lines.
std::string without_space(std::string_view text) {
    std::string result(text);
    std::erase_if(result, [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; });
    return result;
}

/// Prints the operands of one instruction, with the elements of vectors and lists.
class OperandPrinter {
public:
    OperandPrinter(Module const& module, Function const& function, Instruction const& instruction)
        : module_(module),
          function_(function),
          operands_(function.operands_of(instruction)),
          is_pair_(written_operands(module, function, instruction) == 2) {}

    std::string run() {
        std::string text;
        int position = 0;
        while (next_ < operands_.size()) {
            Operand const& next = operands_[next_];
            bool const is_second = is_pair_ && position == 1;
            bool const is_empty_list = next.kind == Operand::Kind::list && next.count == 0;
            if (is_empty_list || (is_second && next.kind == Operand::Kind::sink)) {
                ++next_;
            } else {
                text += text.empty() ? " " : is_second ? "|" : ", ";
                text += operand();
            }
            ++position;
        }
        return text;
    }

private:
    std::string operand() {
        Operand const& o = operands_[next_++];
        return (o.negated ? "!" : "") + text_of(o);
    }

    std::string elements(char open, char close, unsigned count) {
        std::string text(1, open);
        // The count includes the elements of nested lists.
        std::size_t const end = std::min(next_ + count, operands_.size());
        for (bool is_first = true; next_ < end; is_first = false) {
            text += (is_first ? "" : ", ") + operand();
        }
        return text + close;
    }

    std::string variable(Operand const& o, bool of_module) const {
        return name_in(of_module ? module_.variables : function_.variables, o.index);
    }

    std::string address(Operand const& o) const {
        switch (o.base) {
            case Operand::AddressBase::immediate: return std::to_string(o.value);
            case Operand::AddressBase::reg: return with_offset(name_in(function_.registers, o.index), o.value);
            case Operand::AddressBase::module_variable: return with_offset(variable(o, true), o.value);
            case Operand::AddressBase::function_variable: return with_offset(variable(o, false), o.value);
        }
        return "?";
    }

    /// The label of the instruction, or else of its block: a function may have been built without names.
    std::string target(std::uint32_t instruction) const {
        auto const label =
            std::lower_bound(function_.labels.begin(), function_.labels.end(), instruction,
                             [](auto const& named, std::uint32_t place) { return named.second < place; });
        if (label != function_.labels.end() && label->second == instruction) {
            return label->first;
        }
        return instruction < function_.block_of.size() ? block_name(function_.block_of[instruction]) : "end";
    }

    std::string targets(std::uint32_t table) const {
        if (table >= function_.branch_targets.size()) {
            return "?";
        }
        std::string text;
        for (std::uint32_t instruction : function_.branch_targets[table]) {
            text += (text.empty() ? "" : ", ") + target(instruction);
        }
        return '{' + text + '}';
    }

    std::string text_of(Operand const& o) {
        switch (o.kind) {
            case Operand::Kind::sink: return "_";
            case Operand::Kind::reg:
                return name_in(function_.registers, o.index) + (o.value != 0 ? "." + selector_of(o) : "");
            case Operand::Kind::immediate: return immediate_text(o);
            case Operand::Kind::special: return special_name(o);
            case Operand::Kind::symbol: {
                std::string const name = variable(o, o.is_module_variable);
                return with_offset(o.generic ? "generic(" + name + ")" : name, o.value);
            }
            case Operand::Kind::function: return name_in(module_.functions, o.index);
            case Operand::Kind::address: return '[' + address(o) + ']';
            case Operand::Kind::label: return target(o.index);
            case Operand::Kind::branch_targets: return targets(o.index);
            case Operand::Kind::vector: return elements('{', '}', o.count);
            case Operand::Kind::list: return elements('(', ')', o.count);
            case Operand::Kind::prototype: return "prototype" + number(o.index);
            case Operand::Kind::param: return name_in(function_.variables, o.index);
        }
        return "?";
    }

    Module const& module_;
    Function const& function_;
    std::span<Operand const> operands_;
    bool is_pair_;
    std::size_t next_ = 0;
};

/// "saxpy.ptx:41 (kernels.cu:6)"; empty when the text is not known.
std::string place(Module const& module, Instruction const& instruction) {
    if (module.sources.empty()) return {};
    std::string text = module.place(instruction);
    if (instruction.location < module.locations.size()) {
        SourceLocation const& location = module.locations[instruction.location];
        std::string const file = location.file < module.files.size() ? module.files[location.file] : "?";
        text += " (" + file + ':' + number(location.line) + ')';
    }
    return text;
}

std::string with_comment(std::string line, std::string const& comment) {
    if (!comment.empty()) {
        line.append(line.size() < 55 ? 56 - line.size() : 1, ' ');
        line += "// " + comment;
    }
    return line + '\n';
}

std::string declaration(Variable const& variable) {
    std::string text = '.' + std::string(isa::name(variable.space)) + " .align " + number(variable.align) + " ." +
                       std::string(isa::name(variable.type)) + ' ' + variable.name;
    return variable.is_array ? text + '[' + number(variable.size) + " bytes]" : text;
}

std::string formals(Function const& function, std::vector<std::uint32_t> const& indices,
                    std::vector<bool> const& in_register) {
    std::string text;
    for (std::size_t i = 0; i < indices.size(); ++i) {
        bool const is_register = i < in_register.size() && in_register[i];
        text += i == 0 ? "" : ", ";
        if (is_register && indices[i] < function.registers.size()) {
            Register const& reg = function.registers[indices[i]];
            text += ".reg ." + std::string(isa::name(reg.type)) + ' ' + reg.name;
        } else if (!is_register && indices[i] < function.variables.size()) {
            text += declaration(function.variables[indices[i]]);
        }
    }
    return '(' + text + ')';
}

std::string header(Function const& function) {
    std::string text = function.is_external ? ".extern " : function.is_weak ? ".weak " : "";
    text += function.is_visible ? ".visible " : "";
    text += function.is_entry ? ".entry " : ".func ";
    if (!function.returns.empty()) {
        text += formals(function, function.returns, function.return_in_register) + ' ';
    }
    return text + function.name + formals(function, function.parameters, function.parameter_in_register);
}

/// The number of registers and the storage that they take.
std::string layout_comment(Function const& function) {
    RegisterLayout const& layout = function.layout;
    return "    // " + number(function.registers.size()) + " registers in columns: " + number(layout.columns16) +
           " of 16 bits, " + number(layout.columns32) + " of 32, " + number(layout.columns64) + " of 64, " +
           number(layout.columns128) + " of 128, " + number(layout.predicates) + " predicates; pressure " +
           number(layout.pressure) + '\n';
}

std::string block_comment(Block const& block) {
    std::string text = block.successors.empty() ? "leaves" : "to";
    for (std::uint32_t successor : block.successors) {
        text += ' ' + block_name(successor);
    }
    // With at most one successor nothing diverges.
    return block.successors.size() < 2   ? text
           : block.reconvergence == none ? text + ", reconverges at the end"
                                         : text + ", reconverges at " + block_name(block.reconvergence);
}

std::string escaped(std::string_view text) {
    std::string result;
    for (char c : text) {
        result += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
    }
    return result;
}

}  // namespace

std::string print(Module const& module, Function const& function, Instruction const& instruction) {
    std::string text;
    if (instruction.guard != none) {
        text = std::string(instruction.guard_negated ? "@!" : "@") +
               name_in(function.registers, instruction.guard) + ' ';
    }
    return text + without_space(module.forms[instruction.form].text) +
           OperandPrinter(module, function, instruction).run() + ';';
}

std::string print(Module const& module, Function const& function) {
    if (!function.has_body) {
        return header(function) + ";\n";
    }
    std::string text = header(function) + "\n{\n" + layout_comment(function);
    for (Variable const& variable : function.variables) {
        text += with_comment("    " + declaration(variable) + ';',
                             "offset " + number(variable.offset) + ", " + number(variable.size) + " bytes");
    }
    auto label = function.labels.begin();
    for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
        if (i < function.block_of.size() && function.blocks[function.block_of[i]].first == i) {
            text += with_comment(block_name(function.block_of[i]) + ':',
                                 block_comment(function.blocks[function.block_of[i]]));
        }
        for (; label != function.labels.end() && label->second <= i; ++label) {
            text += label->first + ":\n";
        }
        Instruction const& instruction = function.instructions[i];
        std::string const index = number(i);
        text += with_comment(std::string(index.size() < 6 ? 6 - index.size() : 0, ' ') + index + "  " +
                                 print(module, function, instruction),
                             place(module, instruction));
    }
    for (; label != function.labels.end(); ++label) {
        text += label->first + ":\n";
    }
    return text + "}\n";
}

std::string print_cfg_dot(Module const& module, Function const& function) {
    std::string text = "digraph \"" + escaped(function.name) + "\" {\n    node [shape=box, fontname=monospace];\n";
    for (std::uint32_t b = 0; b < function.blocks.size(); ++b) {
        Block const& block = function.blocks[b];
        text += "    " + block_name(b) + " [label=\"" + block_name(b) + "\\l";
        for (std::uint32_t i = block.first; i <= block.last; ++i) {
            text += escaped(print(module, function, function.instructions[i])) + "\\l";
        }
        text += "\"];\n";
        for (std::uint32_t successor : block.successors) {
            text += "    " + block_name(b) + " -> " + block_name(successor) + ";\n";
        }
        if (block.successors.size() > 1 && block.reconvergence != none) {
            text += "    " + block_name(b) + " -> " + block_name(block.reconvergence) +
                    " [style=dashed, constraint=false];\n";
        }
    }
    return text + "}\n";
}

}  // namespace warpsim::ir
