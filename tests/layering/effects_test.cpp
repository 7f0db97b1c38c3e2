// What a new effect touches: the chapter with its rows, the file that carries it out, and the line of its timing.
// Others may ask for an effect that concerns them, but none may list them all.
#include "frontend/isa/effect.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace effects_test {

namespace {

namespace fs = std::filesystem;
namespace isa = warpsim::isa;

std::string const timing_file = "sim/timing/plan/effect_timing.cpp";

std::string contents(fs::path const& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// The words of a text that the first group of the pattern matches.
std::multiset<std::string> matches(std::string const& text, std::regex const& pattern) {
    std::multiset<std::string> found;
    for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) found.insert((*at)[1]);
    return found;
}

/// The files of the frontend, the simulator and what stands above them that declare or name each effect.
struct Places {
    std::map<std::string, std::vector<std::string>> declared, carried_out, timed, named;
};

Places places() {
    fs::path const root = WARPSIM_SOURCE_DIR;
    std::regex const declaration(R"(\nconstexpr EffectFacts (\w+)\{)");
    std::regex const rule(R"(\{(?:isa::)?Effect::(\w+),)");
    std::regex const use(R"(\b(?:E|Effect)::(\w+))");
    Places places;
    for (char const* const floor : {"frontend", "sim", "runtime", "tools"}) {
        for (fs::directory_entry const& entry : fs::recursive_directory_iterator(root / floor)) {
            if (entry.path().extension() != ".cpp" && entry.path().extension() != ".hpp") continue;
            std::string const file = fs::relative(entry.path(), root).generic_string();
            std::string const text = contents(entry.path());
            for (std::string const& name : matches(text, declaration)) places.declared[name].push_back(file);
            if (file == timing_file) {
                for (std::string const& name : matches(text, use)) places.timed[name].push_back(file);
            } else if (file.starts_with("sim/exec/effects/")) {
                for (std::string const& name : matches(text, rule)) places.carried_out[name].push_back(file);
            } else {
                for (std::string const& name : matches(text, use)) places.named[file].push_back(name);
            }
        }
    }
    return places;
}

}  // namespace

TEST_CASE("An effect is declared once, carried out in one file and timed by one line", "[layering]") {
    Places found = places();
    CHECK(found.declared.size() == isa::effect_count);
    for (std::size_t i = 0; i < isa::effect_count; ++i) {
        std::string const name(isa::name(static_cast<isa::Effect>(i)));
        INFO(name);
        CHECK(found.declared[name].size() == 1);
        CHECK(found.carried_out[name].size() == 1);
        CHECK(found.timed[name].size() == 1);
    }
}

TEST_CASE("No other file lists effects; most are named in none", "[layering]") {
    Places const found = places();
    std::set<std::string> elsewhere;
    for (auto const& [file, names] : found.named) {
        std::set<std::string> const different(names.begin(), names.end());
        INFO(file);
        CHECK(different.size() < isa::effect_count / 4);
        elsewhere.insert(different.begin(), different.end());
    }
    CHECK(elsewhere.size() < isa::effect_count * 3 / 4);
    // These need nothing but their three places.
    for (char const* const name : {"bulk_store", "tensor_memory_copy", "matrix_transpose", "nanosleep"}) {
        INFO(name);
        CHECK(!elsewhere.contains(name));
    }
}

}  // namespace effects_test
