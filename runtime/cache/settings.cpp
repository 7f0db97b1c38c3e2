#include "runtime/cache/settings.hpp"

#include "runtime/options/values.hpp"

#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace warpsim::cache {

namespace {

std::string_view variable(char const* name) {
    char const* const value = std::getenv(name);
    return value != nullptr ? value : "";
}

}  // namespace

Settings chosen_settings(options::Values const& chosen) {
    Settings s;
    s.most_bytes = chosen.value<"cache-size">();
    if (!chosen.value<"cache">() || s.most_bytes == 0) return s;
    // A relative XDG_CACHE_HOME is invalid, says its specification, and to be ignored.
    std::string const own = chosen.value<"cache-dir">();
    std::string_view const caches = variable("XDG_CACHE_HOME"), home = variable("HOME");
    std::error_code nowhere;  // the program may change its folder later
    if (!own.empty()) s.folder = std::filesystem::absolute(own, nowhere).string();
    else if (caches.starts_with('/')) s.folder = std::string(caches) + "/warpsim";
    else if (home.starts_with('/')) s.folder = std::string(home) + "/.cache/warpsim";
    return s;
}

}  // namespace warpsim::cache
