#include "runtime/session/chosen.hpp"

#include "runtime/cache/settings.hpp"
#include "runtime/fatbin/register_counts.hpp"
#include "runtime/log.hpp"
#include "runtime/plugins/plugins.hpp"

#include "sim/error.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <fstream>
#include <iterator>
#include <thread>

namespace warpsim::runtime {

void configure_log(options::Values const& chosen) {
    auto const verbosity = chosen.value<"verbose">();
    log::Level const level = chosen.value<"quiet">() ? log::Level::error
                             : verbosity == 0        ? log::Level::warning
                             : verbosity == 1        ? log::Level::info
                                                     : log::Level::debug;
    std::string const color = chosen.value<"color">();
    log::configure(level, color == "on"    ? log::Color::always
                          : color == "off" ? log::Color::never
                                           : log::Color::automatic);
}

ChosenConfig chosen_config(options::Values const& chosen, std::string const& plan_config,
                           std::vector<std::string> const& plan_overrides) {
    static_assert(options::table[options::index_of("config")].otherwise == sim::default_config_name);
    plugins::load(chosen.value<"plugin">());
    std::string name = chosen.is_given<"config">() ? chosen.value<"config">() : plan_config;
    if (name.empty()) name = sim::default_config_name;
    std::vector<std::string> overrides = plan_overrides;
    for (std::string& one : chosen.value<"set">()) overrides.push_back(std::move(one));
    return {sim::load_config(name, overrides), name, overrides};
}

Mode chosen_mode(options::Values const& chosen, std::string const& plan_mode) {
    bool const is_given = chosen.is_given<"mode">() || plan_mode.empty();
    bool const is_timing = (is_given ? chosen.value<"mode">() : plan_mode) == "timing";
    chosen.require(is_timing ? options::Mode::timing : options::Mode::functional);
    return is_timing ? Mode::timing : Mode::functional;
}

double chosen_sample(options::Values const& chosen, Mode mode) {
    std::string text = chosen.value<"sample">();
    if (text.empty() || mode != Mode::timing) return 0;
    std::string const given = text;
    if (text.ends_with('%')) text.pop_back();
    double percent = 0;
    auto const [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), percent, std::chars_format::fixed);
    if (error != std::errc() || end != text.data() + text.size() || !(percent >= 0.1 && percent <= 50))
        throw Error(ErrorKind::usage,
                    "--sample=" + given +
                        ": the relative error that is wanted stands here, from 0.1% to 50%, as in "
                        "--sample=2%");
    return percent / 100;
}

namespace {

/// The words of the running command, as /proc has them.
std::string own_command() {
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    while (!text.empty() && text.back() == 0) text.pop_back();
    std::replace(text.begin(), text.end(), '\0', ' ');
    return text;
}

check::Options chosen_checks(options::Values const& chosen, Mode mode) {
    check::Options check;
    check.kinds = check::parse_kinds(chosen.value<"check">());
    if (std::string const tool = chosen.value<"tool">(); !tool.empty()) {
        check::Kind const kind = check::kind_of_tool(tool);
        if (std::find(check.kinds.begin(), check.kinds.end(), kind) == check.kinds.end())
            check.kinds.push_back(kind);
    }
    if (mode == Mode::timing && std::erase(check.kinds, check::Kind::race) != 0)
        log::warning("races are looked for in functional mode only");
    if (mode == Mode::timing && std::erase(check.kinds, check::Kind::init) != 0)
        log::warning("uninitialised values are looked for in functional mode only");
    check.report = statistics::with_process_id(chosen.value<"check-report">());
    check.suppressions = chosen.value<"suppressions">();
    check.print_limit = chosen.value<"print-limit">();
    check.init_is_strict = chosen.value<"init-strict">();
    check.command = own_command();
    bool const is_alone = check.kinds.empty() && (!check.report.empty() || !check.suppressions.empty());
    if (is_alone) throw Error(ErrorKind::usage, "--check-report and --suppressions belong to --check");
    return check;
}

}  // namespace

