// Native code against the interpreter: the same bytes, the same counts, the same reports.
#include "sim/compiled/compile.hpp"
#include "tests/compiled/random_kernel.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"
#include "tests/support/temporary_folder.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

namespace compiled_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

namespace fs = std::filesystem;

runtime::DeviceOptions with_engine(runtime::Engine engine) {
    runtime::DeviceOptions options;
    options.threads = 1;
    options.engine = engine;
    options.longest_compile_wait = std::chrono::hours(1);
    return options;
}

struct Outcome {
    std::vector<std::uint32_t> out, in;
    sim::InstructionCounts instructions;
    sim::MemoryCounts memory;
    std::uint64_t compiled = 0, branches = 0, divergent = 0;
    std::string error;
};

Outcome outcome(std::string const& text, std::string const& control_flow, runtime::DeviceOptions const& options,
                Threads const& threads, std::size_t words) {
    Program program(text, control_flow, options);
    Outcome result;
    std::vector<std::uint32_t> in(1024);
    for (std::uint32_t i = 0; i < in.size(); ++i) in[i] = i * 2654435761u;
    program.in = program.device.upload(in);
    runtime::DevicePointer const out = program.device.allocate(4 * words);
    try {
        program.launch(out, threads);
    } catch (Error const& error) {
        result.error = error.what();
        return result;
    }
    result.out = program.device.download<std::uint32_t>(out, words);
    result.in = program.device.download<std::uint32_t>(program.in, in.size());
    result.instructions = program.result.instructions;
    result.memory = program.result.memory;
    result.compiled = program.result.compiled;
    result.branches = program.result.branches.total;
    result.divergent = program.result.branches.divergent;
    return result;
}

enum class Ends { well, in_error, somehow };

/// Under one model of control flow accesses are counted, by other code.
void check_same(std::string const& text, Threads const& threads, std::size_t words, Ends ends,
                runtime::DeviceOptions options = {}) {
    options.longest_compile_wait = std::chrono::hours(1);
    for (std::string const& control_flow : control_flows()) {
        options.threads = 1;
        options.memory_statistics = control_flow == control_flows().front();
        options.engine = runtime::Engine::interpreted;
        Outcome const expected = outcome(text, control_flow, options, threads, words);
        options.engine = runtime::Engine::compiled;
        Outcome const got = outcome(text, control_flow, options, threads, words);
        INFO(control_flow << "\n" << text);
        if (ends != Ends::somehow) REQUIRE(expected.error.empty() == (ends == Ends::well));
        CHECK(got.error == expected.error);
        CHECK(got.out == expected.out);
        CHECK(got.in == expected.in);
        CHECK(got.instructions.warp == expected.instructions.warp);
        CHECK(got.instructions.thread == expected.instructions.thread);
        CHECK(got.instructions.thread_guarded == expected.instructions.thread_guarded);
        CHECK(got.instructions.by_class == expected.instructions.by_class);
        CHECK(got.branches == expected.branches);
        CHECK(got.divergent == expected.divergent);
        CHECK(got.memory.global_requests == expected.memory.global_requests);
        CHECK(got.memory.global_sectors == expected.memory.global_sectors);
        CHECK(got.memory.shared_requests == expected.memory.shared_requests);
        CHECK(got.memory.shared_bank_conflicts == expected.memory.shared_bank_conflicts);
        CHECK(expected.compiled == 0);
        if (ends == Ends::well && !sim::compiler_version().empty()) CHECK(got.compiled > 0);
    }
}

struct Seeds {
    std::uint32_t first = 1, count = 8;
};
/// WARPSIM_SEEDS=FIRST,COUNT chooses others.
Seeds seeds_of_random_kernels() {
    Seeds seeds;
    if (std::getenv("WARPSIM_NIGHTLY") != nullptr) seeds.count = 800;
    if (char const* const chosen = std::getenv("WARPSIM_SEEDS"); chosen != nullptr) {
        char* rest = nullptr;
        seeds.first = static_cast<std::uint32_t>(std::strtoul(chosen, &rest, 10));
        seeds.count = *rest == ',' ? static_cast<std::uint32_t>(std::strtoul(rest + 1, nullptr, 10)) : 1;
    }
    return seeds;
}

