// Fills a syntax::Module while the grammar reads: every semantic action of the grammar is one of these methods. It
// knows what the tree looks like, but neither what PTX looks like nor anything of the parser library.
#pragma once

#include "frontend/diagnostic.hpp"
#include "frontend/syntax.hpp"

#include <cstdint>
#include <vector>

namespace warpsim::frontend::grammar {

using syntax::Text;

class Builder {
public:
    using Node = syntax::Node;
    using Token = syntax::Token;
    /// What a brace that is still open belongs to.
    enum class Scope : std::uint8_t { function, block };
    struct OpenBrace {
        Scope scope;
        Text text;
    };

    static constexpr std::size_t nesting_limit = 256;

    Builder(syntax::Module& module, Diagnostics& diagnostics) : module_(module), diagnostics_(diagnostics) {}

    /// Reserves the pools for a text of this many bytes.
    void reserve(std::size_t bytes);
    /// Discards what an unfinished statement has left half-built.
    void begin_statement(Text here);

    // Leaves. Each takes the pending separator and sign.
    void name(Text text) { leaf(Node::Kind::name, text); }
    void number(Text text) { leaf(Node::Kind::literal, text); }
    void string(Text text) { leaf(Node::Kind::string, text); }
    void negated_name(Text text);
    void minus_name(Text text);
    void minus_number(Text text);
    void separator(Text symbol) { separator_ = symbol.front(); }

    // Nodes with children: opened by their first symbol, closed by their last.
    void open_address(Text bracket) { open(Node::Kind::address, bracket); }
    void open_vector(Text brace) { open(Node::Kind::vector, brace); }
    void open_tuple(Text parenthesis) { open(Node::Kind::tuple, parenthesis); }
    void close(Text symbol);
    void address_suffix(Text word);
    // The leaf just read turns out to be the head of something.
    void become_indexed(Text bracket) { become(Node::Kind::indexed, bracket); }
    void become_apply(Text parenthesis) { become(Node::Kind::apply, parenthesis); }
    void become_family(Text less) { become(Node::Kind::family, less); }
    void become_assignment(Text equals) { become(Node::Kind::assignment, equals); }
    void close_head(Text symbol);
    void close_assignment();
    // The value just read turns out to be the first of several.
    void wrap_pair(Text bar) { wrap(Node::Kind::pair, bar); }
    void wrap_sum(Text plus);
    void close_wrapped();

    // Constant expressions, ordered by operator precedence.
    void begin_expression(Text here);
    void end_expression();
    void begin_tokens();
    void literal_token(Text text) { token(Token::Kind::literal, text); }
    void name_token(Text text) { token(Token::Kind::name, text); }
    void enter_operators();
    void leave_operators();
    void push_operator(Token::Kind kind);
    void push_prefix(Token::Kind kind);
    void conditional_token() { module_.tokens.push_back({Token::Kind::conditional, {}}); }
    void see(Text text) { end_ = text.data() + text.size(); }

    // Instructions, labels, blocks.
    void begin_instruction();
    void guard(Text name);
    void negated_guard(Text name);
    void opcode(Text text);
    void modifiers(Text text);
    bool is_call() const { return is_call_; }
    void operand() { ++instruction_.operand_count; }
    void end_instruction(Text semicolon);
    void label(Text name);
    void open_block(Text brace);
    void close_brace(Text brace);

    // Declarations.
    void linkage(Text word);
    void begin_variable(Text space);
    void begin_parameter(Text space);
    void space_bank(Text bracket);
    void align();
    void align_ahead();
    void pointer(Text word);
    void pointer_space(Text word) { variable_.pointer_space = word; }
    void begin_attributes();
    void end_variable_attributes();
    void end_function_attributes();
    void vector_width(Text word) { set_once(variable_.vector, word, "vector size"); }
    void type(Text word) { set_once(variable_.type, word, "type"); }
    void begin_declarator(Text name);
    void count();
    void begin_dimension(Text bracket);
    void dimension();
    void begin_initializer();
    void end_initializer();
    void end_declarator();
    void end_parameter();
    void end_variable(Text semicolon);

    // Functions.
    void begin_entry(Text word) { begin_function(syntax::Function::Kind::entry, word); }
    void begin_func(Text word) { begin_function(syntax::Function::Kind::function, word); }
    void begin_prototype(Text word) { begin_function(syntax::Function::Kind::prototype, word); }
    void begin_returns();
    void end_returns();
    void function_name(Text name) {
        function_.name = name;
        see(name);
    }
    void begin_parameters();
    void end_parameters();
    void begin_function_directives();
    void noreturn(Text word);
    void end_declaration(Text semicolon);
    void end_bare_declaration() { finish_function(false); }
    void open_body(Text brace);

    // Directives.
    void begin_directive(Text word);
    void end_function_directive();
    void end_directive();
    void section_name(Text name) { section_.name = name; }
    void section_body(Text body);

    /// The current nesting depth of operands and expressions.
    std::size_t depth = 0;

    /// Where the statement that is being read begins.
    char const* statement_begin() const { return statement_; }
    bool in_function_header() const { return in_header_; }
    std::vector<OpenBrace> const& open_braces() const { return open_braces_; }
    std::size_t ignored_braces_ = 0;  // braces nested too deeply to be recorded

private:
    void leaf(Node::Kind kind, Text text);
    void open(Node::Kind kind, Text symbol);
    void become(Node::Kind kind, Text symbol);
    void wrap(Node::Kind kind, Text symbol);
    void token(Token::Kind kind, Text text);
    void reduce(int precedence);
    void set_once(Text& field, Text word, char const* what);
    void begin_function(syntax::Function::Kind kind, Text word);
    void finish_function(bool has_body);
    void add_statement(syntax::Statement::Kind kind, std::size_t index, Text text);
    void require_function(Text what, char const* kind);
    void push_brace(Scope scope, Text brace);
    Text since(char const* begin) const { return {begin, static_cast<std::size_t>(end_ - begin)}; }

    syntax::Module& module_;
    Diagnostics& diagnostics_;
    char const* end_ = nullptr;  // end of the text read last

    char separator_ = 0;
    std::vector<std::uint32_t> open_;  // nodes whose children are being read
    std::uint32_t value_ = 0;          // node of the value being read
    std::vector<Token::Kind> operators_;
    std::uint32_t first_token_ = 0;
    char const* expression_ = nullptr;

    syntax::Instruction instruction_;
    char const* statement_ = nullptr;
    bool is_call_ = false;

    Text linkage_;
    char const* variable_text_ = nullptr;
    syntax::Variable variable_;
    syntax::PoolRange align_ahead_;  // what stands before the state space
    syntax::Declarator declarator_;
    std::uint32_t first_attribute_ = 0;
    syntax::Function function_;
    bool in_header_ = false;
    syntax::Directive directive_;
    syntax::Section section_;
    std::vector<OpenBrace> open_braces_;
    bool reported_outside_ = false;
};

}  // namespace warpsim::frontend::grammar
