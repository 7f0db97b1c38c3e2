// `warpsim metrics`: what --metrics may name.
#include "runtime/statistics/metrics.hpp"
#include "command.hpp"

#include <CLI/CLI.hpp>

namespace warpsim::command {

void add_metrics(CLI::App& app, int& status) {
    CLI::App* const sub =
        app.add_subcommand("metrics", "The metrics that --metrics may name, and what they are made of");
    sub->callback([&status] {
        print(statistics::metrics_list());
        status = success;
    });
}

}  // namespace warpsim::command
