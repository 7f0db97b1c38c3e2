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

/// A formal parameter as far as a call must match it.
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
    std::string_view linkage;                                       // of the first declaration, as written
    std::string_view declared_at;
};

/// A label that an operand or a list of branch targets names; it may stand further down.
struct LabelUse {
    enum class Kind : std::uint8_t { operand, branch_target };
    Kind kind = Kind::operand;
    std::uint32_t index = 0;     // operand of the function, or list of branch targets
    std::uint32_t position = 0;  // in that list
    std::string_view name;
    std::string_view where;  // the text that says so
};

/// What a `{` found, and its `}` restores.
struct OpenBlock {
    std::size_t first_label_use = 0;
    std::uint64_t param_end = 0;
    std::uint32_t skip = ir::none;  // of `@p {`: the operand of the branch around it
};

/// An instruction that computes an operand of the one being decoded: `a[%r]` is an address calculation.
struct PendingInstruction {
    ir::Instruction instruction;
    std::vector<ir::Operand> operands;
};

/// The function that is being decoded.
struct Body {
    std::uint32_t function = ir::none;
    std::vector<LabelUse> label_uses;  // not resolved yet, innermost scope last
    std::vector<OpenBlock> blocks;
    std::vector<PendingInstruction> pending;
    std::uint64_t param_end = 0;               // next free byte for .param variables
    std::uint32_t module_registers_begin = 0;  // registers of the function that stand for those of the module
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
    std::vector<Signature> signatures;  // of each function
    std::vector<Signature> prototypes;  // of each prototype
    std::unordered_map<std::uint32_t, std::uint32_t>
        call_tables;                              // prototypes of arrays of functions, by variable
    std::vector<std::uint32_t> module_registers;  // declarations of .reg at module scope, by variable
    bool has_samplers = false;                    // .target texmode_independent
    std::uint64_t constant_end = 0;
    std::uint64_t register_count = 0;              // that ranges of the module declare together
    std::deque<std::string> made_names;            // names that the text does not spell out
    std::unordered_set<std::string_view> excused;  // names whose declaration was wrong
    std::optional<Body> body;
    isa::Type last_register = isa::Type::none;     // declared type of the register that was decoded last
    isa::Type address_register = isa::Type::none;  // of the last one that an address begins with

    ir::Function& function() { return module.functions[body->function]; }
};

/// A name as messages quote it; of one that no line can hold, its beginning.
inline std::string quoted(std::string_view text) {
    constexpr std::size_t longest = 120;
    std::string result(1, '\'');
    result += text.substr(0, longest);
    if (text.size() > longest) result += "...";
    result += '\'';
    return result;
}
/// ".u32"
inline std::string type_text(isa::Type type) { return std::string(1, '.').append(isa::name(type)); }
/// Parts of the same text, in any order, as one view with what is between them.
inline std::string_view covering(std::string_view a, std::string_view b) {
    char const* const begin = std::min(a.data(), b.data(), std::less<>());
    char const* const end = std::max(a.data() + a.size(), b.data() + b.size(), std::less<>());
    return {begin, static_cast<std::size_t>(end - begin)};
}
inline std::uint64_t align_up(std::uint64_t value, std::uint64_t align) {
    return (value + align - 1) / align * align;
}

// ---- targets.cpp ----

/// "7.8" of 78.
std::string version_text(int version);
/// Reports what came with a later PTX version or for higher targets. `sm` 0: all.
void require(Decoder& decoder, std::string_view where, std::string_view what, int version, int sm = 0);

// ---- sections.cpp ----

/// The data of a .section: its widths, ranges and labels. Nothing of it is executed.
void check_section(Decoder& decoder, syntax::Section const& section);

// ---- declarations.cpp ----

/// Declares the names of one `.reg .global .shared ...` statement.
void declare(Decoder& decoder, syntax::Variable const& variable);
/// Enters a symbol; a clash is reported with a note at the earlier declaration, and false is returned.
bool enter(Decoder& decoder, Symbol const& symbol, std::string_view where);
/// Reports a name that has a meaning of its own: `_`, WARP_SZ, at module scope special registers.
bool check_reserved(Decoder& decoder, std::string_view name);
/// A variable of the IR from its declaration, without initializer and place.
std::optional<ir::Variable> make_variable(Decoder& decoder, syntax::Variable const& declared,
                                          syntax::Declarator const& declarator);
/// The value of a constant expression that must be an integer; errors are reported.
std::optional<std::uint64_t> integer_value(Decoder& decoder, syntax::Range tokens, std::string_view where);
/// The registers of one name: as many as a vector has elements. Returns the first.
std::uint32_t add_registers(Decoder& decoder, std::string_view name, isa::Type type, std::uint32_t vector = 1);
isa::Type register_type(Decoder& decoder, std::string_view spelling);
/// Whether a type is written; reports that it is not.
bool has_type(Decoder& decoder, syntax::Variable const& declared);
unsigned vector_length(std::string_view spelling);

