#include "tests/support/seeds.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace warpsim::test {

namespace {

std::string contents(std::filesystem::path const& path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot read " + path.string());
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

std::string trimmed(std::string const& text) {
    std::size_t const first = text.find_first_not_of(" \t");
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// "grid 2 block 64 shared 1024"
void set_shape(Threads& threads, std::string const& text) {
    std::istringstream words(text);
    std::string key;
    for (std::uint32_t number = 0; words >> key >> number;) {
        if (key == "grid") threads.grid[0] = number;
        else if (key == "block") threads.block[0] = number;
        else if (key == "shared") threads.dynamic_shared = number;
        else throw std::runtime_error("no such shape: " + key);
    }
}

/// One line of a head; false if it is none.
bool take(Seed& seed, std::string const& line) {
    std::size_t const end = line.find(' ');
    std::string const key = line.substr(0, end);
    std::string const rest = end == std::string::npos ? "" : trimmed(line.substr(end));
    if (key == "check") seed.checked = rest;
    else if (key == "finds") seed.found.push_back(rest);
    else if (key == "at") seed.places.push_back(rest);
    else if (key == "launch") set_shape(seed.threads, rest);
    else if (key == "compile") return true;  // for make-ptx
    else return false;
    return true;
}

[[noreturn]] void wrong(Seed const& seed, std::string const& what) {
    throw std::runtime_error(seed.name + ": " + what);
}

void finish(Seed& seed) {
    std::sort(seed.found.begin(), seed.found.end());
    if (seed.title.empty() || seed.checked.empty() || seed.found.empty()) wrong(seed, "incomplete");
    if (seed.mistake == seed.twin) wrong(seed, "the mistake is its twin");
}

Seed read_cuda(std::string const& name, std::filesystem::path const& path) {
    Seed seed;
    seed.name = name;
    std::istringstream lines(contents(path));
    for (std::string line; std::getline(lines, line) && line.starts_with("// ");) {
        std::string const text = line.substr(3);
        if (!take(seed, text)) seed.title += (seed.title.empty() ? "" : " ") + text;
    }
    std::filesystem::path made = path;
    seed.twin = contents(made.replace_extension(".ptx"));
    seed.mistake = contents(made.replace_extension(".mistake.ptx"));
    finish(seed);
    return seed;
}

}  // namespace

Seed parse_seed(std::string const& name, std::string const& text) {
    Seed seed;
    seed.name = name;
    std::string directives, target;
    bool in_head = true;
    std::string body[2], outside[2];  // of the mistake, of the twin
    std::string* part = body;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.empty()) continue;
        if (in_head && line.starts_with("# ")) {
            seed.title += (seed.title.empty() ? "" : " ") + line.substr(2);
        } else if (line[0] == ' ' || line[0] == '+' || line[0] == '-') {
            in_head = false;
            std::string const code = line.substr(1) + "\n";
            if (line[0] != '+') part[0] += code;
            if (line[0] != '-') part[1] += code;
        } else if (line == "outside") {
            part = outside;
        } else if (line == "kernel") {
            part = body;
        } else if (line.starts_with("directives ")) {
            directives = line.substr(11) + "\n";
        } else if (line.starts_with("target ")) {
            target = line.substr(7);
        } else if (!take(seed, line)) {
            wrong(seed, "no such line: " + line);
        }
    }
    auto const module = [&](int which) {
        std::string made = kernel(body[which], outside[which], directives);
        constexpr std::string_view usual = "sm_90";
        if (!target.empty()) made.replace(made.find(usual), usual.size(), target);
        return made;
    };
    seed.mistake = module(0);
    seed.twin = module(1);
    finish(seed);
    return seed;
}

std::vector<Seed> read_seeds() {
    std::filesystem::path const folder = std::string(WARPSIM_SOURCE_DIR) + "/tests/check/seeded";
    std::vector<Seed> seeds;
    for (auto const& entry : std::filesystem::recursive_directory_iterator(folder)) {
        std::filesystem::path const& path = entry.path();
        std::string const name = std::filesystem::relative(path, folder).replace_extension().string();
        if (path.extension() == ".seed") seeds.push_back(parse_seed(name, contents(path)));
        if (path.extension() == ".cu") seeds.push_back(read_cuda(name, path));
    }
    std::sort(seeds.begin(), seeds.end(), [](auto const& a, auto const& b) { return a.name < b.name; });
    return seeds;
}

}  // namespace warpsim::test
