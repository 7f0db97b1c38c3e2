// The modifiers and selectors of video instructions, packed for their lane functions into Operands::immediate.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace warpsim::isa {

enum class Modifier : std::uint16_t;

struct VideoModifiers {
    /// For scalar operations: 0 the word, 1 to 4 a byte, 5 and 6 a half. For 2 or 4 elements: for each of them,
    /// from the lowest on, three bits that select an element of b:a.
    std::uint16_t a = 0;
    std::uint16_t b = 0;
    std::uint8_t d = 0;       // scalar: the part of c that is replaced; else the elements that are written
    std::uint8_t second = 0;  // 0 none, 1 add, 2 min, 3 max
    std::uint8_t flags = 0;
    std::uint8_t scale = 0;  // by how many bits vmad shifts to the right
    enum Flag : std::uint8_t { saturates = 1, wraps = 2, negates_product = 4, negates_c = 8, plus_one = 16 };
};
static_assert(sizeof(VideoModifiers) == sizeof(std::uint64_t));

/// Whether the word ("b0", "h10", "b3210") selects a part of a source, or of the destination, in an instruction
/// with this many elements.
bool is_video_selector(std::string_view word, int elements, bool is_destination);
/// Selectors without their dot, "" where none is written.
std::uint64_t video_immediate(int elements, std::span<Modifier const> modifiers, std::string_view d = {},
                              std::string_view a = {}, std::string_view b = {}, bool negates_product = false,
                              bool negates_c = false);

}  // namespace warpsim::isa
