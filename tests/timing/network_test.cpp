// Topologies: hops and links, to the cycle.
#include "runtime/device.hpp"
#include "sim/timing/network/routers.hpp"
#include "sim/timing/network/topologies.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <set>
#include <string>
#include <vector>

namespace network_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

/// 16 SMs and 9 slices: a mesh of five columns.
plugin::TopologySettings settings() {
    plugin::TopologySettings s;
    s.sms = 16;
    s.slices = 9;
    for (std::uint32_t sm = 0; sm < 16; ++sm) s.gpc_of.push_back(sm / 8);
    s.hop_cycles = 3;
    s.link_bytes_per_cycle = 16;
    return s;
}

std::unique_ptr<plugin::Topology> make(std::string const& name) {
    return timing::network_components().make_topology(name, settings());
}

plugin::Packet packet(std::uint32_t sm, std::uint32_t slice, std::uint32_t bytes, plugin::Cycle sent,
                      bool is_reply = false) {
    return {sm, slice, bytes, is_reply, sent};
}

/// Of a chain of loads by one thread.
std::uint32_t load_cycles(std::vector<std::string> const& overrides) {
    runtime::DeviceOptions options;
    options.mode = runtime::Mode::timing;
    runtime::Device device(sim::load_config("teaching", overrides), options);
    auto const module = device.load_text("k.ptx", kernel(R"(
ld.global.u32 %r3, [%in]; add.u32 %r4, %r3, 1; bar.warp.sync -1;
mov.u32 %r1, %clock; add.u32 %r4, %r4, %r1; cvt.u64.u32 %d1, %r3; add.u64 %d1, %in, %d1;
ld.global.cg.u32 %r2, [%d1]; add.u32 %r2, %r2, %r4; mov.u32 %r5, %clock; sub.u32 %r5, %r5, %r1;
xor.b32 %r2, %r2, %r4; st.global.u32 [%o4+64], %r2; st.global.u32 [%o4], %r5;
)"));
    auto const out = device.allocate(4096), in = device.allocate(4096);
    runtime::LaunchShape shape;
    shape.block = {1, 1, 1};
    device.launch(*module, "k", shape, runtime::Arguments::of(out, in));
    return device.download<std::uint32_t>(out, 1)[0];
}

}  // namespace

TEST_CASE("Each SM and each slice has a router of its own, slices evenly among them", "[timing]") {
    timing::Routers const routers(settings());
    std::set<std::uint32_t> all(routers.sms.begin(), routers.sms.end());
    all.insert(routers.slices.begin(), routers.slices.end());
    CHECK(routers.sms.size() == 16);
    CHECK(routers.slices.size() == 9);
    CHECK(all.size() == 25);
    for (std::size_t i = 1; i < routers.slices.size(); ++i) {
        CHECK(routers.slices[i] - routers.slices[i - 1] >= 2);
        CHECK(routers.slices[i] - routers.slices[i - 1] <= 3);
    }
}

TEST_CASE("A packet in an empty mesh takes a hop for each column and row, whichever way it goes", "[timing]") {
    timing::Routers const routers(settings());
    auto const mesh = make("mesh");
    plugin::Cycle now = 0;
    for (std::uint32_t sm = 0; sm < 16; ++sm) {
        for (std::uint32_t slice = 0; slice < 9; ++slice, now += 1000) {
            auto const from = static_cast<int>(routers.sms[sm]), to = static_cast<int>(routers.slices[slice]);
            int const hops = std::abs(from % 5 - to % 5) + std::abs(from / 5 - to / 5);
            CHECK(mesh->delay(packet(sm, slice, 40, now)) == static_cast<plugin::Cycle>(3 * hops));
            CHECK(mesh->delay(packet(sm, slice, 40, now + 500, true)) == static_cast<plugin::Cycle>(3 * hops));
        }
    }
}

TEST_CASE("A mesh whose last row is short reaches all of its routers", "[timing]") {
    plugin::TopologySettings s = settings();
    s.sms = 7;  // 16 routers, and then one more
    for (std::uint32_t const slices : {9u, 10u}) {
        s.slices = slices;
        auto const mesh = timing::network_components().make_topology("mesh", s);
        plugin::Cycle now = 0;
        for (std::uint32_t sm = 0; sm < s.sms; ++sm) {
            for (std::uint32_t slice = 0; slice < s.slices; ++slice, now += 1000) {
                plugin::Cycle const there = mesh->delay(packet(sm, slice, 8, now));
                CHECK(there >= 3);
                CHECK(there <= 3 * 8);
                CHECK(mesh->delay(packet(sm, slice, 8, now + 500, true)) == there);
            }
        }
    }
}

