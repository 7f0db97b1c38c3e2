// `warpsim compare`: what has changed between two runs.
#include "runtime/statistics/compare.hpp"
#include "command.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace warpsim::command {

namespace {

struct Compare {
    std::string before, after;
    std::vector<std::string> thresholds;
    bool shows_all = false;
};

int compare(Compare const& words) {
    statistics::CompareOptions options;
    options.shows_all = words.shows_all;
    for (std::string const& text : words.thresholds)
        options.thresholds.push_back(statistics::parse_threshold(text));
    statistics::Comparison const result = statistics::compare({words.before, read_file(words.before)},
                                                              {words.after, read_file(words.after)}, options);
    print(result.text);
    return result.has_regressed ? check_failed : success;
}

}  // namespace

void add_compare(CLI::App& app, int& status) {
    CLI::App* const sub =
        app.add_subcommand("compare", "What has changed between two runs, from their statistics");
    auto const words = std::make_shared<Compare>();
    sub->add_option("before", words->before, "Statistics as --stats writes them")->type_name("A.json")->required();
    sub->add_option("after", words->after, "Those of another run")->type_name("B.json")->required();
    sub->add_option("--threshold", words->thresholds,
                    "How much a value may become worse, in percent or its own unit: cycles=2%, l1.hit_rate=0.01;\n"
                    "+ or - before the number says whether more or less is worse, where that is not plain;\n"
                    "repeatable (default: cycles=0%, without a clock instructions.warp=0%)")
        ->type_name("KEY=N%")
        ->allow_extra_args(false);
    sub->add_flag("--all", words->shows_all, "Show every value that differs, not only what says most");
    sub->footer("\nExit status 1: something has become worse than its threshold allows.");
    sub->callback([words, &status] { status = compare(*words); });
}

}  // namespace warpsim::command
