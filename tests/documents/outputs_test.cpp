// The outputs that the READMEs show are those of the commands above them.
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <vector>

namespace outputs_test {

using namespace warpsim::test;

namespace {

namespace fs = std::filesystem;

constexpr std::string_view indent = "    ";

/// A command of a page, `    $ warpsim ...`, and the indented lines below it. A command may go on in further lines,
/// each of which ends with a backslash but the last.
struct Shown {
    std::string command;
    std::size_t begin = 0, end = 0;  // lines of its output
};

std::vector<std::string> lines_of(std::string const& text) {
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

std::string joined(std::vector<std::string> const& lines, std::size_t begin, std::size_t end) {
    std::string text;
    for (std::size_t i = begin; i < end; ++i) text += lines[i] + "\n";
    return text;
}

std::vector<Shown> shown_on(std::vector<std::string> const& page) {
    std::vector<Shown> all;
    for (std::size_t i = 0; i < page.size(); ++i) {
        if (!page[i].starts_with("    $ ")) continue;
        Shown one{page[i].substr(6)};
        while (one.command.ends_with('\\')) one.command += "\n" + page.at(++i);
        one.begin = one.end = i + 1;
        for (std::size_t at = one.begin; at < page.size(); ++at) {
            if (page[at].starts_with("    $ ") || !(page[at].empty() || page[at].starts_with(indent))) break;
            if (!page[at].empty()) one.end = at + 1;
        }
        all.push_back(one);
    }
    return all;
}

/// Lines may be wrapped on a page. Times differ, and under sanitizers the addresses of memory.
std::string comparable(std::string const& text) {
    static std::regex const times("host seconds +.*"), addresses("0x[0-9a-f]{10,}"), white("\\s+");
    std::string const timeless = std::regex_replace(text, times, "host seconds");
    return std::regex_replace(std::regex_replace(timeless, addresses, "0x"), white, " ");
}

/// A line of three dots on a page stands for any lines.
bool agree(std::string const& wanted, std::string const& actual) {
    static std::regex const dots("\\n\\s*\\.\\.\\.(?=\\n)");
    std::sregex_token_iterator part(wanted.begin(), wanted.end(), dots, -1), end;
    std::string const text = comparable(actual);
    std::size_t at = 0;
    bool is_first = true;
    for (; part != end; ++part) {
        std::string const piece = comparable(part->str());
        std::size_t const found = text.find(piece, at);
        if (found == std::string::npos || (is_first && found != 0)) return false;
        at = found + piece.size();
        is_first = false;
    }
    return at == text.size() || wanted.find("\n    ...") != std::string::npos;
}

/// The commands run in a folder that looks like the top of the tree.
class Top {
public:
    Top() {
        for (char const* const name : {"examples", "tests", "tools", "configs"})
            fs::create_directory_symlink(fs::path(WARPSIM_SOURCE_DIR) / name, folder_ / name);
        fs::create_directories(folder_ / "build/release/bin");
        fs::create_symlink(WARPSIM_COMMAND, folder_ / "build/release/bin/warpsim");
    }
    std::string output_of(std::string const& command) {
        std::ofstream(folder_ / "command.sh") << command << "\n";
        std::string const line = "cd " + (folder_ / "") +
                                 " && PATH=$PWD/build/release/bin:$PATH WARPSIM_CACHE=off sh command.sh >out.txt "
                                 "2>&1 </dev/null";
        static_cast<void>(std::system(line.c_str()));
        return folder_.read("out.txt");
    }

private:
    TemporaryFolder folder_;
};

std::vector<fs::path> pages() {
    fs::path const top = WARPSIM_SOURCE_DIR;
    std::vector<fs::path> all{top / "README.md"};
    for (auto const& entry : fs::recursive_directory_iterator(top / "examples"))
        if (entry.path().filename() == "README.md") all.push_back(entry.path());
    return all;
}

std::string indented(std::string const& text) {
    std::string all;
    for (std::string const& line : lines_of(text)) all += (line.empty() ? "" : std::string(indent)) + line + "\n";
    return all;
}

}  // namespace

TEST_CASE("The outputs in the READMEs are those of the commands above them", "[documents]") {
    bool const is_rewritten = std::getenv("WARPSIM_REBASE") != nullptr;
    Top top;
    std::size_t count = 0;
    for (fs::path const& path : pages()) {
        std::ifstream file(path);
        std::vector<std::string> page = lines_of({std::istreambuf_iterator<char>(file), {}});
        std::vector<Shown> const all = shown_on(page);
        bool is_changed = false;
        for (auto one = all.rbegin(); one != all.rend(); ++one) {
            // What nvcc makes is tested where there is one.
            if (one->command.find("nvcc") != std::string::npos || one->command.find(" ./") != std::string::npos)
                continue;
            std::string const wanted = joined(page, one->begin, one->end);
            std::string const actual = indented(top.output_of(one->command));
            ++count;
            if (agree(wanted, actual)) continue;
            if (!is_rewritten) {
                FAIL_CHECK(path.string() << ": `" << one->command << "` prints\n" << actual);
                continue;
            }
            page.erase(page.begin() + static_cast<std::ptrdiff_t>(one->begin),
                       page.begin() + static_cast<std::ptrdiff_t>(one->end));
            std::vector<std::string> const lines = lines_of(actual);
            page.insert(page.begin() + static_cast<std::ptrdiff_t>(one->begin), lines.begin(), lines.end());
            is_changed = true;
        }
        if (is_changed) std::ofstream(path) << joined(page, 0, page.size());
    }
    CHECK(count > 10);
}

TEST_CASE("The commands that the README lists run", "[documents]") {
    Top top;
    std::ifstream file(fs::path(WARPSIM_SOURCE_DIR) / "README.md");
    std::vector<std::string> const page = lines_of({std::istreambuf_iterator<char>(file), {}});
    std::size_t count = 0;
    for (std::size_t i = 0; i < page.size(); ++i) {
        if (!page[i].starts_with("    warpsim ")) continue;
        std::string command = page[i].substr(4);
        while (command.ends_with('\\')) command += "\n" + page.at(++i);
        // Behind two blanks stands what the command does.
        command = std::regex_replace(command, std::regex("([^\\n ])  +[^\\n]*$"), "$1");
        bool const is_pattern = command.find_first_of("*") != std::string::npos ||
                                command.find("./") != std::string::npos ||
                                std::regex_search(command, std::regex("[A-Z]\\.json")) ||
                                command.find(" kernel.ptx") != std::string::npos;
        if (is_pattern) continue;
        INFO(command);
        CHECK(top.output_of(command + " >/dev/null && echo good").ends_with("good\n"));
        ++count;
    }
    CHECK(count >= 6);
}

}  // namespace outputs_test
