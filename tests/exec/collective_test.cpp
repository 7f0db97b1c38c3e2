// Shuffles, votes, matches and reductions of warps, against a plain model of the PTX manual.
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <bit>

namespace collective_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

/// Source lane and predicate of shfl, after the pseudo-code of "Data Movement and Conversion Instructions:
/// shfl.sync".
std::pair<int, bool> shuffle_source(std::string const& mode, int lane, int b, std::uint32_t c) {
    int const clamp = static_cast<int>(c & 0x1f), mask = static_cast<int>(c >> 8 & 0x1f);
    int const most = (lane & mask) | (clamp & ~mask), least = lane & mask;
    b &= 0x1f;
    int from = 0;
    bool valid = false;
    if (mode == "up") {
        from = lane - b;
        valid = from >= most;
    }
    if (mode == "down") {
        from = lane + b;
        valid = from <= most;
    }
    if (mode == "bfly") {
        from = lane ^ b;
        valid = from <= most;
    }
    if (mode == "idx") {
        from = least | (b & ~mask);
        valid = from <= most;
    }
    return {valid ? from : lane, valid};
}

std::string const store_results = "\nst.global.u32 [%o4], %r0;";

}  // namespace

TEST_CASE("shfl.sync reads the lane that the manual says, in every mode and segment", "[exec]") {
    std::string body = "mad.lo.u32 %r1, %i, 3, 100;\nmov.u64 %d0, %o4;\n";
    std::vector<std::uint32_t> want;
    for (std::string const mode : {"up", "down", "bfly", "idx"}) {
        std::uint32_t const whole = mode == "up" ? 0 : 31;
        for (std::uint32_t const c : {whole, whole | 0x1800, whole | 0x1000, whole | 0x1e00, 0x0805u, 7u}) {
            for (int const b : {0, 1, 2, 5, 16, 31, 33}) {
                body += "shfl.sync." + mode + ".b32 %r2|%p0, %r1, " + std::to_string(b) + ", " +
                        std::to_string(c) +
                        ", -1; selp.u32 %r3, 1000, 0, %p0; add.u32 %r2, %r2, %r3; st.global.u32 [%d0], %r2; "
                        "add.u64 %d0, %d0, 128;\n";
                for (int lane = 0; lane < 32; ++lane) {
                    auto const [from, valid] = shuffle_source(mode, lane, b, c);
                    want.push_back(static_cast<std::uint32_t>(100 + 3 * from + (valid ? 1000 : 0)));
                }
            }
        }
    }
    for (std::string const& model : control_flows()) {
        INFO(model);
        Program program(kernel(body), model);
        CHECK(program.run<std::uint32_t>(want.size()) == want);
    }
}

TEST_CASE("shfl.sync takes offset and segment of each lane", "[exec]") {
    Program program(kernel("and.b32 %r1, %i, 7; and.b32 %r4, %i, 8; mad.lo.u32 %r4, %r4, 0x200, 31;\n"
                           "shfl.sync.down.b32 %r0, %i, %r1, %r4, -1;" +
                           store_results));
    CHECK(
        program.run<std::uint32_t>(32) == each<std::uint32_t>(32, [](std::uint32_t i) {
            return static_cast<std::uint32_t>(
                shuffle_source("down", static_cast<int>(i), static_cast<int>(i & 7), (i & 8) * 0x200 + 31).first);
        }));
}

