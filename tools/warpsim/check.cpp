// `warpsim check`: parse, check and decode PTX, print what is wrong with it, run nothing.
#include "choice.hpp"
#include "command.hpp"
#include "frontend/decode/decode.hpp"
#include "frontend/diagnostic.hpp"
#include "runtime/log.hpp"
#include "runtime/statistics/statistics.hpp"

#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>
#include <sstream>

namespace warpsim::command {

namespace {

struct CheckCommand {
    std::vector<std::string> files;
    std::string files_from;
    std::size_t max_errors = 20;
    std::string format = "text";
    bool quiet = false;
};

std::string_view name(frontend::Severity severity) {
    switch (severity) {
        case frontend::Severity::error: return "error";
        case frontend::Severity::warning: return "warning";
        case frontend::Severity::note: return "note";
    }
    return {};
}

std::string to_json(std::string const& file, frontend::Diagnostics const& diagnostics, std::size_t max_errors) {
    std::string text = "{\"file\": " + statistics::json_string(file) +
                       ", \"ok\": " + (diagnostics.error_count() == 0 ? "true" : "false") + ", \"diagnostics\": [";
    std::size_t errors = 0;
    bool first = true;
    for (frontend::Diagnostic const& d : diagnostics.list()) {
        if (d.severity == frontend::Severity::error && max_errors != 0 && ++errors > max_errors) break;
        frontend::LineColumn const at = diagnostics.source().position(d.span.offset);
        text += std::string(first ? "" : ", ") + "{\"line\": " + std::to_string(at.line) +
                ", \"column\": " + std::to_string(at.column) + ", \"severity\": \"" +
                std::string(name(d.severity)) + "\", \"message\": " + statistics::json_string(d.message) + "}";
        first = false;
    }
    return text + "]}\n";
}

// Errors with their notes, without warnings and theirs.
std::string errors_only(frontend::Diagnostics const& diagnostics, std::size_t max_errors) {
    std::string text;
    std::size_t errors = 0;
    bool shown = false;
    for (frontend::Diagnostic const& d : diagnostics.list()) {
        if (d.severity != frontend::Severity::note) shown = d.severity == frontend::Severity::error;
        if (!shown) continue;
        if (d.severity == frontend::Severity::error && max_errors != 0 && ++errors > max_errors) break;
        text += frontend::render(diagnostics.source(), d);
    }
    if (max_errors != 0 && diagnostics.error_count() > max_errors)
        text += diagnostics.source().name() + ": " + std::to_string(diagnostics.error_count() - max_errors) +
                " more errors\n";
    return text;
}

enum class Outcome { good, bad, unreadable };

Outcome check(CheckCommand const& command, std::string const& file) {
    std::string text;
    try {
        text = read_file(file);
    } catch (Error const& e) {
        print_error(e);
        if (command.format == "json")
            print("{\"file\": " + statistics::json_string(file) +
                  ", \"ok\": false, \"diagnostics\": [{\"line\": 0, \"column\": 0, \"severity\": \"error\", "
                  "\"message\": " +
                  statistics::json_string(e.what()) + "}]}\n");
        return Outcome::unreadable;
    }
    auto const source = std::make_shared<frontend::Source const>(file, std::move(text));
    frontend::Diagnostics diagnostics(*source);
    frontend::compile(source, diagnostics);
    if (command.format == "json") print(to_json(file, diagnostics, command.max_errors));
    else {
        std::string const rendered =
            command.quiet ? errors_only(diagnostics, command.max_errors) : diagnostics.render(command.max_errors);
        if (!rendered.empty()) log::plain(log::Level::error, rendered);
    }
    return diagnostics.error_count() == 0 ? Outcome::good : Outcome::bad;
}

void add_listed_files(CheckCommand& command) {
    if (command.files_from.empty()) return;
    std::string text;
    if (command.files_from == "-") {
        std::ostringstream all;
        all << std::cin.rdbuf();
        text = all.str();
    } else {
        text = read_file(command.files_from);
    }
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.ends_with('\r')) line.pop_back();
        if (!line.empty()) command.files.push_back(line);
    }
}

int check_all(CheckCommand& command) {
    if (command.quiet) log::configure(log::Level::error, log::Color::automatic);
    if (command.files.empty() && command.files_from.empty())
        throw Error(ErrorKind::usage, "no file to check; give PTX files or --files-from LIST");
    add_listed_files(command);
    std::size_t bad = 0;
    std::size_t unreadable = 0;
    for (std::string const& file : command.files) {
        Outcome const outcome = check(command, file);
        bad += outcome == Outcome::bad ? 1 : 0;
        unreadable += outcome == Outcome::unreadable ? 1 : 0;
    }
    if (!command.quiet && command.format == "text" && command.files.size() > 1)
        print(std::to_string(command.files.size()) + " files, " + std::to_string(bad) + " with errors" +
              (unreadable == 0 ? "" : ", " + std::to_string(unreadable) + " unreadable") + "\n");
    if (unreadable > 0) return usage_error;
    return bad > 0 ? ptx_error : success;
}

}  // namespace

void add_check(CLI::App& app, int& status) {
    CLI::App* const sub =
        app.add_subcommand("check", "Parse, check and decode PTX, print what is wrong, run nothing");
    auto const command = std::make_shared<CheckCommand>();
    sub->add_option("file", command->files, "PTX files")->type_name("FILE.ptx");
    sub->add_option("--files-from", command->files_from,
                    "Check the files named in LIST, one a line; - is standard input")
        ->type_name("LIST");
    sub->add_option("--max-errors", command->max_errors, "Errors shown of one file (default: 20); 0 shows all")
        ->type_name("N");
    choose(sub->add_option("--format", command->format, "text, or json: one object a line and file"),
           {"text", "json"});
    sub->add_flag("-q,--quiet", command->quiet, "Errors only: no warnings, no summary");
    sub->callback([command, &status] { status = check_all(*command); });
}

}  // namespace warpsim::command
