// What the operands of a syntax line must be, as data that a chapter writes beside the line:
//
//     "shfl.sync.mode.b32 d[|p], a, b, c, membermask"
//     operands(with_predicate(out(first_type)), first_type, u32, u32, u32)
//
// Rows that compute lane by lane need none of this: their variants say the types.
#pragma once

#include "frontend/isa/types.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace warpsim::isa {

/// The values that a constant may have: from `first` to `last`, in steps or by doubling.
struct LegalValues {
    std::int16_t first = 0;
    std::int16_t last = 0;
    std::int16_t step = 0;  // 0: every value is legal
    bool doubles = false;   // each value is twice the one before it

    constexpr bool are_all() const { return step == 0; }
    constexpr bool allow(std::int64_t value) const {
        if (are_all()) return true;
        if (!doubles) return value >= first && value <= last && (value - first) % step == 0;
        for (std::int64_t legal = first; legal <= last; legal *= 2)
            if (legal == value) return true;
        return false;
    }
};
/// `0..3` or `4/8/16`; "" when every value is legal.
std::string text(LegalValues values);

enum class OperandKind : std::uint8_t {
    value,          // a register, or a constant where it is read; a list of registers where a length is given
    address,        // `[a]`: a register, variable or constant, or a sum of them
    sink,           // `_`
    pointer,        // an integer of 32 or 64 bits
    label,          // of an instruction
    targets,        // the label of a .branchtargets, .calltargets or .callprototype
    function,       // a function, or a register that holds one
    argument_list,  // `( ... )` of a call, or nothing
};

/// Where the type of a value comes from.
enum class TypeSource : std::uint8_t {
    fixed,    // OperandSpec::type
    first,    // the first written type; with a vector modifier, a list of as many elements
    carrier,  // as first, but a register of untyped bits holds anything of its size
    texel,    // as first, but b16 for f16, and any 32 bits for f32
    any,
};

/// What the variable of an address must be, or else the register.
enum class AddressKind : std::uint8_t {
    of_modifiers,  // in the space that the modifiers say
    generic,
    global,
    shared,
    texture,                // a .texref, or 64 bits
    surface,                // a .surfref, or 64 bits
    tensor_memory,          // a register of 32 bits
    tensor_memory_untyped,  // one of type .b32
};

enum class Direction : std::uint8_t { read, written, written_or_sink };

struct OperandSpec {
    OperandKind kind = OperandKind::value;
    TypeSource source = TypeSource::fixed;
    Type type = Type::none;
    AddressKind address = AddressKind::of_modifiers;
    Direction direction = Direction::read;
    std::uint8_t columns_divisor = 0;  // the list has as many registers as the shape has columns, divided by this
    std::uint16_t length = 0;          // of a list; 0: it has none of its own
    LegalValues values;                // of a constant
    bool is_constant : 1 = false;
    bool is_optional : 1 = false;
    bool has_predicate : 1 = false;     // `|` and a predicate follow, or may follow
    bool must_be_register : 1 = false;  // not a constant
    /// No value of another type is allowed, such as halves for a u32; ptxas allows these where the instruction
    /// names a type.
    bool is_strict : 1 = false;
    bool can_be_longer : 1 = false;  // more registers than the length are allowed
    bool can_be_value : 1 = false;   // a single value is allowed, too
    bool is_data : 1 = false;        // of a surface: registers of any kind that are wide enough together
    bool has_index : 1 = false;      // the first of the list is the index into an array, a u32
    bool is_part : 1 = false;        // is part of the brackets of the address before it

    constexpr OperandSpec() = default;
    constexpr OperandSpec(Type fixed_type) : type(fixed_type) {}
    constexpr OperandSpec(OperandKind of_kind) : kind(of_kind) {}
    constexpr OperandSpec(TypeSource from) : source(from) {}
    constexpr OperandSpec(AddressKind of_kind) : kind(OperandKind::address), address(of_kind) {}

    constexpr bool is_list() const { return length > 0 || columns_divisor > 0; }
    constexpr bool is_written() const { return direction != Direction::read; }
    /// With a vector modifier it is a list of as many elements.
    constexpr bool follows_vector() const {
        return kind == OperandKind::value && !is_constant &&
               (source == TypeSource::first || source == TypeSource::carrier || source == TypeSource::texel);
    }
};
/// As a chapter spells it: `out(list(4, b32))`.
std::string text(OperandSpec const& spec);

/// The operands of a line in order. The other parts of an address follow it.
struct OperandList {
    std::array<OperandSpec, 10> specs{};
    std::uint8_t count = 0;

    constexpr OperandSpec const* begin() const { return specs.data(); }
    constexpr OperandSpec const* end() const { return specs.data() + count; }
    constexpr OperandSpec const& operator[](std::size_t i) const { return specs[i]; }
    constexpr std::size_t size() const { return count; }
    constexpr bool empty() const { return count == 0; }
    constexpr void append(OperandSpec const& spec) { specs.at(count++) = spec; }
    constexpr void append(OperandList const& list) {
        for (OperandSpec const& spec : list) append(spec);
    }
};