void check_random(std::uint32_t seed) {
    CAPTURE(seed);
    RandomKernel random(seed);
    runtime::DeviceOptions options;
    options.turn_instructions = random.turn();
    check_same(random.text(), random.threads(), random.out_words(),
               random.may_fault() ? Ends::somehow : Ends::well, options);
}

}  // namespace

TEST_CASE("Random kernels do the same compiled") {
    Seeds const seeds = seeds_of_random_kernels();
    for (std::uint32_t seed = seeds.first; seed - seeds.first < seeds.count; ++seed) check_random(seed);
}

TEST_CASE("Turns that end while warps wait in a barrier leave each where it is") {
    // Random kernels whose warps ran out of their turns in the middle of a round.
    for (std::uint32_t const seed : {700281u, 700339u}) check_random(seed);
}

TEST_CASE("What lanes load while others are elsewhere is not taken from one of those") {
    Threads threads;
    threads.block = {64, 1, 1};
    check_same(kernel("and.b32 %r1, %i, 31;\nsetp.lt.u32 %p1, %r1, 5;\nmov.u32 %r2, 7;\n@%p1 bra E;\n"
                      "ld.global.u32 %r2, [%in+44];\nE: st.global.u32 [%o4], %r2;"),
               threads, 64, Ends::well);
}

TEST_CASE("Faults of compiled code are reported as the interpreter reports them") {
    Threads threads;
    threads.block = {64, 1, 1};
    char const* const bodies[] = {
        "st.global.u32 [%o4+4096], %i;",
        "add.u64 %o4, %o4, 2;\nst.global.u32 [%o4], %i;",
        "and.b32 %r1, %i, 31;\nsetp.eq.u32 %p1, %r1, 7;\nmov.u64 %d1, 0;\n@%p1 ld.global.u32 %r2, [%d1+64];",
        "mov.u64 %d1, 64;\nld.u32 %r1, [%d1];\nst.global.u32 [%o4], %r1;",
        "shl.b32 %r1, %i, 8;\nld.shared.u32 %r2, [%r1];\nst.global.u32 [%o4], %r2;",
        "L: add.u32 %r1, %r1, 1;\nld.global.u32 %r2, [%o4];\nadd.u64 %o4, %o4, 128;\nbra L;",
        "trap;",
    };
    for (char const* const body : bodies) check_same(kernel(body), threads, 64, Ends::in_error);
}

namespace {

/// %r0-2: the thread's place in its block, %r5: its number there, which `out` has a word for; %d0: that word.
std::string const place_in_block = R"(
mov.u32 %r0, %tid.x;
mov.u32 %r1, %tid.y;
mov.u32 %r2, %tid.z;
mov.u32 %r3, %ntid.x;
mov.u32 %r4, %ntid.y;
mad.lo.u32 %r5, %r2, %r4, %r1;
mad.lo.u32 %r5, %r5, %r3, %r0;
mul.wide.u32 %d0, %r5, 4;
add.u64 %d0, %d0, %out;
)";

std::vector<std::array<std::uint32_t, 3>> const block_shapes = {
    {32, 4, 1}, {16, 8, 1}, {8, 16, 1}, {128, 1, 1}, {24, 5, 1}, {16, 4, 2}, {64, 2, 1}, {1, 64, 1}, {100, 1, 1}};
std::vector<std::array<std::uint32_t, 3>> const few_block_shapes = {{32, 4, 1}, {24, 5, 1}, {16, 4, 2}};

/// Loads with the index %r10 of a word of `in`, in bytes %d1.
std::string const index_to_address = "mul.wide.s32 %d1, %r10, 4;\nadd.s64 %d1, %d1, %in;\n";

}  // namespace

