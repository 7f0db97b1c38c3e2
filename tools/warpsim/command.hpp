// The subcommands of `warpsim`. Each adds itself to the command line; when it is the one that was asked for, it
// runs after parsing and leaves the exit status in `status`. User errors are thrown as Error and end in one place,
// main().
#pragma once

#include "runtime/session/early_end.hpp"
#include "sim/error.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace warpsim::command {

/// Exit statuses of the command.
enum Status : int {
    success = 0,
    check_failed = 1,  // a comparison or check
    usage_error = 2,   // usage, configuration or plan
    ptx_error = 3,
    kernel_failed = 4,    // a kernel faulted or could not be launched
    internal_error = 70,  // a bug of ours
    timed_out = runtime::timed_out_status,
};

void add_run(CLI::App& app, int& status);
void add_exec(CLI::App& app, int& status);
/// `program`: the words behind `debug ... --`, if they were given.
void add_debug(CLI::App& app, int& status, std::vector<std::string> const& program);
void add_check(CLI::App& app, int& status);
void add_dump(CLI::App& app, int& status);
void add_config(CLI::App& app, int& status);
void add_isa(CLI::App& app, int& status);
void add_report(CLI::App& app, int& status);
void add_compare(CLI::App& app, int& status);
/// `others`: the words behind `sweep ... --`, if they were given.
void add_sweep(CLI::App& app, int& status, std::vector<std::string> const& others);
/// `words`: all that stand behind `ptxas`, which has a grammar of its own.
void add_ptxas(CLI::App& app, int& status, std::vector<std::string> const& words);
void add_schema(CLI::App& app, int& status);
void add_metrics(CLI::App& app, int& status);
void add_completion(CLI::App& app, int& status);
void add_manual(CLI::App& app, int& status);
void add_version(CLI::App& app, int& status);

Status status_of(ErrorKind kind);

/// "; did you mean '--grid'?" for an unknown option or subcommand of `app`, or "".
std::string nearest_option(CLI::App const& app, std::string const& word);

/// Writes to stdout. Throws Error(usage) when that fails (a full disk), but not for a closed pipe.
void print(std::string_view text);

/// Reads a file; throws Error(usage) naming it.
std::string read_file(std::string const& path);

/// A text that the user asked for: a file's, or with "-" what comes through standard input.
struct Input {
    std::string name;  // for messages
    std::string text;
};
Input read_input(std::string const& path);
/// Throws Error(usage) for CUDA C++ and compiled code, with what makes PTX of them.
void expect_ptx(Input const& input);
/// read_input() of what has to be PTX.
Input read_ptx(std::string const& path);

}  // namespace warpsim::command
