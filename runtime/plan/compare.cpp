#include "runtime/plan/compare.hpp"

#include <cmath>
#include <cstring>
#include <limits>

namespace warpsim::plan {

namespace {

struct Difference {
    bool passes = true;
    double error = 0;
};

Difference compare_floats(Type type, std::byte const* got, std::byte const* want, Tolerance tolerance) {
    double const g = decode_float(type, got);
    double const w = decode_float(type, want);
    if (g == w || (std::isnan(g) && std::isnan(w))) return {};
    if (!std::isfinite(g) || !std::isfinite(w)) return {false, std::numeric_limits<double>::infinity()};
    double const error = std::fabs(g - w);
    return {error <= tolerance.absolute + tolerance.relative * std::fabs(w), error};
}

// Differences of 64-bit integers are computed as integers: a double would lose their low bits.
Difference compare_integers(Type type, std::byte const* got, std::byte const* want, Tolerance tolerance) {
    std::uint64_t error = 0;
    double magnitude = 0;
    if (isa::is_signed(type)) {
        std::int64_t const g = decode_signed(type, got);
        std::int64_t const w = decode_signed(type, want);
        error = g > w ? static_cast<std::uint64_t>(g) - static_cast<std::uint64_t>(w)
                      : static_cast<std::uint64_t>(w) - static_cast<std::uint64_t>(g);
        magnitude = std::fabs(static_cast<double>(w));
    } else {
        std::uint64_t const g = decode_bits(type, got);
        std::uint64_t const w = decode_bits(type, want);
        error = g > w ? g - w : w - g;
        magnitude = static_cast<double>(w);
    }
    auto const difference = static_cast<double>(error);
    return {error == 0 || difference <= tolerance.absolute + tolerance.relative * magnitude, difference};
}

std::string number(double value) { return to_text(Number::of(value)); }

}  // namespace

Comparison compare(Type type, std::span<std::byte const> got, std::span<std::byte const> want,
                   Tolerance tolerance) {
    constexpr std::size_t places = 5;
    std::size_t const size = size_of(type);
    bool const is_float = isa::is_float(type);
    Comparison result;
    result.count = want.size() / size;
    for (std::uint64_t i = 0; i < result.count; ++i) {
        std::byte const* const g = got.data() + i * size;
        std::byte const* const w = want.data() + i * size;
        if (std::memcmp(g, w, size) == 0) continue;
        Difference const d =
            is_float ? compare_floats(type, g, w, tolerance) : compare_integers(type, g, w, tolerance);
        if (d.passes) continue;
        if (result.first.size() < places) result.first.push_back(i);
        if (result.differing == 0 || d.error > result.largest_error) {
            result.largest_error = d.error;
            result.largest_at = i;
        }
        ++result.differing;
    }
    return result;
}

std::string report(std::string_view name, Type type, std::span<std::byte const> got,
                   std::span<std::byte const> want, Tolerance tolerance, Comparison const& comparison) {
    std::string const array(name);
    std::string text =
        std::to_string(comparison.differing) + " of " + std::to_string(comparison.count) +
        (comparison.count == 1 ? " element" : " elements") + (comparison.differing == 1 ? " differs" : " differ") +
        " (abs " + number(tolerance.absolute) + ", rel " + number(tolerance.relative) + "); largest error " +
        number(comparison.largest_error) + " at " + array + "[" + std::to_string(comparison.largest_at) + "]";
    for (std::uint64_t const i : comparison.first) {
        std::size_t const at = i * size_of(type);
        text += "\n  " + array + "[" + std::to_string(i) + "]: got " + to_text(type, got.data() + at) + ", want " +
                to_text(type, want.data() + at);
    }
    if (comparison.differing > comparison.first.size())
        text += "\n  ... and " + std::to_string(comparison.differing - comparison.first.size()) + " more";
    return text;
}

}  // namespace warpsim::plan
