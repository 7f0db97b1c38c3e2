// The debugger in timing mode: cycles, what warps wait for, caches and queues, and the way back.
#include "tests/command/run_command.hpp"
#include "tests/debug/answers.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace debug_timing_test {

using namespace warpsim;
using test::contains;
using test::debugger::answers;
using test::debugger::check_in_order;
using test::debugger::source;

namespace {

std::string const saxpy = "--mode timing " + source + "tests/kernels/plans/saxpy.json --out .";

/// What stands between two words, the first time from `from` on.
std::string between(std::string const& text, std::string const& first, std::string const& last,
                    std::size_t from = 0) {
    std::size_t const begin = text.find(first, from);
    if (begin == std::string::npos) return "";
    std::size_t const end = text.find(last, begin + first.size());
    return text.substr(begin + first.size(), end - begin - first.size());
}

std::string cycles_of(std::string const& target) {
    test::TemporaryFolder const folder;
    test::Ended const ended = test::run_command(folder, "run --stats stats.json " + target);
    REQUIRE(ended.status == 0);
    return std::to_string(nlohmann::json::parse(folder.read("stats.json"))["launches"][0]["cycles"].get<int>());
}

}  // namespace

TEST_CASE("A launch takes as many cycles under the debugger as without it", "[debug]") {
    std::string const cycles = cycles_of(saxpy);
    check_in_order(
        answers("break saxpy.cu:7 if threadIdx.x == 70\nrun\nstepi\nstepc 7\ndelete\ncontinue\n", saxpy),
        {"Breakpoint 1, saxpy at saxpy.cu:7", "[kernel 0, saxpy, has ended after " + cycles + " cycles]"});
    std::string const reduce = "--mode timing " + source + "tests/kernels/plans/reduce.json --out .";
    CHECK(contains(answers("run\n", reduce), " has ended after " + cycles_of(reduce) + " cycles]"));
}

TEST_CASE("It stops before a cycle, steps by cycles, and goes back to what was there", "[debug]") {
    std::string const looks =
        "info position\ninfo cuda sms\ninfo scoreboard\ninfo queues\ninfo stalls\ninfo cache l1\n";
    std::string const text = answers(
        "tbreak cycle 3500\nrun\n" + looks + "stepc\ninfo position\nstepc 29\ninfo position\nreverse-stepc 30\n" +
            looks + "stepc 100\nrsc\ninfo position\ngoto cycle 3500\n" + looks + "continue\n",
        saxpy);
    check_in_order(text, {"Temporary breakpoint 1: cycle 3500", "[cycle 3500: block (0,0,0) warp 0  SM 0 slot 0",
                          ", cycle 3500", ", cycle 3501", ", cycle 3530", ", cycle 3500", ", cycle 3599",
                          ", cycle 3500", "has ended after " + cycles_of(saxpy)});
    // Everything is as it was.
    std::string const first = between(text, "of the launch, cycle 3500", "[cycle 3501");
    CHECK(contains(first, "L1 misses (MSHRs): "));
    CHECK(contains(first, "%f2\tfrom memory, on its way\t(long_scoreboard)"));
    std::size_t const second_at = text.find("of the launch, cycle 3500", text.find("[cycle 3530"));
    CHECK(between(text, "of the launch, cycle 3500", "[cycle 3600", second_at) == first);
    std::size_t const third_at = text.find("of the launch, cycle 3500", text.find("[cycle 3599"));
    CHECK(between(text, "of the launch, cycle 3500", "[kernel 0, saxpy, has", third_at) == first);
}

TEST_CASE("A stall is caught when it has lasted as long as was asked for", "[debug]") {
    std::string const text =
        answers("catch stall long_scoreboard for 50 block (1,0,0) warp 2\nrun\ninfo scoreboard\ninfo cuda warps\n"
                "reverse-stepc 50\ninfo cuda warps\nreverse-stepc\ninfo cuda warps\ndelete\ncontinue\n",
                saxpy);
    check_in_order(text,
                   {"Catchpoint 1: warp 2 on SM 1 waits, long_scoreboard for 50 cycles",
                    "block (1,0,0) warp 2  SM 1 slot 2, long_scoreboard for 50 cycles, 2 loads in flight",
                    "%f3\tfrom memory, on its way\t(long_scoreboard)", "* warp 2  live ffffffff",
                    "* warp 2  live ffffffff  SM 1 slot 2, long_scoreboard for 0 cycles", "* warp 2  live "});
    // The cycle before, it did something else.
    std::size_t const last = text.rfind("* warp 2  live ffffffff");
    CHECK_FALSE(contains(text.substr(last, 80), "long_scoreboard"));
}

