#include "runtime/cache/settings.hpp"

#include "sim/error.hpp"

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace warpsim::cache {

namespace {

std::string_view text(char const* name) {
    char const* const value = std::getenv(name);
    return value != nullptr ? value : "";
}

Error wrong(char const* name, char const* wanted) {
    return {ErrorKind::usage, std::string(name) + "=" + std::string(text(name)) + ": " + wanted + " is wanted"};
}

bool is_wanted() {
    std::string_view const value = text("WARPSIM_CACHE");
    if (value.empty() || value == "on" || value == "1" || value == "true") return true;
    if (value == "off" || value == "0" || value == "false") return false;
    throw wrong("WARPSIM_CACHE", "on or off");
}

std::uint64_t size(char const* name, std::uint64_t otherwise) {
    std::string_view value = text(name);
    if (value.empty()) return otherwise;
    unsigned shift = 0;
    switch (value.back()) {
        case 'K': shift = 10; break;
        case 'M': shift = 20; break;
        case 'G': shift = 30; break;
        default: break;
    }
    if (shift != 0) value.remove_suffix(1);
    std::uint64_t n = 0;
    auto const [end, error] = std::from_chars(value.data(), value.data() + value.size(), n);
    if (error != std::errc() || end != value.data() + value.size() || n > ~std::uint64_t{0} >> shift) {
        throw wrong(name, "a number of bytes, as 1000000, 500M or 2G,");
    }
    return n << shift;
}

}  // namespace

Settings settings_from_environment() {
    Settings s;
    s.most_bytes = size("WARPSIM_CACHE_SIZE", s.most_bytes);
    if (!is_wanted() || s.most_bytes == 0) return s;
    // A relative XDG_CACHE_HOME is invalid, says its specification, and to be ignored.
    std::string_view const own = text("WARPSIM_CACHE_DIR"), caches = text("XDG_CACHE_HOME"), home = text("HOME");
    std::error_code nowhere;  // the program may change its folder later
    if (!own.empty()) s.folder = std::filesystem::absolute(own, nowhere).string();
    else if (caches.starts_with('/')) s.folder = std::string(caches) + "/warpsim";
    else if (home.starts_with('/')) s.folder = std::string(home) + "/.cache/warpsim";
    return s;
}

}  // namespace warpsim::cache
