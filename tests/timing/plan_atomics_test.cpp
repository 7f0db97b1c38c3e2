// Atomic additions that a compiler lets one lane do for the warp. The counts are those that ptxas 13.0 adds to the
// atomic.
#include "tests/timing/plan_support.hpp"

namespace plan_atomics_test {

using namespace warpsim;
using namespace warpsim::test;

TEST_CASE("Additions of one value to one place are done by one lane, who asks the others", "[timing]") {
    std::string const before = "ld.param.u64 %d1, [p_in];\nmov.u32 %r9, %nctaid.x;\nmov.u32 %r8, "
                               "%tid.x;\nmul.wide.u32 %d2, %r8, 4;\nadd.s64 %d3, %d1, %d2;\n";
    auto const more = [&](std::string const& atomic, std::string const& config) {
        Compiled const k(before + atomic + "\nst.global.u32 [%o4], %r1;\n", "", config);
        timing::MachineFunction const& m = k.function();
        timing::MachineInstruction const& instruction =
            m.instructions[k.place(atomic.substr(0, atomic.find(' ')))];
        return instruction.micros - 1 - instruction.extra_moves;
    };
    CHECK(more("red.global.add.u32 [%d1], 1;", "rtx2060") == 5);
    CHECK(more("red.global.add.u32 [%d1], %r9;", "a100") == 6);
    CHECK(more("atom.global.add.u32 %r1, [%d1], 1;", "rtx2060") == 10);
    CHECK(more("red.shared.add.u32 [area], 1;", "rtx2060") == 5);
    CHECK(more("red.shared.add.u32 [area], 1;", "a100") == 0);
    CHECK(more("red.global.add.u32 [%d3], 1;", "a100") == 0);          // each lane has its own address
    CHECK(more("atom.global.add.u32 %r1, [%d1], %r8;", "a100") == 0);  // its own value
    CHECK(more("atom.global.exch.b32 %r1, [%d1], 1;", "a100") == 0);
    CHECK(more("red.global.add.f32 [%d1], 0f3F800000;", "a100") == 0);
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
