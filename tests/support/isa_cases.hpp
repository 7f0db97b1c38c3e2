// Reads the case files; README.md describes their format.
#pragma once

#include "frontend/isa/types.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpsim::isa::test {

struct Case {
    std::string place;  // "integer.cases:12"
    std::string mnemonic;
    std::vector<std::string> sources;
    std::string result;
};
std::vector<Case> read_cases();

/// The bits of a literal as a value of the type; throws std::runtime_error for anything else.
std::uint64_t value_of(std::string const& literal, Type type);
/// Whether the bits are the expected value: exactly, within the error of `x~error`, or any NaN for `nan?`.
bool agrees(std::uint64_t bits, std::string const& expected, Type type);
/// The number that the bits of a floating-point type stand for.
double number_of(std::uint64_t bits, Type type);

}  // namespace warpsim::isa::test
