// Where values lie, and which are not kept at all: compared with what ptxas 13.0 does with the same.
#include "tests/support/catch.hpp"
#include "tests/timing/plan_support.hpp"

#include <string>

namespace plan_values_test {

using namespace warpsim;
using namespace warpsim::test;

timing::Allocation const& allocation(Compiled const& k) { return k.machine.functions.front().allocation; }

std::string const two_arrays = ".shared .align 16 .b8 first[4096];\n.shared .align 16 .b8 second[4096];\n";

TEST_CASE("Addresses of one element in several arrays of shared memory take one register", "[timing][plan]") {
    Compiled k(R"(
shl.b32 %r1, %i, 6;
ld.global.u32 %r11, [%in];
and.b32 %r12, %r11, 15;
shl.b32 %r2, %r12, 2;
mov.u32 %r3, first;
add.s32 %r4, %r3, %r1;
add.s32 %r5, %r4, %r2;
mov.u32 %r6, second;
add.s32 %r7, %r6, %r1;
add.s32 %r8, %r7, %r2;
st.shared.u32 [%r5], %i;
st.shared.u32 [%r8], %r1;
bar.sync 0;
ld.shared.u32 %r9, [%r8];
ld.shared.u32 %r10, [%r5];
add.s32 %r9, %r9, %r10;
st.global.u32 [%o4], %r9;
)",
               "", "v100", two_arrays);
    CHECK(k.fate("add.s32 %r5") == timing::Fate::issued);
    CHECK(k.fate("add.s32 %r7") == timing::Fate::removed);
    CHECK(k.fate("add.s32 %r8") == timing::Fate::removed);
    timing::MachineFunction const& m = k.function();
    auto const address = [&](std::string const& text) { return m.machine_reads[k.place(text)][0]; };
    CHECK(address("st.shared.u32 [%r8]") == address("st.shared.u32 [%r5]"));
    // They are different bytes all the same, and the same ones where they overlap.
    CHECK(k.place("ld.shared.u32 %r9") > k.place("st.shared.u32 [%r8]"));
    check_as_functional(k, 1);
}

TEST_CASE("A value that something else reads keeps its own register beside an address", "[timing][plan]") {
    Compiled k(R"(
shl.b32 %r1, %i, 2;
and.b32 %r2, %i, 3;
mov.u32 %r3, first;
add.s32 %r4, %r3, %r1;
add.s32 %r5, %r4, %r2;
mov.u32 %r6, second;
add.s32 %r7, %r6, %r1;
add.s32 %r8, %r7, %r2;
st.shared.u8 [%r5], %i;
st.shared.u8 [%r8], %i;
sub.s32 %r9, %r8, %r5;
st.global.u32 [%o4], %r9;
)",
               "", "v100", two_arrays);
    CHECK(k.fate("add.s32 %r8") != timing::Fate::removed);
    check_as_functional(k, 1);
}

TEST_CASE("What a wide access names together lies side by side", "[timing][plan]") {
    for (char const* const config : {"v100", "rtx2060", "a100", "h100"}) {
        CAPTURE(config);
        Compiled const k(R"(
mul.wide.u32 %d1, %i, 16;
add.s64 %d2, %in, %d1;
ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d2];
ld.global.v2.u64 {%d5, %d6}, [%d2+1024];
add.u32 %r5, %r1, 1;
add.u32 %r6, %r2, 2;
add.u64 %d7, %d5, %d6;
cvt.u32.u64 %r9, %d7;
add.u32 %r7, %r3, %r9;
add.u32 %r8, %r4, 4;
add.s64 %d8, %out, %d1;
st.global.v4.u32 [%d8], {%r5, %r6, %r7, %r8};
)",
                         "", config);
        timing::MachineFunction const& m = k.function();
        std::size_t const load = k.place("ld.global.v4"), wide = k.place("ld.global.v2"),
                          store = k.place("st.global.v4");
        auto const places = [&](auto const& registers, ir::ProgramPoint point) {
            std::vector<std::uint32_t> found;
            for (std::uint32_t const reg : registers) found.push_back(allocation(k).at(reg, point));
            return found;
        };
        auto const at = [](std::size_t i) { return static_cast<std::uint32_t>(i); };
        auto const loaded = places(m.machine_writes[at(load)], ir::write_point(at(load)));
        REQUIRE(loaded.size() == 4);
        CHECK(loaded[0] % 4 == 0);
        for (std::uint32_t e = 0; e < 4; ++e) CHECK(loaded[e] == loaded[0] + e);
        auto const pairs = places(m.machine_writes[at(wide)], ir::write_point(at(wide)));
        REQUIRE(pairs.size() == 2);
        CHECK(pairs[0] % 4 == 0);
        CHECK(pairs[1] == pairs[0] + 2);
        auto const stored = places(m.machine_reads[at(store)].last(4), ir::read_point(at(store)));
        CHECK(stored[0] % 4 == 0);
        for (std::uint32_t e = 0; e < 4; ++e) CHECK(stored[e] == stored[0] + e);
    }
}