// ---- initializers.cpp ----

/// Fills `initializer` and `relocations`, and the size of an array declared `[]`.
void initialize(Decoder& decoder, syntax::Declarator const& declarator,
                std::vector<std::uint64_t> const& dimensions, unsigned vector, ir::Variable& variable);

// ---- parameters.cpp, function_directives.cpp ----

/// Declares the formal parameters of the function that begins, and gives them their places.
Signature declare_parameters(Decoder& decoder, syntax::Function const& declared);
/// The same of a prototype, which declares no names.
Signature prototype_signature(Decoder& decoder, syntax::Function const& declared, ir::Prototype& prototype);
/// Reports parameters of a kernel that take more than PTX version and target allow.
void check_parameter_bytes(Decoder& decoder, std::string_view where, std::uint64_t bytes);
/// Whether a variable is a formal parameter or return value in .param, not one that is handed to calls.
bool is_parameter(ir::Function const& function, std::uint32_t variable);
bool is_return_value(ir::Function const& function, std::uint32_t variable);
/// What stands between header and body: launch bounds of a kernel (else nullptr), and preserved registers.
void read_function_directives(Decoder& decoder, syntax::Function const& declared, Signature& signature,
                              ir::Function* kernel);

// ---- functions.cpp, labels.cpp ----

/// Declares a function and opens its scope when it has a body. For a prototype `label` is its name.
void begin_function(Decoder& decoder, syntax::Function const& function, std::string_view label);
void end_function(Decoder& decoder, std::string_view brace);
/// Resolves the uses, from `first` on, of the labels that the closing scope declares; the rest is left to the
/// scopes around it, and reported by the outermost.
void resolve_labels(Decoder& decoder, std::size_t first, bool is_outermost);
/// `text` is the brace, or the guard and the brace of `@p {`.
void open_block(Decoder& decoder, std::string_view text);
void close_block(Decoder& decoder);
void declare_label(Decoder& decoder, std::string_view label);
/// `.branchtargets` and `.calltargets`, which bear the label before them.
void declare_targets(Decoder& decoder, syntax::Directive const& directive, std::string_view label);
/// Adds the prototype of a call that goes to one of these functions, which share a signature. Returns its index.
std::uint32_t add_call_targets(Decoder& decoder, std::vector<std::uint32_t> targets);
/// Whether two declarations say the same about parameters and return values.
bool same_signature(Signature const& a, Signature const& b);

// ---- choose_shape.cpp, instruction_operands.cpp ----

/// The shape that so many operands of these kinds fit; if none does, the one whose errors tell most. nullptr: none
/// takes so many operands.
Shape const* choose_shape(Decoder const& decoder, std::span<Shape const> shapes,
                          std::span<syntax::Node const> nodes, unsigned count);
/// Which `{, x}` are written, bit g for group g: those that modifiers ask for, then the first ones.
std::uint32_t groups_taken(Shape const& shape, unsigned written);
/// Lines of one mnemonic that differ in kinds of operands only.
bool is_told_apart_by_operands(isa::Row const& row);
/// Elements of a list in braces.
unsigned list_length(syntax::Node const& list);
/// An offset in a texture may have more parts than the texture has dimensions.
bool is_longer_offset(OperandRule const& rule, syntax::Node const& list);
/// ptxas takes the addresses of a tensor copy in shared memory without their brackets, too.
bool can_lack_brackets(Shape const& shape, std::size_t slot);
/// Decodes all operands of an instruction and appends them. False, with an error reported, when one cannot stand.
bool decode_operands(Decoder& decoder, Shape const& shape, std::span<syntax::Node const> nodes, unsigned count);

// ---- instructions.cpp, operands.cpp, addresses.cpp, calls.cpp ----

void decode_instruction(Decoder& decoder, syntax::Instruction const& instruction);
/// Looks up a guard as written (`@!p`); false, with an error reported, when it is none.
bool decode_guard(Decoder& decoder, std::string_view guard, ir::Instruction& instruction);
/// Appends an instruction that the text does not spell out.
void append_implied(Decoder& decoder, std::string_view mnemonic, std::string_view where,
                    std::string_view guard = {});

