// Loads and stores: widths, extensions, vectors, patterns of addresses, spaces, and what must be refused.
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <cstring>
#include <numeric>

namespace memory_access_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

/// Bytes with all sign bits mixed.
std::vector<std::uint8_t> bytes(std::size_t count) {
    return each<std::uint8_t>(count, [](std::uint32_t i) { return static_cast<std::uint8_t>(i * 37 + 129); });
}

template <class T> T at(std::vector<std::uint8_t> const& memory, std::size_t offset) {
    T value;
    std::memcpy(&value, memory.data() + offset, sizeof(T));
    return value;
}

struct Width {
    char const* type;
    unsigned size;
    bool is_signed;
};
constexpr Width widths[] = {{"u8", 1, false}, {"s8", 1, true},   {"b8", 1, false}, {"u16", 2, false},
                            {"s16", 2, true}, {"u32", 4, false}, {"s32", 4, true}, {"u64", 8, false},
                            {"s64", 8, true}, {"b64", 8, false}};

std::uint64_t extended(std::vector<std::uint8_t> const& memory, std::size_t offset, Width const& width) {
    std::uint64_t value = 0;
    std::memcpy(&value, memory.data() + offset, width.size);
    unsigned const shift = 64 - 8 * width.size;
    return width.is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value << shift) >> shift)
                           : value;
}

}  // namespace

TEST_CASE("A load extends its value to a wider register by the sign of its type", "[exec]") {
    auto const memory = bytes(32 * 64);
    // stride 0: uniform; the width: affine; larger: scattered. A guard makes the masks partial.
    for (Width const& width : widths) {
        for (unsigned const stride : {0u, width.size, width.size * 3, 64u}) {
            for (bool const partial : {false, true}) {
                INFO(width.type << ", stride " << stride << (partial ? ", partial" : ""));
                std::string const body =
                    "mad.wide.u32 %d0, %i, " + std::to_string(stride) +
                    ", %in;\nmov.b64 %d1, -1;\nand.b32 %r0, %i, 5;\nsetp.eq.u32 %p0, %r0, 4;\n" +
                    (partial ? "@!%p0 " : "") + "ld.global." + width.type +
                    " %d1, [%d0];\nst.global.b64 [%o8], %d1;";
                Program program(kernel(body));
                program.in = program.device.upload(memory);
                CHECK(program.run<std::uint64_t>(32) == each<std::uint64_t>(32, [&](std::uint32_t i) {
                          return partial && (i & 5) == 4 ? ~std::uint64_t{0} : extended(memory, i * stride, width);
                      }));
            }
        }
    }
}

