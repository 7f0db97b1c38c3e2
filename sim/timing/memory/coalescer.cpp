#include "sim/timing/memory/coalescer.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <emmintrin.h>

namespace warpsim::timing {

namespace {

using isa::LaneMask;

// L1's data is in 32 banks of 4 bytes, as in shared memory: only that yields the measured cycles of strided loads
// on A100 and H200, 32 and 64 bits wide (GPB gpu-strides; a stride of 3 words has no conflict).
constexpr std::uint32_t data_banks = 32;
constexpr std::uint32_t data_bank_bytes = 4;

/// The addresses form one contiguous range of bytes.
void coalesce_range(std::uint64_t low, std::uint64_t past_high, Coalesced& out) {
    for (std::uint64_t line = low / line_bytes; line * line_bytes < past_high; ++line) {
        LineAccess& a = out.lines[out.count++];
        a = {line, 0, 0};
        for (std::uint32_t s = 0; s < line_bytes / sector_bytes; ++s) {
            std::uint64_t const begin = line * line_bytes + s * sector_bytes, end = begin + sector_bytes;
            if (begin >= past_high || end <= low) continue;
            a.sectors |= static_cast<std::uint8_t>(1u << s);
            if (begin >= low && end <= past_high) a.covered |= static_cast<std::uint8_t>(1u << s);
        }
        out.sectors += count_of(a.sectors);
    }
}

// What is known of each line is in arrays, and computed for several lines at once.
using FourWords = std::uint32_t __attribute__((vector_size(16)));

/// A one in each byte of which any bit is set, and in each of which all are.
template <class Words> [[gnu::always_inline]] inline Words any_of_bytes(Words bits) {
    bits |= bits >> 4;
    bits |= bits >> 2;
    return (bits | bits >> 1) & 0x01010101;
}
template <class Words> [[gnu::always_inline]] inline Words whole_bytes(Words bits) {
    bits &= bits >> 4;
    bits &= bits >> 2;
    return (bits & bits >> 1) & 0x01010101;
}
/// A bit for each of the four bytes that is one.
template <class Words> [[gnu::always_inline]] inline Words bit_of_each(Words bytes) {
    return (bytes | bytes >> 7 | bytes >> 14 | bytes >> 21) & 15;
}
std::uint32_t sum_of_bytes(std::uint32_t bytes) { return bytes * 0x01010101 >> 24; }
/// Of all four words; no byte may exceed 63.
std::uint32_t sum_of_bytes(FourWords bytes) {
    return sum_of_bytes(bytes[0]) + sum_of_bytes(bytes[1]) + sum_of_bytes(bytes[2]) + sum_of_bytes(bytes[3]);
}

/// How many groups of threads have lanes among these.
std::uint32_t groups_of(LaneMask lanes, std::uint32_t group) {
    if (group == 8) return sum_of_bytes(any_of_bytes(lanes));
    LaneMask const members = group >= 32 ? ~0u : (1u << group) - 1;
    std::uint32_t groups = 0;
    for (std::uint32_t first = 0; first < 32; first += group) groups += (lanes >> first & members) != 0;
    return groups;
}

/// The lines of an access, found by their numbers. Mostly each is beyond those before it, or they come in the same order again,
/// and nothing is looked for.
class LinesByNumber {
public:
    explicit LinesByNumber(Coalesced& out) : out_(out) {}
    /// Its position.
    std::uint32_t find_or_add(std::uint64_t line) {
        std::uint32_t const position = out_.count == 0 || line > highest_ ? append(line) : find_among(line);
        next_ = position + 1;
        return position;
    }

private:
    std::uint32_t append(std::uint64_t line) {
        highest_ = line;
        return is_indexed_ ? add(line, place_of(line)) : add(line);
    }
    std::uint32_t find_among(std::uint64_t line) {
        if (next_ < out_.count && out_.lines[next_].line == line) return next_;
        if (out_.lines[0].line == line) return 0;
        if (!is_indexed_) index();
        std::size_t const at = place_of(line);
        return places_[at] != 0 ? places_[at] - 1u : add(line, at);
    }
    std::uint32_t add(std::uint64_t line) {
        out_.lines[out_.count] = {line, 0, 0};
        return out_.count++;
    }
    std::uint32_t add(std::uint64_t line, std::size_t at) {
        places_[at] = static_cast<std::uint8_t>(out_.count + 1);
        return add(line);
    }
    /// Where the line's position is, or the place for it.
    std::size_t place_of(std::uint64_t line) const {
        std::size_t at = (line ^ line >> 6) % places_.size();
        while (places_[at] != 0 && out_.lines[places_[at] - 1u].line != line) at = (at + 1) % places_.size();
        return at;
    }
    [[gnu::noinline]] void index() {
        places_.fill(0);
        for (std::uint32_t i = 0; i < out_.count; ++i)
            places_[place_of(out_.lines[i].line)] = static_cast<std::uint8_t>(i + 1);
        is_indexed_ = true;
    }

