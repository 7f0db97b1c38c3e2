// Loads and stores of every width, order and scope; queries about addresses; hints for caches; bulk stores.
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

namespace data_movement_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

std::string for_target(std::string text, std::string const& target) {
    text.replace(text.find("sm_90"), 5, target);
    return text;
}

std::string report_of(std::string const& body, std::string const& before = {},
                      std::string const& target = "sm_90") {
    try {
        return Program(for_target(kernel(body, before), target)).error();
    } catch (Error const& error) {
        return error.what();
    }
}

}  // namespace

TEST_CASE("Loads and stores of every width take every order and scope", "[exec]") {
    struct Width {
        char const* type;
        char const* reg;
        unsigned bytes;
    };
    Width const widths[] = {{"b8", "%h1", 1},   {"u16", "%h1", 2}, {"s32", "%r1", 4},
                            {"b64", "%d10", 8}, {"f32", "%f1", 4}, {"b128", "%q1", 16}};
    std::vector<std::string> loads{"", ".weak", ".volatile"}, stores{"", ".weak", ".volatile"};
    for (std::string const scope : {".cta", ".cluster", ".gpu", ".sys"}) {
        loads.push_back(".relaxed" + scope);
        loads.push_back(".acquire" + scope);
        stores.push_back(".relaxed" + scope);
        stores.push_back(".release" + scope);
    }
    loads.push_back(".mmio.relaxed.sys");
    stores.push_back(".mmio.relaxed.sys");
    for (Width const& width : widths) {
        for (std::string const space : {".global", ".shared", ""}) {
            std::string body = "mul.wide.u32 %d0, %i, " + std::to_string(width.bytes) +
                               "; add.u64 %d1, %in, %d0; add.u64 %d2, %out, %d0;\n" +
                               (space == ".shared" ? "mov.u64 %d3, cells; add.u64 %d4, %d3, %d0;\n"
                                                   : "mov.u64 %d3, %out; mov.u64 %d4, %d2;\n");
            unsigned copies = 0;
            for (std::size_t k = 0; k < loads.size(); ++k) {
                if (space == ".shared" && loads[k].starts_with(".mmio")) continue;
                std::string const at = "+" + std::to_string(copies++ * 32 * width.bytes) + "]";
                std::string const reg = width.reg, type = std::string(".") + width.type;
                body += "ld.global" + type + " " + reg + ", [%d1" + at + "; st" + stores[k] + space + type +
                        " [%d4" + at + ", " + reg + ";\n";
                if (space != ".shared") continue;
                body += "ld" + loads[k] + space + type + " " + reg + ", [%d4" + at + "; st.global" + type +
                        " [%d2" + at + ", " + reg + ";\n";
            }
            if (space != ".shared") {
                // what was stored is loaded again and stored in the second half
                std::string const half = std::to_string(copies * 32 * width.bytes);
                for (unsigned k = 0; k < copies; ++k) {
                    std::string const at = "+" + std::to_string(k * 32 * width.bytes) + "]";
                    std::string const reg = width.reg, type = std::string(".") + width.type;
                    body += "ld" + loads[k] + space + type + " " + reg + ", [%d4" + at + "; add.u64 %d5, %d2, " +
                            half + "; st.global" + type + " [%d5" + at + ", " + reg + ";\n";
                }
            }
            INFO(width.type << " " << space);
            Program program(kernel(body, ".shared .align 16 .b8 cells[8192];"));
            std::size_t const bytes = copies * 32 * width.bytes;
            auto const in = each<std::uint8_t>(
                bytes, [](std::uint32_t i) { return static_cast<std::uint8_t>(i * 73 + (i >> 8)); });
            program.in = program.device.upload(in);
            auto want = in;
            if (space != ".shared") want.insert(want.end(), in.begin(), in.end());
            CHECK(program.run<std::uint8_t>(want.size()) == want);
        }
    }
}

