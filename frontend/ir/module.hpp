// The decoded, checked form of a PTX module: what every engine makes its plan from. Names are resolved, types are
// checked, instructions are in program order with virtual registers. Knows no engine.
#pragma once

#include "frontend/ir/builtins.hpp"
#include "frontend/isa/operation.hpp"
#include "frontend/isa/row.hpp"
#include "frontend/source.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::ir {

using isa::Type;
using isa::StateSpace;

inline constexpr std::uint32_t none = UINT32_MAX;

/// An instruction's mnemonic, resolved once for all instructions written the same way.
struct Form {
    std::uint32_t row = 0;      // index into isa::rows()
    std::uint32_t variant = 0;  // index into Row::variants
    std::uint32_t source = 0;   // Module::sources: the text that its instructions stand in
    std::string_view text;      // the mnemonic as written, for messages and dumps
    isa::Operation operation{};
    std::vector<isa::Modifier> modifiers;  // all but types, in written order
    std::array<Type, 3> types{};           // as written
    StateSpace space = StateSpace::generic;
    std::uint8_t vector = 1;  // .v2 .v4 .v8: 2, 4, 8
    isa::Rounding rounding = isa::Rounding::none;
    isa::Order order = isa::Order::weak;
    isa::Scope scope = isa::Scope::none;
    bool ftz = false;
    bool sat = false;
    bool uniform = false;  // .uni

    bool has(isa::Modifier modifier) const;
};

/// Where a value comes from or goes to. A `vector` is followed by its elements: the next `count` operands.
struct Operand {
    enum class Kind : std::uint8_t {
        sink,            // _
        reg,             // index: register of the function
        immediate,       // value: bits of the operand's type
        special,         // index: SpecialRegister; value: component 0..3 (x y z w)
        symbol,          // the address of variable `index` plus value; a generic one when `generic`
        function,        // the address of function `index`
        address,         // [base + value], see AddressBase; index: register or variable
        label,           // index: instruction of the function
        branch_targets,  // index: Function::branch_targets
        vector,          // { ... }: `count` operands follow
        list,            // ( ... ) of a call: `count` operands follow
        prototype,       // index: Module::prototypes; of an indirect call
        param,           // a .param variable as a call argument; index: Function::variables
    };
    enum class AddressBase : std::uint8_t { immediate, reg, module_variable, function_variable };
    Kind kind = Kind::sink;
    Type type = Type::none;  // the type the instruction reads or writes it with
    AddressBase base = AddressBase::immediate;
    bool negated = false;  // predicate operand written !p
    bool generic = false;
    /// A symbol or address names a variable of the module or of the function.
    bool is_module_variable = false;
    std::uint16_t count = 0;
    std::uint32_t index = none;
    std::int64_t value = 0;
};

// clang-format off
enum class SpecialRegister : std::uint8_t {
    tid, ntid, laneid, warpid, nwarpid, ctaid, nctaid, smid, nsmid, gridid,
    clusterid, nclusterid, cluster_ctaid, cluster_nctaid, cluster_ctarank, cluster_nctarank, is_explicit_cluster,
    lanemask_eq, lanemask_le, lanemask_lt, lanemask_ge, lanemask_gt,
    clock, clock_hi, clock64, pm, pm64, envreg,
    globaltimer, globaltimer_lo, globaltimer_hi,
    reserved_smem_offset_begin, reserved_smem_offset_end, reserved_smem_offset_cap, reserved_smem_offset,
    total_smem_size, aggr_smem_size, dynamic_smem_size, current_graph_exec,
    count,
};
// clang-format on

/// `.loc`: a location in the program that the PTX was compiled from.
struct SourceLocation {
    std::uint32_t file = 0;  // index into Module::files
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    std::uint32_t inlined_at = none;  // Module::locations: the call that was inlined
    std::string function;             // name of the inlined function; empty when not inlined
};

struct Instruction {
    std::uint32_t form = 0;           // Module::forms
    std::uint32_t first_operand = 0;  // Function::operands
    std::uint16_t operand_count = 0;  // with the elements of vectors and lists
    bool guard_negated = false;
    bool is_added = false;          // by a pass that plans its time: none of the program's, told to nobody
    std::uint32_t guard = none;     // predicate register
    frontend::Span span;            // of the text
    std::uint32_t location = none;  // Module::locations
};

