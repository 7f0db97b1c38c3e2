// The debugger by words: what it says is compared with what the kernels compute by definition.
#include "tests/command/run_command.hpp"
#include "tests/debug/answers.hpp"
#include "tests/support/catch.hpp"

#include <string>
#include <vector>

namespace debug_console_test {

using namespace warpsim;
using test::contains;
using test::debugger::answers;
using test::debugger::check_in_order;
using test::debugger::source;

namespace {

std::string const saxpy = source + "tests/kernels/plans/saxpy.json --out .";
std::string const walk = source + "tests/debug/walk.json";  // built with -G

/// Says so where the debugger was built without elfutils and knows no variables of the source.
bool knows_variables(std::string const& text) {
    if (!contains(text, "; `info registers` and `info variables` list what there is")) return true;
    WARN("built without elfutils");
    return false;
}

}  // namespace

TEST_CASE("A conditional breakpoint stops the thread that it means, with its values", "[debug]") {
    check_in_order(
        answers("break saxpy.cu:5 if threadIdx.x == 5 && blockIdx.x == 1\nrun\np threadIdx\np $r1\np/x %r1\n"
                "p blockIdx.x * blockDim.x + threadIdx.x\np %f1\np saxpy_param_0\nbt\nlist\n"
                "p *(float*)$rd3@2\nx/2dw $rd3\ninfo breakpoints\n",
                saxpy),
        {"Breakpoint 1 at saxpy.cu:5", "block (1,0,0), thread (5,0,0), warp 0, lane 5",
         "Breakpoint 1, saxpy at saxpy.cu:5", "5\t        y[i] = a * x[i] + y[i];", "$1 = {x = 5, y = 0, z = 0}",
         "$2 = 261", "$3 = 0x105", "$4 = 261", "$5 = 2.5", "$6 = 1000", "#0  saxpy at saxpy.cu:5", "> 5\t",
         "$7 = {", "only if", "hit 1 time"});
}

TEST_CASE("Steps go by instruction, by line, over calls and out of them", "[debug]") {
    std::string const text =
        answers("break scale if k == 2\nrun\ninfo args\nbt\nstepi\nnext\nnext\nfinish\ninfo position\n", walk);
    if (knows_variables(text))
        check_in_order(text, {"Breakpoint 1, scale (v=0, k=2) at walk.cu:4", "k = 2", "#0  scale (v=0, k=2) at",
                              "#1  work (out=0x", ", in=0x", ", n=64) at walk.cu:17", "5\t    for (int i = 0",
                              "=> ", "walk_debug.ptx", "6\t        r *= 2.0f;", "17\t        v = scale(v, 2);",
                              "instruction "});
    // Over the call, and not into it.
    std::string const over = answers("break walk.cu:17\nrun\nnext\nbt\n", walk);
    CHECK_FALSE(contains(over, "scale ("));
    std::string const into = answers("break walk.cu:17\nrun\nstep\nstep\nbt\n", walk);
    check_in_order(into, {"#0  scale", "#1  work"});
}

TEST_CASE("Types of C++ are shown as gdb does", "[debug]") {
    std::string const shapes = source + "tests/debug/shapes.json";
    std::string const text = answers(
        "break 33\nrun\np *nodes\np nodes[1].color\np Color::green\np nodes[1].color == Color::green\nptype "
        "nodes\n"
        "whatis nodes\nptype Color\nptype nodes->m\np row[3]\np sizeof(row)\np &row[3]\np pair\nlanes pair.z\n"
        "break Pair::sum\ncontinue\np x\np this->y\np more\nbt\n",
        shapes);
    if (!knows_variables(answers("break shapes\nrun\np nodes\n", shapes))) return;
    check_in_order(
        text, {"Breakpoint 1 at shapes.cu:33", "Breakpoint 1, shapes (nodes=0x", ", out=0x",
               "color = Color::blue, m = {{0, 0, 0}, {0, 0, 0}}, tag = {a = 0, b = 0 '\\000'}}",
               "$2 = Color::green", "$3 = Color::green", "$4 = 1",
               "type = struct Node {\n    int value;  // at 0\n    Node *next;  // at 8\n"
               "    Color color;  // at 16\n    float m[2][3];  // at 20\n    struct {...} tag;  // at 44\n} *\n",
               "type = Node *\n", "type = enum Color {Color::red = 0, Color::green = 5, Color::blue = 6}\n",
               "type = float [2][3]\n",
               // Dynamic shared memory is as long as the launch asked for.
               "$5 = 6\n", "$6 = 128\n", "$7 = (@shared float *) 0xc", "$8 = {x = 0, y = 1}",
               "there is no member 'z'; there are x, y\n",
               // In a method, as C++ has it.
               "Breakpoint 2, Pair::sum (this=0x", ", more=0) at shapes.cu:", "$9 = 0\n", "$10 = 1\n", "$11 = 0\n",
               "#0  Pair::sum (this=0x", "#1  shapes (nodes=0x"});
    // The same message 32 times says no more than once.
    CHECK(text.find("there is no member 'z'") == text.rfind("there is no member 'z'"));
}

TEST_CASE("Between two runs of a plan its code is known", "[debug]") {
    check_in_order(
        answers("run\nbreak saxpy.cu:5 if blockIdx.x == 2\ninfo functions\nlist saxpy\nrun\np blockIdx.x\n",
                saxpy),
        {"[all launches have ended]", "Breakpoint 1 at saxpy.cu:5",
         "kernel    saxpy at saxpy.cu:", "Breakpoint 1, saxpy", "$1 = 2"});
}

TEST_CASE("What scripts for gdb and cuda-gdb say is understood", "[debug]") {
    check_in_order(
        answers(
            "set pagination off\nset confirm off\nset cuda break_on_launch application\nrun\n"
            "cuda kernel block thread\nthread\ncall blockDim.x\necho x is \\n\noutput/x blockDim.x\necho  end\\n\n"
            "set cuda break_on_launch none\ninfo breakpoints\nset print pretty on\nset cuda break_on_launch "
            "twice\n",
            saxpy),
        {"Catchpoint 1 (launch)", "At the beginning of the kernel, saxpy at",
         "kernel 0, block (0,0,0), thread (0,0,0), warp 0, lane 0\nkernel 0, block (0,0,0), thread (0,0,0), warp "
         "0, lane 0\n",
         "$1 = 256\n", "x is \n0x100", "end\n", "There are no breakpoints", "'print' cannot be set here",
         "set cuda break_on_launch application, all or none"});
}

TEST_CASE("A fault says of which thread it is", "[debug]") {
    std::string const text =
        answers("run\np threadIdx.x\n", source + "examples/bounds/kernel.ptx --block 64 --arg 'u32[40]=zero'", 4);
    check_in_order(
        text, {"[focus: kernel 0, block (0,0,0), thread (40,0,0), warp 1, lane 8]", "illegal address", "$1 = 40"});
}

TEST_CASE("Variables of the source have their types and values, and can be set", "[debug]") {
    std::string const text = answers(
        "break walk.cu:21 if i == 35\nrun\np i\np v\np *in@4\np in[35]\np global_pair\np global_pair.b * 2\n"
        "p &global_pair\np table[3]\nptype global_pair\np sizeof(Pair)\ninfo locals\n"
        "set var v = 1000\nnext\np tile[35]\np v\np -v / 3\np (int)v % 7\n",
        walk);
    INFO(text);
    if (!knows_variables(text)) return;
    // Thread 35: 35 % 3 is 2, so v is 35 and the sum of 3, 2 and 1.
    check_in_order(text, {"$1 = 35", "$2 = 41", "$3 = {0, 1, 2, 3}", "$4 = 35", "$5 = {a = 7, b = 1.5}", "$6 = 3",
                          "$7 = (Pair *) 0x", "$8 = 4", "struct Pair {", "int a;  // at 0", "float b;  // at 4",
                          "$9 = 8", "i = 35", "$10 = 1000", "$11 = 1000", "$12 = -333.3333", "$13 = 6"});
}

TEST_CASE("Going back shows what was, and going on again what is", "[debug]") {
    std::string const text = answers(
        "break saxpy.cu:5 if threadIdx.x == 0\nrun\ncontinue\ninfo position\nstepi\nstepi\nstepi\nstepi\nstepi\n"
        "p %f2\nreverse-stepi\nreverse-stepi\nreverse-stepi\nreverse-stepi\nreverse-stepi\ninfo position\n"
        "reverse-continue\np blockIdx.x\nreverse-continue\ncontinue\ncontinue\np blockIdx.x\n"
        "stepi\nstepi\nstepi\nstepi\nstepi\np $1 == %f2\ngoto 1\ninfo position\n",
        saxpy);
    INFO(text);
    std::size_t const first = text.find("instruction "), line_end = text.find('\n', first);
    std::string const position = text.substr(first, line_end - first);
    std::size_t const again = text.find(position, line_end);
    CHECK(again != std::string::npos);  // five steps there and five back
    check_in_order(text, {"$1 = ", "Breakpoint 1, saxpy", "$2 = 0", "No more history: the launch begins here",
                          "Breakpoint 1", "Breakpoint 1", "$3 = 1", "$4 = 1", "instruction 1 of the launch"});
}

TEST_CASE("A launch that was run again and again leaves what it leaves otherwise", "[debug]") {
    // The plan compares its results.
    std::string const text = answers("break saxpy.cu:7\nrun\nreverse-continue\ncontinue\ncontinue\nrc\nrc\ngoto "
                                     "40\ngoto 20\ndelete\ncontinue\n",
                                     saxpy);
    check_in_order(text, {"[kernel 0, saxpy, has ended]", "[all launches have ended]"});
}

TEST_CASE("Who wrote a byte last is told, and memory is watched", "[debug]") {
    std::string const text =
        answers("break walk.cu:23 if i == 0\nrun\nlast-write tile[60]\nwatch out[0]\ncontinue\np out[0]\n", walk);
    INFO(text);
    if (!knows_variables(text)) return;
    check_in_order(text, {"Written last by block (0,0,0), warp 1, ", "walk.cu:21", "st.f32", "`goto ",
                          "Watchpoint 2: out[0], 4 bytes",
                          "Watchpoint 2: out[0] was written by lane 0, new value 260", "walk.cu:23", "$1 = "});
    // tile[63] of thread 63: 63 * 4; and table[0] and 7.
    CHECK(contains(text, "$1 = 260"));
}

TEST_CASE("Divergence and barriers can be caught, and lanes seen side by side", "[debug]") {
    std::string const text =
        answers("catch divergence\ncatch barrier\nrun\ninfo cuda warps\ninfo cuda lanes\nlanes threadIdx.x % 3\n"
                "disable 1\ncontinue\ninfo cuda barriers\ncontinue\ninfo cuda barriers\ncuda thread (3,0,0)\n"
                "cuda warp 1 lane 2\ncuda\n",
                walk);
    check_in_order(text, {"Catchpoint 1: the warp diverges: lanes ", "* warp 0  live ffffffff",
                          "executes next at walk.cu:16", "* 0\tthread (0,0,0)", "31\tthread (31,0,0)", "*0: 0",
                          "*1: 1", "*2: 2", "Catchpoint 2: all lanes arrive at barrier 0",
                          "32 of 64 threads have come; by warp: 0:ffffffff",
                          "Catchpoint 2: all lanes arrive at barrier 0", "thread (3,0,0), warp 0, lane 3",
                          "thread (34,0,0), warp 1, lane 2"});
}

TEST_CASE("A fault stops before it happens, with everything there to look at", "[debug]") {
    std::string const target = source + "examples/bounds/kernel.ptx --block 64 --arg 'u32[40]=zero'";
    std::string const text = answers(
        "run\ncuda\np threadIdx.x\nreverse-stepi\nreverse-stepi\nstepi\nstepi\nstepi\ncontinue\n", target, 4);
    check_in_order(text, {"illegal address: 4-byte store to global", "kernel.cu:2", "st.global",
                          "thread (40,0,0), warp 1, lane 8", "$1 = 40", "illegal address: 4-byte store to global",
                          "was ended by a fault"});
}

TEST_CASE("It stops at the access that completes a finding of a checker", "[debug]") {
    // Each thread reads a counter and writes it: the first write is a race with the reads before it.
    std::string const race = "--check=race " + source + "examples/race/plan.json";
    std::string const text =
        answers("catch finding race\nrun\nbt\np threadIdx.x\ninfo position\nstepi\n"
                "reverse-stepi\nreverse-continue\ncontinue\ninfo position\ndelete\ncontinue\n",
                race, 1);
    check_in_order(text,
                   {"Catchpoint 1 (finding race)", "Catchpoint 1: a finding\n",
                    "race: write after read of 4 bytes", "block (0,0,0), thread (0,0,0) wrote 0x1 at kernel.cu:4",
                    "st.global.u32", "thread (1,0,0) had read it", "count_unsynchronised", "$1 = 0",
                    "instruction ", "No more history: the launch begins here", "Catchpoint 1: a finding\n"});
    std::size_t const first = text.find("instruction "), end = text.find('\n', first);
    CHECK(text.find(text.substr(first, end - first), end) != std::string::npos);
    // Findings are printed as often as without a debugger.
    CHECK(contains(text, "2 findings (2303 times) in 4 launches"));

    // A bad access is left out, and its thread looked at.
    std::string const bounds =
        "--check=memory " + source + "examples/bounds/kernel.ptx --block 64 --arg 'u32[40]=zero'";
    check_in_order(answers("catch finding\nrun\np threadIdx.x\ncontinue\n", bounds, 1),
                   {"Catchpoint 1: a finding\n", "illegal address: 4-byte store to global", "thread (40,0,0)",
                    "kernel.cu:2", "$1 = 40", "has ended]"});
    check_in_order(answers("catch finding\nstart\ncatch finding fish\n", saxpy),
                   {"nothing is looked for: `warpsim debug --check` does"});
    CHECK(contains(answers("catch finding fish\n", race, 1), "'fish' is no checker of kernels"));
}

TEST_CASE("Going back leads into earlier launches of a plan", "[debug]") {
    std::string const text = answers(
        "start\np count_unsynchronised_param_0\nbreak count_atomic if blockIdx.x == 3 && threadIdx.x == 0\n"
        "break mirror_barrier\ncontinue\ncontinue\ninfo cuda kernels\nreverse-continue\ninfo cuda kernels\n"
        "p blockIdx.x\nlast-write *(unsigned *)$1\ninfo cuda kernels\ngoto 0:191\ninfo cuda kernels\n"
        "p blockIdx.x\nreverse-continue\ngoto 3:2\ninfo cuda kernels\nreverse-stepi\nreverse-stepi\n"
        "info cuda kernels\ndelete\ncontinue\n",
        source + "examples/race/plan.json", 1);
    check_in_order(text, {"[kernel 3, mirror_barrier, begins]", "Breakpoint 2, mirror_barrier",
                          "kernel 3: mirror_barrier", "Breakpoint 1, ", "kernel 1: count_atomic", "$2 = 3",
                          "Written last by block (3,0,0), warp 7, ", "kernel.cu:4", "st.global.u32",
                          "instruction 191 of kernel 0; `goto 0:191`", "kernel 1: count_atomic",
                          "kernel 0: count_unsynchronised", "instruction 191 of the launch", "$3 = 3",
                          "No more history", "kernel 3: mirror_barrier", "instruction 2 of the launch",
                          // Back over the beginning of a kernel to the end of the one before.
                          "kernel 2: mirror_unsynchronised", "[kernel 3, mirror_barrier, has ended]"});
    // What runs again says nothing; what goes on does.
    std::string const begins = "[kernel 0, count_unsynchronised, begins]";
    CHECK(text.find(begins) == text.rfind(begins));
}

TEST_CASE("A log point says what it is asked for, and goes on", "[debug]") {
    std::string const text =
        answers("log saxpy.cu:5 block {blockIdx.x} at {%r1}, {nobody}\ncondition 1 threadIdx.x == 70\n"
                "info breakpoints\nrun\n",
                saxpy);
    check_in_order(text, {"Breakpoint 1 at saxpy.cu:5", "says: block {blockIdx.x} at {%r1}",
                          "block 0 at 70, <there is no 'nobody'", "block 1 at 326,", "block 2 at 582,",
                          "block 3 at 838,", "has ended]"});
    CHECK(contains(answers("log saxpy.cu:5\n", saxpy), "log PLACE MESSAGE"));
}

TEST_CASE("Wrong commands are told of, and change nothing", "[debug]") {
    struct Case {
        std::string command, answer;
    };
    std::vector<Case> const cases{
        {"nonsense", "there is no command 'nonsense'"},
        {"st", "'st' may be "},
        {"print", "print what?"},
        {"print 1 +", "something is missing in '1 +', at 4"},
        {"print (1", "expected ')' in '(1', at 3"},
        {"print nobody", "there is no 'nobody' here"},
        {"print *5", "is no pointer"},
        {"print *(int *)16", "0x10 cannot be read: it is not inside any allocation"},
        {"print *(@shared int *)0", "outside of the block's 0 bytes of shared memory"},
        {"print 1 / 0", "division by zero"},
        {"print $9", "there is no value $9 yet"},
        {"print 1 = 2", "that cannot be set"},
        {"x/3q 0", "'q' is no format or unit"},
        {"break 1 block 2 nonsense 3", "'nonsense' was not expected"},
        {"break :::", "there is no code at"},
        {"condition 77 1", "there is no breakpoint 77"},
        {"delete 77", "there is no breakpoint 77"},
        {"catch fish", "'fish' cannot be caught"},
        {"cuda block (9,9,9)", "that block has not begun, or has ended"},
        {"cuda thread (9999,0,0)", "the block has no such thread"},
        {"frame 99", "there are 1 frames: 0 to 0"},
        {"up", "this is the outermost frame"},
        {"info fish", "info breakpoints, registers"},
        {"goto x", "'x' is no number"},
        {"set step sideways", "set step lane, warp or block"},
        {"watch 5", "'5' is nowhere in memory"},
        {"list nowhere", "there is no code at 'nowhere'"},
    };
    std::string commands = "start\n";
    for (Case const& c : cases) commands += c.command + "\n";
    std::string const text = answers(commands + "info position\n", saxpy);
    for (Case const& c : cases) {
        INFO(c.command);
        INFO(text);
        CHECK(contains(text, c.answer));
    }
    CHECK(contains(text, "instruction 1 of the launch"));
}

TEST_CASE("Before a kernel runs, commands that need one say so", "[debug]") {
    std::string const text = answers("print 1\nbt\nstepi\ninfo registers\nquit\n", saxpy);
    check_in_order(text, {"no kernel runs: `run` begins", "no kernel runs", "[kernel 0, saxpy, begins]",
                          "ld.param.u32", "%r1\t.b32"});
}

#ifndef WARPSIM_SANITIZED

TEST_CASE("A CUDA program is debugged in its own process", "[debug]") {
    std::string const text = answers("break count\nrun\nbt\ninfo cuda kernels\ndelete\ncontinue\n",
                                     "-- " WARPSIM_BINARY_DIR "/bin/cuda-program count");
    check_in_order(text,
                   {"Code is there of", "Breakpoint 1", "[kernel 0, count, begins]", "Breakpoint 1, count at",
                    "#0  count", "kernel 0: count", "[kernel 3, wait(unsigned int*), has ended]"});
    CHECK(contains(text, "counted 192"));
}

TEST_CASE("Going back leads into earlier launches of a program", "[debug]") {
    // Three launches of `count` add 1, 2 and 3 times 32 to a counter.
    std::string const text =
        answers("tbreak wait\nrun\nbreak count if threadIdx.x == 0 && blockIdx.x == 0\nreverse-continue\ninfo "
                "cuda kernels\n"
                "last-write *(unsigned *)$rd\nreverse-continue\ninfo cuda kernels\ngoto 0:3\ninfo cuda kernels\n"
                "reverse-stepi\nreverse-stepi\nreverse-stepi\ndelete\ngoto 2:1\ninfo cuda kernels\ncontinue\n",
                "-- " WARPSIM_BINARY_DIR "/bin/cuda-program count");
    check_in_order(
        text, {"Temporary breakpoint 1, ", "Breakpoint 2, count", "kernel 2: count",
               "Written last by block (1,0,0)", " of kernel 1; `goto 1:", "Breakpoint 2, count", "kernel 1: count",
               "kernel 0: count", "instruction 3 of the launch", "No more history: the launch begins here",
               "kernel 2: count", "instruction 1 of the launch", "[kernel 2, count, has ended]",
               "[kernel 3, wait(unsigned int*), begins]", "[kernel 3, wait(unsigned int*), has ended]"});
    // What it computes is what it computes without a debugger.
    CHECK(contains(text, "counted 192"));
}

#endif

TEST_CASE("A debugger needs something to debug", "[debug]") {
    test::TemporaryFolder const folder;
    test::Ended const nothing = test::run_command(folder, "debug");
    CHECK(nothing.status == 2);
    CHECK(contains(nothing.err, "no program to debug"));
    CHECK(contains(test::run_command(folder, "debug -x nowhere " + saxpy).err, "cannot read 'nowhere'"));
}

}  // namespace debug_console_test
