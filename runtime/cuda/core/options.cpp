#include "runtime/cuda/core/options.hpp"

#include "runtime/cache/settings.hpp"
#include "runtime/log.hpp"
#include "sim/error.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <set>
#include <thread>
#include <vector>

namespace warpsim::cuda {

namespace {

std::string text(char const* name) {
    char const* const value = std::getenv(name);
    return value != nullptr ? value : "";
}

std::uint64_t number(char const* name, std::uint64_t otherwise, std::uint64_t most) {
    std::string const value = text(name);
    if (value.empty()) return otherwise;
    std::uint64_t n = 0;
    auto const [end, error] = std::from_chars(value.data(), value.data() + value.size(), n);
    if (error != std::errc() || end != value.data() + value.size() || n > most) {
        throw Error(ErrorKind::usage, std::string(name) + "=" + value + ": a number from 0 to " +
                                          std::to_string(most) + " is wanted");
    }
    return n;
}

bool flag(char const* name) {
    std::string const value = text(name);
    if (value.empty() || value == "0" || value == "false" || value == "off") return false;
    if (value == "1" || value == "true" || value == "on") return true;
    throw Error(ErrorKind::usage, std::string(name) + "=" + value + ": 1 or 0 is wanted");
}

std::vector<std::string> split(std::string const& list, char separator) {
    std::vector<std::string> parts;
    for (std::size_t at = 0; at <= list.size();) {
        std::size_t const end = std::min(list.find(separator, at), list.size());
        if (end > at) parts.push_back(list.substr(at, end - at));
        at = end + 1;
    }
    return parts;
}

/// How many devices CUDA_VISIBLE_DEVICES leaves: those that it names, up to the first that is none. They are all
/// alike.
int visible_devices(int devices) {
    if (std::getenv("CUDA_VISIBLE_DEVICES") == nullptr) return devices;
    std::set<int> seen;
    for (std::string const& word : split(text("CUDA_VISIBLE_DEVICES"), ',')) {
        int number = -1;
        auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
        bool const is_one =
            error == std::errc() && end == word.data() + word.size() && number >= 0 && number < devices;
        if (!is_one || !seen.insert(number).second) break;
    }
    return static_cast<int>(seen.size());
}

}  // namespace

Options options_from_environment() {
    auto const verbosity = number("WARPSIM_VERBOSE", 0, 9);
    log::Level const level = flag("WARPSIM_QUIET") ? log::Level::error
                             : verbosity == 0      ? log::Level::warning
                             : verbosity == 1      ? log::Level::info
                                                   : log::Level::debug;
    std::string const color = text("WARPSIM_COLOR");
    log::configure(level, color == "on"    ? log::Color::always
                          : color == "off" ? log::Color::never
                                           : log::Color::automatic);
    Options o;
    std::string const name = text("WARPSIM_CONFIG");
    o.config = sim::load_config(name.empty() ? sim::default_config_name : name, split(text("WARPSIM_SET"), ';'));
    o.devices = visible_devices(std::max(1, static_cast<int>(number("WARPSIM_DEVICES", 1, 16))));
    std::string const mode = text("WARPSIM_MODE");
    if (!mode.empty() && mode != "functional" && mode != "timing") {
        throw Error(ErrorKind::usage, "WARPSIM_MODE=" + mode + ": functional or timing is wanted");
    }
    o.device.mode = mode == "timing" ? runtime::Mode::timing : runtime::Mode::functional;
    o.device.threads = static_cast<int>(number("WARPSIM_THREADS", 0, 4096));
    o.device.max_instructions = number("WARPSIM_MAX_INSTRUCTIONS", 0, ~std::uint64_t{0});
    o.device.host_wait_seconds = 10;  // kernels and host may wait for each other through managed and pinned memory
    o.device.register_sharing = !flag("WARPSIM_NO_REGISTER_SHARING");
    cache::Settings const kept = cache::settings_from_environment();
    o.device.cache_folder = kept.folder;
    o.device.cache_bytes = kept.most_bytes;
    auto const cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    o.session.about = {o.config.name, mode.empty() ? "functional" : mode,
                       o.device.threads > 0 ? o.device.threads : cores};
    o.session.stats = text("WARPSIM_STATS");
    o.session.profile = text("WARPSIM_PROFILE");
    o.session.interval_cycles = number("WARPSIM_INTERVAL", 0, ~std::uint64_t{0});
    for (char const* const variable : {"WARPSIM_PROFILE", "WARPSIM_INTERVAL"}) {
        if (mode != "timing" && !text(variable).empty())
            throw Error(ErrorKind::usage, std::string(variable) + " belongs to WARPSIM_MODE=timing");
    }
    o.session.trace = text("WARPSIM_TRACE");
    o.session.trace_filter = text("WARPSIM_TRACE_FILTER");
    o.session.summary = true;
    o.session.progress =
        text("WARPSIM_PROGRESS") == "on";  // a program's own output is not to be disturbed unasked
    o.launches_wait = text("CUDA_LAUNCH_BLOCKING") == "1";
    o.is_eager = text("CUDA_MODULE_LOADING") == "EAGER";
    o.fault_marker = text("WARPSIM_FAULT_MARKER");
    return o;
}

}  // namespace warpsim::cuda