struct Register {
    std::string name;  // "%r17"
    Type type = Type::b32;
};

/// A pointer in an initializer, resolved when addresses are known.
struct Relocation {
    std::uint64_t offset = 0;  // in the initializer
    std::uint8_t size = 8;     // bytes
    bool is_function = false;
    bool generic = false;         // whether the generic address is stored
    std::uint8_t mask_shift = 0;  // of mask(): take (address >> shift) & 0xff; 0xff: no mask
    bool masked = false;
    std::uint32_t index = none;  // Module::variables or functions
    std::int64_t addend = 0;
};

/// What a .texref or .samplerref is declared with: `{ filter_mode = linear }`.
struct SamplerSetting {
    // clang-format off
    enum class Name : std::uint8_t {
        filter_mode, addr_mode_0, addr_mode_1, addr_mode_2, force_unnormalized_coords, normalized_coords,
    };
    enum class Mode : std::uint32_t { nearest, linear, wrap, mirror, clamp_ogl, clamp_to_edge, clamp_to_border };
    // clang-format on
    std::uint32_t element = 0;  // of an array
    Name name = Name::filter_mode;
    std::uint32_t value = 0;  // a number, or a Mode
};

/// A variable of the module (.global .const .shared) or of a function (.local .shared .param).
struct Variable {
    std::string name;
    StateSpace space = StateSpace::global;
    Type type = Type::b8;
    std::uint64_t size = 0;    // bytes; 0 for an unsized array
    std::uint32_t align = 1;   // bytes
    bool is_external = false;  // .extern without a definition here
    bool is_visible = false;
    bool is_weak = false;
    bool is_common = false;
    bool is_array = false;
    bool is_pointer = false;             // .ptr
    bool is_managed = false;             // .attribute(.managed)
    std::uint32_t source = 0;            // Module::sources
    std::vector<std::byte> initializer;  // shorter than size: the rest is zero
    std::vector<Relocation> relocations;
    std::vector<SamplerSetting> settings;
    frontend::Span span;  // its declaration
    /// Byte offset in its space: of a parameter in the parameter block, of shared memory in the CTA's, of local
    /// memory in the frame, of module-scope .const in the constant bank.
    std::uint64_t offset = 0;
};

/// A basic block: instructions [first, last] in a straight line; control enters only at the first.
struct Block {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::vector<std::uint32_t> successors;  // Function::blocks
    /// The first block that all paths from here have in common (immediate post-dominator); `none` when they meet
    /// only at the end.
    std::uint32_t reconvergence = none;
};

/// `.maxntid` and the like; 0 where not written.
struct LaunchBounds {
    std::array<std::uint32_t, 3> max_threads{};       // .maxntid
    std::array<std::uint32_t, 3> required_threads{};  // .reqntid
    std::uint32_t min_ctas_per_sm = 0;
    std::uint32_t max_registers = 0;                  // .maxnreg
    std::uint32_t registers = 0;                      // that machine code of the kernel takes; 0: unknown
    std::array<std::uint32_t, 3> required_cluster{};  // .reqnctapercluster
    std::uint32_t max_cluster_rank = 0;
    bool explicit_cluster = false;
    bool blocks_are_clusters = false;
};

/// Where each virtual register is kept: registers of one width with disjoint live ranges share columns.
struct RegisterLayout {
    std::vector<std::uint32_t> column;  // per register: its column among those of its width class
    std::uint32_t columns16 = 0;        // 8- and 16-bit registers
    std::uint32_t columns32 = 0;
    std::uint32_t columns64 = 0;
    std::uint32_t columns128 = 0;
    std::uint32_t predicates = 0;
    /// The most 32-bit hardware registers that are live at once, as a compiler would count them (at least 1).
    std::uint32_t pressure = 0;
};

