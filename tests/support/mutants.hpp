// Kernels with one mistake each, made of correct ones: a barrier removed, a scope made narrower, an index off by one.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace warpsim::test {

struct Mutant {
    std::string kind;    // "barrier removed"
    std::size_t line;    // of the text, from 1
    std::string before;  // the statement
    std::string text;    // the whole module, with the mistake
};

/// All that can be made of a module's PTX, in the order of its statements.
std::vector<Mutant> mutants_of(std::string const& ptx);

}  // namespace warpsim::test