TEST_CASE("Rows of a block are accessed as the interpreter does it") {
    char const* const bodies[] = {
        // Lines and rows; one place in each row; two words apart; backwards; nothing that is linear.
        "mad.lo.s32 %r10, %r1, 13, %r0;",
        "mov.u32 %r10, %r1;",
        "shl.b32 %r10, %r0, 1;",
        "sub.s32 %r10, 300, %r0;",
        "mul.lo.s32 %r10, %r0, %r0;\nand.b32 %r10, %r10, 511;",
        // The same for all threads, from a register that was loaded, and from a loop.
        "ld.global.u32 %r10, [%in+12];\nand.b32 %r10, %r10, 255;",
        "mov.u32 %r10, 0;\nL: add.s32 %r10, %r10, 3;\nsetp.lt.s32 %p1, %r10, 40;\n@%p1 bra L;",
        // Each thread leaves the loop in its own time, and all meet again.
        "mov.u32 %r10, 0;\nL: add.s32 %r10, %r10, 3;\nsetp.lt.u32 %p1, %r10, %r0;\n@%p1 bra L;",
    };
    char const* const accesses[] = {
        "ld.global.u32 %r11, [%d1];",
        "ld.u32 %r11, [%d1+8];",
        "setp.lt.u32 %p2, %r0, 5;\n@%p2 ld.global.u32 %r11, [%d1];",
        "and.b64 %d1, %d1, -16;\nld.global.v4.u32 {%r11, _, %r12, %r13}, [%d1];\nxor.b32 %r11, %r11, %r12;\n"
        "add.u32 %r11, %r11, %r13;",
        "ld.global.s8 %r11, [%d1+1];",
        "and.b64 %d1, %d1, -8;\nld.global.u64 %d2, [%d1];\ncvt.u32.u64 %r11, %d2;\nshr.u64 %d2, %d2, 32;\n"
        "cvt.u32.u64 %r12, %d2;\nxor.b32 %r11, %r11, %r12;",
        "shl.b32 %r12, %r10, 2;\nmov.u32 %r13, sm;\nadd.u32 %r13, %r13, %r12;\nst.shared.u32 [%r13], %r5;\n"
        "bar.sync 0;\nld.shared.u32 %r11, [%r13];",
        "@%p3 st.global.u32 [%d1], %r5;\nst.global.u16 [%d1+2], %h1;\nld.global.u32 %r11, [%d1];",
    };
    for (auto const& block : block_shapes) {
        std::string body = place_in_block + "mov.b16 %h1, 77;\nsetp.gt.u32 %p3, %r0, 6;\nmov.u32 %r20, 0;\n";
        int label = 0;
        for (std::string index : bodies) {
            for (std::size_t at; (at = index.find("L:")) != std::string::npos;) {
                std::string const name = "L" + std::to_string(label++);
                index.replace(at, 1, name);
                index.replace(index.find("bra L;"), 6, "bra " + name + ";");
            }
            for (char const* const access : accesses) {
                body += "mov.u32 %r11, 1;\n" + index + "\n" + index_to_address + access + "\n";
                body += "mad.lo.u32 %r20, %r20, 31, %r11;\n";
                index = "";  // the index remains in its register
            }
        }
        body += "st.global.u32 [%d0], %r20;\nst.global.u32 [%out+1020], %r20;";
        Threads threads;
        threads.block = block;
        CAPTURE(block[0], block[1], block[2]);
        check_same(kernel(body, ".shared .align 16 .b8 sm[4096];\n"), threads, 256, Ends::well);
    }
}

