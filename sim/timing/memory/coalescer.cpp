#include "sim/timing/memory/coalescer.hpp"

#include <algorithm>
#include <bit>

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

/// How many of several sets of words have the word that most of them have. Counts are kept across words: bit k of a word's count
/// is its bit in `planes[k]`.
class WordCounts {
public:
    void add(std::uint32_t words) {
        for (std::size_t k = 0; words != 0; ++k) {
            std::uint32_t const carry = planes_[k] & words;
            planes_[k] ^= words;
            words = carry;
        }
    }
    std::uint32_t most() const {
        std::uint32_t most = 0, among = ~0u;
        for (std::size_t k = planes_.size(); k-- > 0;) {
            if ((planes_[k] & among) == 0) continue;
            among &= planes_[k];
            most |= 1u << k;
        }
        return most;
    }

private:
    std::array<std::uint32_t, 6> planes_{};  // 32 lines at most
};

/// Bits [begin, end), of 32.
std::uint32_t bits(std::uint32_t begin, std::uint32_t end) {
    std::uint32_t const below_end = end >= 32 ? ~0u : (1u << end) - 1;
    return begin >= 32 ? 0 : below_end & ~0u << begin;
}

/// The lines of an access, found by their numbers.
class LinesByNumber {
public:
    explicit LinesByNumber(Coalesced& out) : out_(out) {}
    /// The line's position; `count` has grown if it is a new one.
    std::uint32_t find_or_add(std::uint64_t line) {
        std::size_t at = (line ^ line >> 6) % places_.size();
        for (; places_[at] != 0; at = (at + 1) % places_.size())
            if (out_.lines[places_[at] - 1u].line == line) return places_[at] - 1u;
        out_.lines[out_.count] = {line, 0, 0};
        places_[at] = static_cast<std::uint8_t>(++out_.count);
        return out_.count - 1;
    }

private:
    Coalesced& out_;
    std::array<std::uint8_t, 64> places_{};  // positions and 1; 0: none. Twice as many as there can be lines
};

/// What lanes touch in a line.
struct Touched {
    LaneMask lanes = 0;
    std::uint32_t words = 0;               // one bit each
    std::array<std::uint32_t, 4> bytes{};  // of each sector, where accesses are narrower than words
};

/// Adjacent lanes often access adjacent bytes, a row of a tile for example: they are looked at together.
void coalesce_scattered(Addresses const& addresses, std::uint32_t group, Coalesced& out) {
    std::array<Touched, 32> touched;
    LinesByNumber lines(out);
    bool const are_words = addresses.bytes >= data_bank_bytes;
    for (LaneMask left = addresses.mask; left != 0;) {
        LaneMask const before = left;
        std::uint64_t const begin = addresses.of(std::countr_zero(left));
        std::uint64_t end = begin + addresses.bytes;
        left &= left - 1;
        while (left != 0 && end % line_bytes != 0 && addresses.of(std::countr_zero(left)) == end) {
            end += addresses.bytes;
            left &= left - 1;
        }
        Touched& t = touched[lines.find_or_add(begin / line_bytes)];
        t.lanes |= before & ~left;
        auto const first = static_cast<std::uint32_t>(begin % line_bytes),
                   past = std::min(first + static_cast<std::uint32_t>(end - begin), line_bytes);
        t.words |= bits(first / data_bank_bytes, (past + data_bank_bytes - 1) / data_bank_bytes);
        for (std::uint32_t s = first / sector_bytes; !are_words && s * sector_bytes < past; ++s)
            t.bytes[s] |= bits(std::max(first, s * sector_bytes) - s * sector_bytes, past - s * sector_bytes);
    }
    WordCounts wanted;
    for (std::uint32_t i = 0; i < out.count; ++i) {
        LineAccess& a = out.lines[i];
        Touched const& t = touched[i];
        for (std::uint32_t s = 0; s < line_bytes / sector_bytes; ++s) {
            std::uint32_t const words = t.words >> 8 * s & 0xff;
            bool const is_covered = are_words ? words == 0xff : t.bytes[s] == ~0u;
            a.sectors |= static_cast<std::uint8_t>((words != 0 ? 1u : 0u) << s);
            a.covered |= static_cast<std::uint8_t>((is_covered ? 1u : 0u) << s);
        }
        out.sectors += count_of(a.sectors);
        wanted.add(t.words);
        for (std::uint32_t lane = 0; lane < 32; lane += group)
            out.lookups += (t.lanes & bits(lane, lane + group)) != 0;
    }
    out.bank_cycles = wanted.most();
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
        for (std::uint32_t first = 0; first < 32; first += group) {
            LaneMask const members = (group >= 32 ? ~0u : (1u << group) - 1) << first;
            out.lookups += (addresses.mask & members) != 0;
        }
        out.bank_cycles = 1;
        return;
    }
    coalesce_scattered(addresses, group, out);
}

}  // namespace warpsim::timing