TEST_CASE("Strong loads extend as weak ones do, and read their lanes alone", "[exec]") {
    Program program(kernel(R"(
        and.b32 %r0, %i, 3; mul.wide.u32 %d0, %r0, 2; add.u64 %d0, %d0, %in;
        setp.lt.u32 %p0, %i, 8; mov.b32 %r1, 77;
        @%p0 ld.acquire.gpu.s8 %r1, [%d0];
        @!%p0 ld.relaxed.sys.global.u16 %r1, [%d0];
        st.release.cta.global.u32 [%o4], %r1;)"));
    program.in = program.device.upload(std::vector<std::uint16_t>{0xff80, 0x0102, 0x8003, 0x7fff});
    std::vector<std::uint32_t> const bytes{0xffffff80, 2, 3, 0xffffffff}, halves{0xff80, 0x0102, 0x8003, 0x7fff};
    CHECK(program.run<std::uint32_t>(32) ==
          each<std::uint32_t>(32, [&](std::uint32_t i) { return i < 8 ? bytes[i % 4] : halves[i % 4]; }));
}

TEST_CASE("256-bit vectors and reads through other caches move all their elements", "[exec]") {
    std::string text = for_target(kernel(R"(
        mul.wide.u32 %d0, %i, 32; add.u64 %d1, %in, %d0; add.u64 %d2, %out, %d0;
        ld.global.L2::evict_last.v8.b32 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [%d1];
        st.global.v8.b32 [%d2], {%r7, %r6, %r5, %r4, %r3, %r2, %r1, %r0};
        ld.relaxed.gpu.global.v4.u64 {%d4, _, %d6, %d7}, [%d1]; mov.u64 %d5, 5;
        st.release.gpu.v4.u64 [%d2+1024], {%d7, %d6, %d5, %d4};
        ld.global.nc.v8.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, _}, [%d1];
        st.global.v4.f32 [%d2+2048], {%f3, %f2, %f1, %f0};
        ldu.global.v4.u32 {%r8, %r9, %r10, %r11}, [%d1+16];
        st.volatile.v4.u32 [%d2+2064], {%r11, %r10, %r9, %r8};)"),
                                  "sm_100");
    text.replace(text.find("8.7"), 3, "8.8");
    Program program(text);
    auto const in = each<std::uint32_t>(256, [](std::uint32_t i) { return i * 2654435761u; });
    program.in = program.device.upload(in);
    std::vector<std::uint32_t> want(768);
    for (std::uint32_t i = 0; i < 256; ++i) {
        std::uint32_t const lane = i / 8, k = i % 8;
        want[8 * lane + 7 - k] = in[i];
        std::uint32_t const word = k / 2 == 1 ? (k % 2 == 0 ? 5 : 0) : in[i];
        want[256 + 8 * lane + 2 * (3 - k / 2) + k % 2] = word;
        want[512 + 8 * lane + (k < 4 ? 3 - k : 4 + 7 - k)] = in[i];
    }
    CHECK(program.run<std::uint32_t>(768) == want);
}

TEST_CASE("isspacep and cvta agree about every space", "[exec]") {
    std::string const questions[] = {"const",       "global",          "local", "shared",
                                     "shared::cta", "shared::cluster", "param", "param::entry"};
    struct Where {
        char const* make;  // a generic address in %d0
        unsigned yes;      // the answers to the queries, one bit each
    };
    Where const places[] = {
        {"mov.u64 %d0, %out;", 0x02},
        {"mov.u64 %d0, global_one; cvta.global.u64 %d0, %d0;", 0x02},
        {"mov.u64 %d0, const_one; cvta.const.u64 %d0, %d0;", 0x01},
        {"mov.u64 %d0, local_one; cvta.local.u64 %d0, %d0;", 0x04},
        {"mov.u64 %d0, shared_one; cvta.shared.u64 %d0, %d0;", 0x38},
        {"mov.u64 %d0, shared_one; cvta.shared::cluster.u64 %d0, %d0;", 0x38},
        {"mov.u64 %d0, p_in; cvta.param.u64 %d0, %d0;", 0xc2},
        {"mov.u64 %d0, 0;", 0x02},
    };
    std::string const before =
        ".global .u32 global_one = 1; .const .u32 const_one[2] = {2, 3}; .shared .u32 shared_one;";
    for (Where const& where : places) {
        INFO(where.make);
        std::string body = ".local .u32 local_one;\n" + std::string(where.make) + "mov.u32 %r0, 0;\n";
        for (unsigned q = 0; q < 8; ++q) {
            body +=
                "isspacep." + questions[q] + " %p0, %d0; @%p0 or.b32 %r0, %r0, " + std::to_string(1u << q) + ";\n";
        }
        Program program(kernel(body + "st.global.u32 [%o4], %r0;", before));
        CHECK(program.run<std::uint32_t>(32) == std::vector<std::uint32_t>(32, where.yes));
    }
    for (std::string const space :
         {"global", "const", "local", "shared", "shared::cta", "param", "param::entry"}) {
        INFO(space);
        std::string const name = space.starts_with("shared") ? "shared" : space;
        std::string const variable = space.starts_with("param") ? "p_in" : name + "_one";
        Program program(kernel(".local .u32 local_one; mov.u64 %d0, " + variable + "; cvta." + space +
                                   ".u64 %d1, %d0; cvta.to." + space +
                                   ".u64 %d2, %d1; sub.u64 %d3, %d2, %d0; st.global.u64 [%o8], %d3;",
                               before));
        CHECK(program.run<std::uint64_t>(32) == std::vector<std::uint64_t>(32, 0));
    }
}

