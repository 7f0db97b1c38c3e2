// How long products of warpgroups take: in the unit, by their operands in shared memory, and until a wait for them ends.
#include "tests/support/catch.hpp"
#include "tests/support/matrices.hpp"

#include <string>
#include <vector>

namespace warpgroup_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

struct Timed {
    std::string type = ".f32.f16.f16";
    int k = 16, n = 64;
    bool a_is_shared = true;
    int waits_each = 1000;  // a wait behind so many products
    std::uint32_t threads = 128;
};

std::string kernel_of(Timed const& t, int count) {
    int const sums = t.n / 2;
    bool const is_half = t.k == 16;
    std::string text =
        ".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 p_out)\n{\n"
        ".shared .align 1024 .b8 s[49152];\n.reg .b64 %out, %a, %b; .reg .f32 %c<" +
        std::to_string(sums) +
        ">; .reg .b32 %r<4>;\nld.param.u64 %out, [p_out]; mov.b64 %a, 0x4000004000010000;\n"
        "mov.b64 %b, 0x4000004000010200;\nmov.u32 %r0, 0; mov.u32 %r1, 0; mov.u32 %r2, 0; mov.u32 %r3, 0;\n"
        "wgmma.fence.sync.aligned;\n";
    std::string const a = t.a_is_shared ? "%a" : list("r", 0, 4);
    std::string const transposes = !is_half ? "" : t.a_is_shared ? ", 0, 0" : ", 0";
    for (int i = 1; i <= count; ++i) {
        text += "wgmma.mma_async.sync.aligned.m64n" + std::to_string(t.n) + "k" + std::to_string(t.k) + t.type +
                " " + list("c", 0, sums) + ", " + a + ", %b, 1, 1, 1" + transposes + ";\n";
        if (i % t.waits_each == 0) text += "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n";
    }
    return text + "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\nst.global.f32 [%out], "
                  "%c0;\nret;\n}\n";
}

struct Ran {
    sim::LaunchStatistics statistics;
    std::uint32_t word = 0;  // the first that it stored
};
Ran ran(std::string const& text, std::uint32_t threads, std::vector<std::string> const& overrides) {
    runtime::DeviceOptions options;
    options.threads = 1;
    options.mode = runtime::Mode::timing;
    runtime::Device device(sim::load_config("h100", overrides), options);
    auto const module = device.load_text("test.ptx", text);
    auto const out = device.allocate(4096);
    runtime::LaunchShape shape;
    shape.block = {threads, 1, 1};
    auto const run = [&] { return device.launch(*module, "k", shape, runtime::Arguments::of(out)); };
    run();  // the second finds its instructions
    Ran r;
    r.statistics = run();
    device.read(&r.word, out, sizeof r.word);
    return r;
}
sim::LaunchStatistics timed(std::string const& text, std::uint32_t threads,
                            std::vector<std::string> const& overrides) {
    return ran(text, threads, overrides).statistics;
}
std::uint32_t timed_word(std::string const& text, std::vector<std::string> const& overrides) {
    return ran(text, 128, overrides).word;
}

/// Cycles from one product to the next.
double interval(Timed const& t, std::vector<std::string> const& overrides = {}) {
    std::uint64_t const few = timed(kernel_of(t, 16), t.threads, overrides).timing->cycles,
                        many = timed(kernel_of(t, 48), t.threads, overrides).timing->cycles;
    return static_cast<double>(many - few) / 32;
}

Timed wide(int n, bool a_is_shared = true) {
    Timed t;
    t.n = n;
    t.a_is_shared = a_is_shared;
    return t;
}

}  // namespace

TEST_CASE("Products of a warpgroup follow each other at published rates", "[timing]") {
    // LUO: 128, 64 and 32 cycles.
    CHECK(interval(wide(256)) == Approx(128).margin(0.5));
    CHECK(interval(wide(128)) == Approx(64).margin(0.5));
    CHECK(interval(wide(64)) == Approx(32).margin(0.5));
    // Narrow ones wait for a from shared memory: LUO, 63.1, 37.9 and 20.9 % of the peak, where wide ones reach 96.3 %.
    CHECK(16 / interval(wide(32)) == Approx(0.631 / 0.963).epsilon(0.04));
    CHECK(8 / interval(wide(16)) == Approx(0.379 / 0.963).epsilon(0.04));
    CHECK(4 / interval(wide(8)) == Approx(0.209 / 0.963).epsilon(0.04));
    CHECK(interval(wide(32, false)) == Approx(16).margin(0.5));
    // Two warpgroups share the units.
    Timed two = wide(128);
    two.threads = 256;
    CHECK(interval(two) == Approx(128).margin(1));
    Timed bytes = wide(256);
    bytes.type = ".f32.e4m3.e4m3";
    bytes.k = 32;
    CHECK(interval(bytes) == Approx(128).margin(0.5));
    CHECK(interval(bytes, {"sm.units.tensor.warpgroup_fp8_fma_per_cycle=2048"}) == Approx(256).margin(0.5));
}

