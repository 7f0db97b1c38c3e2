#include "frontend/isa/types.hpp"

#include "frontend/isa/row.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

namespace warpsim::isa {
namespace {

struct TypeFacts {
    std::string_view name;
    int width;
};

constexpr std::size_t type_count = static_cast<std::size_t>(Type::count);
constexpr std::array<TypeFacts, type_count> type_facts{{
    {"", 0},        {"b8", 8},      {"b16", 16},    {"b32", 32},    {"b64", 64},     {"b128", 128},
    {"u8", 8},      {"u16", 16},    {"u32", 32},    {"u64", 64},    {"s8", 8},       {"s16", 16},
    {"s32", 32},    {"s64", 64},    {"f16", 16},    {"f16x2", 32},  {"bf16", 16},    {"bf16x2", 32},
    {"tf32", 32},   {"f32", 32},    {"f32x2", 64},  {"f64", 64},    {"u16x2", 32},   {"s16x2", 32},
    {"e4m3", 8},    {"e5m2", 8},    {"e2m3", 6},    {"e3m2", 6},    {"e2m1", 4},     {"e4m3x2", 16},
    {"e5m2x2", 16}, {"e2m3x2", 16}, {"e3m2x2", 16}, {"e2m1x2", 8},  {"ue8m0x2", 16}, {"e4m3x4", 32},
    {"e5m2x4", 32}, {"e2m3x4", 32}, {"e3m2x4", 32}, {"e2m1x4", 16}, {"u2", 2},       {"s2", 2},
    {"u4", 4},      {"s4", 4},      {"b1", 1},      {"pred", 1},    {"texref", 0},   {"samplerref", 0},
    {"surfref", 0},
}};
static_assert(type_facts.back().name == "surfref", "one entry per Type");

constexpr bool between(Type type, Type first, Type last) { return type >= first && type <= last; }

}  // namespace

int width(Type type) { return type_facts[static_cast<std::size_t>(type)].width; }

std::string_view name(Type type) { return type_facts[static_cast<std::size_t>(type)].name; }

Type type_named(std::string_view spelling) {
    for (std::size_t i = 1; i < type_count; ++i) {
        if (type_facts[i].name == spelling) return static_cast<Type>(i);
    }
    return Type::none;
}

bool is_signed(Type type) {
    return between(type, Type::s8, Type::s64) || type == Type::s16x2 || type == Type::s4 || type == Type::s2;
}

bool is_integer(Type type) {
    return is_signed(type) || between(type, Type::u8, Type::u64) || type == Type::u16x2 || type == Type::u4 ||
           type == Type::u2;
}

bool is_float(Type type) { return between(type, Type::f16, Type::f64) || between(type, Type::e4m3, Type::e2m1x4); }

bool is_untyped(Type type) { return between(type, Type::b8, Type::b128) || type == Type::b1; }

std::string_view name(StateSpace space) {
    switch (space) {
        case StateSpace::generic: return "";
        case StateSpace::reg: return "reg";
        case StateSpace::sreg: return "sreg";
        case StateSpace::constant: return "const";
        case StateSpace::global: return "global";
        case StateSpace::local: return "local";
        case StateSpace::param: return "param";
        case StateSpace::param_entry: return "param::entry";
        case StateSpace::param_func: return "param::func";
        case StateSpace::shared: return "shared";
        case StateSpace::shared_cluster: return "shared::cluster";
        case StateSpace::texture: return "tex";
    }
    return "";
}

std::string_view name(Unit unit) {
    switch (unit) {
        case Unit::alu: return "alu";
        case Unit::fma: return "fma";
        case Unit::fp64: return "fp64";
        case Unit::fp16: return "fp16";
        case Unit::sfu: return "sfu";
        case Unit::tensor: return "tensor";
        case Unit::lsu: return "lsu";
        case Unit::texture: return "texture";
        case Unit::branch: return "branch";
        case Unit::barrier: return "barrier";
        case Unit::uniform: return "uniform";
        case Unit::none: return "none";
        case Unit::count: break;
    }
    return "";
}

std::string_view name(InstructionClass c) {
    switch (c) {
        case InstructionClass::integer: return "int";
        case InstructionClass::fp32: return "fp32";
        case InstructionClass::fp64: return "fp64";
        case InstructionClass::fp16: return "fp16";
        case InstructionClass::sfu: return "sfu";
        case InstructionClass::tensor: return "tensor";
        case InstructionClass::load: return "load";
        case InstructionClass::store: return "store";
        case InstructionClass::atomic: return "atomic";
        case InstructionClass::control: return "control";
        case InstructionClass::barrier: return "barrier";
        case InstructionClass::other: return "other";
        case InstructionClass::count: break;
    }
    return "";
}

namespace {

/// Targets of one family run the code of its lower members: the tens digit tells, sm_101 was renamed sm_110.
int family_of(int sm) { return sm == 101 ? 11 : sm / 10; }

bool names_target(std::string_view word, int sm, char suffix) {
    int first = 0;
    auto const rest = std::from_chars(word.data(), word.data() + word.size(), first);
    char const kind = rest.ptr == word.data() + word.size() ? '\0' : *rest.ptr;
    if (kind == 'a') return sm == first && suffix == 'a';
    if (kind == 'f') return suffix != 0 && family_of(sm) == family_of(first) && sm >= first;
    int last = first;
    if (kind == '-') std::from_chars(rest.ptr + 1, word.data() + word.size(), last);
    return sm >= first && sm <= last;
}

}  // namespace

bool Since::allows(int sm, char suffix) const {
    if (only.empty()) return sm >= target;
    for (std::size_t at = 0; at < only.size();) {
        std::size_t const end = std::min(only.find(' ', at), only.size());
        if (names_target(only.substr(at, end - at), sm, suffix)) return true;
        at = end + 1;
    }
    return false;
}

bool is_access(Effect effect) {
    switch (effect) {
        case Effect::load:
        case Effect::store:
        case Effect::atomic:
        case Effect::reduction:
        case Effect::store_async:
        case Effect::reduce_async:
        case Effect::copy_async:
        case Effect::copy_bulk:
        case Effect::copy_tensormap:
        case Effect::cancel_launch: return true;
        default: return false;
    }
}

bool synchronises(Effect effect) {
    switch (effect) {
        case Effect::barrier:
        case Effect::cluster_barrier:
        case Effect::mbarrier:
        case Effect::commit_copies:
        case Effect::wait_copies:
        case Effect::arrive_copies: return true;
        default: return false;
    }
}

}  // namespace warpsim::isa
