// What the checker of definedness has to know of each instruction of a function, made once for all launches of it.
#pragma once

#include "frontend/ir/module.hpp"
#include "frontend/isa/effect.hpp"
#include "runtime/check/init/rule.hpp"
#include "sim/exec/op.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace warpsim::check {

/// What an undefined value does that a program notices.
enum class Use : std::uint8_t { branch, guard, address, operand, size, host, printed, read };

/// A register or a constant that an instruction reads as so many bits.
struct Source {
    std::uint32_t reg = ir::none;  // none: a constant
    std::uint64_t value = 0;       // ... this one
    unsigned bits = 32;
    unsigned register_bits = 32;
    bool is_signed = false;   // a narrower register is extended so
    bool is_negated = false;  // a predicate
};

/// A register that an instruction writes as a value of so many bits; a wider one gets its sign.
struct Target {
    std::uint32_t reg = ir::none;  // none: `_`
    unsigned bits = 32;
    unsigned register_bits = 32;
    bool is_signed = false;
};

/// A register whose value must be defined.
struct UsedRegister {
    std::uint32_t reg;
    Use use;
};

/// How an instruction makes its results.
enum class Way : std::uint8_t {
    rule,       // as `facts` says, from `sources`
    pack,       // sources side by side
    unpack,     // parts of the only source
    elements,   // each target from the source at its place
    defined,    // all are defined: nothing is known of them, or the access tells later
    later,      // when the instruction has taken effect
    matrix,     // a product of matrices
    product,    // ... of a warpgroup
    transpose,  // of a matrix in registers
};

struct Step {
    isa::Effect effect{};
    Way way = Way::defined;
    RuleFacts facts;
    std::vector<Source> sources;
    std::vector<Target> targets;
    /// Beside the first targets of a rule: predicates or the carry, which any undefined bit makes undefined.
    std::size_t first_targets = 1;
    std::vector<UsedRegister> used;
    // Of atomics:
    bool replaces = false;  // the memory takes the last source as it is
    bool compares = false;
};

struct FunctionSteps {
    /// Keeps the text alive, so that its address and that of the function name no other function.
    std::shared_ptr<frontend::Source const> source;
    ir::Function const* function = nullptr;
    std::vector<Step> steps;               // by ir instruction
    std::vector<std::uint32_t> unwritten;  // registers that may be read before anything has written them
};

FunctionSteps make_steps(ir::Module const& module, ir::Function const& function);

}  // namespace warpsim::check
