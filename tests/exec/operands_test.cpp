// Operands and guards: predicates that alias one another, widths that differ from the instruction's, special
// registers.
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <bit>

namespace operands_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

std::string const store_results = "\nst.global.u32 [%o4], %r0;";

void check(std::string const& body, std::function<std::uint32_t(std::uint32_t)> const& want,
           std::string const& before = {}) {
    for (bool const sharing : {true, false}) {
        INFO((sharing ? "shared columns" : "a column for every register"));
        runtime::DeviceOptions options = Program::one_thread();
        options.register_sharing = sharing;
        Program program(kernel(body + store_results, before), "independent", options);
        CHECK(program.run<std::uint32_t>(32) == each<std::uint32_t>(32, want));
    }
}

}  // namespace

TEST_CASE("setp writes both results from the old values of its predicates", "[exec]") {
    auto const bits =
        R"( mov.u32 %r0, 0; @%p0 or.b32 %r0, %r0, 1; @%p1 or.b32 %r0, %r0, 2; @%p2 or.b32 %r0, %r0, 4;)";
    std::string const start =
        "and.b32 %r1, %i, 1; setp.eq.u32 %p0, %r1, 0; and.b32 %r1, %i, 2; setp.eq.u32 %p1, %r1, 0;\n"
        "and.b32 %r1, %i, 4; setp.eq.u32 %p2, %r1, 0;\n";
    struct Case {
        char const* text;
        std::function<void(bool, bool&, bool&, bool&)> effect;
    };
    Case const cases[] = {
        {"setp.gt.u32 %p0|%p1, %i, 12;",
         [](bool c, bool& p, bool& q, bool&) {
             p = c;
             q = !c;
         }},
        {"setp.gt.and.u32 %p0, %i, 12, %p0;", [](bool c, bool& p, bool&, bool&) { p = c && p; }},
        {"setp.gt.or.u32 %p0|%p1, %i, 12, %p0;",
         [](bool c, bool& p, bool& q, bool&) {
             bool const o = p;
             p = c || o;
             q = !c || o;
         }},
        {"setp.gt.xor.u32 %p0|%p1, %i, 12, %p1;",
         [](bool c, bool& p, bool& q, bool&) {
             bool const o = q;
             p = c != o;
             q = c == o;
         }},
        {"setp.gt.and.u32 %p1|%p0, %i, 12, !%p0;",
         [](bool c, bool& p, bool& q, bool&) {
             bool const o = !p;
             q = c && o;
             p = !c && o;
         }},
        {"@%p0 setp.gt.and.u32 %p0|%p1, %i, 12, %p2;",
         [](bool c, bool& p, bool& q, bool& r) {
             if (p) {
                 p = c && r;
                 q = !c && r;
             }
         }},
        {"@!%p0 setp.gt.xor.u32 %p1|%p0, %i, 12, %p0;",
         [](bool c, bool& p, bool& q, bool&) {
             if (!p) {
                 bool const o = p;
                 q = c != o;
                 p = c == o;
             }
         }},
        {"@%p1 setp.gt.u32 %p1, %i, 12;",
         [](bool c, bool&, bool& q, bool&) {
             if (q) q = c;
         }},
        {"@%p1 and.pred %p1, %p0, %p2;",
         [](bool, bool& p, bool& q, bool& r) {
             if (q) q = p && r;
         }},
        {"@!%p1 not.pred %p1, %p1;", [](bool, bool&, bool& q, bool&) { q = true; }},
        {"xor.pred %p2, %p0, %p1;", [](bool, bool& p, bool& q, bool& r) { r = p != q; }},
        {"@%p2 mov.pred %p2, %p0;",
         [](bool, bool& p, bool&, bool& r) {
             if (r) r = p;
         }},
    };
    for (Case const& c : cases) {
        INFO(c.text);
        check(start + c.text + bits, [&](std::uint32_t i) {
            bool p = (i & 1) == 0, q = (i & 2) == 0, r = (i & 4) == 0;
            c.effect(i > 12, p, q, r);
            return (p ? 1u : 0) | (q ? 2u : 0) | (r ? 4u : 0);
        });
    }
}

