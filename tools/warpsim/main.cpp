// The command: parses the command line, runs the subcommand, turns errors into messages and exit statuses.
#include "command.hpp"
#include "frontend/diagnostic.hpp"
#include "runtime/log.hpp"
#include "sim/compiled/compile.hpp"
#include "sim/fault_kind.hpp"
#include "table_options.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <vector>

namespace warpsim::command {

Status status_of(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::usage:
        case ErrorKind::config:
        case ErrorKind::plan: return usage_error;
        case ErrorKind::ptx: return ptx_error;
        case ErrorKind::launch:
        case ErrorKind::fault: return kernel_failed;
        case ErrorKind::comparison: return check_failed;
    }
    return internal_error;
}

void print(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size())
        throw Error(ErrorKind::usage, "cannot write to standard output");
}

void add_version(CLI::App& app, int& status) {
    CLI::App* const sub = app.add_subcommand("version", "Print the version");
    sub->callback([&status] {
        std::string const compiler = sim::compiler_version();
        print("warpsim " WARPSIM_VERSION "\n");
        print(compiler.empty() ? "without LLVM: kernels are interpreted\n"
                               : "compiles kernels with " + compiler + "\n");
        status = success;
    });
}

std::string nearest_option(CLI::App const& app, std::string const& word) {
    std::vector<std::string> names;
    for (CLI::Option const* const option : app.get_options())
        for (std::string const& name : option->get_lnames()) names.push_back("--" + name);
    for (CLI::App const* const other : app.get_subcommands({})) names.push_back(other->get_name());
    std::vector<std::string_view> const known(names.begin(), names.end());
    std::string_view const near = frontend::nearest(word, known);
    return near.empty() ? "" : "; did you mean '" + std::string(near) + "'?";
}

