// How the addresses of a warp lie, on each host instruction set, against a look at each lane.
#include "sim/exec/lanes/access.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <random>

namespace classify_test {

using namespace warpsim;
using sim::Addresses;
using sim::Pattern;

namespace {

using Lanes = std::array<std::uint64_t, 32>;

Pattern pattern_of(Lanes const& at, sim::LaneMask mask, std::uint32_t bytes) {
    auto const first = static_cast<std::size_t>(std::countr_zero(mask));
    bool is_affine = true, is_uniform = true;
    for (std::size_t i = first; i < 32; ++i) {
        if ((mask >> i & 1) == 0) continue;
        is_affine = is_affine && at[i] == at[first] + (i - first) * bytes;
        is_uniform = is_uniform && at[i] == at[first];
    }
    return is_affine ? Pattern::affine : is_uniform ? Pattern::uniform : Pattern::scattered;
}

void check(Addresses const& a, Lanes const& at, sim::LaneMask mask, std::uint32_t bytes) {
    std::uint64_t low = UINT64_MAX, high = 0, any = 0;
    for (int i = 0; i < 32; ++i) {
        if ((mask >> i & 1) == 0) continue;
        std::uint64_t const address = at[static_cast<std::size_t>(i)];
        CHECK(a.of(i) == address);
        low = std::min(low, address);
        high = std::max(high, address);
        any |= address;
    }
    CHECK(a.pattern == pattern_of(at, mask, bytes));
    CHECK(a.mask == mask);
    CHECK(a.bytes == bytes);
    CHECK(a.low == low);
    CHECK(a.past_high == high + bytes);
    CHECK((a.misaligned & (bytes - 1)) == (any & (bytes - 1)));
}

template <class Column>
void check_column(Lanes const& values, std::int64_t offset, sim::LaneMask mask, std::uint32_t bytes) {
    alignas(64) std::array<Column, 32> column;
    Lanes at;
    for (std::size_t i = 0; i < 32; ++i) {
        column[i] = static_cast<Column>(values[i]);
        at[i] = static_cast<Column>(column[i] + static_cast<Column>(offset));
    }
    for (isa::HostIsa const host : {isa::HostIsa::baseline, isa::HostIsa::avx2, isa::HostIsa::avx512}) {
        if (!isa::runs_here(host)) continue;
        INFO(isa::name(host) << ", " << sizeof(Column) << "-byte column, bytes " << bytes << ", mask " << mask);
        sim::AccessFunctions const& functions = sim::access_functions(host);
        Addresses a;
        (sizeof(Column) == 4 ? functions.classify32 : functions.classify64)(
            a, reinterpret_cast<std::byte const*>(column.data()), offset, mask, bytes);
        check(a, at, mask, bytes);
    }
}

}  // namespace

TEST_CASE("Addresses are one range, one place or scattered, as their lanes are", "[exec]") {
    std::mt19937_64 random(7);
    for (int round = 0; round < 1500; ++round) {
        std::uint32_t const bytes = 1u << random() % 6;
        // Near 2^32, where columns of 32 bits start anew, or anywhere.
        std::uint64_t const base =
            random() % 3 == 0 ? 0xffffffffull - random() % 1200 : 4096 + random() % (1ull << 40);
        Lanes values;
        auto const kind = random() % 5;
        for (std::uint64_t i = 0; i < 32; ++i) {
            std::uint64_t const odd = random() % 16 == 0 ? random() % 64 : i * bytes;
            values[i] = base + (kind == 0   ? i * bytes
                                : kind == 1 ? 0
                                : kind == 2 ? random() % 4096
                                : kind == 3 ? odd
                                            : i * 8);
        }
        auto const mask = random() % 2 == 0 ? ~0u : static_cast<sim::LaneMask>(random()) | 1u << random() % 32;
        std::int64_t const offset = random() % 2 == 0 ? 0 : static_cast<std::int64_t>(random() % 4096) - 2048;
        check_column<std::uint32_t>(values, offset, mask, bytes);
        check_column<std::uint64_t>(values, offset, mask, bytes);
    }
}

}  // namespace classify_test