TEST_CASE("Votes of all, any, uni and ballot count the members only", "[exec]") {
    for (std::string const& model : control_flows()) {
        INFO(model);
        Program program(kernel(R"(
            setp.lt.u32 %p0, %i, 5; setp.lt.u32 %p1, %i, 32; setp.gt.u32 %p2, %i, 40; mov.u32 %r0, 0;
            vote.sync.all.pred %p3, %p0, -1; @%p3 or.b32 %r0, %r0, 1;   vote.sync.all.pred %p3, %p1, -1; @%p3 or.b32 %r0, %r0, 2;
            vote.sync.any.pred %p3, %p0, -1; @%p3 or.b32 %r0, %r0, 4;   vote.sync.any.pred %p3, %p2, -1; @%p3 or.b32 %r0, %r0, 8;
            vote.sync.uni.pred %p3, %p0, -1; @%p3 or.b32 %r0, %r0, 16;  vote.sync.uni.pred %p3, %p2, -1; @%p3 or.b32 %r0, %r0, 32;
            vote.sync.any.pred %p3, !%p1, -1; @%p3 or.b32 %r0, %r0, 64; vote.sync.all.pred %p3, !%p2, -1; @%p3 or.b32 %r0, %r0, 128;
            vote.sync.ballot.b32 %r1, !%p0, -1; xor.b32 %r0, %r0, %r1;
            setp.lt.u32 %p4, %i, 8; @!%p4 bra END; vote.sync.ballot.b32 %r2, %p0, 0xff; xor.b32 %r0, %r0, %r2; END:)" +
                               store_results),
                        model);
        CHECK(program.run<std::uint32_t>(32) == each<std::uint32_t>(32, [](std::uint32_t i) {
                  std::uint32_t const value = (2u | 4 | 32 | 128) ^ ~0x1fu;
                  return i < 8 ? value ^ 0x1f : value;
              }));
    }
}

TEST_CASE("Tiles of a warp vote, match, reduce and shuffle each for itself at one instruction", "[exec]") {
    for (std::string const& model : control_flows()) {
        INFO(model);
        Program program(kernel(R"(
            and.b32 %r1, %i, 24; mov.u32 %r2, 0xff; shl.b32 %r2, %r2, %r1;       // tiles of eight
            and.b32 %r3, %i, 1; setp.eq.u32 %p0, %r3, 0;
            vote.sync.ballot.b32 %r4, %p0, %r2;
            redux.sync.add.u32 %r5, %i, %r2;
            setp.gt.u32 %p1, %i, 11; vote.sync.any.pred %p2, %p1, %r2; selp.u32 %r6, 1, 0, %p2;
            match.any.sync.b32 %r7, %r3, %r2;
            shfl.sync.bfly.b32 %r8, %i, 1, 0x181f, %r2;
            elect.sync %r9|%p3, %r2;
            mad.lo.u32 %r0, %r5, 3, %r4; mad.lo.u32 %r0, %r6, 5, %r0; mad.lo.u32 %r0, %r7, 7, %r0; mad.lo.u32 %r0, %r8, 11, %r0;
            mad.lo.u32 %r0, %r9, 13, %r0;)" +
                               store_results),
                        model);
        CHECK(program.run<std::uint32_t>(32) == each<std::uint32_t>(32, [](std::uint32_t i) {
                  std::uint32_t const first = i & 24, sum = 8 * first + 28,
                                      same = (i & 1 ? 0xaau : 0x55u) << first;
                  return (0x55u << first) + 3 * sum + (first >= 8 ? 5 : 0) + 7 * same + 11 * (i ^ 1) + 13 * first;
              }));
    }
}

TEST_CASE("match finds the lanes with equal values of 32 and 64 bits", "[exec]") {
    Program program(kernel(R"(
        rem.u32 %r1, %i, 5; match.any.sync.b32 %r2, %r1, -1;
        cvt.u64.u32 %d0, %r1; shl.b64 %d0, %d0, 32; match.any.sync.b64 %r3, %d0, -1; xor.b32 %r3, %r2, %r3;
        match.all.sync.b32 %r4|%p0, %r1, -1; selp.u32 %r5, 100, 0, %p0;
        mov.u32 %r1, 9; match.all.sync.b32 %r6|%p1, %r1, -1; selp.u32 %r7, 1, 0, %p1;
        add.u32 %r0, %r2, %r3; add.u32 %r0, %r0, %r4; add.u32 %r0, %r0, %r5; add.u32 %r0, %r0, %r6; add.u32 %r0, %r0, %r7;)" +
                           store_results));
    CHECK(program.run<std::uint32_t>(32) == each<std::uint32_t>(32, [](std::uint32_t i) {
              std::uint32_t same = 0;
              for (std::uint32_t k = i % 5; k < 32; k += 5) same |= 1u << k;
              return same + 0xffffffffu + 1;
          }));
}

