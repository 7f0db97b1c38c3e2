// `warpsim config`: lists configurations, and checks files.
#include "sim/config/config.hpp"
#include "sim/config/gpgpusim.hpp"

#include "command.hpp"
#include "runtime/log.hpp"
#include "runtime/statistics/statistics.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
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

std::string differences_as_json(std::vector<sim::ConfigDifference> const& differences) {
    std::string text = "[";
    auto const value = [](std::string const& json) { return json.empty() ? std::string("null") : json; };
    for (sim::ConfigDifference const& d : differences) {
        text += std::string(text.size() == 1 ? "\n" : ",\n") + "  {\"key\": " + statistics::json_string(d.key) +
                ", \"first\": " + value(d.first) + ", \"second\": " + value(d.second) + "}";
    }
    return text + "\n]\n";
}

std::string differences_as_table(std::string const& first, std::string const& second,
                                 std::vector<sim::ConfigDifference> const& differences) {
    std::vector<sim::ConfigDifference> rows{{"key", first, second}};
    for (sim::ConfigDifference d : differences) {
        for (std::string* const value : {&d.first, &d.second})
            if (value->empty()) *value = "-";
        rows.push_back(std::move(d));
    }
    std::size_t key = 0, value = 0;
    for (sim::ConfigDifference const& row : rows) {
        key = std::max(key, row.key.size());
        value = std::max(value, row.first.size());
    }
    std::string text;
    for (sim::ConfigDifference const& row : rows) {
        text += row.key + std::string(key + 2 - row.key.size(), ' ') + row.first +
                std::string(value + 2 - row.first.size(), ' ') + row.second + "\n";
    }
    return text;
}

void add_diff(CLI::App& config, int& status) {
    struct Diff {
        std::string first, second;
        std::vector<std::string> set;
        bool as_json = false;
    };
    auto const diff = std::make_shared<Diff>();
    CLI::App* const sub = config.add_subcommand("diff", "The figures in which two configurations differ");
    sub->add_option("first", diff->first, "A built-in configuration or a file")
        ->type_name("NAME|FILE")
        ->required();
    sub->add_option("second", diff->second, "Another; without it, the first itself with what --set changes")
        ->type_name("NAME|FILE");
    sub->add_option("--set", diff->set, "Override one value of the second: --set sm.count=8; repeatable")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    sub->add_flag("--json", diff->as_json, "As JSON");
    sub->callback([diff, &status] {
        std::string const& other = diff->second.empty() ? diff->first : diff->second;
        auto const differences = sim::compare_configs(diff->first, other, diff->set);
        std::string name = other;
        for (std::string const& text : diff->set) name += " --set " + text;
        if (diff->as_json) print(differences_as_json(differences));
        else if (differences.empty()) print(diff->first + " and " + name + " do not differ\n");
        else print(differences_as_table(diff->first, name, differences));
        status = success;
    });
}

void add_from_gpgpusim(CLI::App& config, int& status) {
    struct Files {
        std::vector<std::string> from;
        std::string to = "-";
    };
    auto const files = std::make_shared<Files>();
    CLI::App* const sub =
        config.add_subcommand("from-gpgpusim", "A configuration of what GPGPU-Sim and Accel-Sim are told");
    sub->add_option("file", files->from, "Their gpgpusim.config, and trace.config, which holds over it")
        ->type_name("gpgpusim.config")
        ->required();
    sub->add_option("-o,--output", files->to, "The configuration (default: standard output)")
        ->type_name("FILE.json");
    sub->callback([files, &status] {
        std::vector<std::string> texts;
        for (std::string const& file : files->from) texts.push_back(read_file(file));
        std::vector<sim::GpgpusimFile> parts;
        for (std::size_t i = 0; i < texts.size(); ++i) parts.push_back({files->from[i], texts[i]});
        sim::FromGpgpusim const made = sim::from_gpgpusim(parts);
        if (files->to == "-") {
            print(made.json);
        } else {
            std::ofstream out(files->to, std::ios::binary);
            if (!(out << made.json).flush())
                throw Error(ErrorKind::usage, "cannot write '" + files->to + "': " + std::strerror(errno));
        }
        for (std::string const& note : made.notes) log::warning(note);
        log::warning(files->from.front() + ": " + std::to_string(made.mapped) + " keys over " + made.base + ", " +
                     std::to_string(made.notes.size()) + " not converted");
        // Whether the figures agree with one another is the file's to say, where it lies.
        if (files->to != "-") sim::validate_config(files->to);
        status = success;
    });
}

}  // namespace

void add_config(CLI::App& app, int& status) {
    CLI::App* const sub =
        app.add_subcommand("config", "List, show, compare, convert and validate hardware configurations");
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
    validate->add_option("file", *file, "A file, or a built-in configuration")->type_name("NAME|FILE")->required();
    validate->callback([file, &status] {
        sim::validate_config(*file);
        print(*file + ": valid\n");
        status = success;
    });
    add_diff(*sub, status);
    add_from_gpgpusim(*sub, status);
    sub->add_subcommand("schema", "The JSON Schema of configurations")->callback([&status] {
        std::string text(sim::config_schema());
        if (!text.ends_with('\n')) text += '\n';
        print(text);
        status = success;
    });
}

}  // namespace warpsim::command
