#include "runtime/cuda/core/options.hpp"

#include "runtime/log.hpp"
#include "runtime/options/values.hpp"
#include "runtime/session/chosen.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <set>
#include <vector>

namespace warpsim::cuda {

namespace {

std::string variable(char const* name) {
    char const* const value = std::getenv(name);
    return value != nullptr ? value : "";
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

/// How many devices CUDA_VISIBLE_DEVICES leaves: those that it names, up to the first that does not exist. All are
/// alike.
int visible_devices(int devices) {
    if (std::getenv("CUDA_VISIBLE_DEVICES") == nullptr) return devices;
    std::set<int> seen;
    for (std::string const& word : split(variable("CUDA_VISIBLE_DEVICES"), ',')) {
        int number = -1;
        auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
        bool const is_one =
            error == std::errc() && end == word.data() + word.size() && number >= 0 && number < devices;
        if (!is_one || !seen.insert(number).second) break;
    }
    return static_cast<int>(seen.size());
}

}  // namespace

bool wants_all_code() { return !variable("WARPSIM_COVERAGE").empty(); }

// Management libraries count devices whether or not the program may see them.
Overview overview_from_environment() {
    options::Values chosen;
    chosen.read_environment();
    return {static_cast<int>(chosen.value<"devices">()), runtime::chosen_config(chosen).config};
}

Options options_from_environment() {
    options::Values chosen;
    chosen.read_environment();
    runtime::configure_log(chosen);
    options::warn_of_unknown_variables(log::warning);
    runtime::Mode const mode = runtime::chosen_mode(chosen);
    Options o;
    runtime::ChosenConfig config = runtime::chosen_config(chosen);
    o.devices = visible_devices(static_cast<int>(chosen.value<"devices">()));
    o.device = runtime::chosen_device(chosen, mode);
    o.device.host_wait_seconds = 10;  // kernels and host may wait for each other through managed and pinned memory
    o.session = runtime::chosen_session(chosen, config, mode);
    o.config = std::move(config.config);
    o.session.is_program = true;
    o.launches_wait = variable("CUDA_LAUNCH_BLOCKING") == "1";
    o.is_eager = variable("CUDA_MODULE_LOADING") == "EAGER";
    o.debug = chosen.value<"debug">();
    o.fault_marker = chosen.value<"fault-marker">();
    return o;
}

}  // namespace warpsim::cuda
