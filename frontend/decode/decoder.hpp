// What the parts of the decoder share: the tree they read, the module they fill, the names known so far, and the
// function whose body is being decoded.
#pragma once

#include "frontend/decode/constant_expression.hpp"
#include "frontend/decode/match.hpp"
#include "frontend/decode/symbols.hpp"
#include "frontend/diagnostic.hpp"
#include "frontend/ir/module.hpp"
#include "frontend/syntax.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace warpsim::frontend {

/// The properties of a formal parameter that a call must match.
struct Formal {
    isa::Type type = isa::Type::b8;
    std::uint64_t size = 0;  // bytes; 0 for an unsized array
    std::uint32_t align = 1;
    bool is_array = false;
    bool in_register = false;
    std::uint32_t vector = 1;
};
struct Signature {
    std::vector<Formal> returns;
    std::vector<Formal> parameters;
    bool is_noreturn = false;
    std::array<std::uint32_t, 2> preserved = {ir::none, ir::none};  // .abi_preserve, .abi_preserve_control
    std::string_view linkage;                                       // as written in the first declaration
    std::string_view declared_at;
};

/// An operand or an entry of a list of branch targets that refers to a label, which may come later.
struct LabelUse {
    enum class Kind : std::uint8_t { operand, branch_target };
    Kind kind = Kind::operand;
    std::uint32_t index = 0;     // operand of the function, or list of branch targets
    std::uint32_t position = 0;  // position in that list
    std::string_view name;
    std::string_view where;  // the source text of the reference
};

/// The state at a `{`, which the matching `}` restores.
struct OpenBlock {
    std::size_t first_label_use = 0;
    std::uint64_t param_end = 0;
    std::uint32_t skip = ir::none;  // for `@p {`: the label operand of the branch around the block
};

/// An instruction that computes an operand of the one being decoded: `a[%r]` needs an address calculation.
struct PendingInstruction {
    ir::Instruction instruction;
    std::vector<ir::Operand> operands;
};

/// The function being decoded.
struct Body {
    std::uint32_t function = ir::none;
    std::vector<LabelUse> label_uses;  // not resolved yet, those of the innermost scope last
    std::vector<OpenBlock> blocks;
    std::vector<PendingInstruction> pending;
    std::uint64_t param_end = 0;               // next free byte for .param variables
    std::uint32_t module_registers_begin = 0;  // index of the first register that stands for one of the module
    std::uint32_t module_registers_end = 0;
    std::uint32_t location = ir::none;
    std::unordered_set<std::string_view> reported;  // unknown names
};

struct Decoder {
    Decoder(syntax::Module const& tree_, ir::Module& module_, Diagnostics& diagnostics_)
        : tree(tree_), module(module_), diagnostics(diagnostics_), mnemonics(module_) {}

    syntax::Module const& tree;
    ir::Module& module;
    Diagnostics& diagnostics;
    Symbols symbols;
    Mnemonics mnemonics;
    std::vector<Signature> signatures;  // one per function
    std::vector<Signature> prototypes;  // one per prototype
    std::unordered_map<std::uint32_t, std::uint32_t>
        call_tables;                              // prototypes of arrays of functions, by variable
    std::vector<std::uint32_t> module_registers;  // the declared variable of each .reg at module scope
    bool has_samplers = false;                    // .target texmode_independent
    std::string_view written_version;             // as it is written
    bool has_address_size = false;                // written
    bool uses_address[2] = {};                    // of 32, 64 bits: decides where the size is not written
    std::uint64_t constant_end = 0;
    std::uint64_t register_count = 0;              // registers that all ranges of the module declare together
    std::deque<std::string> made_names;            // names that the text does not spell out
    std::unordered_set<std::string_view> excused;  // names whose declaration was wrong, which are not reported
    std::optional<Body> body;
    isa::Type last_register = isa::Type::none;     // declared type of the register decoded last
    isa::Type address_register = isa::Type::none;  // declared type of the last register that an address began with

    ir::Function& function() { return module.functions[body->function]; }
};

