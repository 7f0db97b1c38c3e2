// `warpsim config`: lists configurations, and checks files.
#include "sim/config/config.hpp"

#include "command.hpp"
#include "runtime/statistics/statistics.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>

namespace warpsim::command {

namespace {

std::string list_as_json() {
    std::string text = "[";
    for (sim::ConfigSummary const& c : sim::builtin_configs()) {
        text += std::string(text.size() == 1 ? "\n" : ",\n") + "  {\"name\": " + statistics::json_string(c.name) +
                ", \"compute_capability\": \"" + std::to_string(c.compute_capability.number() / 10) + "." +
                std::to_string(c.compute_capability.number() % 10) +
                "\""
                ", \"sms\": " +
                std::to_string(c.sms) + ", \"description\": " + statistics::json_string(c.description) +
                ", \"default\": " + (c.name == sim::default_config_name ? "true" : "false") + "}";
    }
    return text + "\n]\n";
}

void list() {
    std::size_t width = 4;
    auto const all = sim::builtin_configs();
    for (sim::ConfigSummary const& c : all) width = std::max(width, c.name.size());
    std::string text = "name" + std::string(width - 4, ' ') + "  sm_   SMs  description\n";
    for (sim::ConfigSummary const& c : all) {
        char numbers[64];
        std::snprintf(numbers, sizeof numbers, "%3d %5u", c.compute_capability.number(), c.sms);
        text += c.name + std::string(width - c.name.size(), ' ') + "  " + numbers + "  " + c.description +
                (c.name == sim::default_config_name ? " (default)" : "") + "\n";
    }
    print(text);
}

}  // namespace

void add_config(CLI::App& app, int& status) {
    CLI::App* const sub = app.add_subcommand("config", "List, show and validate hardware configurations");
    sub->require_subcommand(1);
    auto const as_json = std::make_shared<bool>(false);
    CLI::App* const list_command = sub->add_subcommand("list", "The built-in configurations");
    list_command->add_flag("--json", *as_json, "As JSON");
    list_command->callback([as_json, &status] {
        if (*as_json) print(list_as_json());
        else list();
        status = success;
    });
    struct Show {
        std::string name;
        std::vector<std::string> set;
    };
    auto const show = std::make_shared<Show>();
    CLI::App* const show_command = sub->add_subcommand("show", "One configuration with all its values, as JSON");
    show_command->add_option("name", show->name, "A built-in configuration or a file")
        ->type_name("NAME|FILE")
        ->required();
    show_command->add_option("--set", show->set, "Override one value: --set sm.count=8; repeatable")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    show_command->callback([show, &status] {
        std::string text = sim::show_config(show->name, show->set);
        if (!text.ends_with('\n')) text += '\n';
        print(text);
        status = success;
    });
    auto const file = std::make_shared<std::string>();
    CLI::App* const validate = sub->add_subcommand("validate", "Whether a file is a good configuration");
    validate->add_option("file", *file, "The file, or a built-in configuration")->type_name("FILE")->required();
    validate->callback([file, &status] {
        sim::validate_config(*file);
        print(*file + ": valid\n");
        status = success;
    });
    sub->add_subcommand("schema", "The JSON Schema of configurations")->callback([&status] {
        std::string text(sim::config_schema());
        if (!text.ends_with('\n')) text += '\n';
        print(text);
        status = success;
    });
}

}  // namespace warpsim::command
