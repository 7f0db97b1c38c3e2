// The numbers of a plan and the element types of its arrays: encoding with range checks, decoding, printing.
#pragma once

#include "frontend/isa/types.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::plan {

using isa::Type;

/// A number as it was written: a sign and 64 bits of an integer, or a real.
struct Number {
    bool is_real = false;         // written with a fraction or an exponent, or nan or inf
    bool negative = false;        // of an integer
    std::uint64_t magnitude = 0;  // of an integer, without the sign
    double real = 0;              // of a real

    static Number integer(std::int64_t value);
    static Number of(double value);
    double as_double() const;
};
std::string to_text(Number const& number);

/// "nan", "inf", "-inf", "0x1f", "-0x1f"; none for any other word.
std::optional<Number> number_of_word(std::string_view word);
/// One of the words above or a decimal number, taking up all of `text`.
std::optional<Number> number_of_text(std::string_view text);

/// The types that an array may have: u8 s8 u16 s16 u32 s32 u64 s64 f16 bf16 f32 f64.
std::span<Type const> array_types();
/// Type::none when `name` is not one of them.
Type array_type(std::string_view name);
inline std::size_t size_of(Type type) { return static_cast<std::size_t>(isa::width(type)) / 8; }

/// Whether a number must fit the type exactly, or may be the two's complement of a negative number: C's `int`
/// reaches PTX as .u32, so arguments are treated leniently.
enum class IntegerRange : std::uint8_t { exact, twos_complement };

/// Writes the little-endian bytes of `number` as a `type` (any of u s b f bf16), rounded to nearest even, to `to`.
/// Returns what is wrong, or "".
std::string encode(Number const& number, Type type, IntegerRange range, std::byte* to);

double decode_float(Type type, std::byte const* from);
/// The bits, zero-extended.
std::uint64_t decode_bits(Type type, std::byte const* from);
std::int64_t decode_signed(Type type, std::byte const* from);
/// The shortest text that reads back as the same value.
std::string to_text(Type type, std::byte const* from);

}  // namespace warpsim::plan
