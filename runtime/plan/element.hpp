// Numbers of a plan and the element types of its arrays: encoding with range checks, decoding, printing.
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

/// A number as it was written: an integer of 64 bits and a sign, or a real.
struct Number {
    bool is_real = false;         // written with a fraction or an exponent, or nan or inf
    bool negative = false;        // of an integer
    std::uint64_t magnitude = 0;  // of an integer: without the sign
    double real = 0;              // of a real

    static Number integer(std::int64_t value);
    static Number of(double value);
    double as_double() const;
};
std::string to_text(Number const& number);

/// "nan", "inf", "-inf", "0x1f", "-0x1f"; none for any other word.
std::optional<Number> number_of_word(std::string_view word);
/// The words above and decimal numbers: all of `text` must be one.
std::optional<Number> number_of_text(std::string_view text);

/// The types an array may have: u8 s8 u16 s16 u32 s32 u64 s64 f16 bf16 f32 f64.
std::span<Type const> array_types();
/// none when `name` is not one of them.
Type array_type(std::string_view name);
inline std::size_t size_of(Type type) { return static_cast<std::size_t>(isa::width(type)) / 8; }

/// Whether a number must fit the type as it is, or may be the two's complement of a negative one: C's `int`
/// reaches PTX as .u32, so arguments are taken leniently.
enum class Range : std::uint8_t { exact, twos_complement };

/// The little-endian bytes of `number` as a `type` (any of u s b f bf16), rounded to nearest even, written to
/// `to`. What is wrong, or "" when all is well.
std::string encode(Number const& number, Type type, Range range, std::byte* to);

double decode_float(Type type, std::byte const* from);
/// Zero-extended bits.
std::uint64_t decode_bits(Type type, std::byte const* from);
std::int64_t decode_signed(Type type, std::byte const* from);
/// Shortest text that reads back as the same value.
std::string to_text(Type type, std::byte const* from);

}  // namespace warpsim::plan