TEST_CASE("A guard holds back arithmetic, its second pass, loads, stores and collectives", "[exec]") {
    check(R"(
        and.b32 %r1, %i, 3; setp.eq.u32 %p0, %r1, 1; mov.u32 %r0, 100;
        cvt.rn.f32.u32 %f0, %i; mov.f32 %f1, 0f41200000; @%p0 add.sat.f32 %f1, %f0, %f0; cvt.rzi.u32.f32 %r2, %f1; add.u32 %r0, %r0, %r2;
        mov.u64 %d0, 7; @!%p0 mul.wide.u32 %d0, %i, %i; cvt.u32.u64 %r3, %d0; mad.lo.u32 %r0, %r3, 1000, %r0;
        st.shared.u32 [cell], 5; @!%p0 ld.shared.u32 %r4, [cell]; @%p0 mov.u32 %r4, 6; add.u32 %r0, %r0, %r4;
        @%p0 atom.shared.add.u32 %r5, [cell], 1; bar.warp.sync -1; ld.shared.u32 %r6, [cell]; add.u32 %r0, %r0, %r6;)",
          [](std::uint32_t i) {
              bool const p = (i & 3) == 1;
              return 100 + (p ? 1 : 10) + 1000 * (p ? 7 : i * i) + (p ? 6 : 5) + 13;
          },
          ".shared .u32 cell;");
}

TEST_CASE("Saturation under a guard leaves the other lanes' values unsaturated", "[exec]") {
    check(R"(
        cvt.rn.f32.u32 %f0, %i; mov.f32 %f1, %f0; setp.gt.u32 %p0, %i, 15; @%p0 mul.sat.f32 %f1, %f1, %f1;
        cvt.rzi.u32.f32 %r0, %f1;)",
          [](std::uint32_t i) { return i > 15 ? 1 : i; });
}

TEST_CASE("Registers wider than the type of the instruction are narrowed and extended", "[exec]") {
    check(R"(
        mad.lo.u32 %r1, %i, 0x01010101, 0x7f80ff00;
        cvt.s32.s8 %r2, %r1; cvt.u32.u8 %r3, %r1; cvt.u16.u8 %h0, %r1; cvt.u32.u16 %r4, %h0; cvt.s64.s8 %d0, %r1; cvt.u32.u64 %r5, %d0;
        cvt.s8.s32 %r6, %r1; cvt.u64.u16 %d1, %r1; cvt.u32.u64 %r7, %d1;
        xor.b32 %r0, %r2, %r3; mad.lo.u32 %r0, %r4, 3, %r0; xor.b32 %r0, %r0, %r5; mad.lo.u32 %r0, %r6, 5, %r0; xor.b32 %r0, %r0, %r7;)",
          [](std::uint32_t i) {
              std::uint32_t const v = i * 0x01010101u + 0x7f80ff00u;
              auto const s8 = static_cast<std::uint32_t>(static_cast<std::int8_t>(v));
              std::uint32_t value = s8 ^ (v & 0xff);
              value = (v & 0xff) * 3 + value;
              value ^= s8;
              value = s8 * 5 + value;
              return value ^ (v & 0xffff);
          });
}

TEST_CASE("mov packs and unpacks vectors, in place too", "[exec]") {
    check(R"(
        add.u32 %r1, %i, 0x12340000; mul.lo.u32 %r2, %i, 0x10001;
        mov.b64 %d0, {%r1, %r2}; mov.b64 {%r3, %r4}, %d0; mov.b32 {%h0, %h1}, %r1; mov.b32 %r5, {%h1, %h0};
        mov.b64 {%h2, %h3, %h4, %h5}, %d0; mov.b64 %d1, {%h5, %h4, %h3, %h2}; mov.b64 {%r6, %r7}, %d1;
        mov.b64 {%r1, _}, %d1; mov.b64 {_, %r2}, %d0; mov.b64 {%r2, %r1}, %d0;
        mov.b128 %q0, {%d0, %d1}; mov.b128 {%d3, %d4}, %q0; cvt.u32.u64 %r8, %d4; cvt.u32.u64 %r9, %d3;
        xor.b32 %r0, %r3, %r5; mad.lo.u32 %r0, %r4, 3, %r0; mad.lo.u32 %r0, %r6, 5, %r0; mad.lo.u32 %r0, %r7, 7, %r0;
        mad.lo.u32 %r0, %r1, 11, %r0; mad.lo.u32 %r0, %r2, 13, %r0; mad.lo.u32 %r0, %r8, 17, %r0; mad.lo.u32 %r0, %r9, 19, %r0;)",
          [](std::uint32_t i) {
              std::uint32_t const a = i + 0x12340000, b = i * 0x10001;
              std::uint32_t const low = std::rotl(b, 16), high = std::rotl(a, 16);
              return (a ^ high) + 3 * b + 5 * low + 7 * high + 11 * b + 13 * a + 17 * low + 19 * a;
          });
}