/// ".u32"
inline std::string type_text(isa::Type type) { return std::string(1, '.').append(isa::name(type)); }
/// The smallest view that covers two parts of the same text, in either order.
inline std::string_view covering(std::string_view a, std::string_view b) {
    char const* const begin = std::min(a.data(), b.data(), std::less<>());
    char const* const end = std::max(a.data() + a.size(), b.data() + b.size(), std::less<>());
    return {begin, static_cast<std::size_t>(end - begin)};
}
inline std::uint64_t align_up(std::uint64_t value, std::uint64_t align) {
    return (value + align - 1) / align * align;
}

// ---- targets.cpp ----

/// "7.8" for 78.
std::string version_text(int version);
/// Reports the use of something that needs a later PTX version or a higher target. `sm` 0: any target.
void require(Decoder& decoder, std::string_view where, std::string_view what, int version, int sm = 0);
/// Reports a bank of constant memory, as in `.const[3]`, where the PTX version has none.
bool check_constant_bank(Decoder& decoder, std::string_view where);

// ---- sections.cpp ----

/// Checks the data of a .section: its widths, ranges and labels. None of it is executed.
void check_section(Decoder& decoder, syntax::Section const& section);

// ---- declarations.cpp ----

/// Declares the names of one `.reg`, `.global`, `.shared` ... statement.
void declare(Decoder& decoder, syntax::Variable const& variable);
/// Enters a symbol. On a clash, reports it with a note at the earlier declaration and returns false.
bool enter(Decoder& decoder, Symbol const& symbol, std::string_view where);
/// Reports a reserved name: `_`, WARP_SZ, or at module scope a special register.
bool check_reserved(Decoder& decoder, std::string_view name);
/// Makes a variable of the IR from its declaration, without its initializer and its place.
std::optional<ir::Variable> make_variable(Decoder& decoder, syntax::Variable const& declared,
                                          syntax::Declarator const& declarator);
/// The value of a constant expression that must be an integer; reports errors.
std::optional<std::uint64_t> integer_value(Decoder& decoder, syntax::PoolRange tokens, std::string_view where);
/// Adds the registers of one name, as many as a vector has elements. Returns the first.
std::uint32_t add_registers(Decoder& decoder, std::string_view name, isa::Type type, std::uint32_t vector = 1);
isa::Type register_type(Decoder& decoder, std::string_view spelling);
void declare_registers(Decoder& decoder, syntax::Variable const& declared);
/// Textures, samplers and surfaces.
bool is_opaque(isa::Type type);
/// The type of that spelling, Type::none after an error.
isa::Type variable_type(Decoder& decoder, std::string_view spelling);
bool check_vector(Decoder& decoder, std::string_view spelling);
/// Whether a type is written; reports a missing type.
bool has_type(Decoder& decoder, syntax::Variable const& declared);
unsigned vector_length(std::string_view spelling);

// ---- initializers.cpp ----

/// Fills `initializer` and `relocations`, and the size of an array declared `[]`.
void initialize(Decoder& decoder, syntax::Declarator const& declarator,
                std::vector<std::uint64_t> const& dimensions, unsigned vector, ir::Variable& variable);

// ---- parameters.cpp, function_directives.cpp ----

/// Declares the formal parameters of the function that begins, and assigns their places.
Signature declare_parameters(Decoder& decoder, syntax::Function const& declared);
/// The same for a prototype, which declares no names.
Signature prototype_signature(Decoder& decoder, syntax::Function const& declared, ir::Prototype& prototype);
/// Reports a kernel whose parameters take more bytes than the PTX version and target allow.
void check_parameter_bytes(Decoder& decoder, std::string_view where, std::uint64_t bytes);
/// Whether a variable is a formal parameter or return value in .param, not one that passes arguments to calls.
bool is_parameter(ir::Function const& function, std::uint32_t variable);
bool is_return_value(ir::Function const& function, std::uint32_t variable);

// ---- addressed_parameters.cpp ----

/// At the end of a function's body: parameters whose address is taken get their place in .local.
void move_addressed_parameters(Decoder& decoder);
/// Reads what stands between header and body: launch bounds (`kernel` is nullptr for others) and preserved
/// registers.
void read_function_directives(Decoder& decoder, syntax::Function const& declared, Signature& signature,
                              ir::Function* kernel);

