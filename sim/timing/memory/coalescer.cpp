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

// What is known of each line is in arrays, and these functions have no branches, so that a compiler computes several lines at once.

/// A one in each byte of which any bit is set, and in each of which all are.
constexpr std::uint32_t any_of_bytes(std::uint32_t bits) {
    bits |= bits >> 4;
    bits |= bits >> 2;
    return (bits | bits >> 1) & 0x01010101;
}
constexpr std::uint32_t whole_bytes(std::uint32_t bits) {
    bits &= bits >> 4;
    bits &= bits >> 2;
    return (bits & bits >> 1) & 0x01010101;
}
/// A bit for each of the four bytes that is one.
constexpr std::uint8_t bit_of_each(std::uint32_t bytes) {
    return static_cast<std::uint8_t>((bytes | bytes >> 7 | bytes >> 14 | bytes >> 21) & 15);
}
constexpr std::uint32_t sum_of_bytes(std::uint32_t bytes) { return bytes * 0x01010101 >> 24; }

/// How many groups of threads have lanes among these.
std::uint32_t groups_of(LaneMask lanes, std::uint32_t group) {
    if (group == 8) return sum_of_bytes(any_of_bytes(lanes));
    LaneMask const members = group >= 32 ? ~0u : (1u << group) - 1;
    std::uint32_t groups = 0;
    for (std::uint32_t first = 0; first < 32; first += group) groups += (lanes >> first & members) != 0;
    return groups;
}

/// How many of several sets of words have the word that most of them have. Counts are kept across words: bit k of a word's count
/// is its bit in `planes[k]`.
class WordCounts {
public:
    void add(std::uint32_t words) {
        for (std::size_t k = 0; words != 0; ++k) words &= std::exchange(planes_[k], planes_[k] ^ words);
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

/// The lines of an access, found by their numbers. Mostly each is beyond those before it, and nothing is looked for.
class LinesByNumber {
public:
    explicit LinesByNumber(Coalesced& out) : out_(out) {}
    /// Its position.
    std::uint32_t find_or_add(std::uint64_t line) {
        if (out_.count == 0 || line > highest_) {
            highest_ = line;
            return is_indexed_ ? add(line, place_of(line)) : add(line);
        }
        if (!is_indexed_) index();
        std::size_t const at = place_of(line);
        return places_[at] != 0 ? places_[at] - 1u : add(line, at);
    }

private:
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
    bool is_indexed_ = false;
    std::array<std::uint8_t, 64> places_;  // positions and 1; 0: none. Twice as many as there can be lines
};

/// What lanes touch, by line.
struct Touched {
    alignas(16) std::array<LaneMask, 32> lanes{};
    alignas(16) std::array<std::uint32_t, 32> words{};  // one bit each
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
    std::uint32_t const words = ones((addresses.bytes + data_bank_bytes - 1) / data_bank_bytes),
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
        touched.lanes[position] |= left & ~(left - 1);
        touched.words[position] |= words << address % line_bytes / data_bank_bytes;
        if constexpr (!are_words)
            bytes_of[position][address % line_bytes / sector_bytes] |= bytes << address % sector_bytes;
    }
    alignas(16) std::array<std::uint8_t, 32> sectors, covered;
    std::uint32_t all_sectors = 0, all_groups = 0;  // sums by byte
    for (std::size_t i = 0; i < 32; ++i) {
        std::uint32_t const any = any_of_bytes(touched.words[i]);
        sectors[i] = bit_of_each(any);
        covered[i] = bit_of_each(whole_bytes(touched.words[i]));
        all_sectors += any;
        all_groups += any_of_bytes(touched.lanes[i]);
    }
    WordCounts wanted;
    for (std::uint32_t i = 0; i < out.count; ++i) {
        LineAccess& a = out.lines[i];
        a.sectors = sectors[i];
        a.covered = covered[i];
        if constexpr (!are_words) {
            a.covered = 0;
            for (std::uint32_t s = 0; s < line_bytes / sector_bytes; ++s)
                a.covered |= static_cast<std::uint8_t>((bytes_of[i][s] == ~0u ? 1u : 0u) << s);
        }
        wanted.add(touched.words[i]);
        if (group != 8) out.lookups += groups_of(touched.lanes[i], group);
    }
    out.sectors = sum_of_bytes(all_sectors);
    if (group == 8) out.lookups = sum_of_bytes(all_groups);
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
