#include "simulation_options.hpp"

#include "choice.hpp"
#include "command.hpp"
#include "runtime/cache/settings.hpp"
#include "runtime/log.hpp"

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <thread>

namespace warpsim::command {

namespace {

int host_threads(int asked) {
    return asked > 0 ? asked : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

}  // namespace

void SimulationOptions::add_to(CLI::App& app) {
    char const* const group = "Simulation (each also as an environment variable, WARPSIM_CONFIG and so on)";
    auto const option = [&](CLI::Option* o, char const* type, char const* variable) {
        if (*type != 0) o->type_name(type);
        return o->envname(variable)->group(group);
    };
    option(app.add_option("--config", config, "Hardware configuration (default: h100); see `warpsim config list`"),
           "NAME|FILE", "WARPSIM_CONFIG");
    option(app.add_option("--set", set, "Override one value of it: --set sm.control_flow=stack; repeatable")
               ->allow_extra_args(false),
           "KEY=VALUE", "WARPSIM_SET");
    option(
        choose(app.add_option("--mode", mode, "What to simulate (default: functional)"), {"functional", "timing"}),
        "", "WARPSIM_MODE");
    option(within(app.add_option("--threads", threads,
                                 "Host threads (default: all cores); 1 is reproducible to the bit"),
                  0, 4096),
           "N", "WARPSIM_THREADS");
    option(within(app.add_option("--devices", devices, "Simulated devices that CUDA programs see (default: 1)"), 1,
                  16),
           "N", "WARPSIM_DEVICES");
    option(
        app.add_option("--stats", stats,
                       "Statistics, written after each launch: JSON, or a table where the name ends with .csv;\n"
                       "%p is the process id"),
        "FILE|-", "WARPSIM_STATS");
    option(app.add_option("--profile", profile,
                          "Timing: counts and stalls per PTX line and source line, as a\n"
                          "table, or as JSON where the name ends with .json"),
           "FILE", "WARPSIM_PROFILE");
    option(app.add_option("--interval", interval, "Timing: a sample every N cycles in the statistics"), "N",
           "WARPSIM_INTERVAL");
    option(app.add_option("--trace", trace, "A line per executed warp instruction"), "FILE|-", "WARPSIM_TRACE");
    option(app.add_option(
               "--trace-filter", trace_filter,
               "Only these: cta=..,warp=..,kernel=..,line=..,lane=..; with values: what registers hold, too"),
           "FILTER", "WARPSIM_TRACE_FILTER");
    option(app.add_option("--max-instructions", max_instructions, "Stop a launch after N warp instructions"), "N",
           "WARPSIM_MAX_INSTRUCTIONS");
    option(app.add_flag("--no-register-sharing", no_register_sharing,
                        "Every PTX register keeps its own storage (debugging)"),
           "", "WARPSIM_NO_REGISTER_SHARING");
    app.add_flag("-v,--verbose", verbose,
                 "Tell more: a table of statistics after each launch; -vv for still more");
    app.add_flag("-q,--quiet", quiet, "Tell errors only");
    std::vector<std::string> const automatic{"auto", "on", "off"};
    option(choose(app.add_option("--color", color, "Colours in messages (default: auto)"), automatic), "",
           "WARPSIM_COLOR");
    option(choose(app.add_option("--progress", progress,
                                 "A progress line for what takes over two seconds (default: auto)"),
                  automatic),
           "", "WARPSIM_PROGRESS");
    for (char const* const name : {"--color", "--progress", "-v", "-q"}) app.get_option(name)->group("Messages");
}

void SimulationOptions::configure_log() const {
    log::Level const level = quiet          ? log::Level::error
                             : verbose == 0 ? log::Level::warning
                             : verbose == 1 ? log::Level::info
                                            : log::Level::debug;
    log::configure(level, color == "on"    ? log::Color::always
                          : color == "off" ? log::Color::never
                                           : log::Color::automatic);
}

sim::Config SimulationOptions::load_config(std::string const& plan_config,
                                           std::vector<std::string> const& plan_overrides) const {
    std::string name = !config.empty() ? config : plan_config;
    if (name.empty()) name = sim::default_config_name;
    std::vector<std::string> overrides = plan_overrides;
    // An environment variable holds several as one text; no value of a configuration has a semicolon in it.
    for (std::string const& text : set)
        for (std::size_t at = 0; at <= text.size();) {
            std::size_t const end = std::min(text.find(';', at), text.size());
            if (end > at) overrides.push_back(text.substr(at, end - at));
            at = end + 1;
        }
    return sim::load_config(name, overrides);
}

runtime::Mode SimulationOptions::choose_mode(std::string const& plan_mode) const {
    bool const timing = (!mode.empty() ? mode : plan_mode) == "timing";
    if (!timing && !profile.empty()) throw Error(ErrorKind::usage, "--profile belongs to --mode timing");
    if (!timing && interval != 0) throw Error(ErrorKind::usage, "--interval belongs to --mode timing");
    return timing ? runtime::Mode::timing : runtime::Mode::functional;
}

runtime::SessionOptions SimulationOptions::session(sim::Config const& loaded, runtime::Mode chosen) const {
    runtime::SessionOptions session;
    session.about = statistics::Session{loaded.name, chosen == runtime::Mode::timing ? "timing" : "functional",
                                        host_threads(threads)};
    session.stats = stats;
    session.profile = profile;
    session.interval_cycles = interval;
    session.trace = trace;
    session.trace_filter = trace_filter;
    session.progress = progress == "on" || (progress == "auto" && !quiet && isatty(STDERR_FILENO) != 0);
    return session;
}

runtime::DeviceOptions SimulationOptions::device(runtime::Mode chosen) const {
    runtime::DeviceOptions device;
    device.mode = chosen;
    device.threads = threads;
    device.max_instructions = max_instructions;
    device.register_sharing = !no_register_sharing;
    cache::Settings const kept = cache::settings_from_environment();
    device.cache_folder = kept.folder;
    device.cache_bytes = kept.most_bytes;
    return device;
}

}  // namespace warpsim::command
