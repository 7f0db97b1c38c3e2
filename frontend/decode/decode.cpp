#include "frontend/decode/decode.hpp"

#include "frontend/decode/control_flow.hpp"
#include "frontend/decode/decoder.hpp"
#include "frontend/decode/targets.hpp"
#include "frontend/grammar/parse.hpp"

#include <algorithm>

namespace warpsim::frontend {

namespace {

using syntax::Statement;

/// Processes the statements of a module once, in order.
class Driver {
public:
    Driver(Decoder& decoder) : decoder_(decoder), lines_(decoder) {}

    void run() {
        auto const& statements = decoder_.tree.statements;
        for (std::size_t i = 0; i < statements.size(); ++i) {
            bool const is_content = statements[i].kind != Statement::Kind::directive;
            if (is_content && !header_checked_) check_header(statements[i].text);
            header_.is_closed = header_.is_closed || is_content;
            statement(statements[i], i + 1 < statements.size() ? &statements[i + 1] : nullptr);
        }
        if (!header_checked_) check_header(decoder_.diagnostics.source().text().substr(0, 0));
        resolve_aliases();
        check_defined();
        if (!decoder_.has_address_size) infer_address_size();
        bool const has_debug =
            saw_dwarf_ || std::any_of(decoder_.tree.sections.begin(), decoder_.tree.sections.end(),
                                      [](auto const& section) { return section.name.starts_with(".debug"); });
        if (header_.wants_debug && !has_debug) {
            decoder_.diagnostics.error(target_text_,
                                       "the target says 'debug', but the module has no debugging information");
        }
    }

private:
    struct Alias {
        std::uint32_t function;
        std::uint32_t original;
        std::string_view name;
        std::string_view original_name;
    };

    /// The manual's default is 32, but programs with addresses of 64 bits leave the directive out too, and ptxas
    /// takes them.
    void infer_address_size() {
        auto const [uses_32, uses_64] = decoder_.uses_address;
        bool const is_narrow = !uses_64 && (uses_32 || decoder_.module.version < 23);
        if (is_narrow) decoder_.module.address_bits = 32;
    }

    void check_header(std::string_view where) {
        header_checked_ = true;
        // A directive that could not be read has already been reported.
        if (decoder_.diagnostics.error_count() > 0) return;
        if (!header_.has_version) decoder_.diagnostics.error(where, "a module begins with a .version directive");
        else if (!header_.has_target)
            decoder_.diagnostics.error(where, "a .target directive must follow .version");
    }

    void statement(Statement const& statement, Statement const* next) {
        syntax::Module const& tree = decoder_.tree;
        bool const in_body = decoder_.body.has_value();
        switch (statement.kind) {
            case Statement::Kind::instruction:
                if (in_body) decode_instruction(decoder_, tree.instructions[statement.index]);
                break;
            case Statement::Kind::label:
                if (in_body) label(tree.labels[statement.index], next);
                break;
            case Statement::Kind::variable: declare(decoder_, tree.variables[statement.index]); break;
            case Statement::Kind::directive: directive(tree.directives[statement.index]); break;
            case Statement::Kind::section:
                if (in_body)
                    decoder_.diagnostics.error(tree.sections[statement.index].name,
                                               "a .section stands outside functions");
                check_section(decoder_, tree.sections[statement.index]);
                break;
            case Statement::Kind::function_begin:
                leave_function(tree.functions[statement.index]);
                begin_function(decoder_, tree.functions[statement.index], label_);
                label_ = {};
                break;
            case Statement::Kind::function_end:
                if (in_body) end_function(decoder_, statement.text);
                break;
            case Statement::Kind::block_begin:
                if (in_body) open_block(decoder_, statement.text);
                break;
            case Statement::Kind::block_end:
                if (in_body) close_block(decoder_);
                break;
        }
    }

    /// A missing brace leaves a function open when the next one begins: its names must not be visible there.
    void leave_function(syntax::Function const& next) {
        if (!decoder_.body || next.kind == syntax::Function::Kind::prototype) return;
        decoder_.diagnostics.error(next.text, "a function cannot be declared inside another");
        end_function(decoder_, next.text);
    }