namespace {

/// What looks at each instruction or cycle cannot do with a sample of them.
void refuse_beside_sample(options::Values const& chosen) {
    auto const refuse = [](bool is_given, std::string const& option, std::string const& why) {
        if (is_given) throw Error(ErrorKind::usage, "--sample and --" + option + " exclude each other: " + why);
    };
    std::string const inside = "CTAs that are not timed are not looked at";
    refuse(!chosen.value<"trace">().empty(), "trace", inside);
    refuse(!chosen.value<"check">().empty() || !chosen.value<"tool">().empty(), "check", inside);
    refuse(!chosen.value<"coverage">().empty(), "coverage", inside);
    refuse(!chosen.value<"capture">().empty(), "capture", inside);
    refuse(!chosen.value<"profile">().empty(), "profile", inside);
    refuse(!chosen.value<"timeline">().empty(), "timeline", inside);
    refuse(!chosen.value<"report">().empty(), "report", inside + "; `warpsim report` makes a page of --stats");
    refuse(chosen.value<"interval">() != 0, "interval", "time that is projected has no samples");
}

bool is_kept(options::Values const& chosen) {
    return !chosen.value<"checkpoint">().empty() || !chosen.value<"resume">().empty();
}

/// What has told of the first part of a run elsewhere cannot go on with the second.
void refuse_beside_checkpoint(options::Values const& chosen) {
    std::string const option = chosen.value<"checkpoint">().empty() ? "--resume" : "--checkpoint";
    auto const refuse = [&](bool is_given, std::string const& other) {
        if (is_given)
            throw Error(ErrorKind::usage,
                        option + " and --" + other +
                            " exclude each other: what it has told before an interruption is lost");
    };
    refuse(!chosen.value<"trace">().empty(), "trace");
    refuse(!chosen.value<"check">().empty() || !chosen.value<"tool">().empty(), "check");
    refuse(!chosen.value<"coverage">().empty(), "coverage");
    refuse(!chosen.value<"capture">().empty(), "capture");
    refuse(!chosen.value<"profile">().empty(), "profile");
    refuse(!chosen.value<"timeline">().empty(), "timeline");
    refuse(!chosen.value<"report">().empty(), "report");
    refuse(!chosen.value<"sample">().empty(), "sample");
    refuse(chosen.value<"warm-caches">(), "warm-caches");
}

}  // namespace

