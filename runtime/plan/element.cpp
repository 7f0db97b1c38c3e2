#include "runtime/plan/element.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace warpsim::plan {

namespace {

constexpr std::array types{Type::u8,  Type::s8,  Type::u16, Type::s16,  Type::u32, Type::s32,
                           Type::u64, Type::s64, Type::f16, Type::bf16, Type::f32, Type::f64};

// The layout of a binary floating-point format that has an infinity.
struct Format {
    int exponent_bits;
    int fraction_bits;
};

constexpr Format half{5, 10};
constexpr Format brain{8, 7};

// Scaling by powers of two is exact, so nearbyint() does the only rounding, to nearest even. Subnormals have the
// exponent of the smallest normal number.
std::uint16_t encode_small(double value, Format f) {
    int const bias = (1 << (f.exponent_bits - 1)) - 1;
    unsigned const infinity = ((1u << f.exponent_bits) - 1) << f.fraction_bits;
    unsigned const sign = std::signbit(value) ? 0x8000u : 0u;
    if (std::isnan(value)) return static_cast<std::uint16_t>(0x7fffu);
    double const magnitude = std::fabs(value);
    if (std::isinf(magnitude)) return static_cast<std::uint16_t>(sign | infinity);
    int exponent = 1 - bias;
    if (magnitude > 0) exponent = std::max(exponent, std::ilogb(magnitude));
    auto const scaled =
        static_cast<unsigned long>(std::nearbyint(std::ldexp(magnitude, f.fraction_bits - exponent)));
    // A carry out of the fraction goes into the exponent field, as it should.
    unsigned long const biased = static_cast<unsigned long>(exponent + bias - 1) << f.fraction_bits;
    unsigned long const bits = biased + scaled;
    return static_cast<std::uint16_t>(sign | std::min<unsigned long>(bits, infinity));
}

double decode_small(std::uint16_t bits, Format f) {
    int const bias = (1 << (f.exponent_bits - 1)) - 1;
    int const field = (bits >> f.fraction_bits) & ((1 << f.exponent_bits) - 1);
    int const fraction = bits & ((1 << f.fraction_bits) - 1);
    double value = 0;
    if (field == (1 << f.exponent_bits) - 1)
        value = fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
    else if (field == 0) value = std::ldexp(fraction, 1 - bias - f.fraction_bits);
    else value = std::ldexp(fraction + (1 << f.fraction_bits), field - bias - f.fraction_bits);
    return (bits & 0x8000) != 0 ? -value : value;
}

template <class T> void store(std::byte* to, T value) { std::memcpy(to, &value, sizeof value); }

template <class T> T load(std::byte const* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

// Rounds to the type; the stored bytes decode to a finite value exactly when the number fits.
std::string encode_float(Number const& number, Type type, std::byte* to) {
    double const value = number.as_double();
    switch (type) {
        case Type::f16: store(to, encode_small(value, half)); break;
        case Type::bf16: store(to, encode_small(value, brain)); break;
        case Type::f32:
            // A 64-bit integer is rounded once, not twice by way of a double.
            if (number.is_real) store(to, static_cast<float>(value));
            else
                store(to, number.negative ? -static_cast<float>(number.magnitude)
                                          : static_cast<float>(number.magnitude));
            break;
        default: store(to, value); break;
    }
    if (std::isfinite(value) && !std::isfinite(decode_float(type, to)))
        return to_text(number) + " is out of range for " + std::string(isa::name(type));
    return {};
}

std::string encode_integer(Number number, Type type, IntegerRange range, std::byte* to) {
    std::string const name(isa::name(type));
    if (number.is_real) {
        double const value = number.real;
        if (!std::isfinite(value) || value != std::trunc(value))
            return to_text(number) + " is not an integer, as " + name + " wants";
        if (std::fabs(value) >= 18446744073709551616.0) return to_text(number) + " is out of range for " + name;
        number.negative = value < 0;
        number.magnitude = static_cast<std::uint64_t>(std::fabs(value));
    }
    int const bits = isa::width(type);
    std::uint64_t const half_range = std::uint64_t{1} << (bits - 1);
    std::uint64_t const largest_unsigned = half_range - 1 + half_range;
    bool const is_signed = isa::is_signed(type);
    std::uint64_t const highest = is_signed ? half_range - 1 : largest_unsigned;
    std::uint64_t const lowest = is_signed || range == IntegerRange::twos_complement ? half_range : 0;
    if (number.magnitude > (number.negative ? lowest : highest)) {
        std::string text = to_text(number) + " is out of range for " + name + " (";
        text += lowest == 0 ? "0" : "-" + std::to_string(lowest);
        return text + " to " + std::to_string(highest) + ")";
    }
    std::uint64_t const value = number.negative ? 0 - number.magnitude : number.magnitude;
    std::memcpy(to, &value, static_cast<std::size_t>(bits) / 8);
    return {};
}

template <class T> std::string shortest(T value) {
    if (std::isnan(value)) return "nan";
    std::array<char, 64> text{};
    auto const [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
    return {text.data(), end};
}

}  // namespace

Number Number::integer(std::int64_t value) {
    Number n;
    n.negative = value < 0;
    n.magnitude = n.negative ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    return n;
}

Number Number::of(double value) {
    Number n;
    n.is_real = true;
    n.real = value;
    return n;
}

double Number::as_double() const {
    if (is_real) return real;
    auto const value = static_cast<double>(magnitude);
    return negative ? -value : value;
}

std::string to_text(Number const& number) {
    if (number.is_real) return shortest(number.real);
    return (number.negative ? "-" : "") + std::to_string(number.magnitude);
}

std::optional<Number> number_of_word(std::string_view word) {
    if (word == "nan" || word == "-nan") return Number::of(std::numeric_limits<double>::quiet_NaN());
    if (word == "inf" || word == "+inf") return Number::of(std::numeric_limits<double>::infinity());
    if (word == "-inf") return Number::of(-std::numeric_limits<double>::infinity());
    Number n;
    n.negative = word.starts_with('-');
    if (n.negative) word.remove_prefix(1);
    if (!word.starts_with("0x") && !word.starts_with("0X")) return std::nullopt;
    word.remove_prefix(2);
    auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), n.magnitude, 16);
    if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
    return n;
}