TEST_CASE("Scattered accesses are done as the interpreter does them") {
    // Byte offsets %r10 below 1024: spread, in pairs, so that of two lanes that store the higher one wins, and backwards.
    char const* const spreads[] = {"mul.lo.u32 %r10, %r5, 52;\nxor.b32 %r10, %r10, 16;",
                                   "and.b32 %r10, %r5, -2;\nmul.lo.u32 %r10, %r10, 24;",
                                   "mul.lo.u32 %r10, %r5, -4;"};
    // Of the shared variable, also by generic addresses; of `in`; of the thread's own memory.
    char const* const places[] = {
        "mov.u32 %r12, sm;\nadd.u32 %r12, %r12, %r10;\nst.shared.b32 [%r12], %r5;\nbar.sync 0;\n"
        "@%p3 ld.shared.u16 %r11, [%r12+2];\n@!%p3 ld.shared.s8 %r11, [%r12];\nbar.sync 0;",
        "mov.u64 %d2, sm;\ncvta.shared.u64 %d2, %d2;\ncvt.u64.u32 %d1, %r10;\nadd.u64 %d2, %d2, %d1;\n"
        "@%p3 st.u32 [%d2], %r5;\nbar.sync 0;\nand.b64 %d2, %d2, -8;\nld.v2.u32 {%r11, %r13}, [%d2];\n"
        "xor.b32 %r11, %r11, %r13;\nbar.sync 0;",
        "and.b32 %r12, %r10, -8;\ncvt.u64.u32 %d1, %r12;\nadd.u64 %d1, %d1, %in;\nmov.b64 %d2, {%r5, %r10};\n"
        "@%p3 st.global.u64 [%d1], %d2;\nbar.sync 0;\nld.global.u8 %r11, [%d1+5];\nbar.sync 0;",
        "and.b32 %r12, %r10, 248;\nmov.u32 %r13, own;\nadd.u32 %r12, %r12, %r13;\nst.local.u32 [%r12], %r5;\n"
        "@%p3 st.local.u16 [%r12+2], %h1;\nld.local.u64 %d1, [%r12];\nshr.u64 %d2, %d1, 32;\n"
        "xor.b64 %d1, %d1, %d2;\ncvt.u32.u64 %r11, %d1;",
        "@%p3 st.local.v2.u32 [own+16], {%r5, %r10};\nst.local.u64 [own+24], %d0;\nst.local.u8 [own+17], %h1;\n"
        "ld.local.v4.u32 {%r11, %r12, _, %r13}, [own+16];\nxor.b32 %r11, %r11, %r12;\nadd.u32 %r11, %r11, %r13;\n"
        "ld.local.s8 %r12, [own+19];\nadd.u32 %r11, %r11, %r12;",
    };
    auto const check = [&](std::array<std::uint32_t, 3> const& block, std::size_t first, std::size_t last) {
        std::string body = ".local .align 16 .b8 own[256];\n" + place_in_block +
                           "mov.b16 %h1, 77;\nand.b32 %r9, %r5, 5;\nsetp.ne.u32 %p3, %r9, 1;\n" +
                           "mov.u32 %r20, 0;\n";
        for (std::string const spread : spreads) {
            for (std::size_t i = first; i < last; ++i) {
                char const* const place = places[i];
                body += "mov.u32 %r11, 1;\n" + spread + "\nand.b32 %r10, %r10, 1020;\n" + place + "\n";
                body += "mad.lo.u32 %r20, %r20, 31, %r11;\n";
            }
        }
        // Some lanes of a warp.
        body += "@%p3 bra L;\n";
        for (char const* const place : {places[3], places[4]})
            body += std::string(spreads[0]) + place + "\nmad.lo.u32 %r20, %r20, 31, %r11;\n";
        body += "L:\nst.global.u32 [%d0], %r20;";
        Threads threads;
        threads.block = block;
        CAPTURE(block[0], block[1], block[2], first);
        check_same(kernel(body, ".shared .align 16 .b8 sm[1024];\n"), threads, 128, Ends::well);
    };
    for (auto const& block : few_block_shapes) {
        for (std::size_t i = 0; i < std::size(places); ++i) check(block, i, i + 1);
    }
    // A kernel that is large enough for code that does less itself.
    check(few_block_shapes.back(), 0, std::size(places));
}

TEST_CASE("Lanes that part and meet again do what the interpreter makes them do") {
    std::string const body = place_in_block + R"(
mov.u32 %r20, 0;
mov.u32 %r11, 7;
L:
add.u32 %r10, %r5, %r20;
and.b32 %r9, %r10, 3;
setp.gt.u32 %p1, %r9, 1;
setp.lt.u32 %p4, %r20, 4;
mov.u32 %r12, %r0;
// Both ways change what is live behind: a line, a number that all have, a predicate; one accesses memory.
@%p1 bra A;
mul.wide.u32 %d1, %r12, 4;
add.u64 %d1, %d1, %in;
ld.global.u32 %r13, [%d1];
add.u32 %r11, %r11, %r13;
setp.lt.u32 %p5, %r13, 1000000;
mov.u32 %r14, 3;
bra B;
A:
mad.lo.u32 %r11, %r11, 5, %r20;
mov.u32 %r14, 4;
setp.eq.u32 %p5, %r9, 2;
@%p5 st.global.u32 [%d0], %r11;
// A way inside of a way, which not all of its lanes take, and one that none takes.
@%p5 bra C;
xor.b32 %r11, %r11, 85;
C:
@!%p4 bra B;
add.u32 %r12, %r12, 1;
B:
mad.lo.u32 %r11, %r11, %r14, %r12;
// Two conditions.
setp.eq.u32 %p2, %r9, 0;
@%p2 bra D;
@%p5 bra D;
add.u32 %r11, %r11, 1;
bra E;
D:
sub.u32 %r11, %r11, %r9;
E:
add.u32 %r20, %r20, 1;
setp.lt.u32 %p3, %r20, 9;
@%p3 bra L;
selp.u32 %r12, 1, 0, %p5;
add.u32 %r11, %r11, %r12;
st.global.u32 [%d0], %r11;)";
    for (auto const& block : few_block_shapes) {
        Threads threads;
        threads.block = block;
        CAPTURE(block[0], block[1], block[2]);
        check_same(kernel(body), threads, 128, Ends::well);
    }
    // A fault in one of the ways.
    check_same(
        kernel(
            "and.b32 %r1, %i, 1;\nsetp.eq.u32 %p1, %r1, 0;\nmov.u32 %r2, 1;\n@%p1 bra A;\n"
            "setp.eq.u32 %p2, %i, 37;\n@%p2 mov.u64 %o4, 4;\nst.global.u32 [%o4], %i;\nA: add.u32 %r2, %r2, 1;\n"
            "st.global.u32 [%out], %r2;"),
        {{64, 1, 1}, {1, 1, 1}, 0}, 64, Ends::in_error);
}

