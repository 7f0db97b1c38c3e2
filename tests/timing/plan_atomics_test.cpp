// Atomics that a compiler lets one lane do for the warp. The counts are those that ptxas 13.0 adds to the atomic.
#include "tests/timing/plan_support.hpp"

namespace plan_atomics_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

/// Micro-ops of the kernel's one atomic beside itself.
int more(std::string const& atomic, std::string const& config, std::string const& condition = "") {
    std::string const before =
        "ld.param.u64 %d1, [p_in];\nmov.u32 %r9, %nctaid.x;\nmov.u32 %r8, %tid.x;\nmul.wide.u32 %d2, %r8, 4;\n"
        "add.s64 %d3, %d1, %d2;\nld.global.u32 %r7, [%d3];\nmov.u32 %r6, %laneid;\n" +
        condition;
    Compiled const k(before + atomic + "\nst.global.u32 [%o4], %r1;\nend: ret;\n", "", config);
    timing::MachineFunction const& m = k.function();
    timing::MachineInstruction const& instruction = m.instructions[k.place(atomic.substr(0, atomic.find(' ')))];
    return instruction.micros - 1 - instruction.extra_moves - instruction.convergence;
}

}  // namespace

TEST_CASE("Atomics of a warp at one place are done by one lane, who asks the others", "[timing]") {
    CHECK(more("red.global.add.u32 [%d1], 1;", "rtx2060") == 5);
    CHECK(more("red.global.add.u32 [%d1], 3;", "rtx2060") == 6);
    CHECK(more("red.global.add.u32 [%d1], %r9;", "a100") == 6);
    CHECK(more("red.release.gpu.global.add.u32 [%d1], %r9;", "a100") == 8);  // two of them for the order
    CHECK(more("red.add.u32 [%d1], %r9;", "a100") == 6);
    CHECK(more("red.shared.add.u32 [area], 1;", "rtx2060") == 5);
    CHECK(more("red.shared.add.u32 [area], 1;", "a100") == 0);
    CHECK(more("red.shared.add.u32 [area], 3;", "a100") == 6);
    CHECK(more("atom.global.add.u32 %r1, [%d1], 1;", "rtx2060") == 10);
    CHECK(more("atom.global.add.u32 %r1, [%d1], %r9;", "a100") == 11);
    CHECK(more("red.global.add.u64 [%d1], 3;", "a100") == 9);
}

TEST_CASE("What lanes give of their own is made one, or added up for each", "[timing]") {
    for (std::string const operation :
         {"add.u32", "add.s32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32"}) {
        CAPTURE(operation);
        CHECK(more("red.global." + operation + " [%d1], %r7;", "rtx2060") == 16);
        CHECK(more("red.global." + operation + " [%d1], %r7;", "a100") == 6);
        CHECK(more("red.shared." + operation + " [area], %r7;", "a100") == 6);
    }
    CHECK(more("red.global.min.s32 [%d1], %r9;", "rtx2060") == 6);
    CHECK(more("atom.global.add.u32 %r1, [%d1], %r7;", "rtx2060") == 25);
    CHECK(more("atom.shared.add.u32 %r1, [area], %r7;", "a100") == 25);
}

TEST_CASE("Atomics that ptxas leaves alone stay as they are", "[timing]") {
    CHECK(more("red.global.add.u32 [%d3], 1;", "a100") == 0);  // each lane has its own address
    CHECK(more("atom.global.exch.b32 %r1, [%d1], 1;", "a100") == 0);
    CHECK(more("atom.global.min.s32 %r1, [%d1], 1;", "a100") == 0);
    CHECK(more("red.global.inc.u32 [%d1], 1;", "a100") == 0);
    CHECK(more("red.global.add.f32 [%d1], 0f3F800000;", "a100") == 0);
    CHECK(more("red.global.add.u64 [%d1], %d3;", "a100") == 0);
    CHECK(more("red.global.max.u64 [%d1], 3;", "a100") == 0);
}

