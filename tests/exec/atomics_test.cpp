// Atomics: every operation and type that is executed, in every space, with the order of lanes.
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace atomics_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

struct Operation {
    char const* name;
    std::vector<char const*> types;
};

Operation const operations[] = {
    {"add", {"u32", "s32", "u64"}},
    {"min", {"u32", "s32", "u64", "s64"}},
    {"max", {"u32", "s32", "u64", "s64"}},
    {"and", {"b32", "b64"}},
    {"or", {"b32", "b64"}},
    {"xor", {"b32", "b64"}},
    {"exch", {"b32", "b64"}},
    {"cas", {"b32", "b64"}},
    {"inc", {"u32"}},
    {"dec", {"u32"}},
};

/// What the PTX manual says about one lane ("Parallel Synchronization and Communication Instructions: atom").
template <class T> T after(std::string const& name, T old, T b, T c) {
    using U = std::make_unsigned_t<T>;
    if (name == "add") return static_cast<T>(static_cast<U>(old) + static_cast<U>(b));
    if (name == "min") return std::min(old, b);
    if (name == "max") return std::max(old, b);
    if (name == "and") return old & b;
    if (name == "or") return old | b;
    if (name == "xor") return old ^ b;
    if (name == "exch") return b;
    if (name == "cas") return old == b ? c : old;
    if (name == "inc") return old >= b ? T{0} : static_cast<T>(old + 1);
    return old == 0 || old > b ? b : static_cast<T>(old - 1);
}

/// The old values that 32 lanes get from 32 / `lanes_per_cell` cells, then the cells.
template <class T>
std::vector<std::uint64_t> expected(std::string const& name, std::vector<T> cells, unsigned lanes_per_cell,
                                    std::vector<std::uint64_t> const& operands) {
    std::vector<std::uint64_t> out(64);
    for (std::uint32_t i = 0; i < 32; ++i) {
        T& cell = cells[i / lanes_per_cell];
        out[i] = static_cast<std::uint64_t>(static_cast<std::make_unsigned_t<T>>(cell));
        cell = after<T>(name, cell, static_cast<T>(operands[i]), static_cast<T>(i + 100));
    }
    for (std::size_t i = 0; i < cells.size(); ++i)
        out[32 + i] = static_cast<std::uint64_t>(static_cast<std::make_unsigned_t<T>>(cells[i]));
    return out;
}

std::uint64_t first_value(std::uint32_t cell) {
    return 0x8000000000000000u * (cell & 1) + 0x80000003u * (cell & 1) + 5 + cell;
}

}  // namespace

