#include "tests/support/isa_instruction.hpp"

#include "frontend/isa/effect.hpp"
#include "frontend/isa/operation.hpp"
#include "frontend/isa/video.hpp"

#include "tests/support/catch.hpp"

#include <algorithm>
#include <cstring>

namespace warpsim::isa::test {
namespace {

std::vector<std::string_view> split(std::string_view text) {
    std::vector<std::string_view> parts;
    std::size_t at = text.find('.');
    parts.push_back(text.substr(0, at));
    while (at != std::string_view::npos) {
        std::size_t const end = text.find('.', at + 1);
        parts.push_back(text.substr(at, end == std::string_view::npos ? end : end - at));
        at = end;
    }
    return parts;
}

struct Slot {
    std::string_view spelling;
    bool optional = false;
};
std::vector<Slot> slots_of(std::string_view syntax) {
    std::vector<Slot> slots;
    std::size_t at = syntax.find_first_of(".{ ");
    slots.push_back({syntax.substr(0, at), false});
    bool optional = false;
    while (at < syntax.size() && syntax[at] != ' ') {
        if (syntax[at] == '{' || syntax[at] == '}') {
            optional = syntax[at++] == '{';
            continue;
        }
        std::size_t const end = std::min(syntax.find_first_of(".{} ", at + 1), syntax.size());
        slots.push_back({syntax.substr(at, end - at), optional});
        at = end;
    }
    return slots;
}

bool is_type(std::string_view spelling) {
    return spelling.ends_with("type") || type_named(spelling.substr(1)) != Type::none;
}

/// Removes the row's modifiers from `written`; false when one is missing. `selector` receives the position of the
/// selected member.
bool match(Row const& row, std::vector<std::string_view>& written, unsigned& selector) {
    std::vector<Slot> const slots = slots_of(row.syntax);
    if (slots[0].spelling != written[0]) return false;
    written.erase(written.begin());
    for (std::size_t i = 1; i < slots.size(); ++i) {
        if (is_type(slots[i].spelling)) continue;
        auto const members = modifier_class(slots[i].spelling);
        auto const found = std::find_if(written.begin(), written.end(), [&](std::string_view w) {
            return members.empty() ? w == slots[i].spelling
                                   : std::find(members.begin(), members.end(), w) != members.end();
        });
        if (found == written.end()) {
            if (slots[i].optional) continue;
            return false;
        }
        if (slots[i].spelling == row.selector) {
            selector = static_cast<unsigned>(std::find(members.begin(), members.end(), *found) - members.begin());
        }
        written.erase(found);
    }
    return written.empty();
}

Rounding directed(std::vector<std::string_view> const& modifiers) {
    auto const has = [&](std::string_view m) {
        return std::find(modifiers.begin(), modifiers.end(), m) != modifiers.end();
    };
    return has(".rz") ? Rounding::rz : has(".rm") ? Rounding::rm : has(".rp") ? Rounding::rp : Rounding::none;
}

std::size_t element_bytes(Type type) {
    return type == Type::pred ? 0 : std::max<std::size_t>(2, static_cast<std::size_t>(width(type)) / 8);
}

}  // namespace

std::vector<HostIsa> hosts() {
    std::vector<HostIsa> list;
    for (HostIsa const host : {HostIsa::baseline, HostIsa::avx2, HostIsa::avx512}) {
        if (runs_here(host)) list.push_back(host);
    }
    return list;
}

std::optional<Instruction> find(HostIsa host, std::string_view mnemonic, std::optional<std::size_t> sources) {
    std::vector<std::string_view> modifiers = split(mnemonic);
    std::array<Type, 3> types{};
    std::size_t count = 0;
    std::vector<std::string_view> others;
    for (std::string_view const part : modifiers) {
        if (part.starts_with('.') && type_named(part.substr(1)) != Type::none)
            types[count++] = type_named(part.substr(1));
        else others.push_back(part);
    }
    for (Row const& row : rows(host)) {
        if (row.effect != Effect::lanes) continue;
        std::vector<std::string_view> rest = others;
        unsigned selector = 0;
        if (!match(row, rest, selector)) continue;
        for (Variant const& variant : row.variants) {
            if (variant.types != types || variant.selector != selector) continue;
            if (sources && *sources != variant.source_count) continue;
            auto const has = [&](std::string_view m) {
                return std::find(others.begin(), others.end(), m) != others.end();
            };
            Instruction found{&row, &variant, variant.run, nullptr, 0};
            bool const ftz = has(".ftz");
            if (ftz && variant.run_ftz != nullptr) found.run = variant.run_ftz;
            if (Rounding const mode = directed(others);
                mode != Rounding::none && variant.run_directed != nullptr) {
                found.run =
                    ftz && variant.run_directed_ftz != nullptr ? variant.run_directed_ftz : variant.run_directed;
                found.immediate = static_cast<std::uint64_t>(mode);
            }
            if (row.video_elements != 0) {
                std::vector<Modifier> written;
                for (std::string_view const word : others) {
                    if (word.starts_with('.')) written.push_back(modifier_named(word));
                }
                bool const has_part = row.syntax.find(" d.") != std::string_view::npos;
                found.immediate = video_immediate(row.video_elements, written, has_part ? "h1" : "");
            }
            if (has(".sat")) found.second_pass = saturate(host, variant.result);
            return found;
        }
    }
    return std::nullopt;
}

Lanes run(Instruction const& instruction, std::vector<Lanes> const& sources, LaneMask mask, LaneMask* carry_out) {
    constexpr std::size_t column_bytes = warp_size * 16;
    alignas(64) std::array<std::byte, column_bytes * 6> frame;
    frame.fill(std::byte{0xa5});
    std::byte* bases[4] = {frame.data(), frame.data(), frame.data(), frame.data()};
    Operands operands;
    operands.immediate = instruction.immediate;
    auto const put = [&](std::size_t slot, Type type, Lanes const& values) {
        std::byte* const at = frame.data() + slot * column_bytes;
        operands.slot[slot] = static_cast<warpsim::isa::Slot>(slot * column_bytes);
        std::size_t const bytes = element_bytes(type);
        if (bytes == 0) {
            LaneMask bits = 0;
            for (int i = 0; i < warp_size; ++i)
                bits |= static_cast<LaneMask>(values[static_cast<std::size_t>(i)] & 1) << i;
            std::memcpy(at, &bits, 4);
        } else {
            for (std::size_t i = 0; i < warp_size; ++i) std::memcpy(at + i * bytes, &values[i], bytes);
        }
    };
    auto const get = [&](std::size_t slot, Type type) {
        Lanes values{};
        std::byte const* const at = frame.data() + slot * column_bytes;
        std::size_t const bytes = element_bytes(type);
        LaneMask bits = 0;
        if (bytes == 0) std::memcpy(&bits, at, 4);
        for (std::size_t i = 0; i < warp_size; ++i) {
            if (bytes == 0) values[i] = bits >> i & 1;
            else std::memcpy(&values[i], at + i * bytes, bytes);
            if (width(type) == 8) values[i] &= 0xff;
        }
        return values;
    };
    Variant const& variant = *instruction.variant;
    REQUIRE(sources.size() == variant.source_count);
    for (std::size_t i = 0; i < sources.size(); ++i) put(i + 1, variant.sources[i], sources[i]);
    alignas(64) std::array<std::byte, 64> carry{};
    if (carries(*instruction.row)) {
        bases[1] = carry.data();
        operands.slot[sources.size() + 1] = static_cast<warpsim::isa::Slot>(Base::plan);
    }
    Lanes const before = get(0, variant.result);
    instruction.run(bases, operands, mask);
    if (instruction.second_pass != nullptr) {
        Operands again;
        again.slot[1] = again.slot[0] = operands.slot[0];
        instruction.second_pass(bases, again, mask);
    }
    Lanes after = get(0, variant.result);
    for (std::size_t i = 0; i < warp_size; ++i) {
        if ((mask >> i & 1) != 0) continue;
        if (after[i] != before[i]) FAIL(instruction.row->syntax << " changed inactive lane " << i);
        after[i] = 0;
    }
    // Nothing beyond the destination's column may change, either.
    std::size_t const end = variant.result == Type::pred ? 4 : warp_size * element_bytes(variant.result);
    for (std::size_t i = end; i < column_bytes; ++i) {
        if (frame[i] != std::byte{0xa5}) FAIL(instruction.row->syntax << " wrote past its column");
    }
    if (carry_out != nullptr) std::memcpy(carry_out, carry.data(), sizeof *carry_out);
    return after;
}

Lanes everywhere(std::uint64_t bits) {
    Lanes lanes;
    lanes.fill(bits);
    return lanes;
}

std::uint64_t Random::next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ * 0x2545f4914f6cdd1du;
}