TEST_CASE("A wait for products ends when they have left the unit, and profiles name it", "[timing]") {
    Timed t = wide(128);
    t.waits_each = 1;
    double const with = interval(t), without = interval(t, {"sm.units.tensor.warpgroup_tail_cycles=0"});
    CHECK(with - without == Approx(32).margin(0.5));
    t.waits_each = 4;
    CHECK(interval(t) == Approx(64 + 49.0 / 4).margin(3));
    auto const stalls = timed(kernel_of(t, 48), 128, {}).timing->stalls;
    auto const of = [&](sim::StallReason reason) { return stalls[static_cast<std::size_t>(reason)]; };
    CHECK(of(sim::StallReason::gmma) > 4 * 12 * 200);
    CHECK(of(sim::StallReason::math_pipe_throttle) < 100);  // for the unit of what stands between them
}

TEST_CASE("A wait for one product takes as long as on H800", "[timing]") {
    // CIC: 49 cycles and one for each register of the sum; 16 to 18 less where a comes from registers.
    for (int const n : {8, 16, 64, 256}) {
        Timed t = wide(n);
        t.waits_each = 1;
        INFO(n);
        CHECK(interval(t) == Approx(49 + n / 2).margin(4));
        t.a_is_shared = false;
        CHECK(interval(t) == Approx(33 + n / 2).margin(4));
    }
}

TEST_CASE("A warp issues no more products than the unit's queue takes", "[timing]") {
    // The clock after so many products of 32 cycles each: CIC, the eighth has to wait for the first.
    auto const issued = [](int products, std::vector<std::string> const& overrides = {}) {
        std::string text = kernel_of(wide(64), products);
        std::string const first = "wgmma.fence.sync.aligned;\n";
        text.insert(text.find(first) + first.size(), ".reg .b32 %begin, %end;\nmov.u32 %begin, %clock;\n");
        text.insert(text.find("wgmma.commit_group"), "mov.u32 %end, %clock;\nsub.u32 %end, %end, %begin;\n");
        text.insert(text.rfind("ret;"), "st.global.u32 [%out], %end;\n");
        return timed_word(text, overrides);
    };
    CHECK(issued(7) < 7 * 8);
    CHECK(issued(23) - issued(15) == 8 * 32);
    CHECK(issued(23, {"sm.units.tensor.warpgroup_queue_entries=0"}) < 23 * 8);
}

TEST_CASE("Operands of products go before other accesses to shared memory", "[timing]") {
    // Eight other warps keep shared memory busy with stores of 32 words for longer than the products take: these are as fast as alone,
    // and 32 more of them delay the stores by 48 cycles of operands each (CIC).
    int const stores = 600;
    std::string work =
        ".reg .b32 %x, %at; .reg .pred %p, %q;\nmov.u32 %x, %tid.x; setp.ge.u32 %p, %x, 128; shl.b32 "
        "%at, %x, 2; and.b32 %at, %at, 127;\n@!%p bra PRODUCTS;\n";
    for (int i = 0; i < stores; ++i) work += "st.volatile.shared.b32 [%at], %x;\n";
    work += "ret;\nPRODUCTS:\n";
    auto const cycles = [](std::string const& text, std::uint32_t threads) {
        return timed(text, threads, {}).timing->cycles;
    };
    auto const beside_stores = [&](int products) {
        std::string text = kernel_of(wide(128), products);
        text.insert(text.find("wgmma.fence"), work);
        return cycles(text, 384);
    };
    std::uint64_t const few = beside_stores(16), many = beside_stores(48);
    CHECK(few > cycles(kernel_of(wide(128), 48), 128));
    CHECK(many - few == 32 * 48);
}

TEST_CASE("A warp goes on while the products of its warpgroup are computed", "[timing]") {
    // As much other work as the products take costs nothing more.
    std::string const text = kernel_of(wide(256), 8);
    std::string work = ".reg .b32 %x;\nmov.u32 %x, %tid.x;\n";
    for (int i = 0; i < 100; ++i) work += "mad.lo.u32 %x, %x, %x, 1;\n";
    std::string busy = text;
    std::size_t const end = busy.rfind("wgmma.wait_group");
    busy.insert(end, work);
    busy.insert(busy.rfind("ret;"), "st.global.u32 [%out+4], %x;\n");
    std::uint64_t const alone = timed(text, 128, {}).timing->cycles, both = timed(busy, 128, {}).timing->cycles;
    CHECK(both < alone + 120);
}

}  // namespace warpgroup_test