// ---- functions.cpp, labels.cpp ----

/// Declares a function and opens its scope if it has a body. A prototype is named by `label`.
void begin_function(Decoder& decoder, syntax::Function const& function, std::string_view label);
void end_function(Decoder& decoder, std::string_view brace);
/// Resolves the label uses from `first` on that refer to labels of the closing scope. The rest is left to the
/// enclosing scopes, and reported by the outermost.
void resolve_labels(Decoder& decoder, std::size_t first, bool is_outermost);
/// `text` is the brace, or for `@p {` the guard and the brace.
void open_block(Decoder& decoder, std::string_view text);
void close_block(Decoder& decoder);
void declare_label(Decoder& decoder, std::string_view label);
/// `.branchtargets` and `.calltargets`; the label before them is their name.
void declare_targets(Decoder& decoder, syntax::Directive const& directive, std::string_view label);
/// Adds the prototype of a call that can reach any of these functions, which share a signature. Returns its index.
std::uint32_t add_call_targets(Decoder& decoder, std::vector<std::uint32_t> targets);
/// Whether two declarations agree on parameters and return values.
bool same_signature(Signature const& a, Signature const& b);

// ---- choose_shape.cpp, instruction_operands.cpp ----

/// The shape that this many operands of these kinds fit. If none fits, the one whose errors say most; nullptr if
/// no shape takes this many operands.
Shape const* choose_shape(Decoder const& decoder, std::span<Shape const> shapes,
                          std::span<syntax::Node const> nodes, unsigned count);
/// Which `{, x}` groups are written, bit g for group g: those that modifiers require, then the first ones.
std::uint32_t groups_taken(Shape const& shape, unsigned written);
/// Whether the syntax lines of one mnemonic differ only in the kinds of their operands.
bool is_told_apart_by_operands(isa::Row const& row);
/// The number of elements of a list in braces.
unsigned list_length(syntax::Node const& list);
/// Whether the list is a texture offset, which may have more elements than the texture has dimensions.
bool is_longer_offset(OperandRule const& rule, syntax::Node const& list);
/// ptxas also accepts the shared-memory addresses of a tensor copy without brackets.
bool can_lack_brackets(Shape const& shape, std::size_t slot);
/// Decodes and appends all operands of an instruction. Reports an error and returns false when one is not allowed.
bool decode_operands(Decoder& decoder, Shape const& shape, std::span<syntax::Node const> nodes, unsigned count);

// ---- instructions.cpp, operands.cpp, addresses.cpp, calls.cpp ----

void decode_instruction(Decoder& decoder, syntax::Instruction const& instruction);
/// Looks up a guard as written (`@!p`); reports an error and returns false if it is not a predicate.
bool decode_guard(Decoder& decoder, std::string_view guard, ir::Instruction& instruction);
/// Appends an instruction that does not appear in the text.
void append_implied(Decoder& decoder, std::string_view mnemonic, std::string_view where,
                    std::string_view guard = {});

/// The requirements on an operand of an instruction.
struct Wanted {
    isa::Type type = isa::Type::none;  // none: anything is allowed
    bool is_relaxed = false;           // whether a register may be wider
    bool is_destination = false;
    bool can_be_symbol = false;  // whether it can be the address of a variable or function
    bool can_be_special = false;
    bool can_be_sink = false;
    bool must_be_constant = false;
    bool must_be_register = false;
    bool must_be_untyped = false;   // must be a register of type .bN
    bool is_implied = false;        // the instruction does not name the type
    bool can_be_minus = false;      // whether -%r1 is allowed
    int selectable = 0;             // elements of a video instruction that a selector may name a part of; 0: none
    bool is_argument = false;       // an argument of a call
    bool is_element = false;        // an element of a list
    bool is_packed_source = false;  // an element that mov packs together with others
    unsigned vector = 1;            // elements of a { } list, 0: any number
    bool has_index = false;         // the first element of the list is an integer, the index into an array
};

