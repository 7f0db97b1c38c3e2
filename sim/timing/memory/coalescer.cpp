#include "sim/timing/memory/coalescer.hpp"

#include <algorithm>
#include <bit>
#include <utility>

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
        for (std::uint32_t& plane : planes_) words &= std::exchange(plane, plane ^ words);
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

/// The first bits of the four bytes.
std::uint8_t first_bits(std::uint32_t bytes) {
    return static_cast<std::uint8_t>((bytes & 0x01010101) * 0x01020408 >> 24);
}

/// A bit for each byte of which any bit is set, and for each of which all are.
std::uint8_t any_of_bytes(std::uint32_t bits) {
    bits |= bits >> 4;
    bits |= bits >> 2;
    return first_bits(bits | bits >> 1);
}
std::uint8_t whole_bytes(std::uint32_t bits) {
    bits &= bits >> 4;
    bits &= bits >> 2;
    return first_bits(bits & bits >> 1);
}

/// How many groups of threads have lanes among these.
std::uint32_t groups_of(LaneMask lanes, std::uint32_t group) {
    if (group == 8) return count_of(any_of_bytes(lanes));
    LaneMask const members = group >= 32 ? ~0u : (1u << group) - 1;
    std::uint32_t groups = 0;
    for (std::uint32_t first = 0; first < 32; first += group) groups += (lanes >> first & members) != 0;
    return groups;
}

/// What lanes touch in a line.
struct Touched {
    LaneMask lanes = 0;
    std::uint32_t words = 0;               // one bit each
    std::array<std::uint32_t, 4> bytes{};  // of each sector, where accesses are narrower than words
};

/// The lines of an access, found by their numbers.
class LinesByNumber {
public:
    explicit LinesByNumber(Coalesced& out) : out_(out) {}
    Touched& find_or_add(std::uint64_t line) {
        std::size_t at = (line ^ line >> 6) % places_.size();
        for (; places_[at] != 0; at = (at + 1) % places_.size())
            if (out_.lines[places_[at] - 1u].line == line) return touched_[places_[at] - 1u];
        out_.lines[out_.count] = {line, 0, 0};
        Touched& added = touched_[out_.count];
        places_[at] = static_cast<std::uint8_t>(++out_.count);
        added = {};
        return added;
    }
    Touched const& operator[](std::uint32_t position) const { return touched_[position]; }

private:
    Coalesced& out_;
    std::array<std::uint8_t, 64> places_{};  // positions and 1; 0: none. Twice as many as there can be lines
    std::array<Touched, 32> touched_;        // of each line that there is
};

/// Adjacent lanes often access the same line, which is not looked for again then. An access is aligned, so it lies in one sector.
template <bool are_words> void coalesce_lanes(Addresses const& addresses, std::uint32_t group, Coalesced& out) {
    LinesByNumber lines(out);
    std::uint64_t current = 0;
    Touched* touched = nullptr;
    auto const ones = [](std::uint32_t count) {
        return static_cast<std::uint32_t>((std::uint64_t{1} << std::min(count, 32u)) - 1);
    };
    std::uint32_t const words = ones((addresses.bytes + data_bank_bytes - 1) / data_bank_bytes),
                        bytes = ones(addresses.bytes);
    for (LaneMask left = addresses.mask; left != 0; left &= left - 1) {
        std::uint64_t const address = addresses.of(std::countr_zero(left));
        if (touched == nullptr || address / line_bytes != current) {
            current = address / line_bytes;
            touched = &lines.find_or_add(current);
        }
        touched->lanes |= left & ~(left - 1);
        touched->words |= words << address % line_bytes / data_bank_bytes;
        if constexpr (!are_words)
            touched->bytes[address % line_bytes / sector_bytes] |= bytes << address % sector_bytes;
    }
    WordCounts wanted;
    for (std::uint32_t i = 0; i < out.count; ++i) {
        LineAccess& a = out.lines[i];
        Touched const& t = lines[i];
        a.sectors = any_of_bytes(t.words);
        if (are_words) {
            a.covered = whole_bytes(t.words);
        } else {
            for (std::uint32_t s = 0; s < line_bytes / sector_bytes; ++s)
                a.covered |= static_cast<std::uint8_t>((t.bytes[s] == ~0u ? 1u : 0u) << s);
        }
        out.sectors += count_of(a.sectors);
        wanted.add(t.words);
        out.lookups += groups_of(t.lanes, group);
    }
    out.bank_cycles = wanted.most();
}

void coalesce_scattered(Addresses const& addresses, std::uint32_t group, Coalesced& out) {
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
