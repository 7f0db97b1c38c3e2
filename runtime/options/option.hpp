// What the table of options says of one option.
#pragma once

#include <cstdint>
#include <string_view>

namespace warpsim::options {

enum class Type : std::uint8_t {
    text,
    file,    // a path, "-" for standard output where the help says so
    word,    // one of a few
    list,    // several texts: repeated on the command line, with ';' between them in a variable
    number,  // from `low` to `high`
    bytes,   // a number, or one with K, M or G behind it
    flag,    // given or not; 1 or 0 in a variable
    toggle,  // on or off
    count,   // how often it is given, up to `high`: -vv is 2
};

/// Which subcommands take it on their command line.
enum class Command : std::uint8_t { none, run, exec, both };

/// In which mode it means something; given in another, it is refused.
enum class Mode : std::uint8_t { any, functional, timing };

/// Under which head help and reference show it.
enum class Section : std::uint8_t { general, run_ptx, run_plan, simulation, messages, process, internal, tests };

struct Option {
    std::string_view name = {};      // on the command line, without its dashes; for all others what code asks for
    std::string_view letter = {};    // the short form: "v"
    std::string_view variable = {};  // of the environment; empty: it has none
    Type type = Type::text;
    std::string_view value = {};  // what stands for the value in the help: FILE|-, or the words: auto|on|off
    std::string_view alone = {};  // the value of an option that may be given without one; with one, --name=VALUE
    std::uint64_t low = 0, high = ~std::uint64_t{0};
    std::string_view unit = {};
    std::string_view otherwise = {};  // what holds when it is not given, as a user would write it; empty: nothing
    Command command = Command::both;
    Mode mode = Mode::any;
    Section section = Section::simulation;
    std::string_view help = {};
};

}  // namespace warpsim::options