TEST_CASE("A register that a thread has not written reads 0, whatever was there before", "[exec]") {
    std::string const functions = R"(
.func (.reg .u32 r) branch(.reg .u32 n) {
    .reg .u32 %a; .reg .pred %p; setp.eq.u32 %p, n, 0; @%p bra READ; mov.u32 %a, 77; READ: add.u32 r, %a, 1; ret; }
.func (.reg .u32 r) guard(.reg .u32 n) {
    .reg .u64 %a; .reg .pred %p, %q; setp.ne.u32 %p, n, 0; @%p mov.u64 %a, 77; @%p setp.eq.u32 %q, n, n; cvt.u32.u64 r, %a; @%q add.u32 r, r, 1; ret; }
.func (.reg .u32 r) round(.reg .u32 n) {
    .reg .u32 %a, %k; .reg .pred %p; mov.u32 %k, 0; AGAIN: add.u32 %k, %k, 1; setp.gt.u32 %p, %k, n; @%p bra OUT; mov.u32 %a, %k; bra AGAIN;
    OUT: mov.u32 r, %a; ret; })";
    check(R"(
        mov.u32 %r9, 0; mov.u32 %r0, 0;
        AGAIN: xor.b32 %r1, %r9, 1; call (%r2), branch, (%r1); call (%r3), guard, (%r1); mul.lo.u32 %r1, %r1, 5; call (%r4), round, (%r1);
        mad.lo.u32 %r0, %r0, 10, %r2; mad.lo.u32 %r0, %r0, 10, %r3; mad.lo.u32 %r0, %r0, 10, %r4;
        add.u32 %r9, %r9, 1; setp.lt.u32 %p0, %r9, 2; @%p0 bra AGAIN;)",
          [](std::uint32_t) { return (78 * 100u + 78 * 10 + 5) * 1000 + 100; }, functions);
    // and from one basic block to the next
    Program program(kernel("and.b32 %r1, %i, 1; setp.eq.u32 %p0, %r1, 1; @%p0 bra READ; mov.u32 %r2, 9; READ: "
                           "st.global.u32 [%o4], %r2;"));
    CHECK(program.run<std::uint32_t>(8, {.block = {1, 1, 1}, .grid = {8, 1, 1}}) ==
          each<std::uint32_t>(8, [](std::uint32_t i) { return i % 2 == 0 ? 9 : 0; }));
}

TEST_CASE("Special registers are read by cvt too, and whole", "[exec]") {
    check(R"(
        cvt.u64.u32 %d1, %tid.x; cvt.u16.u32 %h1, %ntid.x; cvt.u32.u16 %r1, %laneid; cvt.s32.s8 %r2, %lanemask_lt; cvt.u32.u64 %r3, %clock64;
        cvt.u32.u16 %r4, %h1; cvt.u32.u64 %r5, %d1; mad.lo.u32 %r5, %r4, 1000, %r5; mad.lo.u32 %r5, %r1, 100000, %r5; xor.b32 %r0, %r5, %r2;)",
          [](std::uint32_t i) {
              std::uint32_t const below = (1u << i) - 1;
              return (i + 32 * 1000 + i * 100000) ^
                     static_cast<std::uint32_t>(static_cast<std::int8_t>(below & 0xff));
          });
    // a destination may also be a source of the same instruction
    check(R"(
        .reg .v4 .u32 %v, %w; mov.v4.u32 %v, %tid; mov.v4.b32 {%r1, %r2, _, %r4}, %ntid; mov.v4.u16 {%h1, %h2, %h3, %h4}, %nctaid;
        mov.v4.u32 %w, %v; add.u32 %w.y, %w.x, 7; mov.v4.u32 {%r5, %r6, %r7, %r8}, {%w.y, %r1, %r2, %w.x};
        mov.v4.u32 {%r5, %r6, %r7, %r8}, {%r8, %r7, %r6, %r5}; cvt.u32.u16 %r3, %h3;
        mad.lo.u32 %r0, %r5, 2, %r6; mad.lo.u32 %r0, %r7, 3, %r0; mad.lo.u32 %r0, %r8, 5, %r0; add.u32 %r0, %r0, %v.z; add.u32 %r0, %r0, %r3;)",
          [](std::uint32_t i) { return 2 * i + 1 + 3 * 32 + 5 * (i + 7) + 0 + 1; });
}