TEST_CASE("A load into a 16-bit or 32-bit register extends to that width", "[exec]") {
    auto const memory = bytes(64);
    Program program(kernel(R"(
        cvt.u64.u32 %d0, %i; add.u64 %d0, %d0, %in;
        ld.global.s8 %h0, [%d0]; ld.global.u8 %h1, [%d0]; ld.global.s8 %r0, [%d0+1]; ld.global.u8 %r1, [%d0+1];
        mov.b32 %r2, {%h0, %h1}; shl.b32 %r3, %r1, 8; xor.b32 %r3, %r3, %r0; xor.b32 %r2, %r2, %r3;
        st.global.u32 [%o4], %r2;)"));
    program.in = program.device.upload(memory);
    CHECK(program.run<std::uint32_t>(32) == each<std::uint32_t>(32, [&](std::uint32_t i) {
              auto const s = static_cast<std::uint16_t>(static_cast<std::int8_t>(memory[i]));
              std::uint32_t const pair = s | static_cast<std::uint32_t>(memory[i]) << 16;
              auto const next = static_cast<std::uint32_t>(static_cast<std::int8_t>(memory[i + 1]));
              return pair ^ (static_cast<std::uint32_t>(memory[i + 1]) << 8 ^ next);
          }));
}

TEST_CASE("A store writes the low part of a wider register and nothing else", "[exec]") {
    for (Width const& width : widths) {
        for (unsigned const stride : {width.size, width.size * 2, 64u}) {
            for (bool const partial : {false, true}) {
                INFO(width.type << ", stride " << stride << (partial ? ", partial" : ""));
                std::string const body =
                    "mad.wide.u32 %d0, %i, " + std::to_string(stride) +
                    ", %out;\nmul.wide.u32 %d1, %i, 0x01020305;\nadd.u64 %d1, %d1, 0x8070605040302010;\n"
                    "and.b32 %r0, %i, 5;\nsetp.eq.u32 %p0, %r0, 4;\n" +
                    (partial ? "@!%p0 " : "") + "st.global." + width.type + " [%d0], %d1;";
                std::vector<std::uint8_t> want(32 * 64);
                for (std::uint32_t i = 0; i < 32; ++i) {
                    if (partial && (i & 5) == 4) continue;
                    std::uint64_t const value = i * std::uint64_t{0x01020305} + 0x8070605040302010;
                    std::memcpy(want.data() + i * stride, &value, width.size);
                }
                Program program(kernel(body));
                CHECK(program.run<std::uint8_t>(want.size()) == want);
            }
        }
    }
}

TEST_CASE("Of several lanes that store to one address the highest one stays", "[exec]") {
    Program program(kernel("st.global.u32 [%out], %i;\nshr.u32 %r0, %i, 3;\nmad.wide.u32 %d0, %r0, 4, %out;\n"
                           "st.global.u32 [%d0+4], %i;"));
    CHECK(program.run<std::uint32_t>(5) == std::vector<std::uint32_t>{31, 7, 15, 23, 31});
}

TEST_CASE("Vectors of two, four and eight elements keep their order", "[exec]") {
    auto const memory = bytes(32 * 64);
    Program program(kernel(R"(
        mad.wide.u32 %d0, %i, 64, %in; mad.wide.u32 %d1, %i, 64, %out;
        ld.global.v4.u8 {%r0, %r1, %r2, %r3}, [%d0];
        st.global.v4.u8 [%d1], {%r3, %r2, %r1, %r0};
        ld.global.v2.u16 {%h0, %h1}, [%d0+4];
        st.global.v2.u16 [%d1+4], {%h1, %h0};
        ld.global.v2.f32 {%f0, %f1}, [%d0+8];
        st.global.v2.f32 [%d1+8], {%f1, %f0};
        ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%d0+16];
        st.global.v4.f32 [%d1+16], {%f3, %f2, %f1, %f0};
        ld.global.v2.u64 {%d2, %d3}, [%d0+32];
        st.global.v2.u64 [%d1+32], {%d3, %d2};
        ld.global.v2.u64 {_, %d4}, [%d0+48];
        st.global.u64 [%d1+48], %d4;)"));
    program.in = program.device.upload(memory);
    std::vector<std::uint8_t> want(memory.size());
    auto const move = [&](std::size_t to, std::size_t from, std::size_t size) {
        std::memcpy(want.data() + to, memory.data() + from, size);
    };
    for (std::size_t i = 0; i < memory.size(); i += 64) {
        for (std::size_t e = 0; e < 4; ++e) move(i + 3 - e, i + e, 1);
        for (std::size_t e = 0; e < 2; ++e) move(i + 6 - 2 * e, i + 4 + 2 * e, 2);
        for (std::size_t e = 0; e < 2; ++e) move(i + 12 - 4 * e, i + 8 + 4 * e, 4);
        for (std::size_t e = 0; e < 4; ++e) move(i + 28 - 4 * e, i + 16 + 4 * e, 4);
        for (std::size_t e = 0; e < 2; ++e) move(i + 40 - 8 * e, i + 32 + 8 * e, 8);
        move(i + 48, i + 56, 8);
    }
    CHECK(program.run<std::uint8_t>(memory.size()) == want);
}

TEST_CASE("128 bits move through registers, shared and local memory unchanged", "[exec]") {
    auto const memory = bytes(32 * 16);
    Program program(kernel(R"(
        .local .align 16 .b8 mine[16];
        mad.wide.u32 %d0, %i, 16, %in; mad.wide.u32 %d1, %i, 16, %out;
        shl.b32 %r0, %i, 4; mov.u32 %r1, buffer; add.u32 %r0, %r0, %r1;
        ld.global.b128 %q0, [%d0];
        st.shared.b128 [%r0], %q0;
        ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r0];
        st.local.v4.u32 [mine], {%r4, %r5, %r6, %r7};
        ld.local.v2.u64 {%d4, %d5}, [mine];
        mov.b128 %q1, {%d4, %d5};
        st.global.b128 [%d1], %q1;)",
                           ".shared .align 16 .b8 buffer[512];"));
    program.in = program.device.upload(memory);
    CHECK(program.run<std::uint8_t>(memory.size()) == memory);
}

