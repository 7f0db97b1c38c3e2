// Typed values of a program that stands still, as C's and PTX's types have them.
#pragma once

#include "frontend/isa/types.hpp"
#include "runtime/debug/machine.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace warpsim::debug {

struct ValueType;
using TypePointer = std::shared_ptr<ValueType const>;

struct ValueType {
    enum class Kind : std::uint8_t { none, integer, character, boolean, floating, pointer, array, structure };
    struct Member {
        std::string name;
        TypePointer type;
        std::uint64_t offset = 0;
    };
    struct Enumerator {
        std::string name;
        std::int64_t value = 0;
    };
    Kind kind = Kind::none;
    std::string name;  // "unsigned int"; of a pointer and an array, that of its element says it
    std::uint64_t bytes = 0;
    bool is_signed = false;
    isa::Type format = isa::Type::none;              // of a floating one
    TypePointer element;                             // pointer, array; null: void
    std::uint64_t count = 0;                         // array
    sim::SpaceKind space = sim::SpaceKind::generic;  // in which a pointer's address is
    std::vector<Member> members;                     // structure
    std::vector<Enumerator> enumerators;             // integer
};

/// "float *", "int [4]".
std::string name_of(TypePointer const& type);

TypePointer integer_type(std::uint64_t bytes, bool is_signed);
TypePointer floating_type(isa::Type format);
TypePointer boolean_type();
TypePointer pointer_to(TypePointer element, sim::SpaceKind space = sim::SpaceKind::generic);
TypePointer array_of(TypePointer element, std::uint64_t count);
/// bN as signed integers: what registers of these types most often hold.
TypePointer type_of(isa::Type type);
/// "unsigned int", "size_t", "half", "f32", "b64"; null: none is called so.
TypePointer type_named(std::string const& name);

struct RegisterPlace {
    sim::Frame const* frame = nullptr;
    std::uint32_t which = 0;
};
/// Where a value can be changed.
using Place = std::variant<std::monostate, MemoryPlace, RegisterPlace>;

struct Value {
    TypePointer type;
    std::vector<std::byte> bytes;
    Place place;

    bool is_floating() const { return type->kind == ValueType::Kind::floating; }
    bool is_number() const;  // or a pointer
    std::uint64_t bits() const;
    std::int64_t integer() const;  // of an unsigned one, its bits
    double number() const;
    bool is_true() const;
};

Value integer_value(std::uint64_t value, TypePointer type);
Value floating_value(double value, TypePointer type);

enum class Format : std::uint8_t { natural, hexadecimal, decimal, unsigned_decimal, binary, character, floating };
std::optional<Format> format_of(char letter);

/// "3", "{1, 2 <repeats 3 times>}", "{x = 1, y = 2}"; arrays of more than `limit` elements end in "...".
std::string text_of(Value const& value, Format format = Format::natural, std::size_t limit = 200);

}  // namespace warpsim::debug
