#include "frontend/isa/video.hpp"

#include "frontend/isa/operation.hpp"

#include <algorithm>
#include <bit>

namespace warpsim::isa {
namespace {

unsigned digit(char c) { return static_cast<unsigned>(c - '0'); }

std::uint16_t part_code(std::string_view word) {
    if (word.empty()) return 0;
    return static_cast<std::uint16_t>(digit(word[1]) + (word[0] == 'b' ? 1 : 5));
}

/// The lowest element is written last.
std::uint16_t element_codes(std::string_view word, unsigned elements, unsigned first) {
    unsigned codes = 0;
    for (unsigned i = 0; i < elements; ++i) {
        unsigned const element = word.empty() ? first + i : digit(word[elements - i]);
        codes |= element << 3 * i;
    }
    return static_cast<std::uint16_t>(codes);
}

std::uint8_t element_mask(std::string_view word, unsigned elements) {
    if (word.empty()) return static_cast<std::uint8_t>((1u << elements) - 1);
    unsigned mask = 0;
    for (char const c : word.substr(1)) mask |= 1u << digit(c);
    return static_cast<std::uint8_t>(mask);
}

}  // namespace

bool is_video_selector(std::string_view word, int elements, bool is_destination) {
    if (word.size() < 2) return false;
    std::string_view const digits = word.substr(1);
    auto const all_below = [&](char limit) {
        return std::all_of(digits.begin(), digits.end(), [&](char c) { return c >= '0' && c < limit; });
    };
    if (elements == 1)
        return digits.size() == 1 && ((word[0] == 'b' && all_below('4')) || (word[0] == 'h' && all_below('2')));
    if (word[0] != (elements == 2 ? 'h' : 'b')) return false;
    auto const count = static_cast<std::size_t>(elements);
    if (!is_destination) return digits.size() == count && all_below(elements == 2 ? '4' : '8');
    bool const descends =
        std::adjacent_find(digits.begin(), digits.end(), [](char x, char y) { return x <= y; }) == digits.end();
    return digits.size() <= count && all_below(elements == 2 ? '2' : '4') && descends;
}

std::uint64_t video_immediate(int element_count, std::span<Modifier const> modifiers, std::string_view d,
                              std::string_view a, std::string_view b, bool negates_product, bool negates_c) {
    auto const has = [&](Modifier m) {
        return std::find(modifiers.begin(), modifiers.end(), m) != modifiers.end();
    };
    auto const elements = static_cast<unsigned>(element_count);
    VideoModifiers v;
    v.a = elements == 1 ? part_code(a) : element_codes(a, elements, 0);
    v.b = elements == 1 ? part_code(b) : element_codes(b, elements, elements);
    v.d = elements == 1 ? static_cast<std::uint8_t>(part_code(d)) : element_mask(d, elements);
    v.second = has(Modifier::add) ? 1 : has(Modifier::min) ? 2 : has(Modifier::max) ? 3 : 0;
    v.scale = has(Modifier::shr7) ? 7 : has(Modifier::shr15) ? 15 : 0;
    unsigned const flags = (has(Modifier::sat) ? unsigned{VideoModifiers::saturates} : 0u) |
                           (has(Modifier::wrap) ? unsigned{VideoModifiers::wraps} : 0u) |
                           (has(Modifier::po) ? unsigned{VideoModifiers::plus_one} : 0u) |
                           (negates_product ? unsigned{VideoModifiers::negates_product} : 0u) |
                           (negates_c ? unsigned{VideoModifiers::negates_c} : 0u);
    v.flags = static_cast<std::uint8_t>(flags);
    return std::bit_cast<std::uint64_t>(v);
}

}  // namespace warpsim::isa
