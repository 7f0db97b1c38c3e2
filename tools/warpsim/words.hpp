// What the command line has, as manual pages and completions of shells tell it.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace warpsim::command {

struct OptionWords {
    std::vector<std::string> names;    // with their dashes: "-v", "--verbose"
    std::string value;                 // what stands for its value; empty: it has none
    bool is_joined = false;            // a value may be given, with = only
    std::vector<std::string> choices;  // what its value may be; empty: anything
    bool takes_file = false;           // instead of these, or beside them
    std::string help;                  // on one line
    std::string variable;              // of the environment
    bool is_repeatable = false;
};

struct CommandWords {
    std::string name, help;
    std::vector<std::string> calls;  // how it is called, a line each way; empty: as its options and arguments tell
    std::vector<OptionWords> options;
    std::vector<OptionWords> arguments;  // without names
    std::vector<CommandWords> commands;
};

/// The ways to call a command that the parser does not know of: what its footer begins with, "warpsim exec [OPTIONS] -- PROGRAM".
std::vector<std::string> calls_of(CLI::App const& app);

/// Of the whole command line: the commands' own options and those of the table alike.
CommandWords words_of(CLI::App const& app);

std::string bash_completion(CommandWords const& all);
std::string zsh_completion(CommandWords const& all);
std::string fish_completion(CommandWords const& all);
/// The page warpsim(1), or warpsim-COMMAND(1).
std::string manual_page(CommandWords const& all);
std::string manual_page(CommandWords const& all, CommandWords const& command);

}  // namespace warpsim::command
