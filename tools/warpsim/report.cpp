// `warpsim report`: a page of statistics that were written before, or of two runs side by side.
#include "runtime/report/report.hpp"
#include "command.hpp"

#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <vector>

namespace warpsim::command {

namespace {

struct ReportCommand {
    std::vector<std::string> statistics, profiles, timelines;
    std::string out;
};

int report(ReportCommand const& command) {
    if (command.statistics.size() > 2)
        throw Error(ErrorKind::usage, "a report is of one run, or of two side by side");
    auto const of = [](std::vector<std::string> const& files, std::size_t run) {
        return run < files.size() ? files[run] : std::string();
    };
    std::vector<report::Run> runs;
    for (std::size_t i = 0; i < command.statistics.size(); ++i)
        runs.push_back(report::read_run(command.statistics[i], of(command.profiles, i), of(command.timelines, i)));
    report::write_page(command.out, runs);
    return success;
}

}  // namespace

void add_report(CLI::App& app, int& status) {
    CLI::App* const sub = app.add_subcommand("report", "A page about a run, or about two side by side");
    auto const command = std::make_shared<ReportCommand>();
    sub->add_option("statistics", command->statistics, "What --stats has written: of one run, or of two")
        ->type_name("STATS.json")
        ->required();
    sub->add_option("--profile", command->profiles, "What --profile has written beside it; once for each run")
        ->type_name("PROFILE.json");
    sub->add_option("--timeline", command->timelines, "What --timeline has written beside it; once for each run")
        ->type_name("TIMELINE");
    sub->add_option("-o,--output", command->out, "The page")->type_name("REPORT.html")->required();
    sub->callback([command, &status] { status = report(*command); });
}

}  // namespace warpsim::command