TEST_CASE("An address register may be a destination of its own load", "[exec]") {
    Program program(
        kernel("mad.wide.u32 %d0, %i, 16, %in;\nld.global.v2.u64 {%d0, %d1}, [%d0];\nadd.u64 %d0, %d0, %d1;\n"
               "st.global.u64 [%o8], %d0;"));
    std::vector<std::uint64_t> memory(64);
    std::iota(memory.begin(), memory.end(), 1);
    program.in = program.device.upload(memory);
    CHECK(program.run<std::uint64_t>(32) ==
          each<std::uint64_t>(32, [](std::uint32_t i) { return std::uint64_t{4} * i + 3; }));
}

TEST_CASE("One generic load reads global, shared, local and parameter memory in different lanes", "[exec]") {
    for (std::string const& model : control_flows()) {
        INFO(model);
        Program program(kernel(R"(
            .local .align 8 .b8 mine[16];
            mov.u32 %r0, buffer; mad.lo.u32 %r0, %i, 4, %r0; add.u32 %r1, %i, 1000; st.shared.u32 [%r0], %r1;
            add.u32 %r1, %i, 2000; st.local.u32 [mine+4], %r1;
            bar.sync 0;
            and.b32 %r2, %i, 3;
            mad.wide.u32 %d0, %i, 4, %in;                                  // 0: global
            cvt.u64.u32 %d1, %r0; cvta.shared.u64 %d1, %d1;                // 1: shared
            mov.u64 %d2, mine; cvta.local.u64 %d2, %d2; add.u64 %d2, %d2, 4;
            mov.u64 %d3, p_in; cvta.param.u64 %d3, %d3;
            setp.eq.u32 %p1, %r2, 1; @%p1 mov.u64 %d0, %d1;
            setp.eq.u32 %p2, %r2, 2; @%p2 mov.u64 %d0, %d2;
            setp.eq.u32 %p3, %r2, 3; @%p3 mov.u64 %d0, %d3;
            ld.u32 %r3, [%d0];
            st.global.u32 [%o4], %r3;
            @!%p3 st.u32 [%d0], 7;
            ld.shared.u32 %r4, [%r0]; ld.local.u32 %r5, [mine+4]; add.u32 %r4, %r4, %r5;
            st.global.u32 [%o4+128], %r4;)",
                               ".shared .align 4 .b8 buffer[128];"),
                        model);
        auto const memory = each<std::uint32_t>(32, [](std::uint32_t i) { return i + 5; });
        program.in = program.device.upload(memory);
        auto const low = static_cast<std::uint32_t>(program.in);
        auto const got = program.run<std::uint32_t>(64);
        CHECK(got == each<std::uint32_t>(64, [&](std::uint32_t n) {
                  std::uint32_t const i = n % 32, kind = i & 3;
                  if (n < 32) return kind == 0 ? i + 5 : kind == 1 ? i + 1000 : kind == 2 ? i + 2000 : low;
                  return (kind == 1 ? 7 : i + 1000) + (kind == 2 ? 7 : i + 2000);
              }));
        CHECK(program.device.download<std::uint32_t>(program.in, 32) ==
              each<std::uint32_t>(32, [](std::uint32_t i) { return (i & 3) == 0 ? 7 : i + 5; }));
    }
}