TEST_CASE("redux computes every operation over signed and unsigned members", "[exec]") {
    struct Case {
        char const* operation;
        std::function<std::uint32_t(std::uint32_t, std::uint32_t)> combine;
    };
    auto const s = [](std::uint32_t v) { return static_cast<std::int32_t>(v); };
    Case const cases[] = {
        {"add.u32", [](auto a, auto b) { return a + b; }},
        {"min.u32", [](auto a, auto b) { return std::min(a, b); }},
        {"max.u32", [](auto a, auto b) { return std::max(a, b); }},
        {"add.s32", [](auto a, auto b) { return a + b; }},
        {"min.s32", [s](auto a, auto b) { return s(a) < s(b) ? a : b; }},
        {"max.s32", [s](auto a, auto b) { return s(a) < s(b) ? b : a; }},
        {"and.b32", [](auto a, auto b) { return a & b; }},
        {"or.b32", [](auto a, auto b) { return a | b; }},
        {"xor.b32", [](auto a, auto b) { return a ^ b; }},
    };
    auto const value = [](std::uint32_t i) { return i * 0x9e3779b9u + 0x70000000u; };
    for (Case const& c : cases) {
        INFO(c.operation);
        Program program(kernel("mad.lo.u32 %r1, %i, 0x9e3779b9, 0x70000000; and.b32 %r2, %i, 1; setp.eq.u32 %p0, "
                               "%r2, 0; mov.u32 %r0, 0;\n"
                               "@%p0 redux.sync." +
                               std::string(c.operation) + " %r0, %r1, 0x55555555;" + store_results));
        std::uint32_t total = value(0);
        for (std::uint32_t i = 2; i < 32; i += 2) total = c.combine(total, value(i));
        CHECK(program.run<std::uint32_t>(32) ==
              each<std::uint32_t>(32, [&](std::uint32_t i) { return i % 2 == 0 ? total : 0; }));
    }
}