TEST_CASE("Of a widened value that sums read only the upper half has a register of its own", "[timing][plan]") {
    std::string const body = R"(
ld.global.s32 %r1, [%in];
cvt.s64.s32 %d1, %r1;
ld.global.u64 %d2, [%in+8];
add.s64 %d3, %d2, %d1;
ld.global.u64 %d4, [%in+16];
sub.s64 %d5, %d4, %d1;
mul.wide.u32 %d6, %i, 16;
add.s64 %d7, %out, %d6;
st.global.u64 [%d7], %d3;
st.global.u64 [%d7+8], %d5;
)";
    auto const units = [](Compiled const& k) {
        return k.function().units(k.function().writes[static_cast<std::uint32_t>(k.place("cvt.s64.s32"))][0]);
    };
    Compiled halves(body), pair(body + "st.global.u64 [%d7], %d1;\n");
    CHECK(units(halves) == 1);
    CHECK(units(pair) == 2);
    check_as_functional(halves, 1);
    check_as_functional(pair, 1);
}

TEST_CASE("Every sum multiplies anew, unless a sum of three saves more", "[timing][plan]") {
    std::string const body = R"(
ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%in];
mul.lo.s32 %r5, %r1, %r2;
add.s32 %r6, %r5, %r3;
sub.s32 %r7, %r5, %r4;
xor.b32 %r8, %r6, %r7;
st.global.u32 [%o4], %r8;
)";
    Compiled const two(body), also_itself(body + "st.global.u32 [%o4+4096], %r5;\n");
    CHECK(two.fate("mul.lo.s32") == timing::Fate::folded);
    CHECK(also_itself.fate("mul.lo.s32") == timing::Fate::issued);
    Compiled const three(R"(
ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%in];
mul.lo.s32 %r5, %r1, %r2;
add.s32 %r6, %r3, %i;
add.s32 %r7, %r5, %r6;
add.s32 %r8, %r4, %i;
add.s32 %r9, %r5, %r8;
xor.b32 %r10, %r7, %r9;
st.global.u32 [%o4], %r10;
)");
    CHECK(three.fate("mul.lo.s32") == timing::Fate::issued);
    CHECK(three.fate("add.s32 %r6") == timing::Fate::folded);
}

TEST_CASE("A grid's threads are no value of their own until 8.9", "[timing][plan]") {
    std::string const body = R"(
mov.u32 %r1, %ntid.x;
mov.u32 %r2, %nctaid.x;
mul.lo.s32 %r3, %r1, %r2;
mov.u32 %r4, %i;
again:
mul.wide.u32 %d1, %r4, 4;
add.s64 %d2, %out, %d1;
st.global.u32 [%d2], %r4;
add.s32 %r4, %r4, %r3;
setp.lt.u32 %p1, %r4, 200;
@%p1 bra again;
)";
    CHECK(Compiled(body, "", "a100").fate("mul.lo.s32 %r3") == timing::Fate::folded);
    CHECK(Compiled(body, "", "h100").fate("mul.lo.s32 %r3") == timing::Fate::issued);
}

TEST_CASE("Constants in registers come where they are needed", "[timing][plan]") {
    for (char const* const config : {"v100", "h100"}) {
        CAPTURE(config);
        Compiled k(R"(
ld.param.u64 %d20, [p_out];
ld.global.v2.f32 {%f1, %f2}, [%in];
div.rn.f32 %f3, %f1, %f2;
st.global.f32 [%d20], %f3;
)",
                   "", config);
        CHECK(k.place("ld.param.u64 %d20") > k.place("div.rn.f32"));
        check_as_functional(k, 1);
    }
}

TEST_CASE("From 9.0 on the least and the greatest take a sum in", "[timing][plan]") {
    std::string const body = R"(
ld.global.v2.u32 {%r1, %r2}, [%in];
add.s32 %r3, %r1, 7;
max.s32 %r4, %r3, %r2;
sub.s32 %r5, %i, %r2;
min.u32 %r6, %r5, %r4;
st.global.u32 [%o4], %r6;
)";
    Compiled const ampere(body, "", "a100"), hopper(body, "", "h100");
    CHECK(ampere.fate("add.s32 %r3") == timing::Fate::issued);
    CHECK(hopper.fate("add.s32 %r3") == timing::Fate::folded);
    CHECK(hopper.fate("sub.s32 %r5") == timing::Fate::folded);
}