TEST_CASE("cvta goes to a generic address and back, and isspacep tells the spaces apart", "[exec]") {
    Program program(kernel(R"(
        .local .align 8 .b8 mine[8];
        mov.u32 %r0, buffer; cvt.u64.u32 %d0, %r0; cvta.shared.u64 %d1, %d0; cvta.to.shared.u64 %d2, %d1;
        setp.eq.u64 %p0, %d0, %d2;
        mov.u64 %d3, mine; cvta.local.u64 %d4, %d3; cvta.to.local.u64 %d5, %d4;
        setp.eq.and.u64 %p0, %d3, %d5, %p0;
        cvta.global.u64 %d6, %out; cvta.to.global.u64 %d7, %d6; setp.eq.and.u64 %p0, %out, %d7, %p0;
        mov.u64 %d8, table; cvta.const.u64 %d9, %d8; ld.u32 %r9, [%d9]; setp.eq.and.u32 %p0, %r9, 77, %p0;
        mov.u64 %d10, p_out; cvta.param.u64 %d11, %d10;
        mov.u32 %r1, 0;
        isspacep.shared %p1, %d1; @%p1 or.b32 %r1, %r1, 1;
        isspacep.shared %p1, %d4; @%p1 or.b32 %r1, %r1, 2;
        isspacep.local %p1, %d4;  @%p1 or.b32 %r1, %r1, 4;
        isspacep.local %p1, %d6;  @%p1 or.b32 %r1, %r1, 8;
        isspacep.global %p1, %d6; @%p1 or.b32 %r1, %r1, 16;
        isspacep.global %p1, %d1; @%p1 or.b32 %r1, %r1, 32;
        isspacep.param %p1, %d11; @%p1 or.b32 %r1, %r1, 64;
        isspacep.global %p1, %d11; @%p1 or.b32 %r1, %r1, 128;
        @%p0 or.b32 %r1, %r1, 256;
        st.global.u32 [%o4], %r1;)",
                           ".shared .align 4 .b8 buffer[8];\n.const .u32 table = 77;"));
    CHECK(program.run<std::uint32_t>(32) == std::vector<std::uint32_t>(32, 1 + 4 + 16 + 64 + 128 + 256));
}

TEST_CASE("Volatile, relaxed, acquire and release forms move the same bytes", "[exec]") {
    Program program(kernel(R"(
        mad.wide.u32 %d0, %i, 4, %in;
        ld.volatile.global.u32 %r0, [%d0]; st.volatile.global.u32 [%o4], %r0;
        ld.relaxed.gpu.global.u32 %r1, [%d0]; ld.acquire.sys.u32 %r2, [%d0]; ld.relaxed.cta.global.u32 %r3, [%o4];
        add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3;
        st.release.gpu.global.u32 [%o4], %r1; fence.acq_rel.gpu; membar.sys;
        ld.global.nc.u32 %r4, [%d0]; ld.global.ca.u32 %r5, [%d0]; ld.global.cg.u32 %r6, [%o4]; add.u32 %r6, %r6, %r4;
        add.u32 %r6, %r6, %r5; st.relaxed.sys.global.u32 [%o4], %r6;)"));
    program.in = program.device.upload(each<std::uint32_t>(32, [](std::uint32_t i) { return i * 3 + 1; }));
    CHECK(program.run<std::uint32_t>(32) ==
          each<std::uint32_t>(32, [](std::uint32_t i) { return 5 * (i * 3 + 1); }));
}

TEST_CASE("Each thread has its own local memory in every width", "[exec]") {
    for (std::string const& model : control_flows()) {
        INFO(model);
        Program program(kernel(R"(
            .local .align 16 .b8 mine[64];
            mul.wide.u32 %d0, %i, 0x01010101; add.u64 %d0, %d0, 0x8090a0b0c0d0e0f0;
            st.local.u64 [mine], %d0;
            cvt.u64.u32 %d1, %i; and.b64 %d1, %d1, 7; mov.u64 %d2, mine; add.u64 %d2, %d2, %d1;
            ld.local.s8 %r0, [%d2];                      // scattered single bytes
            and.b64 %d1, %d1, 6; mov.u64 %d3, mine; add.u64 %d3, %d3, %d1; ld.local.u16 %r1, [%d3];
            and.b64 %d1, %d1, 4; mov.u64 %d3, mine; add.u64 %d3, %d3, %d1; ld.local.s32 %d4, [%d3];
            st.local.u8 [%d2+16], %r1; st.local.u16 [mine+32], %r1; st.local.v2.u32 [mine+40], {%r0, %r1};
            ld.local.u8 %r2, [%d2+16]; ld.local.s16 %r3, [mine+32]; ld.local.u64 %d5, [mine+40];
            xor.b64 %d4, %d4, %d5; cvt.u64.u32 %d6, %r2; cvt.s64.s32 %d7, %r3; add.u64 %d4, %d4, %d6; add.u64 %d4, %d4, %d7;
            st.global.u64 [%o8], %d4;)"),
                        model);
        CHECK(program.run<std::uint64_t>(64, {.block = {64, 1, 1}}) ==
              each<std::uint64_t>(64, [](std::uint32_t i) {
                  std::uint64_t const value = i * std::uint64_t{0x01010101} + 0x8090a0b0c0d0e0f0;
                  std::vector<std::uint8_t> mine(8);
                  std::memcpy(mine.data(), &value, 8);
                  auto const r0 = static_cast<std::uint32_t>(static_cast<std::int8_t>(mine[i & 7]));
                  std::uint32_t const r1 = at<std::uint16_t>(mine, i & 6);
                  auto const word =
                      static_cast<std::uint64_t>(static_cast<std::int64_t>(at<std::int32_t>(mine, i & 4)));
                  std::uint64_t const pair = r0 | std::uint64_t{r1} << 32;
                  auto const half =
                      static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int16_t>(r1)));
                  return (word ^ pair) + (r1 & 0xff) + half;
              }));
    }
}

