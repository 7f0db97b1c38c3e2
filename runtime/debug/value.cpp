#include "runtime/debug/value.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace warpsim::debug {

using isa::Type;
using Kind = ValueType::Kind;

namespace {

TypePointer make(ValueType type) { return std::make_shared<ValueType const>(std::move(type)); }

char const* integer_name(std::uint64_t bytes, bool is_signed) {
    switch (bytes) {
        case 1: return is_signed ? "signed char" : "unsigned char";
        case 2: return is_signed ? "short" : "unsigned short";
        case 4: return is_signed ? "int" : "unsigned int";
        case 8: return is_signed ? "long" : "unsigned long";
        default: return is_signed ? "__int128" : "unsigned __int128";
    }
}

float half_to_float(std::uint16_t bits, Type format) {
    if (format == Type::bf16) return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
    int const exponent = bits >> 10 & 31, fraction = bits & 1023;
    float const sign = (bits & 0x8000) != 0 ? -1.0f : 1.0f;
    if (exponent == 31) return fraction != 0 ? std::nanf("") : sign * INFINITY;
    return sign * (exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                 : std::ldexp(static_cast<float>(fraction + 1024), exponent - 25));
}

std::uint16_t float_to_half(double value, Type format) {
    if (format == Type::bf16) {
        std::uint32_t const bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
        if (std::isnan(value)) return 0x7fff;
        return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    }
    std::uint16_t const sign = std::signbit(value) ? 0x8000 : 0;
    double const magnitude = std::fabs(value);
    if (std::isnan(value)) return 0x7fff;
    if (magnitude >= 65520) return sign | 0x7c00;
    int exponent = 0;
    std::frexp(magnitude, &exponent);
    int const quantum = std::max(exponent - 11, -24);  // of the last bit
    auto const units = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, -quantum)));
    std::uint32_t const bits = units < 1024 ? units : (static_cast<std::uint32_t>(quantum + 24) << 10) + units;
    return static_cast<std::uint16_t>(sign | bits);
}

}  // namespace

namespace {

/// As cuda-gdb has it, and as it can be typed: "@shared ".
std::string space_prefix(sim::SpaceKind space) {
    if (space == sim::SpaceKind::shared) return "@shared ";
    if (space == sim::SpaceKind::local) return "@local ";
    return space == sim::SpaceKind::param_entry ? "@parameter " : "";
}

}  // namespace

std::string name_of(TypePointer const& type) {
    if (!type) return "void";
    if (type->kind == Kind::pointer) {
        std::string const element = name_of(type->element);
        std::string const space = space_prefix(type->space);
        return space + element + (element.ends_with('*') ? "*" : " *");
    }
    if (type->kind != Kind::array) return type->name;
    std::string counts;
    ValueType const* inner = type.get();
    for (;; inner = inner->element.get()) {
        counts += "[" + std::to_string(inner->count) + "]";
        if (!inner->element || inner->element->kind != Kind::array) break;
    }
    return name_of(inner->element) + " " + counts;
}

TypePointer integer_type(std::uint64_t bytes, bool is_signed) {
    return make({.kind = Kind::integer,
                 .name = integer_name(bytes, is_signed),
                 .bytes = bytes,
                 .is_signed = is_signed,
                 .element = {},
                 .members = {},
                 .enumerators = {}});
}

TypePointer floating_type(Type format) {
    std::string const name = format == Type::f64    ? "double"
                             : format == Type::f32  ? "float"
                             : format == Type::f16  ? "__half"
                             : format == Type::bf16 ? "__nv_bfloat16"
                                                    : std::string(isa::name(format));
    return make({.kind = Kind::floating,
                 .name = name,
                 .bytes = static_cast<std::uint64_t>(isa::width(format)) / 8,
                 .format = format,
                 .element = {},
                 .members = {},
                 .enumerators = {}});
}

TypePointer boolean_type() {
    return make(
        {.kind = Kind::boolean, .name = "bool", .bytes = 1, .element = {}, .members = {}, .enumerators = {}});
}

TypePointer pointer_to(TypePointer element, sim::SpaceKind space) {
    return make({.kind = Kind::pointer,
                 .name = {},
                 .bytes = 8,
                 .element = std::move(element),
                 .space = space,
                 .members = {},
                 .enumerators = {}});
}

TypePointer array_of(TypePointer element, std::uint64_t count) {
    std::uint64_t const bytes = element->bytes * count;
    return make({.kind = Kind::array,
                 .name = {},
                 .bytes = bytes,
                 .element = std::move(element),
                 .count = count,
                 .members = {},
                 .enumerators = {}});
}