    /// A label before a list of targets or a prototype names that list or prototype, not an instruction.
    void label(std::string_view name, Statement const* next) {
        bool is_name = false;
        if (next != nullptr && next->kind == Statement::Kind::directive) {
            std::string_view const directive = decoder_.tree.directives[next->index].name;
            is_name = directive == ".branchtargets" || directive == ".calltargets";
        } else if (next != nullptr && next->kind == Statement::Kind::function_begin) {
            is_name = decoder_.tree.functions[next->index].kind == syntax::Function::Kind::prototype;
        }
        if (is_name) label_ = name;
        else declare_label(decoder_, name);
    }

    void directive(syntax::Directive const& directive) {
        std::string_view const name = directive.name;
        if (name == ".loc") {
            std::uint32_t const location = lines_.location(directive);
            if (decoder_.body) decoder_.body->location = location;
            else decoder_.diagnostics.error(directive.text, "a .loc stands in the body of a function");
        } else if (name == ".branchtargets" || name == ".calltargets") {
            if (decoder_.body) declare_targets(decoder_, directive, label_);
            label_ = {};
        } else if (name == ".file") {
            if (decoder_.body) decoder_.diagnostics.error(directive.text, "a .file stands outside functions");
            lines_.file(directive);
        } else if (name == ".alias") {
            alias(directive);
        } else if (name == ".pragma") {
            // Hints to the compiler: they do not change what is executed.
            if (decoder_.body && directive.text.find("nounroll") != std::string_view::npos)
                decoder_.function().not_unrolled.push_back(
                    static_cast<std::uint32_t>(decoder_.function().instructions.size()));
        } else if (name.starts_with("@@")) {
            saw_dwarf_ = true;
            if (decoder_.module.version >= 20) {
                decoder_.diagnostics.warning(directive.text, "'@@DWARF' ended with PTX version 2.0; see .section");
            }
        } else if (read_header(decoder_, directive, header_)) {
            if (name == ".target") target_text_ = directive.text;
        } else {
            decoder_.diagnostics.error(directive.text, "unknown directive " + quoted(name));
        }
    }

    /// Reports aliases that ptxas refuses, with a note at the original.
    bool check_alias(Alias const& alias) {
        ir::Function const& original = decoder_.module.functions[alias.original];
        ir::Function const& made = decoder_.module.functions[alias.function];
        Signature const& wanted = decoder_.signatures[alias.original];
        Signature const& written = decoder_.signatures[alias.function];
        std::string message;
        bool at_original = true;
        if (original.is_entry || made.is_entry) message = "an alias is of a function (.func), not of a kernel";
        else if (!original.has_body) message = quoted(alias.original_name) + " is not a function defined here";
        else if (original.is_weak) message = quoted(alias.original_name) + " is .weak and cannot have an alias";
        else at_original = false;
        if (!at_original && made.has_body) message = quoted(alias.name) + " has a body and cannot be an alias";
        else if (!at_original && made.alias_of != ir::none) message = quoted(alias.name) + " is an alias already";
        else if (!at_original && !same_signature(wanted, written)) {
            message = quoted(alias.name) + " and " + quoted(alias.original_name) + " differ in their parameters";
        } else if (!at_original && wanted.is_noreturn != written.is_noreturn) {
            message = quoted(alias.name) + " and " + quoted(alias.original_name) + " differ in .noreturn";
        }
        if (message.empty()) return true;
        decoder_.diagnostics.error(at_original ? alias.original_name : alias.name, std::move(message));
        std::string_view const declared = at_original ? wanted.declared_at : written.declared_at;
        if (!declared.empty()) decoder_.diagnostics.note(declared, "declared here");
        return false;
    }