TEST_CASE("Lanes that leave a loop one after the other do what the interpreter makes them do") {
    // A loop as long as each thread wants, with another in it that some leave in the middle, between barriers, so that the warps
    // of the CTA are at different places; what they add atomically depends on the order of their turns.
    std::string const body = place_in_block + R"(
mov.u32 %r20, 0;
mov.u32 %r11, 7;
mov.u32 %r21, sm;
O:
mad.lo.u32 %r9, %r5, 7, %r20;
and.b32 %r12, %r9, 15;
setp.lt.u32 %p2, %r12, 3;
@%p2 bra E;
L:
mul.wide.u32 %d1, %r12, 4;
add.u64 %d1, %d1, %in;
ld.global.u32 %r13, [%d1];
add.u32 %r11, %r11, %r13;
mov.u32 %r14, %r12;
M:
sub.u32 %r14, %r14, 1;
xor.b32 %r11, %r11, %r14;
setp.eq.u32 %p4, %r14, %r20;
@%p4 bra N;
atom.shared.add.u32 %r15, [%r21], 1;
add.u32 %r11, %r11, %r15;
setp.gt.s32 %p3, %r14, 2;
@%p3 bra M;
N:
sub.u32 %r12, %r12, 1;
setp.ne.u32 %p1, %r12, 0;
@%p1 bra L;
E:
bar.sync 0;
add.u32 %r20, %r20, 1;
setp.lt.u32 %p5, %r20, 3;
@%p5 bra O;
st.global.u32 [%d0], %r11;)";
    for (auto const& block : few_block_shapes) {
        for (std::uint64_t const turn : {0u, 3u, 50u}) {
            Threads threads;
            threads.block = block;
            CAPTURE(block[0], block[1], block[2], turn);
            runtime::DeviceOptions options;
            options.turn_instructions = turn;
            check_same(kernel(body, ".shared .align 4 .u32 sm;\n"), threads, 128, Ends::well, options);
        }
    }
    // Long enough for lanes that wait to see that others take turns; a fault when some have left.
    for (char const* const last : {"", "@%p1 bra L;\nadd.u64 %o4, %o4, 2;\nst.global.u32 [%o4], %r1;"}) {
        std::string const text = "and.b32 %r1, %i, 31;\nmul.lo.u32 %r1, %r1, 300;\nL: sub.s32 %r1, %r1, 1;\n"
                                 "setp.gt.s32 %p1, %r1, 0;\n";
        check_same(kernel(text + (*last != 0 ? last : "@%p1 bra L;\nst.global.u32 [%o4], %r1;")),
                   {{64, 1, 1}, {1, 1, 1}, 0}, 64, *last != 0 ? Ends::in_error : Ends::well);
    }
}