TEST_CASE("Special registers give each thread its place in three dimensions", "[exec]") {
    std::string const names[] = {"%tid.x",           "%tid.y",       "%tid.z",
                                 "%ntid.x",          "%ntid.y",      "%ntid.z",
                                 "%ctaid.x",         "%ctaid.y",     "%ctaid.z",
                                 "%nctaid.x",        "%nctaid.y",    "%nctaid.z",
                                 "%laneid",          "%warpid",      "%nwarpid",
                                 "%lanemask_eq",     "%lanemask_le", "%lanemask_lt",
                                 "%lanemask_ge",     "%lanemask_gt", "%dynamic_smem_size",
                                 "%total_smem_size", "%tid.w"};
    std::size_t const count = std::size(names);
    // thread number in the grid from all three dimensions
    std::string body = R"(
        mov.u32 %r1, %tid.z; mov.u32 %r2, %ntid.y; mov.u32 %r3, %tid.y; mad.lo.u32 %r1, %r1, %r2, %r3; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
        mad.lo.u32 %r1, %r1, %r2, %r3; mov.u32 %r4, %ctaid.z; mov.u32 %r5, %nctaid.y; mov.u32 %r6, %ctaid.y; mad.lo.u32 %r4, %r4, %r5, %r6;
        mov.u32 %r5, %nctaid.x; mov.u32 %r6, %ctaid.x; mad.lo.u32 %r4, %r4, %r5, %r6; mad.lo.u32 %r1, %r4, 60, %r1;
        mad.wide.u32 %d0, %r1, )" +
                       std::to_string(4 * count) + ", %out;\nst.shared.u32 [fixed], 0;\n";
    for (std::size_t k = 0; k < count; ++k) {
        body += "mov.u32 %r0, " + names[k] + "; st.global.u32 [%d0+" + std::to_string(4 * k) + "], %r0;\n";
    }
    Program program(kernel(body, ".shared .align 4 .b8 fixed[12];"));
    auto const got =
        program.run<std::uint32_t>(60 * 12 * count, {.block = {5, 4, 3}, .grid = {3, 2, 2}, .dynamic_shared = 40});
    std::vector<std::uint32_t> want;
    for (std::uint32_t n = 0; n < 60 * 12; ++n) {
        std::uint32_t const t = n % 60, c = n / 60, lane = t % 32, eq = 1u << lane, lt = eq - 1;
        for (
            std::uint32_t const v :
            {t % 5, t / 5 % 4, t / 20, 5u, 4u,      3u, c % 3, c / 3 % 2,  c / 6, 3u,   2u, 2u,
             lane,  t / 32,    64u,    eq, lt | eq, lt, ~lt,   ~(lt | eq), 40u,   128u, 0u}) {  // shared memory comes in units of 128 bytes
            want.push_back(v);
        }
    }
    CHECK(got == want);
}

TEST_CASE("SM numbers lie below their count and grid numbers rise", "[exec]") {
    Program program(
        kernel("mov.u32 %r1, %smid; mov.u32 %r2, %nsmid; setp.lt.u32 %p0, %r1, %r2; selp.u32 %r0, 1, 0, %p0;\n"
               "mov.u64 %d0, %gridid; cvt.u32.u64 %r3, %d0; mad.lo.u32 %r0, %r3, 2, %r0; mad.lo.u32 %r0, %r2, "
               "1000, %r0;" +
               store_results));
    auto const first = program.run<std::uint32_t>(64, {.grid = {2, 1, 1}}),
               second = program.run<std::uint32_t>(64, {.grid = {2, 1, 1}});
    CHECK(first == std::vector<std::uint32_t>(64, first[0]));
    CHECK(first[0] / 1000 == program.device.config().sm.count);
    CHECK(first[0] % 2 == 1);
    CHECK(second == std::vector<std::uint32_t>(64, first[0] + 2));
}

TEST_CASE("Clocks never go back", "[exec]") {
    Program program(kernel(R"(
        mov.u32 %r0, 0; mov.u32 %r9, 0; mov.u64 %d0, %clock64; mov.u64 %d2, %globaltimer; mov.u32 %r4, %clock;
        LOOP: mov.u64 %d1, %clock64; setp.le.u64 %p0, %d1, %d0; @%p0 or.b32 %r0, %r0, 1; mov.u64 %d0, %d1;
        mov.u64 %d3, %globaltimer; setp.lt.u64 %p0, %d3, %d2; @%p0 or.b32 %r0, %r0, 2; mov.u64 %d2, %d3;
        mov.u32 %r5, %clock; setp.le.u32 %p0, %r5, %r4; @%p0 or.b32 %r0, %r0, 4; mov.u32 %r4, %r5;
        mov.u32 %r6, %clock_hi; setp.ne.u32 %p0, %r6, 0; @%p0 or.b32 %r0, %r0, 8;
        bar.sync 0; add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 20; @%p1 bra LOOP;)" +
                           store_results));
    CHECK(program.run<std::uint32_t>(96, {.block = {96, 1, 1}}) == std::vector<std::uint32_t>(96, 0));
}

