// Values as gdb prints them.
#include "runtime/debug/value.hpp"
#include "sim/hexadecimal.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

namespace warpsim::debug {

using isa::Type;
using Kind = ValueType::Kind;

std::optional<Format> format_of(char letter) {
    switch (letter) {
        case 'x': return Format::hexadecimal;
        case 'd': return Format::decimal;
        case 'u': return Format::unsigned_decimal;
        case 't': return Format::binary;
        case 'c': return Format::character;
        case 'f': return Format::floating;
        default: return std::nullopt;
    }
}

namespace {

template <class T> std::string shortest_text(T value) {
    std::array<char, 48> text;
    auto const end = std::to_chars(text.data(), text.data() + text.size(), value);
    return {text.data(), end.ptr};
}

std::string quoted(unsigned char c) {
    switch (c) {
        case 0: return "\\000";
        case '\n': return "\\n";
        case '\t': return "\\t";
        case '\r': return "\\r";
        case '\\': return "\\\\";
        case '\'': return "\\'";
        default: break;
    }
    if (c >= 32 && c < 127) return {static_cast<char>(c)};
    char text[8];
    std::snprintf(text, sizeof text, "\\%03o", c);
    return text;
}

std::string hexadecimal_of(std::vector<std::byte> const& bytes) {
    std::string digits;
    for (std::size_t i = bytes.size(); i-- > 0;) {
        char two[4];
        std::snprintf(two, sizeof two, "%02x", static_cast<unsigned>(bytes[i]));
        digits += two;
    }
    std::size_t const first = std::min(digits.find_first_not_of('0'), digits.size() - 1);
    return "0x" + digits.substr(first);
}

std::string binary_of(Value const& value) {
    std::string digits;
    for (std::uint64_t bits = value.bits(); bits != 0; bits >>= 1)
        digits.insert(digits.begin(), bits & 1 ? '1' : '0');
    return digits.empty() ? "0" : digits;
}

std::string floating_text(Value const& value) {
    if (value.type->format == Type::f64) return shortest_text(value.number());
    return shortest_text(static_cast<float>(value.number()));
}

/// The bits as a floating number of that size.
std::string as_floating(Value const& value) {
    if (value.is_floating()) return floating_text(value);
    Type const format = value.type->bytes == 8   ? Type::f64
                        : value.type->bytes == 4 ? Type::f32
                        : value.type->bytes == 2 ? Type::f16
                                                 : Type::none;
    if (format == Type::none) return shortest_text(value.integer());
    return floating_text({floating_type(format), value.bytes, {}});
}

std::string scalar_text(Value const& value, Format format) {
    ValueType const& type = *value.type;
    switch (format) {
        case Format::hexadecimal: return hexadecimal_of(value.bytes);
        case Format::binary: return binary_of(value);
        case Format::decimal: {
            if (value.is_floating()) return shortest_text(value.integer());
            Value const same{integer_type(type.bytes, true), value.bytes, {}};
            return shortest_text(same.integer());
        }
        case Format::unsigned_decimal:
            return shortest_text(value.is_floating() ? static_cast<std::uint64_t>(value.number()) : value.bits());
        case Format::character:
            return std::to_string(value.integer()) + " '" + quoted(static_cast<unsigned char>(value.bits())) + "'";
        case Format::floating: return as_floating(value);
        case Format::natural: break;
    }
    switch (type.kind) {
        case Kind::boolean: return value.is_true() ? "true" : "false";
        case Kind::character: return scalar_text(value, Format::character);
        case Kind::floating: return floating_text(value);
        case Kind::pointer: return "(" + name_of(value.type) + ") " + sim::hexadecimal(value.bits());
        case Kind::integer:
            for (ValueType::Enumerator const& e : type.enumerators)
                if (e.value == value.integer()) return e.name;
            if (type.bytes > 8) return hexadecimal_of(value.bytes);
            return type.is_signed ? shortest_text(value.integer()) : shortest_text(value.bits());
        default: return "void";
    }
}

std::string string_text(Value const& value) {
    std::string text = "\"";
    std::size_t length = value.bytes.size();
    while (length > 0 && value.bytes[length - 1] == std::byte{0}) --length;
    for (std::size_t i = 0; i < length; ++i) {
        auto const c = static_cast<unsigned char>(value.bytes[i]);
        text += c == '"' ? "\\\"" : c == '\'' ? "'" : quoted(c);
    }
    return text + "\"";
}

Value part_of(Value const& whole, TypePointer const& type, std::uint64_t offset) {
    auto const begin = whole.bytes.begin() + static_cast<std::ptrdiff_t>(offset);
    return {type, {begin, begin + static_cast<std::ptrdiff_t>(type->bytes)}, {}};
}

}  // namespace

std::string text_of(Value const& value, Format format, std::size_t limit) {
    if (value.type->kind == Kind::structure) {
        std::string text = "{";
        for (ValueType::Member const& m : value.type->members) {
            if (text.size() > 1) text += ", ";
            text +=
                (m.name.empty() ? "" : m.name + " = ") + text_of(part_of(value, m.type, m.offset), format, limit);
        }
        return text + "}";
    }
    if (value.type->kind != Kind::array) return scalar_text(value, format);
    TypePointer const& element = value.type->element;
    if (element->kind == Kind::character && format == Format::natural) return string_text(value);
    std::string text = "{";
    std::uint64_t const count = element->bytes == 0 ? 0 : value.bytes.size() / element->bytes;
    std::size_t shown = 0;
    for (std::uint64_t i = 0; i < count; ++shown) {
        if (text.size() > 1) text += ", ";
        if (shown == limit) return text + "...}";
        Value const one = part_of(value, element, i * element->bytes);
        std::uint64_t past = i + 1;
        while (past < count && part_of(value, element, past * element->bytes).bytes == one.bytes) ++past;
        text += text_of(one, format, limit);
        // As in gdb: from ten on it is shorter.
        if (past - i >= 10) {
            text += " <repeats " + std::to_string(past - i) + " times>";
            i = past;
        } else {
            ++i;
        }
    }
    return text + "}";
}

}  // namespace warpsim::debug