TEST_CASE("Scattered accesses are counted as the interpreter counts them") {
    // Of %i: ascending, with steps in a sector, descending, and with holes; words near and far in shared memory.
    char const* const offsets[] = {"mul.lo.u32 %r10, %i, 36;",
                                   "mul.lo.u32 %r10, %i, 8;",
                                   "mul.lo.u32 %r10, %i, 12;",
                                   "mul.lo.u32 %r10, %i, -4;\nand.b32 %r10, %r10, 508;",
                                   "xor.b32 %r10, %i, 5;\nshl.b32 %r10, %r10, 2;",
                                   "and.b32 %r10, %i, 3;\nmad.lo.u32 %r10, %i, 8, %r10;\nand.b32 %r10, %r10, -4;",
                                   "mul.lo.u32 %r10, %i, %i;\nand.b32 %r10, %r10, 1020;"};
    char const* const guards[] = {"", "@%p1 ", "@%p2 ", "@%p3 "};
    std::string body = "mov.u32 %r11, sm;\nand.b32 %r1, %i, 31;\nsetp.lt.u32 %p1, %r1, 13;\n"
                       "setp.gt.u32 %p2, %r1, 18;\nand.b32 %r1, %i, 5;\nsetp.eq.u32 %p3, %r1, 4;\n";
    for (std::string const offset : offsets) {
        body += offset + "\nand.b32 %r10, %r10, 4092;\ncvt.u64.u32 %d1, %r10;\nadd.u64 %d1, %d1, %in;\n";
        body += "add.u32 %r12, %r11, %r10;\n";
        for (std::string const guard : guards) {
            body += guard + "ld.global.u32 %r2, [%d1];\n" + guard + "ld.shared.u32 %r3, [%r12];\n";
            body += "add.u32 %r20, %r20, %r2;\nadd.u32 %r20, %r20, %r3;\n";
        }
    }
    body += "st.global.u32 [%o4], %r20;";
    check_same(kernel(body, ".shared .align 16 .b8 sm[4096];\n"), {{96, 1, 1}, {2, 1, 1}, 0}, 192, Ends::well);
}

TEST_CASE("Faults of scattered lanes are reported as the interpreter reports them") {
    Threads threads;
    threads.block = {64, 1, 1};
    char const* const accesses[] = {"cvt.u64.u32 %d1, %r10;\nadd.u64 %d1, %d1, %in;\nld.global.u32 %r11, [%d1];",
                                    "cvt.s64.s32 %d1, %r10;\nadd.u64 %d1, %d1, %in;\n@%p2 st.u32 [%d1], %r10;",
                                    "ld.shared.u32 %r11, [%r10];",
                                    "@%p2 st.shared.u16 [%r10], %h1;",
                                    "ld.local.u32 %r11, [%r10];",
                                    "@%p2 st.local.u64 [%r10], %d1;"};
    for (std::string const access : accesses) {
        // In the second round a lane is elsewhere: far behind the end, before the beginning, where nothing is aligned.
        for (char const* const wrong : {"8192", "-64", "3"}) {
            std::string const text = ".local .align 16 .b8 own[64];\nmov.b16 %h1, 3;\nmov.u64 %d1, 5;\nmov.u32 "
                                     "%r20, 0;\nsetp.ne.u32 %p2, %i, 3;\n"
                                     "and.b32 %r10, %i, 1;\nmul.lo.u32 %r10, %r10, 48;\nL:\n" +
                                     access + "\nsetp.eq.u32 %p1, %i, 21;\n@%p1 mov.u32 %r10, " + wrong +
                                     ";\nadd.u32 %r20, %r20, 1;\nsetp.lt.u32 %p1, %r20, 3;\n@%p1 bra L;";
            check_same(kernel(text, ".shared .align 16 .b8 sm[64];\n"), threads, 64, Ends::in_error);
        }
    }
}

TEST_CASE("Linear values that wrap around are those of each lane") {
    std::string body = place_in_block + "mov.u64 %d5, 0;\n";
    for (char const* const start : {"0x7ffffff0", "0xfffffff8", "0x80000000", "0", "0x7fffffe0"}) {
        body += std::string("add.u32 %r10, %r0, ") + start + ";\nmad.lo.u32 %r11, %r1, 5, %r10;\n";
        for (char const* const use :
             {"mul.wide.s32 %d1, %r10, 12;", "mul.wide.u32 %d1, %r10, 12;", "cvt.s64.s32 %d1, %r11;",
              "cvt.u64.u32 %d1, %r11;", "neg.s32 %r12, %r11;\nmul.wide.u32 %d1, %r12, 3;",
              "mov.u64 %d2, 1000;\nmad.wide.s32 %d1, %r11, 7, %d2;",
              "shl.b32 %r12, %r11, 3;\ncvt.s64.s32 %d1, %r12;", "shl.b32 %r12, %r11, 40;\ncvt.s64.s32 %d1, %r12;",
              "mul.lo.s32 %r12, %r11, %r3;\ncvt.s64.s32 %d1, %r12;",
              "sub.s32 %r12, 5, %r11;\ncvt.u64.u32 %d1, %r12;"})
            body += std::string(use) + "\nmul.lo.u64 %d5, %d5, 1000003;\nxor.b64 %d5, %d5, %d1;\n";
    }
    body += "shr.u64 %d6, %d5, 32;\nxor.b64 %d5, %d5, %d6;\ncvt.u32.u64 %r10, %d5;\nst.global.u32 [%d0], %r10;";
    for (auto const& block : block_shapes) {
        Threads threads;
        threads.block = block;
        CAPTURE(block[0], block[1], block[2]);
        check_same(kernel(body), threads, 128, Ends::well);
    }
}

