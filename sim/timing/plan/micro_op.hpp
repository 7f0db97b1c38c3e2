// What the hardware issues. A PTX instruction becomes none of these (a copy that the compiler removes), one, or a
// sequence (a division).
#pragma once

#include <cstdint>
#include <string_view>

namespace warpsim::timing {

// clang-format off
enum class MicroUnit : std::uint8_t {
    alu, fma, fp16, fp64, sfu, tensor,
    branch, shuffle, vote,
    special,      // special registers (S2R): slow, and not pipelined with anything else
    lsu,          // every memory space except constants and parameters
    constant,     // loads through the constant cache
    barrier, fence,
    uniform,      // computes once for the warp
    texture,      // textures and surfaces
    count,
};
// clang-format on
inline constexpr std::size_t micro_units = static_cast<std::size_t>(MicroUnit::count);
std::string_view name(MicroUnit unit);

struct MicroOp {
    MicroUnit unit = MicroUnit::alu;
    bool chained = false;        // needs the result of the one before it
    std::uint16_t interval = 0;  // cycles that it keeps the unit, if more than the configured ones
    std::uint16_t latency = 0;   // cycles until its result can be used; 0: the unit's
    std::uint16_t banks = 0;     // cycles that operands in shared memory take its banks, beside the unit's work
    std::uint16_t wait = 0;      // of a product of a warpgroup: cycles from its begin until a wait for it may end
};

}  // namespace warpsim::timing