TEST_CASE("Constant and global initialisers hold values, addresses and functions", "[exec]") {
    Program program(kernel(R"(
        ld.const.u64 %d0, [pointers]; ld.u32 %r0, [%d0];
        ld.const.u64 %d1, [pointers+8]; ld.global.u32 %r1, [%d1];
        ld.global.u64 %d2, [back]; ld.u32 %r2, [%d2+4];
        and.b32 %r3, %i, 3; mul.wide.u32 %d3, %r3, 2; mov.u64 %d4, halves; add.u64 %d3, %d3, %d4; ld.const.s16 %r4, [%d3];
        mad.lo.u32 %r0, %r1, 100, %r0; mad.lo.u32 %r0, %r2, 10000, %r0; add.u32 %r0, %r0, %r4;
        st.global.u32 [%o4], %r0;)",
                           R"(
        .global .u32 first[3] = {11, 12, 13};
        .const .u32 table[2] = {21, 22};
        .const .u64 pointers[2] = {generic(first), first+8};
        .global .u64 back = generic(table);
        .const .s16 halves[4] = {-1, 2, -3, 4};)"));
    std::int32_t const halves[] = {-1, 2, -3, 4};
    CHECK(program.run<std::int32_t>(32) ==
          each<std::int32_t>(32, [&](std::uint32_t i) { return 11 + 1300 + 220000 + halves[i & 3]; }));
}

TEST_CASE("All unsized shared arrays name the dynamic memory behind the static one", "[exec]") {
    Program program(kernel(R"(
        mov.u32 %r0, fixed; mov.u32 %r1, first; mov.u32 %r2, second; mov.u32 %r3, %dynamic_smem_size;
        mad.lo.u32 %r4, %i, 4, %r1; st.shared.u32 [%r4], %i;
        bar.sync 0;
        xor.b32 %r5, %i, 1; mad.lo.u32 %r5, %r5, 4, %r2; ld.shared.u32 %r6, [%r5];
        mad.lo.u32 %r6, %r1, 1000, %r6; mad.lo.u32 %r6, %r3, 100000, %r6; add.u32 %r6, %r6, %r0;
        st.global.u32 [%o4], %r6;)",
                           ".shared .align 4 .b8 fixed[12];\n.extern .shared .align 16 .b8 first[];\n.extern "
                           ".shared .u32 second[];"));
    CHECK(program.run<std::uint32_t>(32, {.dynamic_shared = 128}) ==
          each<std::uint32_t>(32, [](std::uint32_t i) { return (i ^ 1) + 16000 + 12800000; }));
}

