// Compares what a kernel left in an array with what was expected.
#pragma once

#include "runtime/plan/element.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::plan {

struct Tolerance {
    double absolute = 0;
    double relative = 0;
};

struct Comparison {
    std::uint64_t count = 0;  // elements compared
    std::uint64_t differing = 0;
    std::vector<std::uint64_t> first;  // the first five places that differ, at most
    double largest_error = 0;          // largest |got - want|; infinite when a nan or inf is where none should be
    std::uint64_t largest_at = 0;
};

/// An element passes when |got - want| <= absolute + relative * |want|. With both zero the bits must be equal,
/// except that -0 equals 0 and NaN equals NaN. An infinity equals only itself, whatever the tolerance.
Comparison compare(Type type, std::span<std::byte const> got, std::span<std::byte const> want,
                   Tolerance tolerance);

/// Several lines: how many elements differ, the first of them, the largest error. No newline at the end.
std::string report(std::string_view name, Type type, std::span<std::byte const> got,
                   std::span<std::byte const> want, Tolerance tolerance, Comparison const& comparison);

}  // namespace warpsim::plan