TEST_CASE("Caches are shown by sets, with the order of replacement", "[debug]") {
    // Two arrays of 256 floats each for the block: 16 lines. All have been asked for after 60 cycles of waiting, and none is
    // there; much later all are.
    std::string const text = answers(
        "catch stall long_scoreboard for 60\nrun\ninfo cache l1\ninfo cache l1 set 0\ninfo queues\n"
        "delete\nbreak saxpy.cu:7 if threadIdx.x == 255 && blockIdx.x == 0\ncontinue\ninfo cache l1 0 set 0\n"
        "info cache l2 0\ninfo queues l2 0\ninfo queues dram 0\ninfo cuda sms\n",
        saxpy);
    check_in_order(text, {"L1 of SM 0: ", "; 16 lines are there", "by set: 0:", " set 0: ", "  way  address",
                          ">>>>", "L1 misses (MSHRs): 16 of ", "sectors and writes beyond L1: 64", "L2 slice ",
                          "requests: ", "Breakpoint 2", " set 0: ", "vvvv", "(v valid, d dirty",
                          "L2 slice 0: ", "L2 slice 0", "misses (MSHRs): ", "DRAM channel 0, ", "micro-ops in "});
    // In a set of several lines each has its place in the order of replacement.
    std::string const set = between(text, "replaced\n", "\n  (v valid");
    int const lines = static_cast<int>(std::count(set.begin(), set.end(), '\n')) + 1;
    CHECK(contains(text, "by set: 0:" + std::to_string(lines) + " "));
    CHECK(lines >= 2);
}

TEST_CASE("In timing mode code is shown with what the hardware gets of it", "[debug]") {
    check_in_order(answers("break saxpy.cu:5\nrun\ndisassemble\n", saxpy),
                   {"alu ", "P0 <- R", "setp.ge.s32 %p1, %r1, %r2;", "branch", "@%p1 bra", "=> <+", "lsu ",
                    "ld.global.f32 %f2"});
}

TEST_CASE("Source lines, instructions and reverse steps work in timing mode, too", "[debug]") {
    std::string const text = answers(
        "break saxpy.cu:5 if threadIdx.x == 40 && blockIdx.x == 2\nrun\np %r1\ninfo position\nstepi\nstepi\n"
        "reverse-stepi\nreverse-stepi\ninfo position\nlast-write *(float*)$rd1\nbreak cycle "
        "3390\nreverse-continue\n"
        "info position\nreverse-continue\n",
        saxpy);
    check_in_order(text, {"block (2,0,0), thread (40,0,0)", "$1 = 552", "instruction "});
    std::string const position = between(text, "instruction ", "\n");
    check_in_order(text, {position, position, "No kernel has written there yet", "Breakpoint 2: cycle 3390",
                          ", cycle 3390", "No more history"});
}

TEST_CASE("A fault in timing mode stops before it happens", "[debug]") {
    std::string const target =
        "--mode timing " + source + "examples/bounds/kernel.ptx --block 64 --arg 'u32[40]=zero'";
    check_in_order(answers("run\ncuda\np threadIdx.x\nreverse-stepi\ncontinue\ncontinue\n", target, 4),
                   {"illegal address: 4-byte store to global", "kernel.cu:2", "st.global",
                    "thread (40,0,0), warp 1, lane 8", "$1 = 40", "illegal address: 4-byte store to global",
                    "illegal address"});
}

