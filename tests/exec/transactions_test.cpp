// Sectors and bank cycles against counts that go lane by lane and byte by byte.
#include "sim/exec/lanes/transactions.hpp"
#include "tests/support/addresses.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>

namespace transactions_test {

using namespace warpsim;
using namespace warpsim::test;
using sim::Addresses;
using sim::Banks;

namespace {

std::uint32_t slow_sectors(Addresses const& a) {
    std::set<std::uint64_t> sectors;
    for (int lane = 0; lane < 32; ++lane) {
        if ((a.mask >> lane & 1) == 0) continue;
        for (std::uint32_t b = 0; b < a.bytes; ++b) sectors.insert((a.of(lane) + b) / 32);
    }
    return static_cast<std::uint32_t>(sectors.size());
}

/// Cycles, and the passes that it takes without a conflict.
std::pair<std::uint32_t, std::uint32_t> slow_banks(Addresses const& a, Banks banks, bool is_atomic = false) {
    if (a.pattern == sim::Pattern::uniform && !is_atomic) return {1, 1};
    std::uint32_t const size = a.bytes <= banks.width_bytes ? 32 : std::max(32 * banks.width_bytes / a.bytes, 1u);
    std::uint32_t cycles = 0, passes = 0;
    for (std::uint32_t first = 0; first < 32; first += size) {
        std::map<std::uint64_t, std::multiset<std::uint64_t>> words_of_bank;
        for (std::uint32_t lane = first; lane < first + size; ++lane) {
            if ((a.mask >> lane & 1) == 0) continue;
            std::uint32_t const bytes = is_atomic ? 1 : a.bytes;
            std::set<std::uint64_t> words;
            for (std::uint32_t b = 0; b < bytes; ++b)
                words.insert((a.of(static_cast<int>(lane)) + b) / banks.width_bytes);
            for (std::uint64_t const word : words) {
                auto& known = words_of_bank[word % banks.count];
                if (is_atomic || known.count(word) == 0) known.insert(word);
            }
        }
        std::size_t most = 0;
        for (auto const& [bank, words] : words_of_bank) most = std::max(most, words.size());
        cycles += static_cast<std::uint32_t>(most);
        passes += most != 0;
    }
    return {cycles, passes};
}

Banks const several_banks[] = {{32, 4}, {32, 8}, {16, 4}, {64, 4}, {32, 1}, {8, 16}, {1, 4}, {128, 2}, {1024, 64}};

/// Of lanes that want no more than one word each; with `is_atomic` those on the same word count one by one.
std::uint32_t slow_bank(Addresses const& a, unsigned shift, std::uint32_t banks, bool is_atomic) {
    std::map<std::uint64_t, std::multiset<std::uint64_t>> units_of_bank;
    std::size_t most = 0;
    for (int lane = 0; lane < 32; ++lane) {
        if ((a.mask >> lane & 1) == 0) continue;
        std::uint64_t const unit = a.of(lane) >> shift;
        auto& known = units_of_bank[unit % banks];
        if (is_atomic || known.count(unit) == 0) known.insert(unit);
        most = std::max(most, known.size());
    }
    return static_cast<std::uint32_t>(most);
}

void check_hosts(Addresses const& a) {
    for (isa::HostIsa const host : {isa::HostIsa::baseline, isa::HostIsa::avx2, isa::HostIsa::avx512}) {
        if (!isa::runs_here(host)) continue;
        INFO(isa::name(host));
        sim::UnitCounters const& counts = sim::unit_counters(host);
        CHECK(counts.distinct(a, a.mask, 5) == slow_sectors(a));
        for (std::uint32_t const banks : {1u, 16u, 32u, 64u, 128u, 256u, 1024u}) {
            INFO(banks << " banks");
            CHECK(counts.most_in_bank(a, a.mask, 2, banks) == slow_bank(a, 2, banks, false));
            CHECK(counts.most_lanes_of_bank(a, a.mask, 2, banks) == slow_bank(a, 2, banks, true));
        }
    }
}

void check(Addresses const& a) {
    check_hosts(a);
    INFO("bytes " << a.bytes << ", mask " << a.mask << ", first " << a.of(std::countr_zero(a.mask)));
    CHECK(sim::count_sectors(a) == slow_sectors(a));
    for (Banks const banks : several_banks) {
        INFO(banks.count << " banks of " << banks.width_bytes << " bytes");
        auto const [cycles, passes] = slow_banks(a, banks);
        CHECK(sim::bank_cycles(a, banks) == cycles);
        CHECK(sim::bank_conflicts(a, banks) == cycles - passes);
        CHECK(sim::atomic_bank_cycles(a, banks) == slow_banks(a, banks, true).first);
    }
}

sim::LaneMask some_mask(std::mt19937& random) {
    switch (random() % 5) {
        case 0: return static_cast<sim::LaneMask>(random() | 1u << random() % 32);
        case 1: return ~0u >> random() % 32;  // the first lanes, as at an array's end
        case 2: return ~0u << random() % 32;
        default: return ~0u;
    }
}

}  // namespace

TEST_CASE("Strides cost the sectors and bank cycles that counting lane by lane gives", "[exec]") {
    std::mt19937 random(1);
    for (std::uint32_t bytes = 1; bytes <= 32; bytes *= 2) {
        for (std::int64_t step = -40; step <= 40; ++step) {
            std::int64_t const stride = step * bytes;
            check(scattered(
                bytes,
                [&](std::uint32_t i) { return static_cast<std::uint64_t>(0x10000 + stride * std::int64_t{i}); },
                some_mask(random)));
        }
        for (std::uint64_t const stride : {128u, 132u, 1024u, 4096u, 1u << 20}) {
            if (stride % bytes == 0)
                check(scattered(bytes, [&](std::uint32_t i) { return 0x10000 + i * stride; }));
        }
    }
}

TEST_CASE("Rows, tiles and broadcasts cost what counting lane by lane gives", "[exec]") {
    std::mt19937 random(2);
    for (int round = 0; round < 400; ++round) {
        std::uint32_t const bytes = 1u << random() % 6;
        sim::LaneMask const mask = some_mask(random);
        std::uint64_t const start = 0x10000 + random() % 64 * bytes, pitch = random() % 80 * bytes;
        std::uint32_t const width = 1u << random() % 6;  // adjacent lanes
        check(affine(bytes, start, mask));
        check(uniform(bytes, start, mask));
        // A tile, row by row; and one column of it for each row of lanes.
        check(scattered(
            bytes, [&](std::uint32_t i) { return start + i / width * pitch + i % width * bytes; }, mask));
        check(scattered(
            bytes, [&](std::uint32_t i) { return start + i / width * pitch; }, mask));
    }
}

TEST_CASE("Random addresses cost what counting lane by lane gives", "[exec]") {
    std::mt19937_64 random(3);
    std::mt19937 masks(4);
    for (int round = 0; round < 600; ++round) {
        std::uint32_t const bytes = 1u << random() % 6;
        std::uint64_t const span = std::uint64_t{64} << random() % 24;
        check(scattered(
            bytes, [&](std::uint32_t) { return 0x20000 + random() % span / bytes * bytes; }, some_mask(masks)));
    }
}

TEST_CASE("Sectors at both ends of the address space are told apart", "[exec]") {
    Addresses const a = scattered(4, [&](std::uint32_t i) {
        return (i % 2 == 0 ? std::uint64_t{0x1000} : std::uint64_t{1} << 62) + i / 4 * 32;
    });
    CHECK(sim::count_sectors(a) == 16);
}

TEST_CASE("Shared-memory lanes conflict when they want different words of a bank", "[exec]") {
    auto const cycles = [](std::uint32_t bytes, std::uint32_t stride) {
        return sim::bank_cycles(scattered(bytes, [&](std::uint32_t i) { return std::uint64_t{i} * stride; }), {});
    };
    CHECK(cycles(4, 4) == 1);
    CHECK(cycles(4, 8) == 2);
    CHECK(cycles(4, 12) == 1);
    CHECK(cycles(4, 16) == 4);
    CHECK(cycles(4, 132) == 1);
    CHECK(cycles(4, 128) == 32);
    CHECK(cycles(4, 0) == 1);
    CHECK(cycles(1, 1) == 1);
    CHECK(cycles(8, 8) == 2);  // two passes of half a warp
    CHECK(cycles(16, 16) == 4);
    CHECK(cycles(8, 16) == 4);
    CHECK(sim::bank_cycles(uniform(4, 64), {}) == 1);
    CHECK(sim::bank_cycles(affine(4, 64), {}) == 1);
    CHECK(sim::bank_conflicts(affine(16, 64), {}) == 0);
}

TEST_CASE("Shared-memory atomics on one word take turns", "[exec]") {
    CHECK(sim::atomic_bank_cycles(affine(4, 0), {}) == 1);
    CHECK(sim::atomic_bank_cycles(uniform(4, 0), {}) == 32);
    CHECK(sim::atomic_bank_cycles(uniform(4, 0, 0x7), {}) == 3);
}

}  // namespace transactions_test