Lanes Random::lanes() {
    Lanes l;
    for (std::uint64_t& v : l) v = next();
    return l;
}

Lanes Random::values(Type type) {
    static constexpr std::uint64_t f32_corners[] = {0,          0x80000000, 1,          0x80000001, 0x007fffff,
                                                    0x00800000, 0x80800000, 0x3f800000, 0xbf800000, 0x7f7fffff,
                                                    0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001,
                                                    0xffffffff, 0x4f000000, 0x4f800000, 0xcf000000, 0x3f000000};
    int const bits = width(type);
    std::uint64_t const mask = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    Lanes l;
    for (std::uint64_t& v : l) {
        std::uint64_t const choice = next() >> 56;
        if (type == Type::f32 || type == Type::f64) {
            if (choice < 60) {
                v = f32_corners[next() % std::size(f32_corners)];
                if (type == Type::f64) {
                    float f;
                    std::memcpy(&f, &v, 4);
                    double const d = static_cast<double>(f);
                    std::memcpy(&v, &d, 8);
                }
            } else if (choice < 200) {
                // Of similar magnitude, so that rounding has something to do.
                v = next();
                v = type == Type::f32 ? (v & 0x807fffff) | (0x3f800000 + ((v >> 32 & 63) - 32) * 0x800000)
                                      : (v & 0x800fffffffffffff) |
                                            (0x3ff0000000000000 + ((next() & 127) - 64) * 0x10000000000000);
            } else {
                v = next();
            }
        } else if (choice < 64) {
            v = choice & 1 ? next() % 5 : std::uint64_t{0} - next() % 5;
        } else if (choice < 96) {
            v = (mask >> 1) + next() % 3;
        } else if (choice < 128) {
            v = next() >> (next() % 64);
        } else {
            v = next();
        }
        v &= mask;
    }
    return l;
}

}  // namespace warpsim::isa::test
