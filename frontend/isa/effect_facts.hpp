// What an instruction does beyond computing its destination, as the chapters declare it beside the rows that do it:
//
//     constexpr EffectFacts barrier_warp{"barrier_warp", C::barrier, W::nothing, convergent};
//
// The enumerators of Effect (effect.hpp) are these names: they are generated from the rows.
#pragma once

#include "frontend/isa/types.hpp"

#include <cstdint>
#include <string_view>

namespace warpsim::isa {

/// Which operands an instruction writes.
enum class Written : std::uint8_t {
    nothing,
    first,              // the first, or two where the line has `d|p`
    first_with_red,     // the first of those that reduce
    first_and_reduced,  // the first, and what an instruction that reduces makes of it
    first_always,       // the results; in lines without one the first operand, an address, which is read anyway
    result_list,        // of a call: the list in front of its target
};

/// Everything that is true of all instructions with one effect.
struct EffectFacts {
    enum Flag : unsigned {
        pure = 1,                // nothing but its results depends on it, and each lane's on that lane's operands
        reads = 2,               // memory
        writes = 4,              // memory
        convergent = 8,          // which lanes execute it together matters
        same_value = 16,         // gives the same to all lanes that execute it together
        access = 32,             // goes to memory through the load and store unit
        synchronises = 64,       // waits for others, or tells others not to wait any more
        told_by_operands = 128,  // lines of one mnemonic differ in what their operands are
        far_addresses = 256,     // its addresses may be generic or global: 64 bits wide from sm_90 on
        lists = 512,             // its registers are lists in braces, whatever their number
        by_variants = 1024,      // the row's variants say what it computes, and from what
        unexecuted = 2048,       // read and checked only; a kernel that holds one refuses to launch
    };

    std::string_view name;     // an identifier of C++
    InstructionClass counted;  // in the statistics; `count`: by its unit and what it computes in
    Written written;
    unsigned flags = 0;

    constexpr bool is(Flag flag) const { return (flags & flag) != 0; }
    constexpr bool operator==(EffectFacts const&) const = default;
};

/// The words of a declaration. Used by chapters as `using namespace effect_words`.
namespace effect_words {
using C = InstructionClass;
using W = Written;
constexpr C computed = C::count;
constexpr unsigned pure = EffectFacts::pure, reads = EffectFacts::reads, writes = EffectFacts::writes,
                   convergent = EffectFacts::convergent, same_value = EffectFacts::same_value,
                   access = EffectFacts::access, synchronises = EffectFacts::synchronises,
                   told_by_operands = EffectFacts::told_by_operands, far_addresses = EffectFacts::far_addresses,
                   lists = EffectFacts::lists, by_variants = EffectFacts::by_variants,
                   unexecuted = EffectFacts::unexecuted;
}  // namespace effect_words

/// The effects of rows in several chapters.
namespace effects {
using namespace effect_words;
// clang-format off
constexpr EffectFacts lanes{"lanes", computed, W::first, pure | by_variants};
constexpr EffectFacts not_executed{"not_executed", computed, W::first, told_by_operands | lists | unexecuted};
constexpr EffectFacts load{"load", C::load, W::first, reads | access | far_addresses};
constexpr EffectFacts store{"store", C::store, W::nothing, writes | access | far_addresses};
constexpr EffectFacts reduction{"reduction", C::atomic, W::nothing, reads | writes | access | far_addresses};
constexpr EffectFacts copy_bulk{"copy_bulk", C::store, W::nothing, reads | writes | access | told_by_operands};
constexpr EffectFacts nothing{"nothing", C::other, W::nothing};
// clang-format on
}  // namespace effects

}  // namespace warpsim::isa
