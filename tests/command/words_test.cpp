// Completions of shells and manual pages.
#include "runtime/options/table.hpp"
#include "tests/command/run_command.hpp"
#include "tests/support/catch.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <system_error>

namespace words_test {

using namespace warpsim;
using test::contains;

namespace {

bool has(char const* program) {
    return std::system((std::string("command -v ") + program + " >/dev/null 2>&1").c_str()) == 0;
}

/// What bash completes where the words of the command line are these, the last of them in the making: sorted, with a space
/// before and behind each.
std::string completed(test::TemporaryFolder const& folder, std::string const& words) {
    std::ofstream(folder / "ask.bash") << "source ./warpsim.bash\nCOMP_WORDS=(warpsim " << words
                                       << ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_warpsim\n"
                                          "printf '%s\\n' \"${COMPREPLY[@]}\" | sort | tr '\\n' ' '\n";
    std::string const line = "cd " + (folder / "") + " && bash --norc ask.bash >reply.txt 2>&1";
    CHECK(std::system(line.c_str()) == 0);
    return " " + folder.read("reply.txt");
}

void write_completion(test::TemporaryFolder const& folder, std::string const& shell) {
    test::Ended const made = test::run_command(folder, "completion " + shell);
    CHECK(made.status == 0);
    std::ofstream(folder / ("warpsim." + shell)) << made.out;
}

}  // namespace

TEST_CASE("bash completes commands, options, their values and files", "[command]") {
    if (!has("bash")) return;
    test::TemporaryFolder const folder;
    write_completion(folder, "bash");
    std::ofstream(folder / "my plan.json") << "{}";
    CHECK(completed(folder, "ru") == " run ");
    CHECK(completed(folder, "run --mo") == " --mode ");
    CHECK(completed(folder, "run --mode ''") == " functional timing ");
    CHECK(completed(folder, "exec --mode t") == " timing ");
    CHECK(completed(folder, "run --stats my") == " my plan.json ");
    CHECK(completed(folder, "run my") == " my plan.json ");
    CHECK(completed(folder, "run --grid ''") == "  ");  // a number
    CHECK(completed(folder, "schema p") == " plan profile ");
    CHECK(completed(folder, "config sh") == " show ");
    CHECK(completed(folder, "config --h") == " --help ");
    std::ofstream(folder / "h9000.json") << "{}";
    CHECK(completed(folder, "run --config h") == " h100 h9000.json ");
    CHECK(completed(folder, "config diff v100 h") == " h100 h9000.json ");
    CHECK(completed(folder, "sweep --config v") == " v100 ");
    CHECK(completed(folder, "man sch") == " schema ");
    CHECK(completed(folder, "completion z") == " zsh ");
    CHECK(contains(completed(folder, "exec -- 'my p'"), " my plan.json "));
    CHECK(contains(completed(folder, "run --"), " --print "));
    CHECK(!contains(completed(folder, "exec --"), " --print "));
    CHECK(contains(completed(folder, "exec --"), " --error-exitcode "));
}

namespace {

/// The lines of reply.txt after `line`, sorted, with a space before and behind each.
std::string replied(test::TemporaryFolder const& folder, std::string const& line) {
    std::error_code error;
    std::filesystem::remove(folder / "reply.txt", error);
    CHECK(std::system(("cd " + (folder / "") + " && " + line + " >said.txt 2>&1 && touch reply.txt").c_str()) ==
          0);
    INFO(folder.read("said.txt"));
    std::istringstream lines(folder.read("reply.txt"));
    std::set<std::string> words;
    for (std::string word; std::getline(lines, word);)
        if (!word.empty()) words.insert(word);
    std::string joined = " ";
    for (std::string const& word : words) joined += word + " ";
    return joined;
}

/// What both shells complete, which differ only in how they write a space in a name.
void check_shell(test::TemporaryFolder const& folder, std::string const& ask, std::string const& my_plan) {
    std::ofstream(folder / "my plan.json") << "{}";
    std::ofstream(folder / "h9000.json") << "{}";
    auto const completed_by = [&](std::string const& words) {
        return replied(folder, ask + " 'warpsim " + words + "'");
    };
    CHECK(completed_by("ru") == " run ");
    CHECK(completed_by("run --mo") == " --mode ");
    CHECK(completed_by("run --mode ") == " functional timing ");
    CHECK(completed_by("run --stats my") == my_plan);
    CHECK(completed_by("run my") == my_plan);
    CHECK(completed_by("run --config h") == " h100 h9000.json ");
    CHECK(completed_by("config sh") == " show ");
    CHECK(completed_by("config show h") == " h100 h9000.json ");
    CHECK(completed_by("schema pl") == " plan ");
    CHECK(!contains(completed_by("exec --"), " --print "));
    CHECK(contains(completed_by("exec --"), " --error-exitcode "));
}

}  // namespace

TEST_CASE("zsh completes commands, options, their values and files", "[command]") {
    if (!has("zsh")) {
        WARN("skipped: zsh is not here");
        return;
    }
    test::TemporaryFolder const folder;
    folder.write("_warpsim", test::run_command(folder, "completion zsh").out);
    std::filesystem::copy_file(WARPSIM_SOURCE_DIR "/tests/command/zsh/setup.zsh", folder / ".zshrc");
    check_shell(folder, "zsh -f " WARPSIM_SOURCE_DIR "/tests/command/zsh/ask.zsh", " my\\ plan.json ");
}

TEST_CASE("fish completes commands, options, their values and files", "[command]") {
    if (!has("fish")) {
        WARN("skipped: fish is not here");
        return;
    }
    test::TemporaryFolder const folder;
    write_completion(folder, "fish");
    folder.write("ask.fish", "source warpsim.fish\ncomplete -C $argv[1] | cut -f1 >reply.txt\n");
    check_shell(folder, "HOME=$PWD fish --no-config ask.fish", " my plan.json ");
}

TEST_CASE("Completions and manual pages have every option of the table", "[command]") {
    test::TemporaryFolder const folder;
    std::string const bash = test::run_command(folder, "completion bash").out;
    std::string const zsh = test::run_command(folder, "completion zsh").out;
    std::string const fish = test::run_command(folder, "completion fish").out;
    std::string manual = test::run_command(folder, "man run").out + test::run_command(folder, "man exec").out;
    for (std::size_t at; (at = manual.find("\\-")) != std::string::npos;) manual.erase(at, 1);
    for (options::Option const& option : options::table) {
        if (option.command == options::Command::none) continue;
        std::string const name(option.name);
        INFO(name);
        CHECK((contains(bash, " --" + name + " ") || contains(bash, " --" + name + "\"")));
        CHECK(contains(zsh, "--" + name + (option.alone.empty() ? "[" : "=-[")));
        CHECK(contains(fish, " -l " + name + " "));
        CHECK(contains(manual, "\\fB--" + name + "\\fR"));
        CHECK(contains(manual, std::string(option.variable)));
    }
}

TEST_CASE("Shells read their completions without a complaint", "[command]") {
    test::TemporaryFolder const folder;
    for (char const* const shell : {"bash", "zsh", "fish"}) {
        if (!has(shell)) continue;
        INFO(shell);
        write_completion(folder, shell);
        std::string const line = std::string(shell) + " -n " + (folder / (std::string("warpsim.") + shell)) +
                                 " >" + (folder / "said.txt") + " 2>&1";
        CHECK(std::system(line.c_str()) == 0);
        CHECK(folder.read("said.txt").empty());
    }
    CHECK(test::run_command(folder, "completion tcsh").status == 2);
}

TEST_CASE("Manual pages are well formed", "[command]") {
    test::TemporaryFolder const folder;
    CHECK(test::run_command(folder, "man --into .").status == 0);
    CHECK(contains(folder.read("warpsim.1"), "\n\\fBexec\\fR\n"));
    CHECK(contains(test::run_command(folder, "man config").out, "config show"));
    CHECK(contains(folder.read("warpsim-run.1"), ".SH SYNOPSIS\n\\fBwarpsim run\\fR"));
    CHECK(contains(test::run_command(folder, "man exec").out, "\\fBwarpsim exec\\fR [OPTIONS] \\-\\- PROGRAM"));
    CHECK(contains(test::run_command(folder, "man debug").out, "PLAN.json|FILE.ptx\n.br\n\\fBwarpsim debug\\fR"));
    CHECK(contains(test::run_command(folder, "man runn").err, "did you mean 'run'?"));
    if (!has("groff")) return;
    std::string const line = "cd " + (folder / "") +
                             " && for page in warpsim*.1; do groff -man -Tutf8 -ww -z $page; done >said.txt 2>&1";
    CHECK(std::system(line.c_str()) == 0);
    CHECK(folder.read("said.txt") == "");
}

}  // namespace words_test