SessionOptions chosen_session(options::Values const& chosen, ChosenConfig const& config, Mode mode) {
    auto const threads = static_cast<int>(chosen.value<"threads">());
    auto const cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    if (chosen_sample(chosen, mode) > 0) refuse_beside_sample(chosen);
    if (is_kept(chosen)) refuse_beside_checkpoint(chosen);
    if (chosen.is_given<"checkpoint-every">() && chosen.value<"checkpoint">().empty())
        throw Error(ErrorKind::usage, "--checkpoint-every belongs to --checkpoint");
    SessionOptions session;
    session.about.config = config.config.name;
    session.about.mode = mode == Mode::timing ? "timing" : "functional";
    session.about.threads = threads > 0 ? threads : cores;
    session.stats = chosen.value<"stats">();
    session.capture = statistics::with_process_id(chosen.value<"capture">());
    std::string const report = statistics::with_process_id(chosen.value<"report">());
    if (!session.stats.empty() || !session.capture.empty() || !report.empty()) {
        session.about.command = own_command();
        session.about.is_builtin = config.name == config.config.name;
        session.about.overrides = config.overrides;
        session.about.config_effective = statistics::on_one_line(sim::show_config(config.name, config.overrides));
    }
    session.profile = chosen.value<"profile">();
    session.interval_cycles = chosen.value<"interval">();
    session.trace = chosen.value<"trace">();
    session.trace_filter = chosen.value<"trace-filter">();
    session.timeline = {.file = statistics::with_process_id(chosen.value<"timeline">()),
                        .config = config.config.name,
                        .clock_mhz = mode == Mode::timing ? config.config.clock_mhz : 0,
                        .sms = config.config.sm.count,
                        .detailed_sms = static_cast<std::uint32_t>(chosen.value<"timeline-sms">()),
                        .events = chosen.value<"timeline-events">()};
    sim::SharedBanksConfig const banks = config.config.sm.shared.banks.value_or(sim::SharedBanksConfig{});
    session.banks = {banks.count, banks.width_bytes};
    if (!report.empty()) {
        session.report = {report, report::peaks_of(config.config), session.timeline};
        session.report.warps.file.clear();
        session.report.warps.detailed_sms = 1;
        session.report.warps.events = 60'000;
    }
    session.coverage = statistics::with_process_id(chosen.value<"coverage">());
    session.chosen = {chosen.value<"kernel-name">(), chosen.value<"launch-skip">(),
                      chosen.is_given<"launch-count">() ? chosen.value<"launch-count">() : UINT64_MAX};
    // What is timed is what is looked at, unless something else is to be.
    if (session.chosen.kernels.empty()) session.chosen.kernels = chosen.value<"timing-kernels">();
    session.timed = session.chosen;
    session.timed.kernels = chosen.value<"timing-kernels">();
    session.annotates = chosen.value<"annotate">() == "github";
    session.early_end.seconds = chosen.value<"timeout">();
    session.early_end.deadline_ns = chosen.value<"deadline">();
    if (!chosen.value<"checkpoint">().empty()) {
        session.early_end.at_termination = true;
        session.early_end.patience = std::chrono::hours(1);  // writing all memory may take a while
    }
    session.check = chosen_checks(chosen, mode);
    session.peaks = statistics::peaks_of(config.config);
    session.details = chosen.value<"details">();
    session.metrics = chosen.value<"metrics">();
    bool const is_raw = chosen.value<"page">() == "raw";
    using Layout = statistics::MetricsLayout;
    if (chosen.value<"csv">()) session.metrics_layout = is_raw ? Layout::raw : Layout::details;
    if (chosen.value<"csv">() && session.metrics.empty())
        throw Error(ErrorKind::usage, "--csv belongs to --metrics; `warpsim metrics` lists what there is");
    if (is_raw && !chosen.value<"csv">()) throw Error(ErrorKind::usage, "--page raw belongs to --csv");
    // A wrong name is told before a program starts.
    if (!session.metrics.empty()) statistics::chosen_metrics(session.metrics, mode == Mode::timing);
    session.progress = chosen.value<"progress">() == "on";
    return session;
}

DeviceOptions chosen_device(options::Values const& chosen, Mode mode) {
    cache::Settings const kept = cache::chosen_settings(chosen);
    DeviceOptions device;
    device.mode = mode;
    device.threads = static_cast<int>(chosen.value<"threads">());
    device.max_instructions = chosen.value<"max-instructions">();
    std::string const engine = chosen.value<"engine">();
    device.engine = engine == "compiled"      ? Engine::compiled
                    : engine == "interpreted" ? Engine::interpreted
                                              : Engine::automatic;
    device.warms_caches = mode == Mode::timing && chosen.value<"warm-caches">();
    device.sample_error = chosen_sample(chosen, mode);
    device.checkpoint.file = chosen.value<"checkpoint">();
    device.checkpoint.every_cycles = chosen.value<"checkpoint-every">();
    device.checkpoint.resume = chosen.value<"resume">();
    device.register_sharing = !chosen.value<"no-register-sharing">();
    if (std::string const file = chosen.value<"registers">(); !file.empty())
        device.registers = fatbin::read_register_counts(file);
    device.cache_folder = kept.folder;
    device.cache_bytes = kept.most_bytes;
    return device;
}

}  // namespace warpsim::runtime