    Coalesced& out_;
    std::uint64_t highest_ = 0;
    std::uint32_t next_ = 0;
    bool is_indexed_ = false;
    std::array<std::uint8_t, 64> places_;  // positions and 1; 0: none. Twice as many as there can be lines
};

std::uint32_t most_of(std::array<std::uint8_t, data_banks> const& counts) {
    auto const* const halves = reinterpret_cast<__m128i const*>(counts.data());
    __m128i most = _mm_max_epu8(_mm_load_si128(halves), _mm_load_si128(halves + 1));
    most = _mm_max_epu8(most, _mm_srli_si128(most, 8));
    most = _mm_max_epu8(most, _mm_srli_si128(most, 4));
    most = _mm_max_epu8(most, _mm_srli_si128(most, 2));
    most = _mm_max_epu8(most, _mm_srli_si128(most, 1));
    return static_cast<std::uint32_t>(_mm_cvtsi128_si32(most)) & 0xff;
}

/// What lanes touch: of each line, and of each bank how many words.
struct Touched {
    alignas(16) std::array<LaneMask, 32> lanes{};
    alignas(16) std::array<std::uint32_t, 32> words{};  // one bit each
    alignas(16) std::array<std::uint8_t, data_banks> in_bank{};

    static FourWords four(std::array<std::uint32_t, 32> const& of, std::uint32_t first) {
        FourWords words;
        std::memcpy(&words, of.data() + first, sizeof words);
        return words;
    }
};

/// Adjacent lanes often access the same line, which is not looked for again then. An access is aligned, so it lies in one sector.
template <bool are_words> void coalesce_lanes(Addresses const& addresses, std::uint32_t group, Coalesced& out) {
    LinesByNumber lines(out);
    Touched touched;
    std::array<std::array<std::uint32_t, 4>, are_words ? 1 : 32> bytes_of{};  // of each sector
    bool const is_affine = addresses.pattern == sim::Pattern::affine;
    std::uint64_t current = UINT64_MAX;
    std::size_t position = 0;
    auto const ones = [](std::uint32_t count) {
        return static_cast<std::uint32_t>((std::uint64_t{1} << std::min(count, 32u)) - 1);
    };
    std::uint32_t const count = (addresses.bytes + data_bank_bytes - 1) / data_bank_bytes,
                        bytes = ones(addresses.bytes);
    for (LaneMask left = addresses.mask; left != 0; left &= left - 1) {
        int const lane = std::countr_zero(left);
        std::uint64_t const address =
            is_affine ? addresses.lane_zero + static_cast<std::uint64_t>(lane) * addresses.bytes
                      : addresses.lane[lane];
        if (address / line_bytes != current) {
            current = address / line_bytes;
            position = lines.find_or_add(current);
        }
        std::size_t const word = address % line_bytes / data_bank_bytes;
        std::uint32_t const words = ones(count) << word;
        // Those of one access have all been touched before, or none has.
        if ((touched.words[position] & words) == 0) {
            ++touched.in_bank[word];
            for (std::size_t k = 1; k < count; ++k) ++touched.in_bank[(word + k) % data_banks];
        }
        touched.lanes[position] |= left & ~(left - 1);
        touched.words[position] |= words;
        if constexpr (!are_words)
            bytes_of[position][address % line_bytes / sector_bytes] |= bytes << address % sector_bytes;
    }
    FourWords all_sectors{}, all_groups{};  // sums by byte
    for (std::uint32_t first = 0; first < out.count; first += 4) {
        FourWords const words = Touched::four(touched.words, first), any = any_of_bytes(words);
        FourWords const sectors = bit_of_each(any), covered = bit_of_each(whole_bytes(words));
        all_sectors += any;
        all_groups += any_of_bytes(Touched::four(touched.lanes, first));
        for (std::uint32_t i = 0; i < 4; ++i) {
            out.lines[first + i].sectors = static_cast<std::uint8_t>(sectors[i]);
            out.lines[first + i].covered = static_cast<std::uint8_t>(covered[i]);
        }
    }
    for (std::uint32_t i = 0; !are_words && i < out.count; ++i) {
        std::uint8_t& covered = out.lines[i].covered = 0;
        for (std::uint32_t s = 0; s < line_bytes / sector_bytes; ++s)
            covered |= static_cast<std::uint8_t>((bytes_of[i][s] == ~0u ? 1u : 0u) << s);
    }
    out.sectors = sum_of_bytes(all_sectors);
    if (group == 8) out.lookups = sum_of_bytes(all_groups);
    else
        for (std::uint32_t i = 0; i < out.count; ++i) out.lookups += groups_of(touched.lanes[i], group);
    out.bank_cycles = most_of(touched.in_bank);
}

/// Whether each lane accesses a line beyond that of the lane before it.
bool are_apart(Addresses const& addresses) {
    if (addresses.pattern != sim::Pattern::scattered || addresses.mask != isa::all_lanes) return false;
    std::uint64_t before = addresses.lane[0] / line_bytes;
    for (std::size_t lane = 1; lane < 32; ++lane) {
        std::uint64_t const line = addresses.lane[lane] / line_bytes;
        if (line <= before) return false;
        before = line;
    }
    return true;
}

/// The lines of all lanes, which are_apart().
void coalesce_apart(Addresses const& addresses, Coalesced& out) {
    alignas(16) std::array<std::uint8_t, data_banks> in_bank{};
    std::uint32_t const words = (addresses.bytes + data_bank_bytes - 1) / data_bank_bytes;
    std::uint8_t const covered = addresses.bytes >= sector_bytes ? 0xff : 0;
    for (std::size_t lane = 0; lane < 32; ++lane) {
        std::uint64_t const address = addresses.lane[lane];
        std::size_t const word = address % line_bytes / data_bank_bytes;
        auto const sector = static_cast<std::uint8_t>(1u << address % line_bytes / sector_bytes);
        out.lines[lane] = {address / line_bytes, sector, static_cast<std::uint8_t>(sector & covered)};
        ++in_bank[word];
        for (std::size_t k = 1; k < words; ++k) ++in_bank[(word + k) % data_banks];
    }
    out.count = out.sectors = out.lookups = 32;
    out.bank_cycles = most_of(in_bank);
}

void coalesce_scattered(Addresses const& addresses, std::uint32_t group, Coalesced& out) {
    if (are_apart(addresses)) return coalesce_apart(addresses, out);
    if (addresses.bytes >= data_bank_bytes) coalesce_lanes<true>(addresses, group, out);
    else coalesce_lanes<false>(addresses, group, out);
}

}  // namespace

void coalesce(Addresses const& addresses, std::uint32_t group, Coalesced& out) {
    out.count = out.sectors = out.lookups = out.bank_cycles = 0;
    bool const is_full = addresses.mask == isa::all_lanes;
    if (addresses.pattern == sim::Pattern::affine && is_full) {
        coalesce_range(addresses.low, addresses.past_high, out);
        // All groups are complete and adjacent: each looks up the lines that its own bytes span.
        for (std::uint32_t first = 0; first < 32; first += group) {
            std::uint64_t const low = addresses.low + std::uint64_t{first} * addresses.bytes;
            std::uint64_t const high = low + std::uint64_t{std::min(group, 32 - first)} * addresses.bytes - 1;
            out.lookups += static_cast<std::uint32_t>(high / line_bytes - low / line_bytes) + 1;
        }
        std::uint64_t const words =
            (addresses.past_high + data_bank_bytes - 1) / data_bank_bytes - addresses.low / data_bank_bytes;
        out.bank_cycles = static_cast<std::uint32_t>((words + data_banks - 1) / data_banks);
        return;
    }
    if (addresses.pattern == sim::Pattern::uniform) {
        coalesce_range(addresses.low, addresses.past_high, out);
        out.lookups = groups_of(addresses.mask, group);
        out.bank_cycles = 1;
        return;
    }
    coalesce_scattered(addresses, group, out);
}

}  // namespace warpsim::timing
