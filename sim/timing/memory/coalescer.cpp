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

void coalesce_scattered(Addresses const& addresses, std::uint32_t group, Coalesced& out) {
    std::array<std::array<std::uint32_t, 4>, 32> bytes;  // the bytes touched in each sector of each line
    std::array<std::uint32_t, 32> line_words{};          // the words touched in each line, one bit each
    LaneMask lanes_of_line[32];
    std::uint64_t last_line = UINT64_MAX;
    std::uint32_t last = 0;
    for (LaneMask m = addresses.mask; m != 0; m &= m - 1) {
        int const lane = std::countr_zero(m);
        std::uint64_t const address = addresses.of(lane), line = address / line_bytes;
        std::uint32_t i = last;
        if (line != last_line) {
            for (i = 0; i < out.count && out.lines[i].line != line; ++i) {}
            if (i == out.count) {
                out.lines[out.count++] = {line, 0, 0};
                bytes[i] = {};
                lanes_of_line[i] = 0;
            }
            last_line = line;
            last = i;
        }
        lanes_of_line[i] |= 1u << lane;
        std::uint32_t const within = static_cast<std::uint32_t>(address % line_bytes),
                            sector = within / sector_bytes;
        std::uint32_t const touched =
            addresses.bytes >= 32 ? ~0u : ((1u << addresses.bytes) - 1) << within % sector_bytes;
        bytes[i][sector] |= touched;
        std::uint32_t const words = (addresses.bytes + data_bank_bytes - 1) / data_bank_bytes;
        line_words[i] |= (words >= 32 ? ~0u : (1u << words) - 1) << within / data_bank_bytes;
    }
    std::array<std::uint32_t, data_banks> wanted{};
    for (std::uint32_t i = 0; i < out.count; ++i) {
        LineAccess& a = out.lines[i];
        for (std::uint32_t s = 0; s < 4; ++s) {
            if (bytes[i][s] != 0) a.sectors |= static_cast<std::uint8_t>(1u << s);
            if (bytes[i][s] == ~0u) a.covered |= static_cast<std::uint8_t>(1u << s);
        }
        out.sectors += count_of(a.sectors);
        for (std::uint32_t w = line_words[i]; w != 0; w &= w - 1)
            ++wanted[static_cast<std::size_t>(std::countr_zero(w))];
        for (std::uint32_t first = 0; first < 32; first += group) {
            LaneMask const members = (group >= 32 ? ~0u : (1u << group) - 1) << first;
            out.lookups += (lanes_of_line[i] & members) != 0;
        }
    }
    out.bank_cycles = *std::max_element(wanted.begin(), wanted.end());
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