/// The words that chapters write operands in.
namespace operand_words {

inline constexpr OperandSpec first_type = TypeSource::first;
inline constexpr OperandSpec carrier = TypeSource::carrier;
inline constexpr OperandSpec texel = TypeSource::texel;
inline constexpr OperandSpec any_type = TypeSource::any;

inline constexpr OperandSpec address = AddressKind::of_modifiers;
inline constexpr OperandSpec generic_address = AddressKind::generic;
inline constexpr OperandSpec global_address = AddressKind::global;
inline constexpr OperandSpec shared_address = AddressKind::shared;
inline constexpr OperandSpec texture_handle = AddressKind::texture;
inline constexpr OperandSpec surface_handle = AddressKind::surface;
inline constexpr OperandSpec tensor_address = AddressKind::tensor_memory;
inline constexpr OperandSpec untyped_tensor_address = AddressKind::tensor_memory_untyped;

inline constexpr OperandSpec sink = OperandKind::sink;
inline constexpr OperandSpec pointer = OperandKind::pointer;
inline constexpr OperandSpec label = OperandKind::label;
inline constexpr OperandSpec targets = OperandKind::targets;
inline constexpr OperandSpec function = OperandKind::function;
inline constexpr OperandSpec argument_list = OperandKind::argument_list;

constexpr OperandSpec out(OperandSpec spec) {
    spec.direction = Direction::written;
    return spec;
}
constexpr OperandSpec out_or_sink(OperandSpec spec) {
    spec.direction = Direction::written_or_sink;
    return spec;
}
/// `{, x}` in the line.
constexpr OperandSpec optional(OperandSpec spec) {
    spec.is_optional = true;
    return spec;
}
/// `x|p` and `x[|p]` in the line.
constexpr OperandSpec with_predicate(OperandSpec spec) {
    spec.has_predicate = true;
    return spec;
}
constexpr OperandSpec in_register(OperandSpec spec) {
    spec.must_be_register = true;
    return spec;
}

constexpr OperandSpec strictly(OperandSpec spec) {
    spec.is_strict = true;
    return spec;
}

// ---- lists ----

/// The number after the n of a shape such as .m64n32k16. A list may have a fraction of it as its length: `columns
/// / 2`.
struct Columns {
    std::uint8_t divisor = 1;
    constexpr Columns operator/(int by) const { return {static_cast<std::uint8_t>(divisor * by)}; }
};
inline constexpr Columns columns{};

constexpr OperandSpec list(int length, OperandSpec element) {
    element.length = static_cast<std::uint16_t>(length);
    return element;
}
constexpr OperandSpec list(Columns length, OperandSpec element) {
    element.columns_divisor = length.divisor;
    return element;
}
/// An offset in a texture: a list, which may be longer than needed, or one value.
constexpr OperandSpec offset(int length) {
    OperandSpec spec = list(length, Type::s32);
    spec.can_be_value = true;
    return spec;
}
/// What a surface instruction loads or stores.
constexpr OperandSpec data(OperandSpec spec) {
    spec.is_data = true;
    return spec;
}

// ---- constants ----

constexpr LegalValues between(int first, int last) {
    return {static_cast<std::int16_t>(first), static_cast<std::int16_t>(last), 1, false};
}
constexpr LegalValues powers_of_two(int first, int last) {
    return {static_cast<std::int16_t>(first), static_cast<std::int16_t>(last), 1, true};
}
constexpr LegalValues multiples_of(int step, int first, int last) {
    return {static_cast<std::int16_t>(first), static_cast<std::int16_t>(last), static_cast<std::int16_t>(step),
            false};
}
/// 1 or -1.
inline constexpr LegalValues either_sign = multiples_of(2, -1, 1);

constexpr OperandSpec constant(Type type) {
    OperandSpec spec = type;
    spec.is_constant = true;
    return spec;
}
constexpr OperandSpec constant(LegalValues values) {
    OperandSpec spec = constant(Type::b32);
    spec.values = values;
    return spec;
}
constexpr OperandSpec constant(int value) { return constant(between(value, value)); }
/// A register, or a constant with one of these values.
constexpr OperandSpec limited(OperandSpec spec, LegalValues values) {
    spec.values = values;
    return spec;
}

// ---- addresses of several parts: `[a, b, c]` ----

/// A list of coordinates, which may be longer than needed.
constexpr OperandSpec coordinates(int length, Type type) {
    OperandSpec spec = list(length, type);
    spec.can_be_longer = true;
    return spec;
}
/// The same after the index into an array.
constexpr OperandSpec indexed_coordinates(int length, Type type) {
    OperandSpec spec = coordinates(length, type);
    spec.has_index = true;
    return spec;
}
template <class... Parts> constexpr OperandList brackets(OperandSpec first, Parts const&... parts) {
    OperandList list;
    list.append(first);
    auto const append_part = [&](OperandSpec part) {
        part.is_part = true;
        list.append(part);
    };
    (append_part(parts), ...);
    return list;
}

namespace detail {
constexpr void append(OperandList& list, OperandList const& more) { list.append(more); }
constexpr void append(OperandList& list, OperandSpec const& spec) { list.append(spec); }
}  // namespace detail

/// All operands of a line; an argument is one spec, the brackets of an address, or a list of several specs.
template <class... Specs> constexpr OperandList operands(Specs const&... specs) {
    OperandList list;
    (detail::append(list, specs), ...);
    return list;
}

}  // namespace operand_words
}  // namespace warpsim::isa
