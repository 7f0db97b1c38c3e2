// `warpsim sweep`: plans with many configurations, as a table.
#include "runtime/sweep/sweep.hpp"
#include "choice.hpp"
#include "command.hpp"
#include "runtime/log.hpp"
#include "runtime/plugins/plugins.hpp"
#include "runtime/sha256.hpp"
#include "runtime/sweep/rows.hpp"
#include "sim/host_thread.hpp"

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <memory>

namespace warpsim::command {

namespace {

struct SweepWords {
    sweep::Options options;
    std::vector<std::string> vary, plugins;
    std::string space, sample = "all", progress = "auto";
    std::uint64_t seed = 1, memory_mib = 0;
    bool is_quiet = false, is_elsewhere = false;
};

std::string own_path() {
    std::string path(4096, '\0');
    ssize_t const length = ::readlink("/proc/self/exe", path.data(), path.size());
    path.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
    return path;
}

std::string told(sweep::Summary const& summary, std::string const& file) {
    std::string text = file + ": " + std::to_string(summary.points) + " points";
    if (summary.earlier > 0) text += ", " + std::to_string(summary.earlier) + " of them from earlier runs";
    if (summary.outdated > 0)
        text += ", " + std::to_string(summary.outdated) +
                " run again, as the plan, its configuration or warpsim have changed";
    if (summary.failed > 0) text += ", " + std::to_string(summary.failed) + " failed";
    return text + "\n";
}

int run_sweep(SweepWords& words) {
    sweep::Options& options = words.options;
    plugins::load(words.plugins);
    if (!words.space.empty()) options.axes = sweep::read_space(words.space, read_file(words.space));
    for (std::string const& text : words.vary) options.axes.push_back(sweep::parse_vary(text));
    if (options.axes.empty())
        throw Error(ErrorKind::usage, "nothing is varied: --vary KEY=V1,V2 or --space FILE.json");
    options.sampling = sweep::parse_sampling(words.sample, words.seed);
    std::uint64_t const cores = sim::hardware_threads();
    if (options.jobs == 0) options.jobs = cores;
    if (options.threads == 0) options.threads = std::max<std::uint64_t>(cores / options.jobs, 1);
    options.memory_bytes = words.memory_mib << 20;
    std::vector<std::string> columns = sweep::usual_columns();
    for (std::string& column : options.columns) columns.push_back(std::move(column));
    options.columns = std::move(columns);
    std::string const program = own_path();
    options.worker = {program, "run"};
    options.build = WARPSIM_VERSION " " + runtime::sha256(read_file(program));
    for (std::string const& plugin : words.plugins) {
        options.build += " " + runtime::sha256(read_file(plugin));
        options.others.insert(options.others.begin(), {"--plugin", plugin});
    }
    options.shows_progress =
        words.progress == "on" || (words.progress == "auto" && !words.is_quiet && isatty(STDERR_FILENO) != 0);
    if (words.is_elsewhere) options.exchange = {&std::cin, &std::cout};
    sweep::Summary const summary = sweep::run(options);
    if (summary.was_interrupted) {
        log::error("interrupted; the same command goes on with what is left");
        return 130;
    }
    if (!words.is_quiet && !words.is_elsewhere) print(told(summary, options.out));
    return summary.failed > 0 ? check_failed : success;
}

}  // namespace

void add_sweep(CLI::App& app, int& status, std::vector<std::string> const& others) {
    CLI::App* const sub =
        app.add_subcommand("sweep", "Run plans with many configurations, and make a table of it");
    auto const words = std::make_shared<SweepWords>();
    sweep::Options& options = words->options;
    options.others = others;
    options.jobs = options.threads = 0;
    sub->add_option("plans", options.plans, "Plans, or folders of them as --capture writes them")
        ->type_name("PLAN.json|FOLDER")
        ->required();
    sub->add_option("--vary", words->vary,
                    "A key of the configuration and its values: l2.size_kib=2000,4000, sm.count=8..64:8,\n"
                    "l2.size_kib=1000..8000*2; or configurations: config=v100,a100; repeatable")
        ->type_name("KEY=V1,V2,...")
        ->allow_extra_args(false);
    sub->add_option("--space", words->space, "The same from a file: {\"l2.size_kib\": [2048, 4096], ...}")
        ->type_name("FILE.json");
    sub->add_option("--sample", words->sample,
                    "Which combinations: all, random:N or latin:N, a Latin hypercube (default: all)")
        ->type_name("all|random:N|latin:N");
    sub->add_option("--seed", words->seed, "Of samples (default: 1)")->type_name("N");
    sub->add_option("-o,--output", options.out, "The table; what is there of an earlier run is not run again")
        ->type_name("RESULTS.csv")
        ->required();
    sub->add_option("--columns", options.columns, "Further keys of the statistics: stalls.long_scoreboard")
        ->type_name("KEY,...")
        ->delimiter(',')
        ->allow_extra_args(false);
    sub->add_option("-j,--jobs", options.jobs, "How many run at a time (default: all cores)")
        ->type_name("N")
        ->check(CLI::Range(1, 4096).description(""));
    sub->add_option("--threads", options.threads, "Host threads of each (default: its share of the cores)")
        ->type_name("N")
        ->check(CLI::Range(1, 4096).description(""));
    sub->add_option("--memory", words->memory_mib,
                    "MiB that all may take together (default: nine tenths of what is free)")
        ->type_name("MIB")
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40).description(""));
    sub->add_option("--config", options.config, "Hardware configuration (default: as the plan says, or h100)")
        ->type_name("NAME|FILE");
    sub->add_option("--set", options.overrides, "Override one value of all: --set sm.count=8; repeatable")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    sub->add_option("--plugin", words->plugins,
                    "Load a library with components of the timing model, here and in each run; repeatable")
        ->type_name("LIB.so")
        ->allow_extra_args(false);
    choose(sub->add_option("--mode", options.mode, "(default: as the plan says, or timing)"),
           {"functional", "timing"});
    sub->add_flag(
        "--elsewhere", words->is_elsewhere,
        "Points are run by whoever reads standard output and writes standard input: a line of JSON each, as\n"
        "runtime/sweep/README.md has it. Python's warpsim.sweep() does it with Dask");
    sub->add_flag("--retry", options.retries, "Run again what has failed earlier");
    sub->add_flag("-q,--quiet", words->is_quiet, "Say nothing but errors");
    choose(sub->add_option("--progress", words->progress, "A line that tells how far it is (default: auto)"),
           {"auto", "on", "off"});
    sub->footer("\nwarpsim sweep [OPTIONS] -o RESULTS.csv PLAN.json|FOLDER... [-- OPTIONS OF RUN]\n\n"
                "Options behind -- are for each run: -- --timeout 60\n"
                "Exit status 1: a point failed; its rows say how.");
    sub->callback([words, &status] { status = run_sweep(*words); });
}

}  // namespace warpsim::command