namespace {

CLI::App const& deepest(CLI::App const& app) {
    auto const chosen = app.get_subcommands();
    return chosen.empty() ? app : deepest(*chosen.front());
}

// The library's message for a mistyped word is "The following argument was not expected: --gird"; this one says
// what it is and proposes the nearest known word.
std::string explain(CLI::App const& app, CLI::ParseError const& error) {
    CLI::App const& sub = deepest(app);
    std::vector<std::string> const words = sub.remaining();
    bool const wants_command = !sub.get_subcommands({}).empty();
    // Words that are left over are no mistake where they are a program and its own arguments.
    if (words.empty() || sub.get_prefix_command()) return error.what();
    std::string const word = words.front().substr(0, words.front().find('='));
    std::string const what = word.starts_with('-') ? "unknown option '"
                             : wants_command       ? "unknown command '"
                                                   : "unexpected argument '";
    return what + word + "'" + nearest_option(sub, word);
}

/// Turns `help COMMAND` into `COMMAND --help`.
std::vector<char*> without_help(std::vector<char*> words) {
    static std::string option = "--help";
    if (words.size() < 2 || std::strcmp(words[1], "help") != 0) return words;
    words.erase(words.begin() + 1);
    words.push_back(option.data());
    return words;
}

/// `man run` is a page about a command, and not the command: a -- says so to the parser.
std::vector<char*> with_page_name(std::vector<char*> words) {
    static std::string separator = "--";
    if (words.size() > 2 && std::strcmp(words[1], "man") == 0 && words[2][0] != '-')
        words.insert(words.begin() + 2, separator.data());
    return words;
}

/// Takes off what stands behind the -- of `debug OPTIONS -- PROGRAM ARGUMENTS` and `sweep OPTIONS -- OPTIONS`, and all that
/// stands behind `ptxas`.
std::vector<std::string> take_words_behind(std::vector<char*>& words) {
    std::vector<std::string> behind;
    if (words.size() > 1 && std::strcmp(words[1], "ptxas") == 0) {
        behind.assign(words.begin() + 2, words.end());
        words.resize(2);
        return behind;
    }
    if (words.size() < 2 || (std::strcmp(words[1], "debug") != 0 && std::strcmp(words[1], "sweep") != 0))
        return behind;
    auto const separator =
        std::find_if(words.begin(), words.end(), [](char const* word) { return std::strcmp(word, "--") == 0; });
    if (separator == words.end()) return behind;
    behind.assign(separator + 1, words.end());
    words.erase(separator, words.end());
    return behind;
}

/// Removes the -- from `exec OPTIONS -- PROGRAM ARGUMENTS`: the program begins with no option, and from there on the
/// parser leaves all words alone.
std::vector<char*> without_separator(int argc, char** argv) {
    std::vector<char*> words(argv, argv + argc);
    auto const is = [](char const* word) { return [word](char const* w) { return std::strcmp(w, word) == 0; }; };
    if (argc < 2 || !is("exec")(argv[1])) return words;
    auto const separator = std::find_if(words.begin(), words.end(), is("--"));
    if (separator != words.end()) words.erase(separator);
    return words;
}

int parse_and_run(int argc, char** argv) {
    std::vector<char*> words = with_page_name(without_help(without_separator(argc, argv)));
    std::vector<std::string> const behind = take_words_behind(words);
    CLI::App app("warpsim runs PTX kernels on a simulated GPU.", "warpsim");
    app.set_help_flag("-h,--help", "Print this help and exit");
    app.footer("\nwarpsim COMMAND --help tells the options of a command.\n"
               "Exit status: 0 all well, 1 a comparison or check failed, 2 usage, configuration or plan error,\n"
               "3 PTX error, 4 a kernel faulted or could not be launched, 70 an internal error,\n"
               "124 it took longer than --timeout, 130 it was interrupted.");
    app.formatter(make_formatter());
    bool version = false;
    app.add_flag("--version", version, "Print the version and exit");
    int status = success;
    add_run(app, status);
    add_exec(app, status);
    add_debug(app, status, behind);
    add_check(app, status);
    add_dump(app, status);
    add_config(app, status);
    add_isa(app, status);
    add_report(app, status);
    add_compare(app, status);
    add_sweep(app, status, behind);
    add_ptxas(app, status, behind);
    add_schema(app, status);
    add_metrics(app, status);
    add_completion(app, status);
    add_manual(app, status);
    add_version(app, status);
    app.add_subcommand("help", "Print the help of a command");  // see without_help
    try {
        app.parse(static_cast<int>(words.size()), words.data());
    } catch (CLI::Success const& e) {
        std::vector<std::string> const unknown = deepest(app).remaining();
        if (unknown.empty()) return app.exit(e) == 0 ? success : usage_error;
        log::error("unknown command '" + unknown.front() + "'" + nearest_option(deepest(app), unknown.front()));
        return usage_error;
    } catch (CLI::ParseError const& e) {
        log::error(explain(app, e));
        CLI::App const& sub = deepest(app);
        log::plain(log::Level::error, "Try 'warpsim " + (&sub == &app ? "" : sub.get_name() + " ") + "--help'.");
        return usage_error;
    }
    if (version) print("warpsim " WARPSIM_VERSION "\n");
    else if (app.get_subcommands().empty()) {
        std::fputs(app.help().c_str(), stderr);
        return usage_error;
    }
    return status;
}

int guarded(int argc, char** argv) {
    try {
        return parse_and_run(argc, argv);
    } catch (FaultError const& e) {
        log::failure(e.what());
        if (e.fault() == FaultKind::interrupted) {
            std::fflush(nullptr);
            runtime::end_by_interrupt();
        }
        return e.fault() == FaultKind::time_limit ? timed_out : kernel_failed;
    } catch (Error const& e) {
        log::failure(e.what());
        return status_of(e.kind());
    } catch (std::bad_alloc const&) {
        log::error("out of host memory");
        return kernel_failed;
    } catch (std::exception const& e) {
        log::error(std::string("internal error: ") + e.what() + " (a bug in warpsim; please report it)");
        return internal_error;
    }
}

}  // namespace

}  // namespace warpsim::command

int main(int argc, char** argv) {
    int const status = warpsim::command::guarded(argc, argv);
    if (std::fflush(stdout) != 0 && status == 0) {
        std::fputs("error: cannot write to standard output\n", stderr);
        return warpsim::command::usage_error;
    }
    return status;
}