TEST_CASE("Atomics of compiled code do what the interpreter's do") {
    std::string const body = place_in_block + R"(
mov.u32 %r6, sm;
and.b32 %r7, %r0, 7;
shl.b32 %r7, %r7, 2;
add.u32 %r7, %r7, %r6;
atom.shared.add.u32 %r10, [%r7], %r5;
red.shared.max.s32 [%r7+64], %r5;
setp.gt.u32 %p1, %r0, 4;
@%p1 atom.shared.exch.b32 %r10, [%r7+128], %r5;
mov.u32 %r11, 0;
@!%p1 atom.shared.inc.u32 %r11, [%r6+252], 100;
mul.wide.u32 %d1, %r0, 8;
add.u64 %d1, %d1, %in;
cvt.u64.u32 %d2, %r5;
atom.global.add.u64 %d3, [%d1], %d2;
atom.global.cas.b32 %r12, [%in+2048], %r11, %r5;
cvt.rn.f32.u32 %f1, %r5;
atom.global.add.f32 %f2, [%d1+1024], %f1;
red.add.u32 [%in+2052], 3;
cvt.u32.u64 %r13, %d3;
mov.b32 %r14, %f2;
xor.b32 %r10, %r10, %r11;
mad.lo.u32 %r10, %r10, 31, %r12;
mad.lo.u32 %r10, %r10, 31, %r13;
mad.lo.u32 %r10, %r10, 31, %r14;
bar.sync 0;
ld.shared.u32 %r15, [%r7+64];
add.u32 %r10, %r10, %r15;
st.global.u32 [%d0], %r10;)";
    std::string const shared = ".shared .align 16 .b8 sm[256];\n";
    for (auto const& block : block_shapes) {
        Threads threads;
        threads.block = block;
        CAPTURE(block[0], block[1], block[2]);
        check_same(kernel(body, shared), threads, 128, Ends::well);
    }
    for (char const* const fault : {"atom.global.add.u32 %r10, [%o4+4096], 1;", "red.shared.add.u32 [%r0+2], 1;",
                                    "mov.u64 %d1, 64;\natom.add.u32 %r10, [%d1], 1;"})
        check_same(kernel("mov.u32 %r0, 0;\n" + std::string(fault), shared), {}, 32, Ends::in_error);
}

TEST_CASE("Faults in a row are reported as the interpreter reports them") {
    Threads threads;
    threads.block = {16, 4, 1};
    char const* const bodies[] = {
        "mad.lo.s32 %r10, %r1, 1000, %r0;",  // the second row is past the end
        "mad.lo.s32 %r10, %r1, -100, %r0;",  // ... before the beginning
        "add.s32 %r10, %r0, 1009;",          // the last lanes of each row
        "mul.lo.s32 %r10, %r1, 1020;",       // one place in a row
    };
    char const* const accesses[] = {"ld.global.u32 %r11, [%d1];", "st.global.u32 [%d1], %r5;",
                                    "ld.global.v2.u32 {%r11, %r12}, [%d1+4];", "ld.global.u32 %r11, [%d1+2];"};
    for (std::string const body : bodies) {
        for (std::string const access : accesses) {
            // What is accessed first is right, so that the place is known.
            std::string const text = place_in_block + "mov.u32 %r20, 0;\nmov.u32 %r10, 0;\nL:\n" +
                                     index_to_address + access + "\n" + body + "\nadd.u32 %r20, %r20, 1;\n" +
                                     "setp.lt.u32 %p1, %r20, 3;\n@%p1 bra L;";
            check_same(kernel(text), threads, 64, Ends::in_error);
        }
    }
}