std::optional<Number> number_of_text(std::string_view text) {
    if (auto word = number_of_word(text)) return word;
    if (text.starts_with('+')) text.remove_prefix(1);
    if (text.empty()) return std::nullopt;
    char const* const last = text.data() + text.size();
    Number n;
    n.negative = text.starts_with('-');
    char const* const digits = text.data() + (n.negative ? 1 : 0);
    if (auto const [end, error] = std::from_chars(digits, last, n.magnitude); error == std::errc{} && end == last)
        return n;
    // from_chars also reads "infinity" and "nan(...)"; the only words that are numbers are those above.
    if (digits == last || ((*digits < '0' || *digits > '9') && *digits != '.')) return std::nullopt;
    double value = 0;
    if (auto const [end, error] = std::from_chars(text.data(), last, value); error != std::errc{} || end != last)
        return std::nullopt;
    return Number::of(value);
}

std::span<Type const> array_types() { return types; }

Type array_type(std::string_view name) {
    for (Type const t : types)
        if (isa::name(t) == name) return t;
    return Type::none;
}

std::string encode(Number const& number, Type type, IntegerRange range, std::byte* to) {
    if (isa::is_float(type)) return encode_float(number, type, to);
    if (isa::is_untyped(type) && number.is_real) {
        // For a parameter of type .bN, a fraction or exponent means the float of that width.
        switch (isa::width(type)) {
            case 16: return encode_float(number, Type::f16, to);
            case 32: return encode_float(number, Type::f32, to);
            case 64: return encode_float(number, Type::f64, to);
            default: return "there is no floating-point number of " + std::to_string(isa::width(type)) + " bits";
        }
    }
    return encode_integer(number, type, range, to);
}

double decode_float(Type type, std::byte const* from) {
    switch (type) {
        case Type::f16: return decode_small(load<std::uint16_t>(from), half);
        case Type::bf16: return decode_small(load<std::uint16_t>(from), brain);
        case Type::f32: return static_cast<double>(load<float>(from));
        default: return load<double>(from);
    }
}

std::uint64_t decode_bits(Type type, std::byte const* from) {
    std::uint64_t value = 0;
    std::memcpy(&value, from, size_of(type));
    return value;
}

std::int64_t decode_signed(Type type, std::byte const* from) {
    int const unused = 64 - isa::width(type);
    return static_cast<std::int64_t>(decode_bits(type, from) << unused) >> unused;
}

std::string to_text(Type type, std::byte const* from) {
    // The shortest float that equals this half may not read back as the same half through a double; all digits do.
    if (type == Type::f64) return shortest(decode_float(type, from));
    if (isa::is_float(type)) return shortest(static_cast<float>(decode_float(type, from)));
    if (isa::is_signed(type)) return std::to_string(decode_signed(type, from));
    return std::to_string(decode_bits(type, from));
}

}  // namespace warpsim::plan
