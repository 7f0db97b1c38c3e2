// The allocator of a device's global memory, and the range of host addresses that it uses.
#include "sim/error.hpp"
#include "sim/memory/global_memory.hpp"
#include "sim/memory/reservation.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace global_memory_test {

using namespace warpsim;
using namespace warpsim::sim;

namespace {

constexpr std::uint64_t mib = 1 << 20;

std::string error_of(auto const& action) {
    try {
        action();
    } catch (Error const& error) {
        CHECK(error.kind() == ErrorKind::launch);
        return error.what();
    }
    return {};
}

bool contains(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("Allocations are zeroed, aligned to 512 bytes and apart from each other", "[memory]") {
    GlobalMemory memory(64 * mib);
    std::vector<Allocation> all;
    for (std::uint64_t const bytes : {1u, 511u, 512u, 513u, 4096u, 70000u, 3u << 20}) {
        std::uint64_t const address = memory.allocate(bytes);
        CHECK(address % GlobalMemory::alignment == 0);
        auto* const data = reinterpret_cast<unsigned char*>(address);
        CHECK(std::all_of(data, data + bytes, [](unsigned char b) { return b == 0; }));
        std::memset(data, 0xff, bytes);
        for (Allocation const& other : all)
            CHECK((address >= other.end + 1 || address + bytes + 1 <= other.begin));
        all.push_back({address, address + bytes});
    }
    CHECK(memory.used() == 1 + 511 + 512 + 513 + 4096 + 70000 + 3 * mib);
}

TEST_CASE("An allocation of zero bytes has an address of its own", "[memory]") {
    GlobalMemory memory(mib);
    std::uint64_t const a = memory.allocate(0), b = memory.allocate(0);
    CHECK(a != b);
    memory.free(a);
    memory.free(b);
    CHECK(memory.used() == 0);
}

TEST_CASE("An allocation is found by its bytes, to the byte", "[memory]") {
    GlobalMemory memory(mib);
    std::uint64_t const a = memory.allocate(100);
    REQUIRE(memory.find(a, 100).has_value());
    CHECK(memory.find(a, 100)->begin == a);
    CHECK(memory.find(a + 99, 1).has_value());
    CHECK(memory.find(a + 100, 0).has_value());
    CHECK_FALSE(memory.find(a + 99, 2));
    CHECK_FALSE(memory.find(a - 1, 1));
    CHECK_FALSE(memory.find(a, ~std::uint64_t{0}));
    CHECK_FALSE(memory.find(a + 50, std::uint64_t{0} - 50));
}

TEST_CASE("The map of a launch finds the allocation of an address and stays as it was", "[memory]") {
    GlobalMemory memory(mib);
    CHECK(memory.map()->find(memory.base()) == nullptr);
    std::uint64_t const a = memory.allocate(100), b = memory.allocate(1), c = memory.allocate(2000);
    auto const map = memory.map();
    CHECK(memory.map() == map);
    for (auto const& [address, want] : {std::pair(a, a), {a + 99, a}, {b, b}, {c, c}, {c + 1999, c}}) {
        REQUIRE(map->find(address) != nullptr);
        CHECK(map->find(address)->begin == want);
    }
    for (std::uint64_t const address : {std::uint64_t{0}, a - 1, a + 100, b + 1, c + 2000, ~std::uint64_t{0}}) {
        CHECK(map->find(address) == nullptr);
    }
    memory.free(b);
    CHECK(map->find(b) != nullptr);
    CHECK(memory.map()->find(b) == nullptr);
    CHECK(memory.map()->find(c) != nullptr);
}

TEST_CASE("A freed address is not used again and is told from others", "[memory]") {
    GlobalMemory memory(mib);
    std::uint64_t const a = memory.allocate(4096), b = memory.allocate(64);
    memory.free(a);
    CHECK(memory.used() == 64);
    CHECK(memory.allocate(4096) != a);
    CHECK(contains(memory.describe(a + 5), "inside a freed 4096-byte allocation"));
    CHECK(contains(memory.describe(b + 64), "0 bytes past the end of a 64-byte allocation"));
    CHECK(contains(memory.describe(b + 70), "6 bytes past the end of a 64-byte allocation"));
    CHECK(contains(memory.describe(b + 60), "reaching past the end of a 64-byte allocation"));
    CHECK(contains(memory.describe(b - 4), "4 bytes before a 64-byte allocation"));
    CHECK(memory.describe(0) == "not inside any allocation");
    CHECK(memory.describe(~std::uint64_t{0}) == "not inside any allocation");
}

TEST_CASE("What was not allocated cannot be freed, and nothing twice", "[memory]") {
    GlobalMemory memory(mib);
    std::uint64_t const a = memory.allocate(4096);
    CHECK(contains(error_of([&] { memory.free(a + 512); }), "no allocation begins there"));
    CHECK(contains(error_of([&] { memory.free(0); }), "no allocation begins there"));
    memory.free(a);
    CHECK(contains(error_of([&] { memory.free(a); }), "it was freed before"));
}

TEST_CASE("Capacity is counted in bytes and comes back when memory is freed", "[memory]") {
    GlobalMemory memory(mib);
    std::uint64_t const a = memory.allocate(mib - 10);
    std::string const text = error_of([&] { memory.allocate(11); });
    INFO(text);
    CHECK(contains(text, "out of device memory: 11 bytes asked for, 10 of 1048576 free"));
    CHECK(!error_of([&] { memory.allocate(~std::uint64_t{0}); }).empty());
    memory.allocate(10);
    CHECK(!error_of([&] { memory.allocate(0); }).empty());
    memory.free(a);
    CHECK(error_of([&] { memory.allocate(mib - 10); }).empty());
}

TEST_CASE("When a slot's addresses are used up freed ranges serve again, zeroed", "[memory]") {
    std::uint64_t const slot = Reservation::process().slot_bytes();
    GlobalMemory memory(slot);
    std::uint64_t const large = slot / 2 - (std::uint64_t{4} << 20);
    std::uint64_t const a = memory.allocate(large), b = memory.allocate(large);
    std::memset(reinterpret_cast<void*>(a), 0xff, 8192);
    std::memset(reinterpret_cast<void*>(a + large - 100), 0xff, 100);
    memory.free(a);
    memory.free(b);
    std::uint64_t const first = memory.allocate(16 * mib);  // no fresh range of that size is left
    CHECK(first == a);
    auto* const data = reinterpret_cast<unsigned char*>(first);
    CHECK(std::all_of(data, data + 8192, [](unsigned char byte) { return byte == 0; }));
}

TEST_CASE("Each device has a slot of its own, and a slot given back is taken again", "[memory]") {
    Reservation& reservation = Reservation::process();
    std::vector<std::unique_ptr<GlobalMemory>> devices;
    for (int i = 0; i < max_devices; ++i) devices.push_back(std::make_unique<GlobalMemory>(mib));
    for (std::size_t i = 1; i < devices.size(); ++i)
        CHECK(devices[i]->base() - devices[i - 1]->base() == reservation.slot_bytes());
    CHECK(contains(error_of([] { GlobalMemory one_more(mib); }), "at most 16 devices"));
    std::uint64_t const base = devices[5]->base(), address = devices[5]->allocate(100);
    std::memset(reinterpret_cast<void*>(address), 0xff, 100);
    devices[5].reset();
    devices[5] = std::make_unique<GlobalMemory>(mib);
    CHECK(devices[5]->base() == base);
    std::uint64_t const again = devices[5]->allocate(100);
    CHECK(again == address);
    CHECK(*reinterpret_cast<unsigned char*>(again) == 0);
}

TEST_CASE("The windows lie behind all slots and do not overlap", "[memory]") {
    Reservation& reservation = Reservation::process();
    GlobalMemory memory(mib);
    Windows const& w = reservation.windows();
    CHECK(w.shared >= memory.base() + reservation.slot_bytes());
    CHECK(w.local >= w.shared + window_bytes);
    CHECK(w.param >= w.local + window_bytes);
    CHECK(Windows::inside(w.local, w.local));
    CHECK(Windows::inside(w.local + window_bytes - 1, w.local));
    CHECK_FALSE(Windows::inside(w.local + window_bytes, w.local));
    CHECK_FALSE(Windows::inside(w.local - 1, w.local));
}

TEST_CASE("Memory for programs with 32-bit addresses begins behind 0 and cannot come after what lies beyond",
          "[memory]") {
    GlobalMemory memory(64 * mib);
    memory.keep_narrow();
    std::uint64_t const first = memory.allocate(4);
    CHECK(first > memory.base());
    CHECK(first - memory.base() < narrow_windows.shared);
    if (Reservation::process().slot_bytes() < 8192 * mib) return;  // under a sanitizer nothing lies beyond
    GlobalMemory large(8192 * mib);
    large.free(large.allocate(4096 * mib));
    CHECK(contains(error_of([&] { large.keep_narrow(); }), "a module with 32-bit addresses cannot be loaded"));
}

}  // namespace global_memory_test