TEST_CASE("Where one lane comes it has nobody to ask", "[timing]") {
    std::string const add = "red.global.add.u32 [%d1], %r7;", jump = "@%p1 bra end;\n";
    CHECK(more(add, "a100", "setp.ne.s32 %p1, %r8, 0;\n" + jump) == 0);
    CHECK(more(add, "a100", "setp.ne.s32 %p1, %r9, %r8;\n" + jump) == 0);
    CHECK(more(add, "a100", "setp.ne.s32 %p1, %r6, 31;\n" + jump) == 0);
    CHECK(more(add, "a100",
               "mov.u32 %r5, %ctaid.x;\nmad.lo.s32 %r4, %r5, %r9, %r8;\nsetp.ne.s32 %p1, %r4, 7;\n" + jump) == 0);
    CHECK(more("@%p1 " + add, "a100", "setp.eq.s32 %p1, %r8, 0;\n") == 0);
    // Others may have the same number, or come as well.
    CHECK(more(add, "a100", "setp.eq.s32 %p1, %r8, 0;\n" + jump) == 6);
    CHECK(more(add, "a100", "and.b32 %r5, %r8, 31;\nsetp.ne.s32 %p1, %r5, 0;\n" + jump) == 6);
    CHECK(more(add, "a100", "setp.gt.u32 %p1, %r8, 0;\n" + jump) == 6);
}

TEST_CASE("A number that is computed from itself alone is no lane's own", "[timing]") {
    // Nothing sets %r3 first.
    CHECK(more("red.global.add.u32 [%d1], %r7;", "a100",
               "again: add.s32 %r3, %r3, 1; setp.ne.s32 %p1, %r3, 7; @%p1 bra again;\n") == 6);
    CHECK(more("red.global.add.u32 [%d1], %r7;", "a100",
               "again: mad.lo.s32 %r3, %r9, 3, %r3; setp.ne.s32 %p1, %r9, %r3; @%p1 bra end; bar.sync 0;\n") == 6);
}

TEST_CASE("Sums of floats in shared memory are retried until no other lane has stored in between", "[timing]") {
    auto const micros = [](std::string const& atomic) {
        return Compiled(atomic + "\nst.global.u32 [%o4], %r1;\n", "", "a100")
            .micros(atomic.substr(0, atomic.find(' ')));
    };
    // As in ptxas's loops, with what lets lanes part and meet around them.
    CHECK(micros("red.shared.add.f32 [area], %f1;") == 7);
    CHECK(micros("red.shared.add.noftz.f16x2 [area], %r1;") == 7);
    CHECK(micros("red.shared.add.f64 [area], %d1;") == 8);
    CHECK(micros("red.shared.and.b64 [area], %d1;") == 9);
    CHECK(micros("red.shared.max.u64 [area], %d1;") == 10);
    CHECK(micros("atom.shared.exch.b64 %d1, [area], %d2;") == 1);

    std::string const body = "mov.u32 %r1, %tid.x;\nld.param.u64 %d1, [p_in];\nld.global.u32 %r2, [%d1];\n"
                             "and.b32 %r1, %r1, %r2;\nshl.b32 %r1, %r1, 2;\nmov.f32 %f1, 0f3F800000;\n"
                             "mov.u32 %r3, area;\nadd.s32 %r1, %r1, %r3;\nred.shared.add.f32 [%r1], %f1;\n";
    Compiled k(body);
    runtime::LaunchShape shape;
    shape.block = {32, 1, 1};
    auto const out = k.modules.device.allocate(256);
    std::vector<std::uint64_t> executed;
    for (std::uint32_t const mask : {31u, 15u, 0u}) {
        auto const in = k.modules.device.upload(std::vector<std::uint32_t>{mask});
        executed.push_back(timed_launch(k.modules.device, *k.module, "k", shape, runtime::Arguments::of(out, in),
                                        timing_options(1))
                               .timing->micro_ops);
    }
    CHECK(executed[1] == executed[0] + 5);
    CHECK(executed[2] == executed[0] + 31 * 5);
}

TEST_CASE("A gathered addition takes one turn at the place and gives every lane its own value", "[timing]") {
    std::string const body =
        "ld.param.u64 %d1, [p_in];\natom.global.add.u32 %r1, [%d1], 1;\nst.global.u32 [%o4], %r1;\n";
    Compiled k(body);
    auto const in = k.modules.device.upload(std::vector<std::uint32_t>(4, 100)),
               out = k.modules.device.allocate(256);
    runtime::LaunchShape shape;
    shape.block = {64, 1, 1};
    timed_launch(k.modules.device, *k.module, "k", shape, runtime::Arguments::of(out, in), timing_options(1));
    auto values = k.modules.device.download<std::uint32_t>(out, 64);
    std::sort(values.begin(), values.end());
    for (std::uint32_t i = 0; i < 64; ++i) CHECK(values[i] == 100 + i);
    CHECK(k.modules.device.download<std::uint32_t>(in, 1)[0] == 164);
}

}  // namespace plan_atomics_test
