// `warpsim schema`: what the files look like that warpsim reads and writes, for editors and other programs.
#include "runtime/check/findings/schema.hpp"
#include "command.hpp"
#include "runtime/plan/schema.hpp"
#include "runtime/statistics/schema.hpp"
#include "sim/config/config.hpp"
#include "sim/nearest.hpp"

#include <CLI/CLI.hpp>

#include <array>
#include <memory>

namespace warpsim::command {

namespace {

struct Published {
    std::string_view name;
    std::string (*text)();
};

constexpr std::array schemas{
    Published{"stats", [] { return statistics::schema(); }},
    Published{"plan", [] { return plan::schema(); }},
    Published{"profile", [] { return statistics::profile_schema(); }},
    Published{"check", [] { return std::string(check::schema()); }},
    Published{"config", [] { return std::string(sim::config_schema()); }},
};

void print_schema(std::string const& name) {
    std::vector<std::string> names;
    for (Published const& schema : schemas) {
        names.emplace_back(schema.name);
        if (schema.name != name) continue;
        std::string text = schema.text();
        if (!text.ends_with('\n')) text += '\n';
        return print(text);
    }
    throw Error(ErrorKind::usage, "there is no schema '" + name + "'" + sim::did_you_mean(name, names));
}

}  // namespace

void add_schema(CLI::App& app, int& status) {
    CLI::App* const sub = app.add_subcommand(
        "schema", "The JSON Schema of statistics, plans, profiles, check reports, configurations");
    auto const name = std::make_shared<std::string>();
    sub->add_option("name", *name, "Of which files")->type_name("stats|plan|profile|check|config")->required();
    sub->callback([name, &status] {
        print_schema(*name);
        status = success;
    });
}

}  // namespace warpsim::command
