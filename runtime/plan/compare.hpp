// Comparing what a kernel left in an array with what was expected.
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
    std::vector<std::uint64_t> first;  // at most five places that differ
    double largest_error = 0;  // |got - want| among them; infinite when a nan or inf is where none should be
    std::uint64_t largest_at = 0;
};

/// An element passes when |got - want| <= absolute + relative * |want|. Both zero mean equal bits, except that -0
/// equals 0 and NaN equals NaN; an infinity passes only for itself, whatever the tolerance.
Comparison compare(Type type, std::span<std::byte const> got, std::span<std::byte const> want,
                   Tolerance tolerance);

/// Several lines: how many differ, the first places, the largest error. No newline at the end.
std::string report(std::string_view name, Type type, std::span<std::byte const> got,
                   std::span<std::byte const> want, Tolerance tolerance, Comparison const& comparison);

}  // namespace warpsim::plan