TEST_CASE("Special registers of the system: sizes of shared memory, the SM, counters and what no driver sets",
          "[exec]") {
    std::string const before = ".shared .align 4 .b8 fixed[300];";
    std::pair<std::string, std::uint32_t> const cases[] = {
        {"mov.u32 %r0, %total_smem_size;", 384},
        {"mov.u32 %r0, %aggr_smem_size;", 384 + 1024},
        {"mov.u32 %r0, %dynamic_smem_size;", 40},
        {"mov.b32 %r0, %reserved_smem_offset_begin;", 384},
        {"mov.b32 %r0, %reserved_smem_offset_end;", 1408},
        {"mov.b32 %r0, %reserved_smem_offset_cap;", 1024},
        {"mov.b32 %r0, %reserved_smem_offset_0;", 384},
        {"mov.b32 %r0, %reserved_smem_offset_1;", 896},
        {"mov.u32 %r0, %nsmid;", 132},
        {"mov.u32 %r0, %smid;", 0},
        {"mov.u32 %r0, %pm0;", 0},
        {"mov.u64 %d0, %pm7_64; cvt.u32.u64 %r0, %d0;", 0},
        {"mov.b32 %r0, %envreg0;", 0},
        {"mov.b32 %r0, %envreg31;", 0},
        {"mov.u64 %d0, %current_graph_exec; cvt.u32.u64 %r0, %d0;", 0},
        {"mov.u32 %r0, %clock_hi;", 0}};
    for (auto const& [code, want] : cases) {
        INFO(code);
        Program program(kernel("st.shared.u32 [fixed], 0;" + code + "st.global.u32 [%o4], %r0;", before));
        CHECK(program.run<std::uint32_t>(32, {.dynamic_shared = 40}) == std::vector<std::uint32_t>(32, want));
    }
    // The system's part is there for programs that ask where it is.
    std::string const use = "mov.b32 %r0, %reserved_smem_offset_1; add.u32 %r0, %r0, 508; st.shared.u32 [%r0], 7; "
                            "ld.shared.u32 %r1, [%r0];";
    Program program(kernel(use + "st.global.u32 [%o4], %r1;", before));
    CHECK(program.run<std::uint32_t>(32) == std::vector<std::uint32_t>(32, 7));
    CHECK(contains(Program(kernel(use + "st.shared.u32 [%r0+4], 1;", before)).error(),
                   "illegal address: 4-byte store to shared"));
    CHECK(contains(Program(kernel("st.shared.u32 [fixed+384], 1;", before)).error(),
                   "illegal address: 4-byte store to shared"));
}

TEST_CASE("The clock counts what the SM executes and goes on from block to block", "[exec][engine]") {
    // 132 SMs: CTAs 0 and 132 are on one, the second comes later.
    Program program(kernel("mov.u64 %d0, %clock64; add.u32 %r0, %r0, 1; mov.u64 %d1, %clock64; mov.u32 %r1, "
                           "%clock; sub.u64 %d1, %d1, %d0;\n"
                           "mad.lo.u64 %d0, %d1, 1000000, %d0; st.global.u64 [%o8], %d0;"));
    auto const first = program.run<std::uint64_t>(133, {.block = {1, 1, 1}, .grid = {133, 1, 1}});
    CHECK(first[0] / 1000000 == 2);
    CHECK(first[0] % 1000000 == first[1] % 1000000);
    std::uint64_t const instructions = program.result.instructions.warp / 133;
    CHECK(first[132] % 1000000 == first[0] % 1000000 + instructions);
    auto const second = program.run<std::uint64_t>(1, {.block = {1, 1, 1}});
    CHECK(second[0] % 1000000 == first[0] % 1000000 + 2 * instructions);
    Program timer(kernel("mov.u64 %d0, %globaltimer; mov.u32 %r0, %globaltimer_hi; LOOP: mov.u64 %d1, "
                         "%globaltimer; setp.le.u64 %p0, %d1, %d0;\n"
                         "@%p0 bra LOOP; mov.u32 %r1, %globaltimer_hi; shr.u64 %d2, %d1, 32; cvt.u32.u64 %r2, "
                         "%d2; sub.u32 %r1, %r1, %r2;\n"
                         "st.global.u32 [%o4], %r1;"));
    CHECK(timer.run<std::uint32_t>(1, {.block = {1, 1, 1}})[0] <= 1);
}

}  // namespace operands_test
