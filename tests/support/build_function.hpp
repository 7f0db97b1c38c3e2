// Builds IR by hand, for tests that need IR only.
#pragma once

#include "frontend/ir/module.hpp"
#include "frontend/isa/table.hpp"

#include <initializer_list>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::test {

/// One operand as it is written, followed by the elements of a vector or list.
struct Written {
    std::vector<ir::Operand> operands;
    std::string label;  // of a branch: resolved when the function is complete

    Written(ir::Operand operand) : operands{operand} {}
    Written(std::vector<ir::Operand> several) : operands(std::move(several)) {}
};

inline Written r(std::uint32_t reg) {
    return ir::Operand{.kind = ir::Operand::Kind::reg, .type = ir::Type::b32, .index = reg};
}
inline Written immediate(std::int64_t value) {
    return ir::Operand{.kind = ir::Operand::Kind::immediate, .type = ir::Type::b32, .value = value};
}
inline Written sink() { return ir::Operand{}; }
inline Written address(std::uint32_t reg, std::int64_t offset = 0) {
    return ir::Operand{
        .kind = ir::Operand::Kind::address, .base = ir::Operand::AddressBase::reg, .index = reg, .value = offset};
}
inline Written elements(ir::Operand::Kind kind, std::initializer_list<Written> parts) {
    std::vector<ir::Operand> operands{ir::Operand{.kind = kind}};
    for (Written const& part : parts) {
        operands.insert(operands.end(), part.operands.begin(), part.operands.end());
    }
    operands.front().count = static_cast<std::uint16_t>(operands.size() - 1);
    return operands;
}
inline Written vector(std::initializer_list<Written> parts) { return elements(ir::Operand::Kind::vector, parts); }
inline Written list(std::initializer_list<Written> parts) { return elements(ir::Operand::Kind::list, parts); }
inline Written to(std::string label) {
    Written written = ir::Operand{.kind = ir::Operand::Kind::label};
    written.label = std::move(label);
    return written;
}

struct Guard {
    std::uint32_t reg = ir::none;
    bool negated = false;
};

/// The mnemonics and labels given must outlive the builder (they are literals).
class FunctionBuilder {
public:
    ir::Module module;
    ir::Function function;

    explicit FunctionBuilder(std::string name = "f") {
        function.name = std::move(name);
        function.has_body = true;
    }

    std::uint32_t reg(std::string name, ir::Type type = ir::Type::b32) {
        function.registers.push_back({std::move(name), type});
        return static_cast<std::uint32_t>(function.registers.size() - 1);
    }

    /// The next instruction's place.
    void label(std::string const& name) {
        auto const place = static_cast<std::uint32_t>(function.instructions.size());
        labels_[name] = place;
        function.labels.emplace_back(name, place);
    }

    std::uint32_t emit(std::string_view mnemonic, std::initializer_list<Written> operands = {}, Guard guard = {}) {
        return emit(mnemonic, std::vector<Written>(operands), guard);
    }
    std::uint32_t emit(std::string_view mnemonic, std::vector<Written> const& operands, Guard guard = {}) {
        ir::Instruction instruction;
        instruction.form = form(mnemonic);
        instruction.first_operand = static_cast<std::uint32_t>(function.operands.size());
        instruction.guard = guard.reg;
        instruction.guard_negated = guard.negated;
        for (Written const& written : operands) {
            if (!written.label.empty()) {
                pending_.emplace_back(function.operands.size(), written.label);
            }
            function.operands.insert(function.operands.end(), written.operands.begin(), written.operands.end());
        }
        instruction.operand_count =
            static_cast<std::uint16_t>(function.operands.size() - instruction.first_operand);
        function.instructions.push_back(instruction);
        return static_cast<std::uint32_t>(function.instructions.size() - 1);
    }

    /// brx.idx: the list of targets becomes an operand.
    void branch_indexed(std::uint32_t index, std::vector<std::string> const& targets) {
        auto const table = static_cast<std::uint32_t>(function.branch_targets.size());
        function.branch_targets.emplace_back();
        pending_tables_.emplace_back(table, targets);
        emit("brx.idx", {r(index), ir::Operand{.kind = ir::Operand::Kind::branch_targets, .index = table}});
    }

    /// Resolves the labels.
    void finish() {
        for (auto const& [operand, name] : pending_) {
            function.operands[operand].index = labels_.at(name);
        }
        for (auto const& [table, names] : pending_tables_) {
            for (std::string const& name : names) {
                function.branch_targets[table].push_back(labels_.at(name));
            }
        }
        pending_.clear();
        pending_tables_.clear();
    }

private:
    std::uint32_t form(std::string_view mnemonic) {
        if (auto const known = forms_.find(mnemonic); known != forms_.end()) {
            return known->second;
        }
        ir::Form form;
        form.text = mnemonic;
        std::string_view const opcode = mnemonic.substr(0, mnemonic.find_first_of(". "));
        for (std::size_t at = mnemonic.find('.'); at < mnemonic.size();) {
            std::size_t const end = std::min(mnemonic.find('.', at + 1), mnemonic.size());
            std::string_view const part = mnemonic.substr(at, end - at);
            if (ir::Type const type = isa::type_named(part.substr(1)); type != ir::Type::none) {
                form.types[0] = form.types[0] == ir::Type::none ? type : form.types[0];
            } else {
                form.modifiers.push_back(isa::modifier_named(part));
            }
            at = end;
        }
        form.row = row_of(opcode, form);
        form.operation = isa::operation_of(form.row);
        module.forms.push_back(form);
        return forms_[mnemonic] = static_cast<std::uint32_t>(module.forms.size() - 1);
    }

    /// The row of the opcode that spells out most of the written modifiers.
    static std::uint32_t row_of(std::string_view opcode, ir::Form const& form) {
        auto const& rows = isa::rows(isa::HostIsa::baseline);
        std::uint32_t best = ir::none;
        int best_score = -1;
        for (std::uint32_t i = 0; i < rows.size(); ++i) {
            std::string_view const syntax = rows[i].syntax;
            if (syntax.substr(0, syntax.find_first_of(".{ ;")) != opcode) {
                continue;
            }
            int score = 0;
            for (isa::Modifier const modifier : form.modifiers) {
                score += syntax.find(isa::name(modifier)) != std::string_view::npos;
            }
            if (score > best_score) {
                best_score = score;
                best = i;
            }
        }
        if (best == ir::none) {
            throw std::invalid_argument("no row for " + std::string(form.text));
        }
        return best;
    }

    std::map<std::string, std::uint32_t> labels_;
    std::map<std::string_view, std::uint32_t> forms_;
    std::vector<std::pair<std::size_t, std::string>> pending_;
    std::vector<std::pair<std::uint32_t, std::vector<std::string>>> pending_tables_;
};

}  // namespace warpsim::test
