// Every option and every WARPSIM_... variable. The command line, what `warpsim exec` hands on, what the CUDA
// libraries read, the help texts and reference.md follow from these rows.
#pragma once

#include "runtime/options/option.hpp"

#include <array>
#include <cstddef>

namespace warpsim::options {

// clang-format off
inline constexpr auto table = std::to_array<Option>({
    {.name = "error-exitcode", .type = Type::number, .value = "N", .high = 255,
     .command = Command::exec, .section = Section::general,
     .help = "Exit status when a kernel faulted or a checker found something, and the program itself ended\n"
             "with 0 (default: 0, with --check 1)"},

    {.name = "kernel", .value = "NAME", .command = Command::run, .section = Section::run_ptx,
     .help = "The kernel (default: the only one)"},
    {.name = "grid", .value = "X[,Y,Z]", .unit = "CTAs", .otherwise = "1", .command = Command::run, .section = Section::run_ptx,
     .help = "CTAs"},
    {.name = "block", .value = "X[,Y,Z]", .unit = "threads", .otherwise = "1", .command = Command::run, .section = Section::run_ptx,
     .help = "Threads of a CTA"},
    {.name = "cluster", .value = "X[,Y,Z]", .unit = "CTAs", .command = Command::run, .section = Section::run_ptx,
     .help = "CTAs of a cluster"},
    {.name = "shared", .type = Type::number, .value = "BYTES", .high = 0xffffffff, .unit = "bytes", .otherwise = "0",
     .command = Command::run, .section = Section::run_ptx,
     .help = "Dynamic shared memory of a CTA"},
    {.name = "arg", .type = Type::list, .value = "ARG", .command = Command::run, .section = Section::run_ptx,
     .help = "One argument, repeatable, in order: a number (1024, 2.0, 0xff, nan), TYPE=NUMBER, or\n"
             "TYPE[COUNT]=INIT for the address of an array; INIT is zero, fill:V,\n"
             "iota[:START[:STEP]], uniform:SEED[:LOW[:HIGH]], values:1,2,3 or file:PATH;\n"
             "for example --arg 1024 --arg 2.0 --arg f32[1024]=uniform:1"},
    {.name = "print", .type = Type::number, .value = "N", .unit = "elements", .otherwise = "0",
     .command = Command::run, .section = Section::run_ptx,
     .help = "Print the first N elements of every array argument afterwards"},
    {.name = "junit", .type = Type::file, .value = "FILE", .command = Command::run, .section = Section::general,
     .help = "The launches and expectations as tests in JUnit's XML"},
    {.name = "checkpoint", .type = Type::file, .value = "FILE", .command = Command::run, .mode = Mode::timing, .section = Section::general,
     .help = "Timing: keep the run in FILE every ten minutes, and before SIGINT, SIGTERM or --timeout ends it:\n"
             "--resume goes on from it"},
    {.name = "checkpoint-every", .type = Type::number, .value = "N", .low = 1, .unit = "cycles", .command = Command::run,
     .mode = Mode::timing, .section = Section::general, .help = "... every N simulated cycles in place of ten minutes"},
    {.name = "resume", .type = Type::file, .value = "FILE", .command = Command::run, .mode = Mode::timing, .section = Section::general,
     .help = "Timing: go on where the run was kept: the same command, in another process, with any --threads; the\n"
             "results are those of a run without interruption"},
    {.name = "out", .value = "DIR", .command = Command::run, .section = Section::run_plan,
     .help = "Where saved files go (default: beside the plan)"},

    {.name = "config", .variable = "WARPSIM_CONFIG", .value = "NAME|FILE", .otherwise = "h100",
     .help = "Hardware configuration; see `warpsim config list`"},
    {.name = "set", .variable = "WARPSIM_SET", .type = Type::list, .value = "KEY=VALUE",
     .help = "Override one value of it: --set sm.control_flow=stack; repeatable"},
    {.name = "plugin", .variable = "WARPSIM_PLUGIN", .type = Type::list, .value = "LIB.so",
     .help = "Load a library with components of the timing model or observers, see sim/plugin/README.md; repeatable"},
    {.name = "mode", .variable = "WARPSIM_MODE", .type = Type::word, .value = "functional|timing", .otherwise = "functional",
     .help = "What to simulate"},
    {.name = "engine", .variable = "WARPSIM_ENGINE", .type = Type::word, .value = "auto|interpreted|compiled", .otherwise = "auto",
     .mode = Mode::functional,
     .help = "How functional mode executes: auto compiles what runs long; results are the same bits"},
    {.name = "threads", .variable = "WARPSIM_THREADS", .type = Type::number, .value = "N", .high = 4096, .otherwise = "0",
     .help = "Host threads; 0: one for each core; 1 is reproducible to the bit"},
    {.name = "devices", .variable = "WARPSIM_DEVICES", .type = Type::number, .value = "N", .low = 1, .high = 16, .otherwise = "1",
     .help = "Simulated devices that CUDA programs see"},
    {.name = "stats", .variable = "WARPSIM_STATS", .type = Type::file, .value = "FILE|-",
     .help = "Statistics, written after each launch: JSON, or a table where the name ends with .csv;\n"
             "%p is the process id"},
    {.name = "profile", .variable = "WARPSIM_PROFILE", .type = Type::file, .value = "FILE", .mode = Mode::timing,
     .help = "Timing: counts and stalls per PTX line and source line, as a\n"
             "table, or as JSON where the name ends with .json"},
    {.name = "interval", .variable = "WARPSIM_INTERVAL", .type = Type::number, .value = "N", .unit = "cycles", .otherwise = "0",
     .mode = Mode::timing,
     .help = "Timing: a sample every N cycles in the statistics; 0: none"},
    {.name = "trace", .variable = "WARPSIM_TRACE", .type = Type::file, .value = "FILE|-",
     .help = "A line per executed warp instruction"},
    {.name = "trace-filter", .variable = "WARPSIM_TRACE_FILTER", .value = "FILTER",
     .help = "Only these: cta=..,warp=..,kernel=..,line=..,lane=..; with values: what registers hold, too"},
    {.name = "check", .variable = "WARPSIM_CHECK", .value = "LIST", .alone = "all",
     .help = "Look for mistakes: a list of memory,race,init,sync,leak,api, or all, which is also what --check alone means"},
    {.name = "tool", .variable = "WARPSIM_TOOL", .type = Type::word, .value = "memcheck|racecheck|initcheck|synccheck",
     .help = "The same in the words of compute-sanitizer: one of the checkers"},
    {.name = "check-report", .variable = "WARPSIM_CHECK_REPORT", .type = Type::file, .value = "FILE",
     .help = "What the checkers found: JSON, SARIF where the name ends with .sarif, JUnit with .xml;\n"
             "%p is the process id"},
    {.name = "init-strict", .variable = "WARPSIM_INIT_STRICT", .type = Type::flag,
     .help = "--check=init: every read of memory that nobody has written is a finding, not only those that matter"},
    {.name = "suppressions", .variable = "WARPSIM_SUPPRESSIONS", .type = Type::file, .value = "FILE",
     .help = "Findings not to tell of, a line each: KIND; WHAT; KERNEL; FILE:LINE, with * for any text"},
    {.name = "print-limit", .variable = "WARPSIM_PRINT_LIMIT", .type = Type::number, .value = "N", .otherwise = "100",
     .help = "Print so many findings; all are counted and reported"},
    {.name = "annotate", .variable = "WARPSIM_ANNOTATE", .type = Type::word, .value = "github",
     .help = "Tell faults and findings on standard output, too, in the commands by which GitHub shows them beside the lines"},
    {.name = "coverage", .variable = "WARPSIM_COVERAGE", .type = Type::file, .value = "FILE",
     .help = "Add to the file which lines, functions and branches kernels have executed: a tracefile of lcov where\n"
             "the name ends with .info, else JSON; %p is the process id"},
    {.name = "capture", .variable = "WARPSIM_CAPTURE", .type = Type::file, .value = "DIR",
     .help = "Write each launch as a plan that repeats it, with the memory that it touches: DIR/NNNN-KERNEL/plan.json;\n"
             "%p is the process id"},
    {.name = "timeline", .variable = "WARPSIM_TIMELINE", .type = Type::file, .value = "FILE",
     .help = "The run over time, for Perfetto and Chrome: trace events as JSON, compressed where the name ends with\n"
             ".gz; %p is the process id"},
    {.name = "timeline-sms", .variable = "WARPSIM_TIMELINE_SMS", .type = Type::number, .value = "N", .low = 1, .high = 1024,
     .unit = "SMs", .otherwise = "2", .mode = Mode::timing,
     .help = "Timing: the SMs whose warps it shows, with what they wait for: the first N"},
    {.name = "timeline-events", .variable = "WARPSIM_TIMELINE_EVENTS", .type = Type::number, .value = "N", .low = 1,
     .otherwise = "500000", .help = "About how many events it keeps; it says where some are left out"},
    {.name = "report", .variable = "WARPSIM_REPORT", .type = Type::file, .value = "FILE.html",
     .help = "A page about the run, for a browser: where each kernel's time goes, by line of its source, and what could be\n"
             "better; %p is the process id"},
    {.name = "kernel-name", .variable = "WARPSIM_KERNEL_NAME", .type = Type::list, .value = "NAME|regex:R",
     .help = "Checkers, coverage and --capture look at launches of these kernels only: a name, mangled or not, with or without\n"
             "parameters, or regex: and what is to occur in it; kernel_substring= and kernel_name= as in\n"
             "compute-sanitizer; repeatable"},
    {.name = "timing-kernels", .variable = "WARPSIM_TIMING_KERNELS", .type = Type::list, .value = "NAME|regex:R",
     .mode = Mode::timing,
     .help = "Timing: time launches of these kernels only, named as for --kernel-name; the others run at the speed of\n"
             "functional mode, in no simulated time; repeatable"},
    {.name = "sample", .variable = "WARPSIM_SAMPLE", .value = "ERROR%", .alone = "5%", .mode = Mode::timing,
     .help = "Timing: time so much of each launch as its cycles need to be within ERROR % of those of all of it, with 95 %\n"
             "confidence; other CTAs, and launches like those before, only execute, and their cycles are projected"},
    {.name = "warm-caches", .variable = "WARPSIM_WARM_CACHES", .type = Type::flag, .mode = Mode::timing,
     .help = "Timing: what launches that are not timed have accessed last is in L2 for the next one that is; they\n"
             "are interpreted, and take several times longer"},
    {.name = "launch-skip", .variable = "WARPSIM_LAUNCH_SKIP", .type = Type::number, .value = "N", .unit = "launches",
     .otherwise = "0", .help = "... not at the first N of them; nor are these timed"},
    {.name = "launch-count", .variable = "WARPSIM_LAUNCH_COUNT", .type = Type::number, .value = "N", .unit = "launches",
     .help = "... and at no more than N (default: all); nor are more timed"},
    {.name = "timeout", .variable = "WARPSIM_TIMEOUT", .type = Type::number, .value = "SECONDS", .high = 31536000,
     .unit = "seconds", .otherwise = "0",
     .help = "End with status 124 when it takes longer, with what was running and all reports so far; 0: never"},
    {.name = "max-instructions", .variable = "WARPSIM_MAX_INSTRUCTIONS", .type = Type::number, .value = "N",
     .unit = "warp instructions", .otherwise = "0",
     .help = "Stop a launch after N warp instructions; 0: never"},
    {.name = "registers", .variable = "WARPSIM_REGISTERS", .type = Type::file, .value = "FILE",
     .help = "Kernels take as many registers a thread as FILE says: a cubin, what ptxas -v or cuobjdump -res-usage print,\n"
             "or lines of a name and a number. Kernels of programs with machine code for this GPU take those of that"},
    {.name = "no-register-sharing", .variable = "WARPSIM_NO_REGISTER_SHARING", .type = Type::flag,
     .help = "Every PTX register keeps its own storage (debugging)"},

    {.name = "verbose", .letter = "v", .variable = "WARPSIM_VERBOSE", .type = Type::count, .high = 9, .section = Section::messages,
     .help = "Tell more: at the end a table of the kernels, with what limits them; -vv for still more"},
    {.name = "details", .variable = "WARPSIM_DETAILS", .type = Type::flag, .section = Section::messages,
     .help = "A table of each launch with what was counted of it"},
    {.name = "metrics", .variable = "WARPSIM_METRICS", .value = "A,B", .section = Section::messages,
     .help = "Print these of each launch at the end, by the names of Nsight Compute, which `warpsim metrics` lists; a\n"
             "name up to its point means all that begin so, regex:R those that R occurs in, group:G those of a table of ncu,\n"
             "breakdown:M what M is the most of"},
    {.name = "csv", .variable = "WARPSIM_CSV", .type = Type::flag, .section = Section::messages,
     .help = "The metrics in the columns of ncu --csv"},
    {.name = "page", .variable = "WARPSIM_PAGE", .type = Type::word, .value = "details|raw", .otherwise = "details",
     .section = Section::messages,
     .help = "With --csv: a line for each metric, or as ncu --page raw a line for each launch, below one with the units"},
    {.name = "quiet", .letter = "q", .variable = "WARPSIM_QUIET", .type = Type::flag, .section = Section::messages,
     .help = "Tell errors only"},
    {.name = "color", .variable = "WARPSIM_COLOR", .type = Type::word, .value = "auto|on|off", .otherwise = "auto",
     .section = Section::messages, .help = "Colours in messages"},
    {.name = "progress", .variable = "WARPSIM_PROGRESS", .type = Type::word, .value = "auto|on|off", .otherwise = "auto",
     .section = Section::messages, .help = "A line on standard error for what takes over two seconds: how far it is, the time left; `exec` shows it with `on` only, as programs write to the terminal too"},

    {.name = "cache", .variable = "WARPSIM_CACHE", .type = Type::toggle, .otherwise = "on", .command = Command::none,
     .section = Section::process, .help = "Whether what was read and decoded is kept for the next process"},
    {.name = "cache-dir", .variable = "WARPSIM_CACHE_DIR", .type = Type::file, .value = "DIR", .command = Command::none,
     .section = Section::process,
     .help = "Where it is kept: else in $XDG_CACHE_HOME/warpsim, else in $HOME/.cache/warpsim, else nowhere"},
    {.name = "cache-size", .variable = "WARPSIM_CACHE_SIZE", .type = Type::bytes, .value = "BYTES", .unit = "bytes",
     .otherwise = "1G", .command = Command::none, .section = Section::process, .help = "How much may be kept"},
    // Read by frontend/isa, which knows no room of this floor.
    {.name = "host-isa", .variable = "WARPSIM_HOST_ISA", .type = Type::word, .value = "baseline|avx2|avx512",
     .command = Command::none, .section = Section::process,
     .help = "The vector instructions of the host that are used (default: the best it has); results are the same bits"},
    {.name = "ptxas-release", .variable = "WARPSIM_PTXAS_RELEASE", .type = Type::word,
     .value = "12.0|12.1|12.2|12.3|12.4|12.5|12.6|12.7|12.8|12.9|13.0", .otherwise = "13.0", .command = Command::none,
     .section = Section::process,
     .help = "The release of CUDA that `warpsim ptxas` tells, for clients that know none as new: Triton before 3.5"},

    {.name = "fault-marker", .variable = "WARPSIM_FAULT_MARKER", .type = Type::file, .value = "FILE", .command = Command::none,
     .section = Section::internal,
     .help = "Created when a kernel faults or a checker finds something; `warpsim exec` sets it and looks"},

    {.name = "deadline", .variable = "WARPSIM_DEADLINE", .type = Type::number, .value = "NS", .otherwise = "0",
     .command = Command::none, .section = Section::internal,
     .help = "When the time of --timeout is over, by the monotonic clock; `warpsim exec` sets it for all processes"},

    {.name = "debug", .variable = "WARPSIM_DEBUG", .type = Type::text, .value = "IN,OUT|SOCKET,dap", .command = Command::none,
     .section = Section::internal,
     .help = "The files, by their numbers, over which a user or an editor debugs the program; `warpsim debug` sets it"},

    {.name = "test-mode", .variable = "WARPSIM_TEST_MODE", .type = Type::word, .value = "functional|timing|compiled",
     .otherwise = "functional", .command = Command::none, .section = Section::tests,
     .help = "The mode in which tests of execution run"},
    {.name = "test-check", .variable = "WARPSIM_TEST_CHECK", .type = Type::text, .value = "KIND,...",
     .command = Command::none, .section = Section::tests,
     .help = "Checkers that tests of kernels run under, and that must find nothing there"},
    {.name = "mutants", .variable = "WARPSIM_MUTANTS", .type = Type::flag, .command = Command::none, .section = Section::tests,
     .help = "The test of mutants tells of each that no checker finds"},
    {.name = "nightly", .variable = "WARPSIM_NIGHTLY", .type = Type::flag, .command = Command::none, .section = Section::tests,
     .help = "Tests try a hundred times as many values"},
    {.name = "seeds", .variable = "WARPSIM_SEEDS", .type = Type::text, .value = "FIRST,COUNT", .command = Command::none,
     .section = Section::tests, .help = "Which random kernels are run interpreted and compiled"},
    {.name = "rebase", .variable = "WARPSIM_REBASE", .type = Type::flag, .command = Command::none, .section = Section::tests,
     .help = "Tests write what they got over the files that say what is expected"},
});
// clang-format on

/// The row of this name; `table.size()` when there is none.
constexpr std::size_t index_of(std::string_view name) {
    std::size_t i = 0;
    while (i < table.size() && table[i].name != name) ++i;
    return i;
}

}  // namespace warpsim::options