TEST_CASE("Limits and deadlocks are those of the interpreter") {
    Threads threads;
    threads.block = {64, 1, 1};
    runtime::DeviceOptions options;
    options.max_instructions = 100000;
    check_same(kernel("L: add.u32 %r1, %r1, 1;\nbra L;"), threads, 64, Ends::in_error, options);
    check_same(kernel("L: ld.global.u32 %r1, [%out];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;"), threads, 64,
               Ends::in_error);
    check_same(kernel("setp.lt.u32 %p1, %i, 32;\n@%p1 bra E;\nbar.sync 0;\nL: ld.global.u32 %r1, [%out];\n"
                      "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;\nE:"),
               threads, 64, Ends::in_error);
}

TEST_CASE("A barrier where lanes have met again does not end native code") {
    if (sim::compiler_version().empty()) return;
    std::string const text = kernel(
        "mov.u32 %r1, %tid.x;\nmov.u32 %r3, 0;\nmov.u32 %r4, sm;\nshl.b32 %r5, %r1, 2;\n"
        "add.u32 %r4, %r4, %r5;\nst.shared.u32 [%r4], %r1;\nbar.sync 0;\nsetp.lt.u32 %p1, %r1, 7;\n@%p1 bra J;\n"
        "ld.shared.u32 %r2, [%r4+-16];\nadd.u32 %r3, %r3, %r2;\nJ: bar.sync 0;\nadd.u32 %r1, %r1, 1;\n"
        "setp.lt.u32 %p1, %r3, 100000;\n@%p1 bra E;\nbar.sync 0;\nE: st.global.u32 [%o4], %r3;",
        ".shared .align 16 .b8 sm[4096];\n");
    Threads threads;
    threads.grid = {3, 1, 1};
    threads.block = {256, 1, 1};
    check_same(text, threads, 768, Ends::well);
    for (bool const counts : {false, true}) {
        runtime::DeviceOptions options = with_engine(runtime::Engine::compiled);
        options.memory_statistics = counts;
        Outcome const got = outcome(text, "independent", options, threads, 768);
        // Nothing was left to the interpreter.
        CHECK(got.compiled == got.instructions.warp);
    }
}

TEST_CASE("Code of an earlier run is used and damaged files of it are not") {
    if (sim::compiler_version().empty()) return;
    TemporaryFolder const folder;
    // Executes enough that somebody looks into the cache.
    std::string const text = kernel("mov.u32 %r1, 0;\nL: mad.lo.u32 %r2, %r2, 1664525, %i;\nadd.u32 %r1, %r1, 1;\n"
                                    "setp.lt.u32 %p1, %r1, 100000;\n@%p1 bra L;\nst.global.u32 [%o4], %r2;");
    auto const run = [&](runtime::Engine engine) {
        runtime::DeviceOptions options = with_engine(engine);
        options.cache_folder = folder / "c";
        Program program(text, "independent", options);
        program.run<std::uint32_t>(128);
        return std::pair(program.run<std::uint32_t>(128), program.result.instructions.warp);
    };
    auto const files = [&] {
        std::vector<fs::path> found;
        for (auto const& file : fs::directory_iterator(folder / "c")) found.push_back(file.path());
        return found;
    };
    auto const expected = run(runtime::Engine::interpreted);
    CHECK(run(runtime::Engine::compiled) == expected);
    REQUIRE(files().size() == 2);
    CHECK(run(runtime::Engine::automatic) == expected);
    CHECK(run(runtime::Engine::compiled) == expected);
    for (fs::path const& file : files()) {
        CHECK(file.extension() == ".code");
        std::fstream(file, std::ios::in | std::ios::out | std::ios::binary).seekp(300).write("damaged", 7);
    }
    CHECK(run(runtime::Engine::automatic) == expected);
    for (fs::path const& file : files()) fs::resize_file(file, 200);
    CHECK(run(runtime::Engine::automatic) == expected);
    CHECK(run(runtime::Engine::compiled) == expected);
    CHECK(files().size() == 2);
    for (fs::path const& file : files()) CHECK(fs::file_size(file) > 300);
}

TEST_CASE("Kernels are compiled where there is a compiler") {
    Program program(kernel("st.global.u32 [%o4], %i;"), "independent", with_engine(runtime::Engine::compiled));
    CHECK(program.run<std::uint32_t>(32)[31] == 31);
    if (sim::compiler_version().empty()) return;
    CHECK(sim::compiler_version().starts_with("LLVM 16"));
}

}  // namespace compiled_test