    /// A function that is used must be defined here or declared .extern; definitions in other modules are not
    /// found otherwise.
    void check_defined() {
        auto const& functions = decoder_.module.functions;
        auto const is_missing = [&](std::uint32_t index) {
            ir::Function const& f = functions[index];
            return !f.has_body && !f.is_external && f.alias_of == ir::none;
        };
        bool any = false;
        for (std::uint32_t i = 0; i < functions.size(); ++i) any = any || is_missing(i);
        if (!any) return;
        std::vector<bool> used(functions.size());
        for (ir::Function const& function : functions) {
            for (ir::Operand const& operand : function.operands) {
                if (operand.kind == ir::Operand::Kind::function && operand.index != ir::none)
                    used[operand.index] = true;
            }
        }
        for (ir::Variable const& variable : decoder_.module.variables) {
            for (ir::Relocation const& r : variable.relocations) {
                if (r.is_function && r.index != ir::none) used[r.index] = true;
            }
        }
        for (std::uint32_t i = 0; i < functions.size(); ++i) {
            if (!used[i] || !is_missing(i)) continue;
            decoder_.diagnostics.error(decoder_.signatures[i].declared_at,
                                       quoted(functions[i].name) +
                                           " is used and has no body in this module; "
                                           "declare it .extern when another module defines it");
        }
    }

    void alias(syntax::Directive const& directive) {
        require(decoder_, directive.text, ".alias", 63, 30);
        auto const nodes = decoder_.tree.node_range(directive.operands);
        std::uint32_t functions[2] = {};
        for (std::size_t i = 0; i < 2; ++i) {
            if (i >= nodes.size()) {
                decoder_.diagnostics.error(directive.text, "an alias is written: .alias name, function;");
                return;
            }
            Found const found = decoder_.symbols.find(nodes[i].text);
            if (!found || found.symbol->kind != Symbol::Kind::function) {
                report_unknown(decoder_, nodes[i].text, "function");
                return;
            }
            functions[i] = found.index;
        }
        aliases_.push_back({functions[0], functions[1], nodes[0].text, nodes[1].text});
    }

    /// An alias is another name of a function: references to it become references to that function, which
    /// therefore has a single address.
    void resolve_aliases() {
        for (Alias const& alias : aliases_) {
            if (!check_alias(alias)) continue;
            ir::Function& made = decoder_.module.functions[alias.function];
            made.alias_of = alias.original;
            made.is_external = false;
        }
        if (aliases_.empty()) return;
        auto& functions = decoder_.module.functions;
        auto const redirect = [&functions](std::uint32_t& index) {
            if (functions[index].alias_of != ir::none) index = functions[index].alias_of;
        };
        for (ir::Function& function : functions) {
            for (ir::Operand& operand : function.operands) {
                if (operand.kind == ir::Operand::Kind::function && operand.index != ir::none)
                    redirect(operand.index);
            }
        }
        for (ir::Prototype& prototype : decoder_.module.prototypes) {
            for (std::uint32_t& target : prototype.targets) redirect(target);
        }
        for (ir::Variable& variable : decoder_.module.variables) {
            for (ir::Relocation& relocation : variable.relocations) {
                if (relocation.is_function && relocation.index != ir::none) redirect(relocation.index);
            }
        }
    }

    Decoder& decoder_;
    SourceLines lines_;
    Header header_;
    bool header_checked_ = false;
    bool saw_dwarf_ = false;
    std::string_view target_text_;
    std::string_view label_;  // the label of the prototype or list of targets that follows
    std::vector<Alias> aliases_;
};

}  // namespace

ir::Module decode(std::shared_ptr<Source const> source, syntax::Module const& tree, Diagnostics& diagnostics,
                  DecodeOptions const& options) {
    ir::Module module;
    module.sources.push_back(std::move(source));
    Decoder decoder(tree, module, diagnostics);
    decoder.excused.insert(tree.skipped_names.begin(), tree.skipped_names.end());
    Driver(decoder).run();
    std::string const newer = newer_version(module.version);
    if (!newer.empty() && (options.warns_of_version || diagnostics.error_count() > 0))
        diagnostics.warning(decoder.written_version, newer);
    return module;
}

ir::Module compile(std::shared_ptr<Source const> source, Diagnostics& diagnostics, DecodeOptions const& options) {
    syntax::Module const tree = grammar::parse(*source, diagnostics);
    ir::Module module = decode(std::move(source), tree, diagnostics, options);
    if (diagnostics.error_count() > 0) return module;
    for (ir::Function& function : module.functions) {
        if (!function.has_body) continue;
        build_control_flow(module, function);
        lay_out_registers(module, function);
    }
    return module;
}

}  // namespace warpsim::frontend