TEST_CASE("Loads take as many registers as every thread of a full SM can have", "[timing][plan]") {
    std::string body = ".reg .b32 %v<64>;\n";
    for (int i = 0; i < 60; ++i)
        body += "ld.global.u32 %v" + std::to_string(i) + ", [%in+" + std::to_string(64 * i) + "];\n";
    body += "mov.u32 %r2, %v0;\n";
    for (int i = 1; i < 60; ++i) body += "mad.lo.u32 %r2, %r2, %r2, %v" + std::to_string(i) + ";\n";
    body += "st.global.u32 [%o4], %r2;\n";
    // ptxas 13.0 takes 62 for 7.5, 31 for 8.0, 39 for 8.6 and 30 for 9.0.
    struct Case {
        char const* config;
        std::uint32_t most;
    };
    for (auto const& [config, most] :
         {Case{"v100", 32}, {"rtx2060", 64}, {"a100", 32}, {"rtx3070", 40}, {"h100", 32}}) {
        CAPTURE(config);
        Compiled const k(body, "", config);
        CHECK(k.machine.registers <= most);
        CHECK(k.machine.registers > most - 6);
    }
}

TEST_CASE("A constant is moved again where it has not been on every path", "[timing]") {
    // The factor 12: ptxas 13.0 moves it on the path, which a barrier keeps from becoming guarded, and again behind it, but once where a
    // load before both needs it as well.
    auto const loads = [](int number) {
        std::string const n = std::to_string(number);
        return "ld.global.u32 %r1" + n + ", [%in+" + std::to_string(64 * number) + "];\nmul.wide.u32 %d" + n +
               ", %r1" + n + ", 12;\nadd.s64 %d" + n + ", %d" + n + ", %d1;\nld.global.u32 %r" + n + ", [%d" + n +
               "];\nst.global.u32 [%o4+" + std::to_string(4 * number) + "], %r" + n + ";\n";
    };
    std::string const path =
        "setp.eq.u64 %p1, %in, 0;\n@%p1 bra behind;\nbar.sync 0;\n" + loads(2) + "behind:\n" + loads(3);
    auto const moved = [](Compiled const& k, int number) {
        auto const& instruction = k.function().instructions[k.place("add.s64 %d" + std::to_string(number) + ",")];
        return instruction.moved[0];
    };
    std::string const pointer = "ld.param.u64 %d1, [p_in];\n";
    Compiled const apart(pointer + path, "", "a100");
    CHECK(moved(apart, 2) != 0);
    CHECK(moved(apart, 3) != 0);
    CHECK(moved(apart, 2) != moved(apart, 3));
    Compiled const shared(pointer + loads(4) + path, "", "a100");
    CHECK(moved(shared, 4) != 0);
    CHECK(moved(shared, 2) == moved(shared, 4));
    CHECK(moved(shared, 3) == moved(shared, 4));
}

TEST_CASE("Constants are moved in front of loops that wait for nothing far away", "[timing]") {
    // The factor 12, as ptxas 13.0 has it for sm_75 and sm_80.
    auto const loop = [](std::string const& access, std::string const& more = {}) {
        return "mov.u32 %r1, %s;\nround:\nmul.wide.u32 %d1, %r1, 12;\nadd.s64 %d2, %d1, %in;\n" + access + more +
               "add.u32 %r1, %r1, %i;\nsetp.lt.u32 %p1, %r1, 1000;\n@%p1 bra round;\n";
    };
    std::string const load = "ld.global.u32 %r2, [%d2];\nst.shared.u32 [area], %r2;\n",
                      store = "st.global.u32 [%d2], %r1;\n";
    for (char const* const config : {"rtx2060", "a100"}) {
        INFO(config);
        auto const moves = [](Compiled const& k) {
            return k.function().instructions[k.place("add.s64 %d2")].extra_moves;
        };
        CHECK(moves(Compiled(loop(load), "", config)) == 1);
        CHECK(moves(Compiled(loop(store), "", config)) == 0);
    }
    // A constant from in front of it serves a loop of one block, but not of several.
    std::string const before = "mul.wide.u32 %d3, %s, 12;\nadd.s64 %d4, %d3, %in;\nst.global.u32 [%d4+4], %s;\n",
                      path = "setp.eq.u32 %p2, %r2, 9;\n@%p2 bra behind;\nbar.sync 0;\nbar.sync 1;\nbehind:\n";
    auto const is_same = [](Compiled const& k) {
        auto const moved = [&](char const* text) { return k.function().instructions[k.place(text)].moved[0]; };
        CHECK(moved("add.s64 %d2") != 0);
        return moved("add.s64 %d2") == moved("add.s64 %d4");
    };
    CHECK(is_same(Compiled(before + loop(load), "", "a100")));
    CHECK(!is_same(Compiled(before + loop(load, path), "", "a100")));
}

}  // namespace plan_values_test
