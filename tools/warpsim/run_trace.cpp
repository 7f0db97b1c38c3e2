// `warpsim run kernelslist.g`: traces of Accel-Sim's tracer, in timing mode.
#include "run_trace.hpp"

#include "command.hpp"
#include "runtime/log.hpp"
#include "runtime/replay/replay.hpp"
#include "runtime/session/chosen.hpp"
#include "runtime/session/session.hpp"
#include "table_options.hpp"

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <array>
#include <thread>

namespace warpsim::command {

namespace {

/// What needs the values that a trace does not have, or PTX.
void refuse_options(CLI::App const& sub) {
    command::refuse(sub, options::Section::run_ptx, "run FILE.ptx");
    command::refuse(sub, options::Section::run_plan, "run PLAN.json");
    static constexpr std::array names{"--trace",    "--check",      "--tool",  "--coverage", "--capture",
                                      "--timeline", "--report",     "--junit", "--engine",   "--warm-caches",
                                      "--sample",   "--checkpoint", "--resume"};
    for (char const* const name : names)
        if (CLI::Option const* const option = sub.get_option_no_throw(name);
            option != nullptr && option->count() != 0)
            throw Error(ErrorKind::usage, std::string(name) + " is not possible with a trace of SASS");
}

}  // namespace

int run_trace(std::string const& file, CLI::App const& sub, options::Values& chosen) {
    refuse_options(sub);
    if (chosen.is_given<"mode">() && chosen.value<"mode">() != "timing")
        throw Error(ErrorKind::usage, "a trace of SASS has no values: it runs with --mode timing only");
    runtime::ChosenConfig const config = runtime::chosen_config(chosen, "", {});
    runtime::SessionOptions beside = runtime::chosen_session(chosen, config, runtime::Mode::timing);
    if (chosen.value<"progress">() == "auto")
        beside.progress = !chosen.value<"quiet">() && isatty(STDERR_FILENO) != 0;
    runtime::Session session(beside);
    replay::ReplayOptions options;
    options.device = runtime::chosen_device(chosen, runtime::Mode::timing);
    session.observe(options.device);
    if (options.device.threads == 0)
        options.device.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    options.launched = [&](sim::LaunchStatistics const& launch) { session.launched(launch); };
    options.warn = [](std::string const& text) { log::warning(text); };
    replay::replay(file, config.config, options);
    session.finish();
    return success;
}

}  // namespace warpsim::command