TEST_CASE("What needs cycles says so in functional mode, and wrong words are told of", "[debug]") {
    std::string const plain = source + "tests/kernels/plans/saxpy.json --out .";
    std::string const text = answers("start\nstepc\ninfo scoreboard\ngoto cycle 5\n", plain);
    CHECK(contains(text, "nothing takes time here: `warpsim debug --mode timing` has cycles"));
    struct Case {
        std::string command, answer;
    };
    std::vector<Case> const cases{{"catch stall fish", "'fish' is no reason to wait: wait, long_scoreboard"},
                                  {"catch stall wait on 5", "'on' was not expected"},
                                  {"break cycle x", "'x' is no number"},
                                  {"info cache l3", "info cache l1 [SM] [set N]"},
                                  {"info cache l2 9999", "slice 9999: they are 0 to "},
                                  {"info cache l1 set 99999", "set 99999: they are 0 to "},
                                  {"info queues dram 9999", "channel 9999: they are 0 to "},
                                  {"info queues 999", "SM 999 has not had a block"},
                                  {"goto 3:cycle x", "'x' is no number"}};
    std::string commands = "start\n";
    for (Case const& c : cases) commands += c.command + "\n";
    std::string const wrong = answers(commands, saxpy);
    INFO(wrong);
    for (Case const& c : cases) {
        INFO(c.command);
        CHECK(contains(wrong, c.answer));
    }
}

#ifndef WARPSIM_SANITIZED

TEST_CASE("A CUDA program is debugged cycle by cycle, forwards", "[debug]") {
    std::string const text = answers("break count\nrun\ninfo cuda sms\nstepc 3\nreverse-stepc\ndelete\ncontinue\n",
                                     "--mode timing -- " WARPSIM_BINARY_DIR "/bin/cuda-program count");
    check_in_order(text, {"Breakpoint 1, count at", "   SM  blocks  warps", "[cycle ",
                          "there is no way back in timing mode of a program", "has ended after "});
    CHECK(contains(text, "counted 192"));
}

TEST_CASE("Of kernels that run together in timing mode each can be looked at and stopped in", "[debug]") {
    // The first kernel waits for what the third one writes.
    std::string const text = answers(
        "break race\nrun\ninfo cuda kernels\ninfo cuda blocks\ncuda kernel 0\np blockIdx\ninfo cuda kernels\n"
        "disassemble\nstepi\ninfo position\ncuda kernel 7\ncuda kernel 2 block (2,0,0) thread (5,0,0)\np "
        "threadIdx.x\n"
        "delete\nbreak cycle 11400\ncontinue\ndelete\ncontinue\n",
        "--mode timing -- " WARPSIM_BINARY_DIR "/bin/cuda-program streams");
    check_in_order(
        text,
        {"[kernel 0, wait(unsigned int*), begins]", "[kernel 1, count, begins]", "[kernel 1, count, has ended",
         "[kernel 2, race, begins]", "[focus: kernel 2, block (", "Breakpoint 1, race at",
         // Each has its own blocks.
         "  kernel 0: wait(unsigned int*), grid (1,1,1), block (32,1,1), 0 bytes of shared memory, 1 block on the "
         "GPU",
         "* kernel 2: race, grid (3,1,1)", "3 blocks on the GPU", "(0,0,0)  32 threads", "(2,0,0)  32 threads",
         "[focus: kernel 0, block (0,0,0), thread (0,0,0), warp 0, lane 0]", "$1 = {x = 0, y = 0, z = 0}",
         "* kernel 0: wait(unsigned int*)", "  kernel 2: race", "ld.volatile.global.u32",
         // A step is one of this kernel.
         "instruction ", " of the launch, cycle ", "only kernels 0, 2 run",
         "[focus: kernel 2, block (2,0,0), thread (5,0,0), warp 0, lane 5]", "$2 = 5",
         "Breakpoint 2: cycle 11400 of kernel 0", "[kernel 2, race, has ended after ",
         "[kernel 0, wait(unsigned int*), has ended after "});
    CHECK(contains(text, "counted 64"));
}

TEST_CASE("Kernels of several streams take as long under the debugger as without it", "[debug]") {
    test::TemporaryFolder const folder;
    std::string const program = "--mode timing -- " WARPSIM_BINARY_DIR "/bin/cuda-program streams";
    REQUIRE(test::run_command(folder, "exec --stats stats.json " + program).status == 0);
    auto const stats = nlohmann::json::parse(folder.read("stats.json"));
    std::string const text = answers("run\n", program);
    REQUIRE(stats["launches"].size() == 3);
    for (auto const& launch : stats["launches"])
        CHECK(contains(text, "has ended after " + std::to_string(launch["cycles"].get<int>()) + " cycles"));
}

#endif

}  // namespace debug_timing_test