TEST_CASE("Every atomic gives the old values in lane order and leaves the last one", "[exec]") {
    for (Operation const& operation : operations) {
        for (std::string const type : operation.types) {
            bool const wide = type.ends_with("64"), is_signed = type[0] == 's';
            for (unsigned const lanes_per_cell : {32u, 4u, 1u}) {
                for (std::string const space : {"global", "shared", "generic"}) {
                    INFO(operation.name << "." << type << " on " << space << ", " << lanes_per_cell
                                        << " lanes a cell");
                    // cells are 8 bytes apart; the operand comes from `in`
                    std::string const place = space == "global" ? ".global" : space == "shared" ? ".shared" : "";
                    std::string const value = wide ? "%d5" : "%r5", old = wide ? "%d6" : "%r6",
                                      swap = wide ? "%d7" : "%r7";
                    std::string const cas = std::string(operation.name) == "cas" ? ", " + swap : "";
                    std::string const body =
                        "div.u32 %r0, %i, " + std::to_string(lanes_per_cell) + ";\nmul.wide.u32 %d0, %r0, 8;\n" +
                        (space == "shared"   ? "mov.u64 %d1, cells;"
                         : space == "global" ? "add.u64 %d1, %out, 256;"
                                             : "mov.u64 %d1, cells; cvta.shared.u64 %d1, %d1;") +
                        "add.u64 %d1, %d1, %d0;\nadd.u64 %d2, %in, %d0; mad.wide.u32 %d3, %i, 8, %in;\n"
                        "ld.global.u64 %d4, [%d2]; st" +
                        place +
                        ".u64 [%d1], %d4; bar.sync 0;\n"
                        "ld.global." +
                        (wide ? "u64 " : "u32 ") + value +
                        ", [%d3+256];\n"
                        "add.u32 %r7, %i, 100; cvt.u64.u32 %d7, %r7;\n"
                        "atom" +
                        place + "." + operation.name + "." + type + " " + old + ", [%d1], " + value + cas + ";\n" +
                        (wide ? "" : "cvt.u64.u32 %d6, %r6;\n") + "st.global.u64 [%o8], %d6; bar.sync 0;\nld" +
                        place + (wide ? ".u64" : ".u32") +
                        " %d8, [%d1]; add.u64 %d9, %out, 256; add.u64 %d9, %d9, %d0;\nst.global.u64 [%d9], %d8;";
                    Program program(kernel(body, ".shared .align 8 .b8 cells[256];"));
                    auto memory = each<std::uint64_t>(64, [&](std::uint32_t i) -> std::uint64_t {
                        if (i < 32) return first_value(i);
                        std::uint32_t const lane = i - 32;
                        std::uint64_t const any = std::uint64_t{lane} * 0x9e3779b97f4a7c15u;
                        if (std::string(operation.name) == "cas")
                            return lane % 3 == 0 ? first_value(lane / lanes_per_cell) : lane + 99;
                        return lane % 4 == 0 ? any : lane % 4 == 1 ? lane / 3 : any >> 40;
                    });
                    program.in = program.device.upload(memory);
                    std::vector<std::uint64_t> const operands(memory.begin() + 32, memory.end());
                    auto const cells = [&](auto zero) {
                        using T = decltype(zero);
                        std::vector<T> values(32 / lanes_per_cell);
                        for (std::size_t c = 0; c < values.size(); ++c)
                            values[c] = static_cast<T>(first_value(static_cast<std::uint32_t>(c)));
                        return values;
                    };
                    auto const want =
                        wide && is_signed
                            ? expected(operation.name, cells(std::int64_t{}), lanes_per_cell, operands)
                        : wide      ? expected(operation.name, cells(std::uint64_t{}), lanes_per_cell, operands)
                        : is_signed ? expected(operation.name, cells(std::int32_t{}), lanes_per_cell, operands)
                                    : expected(operation.name, cells(std::uint32_t{}), lanes_per_cell, operands);
                    CHECK(program.run<std::uint64_t>(64) == want);
                }
            }
        }
    }
}

TEST_CASE("Reductions leave what atomics leave, under a guard too", "[exec]") {
    Program program(kernel(R"(
        and.b32 %r0, %i, 1; setp.eq.u32 %p0, %r0, 0;
        red.global.add.u32 [%out], %i;
        @%p0 red.global.add.u32 [%out+4], %i;
        @!%p0 red.global.max.s32 [%out+8], %i;
        red.global.add.u64 [%out+16], -1;
        red.relaxed.gpu.global.or.b32 [%out+12], %i;
        @%p0 red.shared.add.u32 [cell], 3;
        bar.sync 0;
        ld.shared.u32 %r1, [cell]; st.global.u32 [%out+24], %r1;)",
                           ".shared .u32 cell;"));
    CHECK(program.run<std::uint32_t>(7) ==
          std::vector<std::uint32_t>{496, 240, 31, 31, 0xffffffe0, 0xffffffff, 48});
}

