// Mistakes that are put into kernels on purpose, each with its correct twin. tests/check/seeded/README.md says what a file holds.
#pragma once

#include "tests/support/run_ptx.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpsim::test {

struct Seed {
    std::string name;  // "race/mirror"
    std::string title;
    std::string checked;              // the checkers of the mistake
    std::vector<std::string> found;   // what they find, in alphabetical order
    std::vector<std::string> places;  // texts of lines of PTX that the findings name
    Threads threads;
    std::string mistake, twin;  // modules
};
/// `text` is a file of PTX.
Seed parse_seed(std::string const& name, std::string const& text);
std::vector<Seed> read_seeds();

}  // namespace warpsim::test
