// `warpsim check`: parses, checks and decodes PTX, prints what is wrong with it, runs nothing.
#include "choice.hpp"
#include "command.hpp"
#include "frontend/decode/decode.hpp"
#include "frontend/diagnostic.hpp"
#include "runtime/log.hpp"
#include "runtime/statistics/statistics.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <thread>

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

std::string to_json(std::string const& file, frontend::Diagnostics const& diagnostics, std::size_t max_errors,
                    bool with_warnings) {
    std::string text = "{\"file\": " + statistics::json_string(file) +
                       ", \"ok\": " + (diagnostics.error_count() == 0 ? "true" : "false") + ", \"diagnostics\": [";
    bool first = true;
    frontend::Diagnostics::Shown const shown = diagnostics.shown(max_errors, with_warnings);
    for (frontend::Diagnostic const* const finding : shown.findings) {
        frontend::Diagnostic const& d = *finding;
        frontend::LineColumn const at = diagnostics.source().position(d.span.offset);
        frontend::LineColumn const end = diagnostics.source().position(d.span.offset + d.span.length);
        text += std::string(first ? "" : ", ") + "{\"line\": " + std::to_string(at.line) +
                ", \"column\": " + std::to_string(at.column) + ", \"end_line\": " + std::to_string(end.line) +
                ", \"end_column\": " + std::to_string(end.column) + ", \"severity\": \"" +
                std::string(name(d.severity)) + "\", \"message\": " + statistics::json_string(d.message) + "}";
        first = false;
    }
    return text + "], \"errors_left_out\": " + std::to_string(shown.errors_left_out) + "}\n";
}

enum class Outcome { good, bad, unreadable };

/// The result of checking one file, kept until those of the files before it have been printed.
struct Report {
    Outcome outcome = Outcome::good;
    std::string json;
    std::string messages;
    std::exception_ptr failure;  // of reading the file, or of this program
};

Report check(CheckCommand const& command, std::string const& file) {
    Report report;
    Input input;
    try {
        input = read_ptx(file);
    } catch (Error const& e) {
        report.outcome = Outcome::unreadable;
        report.failure = std::current_exception();
        report.json = "{\"file\": " + statistics::json_string(file) +
                      ", \"ok\": false, \"diagnostics\": [{\"line\": 0, \"column\": 0, \"severity\": \"error\", "
                      "\"message\": " +
                      statistics::json_string(e.what()) + "}]}\n";
        return report;
    }
    auto const source = std::make_shared<frontend::Source const>(input.name, std::move(input.text));
    frontend::Diagnostics diagnostics(*source);
    frontend::compile(source, diagnostics);
    if (diagnostics.error_count() != 0) report.outcome = Outcome::bad;
    if (command.format == "json")
        report.json = to_json(input.name, diagnostics, command.max_errors, !command.quiet);
    else report.messages = diagnostics.render(command.max_errors, !command.quiet);
    return report;
}

void print_report(CheckCommand const& command, Report const& report) {
    if (report.failure) {
        try {
            std::rethrow_exception(report.failure);
        } catch (Error const& e) {
            log::failure(e.what());  // and continue with the next file; other exceptions do not concern a file
        }
    }
    if (command.format == "json") print(report.json);
    else if (!report.messages.empty()) log::plain(log::Level::error, report.messages);
}

/// Checks files on all cores; `take` gets their reports in the order of the files, on this thread.
template <class Take> void check_in_parallel(CheckCommand const& command, Take const& take) {
    std::vector<std::optional<Report>> reports(command.files.size());
    std::mutex mutex;
    std::condition_variable arrived;
    std::atomic<std::size_t> next = 0;
    auto const work = [&] {
        for (std::size_t i = next++; i < reports.size(); i = next++) {
            Report report;
            try {
                report = check(command, command.files[i]);
            } catch (...) {
                report.failure = std::current_exception();
            }
            std::lock_guard const lock(mutex);
            reports[i] = std::move(report);
            arrived.notify_one();
        }
    };
    std::size_t const cores = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::jthread> workers;
    for (std::size_t i = 0; i < std::min(cores, reports.size()); ++i) workers.emplace_back(work);
    try {
        for (std::optional<Report>& slot : reports) {
            std::unique_lock lock(mutex);
            arrived.wait(lock, [&] { return slot.has_value(); });
            Report const report = std::move(*slot);
            lock.unlock();
            take(report);
        }
    } catch (...) {
        next = reports.size();
        throw;
    }
}

void add_listed_files(CheckCommand& command) {
    if (command.files_from.empty()) return;
    std::istringstream lines(read_input(command.files_from).text);
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
    check_in_parallel(command, [&](Report const& report) {
        print_report(command, report);
        bad += report.outcome == Outcome::bad ? 1 : 0;
        unreadable += report.outcome == Outcome::unreadable ? 1 : 0;
    });
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
    sub->add_option("file", command->files, "PTX files; - is standard input")->type_name("FILE.ptx");
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
