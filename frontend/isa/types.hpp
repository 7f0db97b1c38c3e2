// The vocabulary of the PTX ISA that several stages share: types, state spaces, rounding, order and scope.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warpsim::isa {

// clang-format off
/// Fundamental and alternate types, in the spelling of PTX without the dot.
enum class Type : std::uint8_t {
    none,
    b8, b16, b32, b64, b128,
    u8, u16, u32, u64,
    s8, s16, s32, s64,
    f16, f16x2, bf16, bf16x2, tf32, f32, f32x2, f64,
    u16x2, s16x2, u8x4, s8x4,
    e4m3, e5m2, e2m3, e3m2, e2m1, e4m3x2, e5m2x2, e2m3x2, e3m2x2, e2m1x2, ue8m0x2, s2f6x2,
    e4m3x4, e5m2x4, e2m3x4, e3m2x4, e2m1x4,
    u2, s2, u4, s4, b1,
    pred,
    texref, samplerref, surfref,
    count,
};
// clang-format on

struct TypeFacts {
    std::string_view name;
    int width;
};

inline constexpr std::size_t type_count = static_cast<std::size_t>(Type::count);
inline constexpr std::array<TypeFacts, type_count> type_facts{{
    {"", 0},         {"b8", 8},      {"b16", 16},       {"b32", 32},    {"b64", 64},    {"b128", 128},
    {"u8", 8},       {"u16", 16},    {"u32", 32},       {"u64", 64},    {"s8", 8},      {"s16", 16},
    {"s32", 32},     {"s64", 64},    {"f16", 16},       {"f16x2", 32},  {"bf16", 16},   {"bf16x2", 32},
    {"tf32", 32},    {"f32", 32},    {"f32x2", 64},     {"f64", 64},    {"u16x2", 32},  {"s16x2", 32},
    {"u8x4", 32},    {"s8x4", 32},   {"e4m3", 8},       {"e5m2", 8},    {"e2m3", 6},    {"e3m2", 6},
    {"e2m1", 4},     {"e4m3x2", 16}, {"e5m2x2", 16},    {"e2m3x2", 16}, {"e3m2x2", 16}, {"e2m1x2", 8},
    {"ue8m0x2", 16}, {"s2f6x2", 16}, {"e4m3x4", 32},    {"e5m2x4", 32}, {"e2m3x4", 32}, {"e3m2x4", 32},
    {"e2m1x4", 16},  {"u2", 2},      {"s2", 2},         {"u4", 4},      {"s4", 4},      {"b1", 1},
    {"pred", 1},     {"texref", 0},  {"samplerref", 0}, {"surfref", 0},
}};
static_assert(type_facts.back().name == "surfref", "one entry per Type");

/// Bits of a value; 1 for pred, 0 for none and the opaque types.
constexpr int width(Type type) { return type_facts[static_cast<std::size_t>(type)].width; }
/// "u32"; "" for none.
constexpr std::string_view name(Type type) { return type_facts[static_cast<std::size_t>(type)].name; }
/// The type with this spelling (without the dot); none when there is no such type.
constexpr Type type_named(std::string_view spelling) {
    for (std::size_t i = 1; i < type_count; ++i) {
        if (type_facts[i].name == spelling) return static_cast<Type>(i);
    }
    return Type::none;
}

constexpr bool is_between(Type type, Type first, Type last) { return type >= first && type <= last; }
constexpr bool is_signed(Type type) {  // sN
    return is_between(type, Type::s8, Type::s64) || type == Type::s16x2 || type == Type::s8x4 ||
           type == Type::s4 || type == Type::s2;
}
constexpr bool is_integer(Type type) {  // uN, sN
    return is_signed(type) || is_between(type, Type::u8, Type::u64) || type == Type::u16x2 || type == Type::u8x4 ||
           type == Type::u4 || type == Type::u2;
}
constexpr bool is_packed_integer(Type type) { return is_between(type, Type::u16x2, Type::s8x4); }
constexpr bool is_float(Type type) {  // f16 ... f64 and the packed ones
    return is_between(type, Type::f16, Type::f64) || is_between(type, Type::e4m3, Type::e2m1x4);
}
constexpr bool is_untyped(Type type) {  // bN
    return is_between(type, Type::b8, Type::b128) || type == Type::b1;
}

// clang-format off
enum class StateSpace : std::uint8_t {
    generic, reg, sreg, constant, global, local, param, param_entry, param_func, shared, shared_cluster, texture,
};
// clang-format on
/// "global"; "" for generic.
std::string_view name(StateSpace space);

enum class Rounding : std::uint8_t { none, rn, rz, rm, rp, rna, rs, rni, rzi, rmi, rpi };

enum class Order : std::uint8_t { weak, relaxed, acquire, release, acq_rel, sc, volatile_, mmio };
enum class Scope : std::uint8_t { none, cta, cluster, gpu, sys };

/// The execution unit an instruction is issued to; the timing figures of a configuration are per unit.
enum class Unit : std::uint8_t {
    alu,
    fma,
    fp64,
    fp16,
    sfu,
    tensor,
    lsu,
    texture,
    branch,
    barrier,
    uniform,
    none,
    count
};
std::string_view name(Unit unit);

/// The classes of the statistics' `by_class`.
enum class InstructionClass : std::uint8_t {
    integer,
    fp32,
    fp64,
    fp16,
    sfu,
    tensor,
    load,
    store,
    atomic,
    control,
    barrier,
    other,
    count,
};
std::string_view name(InstructionClass c);

}  // namespace warpsim::isa
