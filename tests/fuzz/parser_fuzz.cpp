// Any bytes at all: the reader answers with a tree whose ranges hold, or with messages; it never crashes or hangs.
// Run it with the dictionary beside it: warpsim-fuzz-parser -dict=tests/fuzz/ptx.dict CORPUS
#include "frontend/grammar/parse.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace {

using namespace warpsim::frontend;
using syntax::Module;
using syntax::Range;
using syntax::Statement;

void require(bool holds) {
    if (!holds) std::abort();
}

template <class Pool> void check(Pool const& pool, Range range) {
    require(range.count <= pool.size() && range.first <= pool.size() - range.count);
}

void check_nodes(Module const& module, Range range) {
    check(module.nodes, range);
    std::uint32_t const end = range.first + range.count;
    for (std::uint32_t i = range.first; i < end; ++i) {
        syntax::Node const& node = module.nodes[i];
        require(node.size >= 1 && node.size <= end - i);
        check(module.tokens, node.tokens);
        bool const has_tokens = node.kind == syntax::Node::Kind::expression;
        require(has_tokens == (node.tokens.count > 0));
    }
}

void check_variable(Module const& module, syntax::Variable const& variable) {
    check(module.tokens, variable.align);
    check(module.tokens, variable.pointer_align);
    check_nodes(module, variable.attributes);
    check(module.declarators, variable.declarators);
    require(variable.declarators.count > 0);
}

void check_pools(Module const& module) {
    for (auto const& instruction : module.instructions) check_nodes(module, instruction.operands);
    for (auto const& variable : module.variables) check_variable(module, variable);
    for (auto const& declarator : module.declarators) {
        check(module.tokens, declarator.count);
        check(module.dimensions, declarator.dimensions);
        check_nodes(module, declarator.initializer);
    }
    for (auto const& dimension : module.dimensions) check(module.tokens, dimension.tokens);
    for (auto const& directive : module.directives) check_nodes(module, directive.operands);
    for (auto const& function : module.functions) {
        check_nodes(module, function.attributes);
        check(module.variables, function.returns);
        check(module.variables, function.parameters);
        check(module.directives, function.directives);
    }
}

/// Every index points into its pool, and ends match their beginnings.
void check_statements(Module const& module, bool well_formed) {
    std::string open;
    for (Statement const& statement : module.statements) {
        switch (statement.kind) {
            case Statement::Kind::instruction: require(statement.index < module.instructions.size()); break;
            case Statement::Kind::label: require(statement.index < module.labels.size()); break;
            case Statement::Kind::variable: require(statement.index < module.variables.size()); break;
            case Statement::Kind::directive: require(statement.index < module.directives.size()); break;
            case Statement::Kind::section: require(statement.index < module.sections.size()); break;
            case Statement::Kind::function_begin:
                require(statement.index < module.functions.size());
                if (module.functions[statement.index].has_body) open += 'f';
                break;
            case Statement::Kind::block_begin: open += 'b'; break;
            case Statement::Kind::function_end:
            case Statement::Kind::block_end:
                require(open.ends_with(statement.kind == Statement::Kind::block_end ? 'b' : 'f'));
                open.pop_back();
                break;
        }
    }
    require(!well_formed || open.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    Source const source("fuzz.ptx", std::string(reinterpret_cast<char const*>(data), size));
    Diagnostics diagnostics(source);
    Module const module = grammar::parse(source, diagnostics);
    check_pools(module);
    check_statements(module, diagnostics.error_count() == 0);
    require(diagnostics.render().empty() == diagnostics.list().empty());
    return 0;
}