TEST_CASE("Floating-point atomics add in lane order", "[exec]") {
    Program program(kernel(R"(
        cvt.rn.f32.u32 %f0, %i; mul.f32 %f0, %f0, 0f3DCCCCCD;
        cvt.f64.f32 %g0, %f0;
        add.u64 %d0, %out, 512; add.u64 %d1, %out, 520;
        atom.global.add.f32 %f1, [%d0], %f0; st.global.f32 [%o4], %f1;
        atom.add.f64 %g1, [%d1], %g0; add.u64 %d2, %o8, 128; st.global.f64 [%d2], %g1;
        red.shared.add.f32 [cell], %f0; bar.sync 0; ld.shared.f32 %f2, [cell]; st.global.f32 [%d0+4], %f2;)",
                           ".shared .f32 cell;"));
    std::vector<std::uint8_t> want(528);
    float sum = 0;
    double wide = 0;
    for (std::uint32_t i = 0; i < 32; ++i) {
        std::memcpy(want.data() + 4 * i, &sum, 4);
        std::memcpy(want.data() + 128 + 8 * i, &wide, 8);
        float const value = static_cast<float>(i) * 0.1f;
        sum += value;
        wide += value;
    }
    std::memcpy(want.data() + 512, &sum, 4);
    std::memcpy(want.data() + 516, &sum, 4);
    std::memcpy(want.data() + 520, &wide, 8);
    CHECK(program.run<std::uint8_t>(528) == want);
}

TEST_CASE("Atomics of many CTAs on one cell lose nothing on several host threads", "[exec]") {
#ifdef WARPSIM_SANITIZED
    std::uint32_t const ctas = 10;  // the rounds of the loop grow with the square
#else
    std::uint32_t const ctas = 40;
#endif
    for (int const threads : {1, 2, 8}) {
        runtime::DeviceOptions options;
        options.threads = threads;
        Program program(kernel(R"(
            atom.global.add.u32 %r0, [%out], 1;
            atom.global.inc.u32 %r1, [%out+4], 999;
            red.global.max.u32 [%out+8], %i;
            red.global.add.u64 [%out+16], %d31;
            LOOP: ld.volatile.global.u32 %r2, [%out+12]; add.u32 %r3, %r2, %i;
            atom.global.cas.b32 %r4, [%out+12], %r2, %r3;
            setp.ne.u32 %p0, %r4, %r2; @%p0 bra LOOP;)"),
                        "independent", options);
        std::uint32_t const count = ctas * 96;
        CHECK(program.run<std::uint32_t>(6, {.block = {96, 1, 1}, .grid = {ctas, 1, 1}}) ==
              std::vector<std::uint32_t>{count, count % 1000, count - 1, count * (count - 1) / 2, 0, 0});
    }
}

