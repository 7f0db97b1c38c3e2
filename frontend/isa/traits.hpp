// What passes ask about an instruction, by its row, so that they need not list mnemonics.
#pragma once

#include "frontend/isa/row.hpp"

namespace warpsim::isa {

struct Traits {
    bool is_pure = false;      // nothing depends on it except its results
    bool is_lanewise = false;  // a lane's results depend on that lane's operands only: where these are the same in
                               // all lanes, it may be computed once for the warp
    bool is_convergent =
        false;  // which lanes execute it together matters: it must not move to where other lanes join in
    bool gives_same_value = false;  // to all lanes that execute it together
    bool reads_memory = false;
    bool writes_memory = false;
    bool is_commutative = false;
    bool is_multiply_add = false;
    /// The hardware's uniform datapath has the operation, on integers of 32 bits or more and on predicates.
    bool is_uniform_operation = false;
};

/// Whether the mnemonic of a line holds the word, such as `.sync`.
constexpr bool has_word(std::string_view syntax, std::string_view word) {
    std::string_view const mnemonic = syntax.substr(0, syntax.find(' '));
    for (std::size_t at = mnemonic.find(word); at != std::string_view::npos; at = mnemonic.find(word, at + 1)) {
        std::size_t const end = at + word.size();
        if (end == mnemonic.size() || std::string_view(".{}").find(mnemonic[end]) != std::string_view::npos)
            return true;
    }
    return false;
}

/// For a row that is not executed the operands tell: with a result it reads at its addresses, without one it
/// writes.
constexpr void add_memory_of_operands(Row const& row, Traits& t) {
    bool has_result = false;
    bool has_address = false;
    for (OperandSpec const& spec : row.operands) {
        has_result = has_result || spec.is_written();
        has_address = has_address || spec.kind == OperandKind::address;
    }
    t.reads_memory = has_address;
    t.writes_memory = has_address && !has_result;
}

constexpr Traits traits(Row const& row) {
    Traits t;
    t.is_commutative = (row.properties & is_commutative) != 0;
    t.is_multiply_add = (row.properties & is_multiply_add) != 0;
    t.is_uniform_operation = (row.properties & is_uniform) != 0;
    t.is_convergent = has_word(row.syntax, ".sync") || has_word(row.syntax, ".aligned");
    EffectFacts const& effect = *row.facts;
    t.is_pure = t.is_lanewise = effect.is(EffectFacts::pure);
    t.reads_memory = effect.is(EffectFacts::reads);
    t.writes_memory = effect.is(EffectFacts::writes);
    t.is_convergent = t.is_convergent || effect.is(EffectFacts::convergent);
    t.gives_same_value = effect.is(EffectFacts::same_value);
    if (effect.is(EffectFacts::unexecuted)) add_memory_of_operands(row, t);
    return t;
}

}  // namespace warpsim::isa
