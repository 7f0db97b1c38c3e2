#include "sim/timing/memory/coalescer.hpp"
#include "tests/support/addresses.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <utility>

namespace coalescer_test {

using namespace warpsim;
using namespace warpsim::test;
using timing::Coalesced;

namespace {

Coalesced coalesced(sim::Addresses const& a) {
    Coalesced c;
    timing::coalesce(a, 8, c);
    return c;
}

Coalesced strided(std::uint32_t bytes, std::uint32_t stride) {
    return coalesced(scattered(bytes, [&](std::uint32_t i) { return 0x10000 + std::uint64_t{i} * stride; }));
}

}  // namespace

TEST_CASE("Neighbouring words of a warp are four sectors of one line", "[timing]") {
    Coalesced const c = coalesced(affine(4, 0x10000));
    REQUIRE(c.count == 1);
    CHECK(c.lines[0].line == 0x10000 / 128);
    CHECK(c.lines[0].sectors == 0xf);
    CHECK(c.lines[0].covered == 0xf);
    CHECK(c.sectors == 4);
    CHECK(c.lookups == 4);
    CHECK(c.bank_cycles == 1);
}

TEST_CASE("A misaligned row of words touches a fifth sector and covers three", "[timing]") {
    Coalesced const c = coalesced(affine(4, 0x10004));
    REQUIRE(c.count == 2);
    CHECK(c.sectors == 5);
    CHECK(c.lines[0].covered == 0xe);
    CHECK(c.lines[1].sectors == 0x1);
    CHECK(c.lines[1].covered == 0);
}

TEST_CASE("One address for all lanes is one sector, looked up by each group of threads", "[timing]") {
    Coalesced const c = coalesced(uniform(4, 0x10020));
    CHECK(c.count == 1);
    CHECK(c.sectors == 1);
    CHECK(c.lines[0].sectors == 0x2);
    CHECK(c.lines[0].covered == 0);
    CHECK(c.lookups == 4);
    CHECK(coalesced(uniform(4, 0x10020, 0xff)).lookups == 1);
}

TEST_CASE("A column of a matrix is a sector for each lane", "[timing]") {
    Coalesced const c = strided(4, 4096);
    CHECK(c.count == 32);
    CHECK(c.sectors == 32);
    CHECK(c.lookups == 32);
    CHECK(c.bank_cycles == 32);
}

TEST_CASE("Data banks serialise strides as measured on an A100", "[timing]") {
    // GPB gpu-strides: stride in bytes, cycles.
    CHECK(strided(4, 4).bank_cycles == 1);
    CHECK(strided(4, 8).bank_cycles == 2);
    CHECK(strided(4, 12).bank_cycles == 1);
    CHECK(strided(4, 16).bank_cycles == 4);
    CHECK(strided(4, 32).bank_cycles == 8);
    CHECK(strided(4, 64).bank_cycles == 16);
    CHECK(strided(4, 128).bank_cycles == 32);
    CHECK(strided(8, 8).bank_cycles == 2);
    CHECK(strided(8, 16).bank_cycles == 4);
    CHECK(strided(8, 24).bank_cycles == 2);
    CHECK(coalesced(affine(8, 0x10000)).bank_cycles == 2);
    CHECK(coalesced(affine(16, 0x10000)).bank_cycles == 4);
}

TEST_CASE("Sectors, covered bytes, lookups and banks agree with a count byte by byte", "[timing]") {
    std::mt19937 random(3);
    for (int round = 0; round < 600; ++round) {
        std::uint32_t const bytes = 1u << random() % 6;
        std::uint64_t const span = 64u << random() % 6;
        auto const mask = static_cast<sim::LaneMask>(round % 4 == 0 ? ~0u : random() | 1u << random() % 32);
        sim::Addresses a = scattered(
            bytes, [&](std::uint32_t) { return 0x20000 + random() % span / bytes * bytes; }, mask);
        if (round % 3 == 0) a = affine(bytes, 0x20000 + random() % 64 * bytes, mask);
        if (round % 3 == 1) {  // rows of a tile, as threads of two dimensions access them
            std::uint64_t const row = 1u << random() % 5, pitch = random() % 200 * bytes,
                                first = random() % 64 * bytes;
            a = scattered(
                bytes, [&](std::uint32_t i) { return 0x20000 + first + i / row * pitch + i % row * bytes; }, mask);
        }
        std::set<std::uint64_t> touched, sectors, words;
        std::set<std::pair<std::uint32_t, std::uint64_t>> lookups;
        for (std::uint32_t lane = 0; lane < 32; ++lane) {
            for (std::uint32_t b = 0; (mask >> lane & 1) != 0 && b < bytes; ++b) {
                touched.insert(a.lane[lane] + b);
                lookups.emplace(lane / 8, a.lane[lane] / 128);
            }
        }
        std::array<std::uint32_t, 32> of_bank{};
        for (std::uint64_t const byte : touched) {
            sectors.insert(byte / 32);
            if (words.insert(byte / 4).second) ++of_bank[byte / 4 % 32];
        }
        Coalesced const c = coalesced(a);
        std::set<std::uint64_t> got;
        for (std::uint32_t i = 0; i < c.count; ++i) {
            for (std::uint32_t s = 0; s < 4; ++s) {
                if ((c.lines[i].sectors >> s & 1) == 0) continue;
                std::uint64_t const sector = c.lines[i].line * 4 + s;
                got.insert(sector);
                std::size_t whole = 0;
                for (std::uint64_t byte = sector * 32; byte < sector * 32 + 32; ++byte)
                    whole += touched.count(byte);
                CHECK((c.lines[i].covered >> s & 1) == (whole == 32));
            }
        }
        CHECK(got == sectors);
        CHECK(c.sectors == sectors.size());
        CHECK(c.lookups == lookups.size());
        CHECK(c.bank_cycles == *std::max_element(of_bank.begin(), of_bank.end()));
        CHECK(sim::count_sectors(a) == sectors.size());
    }
}

}  // namespace coalescer_test