TEST_CASE("16- and 128-bit compare-and-swap and exchange work in every space", "[exec]") {
    for (std::string const space : {"global", "shared", "generic"}) {
        INFO(space);
        std::string const place = space == "generic" ? "" : "." + space;
        // Four lanes share a cell of 16 bytes; each swaps in its number if it finds the number of the lane before
        // it.
        std::string const body =
            "shr.u32 %r0, %i, 2; mul.wide.u32 %d0, %r0, 16;\n" +
            std::string(space == "shared" ? "mov.u64 %d1, cells; add.u64 %d1, %d1, %d0;"
                                          : "add.u64 %d1, %out, 512; add.u64 %d1, %d1, %d0;") +
            "mul.wide.u32 %d3, %i, 16; add.u64 %d4, %out, %d3;\n"
            "add.u32 %r2, %r0, 100; cvt.u64.u32 %d5, %r2; cvt.u64.u32 %d6, %i; mov.b128 %q0, {%d5, %d6};\n"
            "and.b32 %r3, %i, 3; setp.eq.u32 %p0, %r3, 0; add.u32 %r4, %i, -1; cvt.u64.u32 %d7, %r4;\n"
            "mov.b64 %d8, 0; mov.b128 %q1, {%d8, %d8}; mov.b128 %q2, {%d5, %d7}; @!%p0 mov.b128 %q1, %q2;\n"
            "atom" +
            place + ".cas.b128 %q3, [%d1], %q1, %q0; st.global.b128 [%d4], %q3;\n" +
            "bar.sync 0; @%p0 bra END;\n"
            "setp.eq.u32 %p1, %r3, 1; @%p1 atom" +
            place + ".exch.b128 %q3, [%d1], %q1; @%p1 st.global.b128 [%d4], %q3;\nEND: bar.sync 0;" +
            (space == "shared" ? "ld.shared.b128 %q3, [%d1]; add.u64 %d9, %out, 512; add.u64 %d9, %d9, %d0; "
                                 "st.global.b128 [%d9], %q3;"
                               : "");
        Program program(kernel(body, ".shared .align 16 .b8 cells[128];"));
        auto const got = program.run<std::uint64_t>(64 + 16);
        for (std::uint64_t i = 0; i < 32; ++i) {
            INFO("lane " << i);
            std::uint64_t const cell = 100 + i / 4;
            if (i % 4 == 0) CHECK((got[2 * i] == 0 && got[2 * i + 1] == 0));
            else if (i % 4 == 1)
                CHECK((got[2 * i] == cell && got[2 * i + 1] == i + 2));  // the exchange, after all swaps
            else CHECK((got[2 * i] == cell && got[2 * i + 1] == i - 1));
        }
        for (std::uint64_t c = 0; c < 8; ++c) CHECK((got[64 + 2 * c] == 100 + c && got[64 + 2 * c + 1] == 4 * c));
    }
    Program half(kernel(R"(
        setp.gt.u32 %p0, %i, 2; @%p0 ret;
        cvt.u16.u32 %h0, %i; add.u16 %h1, %h0, 1;
        atom.global.cas.b16 %h2, [%out+2], %h0, %h1;
        atom.shared.acq_rel.cta.cas.b16 %h3, [cell], 0, %h1;
        mul.wide.u32 %d0, %i, 4; add.u64 %d0, %d0, %out; st.global.b16 [%d0+4], %h2; st.global.b16 [%d0+6], %h3;)",
                        ".shared .b16 cell;"));
    CHECK(half.run<std::uint16_t>(8) == std::vector<std::uint16_t>{0, 3, 0, 0, 1, 1, 2, 1});
}

TEST_CASE("128-bit swaps of many host threads never tear", "[exec]") {
    for (int const threads : {1, 2, 8}) {
        runtime::DeviceOptions options;
        options.threads = threads;
        // Both halves count together; the value that a thread reads by a strong load or gets from a swap must also
        // agree.
        Program program(kernel(R"(
            LOOP: ld.relaxed.gpu.global.b128 %q0, [%out]; mov.b128 {%d0, %d1}, %q0;
            setp.ne.u64 %p0, %d0, %d1; @%p0 red.global.add.u32 [%out+16], 1;
            add.u64 %d2, %d0, 1; mov.b128 %q1, {%d2, %d2};
            atom.global.cas.b128 %q2, [%out], %q0, %q1; mov.b128 {%d3, %d4}, %q2;
            setp.ne.u64 %p0, %d3, %d4; @%p0 red.global.add.u32 [%out+20], 1;
            setp.ne.u64 %p0, %d3, %d0; @%p0 bra LOOP;)"),
                        "independent", options);
        std::uint32_t const count = 20 * 64;
        CHECK(program.run<std::uint32_t>(6, {.block = {64, 1, 1}, .grid = {20, 1, 1}}) ==
              std::vector<std::uint32_t>{count, 0, count, 0, 0, 0});
    }
}

TEST_CASE("Every order and scope of atomics executes, and hints change nothing", "[exec]") {
    std::string body = "mov.b64 %d9, 0x14f0000000000000;\n";
    unsigned count = 0;
    for (std::string const order : {"", ".relaxed", ".acquire", ".release", ".acq_rel"}) {
        for (std::string const scope : {".cta", ".cluster", ".gpu", ".sys"}) {
            body += "atom" + order + scope + ".global.add.L2::cache_hint.u32 %r1, [%out], 1, %d9;\n";
            body += "atom" + order + scope + ".shared::cluster.add.u32 %r1, [cell], 1;\n";
            ++count;
            if (order == ".acquire" || order == ".acq_rel") continue;
            body += "red" + order + scope + ".global.add.u32 [%out], 1;\nred" + order + scope +
                    ".shared::cta.add.u32 [cell], 1;\n";
            ++count;
        }
    }
    Program program(kernel(body + "bar.sync 0; ld.shared.u32 %r2, [cell]; st.global.u32 [%out+4], %r2;",
                           ".shared .u32 cell;"));
    CHECK(program.run<std::uint32_t>(2) == std::vector<std::uint32_t>{32 * count, 32 * count});
}

