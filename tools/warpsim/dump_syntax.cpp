#include "dump_syntax.hpp"

namespace warpsim::command {

namespace {

using namespace frontend::syntax;

std::string_view name(Node::Kind kind) {
    switch (kind) {
        case Node::Kind::name: return "name";
        case Node::Kind::literal: return "literal";
        case Node::Kind::expression: return "expression";
        case Node::Kind::address: return "address";
        case Node::Kind::indexed: return "indexed";
        case Node::Kind::vector: return "vector";
        case Node::Kind::tuple: return "tuple";
        case Node::Kind::pair: return "pair";
        case Node::Kind::apply: return "apply";
        case Node::Kind::sum: return "sum";
        case Node::Kind::string: return "string";
        case Node::Kind::assignment: return "assignment";
        case Node::Kind::family: return "family";
    }
    return {};
}

std::string_view name(Function::Kind kind) {
    switch (kind) {
        case Function::Kind::entry: return "entry";
        case Function::Kind::function: return "function";
        case Function::Kind::prototype: return "prototype";
    }
    return {};
}

// Runs of white space become one blank: a tree line is one line.
std::string one_line(Text text) {
    std::string result;
    for (char const c : text) {
        bool const space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
        if (!space) result += c;
        else if (!result.empty() && result.back() != ' ') result += ' ';
    }
    return result;
}

class Printer {
public:
    Printer(frontend::Source const& source, Module const& tree, std::string_view kernel)
        : source_(source), tree_(tree), kernel_(kernel) {}

    std::string print() {
        for (Statement const& s : tree_.statements) {
            bool const begins = s.kind == Statement::Kind::function_begin;
            if (begins) shown_ = kernel_.empty() || tree_.functions[s.index].name == kernel_;
            else if (depth_ == 0) shown_ = kernel_.empty();
            if (s.kind == Statement::Kind::function_end || s.kind == Statement::Kind::block_end) --depth_;
            statement(s);
            if ((begins && tree_.functions[s.index].has_body) || s.kind == Statement::Kind::block_begin) ++depth_;
        }
        return std::move(out_);
    }

private:
    void line(std::string const& text, Text place, int extra = 0) {
        if (!shown_) return;
        std::string at;
        if (!place.empty()) {
            auto const position = source_.position(source_.span(place).offset);
            at = std::to_string(position.line) + ":" + std::to_string(position.column);
        }
        out_ += at + std::string(at.size() < 10 ? 10 - at.size() : 1, ' ');
        out_ += std::string(static_cast<std::size_t>(2 * (depth_ + extra)), ' ') + text + "\n";
    }

    void nodes(PoolRange range, int extra) {
        auto const all = tree_.node_range(range);
        subtree(all, 0, all.size(), extra);
    }
    void subtree(std::span<Node const> all, std::size_t first, std::size_t last, int extra) {
        for (std::size_t i = first; i < last; i += all[i].size) {
            Node const& n = all[i];
            std::string text;
            if (n.separator != 0) text += std::string(1, n.separator) + " ";
            text +=
                std::string(name(n.kind)) + " " + (n.negated ? "!" : "") + (n.minus ? "-" : "") + one_line(n.text);
            line(text, n.text, extra);
            subtree(all, i + 1, std::min<std::size_t>(i + n.size, last), extra + 1);
        }
    }

    void variable(Variable const& v, int extra) {
        std::string text = "variable";
        for (Text const part : {v.linkage, v.space, v.vector, v.type})
            if (!part.empty()) text += " " + std::string(part);
        if (v.is_pointer) text += " .ptr" + (v.pointer_space.empty() ? "" : " " + std::string(v.pointer_space));
        line(text, v.text, extra);
        nodes(v.attributes, extra + 1);
        for (std::uint32_t i = 0; i < v.declarators.count; ++i) {
            Declarator const& d = tree_.declarators[v.declarators.first + i];
            line("declarator " + one_line(d.text.empty() ? d.name : d.text), d.name, extra + 1);
            nodes(d.initializer, extra + 2);
        }
    }

    void directive(Directive const& d, int extra) {
        line("directive " + std::string(d.name), d.text, extra);
        nodes(d.operands, extra + 1);
    }

    void function(Function const& f) {
        std::string text(name(f.kind));
        if (!f.linkage.empty()) text += " " + std::string(f.linkage);
        text +=
            " " + std::string(f.name) + (f.noreturn ? " .noreturn" : "") + (f.has_body ? "" : " (declaration)");
        line(text, f.text);
        for (std::uint32_t i = 0; i < f.returns.count; ++i) {
            line("returns", {}, 1);
            variable(tree_.variables[f.returns.first + i], 2);
        }
        for (std::uint32_t i = 0; i < f.parameters.count; ++i)
            variable(tree_.variables[f.parameters.first + i], 1);
        for (std::uint32_t i = 0; i < f.directives.count; ++i)
            directive(tree_.directives[f.directives.first + i], 1);
    }

    void statement(Statement const& s) {
        switch (s.kind) {
            case Statement::Kind::instruction: {
                Instruction const& i = tree_.instructions[s.index];
                std::string guard;
                if (!i.guard.empty())
                    guard = "@" + std::string(i.guard_negated ? "!" : "") + std::string(i.guard) + " ";
                line("instruction " + guard + one_line(i.mnemonic), i.text);
                nodes(i.operands, 1);
                break;
            }
            case Statement::Kind::label:
                line("label " + std::string(tree_.labels[s.index]), tree_.labels[s.index]);
                break;
            case Statement::Kind::variable: variable(tree_.variables[s.index], 0); break;
            case Statement::Kind::directive: directive(tree_.directives[s.index], 0); break;
            case Statement::Kind::section:
                line("section " + std::string(tree_.sections[s.index].name), tree_.sections[s.index].name);
                break;
            case Statement::Kind::function_begin: function(tree_.functions[s.index]); break;
            case Statement::Kind::function_end: line("end of function", s.text); break;
            case Statement::Kind::block_begin: line("block " + one_line(s.text), s.text); break;
            case Statement::Kind::block_end: line("end of block", s.text); break;
        }
    }

    frontend::Source const& source_;
    Module const& tree_;
    std::string_view kernel_;
    std::string out_;
    int depth_ = 0;
    bool shown_ = true;
};

}  // namespace

std::string print_syntax(frontend::Source const& source, Module const& tree, std::string_view kernel) {
    return Printer(source, tree, kernel).print();
}

}  // namespace warpsim::command