TypePointer type_of(Type type) {
    if (type == Type::pred) return boolean_type();
    if (type == Type::f16 || type == Type::bf16 || type == Type::f32 || type == Type::f64)
        return floating_type(type);
    if (type == Type::f16x2) return array_of(floating_type(Type::f16), 2);
    if (type == Type::bf16x2) return array_of(floating_type(Type::bf16), 2);
    if (type == Type::f32x2) return array_of(floating_type(Type::f32), 2);
    if (type == Type::tf32) return floating_type(Type::f32);
    auto const bytes = static_cast<std::uint64_t>(std::max(isa::width(type) / 8, 1));
    return integer_type(bytes, !isa::is_integer(type) || isa::is_signed(type));
}

TypePointer type_named(std::string const& name) {
    struct Known {
        char const* name;
        std::uint64_t bytes;
        bool is_signed;
    };
    static constexpr std::array known{Known{"short", 2, true},
                                      Known{"int", 4, true},
                                      Known{"long", 8, true},
                                      Known{"long long", 8, true},
                                      Known{"unsigned", 4, false},
                                      Known{"unsigned int", 4, false},
                                      Known{"unsigned short", 2, false},
                                      Known{"unsigned long", 8, false},
                                      Known{"unsigned long long", 8, false},
                                      Known{"unsigned char", 1, false},
                                      Known{"signed char", 1, true},
                                      Known{"uchar", 1, false},
                                      Known{"ushort", 2, false},
                                      Known{"uint", 4, false},
                                      Known{"ulong", 8, false},
                                      Known{"size_t", 8, false},
                                      Known{"int8_t", 1, true},
                                      Known{"uint8_t", 1, false},
                                      Known{"int16_t", 2, true},
                                      Known{"uint16_t", 2, false},
                                      Known{"int32_t", 4, true},
                                      Known{"uint32_t", 4, false},
                                      Known{"int64_t", 8, true},
                                      Known{"uint64_t", 8, false},
                                      Known{"uintptr_t", 8, false},
                                      Known{"ptrdiff_t", 8, true}};
    for (Known const& k : known)
        if (name == k.name) return integer_type(k.bytes, k.is_signed);
    if (name == "char")
        return make({.kind = Kind::character,
                     .name = "char",
                     .bytes = 1,
                     .is_signed = true,
                     .element = {},
                     .members = {},
                     .enumerators = {}});
    if (name == "bool") return boolean_type();
    if (name == "float") return floating_type(Type::f32);
    if (name == "double") return floating_type(Type::f64);
    if (name == "half" || name == "__half") return floating_type(Type::f16);
    if (name == "__nv_bfloat16" || name == "bfloat16") return floating_type(Type::bf16);
    Type const ptx = isa::type_named(name.starts_with('.') ? name.substr(1) : name);
    return ptx != Type::none && isa::width(ptx) >= 8 ? type_of(ptx) : nullptr;
}

bool Value::is_number() const {
    return type->kind != Kind::array && type->kind != Kind::structure && type->kind != Kind::none;
}

std::uint64_t Value::bits() const {
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes.data(), std::min<std::size_t>(bytes.size(), 8));
    return bits;
}

std::int64_t Value::integer() const {
    if (is_floating()) return static_cast<std::int64_t>(number());
    std::uint64_t const raw = bits();
    if (!type->is_signed || type->bytes >= 8) return static_cast<std::int64_t>(raw);
    unsigned const shift = static_cast<unsigned>(64 - 8 * type->bytes);
    return static_cast<std::int64_t>(raw << shift) >> shift;
}

double Value::number() const {
    if (!is_floating()) return type->is_signed ? static_cast<double>(integer()) : static_cast<double>(bits());
    std::uint64_t const raw = bits();
    if (type->format == Type::f64) return std::bit_cast<double>(raw);
    if (type->format == Type::f32) return std::bit_cast<float>(static_cast<std::uint32_t>(raw));
    return half_to_float(static_cast<std::uint16_t>(raw), type->format);
}

bool Value::is_true() const { return is_floating() ? number() != 0 : bits() != 0; }

Value integer_value(std::uint64_t value, TypePointer type) {
    Value result{std::move(type), {}, {}};
    result.bytes.resize(result.type->bytes);
    std::memcpy(result.bytes.data(), &value, std::min<std::size_t>(result.bytes.size(), 8));
    if (result.bytes.size() > 8 && result.type->is_signed && static_cast<std::int64_t>(value) < 0)
        std::fill(result.bytes.begin() + 8, result.bytes.end(), std::byte{0xff});
    return result;
}

Value floating_value(double value, TypePointer type) {
    if (type->kind != Kind::floating)
        return integer_value(value < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value))
                                       : static_cast<std::uint64_t>(value),
                             std::move(type));
    std::uint64_t bits = 0;
    if (type->format == Type::f64) bits = std::bit_cast<std::uint64_t>(value);
    else if (type->format == Type::f32) bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    else bits = float_to_half(value, type->format);
    Value result{std::move(type), {}, {}};
    result.bytes.resize(result.type->bytes);
    std::memcpy(result.bytes.data(), &bits, result.bytes.size());
    return result;
}

}  // namespace warpsim::debug
