// The table of options: what is read from the command line and the environment, and what is reported for a wrong
// value.
#include "runtime/options/reference.hpp"
#include "runtime/options/values.hpp"
#include "sim/error.hpp"
#include "tests/command/run_command.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace options_test {

using namespace warpsim;
using options::Option;
using options::Type;
using options::Values;
using test::contains;
using test::run_command;

namespace {

namespace fs = std::filesystem;

std::string contents(fs::path const& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

Option const& row(std::string_view name) { return options::table[options::index_of(name)]; }

#ifndef WARPSIM_SANITIZED
/// A value that is not the option's default.
std::string sample(Option const& option) {
    switch (option.type) {
        case Type::text:
            if (option.name == "metrics") return "launch__grid_size";
            return option.alone.empty() ? "some-text" : std::string(option.alone);
        case Type::file: return "file.txt";
        case Type::list: return "a=1";
        case Type::word: return std::string(option.value.substr(option.value.rfind('|') + 1));
        case Type::number: return std::to_string(std::min<std::uint64_t>(option.high, 7));
        case Type::bytes: return "5M";
        case Type::flag: return "1";
        case Type::toggle: return "off";
        case Type::count: return "2";
    }
    return "";
}
#endif

/// A value that the option must not have; empty if it may have any.
std::string wrong_sample(Option const& option) {
    switch (option.type) {
        case Type::text:
        case Type::file:
        case Type::list: return "";
        case Type::number:
        case Type::count: return option.high == ~std::uint64_t{0} ? "12x" : std::to_string(option.high + 1);
        case Type::word:
        case Type::bytes:
        case Type::flag:
        case Type::toggle: return "wrong";
    }
    return "";
}

template <class Call> std::string error_of(Call&& call) {
    try {
        call();
    } catch (Error const& error) {
        CHECK(error.kind() == ErrorKind::usage);
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("An option has one name, one variable and a default that it may have", "[options]") {
    std::set<std::string_view> names, variables, letters;
    for (Option const& option : options::table) {
        INFO(option.name);
        CHECK(names.insert(option.name).second);
        if (!option.variable.empty()) {
            CHECK(variables.insert(option.variable).second);
            CHECK(option.variable.starts_with("WARPSIM_"));
        }
        if (!option.letter.empty()) CHECK(letters.insert(option.letter).second);
        CHECK((!option.variable.empty() || option.command != options::Command::none));
        CHECK_FALSE(option.help.empty());
        if (!option.otherwise.empty()) CHECK(options::complaint(option, option.otherwise).empty());
    }
    CHECK(row("threads").variable == "WARPSIM_THREADS");
}

TEST_CASE("A value has the type of its row, and holds until another is given", "[options]") {
    Values chosen;
    CHECK(chosen.value<"threads">() == 0);
    CHECK(chosen.value<"devices">() == 1);
    CHECK(chosen.value<"config">() == "h100");
    CHECK(chosen.value<"cache-size">() == std::uint64_t{1} << 30);
    CHECK(chosen.value<"cache">());
    CHECK_FALSE(chosen.value<"no-register-sharing">());
    CHECK(chosen.value<"set">().empty());
    CHECK_FALSE(chosen.is_given<"threads">());
    chosen.set(row("threads"), "12");
    chosen.set(row("threads"), "0x10");
    chosen.set(row("set"), "a=1;b=2");
    chosen.set(row("set"), "c=3");
    chosen.set(row("arg"), "values:1;2");
    CHECK(chosen.value<"threads">() == 16);
    CHECK(chosen.value<"set">() == std::vector<std::string>{"a=1", "b=2", "c=3"});
    CHECK(chosen.value<"arg">() == std::vector<std::string>{"values:1;2"});  // only a variable holds several
    CHECK(chosen.is_given<"threads">());
}

TEST_CASE("A wrong value is told with its option, itself and what is allowed", "[options]") {
    int tried = 0;
    for (Option const& option : options::table) {
        std::string const wrong = wrong_sample(option);
        if (wrong.empty()) continue;
        ++tried;
        INFO(option.name);
        std::string const on_line = error_of([&] { Values().set(option, wrong); });
        CHECK(contains(on_line, "--" + std::string(option.name) + ": '" + wrong + "'"));
        if (option.type == Type::word) CHECK(contains(on_line, std::string(option.value)));
        if (option.type == Type::number) CHECK(contains(on_line, std::to_string(option.high)));
        if (option.variable.empty()) continue;
        std::string const name(option.variable);
        char const* const before = std::getenv(name.c_str());
        std::string const old = before == nullptr ? "" : before;
        setenv(name.c_str(), wrong.c_str(), 1);
        std::string const in_variable = error_of([] { Values().read_environment(); });
        if (before == nullptr) unsetenv(name.c_str());
        else setenv(name.c_str(), old.c_str(), 1);
        CHECK(in_variable.starts_with(name + "=" + wrong + ": "));
        CHECK(in_variable.ends_with(" is wanted"));
        // What a user may write instead is the same in both.
        if (option.type != Type::word)
            CHECK(on_line.substr(on_line.rfind("': ") + 3) == in_variable.substr(in_variable.find(": ") + 2));
    }
    CHECK(tried > 10);
    CHECK(error_of([] { Values().set(row("mode"), "timig"); }) ==
          "--mode: 'timig' is none of functional|timing; did you mean 'timing'?");
    CHECK(error_of([] { Values().set(row("devices"), "0"); }) ==
          "--devices: '0': a number from 1 to 16 is wanted");
}

TEST_CASE("An option of one mode is refused in the other, by the name it was given by", "[options]") {
    Values line;
    line.set(row("interval"), "0");
    CHECK_NOTHROW(line.require(options::Mode::functional));
    line.set(row("interval"), "100");
    CHECK(error_of([&] { line.require(options::Mode::functional); }) == "--interval belongs to --mode timing");
    CHECK_NOTHROW(line.require(options::Mode::timing));
    setenv("WARPSIM_PROFILE", "p.txt", 1);
    Values variable;
    variable.read_environment();
    unsetenv("WARPSIM_PROFILE");
    CHECK(error_of([&] { variable.require(options::Mode::functional); }) ==
          "WARPSIM_PROFILE belongs to WARPSIM_MODE=timing");
}

#ifndef WARPSIM_SANITIZED

TEST_CASE("exec hands every option on in its variable, and the command line wins", "[options]") {
    test::TemporaryFolder const folder;
    int tried = 0;
    for (Option const& option : options::table) {
        bool const is_handed_on = option.command == options::Command::both && !option.variable.empty();
        // These are checked before the program starts.
        std::set<std::string_view> const checked{"config",       "set",          "plugin",
                                                 "check-report", "suppressions", "registers"};
        if (!is_handed_on || checked.contains(option.name)) continue;
        ++tried;
        INFO(option.name);
        std::string given = "--" + std::string(option.name);
        if (option.type == Type::count) given += " " + given;
        else if (!option.alone.empty()) given += "=" + sample(option);
        else if (option.type != Type::flag) given += " " + sample(option);
        std::string mode = option.mode == options::Mode::timing ? " --mode timing" : "";
        // They mean nothing alone.
        if (option.name == "csv") mode += " --metrics launch__grid_size";
        if (option.name == "page") mode += " --csv --metrics launch__grid_size";
        std::string const variable(option.variable);
        auto const ended = run_command(folder, "exec " + given + mode + " -- sh -c 'echo $" + variable + "'",
                                       variable + "=" + std::string(option.otherwise));
        CHECK(ended.status == 0);
        CHECK(ended.out == sample(option) + "\n");
    }
    CHECK(tried > 10);
    CHECK(run_command(folder, "exec --set sm.count=3 --set sm.schedulers.policy=lrr -- sh -c 'echo $WARPSIM_SET'")
              .out == "sm.count=3;sm.schedulers.policy=lrr\n");
}

TEST_CASE("The CUDA libraries refuse what exec refuses, with the same words", "[options]") {
    test::TemporaryFolder const folder;
    std::string const program = std::string(WARPSIM_BINARY_DIR) + "/bin/cuda-program count";
    auto const by_exec = run_command(folder, "exec -- " + program, "WARPSIM_THREADS=many");
    CHECK(by_exec.status == 2);
    CHECK(by_exec.err == "error: WARPSIM_THREADS=many: a number from 0 to 4096 is wanted\n");
    auto const by_library = run_command(folder, "exec -- env WARPSIM_THREADS=many " + program);
    CHECK(by_library.status != 0);  // the program's own: its first call was answered with an error
    CHECK(by_library.err == by_exec.err);
}

TEST_CASE("A variable that is none is warned of with the nearest that is", "[options]") {
    test::TemporaryFolder const folder;
    std::string const program = std::string(WARPSIM_BINARY_DIR) + "/bin/cuda-program count";
    std::string const warning = "warning: there is no variable WARPSIM_THREDS; did you mean 'WARPSIM_THREADS'?\n";
    auto const ended = run_command(folder, "exec -- " + program, "WARPSIM_THREDS=2");
    CHECK(ended.status == 0);
    CHECK(ended.err == warning);
    CHECK(contains(run_command(folder, "run none.ptx", "WARPSIM_THREDS=2").err, warning));
    CHECK(run_command(folder, "exec -q -- " + program, "WARPSIM_THREDS=2").err.empty());
}

TEST_CASE("Every variable that the sources read is in the table", "[options]") {
    std::set<std::string> known, found;
    for (Option const& option : options::table) known.emplace(option.variable);
    // As written in a call; names that only occur in messages are not read.
    std::regex const reading("(getenv|setenv|variable|text)\\(\\s*\"(WARPSIM_[A-Z_]+)\"");
    for (char const* const folder : {"frontend", "sim", "runtime", "tools", "tests", "benchmarks"}) {
        for (auto const& entry : fs::recursive_directory_iterator(fs::path(WARPSIM_SOURCE_DIR) / folder)) {
            auto const extension = entry.path().extension();
            if (extension != ".cpp" && extension != ".hpp") continue;
            std::string const text = contents(entry.path());
            for (std::sregex_iterator it(text.begin(), text.end(), reading), end; it != end; ++it) {
                INFO(entry.path());
                found.insert((*it)[2]);
                CHECK(known.count((*it)[2]) == 1);
            }
        }
    }
    CHECK(found.count("WARPSIM_HOST_ISA") == 1);
    CHECK(found.count("WARPSIM_TEST_MODE") == 1);
}

#endif

TEST_CASE("The page of options is what the table says", "[options]") {
    fs::path const page = fs::path(WARPSIM_SOURCE_DIR) / "runtime/options/reference.md";
    if (std::getenv("WARPSIM_REBASE") != nullptr) std::ofstream(page, std::ios::binary) << options::reference();
    CHECK(contents(page) == options::reference());
    for (Option const& option : options::table)
        if (!option.variable.empty())
            CHECK(contains(options::reference(), "`" + std::string(option.variable) + "`"));
}

TEST_CASE("The page of options shows each once, under commands that take it", "[options]") {
    std::string const page = options::reference();
    for (Option const& option : options::table) {
        if (option.command == options::Command::none) continue;
        std::string const shown = "--" + std::string(option.name);
        INFO(shown);
        std::vector<std::size_t> rows;
        for (std::string const end : {" ", "`", "[="})
            for (std::string const begin : {"| `", ", "})
                for (std::size_t at = 0; (at = page.find(begin + shown + end, at)) != std::string::npos; ++at)
                    if (page[page.rfind('\n', at) + 1] == '|') rows.push_back(at);
        REQUIRE(rows.size() == 1);
        std::size_t const begin = page.rfind("\n## ", rows.front());
        std::string const heading = page.substr(begin, page.find('\n', begin + 1) - begin);
        if (option.command != options::Command::exec) CHECK(contains(heading, "`warpsim run"));
        if (option.command != options::Command::run) CHECK(contains(heading, "`warpsim exec"));
        if (option.command == options::Command::run) CHECK(!contains(heading, "`warpsim exec"));
    }
}

}  // namespace options_test
