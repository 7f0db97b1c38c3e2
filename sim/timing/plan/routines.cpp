#include "sim/timing/plan/routines.hpp"

#include "frontend/isa/operation.hpp"
#include "sim/timing/plan/lane_checks.hpp"
#include "sim/timing/plan/operations.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>

namespace warpsim::timing {

namespace {

using O = isa::Operation;
using T = isa::Type;
using isa::Bases;
using isa::Operands;

enum class Rarity : std::uint8_t { none, special, scaled };

template <class Judge> RareLanes judge_lanes(Judge const& judge) {
    RareLanes rare;
    for (int lane = 0; lane < isa::warp_size; ++lane) {
        Rarity const rarity = judge(lane);
        if (rarity == Rarity::special) rare.special |= isa::LaneMask{1} << lane;
        if (rarity == Rarity::scaled) rare.scaled |= isa::LaneMask{1} << lane;
    }
    return rare;
}

int exponent(std::uint32_t bits) { return static_cast<int>(bits >> 23 & 0xff); }
bool is_special(std::uint32_t bits) { return exponent(bits) == 0xff || (bits & 0x7fffffff) == 0; }
std::uint32_t upper_word(std::uint64_t bits) { return static_cast<std::uint32_t>(bits >> 32); }
bool is_special(std::uint64_t bits) {
    return (upper_word(bits) & 0x7ff00000) == 0x7ff00000 || (bits & 0x7fffffffffffffff) == 0;
}
template <class Bits> Rarity rarity(bool is_rare, Bits bits) {
    return !is_rare ? Rarity::none : is_special(bits) ? Rarity::special : Rarity::scaled;
}

/// FCHK's rule is not published. Here it is what the sequence needs that follows it: a reciprocal, a quotient and a remainder
/// that are normal numbers.
RareLanes of_div_f32(Bases bases, Operands const& o) {
    auto const* const a = isa::column<std::uint32_t>(bases, o.slot[1]);
    auto const* const b = isa::column<std::uint32_t>(bases, o.slot[2]);
    return judge_lanes([&](int lane) {
        if (is_special(a[lane]) || is_special(b[lane])) return Rarity::special;
        int const n = exponent(a[lane]), d = exponent(b[lane]);
        bool const is_usual = n > 24 && d != 0 && d < 253 && n - d < 126 && n - d > -126;
        return is_usual ? Rarity::none : Rarity::scaled;
    });
}

// What the instructions in front of the branches of ptxas's code ask, of the operands alone.
RareLanes of_rcp_f32(Bases bases, Operands const& o) {
    auto const* const a = isa::column<std::uint32_t>(bases, o.slot[1]);
    return judge_lanes(
        [&](int lane) { return rarity(((a[lane] + 0x1800000) & 0x7f800000) <= 0x1ffffff, a[lane]); });
}
RareLanes of_sqrt_f32(Bases bases, Operands const& o) {
    auto const* const a = isa::column<std::uint32_t>(bases, o.slot[1]);
    return judge_lanes([&](int lane) { return rarity(a[lane] - 0xd000000 > 0x727fffff, a[lane]); });
}
RareLanes of_rcp_f64(Bases bases, Operands const& o) {
    auto const* const a = isa::column<std::uint64_t>(bases, o.slot[1]);
    return judge_lanes(
        [&](int lane) { return rarity(((upper_word(a[lane]) + 0x300402) & 0x7fffffff) < 0x400402, a[lane]); });
}
RareLanes of_sqrt_f64(Bases bases, Operands const& o) {
    auto const* const a = isa::column<std::uint64_t>(bases, o.slot[1]);
    return judge_lanes([&](int lane) { return rarity(upper_word(a[lane]) - 0x3500000 >= 0x7ca00000, a[lane]); });
}
RareLanes of_rsqrt_f64(Bases bases, Operands const& o) {
    auto const* const a = isa::column<std::uint64_t>(bases, o.slot[1]);
    return judge_lanes([&](int lane) { return rarity(upper_word(a[lane]) - 0x100000 >= 0x7fe00000, a[lane]); });
}
/// It looks at the dividend and at the quotient that the usual path has got.
RareLanes of_div_f64(Bases bases, Operands const& o) {
    auto const* const a = isa::column<std::uint64_t>(bases, o.slot[1]);
    auto const* const b = isa::column<std::uint64_t>(bases, o.slot[2]);
    return judge_lanes([&](int lane) {
        constexpr std::uint32_t sign = 0x80000000, least_dividend = 0x3600000, least = 0x100000,
                                infinite = 0x7f800000;
        std::uint32_t const quotient = upper_word(std::bit_cast<std::uint64_t>(std::bit_cast<double>(a[lane]) /
                                                                               std::bit_cast<double>(b[lane]))) &
                                       ~sign;
        bool const is_usual = (upper_word(a[lane]) & ~sign) >= least_dividend && quotient > least &&
                              quotient <= infinite && (upper_word(b[lane]) & ~sign) < infinite;
        return rarity(!is_usual, is_special(b[lane]) ? b[lane] : a[lane]);
    });
}

// As ptxas 13.0 makes them for sm_80; for others they differ by three instructions at most. What is executed is the way of a
// zero, and of a number whose exponent is out of range. What several calls take depends on where operands lie: these are means.
// clang-format off
constexpr Routine routines[] = {
    {O::div, T::f32, false, 106, 2, 5,
     "AbABAFAFAAAaaFbAAabAbAAAbAabABBFFFb", "AbABAFAFAAAaaFbABAFAFSFFfffffffaafaabfBBBFFFb", of_div_f32},
    {O::div, T::f32, true, 76, 2, 5,
     "AbABAFAFAAAaaFbAAabAbAAAbAabABBFFFb", "AbABAFAFAAAaaFbABAFAFSFFfffffffaafaabfBBBFFFb", of_div_f32},
    {O::rcp, T::f32, false, 54, 4, 5, "AbFBFBAabFaFSsffffBBFFFb", "AbFBFBAabFaFSsffffBBFFFb", of_rcp_f32},
    {O::rcp, T::f32, true, 28, 4, 5, "AbFBABaaSbBFFFb", "AbFBABaaSbAaAaFabAAaaFaAFBBFFFb", of_rcp_f32},
    {O::sqrt, T::f32, false, 23, 4, 5, "AbFBAFbFFFb", "AbFBAFbAFbAFbAfsffFFfffFFFb", of_sqrt_f32},
    {O::sqrt, T::f32, true, 23, 4, 5, "AbFBAFbFFFb", "AbFBAFbAFbAFbAfsffFFfffFFFb", of_sqrt_f32},
    {O::div, T::f64, false, 93, 4, 8,
     "AbFFAFAFAFAFABADAAFsAAAAAAdDddFAFAdAdAAdAddbDbDbAFFbAAAAFFFBBFFb",
     "AbFFAFAFAFAFABADAAFsAAAAAAdDddFAFAdAdAAdAddbAaAaaaaFadabBFFb", of_div_f64},
    {O::rcp, T::f64, false, 42, 4, 7, "AaFbDBbAaaAFbBFFFFb", "AaFbDBbAaaAAbDFsddddddFBBFFFFb", of_rcp_f64},
    {O::sqrt, T::f64, false, 43, 2, 10, "FbABFbDbdBAFFFb", "FbABFbDbAAAAAbDFAFsdddddddddABBAFFFb", of_sqrt_f64},
    {O::rsqrt, T::f64, false, 33, 2, 6, "FbDBAbAFBFFb", "FbDBAbDbAAAbDbDFAFsddddddBBFFb", of_rsqrt_f64},
    {O::div, T::s64, false, 84, 4, 8, "", "", nullptr}, {O::div, T::u64, false, 68, 4, 8, "", "", nullptr},
    {O::rem, T::s64, false, 78, 4, 8, "", "", nullptr}, {O::rem, T::u64, false, 64, 4, 8, "", "", nullptr},
};
// clang-format on

}  // namespace

Routine const* routine_of(ir::Form const& form) {
    if (form.has(isa::Modifier::approx) && form.operation != O::rsqrt) return nullptr;
    for (Routine const& r : routines)
        if (r.operation == form.operation && r.type == form.types[0] && r.ftz == form.ftz) return &r;
    return nullptr;
}

std::uint8_t number_of(Routine const& routine) { return static_cast<std::uint8_t>(&routine - routines + 1); }
Routine const& routine(std::uint8_t number) { return routines[number - 1]; }

namespace {

/// A wait at an mbarrier that loops: where the first question is not enough, the loop stands behind the function, with a branch back.
std::uint32_t loop_elsewhere(MachineFunction const& m, std::uint32_t i) {
    std::uint32_t const b = m.function->block_of[i];
    auto const& next = m.function->blocks[b].successors;
    bool const loops = std::find(next.begin(), next.end(), b) != next.end();
    return waits_at_mbarrier(m.form(i).operation) && loops ? m.instructions[i].micros + 2u : 0;
}

}  // namespace

std::vector<std::uint32_t> code_places(MachineFunction const& m) {
    std::array<std::uint32_t, std::size(routines) + 1> calls{};
    for (MachineInstruction const& i : m.instructions) ++calls[i.routine];
    std::vector<std::uint32_t> places;
    std::uint32_t place = 0;
    std::uint32_t elsewhere = 0;
    for (std::uint32_t k = 0; k < m.instructions.size(); ++k) {
        MachineInstruction const& i = m.instructions[k];
        places.push_back(place);
        place += i.micros + (i.awaits_clock ? 1u : 0u);
        elsewhere += loop_elsewhere(m, k) + i.elsewhere;
        if (i.routine == 0) continue;
        Routine const& r = routine(i.routine);
        std::uint32_t const around = calls[i.routine] == 1 ? r.only_call : r.each_call;
        // The usual path of an integer division has all of the routine, and what stands around its only call.
        place += r.lanes != nullptr ? around : around - r.only_call - r.instructions;
    }
    for (std::size_t r = 1; r < calls.size(); ++r)
        if (calls[r] != 0) place += routines[r - 1].instructions;
    places.push_back(place + elsewhere);
    return places;
}

}  // namespace warpsim::timing
