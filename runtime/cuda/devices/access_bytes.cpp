// How many bytes of memory an instruction of x86-64 accesses: enough of its encoding to tell for what compilers make of loads,
// stores, and moves of memory ("Instruction Format" in the manuals of AMD and Intel). Of others the size of their operands.
#include "runtime/cuda/devices/host_faults.hpp"

#include <initializer_list>

namespace warpsim::cuda {

namespace {

enum class Prefix : std::uint8_t { none, operand, repeat, repeat_not };  // none, 66, F3, F2

struct Encoding {
    unsigned char opcode = 0;
    unsigned char more_opcode = 0;  // in the register field of ModRM; not where there is VEX or EVEX
    int map = 0;                    // 0: of one byte; 1: 0F; 2: 0F 38; 3: 0F 3A
    Prefix prefix = Prefix::none;
    bool is_wide = false;      // REX.W
    bool has_16 = false;       // 66 before it
    std::uint32_t vector = 0;  // bytes; 0: no VEX or EVEX
};

constexpr bool is_one_of(unsigned char opcode, std::initializer_list<int> those) {
    for (int const one : those)
        if (opcode == one) return true;
    return false;
}

constexpr Prefix prefix_of(unsigned bits) { return static_cast<Prefix>(bits & 3); }

Encoding decode(unsigned char const* at) {
    Encoding e;
    for (;; ++at) {
        if (*at == 0x66) e.has_16 = true, e.prefix = e.prefix == Prefix::none ? Prefix::operand : e.prefix;
        else if (*at == 0xf3) e.prefix = Prefix::repeat;
        else if (*at == 0xf2) e.prefix = Prefix::repeat_not;
        else if (!is_one_of(*at, {0x2e, 0x36, 0x3e, 0x26, 0x64, 0x65, 0x67, 0xf0})) break;
    }
    if (*at == 0xc5) {
        e.map = 1;
        e.prefix = prefix_of(at[1]);
        e.vector = (at[1] & 4) != 0 ? 32 : 16;
        e.opcode = at[2];
    } else if (*at == 0xc4) {
        e.map = at[1] & 0x1f;
        e.is_wide = (at[2] & 0x80) != 0;
        e.prefix = prefix_of(at[2]);
        e.vector = (at[2] & 4) != 0 ? 32 : 16;
        e.opcode = at[3];
    } else if (*at == 0x62) {
        e.map = at[1] & 7;
        e.is_wide = (at[2] & 0x80) != 0;
        e.prefix = prefix_of(at[2]);
        e.vector = 16u << ((at[3] >> 5) & 3);
        e.opcode = at[4];
    } else {
        if ((*at & 0xf0) == 0x40) e.is_wide = (*at++ & 8) != 0;
        if (*at == 0x0f) {
            e.map = *++at == 0x38 ? 2 : *at == 0x3a ? 3 : 1;
            if (e.map > 1) ++at;
        }
        e.opcode = *at;
        // String instructions end with their opcode.
        if (e.opcode == 0xff) e.more_opcode = at[1] >> 3 & 7;
    }
    return e;
}

std::uint32_t operand_bytes(Encoding const& e) { return e.is_wide ? 8 : e.has_16 ? 2 : 4; }

/// Of 0F: registers of 16 bytes and more, or parts of them; and what came later to the others.
std::uint32_t bytes_of_map_1(Encoding const& e) {
    unsigned char const op = e.opcode;
    std::uint32_t const whole = e.vector != 0 ? e.vector : 16;
    bool const is_one = e.prefix == Prefix::repeat || e.prefix == Prefix::repeat_not;
    std::uint32_t const one = e.prefix == Prefix::repeat ? 4 : 8;
    if (is_one_of(op, {0x12, 0x13, 0x16, 0x17, 0xd6}) || (op == 0x7e && e.prefix == Prefix::repeat)) return 8;
    if (op == 0x10 || op == 0x11 || (op >= 0x51 && op <= 0x5f)) return is_one ? one : whole;
    if (op == 0x2a || op == 0x6e || op == 0x7e) return e.is_wide ? 8 : 4;
    if (op == 0x2c || op == 0x2d) return is_one ? one : 8;
    if (op == 0x6f || op == 0x7f) return e.prefix == Prefix::none && e.vector == 0 ? 8 : whole;
    if (e.vector != 0) return whole;
    if (is_one_of(op, {0xb6, 0xbe, 0xb0, 0xc0}) || (op >= 0x90 && op <= 0x9f)) return 1;
    if (is_one_of(op, {0xb7, 0xbf})) return 2;
    if (op == 0xc7) return e.is_wide ? 16 : 8;
    bool const is_general = (op >= 0x40 && op <= 0x4f) || (op >= 0xa3 && op <= 0xc3) || op == 0x1f;
    return is_general ? operand_bytes(e) : whole;
}

std::uint32_t bytes_of_map_0(Encoding const& e) {
    unsigned char const op = e.opcode;
    bool const is_arithmetic = op < 0x40 && (op & 7) < 4;
    if (is_arithmetic) return (op & 1) == 0 ? 1 : operand_bytes(e);
    if (is_one_of(
            op, {0x80, 0x84, 0x86, 0x88, 0x8a, 0xa4, 0xa6, 0xaa, 0xac, 0xae, 0xc0, 0xc6, 0xd0, 0xd2, 0xf6, 0xfe}))
        return 1;
    if (is_one_of(op, {0x63, 0xd8, 0xd9, 0xda, 0xdb})) return 4;
    bool const is_of_stack = op == 0x8f || (op == 0xff && e.more_opcode >= 2);  // calls, jumps, push, pop
    if (is_one_of(op, {0xdc, 0xdd}) || is_of_stack) return 8;
    return operand_bytes(e);
}

}  // namespace

std::uint32_t bytes_of_access(unsigned char const* code) {
    Encoding const e = decode(code);
    if (e.map == 0) return bytes_of_map_0(e);
    if (e.map == 1) return bytes_of_map_1(e);
    bool const is_broadcast = e.map == 2 && e.vector != 0;
    if (is_broadcast && is_one_of(e.opcode, {0x78})) return 1;
    if (is_broadcast && is_one_of(e.opcode, {0x79})) return 2;
    if (is_broadcast && is_one_of(e.opcode, {0x18, 0x58})) return 4;
    if (is_broadcast && is_one_of(e.opcode, {0x19, 0x59})) return 8;
    bool const is_fused = is_broadcast && e.opcode >= 0x98 && e.opcode <= 0xbf && (e.opcode & 8) != 0;
    if (is_fused && (e.opcode & 1) != 0) return e.is_wide ? 8 : 4;              // of one number
    if (e.vector == 0 && e.map == 2 && (e.opcode == 0xf0 || e.opcode == 0xf1))  // movbe
        return operand_bytes(e);
    return e.vector != 0 ? e.vector : 16;
}

}  // namespace warpsim::cuda
