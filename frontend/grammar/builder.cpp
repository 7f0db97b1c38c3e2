#include "frontend/grammar/builder.hpp"

#include <string>
#include <utility>

namespace warpsim::frontend::grammar {

using syntax::Function;
using syntax::PoolRange;
using syntax::Statement;

namespace {

std::uint32_t narrow(std::size_t n) { return static_cast<std::uint32_t>(n); }

template <class Pool> PoolRange range_from(Pool const& pool, std::uint32_t first) {
    return {first, narrow(pool.size()) - first};
}

Text joined(Text first, Text last) {
    return {first.data(), static_cast<std::size_t>(last.data() + last.size() - first.data())};
}

/// Marks where a group of operators begins on the operator stack; it is never an operator itself.
constexpr auto group = syntax::Token::Kind::literal;

int precedence(syntax::Token::Kind kind) {
    using enum syntax::Token::Kind;
    switch (kind) {
        case logical_or: return 1;
        case logical_and: return 2;
        case bit_or: return 3;
        case bit_xor: return 4;
        case bit_and: return 5;
        case equal:
        case not_equal: return 6;
        case less:
        case greater:
        case less_equal:
        case greater_equal: return 7;
        case shift_left:
        case shift_right: return 8;
        case add:
        case subtract: return 9;
        case multiply:
        case divide:
        case remainder: return 10;
        case negate:
        case plus:
        case logical_not:
        case complement:
        case to_s64:
        case to_u64: return 11;
        case literal:
        case name:
        case conditional: break;
    }
    return 0;
}

}  // namespace

void Builder::reserve(std::size_t bytes) {
    // Measured on nvcc output: an instruction takes 35 to 45 bytes of text and 3 nodes. Memory reserved in excess
    // is never touched.
    module_.statements.reserve(bytes / 24 + 16);
    module_.instructions.reserve(bytes / 28 + 16);
    module_.nodes.reserve(bytes / 10 + 16);
}

void Builder::begin_statement(Text here) {
    statement_ = here.data();
    open_.clear();
    operators_.clear();
    separator_ = 0;
    linkage_ = {};
    align_ahead_ = {};
    in_header_ = false;
}

void Builder::leaf(Node::Kind kind, Text text) {
    value_ = narrow(module_.nodes.size());
    Node& node = module_.nodes.emplace_back();
    node.kind = kind;
    node.separator = separator_;
    node.text = text;
    separator_ = 0;
    see(text);
}

void Builder::negated_name(Text text) {
    leaf(Node::Kind::name, text);
    module_.nodes.back().negated = true;
}

void Builder::minus_name(Text text) {
    leaf(Node::Kind::name, text);
    module_.nodes.back().minus = true;
}

void Builder::minus_number(Text text) {
    leaf(Node::Kind::literal, text);
    module_.nodes.back().minus = true;
}

void Builder::open(Node::Kind kind, Text symbol) {
    leaf(kind, symbol);
    open_.push_back(value_);
}

void Builder::close(Text symbol) {
    value_ = open_.back();
    open_.pop_back();
    see(symbol);
    Node& node = module_.nodes[value_];
    node.size = narrow(module_.nodes.size()) - value_;
    node.text = joined(node.text, symbol);
}

void Builder::address_suffix(Text word) {
    module_.nodes[value_].text = joined(module_.nodes[value_].text, word);
    see(word);
}

void Builder::become(Node::Kind kind, Text symbol) {
    module_.nodes[value_].kind = kind;
    open_.push_back(value_);
    see(symbol);
}

void Builder::close_head(Text symbol) {
    value_ = open_.back();
    open_.pop_back();
    see(symbol);
    module_.nodes[value_].size = narrow(module_.nodes.size()) - value_;
}

void Builder::close_assignment() {
    value_ = open_.back();
    open_.pop_back();
    module_.nodes[value_].size = narrow(module_.nodes.size()) - value_;
}

void Builder::wrap(Node::Kind kind, Text symbol) {
    Node outer;
    outer.kind = kind;
    outer.text = module_.nodes[value_].text;
    std::swap(outer.separator, module_.nodes[value_].separator);
    module_.nodes.insert(module_.nodes.begin() + value_, outer);
    open_.push_back(value_);
    see(symbol);
}

void Builder::wrap_sum(Text plus) {
    wrap(Node::Kind::sum, plus);
    separator(plus);
}

void Builder::close_wrapped() {
    value_ = open_.back();
    open_.pop_back();
    Node& node = module_.nodes[value_];
    node.size = narrow(module_.nodes.size()) - value_;
    node.text = since(node.text.data());
}

void Builder::begin_expression(Text here) {
    expression_ = here.data();
    begin_tokens();
}

void Builder::begin_tokens() {
    operators_.clear();
    first_token_ = narrow(module_.tokens.size());
}

void Builder::end_expression() {
    leaf(Node::Kind::expression, since(expression_));
    module_.nodes.back().tokens = range_from(module_.tokens, first_token_);
}

void Builder::token(Token::Kind kind, Text text) {
    module_.tokens.push_back({kind, text});
    see(text);
}

void Builder::enter_operators() { operators_.push_back(group); }

void Builder::reduce(int lowest) {
    while (!operators_.empty() && operators_.back() != group && precedence(operators_.back()) >= lowest) {
        module_.tokens.push_back({operators_.back(), {}});
        operators_.pop_back();
    }
}

void Builder::leave_operators() {
    reduce(0);
    if (!operators_.empty()) operators_.pop_back();
}

void Builder::push_operator(Token::Kind kind) {
    reduce(precedence(kind));
    operators_.push_back(kind);
}

void Builder::push_prefix(Token::Kind kind) { operators_.push_back(kind); }

void Builder::add_statement(Statement::Kind kind, std::size_t index, Text text) {
    module_.statements.push_back({kind, narrow(index), text});
}

void Builder::require_function(Text what, char const* kind) {
    if (!open_braces_.empty() || reported_outside_) return;
    // One error is enough for a body whose header could not be read.
    reported_outside_ = true;
    diagnostics_.error(what, std::string(kind) + " outside a function");
}

void Builder::begin_instruction() {
    instruction_ = {};
    instruction_.operands.first = narrow(module_.nodes.size());
}

void Builder::guard(Text name) {
    instruction_.guard = name;
    see(name);
}

void Builder::negated_guard(Text name) {
    guard(name);
    instruction_.guard_negated = true;
}

void Builder::opcode(Text text) {
    instruction_.mnemonic = text;
    is_call_ = text == "call" || text.starts_with("call.");
    see(text);
}

void Builder::modifiers(Text text) {
    instruction_.mnemonic = joined(instruction_.mnemonic, text);
    see(text);
}

void Builder::end_instruction(Text semicolon) {
    see(semicolon);
    instruction_.operands = range_from(module_.nodes, instruction_.operands.first);
    instruction_.text = since(statement_);
    require_function(instruction_.mnemonic, "an instruction");
    add_statement(Statement::Kind::instruction, module_.instructions.size(), instruction_.text);
    module_.instructions.push_back(instruction_);
}

void Builder::label(Text name) {
    require_function(name, "a label");
    add_statement(Statement::Kind::label, module_.labels.size(), name);
    module_.labels.push_back(name);
}

void Builder::push_brace(Scope scope, Text brace) { open_braces_.push_back({scope, brace}); }

void Builder::open_block(Text brace) {
    see(brace);
    if (open_braces_.size() >= nesting_limit) {  // deeper braces are only counted
        if (ignored_braces_++ == 0) diagnostics_.error(brace, "blocks are nested deeper than 256 levels");
        return;
    }
    require_function(brace, "a block");
    Text const text = since(statement_);
    add_statement(Statement::Kind::block_begin, 0, text);
    push_brace(Scope::block, brace);
}

void Builder::close_brace(Text brace) {
    see(brace);
    if (ignored_braces_ > 0) {
        --ignored_braces_;
        return;
    }
    if (open_braces_.empty()) {
        if (!reported_outside_) diagnostics_.error(brace, "a '}' without a '{' before it");
        reported_outside_ = true;
        return;
    }
    bool const function = open_braces_.back().scope == Scope::function;
    open_braces_.pop_back();
    add_statement(function ? Statement::Kind::function_end : Statement::Kind::block_end, 0, brace);
}

void Builder::linkage(Text word) {
    linkage_ = word;
    see(word);
}

void Builder::begin_variable(Text space) {
    begin_parameter(space);
    variable_.linkage = linkage_;
    variable_text_ = statement_;
}

void Builder::begin_parameter(Text space) {
    variable_ = {};
    variable_.space = space;
    variable_.align = std::exchange(align_ahead_, {});
    variable_.declarators.first = narrow(module_.declarators.size());
    variable_text_ = space.data();
    see(space);
}

void Builder::space_bank(Text bracket) {
    variable_.space = joined(variable_.space, bracket);
    see(bracket);
}

void Builder::align() {
    PoolRange const tokens = range_from(module_.tokens, first_token_);
    (variable_.is_pointer ? variable_.pointer_align : variable_.align) = tokens;
}

void Builder::align_ahead() { align_ahead_ = range_from(module_.tokens, first_token_); }

void Builder::pointer(Text word) {
    variable_.is_pointer = true;
    see(word);
}

void Builder::set_once(Text& field, Text word, char const* what) {
    if (!field.empty()) {
        diagnostics_.error(word, std::string("a second ") + what + " in one declaration");
        diagnostics_.note(field, "the first");
    }
    field = word;
    see(word);
}

void Builder::begin_attributes() { first_attribute_ = narrow(module_.nodes.size()); }

void Builder::end_variable_attributes() { variable_.attributes = range_from(module_.nodes, first_attribute_); }

void Builder::end_function_attributes() { function_.attributes = range_from(module_.nodes, first_attribute_); }

void Builder::begin_declarator(Text name) {
    declarator_ = {};
    declarator_.name = name;
    declarator_.dimensions.first = narrow(module_.dimensions.size());
    see(name);
}

void Builder::count() { declarator_.count = range_from(module_.tokens, first_token_); }

void Builder::begin_dimension(Text bracket) {
    see(bracket);
    begin_tokens();
}

void Builder::dimension() {
    module_.dimensions.push_back({range_from(module_.tokens, first_token_)});
    ++declarator_.dimensions.count;
}

void Builder::begin_initializer() { declarator_.initializer.first = narrow(module_.nodes.size()); }

void Builder::end_initializer() {
    declarator_.initializer = range_from(module_.nodes, declarator_.initializer.first);
}

void Builder::end_declarator() {
    declarator_.text = since(declarator_.name.data());
    module_.declarators.push_back(declarator_);
    ++variable_.declarators.count;
}

void Builder::end_parameter() {
    variable_.text = since(variable_text_);
    module_.variables.push_back(variable_);
}

void Builder::end_variable(Text semicolon) {
    see(semicolon);
    end_parameter();
    add_statement(Statement::Kind::variable, module_.variables.size() - 1, variable_.text);
}

void Builder::begin_function(Function::Kind kind, Text word) {
    see(word);
    if (kind != Function::Kind::prototype && !open_braces_.empty()) {
        diagnostics_.error(word, "a function inside a function: a '}' is missing before it");
        diagnostics_.note(open_braces_.back().text, "this '{' is still open");
        while (!open_braces_.empty()) close_brace(word.substr(0, 0));
    }
    function_ = {};
    function_.kind = kind;
    function_.linkage = linkage_;
    function_.directives.first = narrow(module_.directives.size());
    in_header_ = kind != Function::Kind::prototype;
}

void Builder::begin_returns() { function_.returns.first = narrow(module_.variables.size()); }

void Builder::end_returns() { function_.returns = range_from(module_.variables, function_.returns.first); }

void Builder::begin_parameters() { function_.parameters.first = narrow(module_.variables.size()); }

void Builder::end_parameters() {
    function_.parameters = range_from(module_.variables, function_.parameters.first);
}

void Builder::begin_function_directives() { function_.directives.first = narrow(module_.directives.size()); }

void Builder::noreturn(Text word) {
    bool const is_late = module_.directives.size() > function_.directives.first;
    if (function_.noreturn || is_late)
        diagnostics_.error(word, "'.noreturn' stands once, before other directives");
    function_.noreturn = true;
    see(word);
}

void Builder::finish_function(bool has_body) {
    function_.has_body = has_body;
    function_.directives = range_from(module_.directives, function_.directives.first);
    function_.text = since(statement_);
    in_header_ = false;
    reported_outside_ = false;
    add_statement(Statement::Kind::function_begin, module_.functions.size(), function_.text);
    module_.functions.push_back(function_);
}

void Builder::end_declaration(Text semicolon) {
    finish_function(false);
    see(semicolon);
}

void Builder::open_body(Text brace) {
    finish_function(true);
    see(brace);
    push_brace(Scope::function, brace);
}

void Builder::begin_directive(Text word) {
    directive_ = {};
    directive_.name = word;
    directive_.operands.first = narrow(module_.nodes.size());
    see(word);
}

void Builder::end_function_directive() {
    directive_.operands = range_from(module_.nodes, directive_.operands.first);
    directive_.text = since(directive_.name.data());
    module_.directives.push_back(directive_);
}

void Builder::end_directive() {
    end_function_directive();
    add_statement(Statement::Kind::directive, module_.directives.size() - 1, directive_.text);
}

void Builder::section_body(Text body) {
    section_.body = body;
    add_statement(Statement::Kind::section, module_.sections.size(), joined(section_.name, body));
    module_.sections.push_back(section_);
}

}  // namespace warpsim::frontend::grammar
