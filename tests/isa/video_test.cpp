// Video instructions of every type, with random selectors and modifiers, against plain C++ that reads them as
// text.
#include "frontend/isa/effect.hpp"
#include "frontend/isa/operation.hpp"
#include "frontend/isa/video.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/isa_instruction.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace video_test {

using namespace warpsim::isa;
using namespace warpsim::isa::test;

namespace {

__extension__ using Wide = __int128;

/// One instruction as it is written.
struct Written {
    std::string opcode;
    std::vector<std::string_view> modifiers;
    std::string d, a, b;
    std::array<bool, 3> is_signed{};  // d, a, b
    unsigned comparison = 0;

    bool has(std::string_view m) const {
        return std::find(modifiers.begin(), modifiers.end(), m) != modifiers.end();
    }
    std::string operation() const { return opcode.substr(1, opcode.find_last_not_of("24")); }
};

Wide field(std::uint32_t word, unsigned at, unsigned bits, bool is_signed) {
    std::uint64_t const value = (std::uint64_t{word} >> at) & ((std::uint64_t{1} << bits) - 1);
    bool const negative = is_signed && (value >> (bits - 1) & 1) != 0;
    return Wide{static_cast<std::int64_t>(value)} - (negative ? Wide{1} << bits : Wide{0});
}
Wide part(std::uint32_t word, std::string const& selector, bool is_signed) {
    if (selector.empty()) return field(word, 0, 32, is_signed);
    unsigned const bits = selector[0] == 'b' ? 8 : 16;
    return field(word, bits * static_cast<unsigned>(selector[1] - '0'), bits, is_signed);
}
Wide clamp(Wide x, unsigned bits, bool is_signed) {
    Wide const high = (Wide{1} << (is_signed ? bits - 1 : bits)) - 1, low = is_signed ? -high - 1 : Wide{0};
    return std::clamp(x, low, high);
}

Wide computed(Written const& w, Wide a, Wide b) {
    std::string const op = w.operation();
    if (op == "add") return a + b;
    if (op == "sub") return a - b;
    if (op == "absdiff") return a < b ? b - a : a - b;
    if (op == "min") return std::min(a, b);
    if (op == "max") return std::max(a, b);
    if (op == "avrg") return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
    Wide const amount = w.has(".wrap") ? b & 31 : std::min(b, Wide{32});
    if (op == "shl") return a * (Wide{1} << amount);
    if (op == "shr") return a >> amount;
    bool const results[] = {a == b, a != b, a<b, a <= b, a> b, a >= b};
    return results[w.comparison] ? 1 : 0;
}

std::uint32_t scalar(Written const& w, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    Wide const x = part(a, w.a, w.is_signed[1]), y = part(b, w.b, w.is_signed[2]);
    if (w.operation() == "mad") {
        bool const is_signed = w.is_signed[1] || w.is_signed[2];
        Wide sum = x * y + field(c, 0, 32, is_signed) + (w.has(".po") ? 1 : 0);
        sum >>= w.has(".shr7") ? 7 : w.has(".shr15") ? 15 : 0;
        return static_cast<std::uint32_t>(w.has(".sat") ? clamp(sum, 32, is_signed) : sum);
    }
    unsigned const bits = w.d.empty() ? 32 : w.d[0] == 'b' ? 8 : 16;
    Wide value = computed(w, x, y);
    if (w.has(".sat")) value = clamp(value, bits, w.is_signed[0]);
    auto result = static_cast<std::uint32_t>(value);
    Wide const one = field(result, 0, 32, w.is_signed[0]), other = field(c, 0, 32, w.is_signed[0]);
    if (w.has(".add")) return result + c;
    if (w.has(".min")) return one < other ? result : c;
    if (w.has(".max")) return one > other ? result : c;
    if (w.d.empty()) return result;
    unsigned const at = bits * static_cast<unsigned>(w.d[1] - '0');
    std::uint32_t const mask = ((std::uint32_t{1} << bits) - 1) << at;
    return (c & ~mask) | (result << at & mask);
}

std::uint32_t packed(Written const& w, unsigned elements, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    unsigned const bits = 32 / elements;
    std::uint32_t result = c;
    for (unsigned e = 0; e < elements; ++e) {
        if (!w.d.empty() && w.d.find(static_cast<char>('0' + e), 1) == std::string::npos) continue;
        auto const chosen = [&](std::string const& selector, unsigned first, bool is_signed) {
            unsigned const n = selector.empty() ? first + e : static_cast<unsigned>(selector[elements - e] - '0');
            return field(n < elements ? a : b, n % elements * bits, bits, is_signed);
        };
        Wide value = computed(w, chosen(w.a, 0, w.is_signed[1]), chosen(w.b, elements, w.is_signed[2]));
        if (w.has(".sat")) value = clamp(value, bits, w.is_signed[0]);
        if (w.has(".add")) {
            result += static_cast<std::uint32_t>(value);
        } else {
            std::uint32_t const mask = static_cast<std::uint32_t>(((std::uint64_t{1} << bits) - 1) << bits * e);
            result = (result & ~mask) | (static_cast<std::uint32_t>(value) << bits * e & mask);
        }
    }
    return result;
}

std::string selector(Random& random, unsigned elements) {
    std::uint64_t const r = random.next() >> 8;
    if (r % 4 == 0) return {};
    if (elements == 1) {
        bool const is_byte = (r >> 4) % 2 == 0;
        return std::string(is_byte ? "b" : "h") + static_cast<char>('0' + (r >> 5) % (is_byte ? 4 : 2));
    }
    std::string text(elements == 2 ? "h" : "b");
    for (unsigned i = 0; i < elements; ++i) text += static_cast<char>('0' + (r >> (4 + 3 * i)) % (2 * elements));
    return text;
}
std::string element_mask(Random& random, unsigned elements) {
    std::string text(elements == 2 ? "h" : "b");
    std::uint64_t const r = random.next() >> 8;
    for (unsigned e = elements; e-- > 0;) {
        if ((r >> e & 1) != 0) text += static_cast<char>('0' + e);
    }
    return text.size() == 1 ? std::string() : text;
}

Written random_form(Row const& row, Variant const& v, Random& random) {
    Written w;
    w.opcode = row.syntax.substr(0, row.syntax.find('.'));
    std::string_view const syntax = row.syntax.substr(0, row.syntax.find(' '));
    auto const contains = [&](std::string_view text) { return syntax.find(text) != std::string_view::npos; };
    auto const chance = [&] { return (random.next() >> 20 & 1) != 0; };
    if (contains("{.sat}") && chance()) w.modifiers.push_back(".sat");
    static constexpr std::string_view seconds[] = {".add", ".min", ".max"};
    if (contains(".op2")) w.modifiers.push_back(seconds[random.next() % 3]);
    if (syntax.ends_with(".add")) w.modifiers.push_back(".add");
    if (contains(".po")) w.modifiers.push_back(".po");
    if (contains(".mode_video")) w.modifiers.push_back(chance() ? ".wrap" : ".clamp");
    static constexpr std::string_view scales[] = {".shr7", ".shr15"};
    if (contains("scale") && chance()) w.modifiers.push_back(scales[random.next() % 2]);
    unsigned const elements = row.video_elements;
    w.a = selector(random, elements);
    w.b = selector(random, elements);
    if (elements > 1) w.d = element_mask(random, elements);
    else if (row.syntax.find(" d.dsel") != std::string_view::npos) {
        while (w.d.empty()) w.d = selector(random, 1);
    }
    w.is_signed = {is_signed(v.result), is_signed(v.sources[0]), is_signed(v.sources[1])};
    w.comparison = v.selector;
    return w;
}

void check(Row const& row, Variant const& v, Random& random) {
    for (int round = 0; round < 24; ++round) {
        Written const w = random_form(row, v, random);
        unsigned const elements = row.video_elements;
        std::vector<Modifier> modifiers;
        for (std::string_view const modifier : w.modifiers) modifiers.push_back(modifier_named(modifier));
        Instruction const instruction{&row, &v, v.run, nullptr,
                                      video_immediate(row.video_elements, modifiers, w.d, w.a, w.b)};
        std::vector<Lanes> sources;
        for (std::size_t s = 0; s < v.source_count; ++s) sources.push_back(random.values(Type::u32));
        Lanes const result = run(instruction, sources);
        for (std::size_t i = 0; i < warp_size; ++i) {
            auto const a = static_cast<std::uint32_t>(sources[0][i]),
                       b = static_cast<std::uint32_t>(sources[1][i]);
            auto const c = v.source_count > 2 ? static_cast<std::uint32_t>(sources[2][i]) : 0u;
            std::uint32_t const wanted = elements == 1 ? scalar(w, a, b, c) : packed(w, elements, a, b, c);
            if (result[i] == wanted) continue;
            std::string written;
            for (std::string_view const m : w.modifiers) written += m;
            FAIL(row.syntax << " ." << name(v.types[0]) << "." << name(v.types[1]) << " " << written << " d."
                            << w.d << " a." << w.a << " b." << w.b << std::hex << " of " << a << " " << b << " "
                            << c << " gives " << result[i] << ", not " << wanted);
        }
    }
}

}  // namespace

TEST_CASE("Video instructions of every type, selector and modifier are those of plain C++", "[isa]") {
    Random random;
    int variants = 0;
    for (HostIsa const host : hosts()) {
        for (Row const& row : rows(host)) {
            bool const is_video = row.effect == Effect::lanes && row.syntax.starts_with('v');
            if (!is_video) continue;
            for (Variant const& v : row.variants) {
                check(row, v, random);
                ++variants;
            }
        }
    }
    CHECK(variants > 300);
}

}  // namespace video_test