/// Decodes the operand at the first node and appends it. Reports an error and returns false when it is not allowed
/// there.
bool decode_operand(Decoder& decoder, std::span<syntax::Node const> nodes, Wanted const& wanted);
/// `parts`: what else the brackets must contain; by default nothing.
bool decode_address(Decoder& decoder, std::span<syntax::Node const> nodes, isa::Type type, isa::StateSpace space,
                    std::span<isa::OperandSpec const> parts = {});
/// The same of an address that is written without brackets.
bool decode_bare_address(Decoder& decoder, syntax::Node const& node, isa::Type type, isa::StateSpace space);
/// Reports a load, store, barrier or policy whose modifiers, space and operands are incompatible.
void check_memory(Decoder& decoder, syntax::Instruction const& instruction, ir::Form const& form);
void check_barrier(Decoder& decoder, syntax::Instruction const& instruction, ir::Form const& form,
                   std::span<ir::Operand const> operands);
void check_policy(Decoder& decoder, syntax::Instruction const& instruction, ir::Form const& form,
                  std::span<ir::Operand const> operands);
bool decode_call(Decoder& decoder, syntax::Instruction const& instruction);
ir::Operand& append(Decoder& decoder, ir::Operand::Kind kind, isa::Type type);
/// Whether a register of one type can be an operand of another type.
bool agrees(isa::Type reg, isa::Type wanted, bool is_relaxed);

// ---- unknown_names.cpp ----

/// Reports an undeclared name, once per function, and not at all when its declaration was wrong. `what` says what
/// was expected: "name", "predicate", "register", "function", "label" ...
void report_unknown(Decoder& decoder, std::string_view name, std::string_view what, std::string_view where = {});
/// Whether there are still so few errors that a search among all names for each of them is affordable.
inline bool may_search(Decoder const& decoder) { return decoder.diagnostics.error_count() < 256; }
/// Suppresses further messages about this name, because its declaration has been reported.
void excuse(Decoder& decoder, std::string_view name);
/// Adds a note at the declaration of a name, if it has one in the text.
void note_declaration(Decoder& decoder, std::string_view name);
/// The text of the tokens of an expression; empty if there are none.
std::string_view text_of(Decoder const& decoder, syntax::PoolRange tokens);

// ---- special_registers.cpp ----

struct SpecialName {
    ir::SpecialRegister reg = ir::SpecialRegister::tid;
    std::uint8_t component = 0;
    bool is_vector = false;  // `%tid` without a component
    bool can_be_16_bits = false;
    isa::Type type = isa::Type::u32;
    isa::Since since;
};
std::optional<SpecialName> special_register(std::string_view name);
/// All names, vectors by component, for suggestions.
std::vector<std::string> const& special_register_names();

// ---- source_lines.cpp ----

/// `.file` and `.loc`, with the chain of inlined calls.
class SourceLines {
public:
    explicit SourceLines(Decoder& decoder);
    void file(syntax::Directive const& directive);
    /// The location that a `.loc` names, as an index into Module::locations.
    std::uint32_t location(syntax::Directive const& directive);

private:
    /// What identifies a location: no two locations of the module are equal in all of it.
    struct LocationKey {
        std::uint64_t packed = 0;  // file, line and column
        std::uint32_t inlined_at = ir::none;
        std::uint32_t function = ir::none;  // offset in strings_
        bool operator==(LocationKey const&) const = default;
    };
    struct LocationHash {
        std::size_t operator()(LocationKey const& key) const {
            std::uint64_t const rest = std::uint64_t{key.inlined_at} << 32 | key.function;
            return static_cast<std::size_t>((key.packed * 0x9e3779b97f4a7c15u) ^
                                            (rest * 0xff51afd7ed558ccdu) >> 7);
        }
    };

    void read_strings(std::string_view body);
    std::uint32_t add(LocationKey const& key);

    Decoder& decoder_;
    std::unordered_map<std::uint64_t, std::string_view> declared_;  // .file directives by number
    NameMap labels_;                                                // labels of .debug_str, as offsets in strings_
    bool reported_unknown_ = false;
    std::string strings_;
    std::unordered_map<LocationKey, std::uint32_t, LocationHash> known_;
    std::unordered_map<std::uint64_t, std::uint32_t> latest_;  // the latest location for a file, line and column
};

}  // namespace warpsim::frontend