TEST_CASE("A 32-bit shared address wraps in its register", "[exec]") {
    Program program(kernel(R"(
        mov.u32 %r0, buffer; mad.lo.u32 %r0, %i, 4, %r0; st.shared.u32 [%r0], %i;
        sub.u32 %r1, %r0, 256; ld.shared.u32 %r2, [%r1+256]; st.global.u32 [%o4], %r2;)",
                           ".shared .align 4 .b8 buffer[128];"));
    CHECK(program.run<std::uint32_t>(32) == each<std::uint32_t>(32, [](std::uint32_t i) { return i; }));
}

TEST_CASE("Constants are found by 32-bit addresses, as their bank is small", "[exec]") {
    Program program(
        kernel(R"(
        mov.u32 %r0, second; mad.lo.u32 %r0, %i, 4, %r0; ld.const.u32 %r1, [%r0]; ld.const.u32 %r2, [%r0+-64];
        and.b32 %r3, %i, 1; mov.b32 %r4, first; mad.lo.u32 %r4, %r3, 8, %r4; ld.const.u64 %d1, [%r4]; cvt.u32.u64 %r4, %d1;
        mad.lo.u32 %r1, %r1, 100, %r2; mad.lo.u32 %r1, %r4, 10000, %r1; st.global.u32 [%o4], %r1;)",
               ".const .align 64 .u64 first[8] = {5, 9};\n.const .align 64 .u32 second[4] = {1, 2, 3, 4};"));
    CHECK(program.run<std::uint32_t>(4, {.block = {4, 1, 1}}) == each<std::uint32_t>(4, [](std::uint32_t i) {
              std::uint32_t const before[] = {5, 0, 9, 0};
              return (i + 1) * 100 + before[i] + (i % 2 == 0 ? 5 : 9) * 10000;
          }));
    Program past(kernel("mov.u32 %r0, first; ld.const.u32 %r1, [%r0+67108864]; st.global.u32 [%o4], %r1;",
                        ".const .u64 first[8] = {5, 9};"));
    CHECK(contains(past.error(), "illegal address: 4-byte load from const"));
}

