// Where things are kept between runs, by the environment.
#include "runtime/cache/settings.hpp"
#include "runtime/options/values.hpp"
#include "sim/error.hpp"
#include "tests/support/catch.hpp"

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

namespace settings_test {

using namespace warpsim;

namespace {

/// For the time of an object, of these variables only the given ones are set.
class Environment {
public:
    explicit Environment(std::map<std::string, std::string> const& wanted) {
        for (char const* const name :
             {"WARPSIM_CACHE", "WARPSIM_CACHE_DIR", "WARPSIM_CACHE_SIZE", "XDG_CACHE_HOME", "HOME"}) {
            if (char const* const value = std::getenv(name)) before_[name] = value;
            unsetenv(name);
        }
        for (auto const& [name, value] : wanted) setenv(name.c_str(), value.c_str(), 1);
        wanted_ = wanted;
    }
    ~Environment() {
        for (auto const& [name, value] : wanted_) unsetenv(name.c_str());
        for (auto const& [name, value] : before_) setenv(name.c_str(), value.c_str(), 1);
    }
    Environment(Environment const&) = delete;
    Environment& operator=(Environment const&) = delete;

private:
    std::map<std::string, std::string> before_, wanted_;
};

cache::Settings settings(std::map<std::string, std::string> const& wanted) {
    Environment const environment(wanted);
    options::Values chosen;
    chosen.read_environment();
    return cache::chosen_settings(chosen);
}

std::string error(std::map<std::string, std::string> const& wanted) {
    try {
        settings(wanted);
    } catch (Error const& error) {
        CHECK(error.kind() == ErrorKind::usage);
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("The cache's folder is the user's own, as the environment says", "[cache]") {
    CHECK(settings({{"HOME", "/home/me"}}).folder == "/home/me/.cache/warpsim");
    CHECK(settings({{"HOME", "/home/me"}, {"XDG_CACHE_HOME", "/fast"}}).folder == "/fast/warpsim");
    CHECK(settings({{"HOME", "/home/me"}, {"XDG_CACHE_HOME", "relative"}}).folder == "/home/me/.cache/warpsim");
    CHECK(settings({{"HOME", "/home/me"}, {"XDG_CACHE_HOME", "/fast"}, {"WARPSIM_CACHE_DIR", "/own"}}).folder ==
          "/own");
    CHECK(settings({{"WARPSIM_CACHE_DIR", "here"}}).folder == (std::filesystem::current_path() / "here").string());
    CHECK(settings({}).folder.empty());
    CHECK(settings({{"HOME", ""}}).folder.empty());
    CHECK(settings({{"HOME", "nowhere"}}).folder.empty());
}

TEST_CASE("The cache can be switched off", "[cache]") {
    for (char const* const off : {"off", "0", "false"})
        CHECK(settings({{"HOME", "/h"}, {"WARPSIM_CACHE", off}}).folder.empty());
    for (char const* const on : {"on", "1", "true", ""})
        CHECK_FALSE(settings({{"HOME", "/h"}, {"WARPSIM_CACHE", on}}).folder.empty());
    CHECK(settings({{"HOME", "/h"}, {"WARPSIM_CACHE_SIZE", "0"}}).folder.empty());
    CHECK(error({{"WARPSIM_CACHE", "maybe"}}) == "WARPSIM_CACHE=maybe: on or off is wanted");
}

TEST_CASE("The cache's size is a number of bytes, or of K, M or G", "[cache]") {
    auto const size = [](char const* text) {
        return settings({{"HOME", "/h"}, {"WARPSIM_CACHE_SIZE", text}}).most_bytes;
    };
    CHECK(size("") == 1u << 30);
    CHECK(size("12345") == 12345);
    CHECK(size("3K") == 3 * 1024);
    CHECK(size("500M") == 500u << 20);
    CHECK(size("2G") == std::uint64_t{2} << 30);
    for (char const* const wrong : {"x", "-1", "1T", "G", "1.5G", "99999999999999999999", "99999999999G"}) {
        INFO(wrong);
        CHECK(error({{"WARPSIM_CACHE_SIZE", wrong}}) ==
              "WARPSIM_CACHE_SIZE=" + std::string(wrong) +
                  ": a number of bytes, as 1000000, 500M or 2G, is wanted");
    }
}

}  // namespace settings_test