TEST_CASE("In a ring packets go the shorter way", "[timing]") {
    timing::Routers const routers(settings());
    auto const ring = make("ring");
    plugin::Cycle now = 0;
    for (std::uint32_t sm = 0; sm < 16; ++sm) {
        for (std::uint32_t slice = 0; slice < 9; ++slice, now += 1000) {
            std::uint32_t const ahead = (routers.slices[slice] + 25 - routers.sms[sm]) % 25;
            CHECK(ring->delay(packet(sm, slice, 40, now)) == 3 * std::min(ahead, 25 - ahead));
            CHECK(ring->delay(packet(sm, slice, 40, now + 500, true)) == 3 * std::min(ahead, 25 - ahead));
        }
    }
}

TEST_CASE("Packets that share a link follow one another, those of the other direction do not wait", "[timing]") {
    auto const gpcs = make("gpcs");
    CHECK(gpcs->delay(packet(0, 0, 40, 100)) == 3);
    CHECK(gpcs->delay(packet(7, 5, 40, 100)) == 3 + 3);   // 40 bytes take three cycles of 16 bytes
    CHECK(gpcs->delay(packet(8, 5, 40, 100)) == 3);       // another GPC
    CHECK(gpcs->delay(packet(1, 0, 8, 101, true)) == 3);  // a reply
    CHECK(gpcs->delay(packet(1, 0, 8, 104)) == 3 + 2);    // until 106 + 3 the others pass
    CHECK(gpcs->delay(packet(1, 0, 8, 200)) == 3);

    timing::Routers const routers(settings());
    auto const ring = make("ring");
    // Neighbours on the ring, one behind the other, with a slice ahead.
    CHECK(routers.sms[0] == 0);
    CHECK(routers.sms[1] == 1);
    CHECK(routers.slices[0] == 2);
    CHECK(ring->delay(packet(1, 0, 160, 100)) == 3);
    CHECK(ring->delay(packet(0, 0, 16, 100)) == 3 + 7 + 3);  // at 103 it is there, and waits until 110
}

TEST_CASE("Hops are added to what a load takes", "[timing]") {
    // On the teaching GPU's ring of four stops, SMs and slices are neighbours.
    std::uint32_t const plain = load_cycles({});
    CHECK(load_cycles({"interconnect.topology=ring", "interconnect.hop_cycles=0",
                       "interconnect.link_bytes_per_cycle=64"}) == plain);
    CHECK(load_cycles({"interconnect.topology=ring", "interconnect.hop_cycles=10",
                       "interconnect.link_bytes_per_cycle=64"}) == plain + 20);
    CHECK(load_cycles({"interconnect.topology=crossbar", "interconnect.hop_cycles=10"}) == plain);
}

TEST_CASE("A narrow link of all SMs limits what they load together", "[timing]") {
    auto const run = [](std::vector<std::string> overrides) {
        runtime::DeviceOptions options;
        options.mode = runtime::Mode::timing;
        overrides.emplace_back("interconnect.topology=gpcs");
        runtime::Device device(sim::load_config("teaching", overrides), options);
        auto const module = device.load_text("k.ptx", kernel(R"(
mul.wide.u32 %d1, %i, 16; add.u64 %d1, %in, %d1;
ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d1]; ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%d1+65536];
add.u32 %r1, %r1, %r5; st.global.u32 [%o4], %r1;
)"));
        auto const out = device.allocate(1 << 16), in = device.allocate(1 << 20);
        runtime::LaunchShape shape;
        shape.grid = {32, 1, 1};
        shape.block = {128, 1, 1};
        return *device.launch(*module, "k", shape, runtime::Arguments::of(out, in)).timing;
    };
    auto const wide = run({"interconnect.link_bytes_per_cycle=4096", "interconnect.hop_cycles=0"});
    auto const narrow = run({"interconnect.link_bytes_per_cycle=2", "interconnect.hop_cycles=0"});
    CHECK(narrow.noc.reply_bytes == wide.noc.reply_bytes);
    CHECK(narrow.noc.delay_cycles > 100 * wide.noc.delay_cycles);
    // 2 bytes a cycle for all, with 8 of a header for each line.
    CHECK(narrow.cycles > narrow.noc.reply_bytes / 2);
    CHECK(narrow.cycles < narrow.noc.reply_bytes);
}

}  // namespace network_test