TEST_CASE("An access outside of its memory names the lane, the size and the space", "[exec]") {
    struct Case {
        char const* body;
        std::vector<std::string> parts;
    };
    Case const cases[] = {
        {"add.u64 %d0, %o4, 4; ld.global.u32 %r0, [%d0];",
         {"4-byte load from global", "lane 31", "0 bytes past the end of a 128-byte"}},
        {"sub.u64 %d0, %o4, 4; ld.global.u32 %r0, [%d0];",
         {"4-byte load from global", "lane 0", "4 bytes before a 128-byte"}},
        {"mad.wide.u32 %d0, %i, 8, %out; st.global.u32 [%d0], 1;", {"4-byte store to global", "lane 16"}},
        {"ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%out+128];", {"16-byte load", "lane 0"}},
        {"setp.eq.u32 %p0, %i, 9; mov.u64 %d0, %out; @%p0 mov.u64 %d0, 0xfffffffffffffffc; ld.global.u32 %r0, "
         "[%d0];",
         {"0xfffffffffffffffc", "lane 9", "not inside any allocation"}},
        {"mad.wide.u32 %d0, %i, 4, 0; sub.u64 %d0, %d0, 64; ld.global.u32 %r0, [%d0];",
         {"0xffffffffffffffc0", "lane 0"}},
        {"mad.wide.u32 %d0, %i, 8, 0; sub.u64 %d0, %d0, 64; ld.u64 %d1, [%d0];", {"0xffffffffffffffc0", "lane 0"}},
        {"mov.u64 %d0, 0; atom.global.add.u32 %r0, [%d0], 1;", {"4-byte atomic on global 0x0", "lane 0"}},
        {"mov.u32 %r0, 128; ld.shared.u32 %r1, [%r0];",
         {"4-byte load from shared 0x80", "128 bytes of shared memory", "lane 0"}},
        {"shl.b32 %r0, %i, 3; st.shared.u32 [%r0], 1;", {"store to shared 0x80", "lane 16"}},
        {"mov.u64 %d0, -4; ld.shared.u32 %r1, [%d0];", {"load from shared 0xfffffffffffffffc", "lane 0"}},
        {"mov.u64 %d0, 0; cvta.shared.u64 %d0, %d0; ld.u32 %r1, [%d0+128];", {"load from shared 0x80"}},
        {"mov.u64 %d0, 64; ld.local.u32 %r1, [%d0];", {"4-byte load from local 0x40", "64 bytes of local memory"}},
        {"mov.u64 %d0, 0; cvta.local.u64 %d0, %d0; st.u64 [%d0+64], %d0;", {"8-byte store to local 0x40"}},
        {"mov.u64 %d0, p_out; ld.param.u64 %d1, [%d0+16];",
         {"8-byte load from param 0x10", "16 bytes of parameters"}},
        {"add.u64 %d0, %o4, 2; ld.global.u32 %r0, [%d0];", {"misaligned", "lane 0", "multiple of 4"}},
        {"setp.eq.u32 %p0, %i, 3; mov.u64 %d0, %out; @%p0 add.u64 %d0, %d0, 4; ld.global.u64 %d1, [%d0];",
         {"misaligned", "lane 3"}},
        {"ld.global.v2.u32 {%r0, %r1}, [%out+4];", {"misaligned", "8-byte load"}},
        {"mov.u32 %r0, 1; st.shared.u16 [%r0], %h0;", {"misaligned", "2-byte store to shared 0x1"}},
        {"mov.u64 %d0, 6; st.local.u32 [%d0], 1;", {"misaligned", "store to local 0x6"}},
    };
    for (std::string const& model : control_flows()) {
        for (Case const& c : cases) {
            INFO(model << ": " << c.body);
            Program program(
                kernel(std::string(
                           ".local .align 16 .b8 mine[64]; st.local.u32 [mine], 0; st.shared.u32 [buffer], 0;\n") +
                           c.body,
                       ".shared .align 16 .b8 buffer[128];"),
                model);
            std::string const text = program.error(128);
            INFO(text);
            for (std::string const& part : c.parts) {
                INFO("wanted: " << part);
                CHECK(contains(text, part));
            }
        }
    }
}

TEST_CASE("A lane that its guard holds back is not checked", "[exec]") {
    Program program(
        kernel("mad.wide.u32 %d0, %i, 1, 1;\nsetp.lt.u32 %p0, %i, 40;\n@!%p0 ld.global.u32 %r0, [%d0];\n"
               "@!%p0 st.shared.u32 [%d0], %r0;\n@%p0 st.global.u32 [%o4], 1;"));
    CHECK(program.run<std::uint32_t>(32) == std::vector<std::uint32_t>(32, 1));
}

TEST_CASE("One access may reach two allocations, and the gap between them is a fault", "[exec]") {
    Program program(
        kernel("and.b32 %r0, %i, 1;\nsetp.eq.u32 %p0, %r0, 1;\n@%p0 mov.u64 %o4, %in;\nld.global.u32 %r1, [%o4];\n"
               "add.u32 %r1, %r1, 1;\nst.global.u32 [%o4], %r1;"));
    program.in = program.device.allocate(4);
    auto const got = program.run<std::uint32_t>(32);
    CHECK(got == each<std::uint32_t>(32, [](std::uint32_t i) { return (i & 1) == 0 ? 1 : 0; }));
    CHECK(program.device.download<std::uint32_t>(program.in, 1)[0] == 1);
    program.in += 4;
    CHECK(contains(program.error(128), "lane 1"));
}

TEST_CASE("A generic access names a variable in .local", "[exec]") {
    Program program(kernel(".local .align 4 .b32 own[4]; st.u32 [own+8], %i; ld.local.u32 %r1, [own+8];\n"
                           "ld.u32 %r2, [own+8]; add.u32 %r1, %r1, %r2; st.global.u32 [%o4], %r1;"));
    CHECK(program.run<std::uint32_t>(32) == each<std::uint32_t>(32, [](std::uint32_t i) { return 2 * i; }));
}

}  // namespace memory_access_test