TEST_CASE("Lanes of two branches meet in the same shuffle", "[exec]") {
    // each side has its own instruction; they meet because they are the same operation, wherever they stand
    Program program(kernel(R"(
        mul.lo.u32 %r1, %i, 2; setp.lt.u32 %p0, %i, 16; @%p0 bra LOW;
        add.u32 %r1, %r1, 1; shfl.sync.bfly.b32 %r0, %r1, 16, 31, -1; add.u32 %r0, %r0, 1000; bra END;
        LOW: shfl.sync.bfly.b32 %r0, %r1, 16, 31, -1; add.u32 %r0, %r0, 2000;
        END:)" + store_results));
    CHECK(program.run<std::uint32_t>(32) == each<std::uint32_t>(32, [](std::uint32_t i) {
              return i < 16 ? 2 * (i + 16) + 1 + 2000 : 2 * (i - 16) + 1000;
          }));
}

TEST_CASE("A collective whose members the guard and a branch bring one by one completes", "[exec]") {
    Program program(kernel(R"(
        and.b32 %r1, %i, 3; mov.u32 %r0, 0;
        setp.eq.u32 %p0, %r1, 0; @%p0 bra A; setp.eq.u32 %p0, %r1, 1; @%p0 bra B; setp.eq.u32 %p0, %r1, 2;
        @%p0 vote.sync.ballot.b32 %r0, %p0, 0x77777777; bra END;
        A: setp.ne.u32 %p1, %i, 4; vote.sync.ballot.b32 %r0, %p1, 0x77777777; bra END;
        B: vote.sync.ballot.b32 %r0, %p0, 0x77777777;
        END:)" + store_results));
    CHECK(program.run<std::uint32_t>(32) ==
          each<std::uint32_t>(32, [](std::uint32_t i) { return (i & 3) == 3 ? 0 : 0x77777767; }));
}

TEST_CASE("Lanes that have exited are not waited for", "[exec]") {
    for (std::string const& model : control_flows()) {
        INFO(model);
        Program program(kernel("setp.gt.u32 %p0, %i, 19; @%p0 exit; vote.sync.ballot.b32 %r0, !%p0, -1;\n"
                               "shfl.sync.idx.b32 %r1, %i, 3, 31, -1; bar.warp.sync -1; add.u32 %r0, %r0, %r1;" +
                               store_results),
                        model);
        CHECK(program.run<std::uint32_t>(32) ==
              each<std::uint32_t>(32, [](std::uint32_t i) { return i > 19 ? 0 : 0xfffff + 3; }));
    }
    // and lanes that exit while the others already wait
    Program program(
        kernel("setp.gt.u32 %p0, %i, 19; @%p0 bra OUT; redux.sync.add.u32 %r0, %i, -1; bra END; OUT: exit; END:" +
               store_results));
    CHECK(program.run<std::uint32_t>(32) ==
          each<std::uint32_t>(32, [](std::uint32_t i) { return i > 19 ? 0 : 190; }));
}

TEST_CASE("Collectives of a partial warp count the threads that exist", "[exec]") {
    Program program(kernel(
        "setp.ge.u32 %p0, %i, 0; vote.sync.ballot.b32 %r0, %p0, -1; activemask.b32 %r1; add.u32 %r0, %r0, %r1;" +
        store_results));
    CHECK(program.run<std::uint32_t>(40, {.block = {40, 1, 1}}) ==
          each<std::uint32_t>(40, [](std::uint32_t i) { return i < 32 ? 0xfffffffe : 0xff * 2; }));
}

TEST_CASE("bar.warp.sync holds lanes of different branches until all named have come", "[exec]") {
    Program program(kernel(R"(
        mov.u32 %r1, box; setp.lt.u32 %p0, %i, 16; @%p0 bra WRITE;
        bar.warp.sync -1; ld.shared.u32 %r0, [%r1]; bra END;
        WRITE: st.shared.u32 [%r1], 42; bar.warp.sync -1; mov.u32 %r0, 1;
        END:)" + store_results,
                           ".shared .u32 box;"));
    CHECK(program.run<std::uint32_t>(32) ==
          each<std::uint32_t>(32, [](std::uint32_t i) { return i < 16 ? 1 : 42; }));
}

TEST_CASE("A collective that waits for lanes in another one is a deadlock that names them", "[exec]") {
    for (std::string const& model : control_flows()) {
        Program program(kernel(R"(
            setp.lt.u32 %p0, %i, 4; @%p0 bra A; vote.sync.any.pred %p1, %p0, -1; bra END;
            A: redux.sync.add.u32 %r0, %i, -1;
            END: st.global.u32 [%o4], 1;)"),
                        model);
        std::string const text = program.error();
        INFO(text);
        CHECK(contains(text, "deadlock"));
        CHECK(contains(text, "warp 0"));
        CHECK(contains(text, model == "stack" ? "wait for lanes" : "wait for lanes 0-3"));
    }
}

TEST_CASE("Lanes meet in one operation, type and set of qualifiers, and in no other", "[exec]") {
    struct Case {
        std::string first, second;
        bool meet;
    };
    Case const cases[] = {
        {"redux.sync.add.u32 %r0, %i, -1;", "redux.sync.add.u32 %r0, %i, -1;", true},
        {"redux.sync.add.u32 %r0, %i, -1;", "redux.sync.add.s32 %r0, %i, -1;", false},
        {"redux.sync.min.u32 %r0, %i, -1;", "redux.sync.max.u32 %r0, %i, -1;", false},
        {"shfl.sync.up.b32 %r0, %i, 1, 0, -1;", "shfl.sync.down.b32 %r0, %i, 1, 31, -1;", false},
        {"vote.sync.any.pred %p1, %p0, -1;", "vote.sync.all.pred %p1, %p0, -1;", false},
        {"match.any.sync.b32 %r0, %i, -1;", "match.any.sync.b64 %r0, %d0, -1;", false},
        {"bar.warp.sync -1;", "bar.warp.sync -1;", true},
    };
    for (Case const& c : cases) {
        INFO(c.first << " and " << c.second);
        Program program(kernel("mov.u64 %d0, 0; setp.lt.u32 %p0, %i, 4; @%p0 bra A;\n" + c.first +
                               " bra END;\nA: " + c.second + "\nEND: st.global.u32 [%o4], 1;"));
        CHECK(contains(program.error(), "deadlock") == !c.meet);
    }
}

TEST_CASE("elect.sync chooses one member", "[exec]") {
    Program program(kernel("setp.gt.u32 %p0, %i, 6; mov.u32 %r0, 0; @!%p0 bra END;\n"
                           "elect.sync %r1|%p1, 0xffffff80; selp.u32 %r0, 100, 1, %p1; add.u32 %r0, %r0, %r1; "
                           "elect.sync _|%p2, 0xffffff80;\n"
                           "@%p2 add.u32 %r0, %r0, 1000; END:" +
                           store_results));
    CHECK(program.run<std::uint32_t>(32) == each<std::uint32_t>(32, [](std::uint32_t i) {
              return i < 7 ? 0 : i == 7 ? 1107 : 8;
          }));
}

TEST_CASE("redux.sync of floats follows .abs and .NaN and orders the zeros", "[exec]") {
    // Lanes 0-15 and 16-31 are two collectives; bits of each lane by a table in memory.
    auto const bits = [](float f) { return std::bit_cast<std::uint32_t>(f); };
    std::uint32_t const nan = 0x7fc00123;
    struct Case {
        std::string op;
        std::vector<std::uint32_t> brought;  // by the lanes in turn
        std::uint32_t want;
    };
    Case const cases[] = {{"min", {bits(1), bits(-2), bits(3)}, bits(-2)},
                          {"max", {bits(1), bits(-2), bits(3)}, bits(3)},
                          {"min.abs", {bits(1), bits(-2), bits(3)}, bits(1)},
                          {"max.abs", {bits(1), bits(-7), bits(3)}, bits(7)},
                          {"min", {bits(0.0f), bits(-0.0f)}, bits(-0.0f)},
                          {"max", {bits(0.0f), bits(-0.0f)}, bits(0.0f)},
                          {"max", {nan, bits(-5)}, bits(-5)},
                          {"max.NaN", {nan, bits(-5)}, 0x7fffffff},
                          {"min.abs.NaN", {bits(2), bits(-1), nan}, 0x7fffffff},
                          {"min", {nan}, 0x7fffffff},
                          {"min", {0xff800000, bits(1)}, 0xff800000},
                          {"max.abs", {0xff800000, bits(1)}, 0x7f800000}};
    for (Case const& c : cases) {
        INFO(c.op);
        std::string table = ".global .u32 values[" + std::to_string(c.brought.size()) + "] = {";
        for (std::size_t i = 0; i < c.brought.size(); ++i)
            table += (i == 0 ? "" : ", ") + std::to_string(c.brought[i]);
        std::string text =
            kernel("rem.u32 %r1, %i, " + std::to_string(c.brought.size()) +
                       "; mul.wide.u32 %d0, %r1, 4; mov.u64 %d1, values; add.u64 %d0, %d0, %d1; ld.global.f32 "
                       "%f1, [%d0];\n"
                       "setp.lt.u32 %p0, %i, 16; selp.b32 %r2, 0xffff, 0xffff0000, %p0; redux.sync." +
                       c.op + ".f32 %f0, %f1, %r2; st.global.f32 [%o4], %f0;",
                   table + "};\n");
        text.replace(text.find("sm_90"), 5, "sm_100a");
        Program program(text, "independent", Program::one_thread(), {"compute_capability=\"10.0\""});
        CHECK(program.run<std::uint32_t>(32) == std::vector<std::uint32_t>(32, c.want));
    }
}

TEST_CASE("A lane that its own member mask does not name is a fault where that is asked for", "[exec]") {
    for (std::string const code : {"shfl.sync.idx.b32 %r0, %i, 0, 31, 0xff;", "vote.sync.all.pred %p1, %p1, 0xff;",
                                   "match.any.sync.b32 %r0, %i, 0xff;", "redux.sync.add.u32 %r0, %i, 0xff;",
                                   "bar.warp.sync 0xff;", "elect.sync _|%p1, 0xff;"}) {
        for (std::string const& model : control_flows()) {
            std::vector<std::string> const strict{"functional.undefined=fault"};
            Program program(kernel(code), model, Program::one_thread(), strict);
            std::string const text = program.error();
            INFO(text);
            CHECK(contains(text, "undefined: lanes 8-31 execute it with the member mask 0x000000ff"));
            CHECK(contains(text, "lane 8"));
            // ... and when it arrives alone, after the others.
            Program late(kernel("setp.lt.u32 %p0, %i, 9; @!%p0 bra END; " + code + " END:"), model,
                         Program::one_thread(), strict);
            CHECK(contains(late.error(), "undefined: lane 8 executes it"));
        }
    }
}

}  // namespace collective_test