TEST_CASE("Hints for caches change no values, and those for ranges name memory that is there", "[exec]") {
    Program program(kernel(R"(
        .local .u32 mine;
        prefetch.global.L1 [%out]; prefetch.global.L2 [%out+1048576]; prefetch.L2 [64]; prefetchu.L1 [%out];
        prefetch.local.L1 [mine]; prefetch.global.L2::evict_last [%out]; prefetch.tensormap [%out];
        st.global.u32 [%o4], %i;
        applypriority.global.L2::evict_normal [%out], 128; applypriority.L2::evict_normal [%out], 128;
        setp.eq.u32 %p0, %i, 5; @%p0 discard.global.L2 [%out+128], 128;
        pmevent 3; pmevent.mask 0xff;)"));
    CHECK(program.run<std::uint32_t>(64) ==
          each<std::uint32_t>(64, [](std::uint32_t i) { return i < 32 ? i : 0; }));
    CHECK(contains(report_of("discard.global.L2 [%out+4096], 128;"), "illegal address: 128-byte store to global"));
    CHECK(contains(report_of("discard.L2 [%out+64], 128;"), "misaligned address: 128-byte store"));
    CHECK(contains(report_of("applypriority.global.L2::evict_normal [%out+4096], 128;"),
                   "illegal address: 128-byte load from global"));
}

TEST_CASE("Cache policies are those that programs know as constants", "[exec]") {
    struct Policy {
        char const* make;
        std::uint64_t value;
    };
    // The first two are cuda::access_property's; the others were read from what ptxas 13 makes of constant
    // operands.
    Policy const policies[] = {
        {"createpolicy.fractional.L2::evict_last.b64 %d0;", 0x14f0000000000000},
        {"createpolicy.fractional.L2::evict_first.b64 %d0, 1.0;", 0x12f0000000000000},
        {"createpolicy.fractional.L2::evict_normal.b64 %d0, 0.5;", 0x1670000000000000},
        {"createpolicy.fractional.L2::evict_unchanged.b64 %d0, 1.0;", 0x10f0000000000000},
        {"createpolicy.fractional.L2::evict_last.L2::evict_first.b64 %d0, 0.25;", 0x1530000000000000},
        {"createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %d0, 0.25;", 0x1430000000000000},
        {"createpolicy.fractional.L2::evict_normal.L2::evict_first.b64 %d0, 0.9375;", 0x17e0000000000000},
        {"mov.f32 %f0, 0f3E99999A; createpolicy.fractional.L2::evict_last.b64 %d0, %f0;", 0x1440000000000000},
        {"createpolicy.fractional.L2::evict_last.b64 %d0, 0.01;", 0x1400000000000000},
        {"createpolicy.cvt.L2.b64 %d0, 0x14f0000000000000;", 0x14f0000000000000},
    };
    for (Policy const& policy : policies) {
        INFO(policy.make);
        Program program(kernel(std::string(policy.make) +
                               "ld.global.L2::cache_hint.u32 %r0, [%out], %d0; st.global.u64 [%o8], %d0;"));
        CHECK(program.run<std::uint64_t>(32) == std::vector<std::uint64_t>(32, policy.value));
    }
    Program ranges(kernel(R"(
        createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %d0, [%out+65536], 0x100000, 0x200000;
        createpolicy.range.L2::evict_normal.b64 %d1, [%in], 4096, %i;
        setp.ne.u32 %p0, %i, 31; @%p0 ret; st.global.u64 [%out], %d0; st.global.u64 [%out+8], %d1;)"));
    auto const got = ranges.run<std::uint64_t>(2);
    CHECK(got[0] >> 56 == 0x1d);
    CHECK(got[1] >> 56 == 0x1e);
}

TEST_CASE("A bulk store zeroes what its size says in shared memory, lane by lane", "[exec]") {
    std::string const before = ".shared .align 16 .b8 cells[1024];";
    std::string const body = R"(
        mov.u64 %d0, cells; mul.wide.u32 %d1, %i, 32; add.u64 %d2, %d0, %d1;
        mov.b64 %d3, -1; st.shared.v2.u64 [%d2], {%d3, %d3}; st.shared.v2.u64 [%d2+16], {%d3, %d3}; bar.sync 0;
        and.b32 %r0, %i, 3; mul.wide.u32 %d4, %r0, 8; setp.lt.u32 %p0, %i, 16;
        @%p0 st.bulk.weak.shared::cta [%d2], %d4, 0;
        cvta.shared.u64 %d5, %d2; @!%p0 st.bulk [%d5+8], 16, 0; bar.sync 0;
        ld.shared.v2.u64 {%d6, %d7}, [%d2]; ld.shared.v2.u64 {%d8, %d9}, [%d2+16];
        add.u64 %d1, %d1, %out; st.global.v2.u64 [%d1], {%d6, %d7}; st.global.v2.u64 [%d1+16], {%d8, %d9};)";
    Program program(for_target(kernel(body, before), "sm_100"));
    auto const want = each<std::uint64_t>(128, [](std::uint32_t i) -> std::uint64_t {
        std::uint32_t const lane = i / 4, word = i % 4;
        bool const zero = lane < 16 ? word < lane % 4 : word == 1 || word == 2;
        return zero ? 0 : ~std::uint64_t{0};
    });
    CHECK(program.run<std::uint64_t>(128) == want);
    CHECK(contains(report_of("mov.u64 %d0, cells; st.bulk.shared::cta [%d0], 1032, 0;", before, "sm_100"),
                   "past the end of 1024 bytes"));
    CHECK(contains(report_of("mov.u64 %d0, cells; st.bulk.shared::cta [%d0], 12, 0;", before, "sm_100"),
                   "multiples of 8"));
    CHECK(contains(report_of("st.bulk [%out], 8, 0;", before, "sm_100"), "illegal address: bulk store"));
}

TEST_CASE("Stores of sm_100 that release reach global memory", "[exec]") {
    Program program(for_target(
        kernel("st.async.release.gpu.global.u32 [%o4], %i; st.async.mmio.release.sys.b64 [%out+128], %in;"),
        "sm_100"));
    CHECK(program.run<std::uint32_t>(34) ==
          each<std::uint32_t>(34, [](std::uint32_t i) { return i < 32 ? i : 0; }));
}

TEST_CASE("A tensor map is copied from shared to global memory, and only a map can be changed", "[exec]") {
    std::string const before = ".shared .align 128 .b8 map[256];";
    Program program(kernel(R"(
        mov.u32 %r1, map; mad.lo.u32 %r2, %i, 4, %r1; add.u32 %r3, %i, 500; st.shared.u32 [%r2+128], %r3; bar.warp.sync -1;
        tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%out], [%r1+128], 128;)",
                           before));
    CHECK(program.run<std::uint32_t>(40) ==
          each<std::uint32_t>(40, [](std::uint32_t i) { return i < 32 ? 500 + i : 0; }));
    std::string const copy =
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned ";
    CHECK(
        contains(report_of("mov.u32 %r1, map; " + copy + "[%out+64], [%r1], 128;", before), "misaligned address"));
    CHECK(contains(report_of("mov.u32 %r1, map; " + copy + "[%out], [%r1+256], 128;", before), "past the end"));
    CHECK(contains(
        report_of("mov.u32 %r1, map; setp.lt.u32 %p0, %i, 9; @%p0 " + copy + "[%out], [%r1], 128;", before),
        "divergent"));
    std::string text = kernel("mov.u32 %r1, map; st.shared.u32 [%r1+124], 5; "
                              "tensormap.replace.tile.rank.shared::cta.b1024.b32 [map], 2;",
                              before);
    text.replace(text.find("sm_90"), 5, "sm_90a");
    Program replacing(text);
    CHECK(contains(replacing.error(), "tensormap.replace of 128 bytes that are no tensor map"));
}

TEST_CASE("What says something to the hardware only changes no values", "[exec]") {
    std::string text = kernel(R"(
        griddepcontrol.wait; pmevent 5; pmevent.mask 3;
        ldu.global.u32 %r0, [%in]; ldu.global.v2.u32 {%r1, %r2}, [%in+8]; add.u32 %r0, %r0, %r1; add.u32 %r0, %r0, %r2; add.u32 %r0, %r0, %i;
        st.global.u32 [%o4], %r0; griddepcontrol.launch_dependents;)");
    text.replace(text.find("sm_90"), 5, "sm_90a");
    Program program(text);
    program.in = program.device.upload(std::vector<std::uint32_t>{1000, 0, 200, 30});
    CHECK(program.run<std::uint32_t>(128, {.block = {128, 1, 1}}) ==
          each<std::uint32_t>(128, [](std::uint32_t i) { return 1230 + i; }));
}

}  // namespace data_movement_test