struct Function {
    std::string name;
    bool is_entry = false;
    bool is_visible = false;
    bool is_external = false;
    bool is_weak = false;
    bool is_noreturn = false;
    bool has_body = false;
    /// It uses registers declared in the module (PTX before 3.0); each function gets its own copy of these here.
    bool uses_module_registers = false;
    /// `.alias`: the function of this module that the name stands for. Nothing in the module refers to the alias
    /// any more; it is kept for other modules to find.
    std::uint32_t alias_of = none;
    Builtin builtin = Builtin::none;  // set by the linker: no module defines it, the device runtime does
    std::uint32_t source = 0;         // Module::sources
    std::vector<Register> registers;
    std::uint32_t carry = none;             // the register of CC; none when the function does not use it
    std::vector<Variable> variables;        // .param (formal and local), .local and .shared of this function
    std::vector<std::uint32_t> parameters;  // into `variables` (.param) or `registers` (.reg): see in_registers
    std::vector<std::uint32_t> returns;
    std::vector<bool> parameter_in_register;
    std::vector<bool> return_in_register;
    std::vector<Instruction> instructions;
    std::vector<Operand> operands;
    std::vector<std::vector<std::uint32_t>> branch_targets;     // instructions
    std::vector<std::pair<std::string, std::uint32_t>> labels;  // name, instruction; for dumps
    std::vector<std::uint32_t> not_unrolled;                    // instructions behind a .pragma "nounroll"
    std::vector<Block> blocks;
    std::vector<std::uint32_t> block_of;  // per instruction
    RegisterLayout layout;                // shared columns
    LaunchBounds bounds;
    std::uint64_t param_bytes = 0;  // entry: the parameter block; function: formals and call arguments
    /// End of the last call-local .param variable. In an entry these lie behind the parameter block (offsets from
    /// param_bytes on), in a function they are part of param_bytes.
    std::uint64_t call_param_bytes = 0;
    std::uint64_t local_bytes = 0;
    std::uint64_t shared_bytes = 0;  // of its own .shared variables, offsets from the function's base
    frontend::Span span;             // its header

    std::span<Operand const> operands_of(Instruction const& i) const {
        return {operands.data() + i.first_operand, i.operand_count};
    }
};

/// A `.callprototype`, or the common signature of call targets.
struct Prototype {
    std::vector<std::uint32_t> targets;  // of .calltargets: the functions that may be called; else empty
    std::vector<Variable> returns;
    std::vector<Variable> parameters;
};

struct Module {
    /// The text of the module, or those of all modules that were linked; forms and spans are views into them.
    std::vector<std::shared_ptr<frontend::Source const>> sources;
    int version = 90;        // 10 * major + minor
    std::string target;      // "sm_90a"
    int target_sm = 0;       // 90
    char target_suffix = 0;  // 'a', 'f' or 0
    bool maps_f64 = false;   // .target map_f64_to_f32
    int address_bits = 64;
    std::vector<Form> forms;
    std::vector<Function> functions;
    std::vector<Variable> variables;
    std::vector<Prototype> prototypes;
    std::vector<std::string> files;  // index = number of the .file directive; "" where unused
    std::vector<SourceLocation> locations;

    /// The instruction as it was written, white space collapsed to single spaces.
    std::string written(Instruction const& instruction) const;
    /// "saxpy.ptx:41", the line on which the instruction begins.
    std::string place(Instruction const& instruction) const;
    /// "saxpy.ptx:41:5", for messages that point to it.
    std::string exact_place(Instruction const& instruction) const;
    std::string exact_place(Variable const& variable) const;
    /// The text that an instruction stands in.
    frontend::Source const& source_of(Instruction const& instruction) const {
        return *sources[forms[instruction.form].source];
    }
    /// "kernels.cu:6" through `.loc`, with the calls that were inlined: "math.h:12 inlined at kernels.cu:6"; empty
    /// when the PTX does not say.
    std::string source_place(Instruction const& instruction) const;
    /// A function that other modules can see is preferred to a private one of the same name. Null when there is
    /// none.
    Function const* function(std::string_view name) const;
    Variable const* variable(std::string_view name) const;
    Function const* kernel(std::string_view name) const;  // only a defined .entry
};

}  // namespace warpsim::ir
