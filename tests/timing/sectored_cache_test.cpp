#include "sim/timing/memory/mshrs.hpp"
#include "sim/timing/memory/sectored_cache.hpp"
#include "tests/support/catch.hpp"

#include <random>
#include <set>
#include <string>
#include <vector>

namespace sectored_cache_test {

using namespace warpsim;
using timing::SectoredCache;

namespace {

std::uint32_t put(SectoredCache& cache, std::uint64_t line, SectoredCache::Evicted* evicted = nullptr) {
    SectoredCache::Evicted ignored;
    std::uint32_t const place = cache.allocate(line, evicted != nullptr ? *evicted : ignored);
    if (place != SectoredCache::none) cache[place].valid = 0xf;
    return place;
}

/// Which of lines 1 to 4 is evicted by line 5 after line 1 has been used again.
std::uint64_t thrown_out(std::string const& policy) {
    SectoredCache cache(4, 4, policy);
    for (std::uint64_t line = 1; line <= 4; ++line) put(cache, line);
    cache.touch(cache.find(1));
    SectoredCache::Evicted evicted;
    put(cache, 5, &evicted);
    return evicted.number;
}

}  // namespace

TEST_CASE("A cache finds what was put in and nothing else", "[timing]") {
    SectoredCache cache(768, 256, "lru");
    std::set<std::uint64_t> inside;
    std::mt19937 random(1);
    for (int i = 0; i < 5000; ++i) {
        std::uint64_t const line = random() % 3000;
        if (cache.find(line) != SectoredCache::none) continue;
        SectoredCache::Evicted evicted;
        put(cache, line, &evicted);
        inside.insert(line);
        if (evicted.number != 0 || inside.size() > 768) inside.erase(evicted.number);
        if (i % 500 != 0) continue;
        for (std::uint64_t l = 1; l < 3000; ++l)
            REQUIRE((cache.find(l) != SectoredCache::none) == (inside.count(l) != 0));
    }
}

TEST_CASE("A cache finds all lines where many share their part of the index", "[timing]") {
    for (std::uint32_t const lines : {1u, 4u, 1024u}) {
        SectoredCache cache(lines, lines, "random");
        std::vector<std::uint64_t> inside(lines, UINT64_MAX);  // by place
        std::mt19937_64 random(1);
        for (int i = 0; i < 20000; ++i) {
            std::uint64_t const line = random() >> 16;
            REQUIRE(cache.find(line) == SectoredCache::none);
            SectoredCache::Evicted evicted;
            std::uint32_t const place = put(cache, line, &evicted);
            if (inside[place] != UINT64_MAX) {
                REQUIRE(evicted.number == inside[place]);
                REQUIRE(cache.find(inside[place]) == SectoredCache::none);
            }
            inside[place] = line;
            if (i % 1000 != 0) continue;
            for (std::uint32_t p = 0; p < lines; ++p)
                if (inside[p] != UINT64_MAX) REQUIRE(cache.find(inside[p]) == p);
        }
    }
}

TEST_CASE("LRU throws out the line unused for longest, FIFO the oldest", "[timing]") {
    CHECK(thrown_out("lru") == 2);
    CHECK(thrown_out("fifo") == 1);
}

TEST_CASE("Random replacement makes the same choices in every run", "[timing]") {
    auto const choices = [] {
        SectoredCache cache(8, 8, "random");
        std::vector<std::uint64_t> out;
        for (std::uint64_t line = 1; line < 100; ++line) {
            SectoredCache::Evicted evicted;
            put(cache, line, &evicted);
            out.push_back(evicted.number);
        }
        return out;
    };
    CHECK(choices() == choices());
    std::vector<std::uint64_t> const made = choices();
    CHECK(std::set<std::uint64_t>(made.begin(), made.end()).size() > 8);
}

TEST_CASE("A line that waits for data is not thrown out", "[timing]") {
    for (std::string const policy : {"lru", "fifo", "random"}) {
        SectoredCache cache(2, 2, policy);
        cache.expect(put(cache, 1), 0x3);
        cache.expect(put(cache, 2), 0x1);
        CHECK(put(cache, 3) == SectoredCache::none);
        cache.fill(cache.find(2), 0x1);
        SectoredCache::Evicted evicted;
        REQUIRE(put(cache, 3, &evicted) != SectoredCache::none);
        CHECK(evicted.number == 2);
        CHECK(cache.find(1) != SectoredCache::none);
    }
}

TEST_CASE("A sector written in part is dirty and becomes readable when it is filled", "[timing]") {
    SectoredCache cache(2, 2, "lru");
    SectoredCache::Evicted evicted;
    std::uint32_t const place = cache.allocate(1, evicted);
    cache[place].partial = 0x2;
    cache.expect(place, 0x2);
    CHECK(cache[place].valid == 0);
    cache.fill(place, 0x2);
    CHECK(cache[place].valid == 0x2);
    CHECK(cache[place].dirty == 0x2);
    CHECK(cache[place].partial == 0);
    put(cache, 2);
    put(cache, 3, &evicted);
    CHECK(evicted.number == 1);
    CHECK(evicted.dirty == 0x2);
}

TEST_CASE("A set is shown with its lines, their sectors and the order in which they go", "[timing]") {
    for (char const* const policy : {"lru", "fifo", "random"}) {
        INFO(policy);
        timing::SectoredCache cache(2, 2, policy);
        timing::SectoredCache::Evicted evicted;
        std::uint32_t const first = cache.allocate(5, evicted), second = cache.allocate(6, evicted);
        cache.expect(second, 0x4);
        cache[first].valid = 0x3;
        cache[first].dirty = 0x1;
        cache.touch(first);
        CHECK(cache.view().used == std::vector<std::uint32_t>{2});
        std::vector<timing::CachedLine> const lines = cache.set(0, 128);
        REQUIRE(lines.size() == 2);
        timing::CachedLine const& five = lines[0].address == 5 * 128 ? lines[0] : lines[1];
        timing::CachedLine const& six = lines[0].address == 5 * 128 ? lines[1] : lines[0];
        CHECK(five.valid == 0x3);
        CHECK(five.dirty == 0x1);
        CHECK(six.address == 6 * 128);
        CHECK(six.pending == 0x4);
        CHECK(five.has_order == (std::string(policy) != "random"));
        if (five.has_order) CHECK(five.order == (std::string(policy) == "lru" ? 1 : 0));
    }
}

TEST_CASE("MSHRs serve those who wait for a sector when it comes, in the order they came", "[timing]") {
    timing::Mshrs<char> mshrs(2, 3);
    std::uint32_t const a = mshrs.take();
    mshrs.add(a, 0x3, 'x');
    mshrs.add(a, 0x1, 'y');
    CHECK(mshrs.can_merge(a));
    mshrs.add(a, 0x2, 'z');
    CHECK_FALSE(mshrs.can_merge(a));
    CHECK_FALSE(mshrs.full());
    CHECK(mshrs.take() != a);
    CHECK(mshrs.full());
    std::string served;
    auto const note = [&](char who, std::uint8_t sectors) { served += who + std::to_string(sectors) + " "; };
    mshrs.fill(a, 0x1, false, note);
    CHECK(served == "x1 y1 ");
    CHECK(mshrs.full());
    mshrs.fill(a, 0x2, true, note);
    CHECK(served == "x1 y1 x2 z2 ");
    CHECK_FALSE(mshrs.full());
    CHECK(mshrs.in_use() == 1);
}

TEST_CASE("MSHRs keep the order of many who wait", "[timing]") {
    struct Waiter {
        int number;
        std::uint8_t sectors;
    };
    timing::Mshrs<int> mshrs(3, 1000);
    std::mt19937 random(1);
    for (int round = 0; round < 20; ++round) {
        std::uint32_t const entry = mshrs.take();
        std::vector<Waiter> waiters;
        int number = 0;
        for (std::uint8_t sector = 1; sector <= 8; sector = static_cast<std::uint8_t>(2 * sector)) {
            for (auto more = random() % 40; more != 0; --more) {
                auto const wanted = (random() % 15 + 1) & ~(sector - 1u);
                if (wanted == 0) continue;
                waiters.push_back({number, static_cast<std::uint8_t>(wanted)});
                mshrs.add(entry, static_cast<std::uint8_t>(wanted), number++);
            }
            std::vector<int> expected, served;
            for (Waiter& w : waiters) {
                if ((w.sectors & sector) != 0) expected.push_back(w.number);
                w.sectors &= static_cast<std::uint8_t>(~sector);
            }
            mshrs.fill(entry, sector, sector == 8, [&](int who, std::uint8_t) { served.push_back(who); });
            REQUIRE(served == expected);
            std::erase_if(waiters, [](Waiter const& w) { return w.sectors == 0; });
            REQUIRE((mshrs.first(entry) == nullptr) == waiters.empty());
        }
        REQUIRE(mshrs.in_use() == 0);
    }
}

}  // namespace sectored_cache_test