TEST_CASE("Atomics where there are none are faults", "[exec]") {
    struct Wrong {
        char const* body;
        char const* report;
    };
    Wrong const wrongs[] = {
        {"mov.u64 %d0, mine; cvta.local.u64 %d0, %d0; atom.add.u32 %r0, [%d0], 1;",
         "invalid address space: 4-byte atomic on local"},
        {"mov.u64 %d0, cells; cvta.shared.u64 %d0, %d0; red.add.v2.f32 [%d0], {%f0, %f1};",
         "invalid address space: 8-byte atomic on shared"},
        {"mov.b128 %q0, {%d1, %d1}; atom.global.exch.b128 %q1, [%out+8], %q0;",
         "misaligned address: 16-byte atomic"},
        {"red.global.add.noftz.v4.f16x2 [%out+8], {%r0, %r1, %r2, %r3};", "misaligned address: 16-byte atomic"},
        {"red.global.add.noftz.v2.f16x2 [%out+4092], {%r0, %r1};", "misaligned address: 8-byte atomic"},
        {"red.shared.add.u64 [cells+16], 1;", "illegal address: 8-byte atomic on shared"},
    };
    for (Wrong const& wrong : wrongs) {
        INFO(wrong.body);
        std::string const text = ".local .align 8 .b8 mine[8];\n" + std::string(wrong.body);
        std::string const report = Program(kernel(text, ".shared .align 8 .b8 cells[16];")).error();
        INFO(report);
        CHECK(contains(report, wrong.report));
    }
}

TEST_CASE("Atomics of later targets work: red.async on global memory and multimem on one device", "[exec]") {
    std::string text = kernel(R"(
        red.async.release.gpu.global.add.u32 [%out], %i;
        red.async.mmio.release.sys.global.add.u64 [%out+8], 2;
        multimem.red.global.add.u32 [%out+4], 1;
        multimem.red.relaxed.gpu.global.max.s32 [%out+16], %i;
        cvt.rn.f32.u32 %f0, %i; mov.f32 %f1, 0f3F800000;
        multimem.red.global.add.v2.f32 [%out+24], {%f0, %f1};
        multimem.red.async.release.sys.global.add.u32 [%out+12], 2;
        setp.ne.u32 %p0, %i, 31; @%p0 ret;
        multimem.ld_reduce.global.add.u32 %r1, [%out]; multimem.st.global.u32 [%out+32], %r1;
        multimem.ld_reduce.acquire.gpu.global.add.v2.f32 {%f2, %f3}, [%out+24];
        multimem.st.release.gpu.global.v2.f32 [%out+40], {%f3, %f2};
        multimem.ld_reduce.global.min.e4m3x4 %r3, [%out+16]; multimem.st.global.b32 [%out+20], %r3;
        ld.mmio.acquire.sys.global.u32 %r4, [%out+12]; multimem.st.async.release.gpu.global.u32 [%out+36], %r4;)");
    text.replace(text.find("sm_90"), 5, "sm_100a");
    text.replace(text.find(".version 8.7"), 12, ".version 9.3");
    Program program(text);
    auto const got = program.run<std::uint32_t>(12);
    float const sum = 496, ones = 32;
    std::vector<std::uint32_t> want{496, 32, 64, 64, 31, 31, 0, 0, 496, 64, 0, 0};
    std::memcpy(&want[6], &sum, 4);
    std::memcpy(&want[7], &ones, 4);
    std::memcpy(&want[10], &ones, 4);
    std::memcpy(&want[11], &sum, 4);
    CHECK(got == want);
}

}  // namespace atomics_test
