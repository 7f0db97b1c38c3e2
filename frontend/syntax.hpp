// The tree of what was written in a PTX module. Nothing is resolved, and every text is a view into the Source, so
// a place is a pointer difference. The tree is flat: one list of statements in the order written, and the pools
// that they index, so that reading a module allocates per pool and not per instruction. It knows nothing of the
// grammar library.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace warpsim::frontend::syntax {

using Text = std::string_view;

/// A range of a pool.
struct PoolRange {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
};

/// One step of a constant expression in postfix order: `4*(2+x)` is 4 2 x + *.
struct Token {
    // clang-format off
    enum class Kind : std::uint8_t {
        literal, name,                                    // push; text is what was written
        negate, plus, logical_not, complement, to_s64, to_u64,   // unary: - + ! ~ (.s64) (.u64)
        multiply, divide, remainder, add, subtract, shift_left, shift_right,
        less, greater, less_equal, greater_equal, equal, not_equal,
        bit_and, bit_xor, bit_or, logical_and, logical_or,
        conditional,                                      // a ? b : c, after all three
    };
    // clang-format on
    Kind kind = Kind::literal;
    Text text;
};

/// A node of an operand or initializer, in preorder: its descendants follow it, and `size` counts it and all of
/// them.
struct Node {
    // clang-format off
    enum class Kind : std::uint8_t {
        name,         // %r1  var  label  _  %tid.x (an element selector is part of the text)
        literal,      // 17  0x11U  0f3F800000  1.5   (a sign is the Node's `minus`)
        expression,   // any other constant expression; `tokens` is its range
        address,      // [ ... ]: children are terms, each with the separator before it; `text` may end in ".unified"
        indexed,      // name[ ... ]: `text` covers the name only; children are terms as in an address
        vector,       // { ... } operands or initializer list
        tuple,        // ( ... ) arguments of a call
        pair,         // p|q: two children
        apply,        // generic(x), mask(...): `text` is the function's name, children its arguments
        sum,          // a+4 in an initializer or operand: children are terms
        string,       // "text", the quotes are part of the text
        assignment,   // name = value in the initializer of a sampler or texture: `text` is the name, one child
        family,       // N<5> in .branchtargets: `text` is the prefix, one child, the count
    };
    // clang-format on
    Kind kind = Kind::name;
    bool negated = false;    // '!' before it
    bool minus = false;      // '-' before it
    char separator = 0;      // what stands before it inside an address or sum: '+', '-', ',' or 0
    std::uint32_t size = 1;  // nodes of the subtree, including this one
    Text text;               // all that was written for it, without '!' and '-'
    PoolRange tokens;        // of an expression, in Module::tokens
};

/// The nodes that follow the first node's subtree.
inline std::span<Node const> after(std::span<Node const> nodes) { return nodes.subspan(nodes[0].size); }
/// The first node's children, each followed by its own.
inline std::span<Node const> children(std::span<Node const> nodes) { return nodes.subspan(1, nodes[0].size - 1); }

/// `[label:]  [@[!]guard] mnemonic operands ;` A label in front is a statement of its own.
struct Instruction {
    Text guard;  // empty: none
    bool guard_negated = false;
    Text mnemonic;                    // opcode and modifiers as written, including white space between them
    Text text;                        // from guard to semicolon
    PoolRange operands;               // nodes
    std::uint32_t operand_count = 0;  // top-level operands
};

/// One declared name: `%r<100>`, `table[4][8] = {...}`, `x`.
struct Declarator {
    Text name;
    PoolRange count;        // tokens of <N>; empty: none
    PoolRange dimensions;   // in Module::dimensions
    PoolRange initializer;  // nodes; empty: none
    Text text;
};

/// One `[N]`; `[]` has no tokens.
struct Dimension {
    PoolRange tokens;
};

/// `.visible .global .align 16 .v4 .f32 a, b[4];` and every parameter (one declarator each).
struct Variable {
    Text linkage;             // ".visible" ".extern" ".weak" ".common" or empty
    Text space;               // ".reg" ".global" ".shared" ".const" ".local" ".param" ".tex" ...
    Text vector;              // ".v2" ".v4" or empty
    Text type;                // ".u32" ".pred" ".texref" ...
    PoolRange align;          // tokens; empty: natural
    bool is_pointer = false;  // .ptr of a kernel parameter
    Text pointer_space;       // ".global" ... or empty; ".texref" ".samplerref" ".surfref" of a handle
    PoolRange pointer_align;  // tokens
    PoolRange attributes;     // nodes: .attribute(.managed, .unified(1,2)): name and apply nodes
    PoolRange declarators;
    Text text;
};

/// A directive with plain operands: `.version 9.0`, `.target sm_90a, debug`, `.address_size 64`, `.loc 1 5 3,
/// ...`, `.file 1 "a.cu"`, `.pragma "nounroll";`, `.maxntid 128, 1, 1`, `.branchtargets L1, L2;`, `.alias a, b;`
/// ...
struct Directive {
    Text name;           // nodes, top level only unless a list: names and literals; separator ',' where written
    PoolRange operands;  // nodes, top level only unless a list; names and literals; separator ',' where written
    Text text;
};

/// `.entry`, `.func` and `.callprototype`. Its body, when it has one, follows as statements up to `function_end`.
struct Function {
    enum class Kind : std::uint8_t { entry, function, prototype };
    Kind kind = Kind::entry;
    bool has_body = false;
    bool noreturn = false;
    Text linkage;
    Text name;             // "_" or empty for a prototype, whose label is the statement before
    PoolRange attributes;  // nodes
    PoolRange returns;     // Module::variables
    PoolRange parameters;  // Module::variables
    PoolRange directives;  // Module::directives between header and body: .maxntid ...
    Text text;             // the header
};

/// `.section name { body }`; the body is kept as text.
struct Section {
    Text name;
    Text body;
};

struct Statement {
    // clang-format off
    enum class Kind : std::uint8_t {
        instruction, label, variable, directive, section,
        function_begin,         // index into functions; a function without a body has no function_end
        function_end, block_begin, block_end,
    };
    // clang-format on
    Kind kind = Kind::instruction;
    std::uint32_t index = 0;  // into the pool of its kind; of a label: into labels
    Text text;                // of a block_begin, block_end, function_end: the brace; of a guarded block: `@p {`
};

struct Module {
    std::vector<Statement> statements;
    std::vector<Instruction> instructions;
    std::vector<Text> labels;
    std::vector<Variable> variables;
    std::vector<Declarator> declarators;
    std::vector<Dimension> dimensions;
    std::vector<Directive> directives;
    std::vector<Function> functions;
    std::vector<Section> sections;
    std::vector<Node> nodes;
    std::vector<Token> tokens;
    std::vector<Text> skipped_names;  // names declared by declarations that could not be read

    std::span<Node const> node_range(PoolRange r) const { return {nodes.data() + r.first, r.count}; }
    std::span<Token const> token_range(PoolRange r) const { return {tokens.data() + r.first, r.count}; }
};

}  // namespace warpsim::frontend::syntax