/// What an operand of an instruction must be.
struct Wanted {
    isa::Type type = isa::Type::none;  // none: whatever stands there
    bool is_relaxed = false;           // a register may be wider
    bool is_destination = false;
    bool can_be_symbol = false;  // the address of a variable or function
    bool can_be_special = false;
    bool can_be_sink = false;
    bool must_be_constant = false;
    bool must_be_register = false;
    bool must_be_untyped = false;  // a register of type .bN
    bool is_implied = false;       // the type is not among those that the instruction names
    bool can_be_minus = false;     // -%r1
    int selectable = 0;        // elements of a video instruction that a selector may name a part of; 0: none may
    bool is_argument = false;  // of a call
    bool is_packed_source = false;  // an element that mov puts together with others
    unsigned vector = 1;            // elements of a { } list, 0: any number
    bool has_index = false;         // the first element of the list is an integer: an array's index
};

/// Decodes the operand at the first node and appends it. False, with an error reported, when it cannot stand
/// there.
bool decode_operand(Decoder& decoder, std::span<syntax::Node const> nodes, Wanted const& wanted);
/// `parts`: what else must stand in the brackets; not given: nothing may.
bool decode_address(Decoder& decoder, std::span<syntax::Node const> nodes, isa::Type type, isa::StateSpace space,
                    std::span<isa::OperandSpec const> parts = {});
/// The same of an address that is written without brackets.
bool decode_bare_address(Decoder& decoder, syntax::Node const& node, isa::Type type, isa::StateSpace space);
/// Reports a load, store, barrier or policy whose modifiers, space and operands do not go together.
void check_memory(Decoder& decoder, syntax::Instruction const& instruction, ir::Form const& form);
void check_barrier(Decoder& decoder, syntax::Instruction const& instruction, ir::Form const& form,
                   std::span<ir::Operand const> operands);
void check_policy(Decoder& decoder, syntax::Instruction const& instruction, ir::Form const& form,
                  std::span<ir::Operand const> operands);
bool decode_call(Decoder& decoder, syntax::Instruction const& instruction);
ir::Operand& append(Decoder& decoder, ir::Operand::Kind kind, isa::Type type);
/// Whether a register of one type can be an operand of another.
bool agrees(isa::Type reg, isa::Type wanted, bool is_relaxed);

// ---- unknown_names.cpp ----

/// Reports a name that nothing was declared as, once in each function, and not at all when its declaration was
/// wrong. `what` says what is wanted: "name", "predicate", "register", "function", "label" ...
void report_unknown(Decoder& decoder, std::string_view name, std::string_view what, std::string_view where = {});
/// Whether there are few errors as yet, so that a search among all names for each is bearable.
inline bool may_search(Decoder const& decoder) { return decoder.diagnostics.error_count() < 256; }
/// Keeps quiet about this name from now on: its declaration has been reported.
void excuse(Decoder& decoder, std::string_view name);
/// A note at the declaration of a name, if there is one in the text.
void note_declaration(Decoder& decoder, std::string_view name);
/// The text of the tokens of an expression; empty without them.
std::string_view text_of(Decoder const& decoder, syntax::Range tokens);

// ---- special_registers.cpp ----

struct SpecialName {
    ir::SpecialRegister reg = ir::SpecialRegister::tid;
    std::uint8_t component = 0;
    bool is_vector = false;  // %tid without a component
    bool can_be_16_bits = false;
    isa::Type type = isa::Type::u32;
    isa::Since since;
};
std::optional<SpecialName> special_register(std::string_view name);
/// All of them, vectors by component, for suggestions.
std::vector<std::string> const& special_register_names();

// ---- source_lines.cpp ----

/// `.file` and `.loc`, with the chain of calls that were inlined.
class SourceLines {
public:
    explicit SourceLines(Decoder& decoder);
    void file(syntax::Directive const& directive);
    /// The location that a `.loc` names; index into Module::locations.
    std::uint32_t location(syntax::Directive const& directive);

private:
    /// What makes a location: no two of the module are the same in all of it.
    struct Place {
        std::uint64_t packed = 0;  // file, line and column
        std::uint32_t inlined_at = ir::none;
        std::uint32_t function = ir::none;  // offset in strings_
        bool operator==(Place const&) const = default;
    };
    struct PlaceHash {
        std::size_t operator()(Place const& place) const {
            std::uint64_t const rest = std::uint64_t{place.inlined_at} << 32 | place.function;
            return static_cast<std::size_t>((place.packed * 0x9e3779b97f4a7c15u) ^
                                            (rest * 0xff51afd7ed558ccdu) >> 7);
        }
    };

    void read_strings(std::string_view body);
    std::uint32_t add(Place const& place);

    Decoder& decoder_;
    std::unordered_map<std::uint64_t, std::string_view> declared_;  // .file directives by number
    NameMap labels_;                                                // of .debug_str: offsets in strings_
    bool reported_unknown_ = false;
    std::string strings_;
    std::unordered_map<Place, std::uint32_t, PlaceHash> known_;
    std::unordered_map<std::uint64_t, std::uint32_t> latest_;  // the last location of a file, line and column
};

}  // namespace warpsim::frontend
