#include "runtime/embed/device.hpp"

#include "runtime/cache/settings.hpp"
#include "runtime/embed/operation.hpp"
#include "runtime/options/values.hpp"
#include "runtime/report/report.hpp"
#include "runtime/sha256.hpp"
#include "sim/error.hpp"
#include "sim/exec/launch_context.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <thread>
#include <utility>

namespace warpsim::embed {

/// Each launch has steps of its own, since it is kept by itself.
class Device::CurrentSteps final : public runtime::PartSinks {
public:
    bool listens_to(sim::LaunchContext const& launch) override {
        auto steps = std::make_shared<report::Steps>();
        if (!steps->listens_to(launch)) return false;
        std::lock_guard const lock(mutex_);
        steps_[launch.number] = std::move(steps);
        return true;
    }
    std::shared_ptr<sim::EventSink> part(sim::LaunchContext const& launch, std::uint32_t sm) override {
        std::lock_guard const lock(mutex_);
        return steps_.at(launch.number)->part(launch, sm);
    }
    std::shared_ptr<report::Steps> take(std::uint64_t number) {
        std::lock_guard const lock(mutex_);
        auto const found = steps_.extract(number);
        return found ? found.mapped() : nullptr;
    }

private:
    std::mutex mutex_;
    std::map<std::uint64_t, std::shared_ptr<report::Steps>> steps_;
};

namespace {

runtime::Mode mode_of(std::string const& name) {
    if (name == "functional") return runtime::Mode::functional;
    if (name == "timing") return runtime::Mode::timing;
    throw Error(ErrorKind::usage, "mode '" + name + "' is neither functional nor timing");
}

runtime::Engine engine_of(std::string const& name) {
    if (name == "auto") return runtime::Engine::automatic;
    if (name == "interpreted") return runtime::Engine::interpreted;
    if (name == "compiled") return runtime::Engine::compiled;
    throw Error(ErrorKind::usage, "engine '" + name + "' is none of auto, interpreted, compiled");
}

/// Those that a device without a CUDA program can have; `all` means all of these.
std::vector<check::Kind> checkers_of(Options const& options, runtime::Mode mode) {
    using check::Kind;
    std::vector<Kind> kinds = check::parse_kinds(options.check);
    std::vector<Kind> const wanted = options.check == "all" ? std::vector<Kind>() : kinds;
    std::erase_if(kinds, [&](Kind kind) {
        bool const is_of_programs = kind == Kind::leak || kind == Kind::api;
        bool const is_of_functional = kind == Kind::race || kind == Kind::init;
        bool const is_out = is_of_programs || (is_of_functional && mode == runtime::Mode::timing);
        if (is_out && std::find(wanted.begin(), wanted.end(), kind) != wanted.end())
            throw Error(ErrorKind::usage, "check: '" + std::string(name(kind)) +
                                              (is_of_programs ? "' is about the calls of a CUDA program"
                                                              : "' is looked for in functional mode only"));
        return is_out;
    });
    return kinds;
}

}  // namespace

Device::Device(Options const& options) {
    runtime::Mode const mode = mode_of(options.mode);
    sim::Config const config = sim::load_config(options.config, options.overrides);
    statistics::Session& session = about_->session;
    session.config = config.name;
    session.mode = options.mode;
    session.threads = options.threads > 0 ? options.threads
                                          : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    session.is_builtin = config.name == options.config;
    session.overrides = options.overrides;
    session.config_effective = statistics::on_one_line(sim::show_config(options.config, options.overrides));
    about_->peaks = report::peaks_of(config);

    options::Values environment;
    environment.read_environment();
    cache::Settings const kept = cache::chosen_settings(environment);
    runtime::DeviceOptions device;
    device.mode = mode;
    device.engine = engine_of(options.engine);
    device.threads = options.threads;
    device.max_instructions = options.max_instructions;
    device.cache_folder = kept.folder;
    device.cache_bytes = kept.most_bytes;
    device.memory_statistics = true;
    device.hashes_modules = true;
    device.interval_cycles = mode == runtime::Mode::timing ? options.interval_cycles : 0;
    device.profile = mode == runtime::Mode::timing && options.lines;
    stop_->kind = FaultKind::interrupted;
    stop_->what = "interrupted";
    stop_->why = "by the user";
    device.stop = stop_;
    if (std::vector<check::Kind> const kinds = checkers_of(options, mode); !kinds.empty()) {
        check::Options checks;
        checks.kinds = kinds;
        checks.suppressions = options.suppressions;
        checks.print_limit = 0;
        checkers_ = std::make_unique<check::Checkers>(checks);
        checkers_->observe(device);
    }
    device.sinks.push_back(faults_);
    if (options.lines) {
        sim::SharedBanksConfig const banks = config.sm.shared.banks.value_or(sim::SharedBanksConfig{});
        lines_ = std::make_shared<lines::LineCounts>(sim::Banks{banks.count, banks.width_bytes}, true);
        device.sinks.push_back(lines_);
        device.part_sinks.push_back(lines_);
    }
    if (options.steps) {
        steps_ = std::make_shared<CurrentSteps>();
        device.part_sinks.push_back(steps_);
    }
    device.launch_stopped = [this](sim::LaunchStatistics const& launch) { heard_.stopped.push_back(launch); };
    device.child_launched = [this](sim::LaunchStatistics const& launch) { heard_.children.push_back(launch); };
    device.print = [this](std::string_view text) {
        std::lock_guard const lock(mutex_);
        output_ += text;
    };
    device_ = std::make_unique<runtime::Device>(config, device);
    queue_ = std::make_unique<Queue>(
        *device_, mode == runtime::Mode::timing,
        Queue::Owner{[this](sim::LaunchStatistics const& counts) { return launch_of(counts); },
                     [this](std::function<void()> const& work) { guard(work); }, device.work_begins});
}

Device::~Device() = default;

std::shared_ptr<runtime::Module> Device::load(std::vector<runtime::PtxText> const& texts, lines::Texts sources,
                                              runtime::LoadOptions const& options) {
    std::shared_ptr<runtime::Module> module = device_->load_texts(texts, options);
    std::vector<std::string_view> all;
    for (runtime::PtxText const& one : texts) {
        all.push_back(one.text);
        sources.emplace(one.name, one.text);
    }
    std::lock_guard const lock(mutex_);
    texts_[runtime::sha256(all)] = std::make_shared<lines::Texts const>(std::move(sources));
    return module;
}

void Device::interrupt() { stop_->is_made.store(true, std::memory_order_release); }

std::shared_ptr<Launch> Device::launch_of(sim::LaunchStatistics counts) {
    auto launch = std::make_shared<Launch>();
    launch->about = about_;
    launch->children = std::exchange(heard_.children, {});
    if (lines_) {
        launch->lines =
            lines_->take(counts.number, counts.timing ? counts.timing->profile : std::vector<sim::LineProfile>());
        launch->texts = lines_;
    }
    if (steps_) launch->steps = steps_->take(counts.number);
    if (checkers_) launch->findings = checkers_->findings().take_all();
    {
        std::lock_guard const lock(mutex_);
        if (auto const given = texts_.find(counts.module_sha256); given != texts_.end())
            launch->given = given->second;
    }
    launch->counts = std::move(counts);
    return launch;
}

void Device::guard(std::function<void()> const& work) {
    try {
        work();
    } catch (FaultError const& error) {
        if (heard_.stopped.empty()) throw Fault(error, nullptr);
        std::shared_ptr<Launch> const told = launch_of(std::exchange(heard_.stopped, {}).back());
        if (std::vector<check::RecordedFault> const faults = faults_->faults(); !faults.empty())
            told->fault = check::to_json(faults.back());
        throw Fault(error, told);
    }
}

/// The queue is idle, or this is functional mode.
std::shared_ptr<Launch> Device::launch_now(Stream* stream, Queue::Order const& order) {
    if (checkers_) {
        // What reads of the host have shown is not this launch's.
        std::lock_guard const lock(mutex_);
        std::vector<check::Finding> earlier = checkers_->findings().take_all();
        std::move(earlier.begin(), earlier.end(), std::back_inserter(host_findings_));
    }
    queue_->begin(stream);
    std::uint64_t const begin = device_->quiet_time();
    std::shared_ptr<Launch> told;
    guard([&] { told = launch_of(device_->launch(*order.module, order.kernel, order.shape, order.arguments)); });
    if (told->counts.timing) {
        told->begin = begin;
        told->end = device_->quiet_time();
    }
    return told;
}

std::shared_ptr<Launch const> Device::launch(std::shared_ptr<runtime::Module> const& module,
                                             std::string_view kernel, runtime::LaunchShape const& shape,
                                             runtime::Arguments const& arguments) {
    Operation const operation(*this);
    queue_->finish_all();
    return launch_now(nullptr, {module, std::string(kernel), shape, arguments});
}

std::string Device::take_output() {
    std::lock_guard const lock(mutex_);
    return std::exchange(output_, {});
}

std::vector<check::Finding> Device::take_findings() {
    if (!checkers_) return {};
    std::unique_lock const idle(launching_, std::try_to_lock);
    std::lock_guard const lock(mutex_);
    std::vector<check::Finding> found = std::exchange(host_findings_, {});
    // Those of a launch that is under way are its own.
    if (!idle.owns_lock()) return found;
    std::vector<check::Finding> fresh = checkers_->findings().take_all();
    std::move(fresh.begin(), fresh.end(), std::back_inserter(found));
    return found;
}

}  // namespace warpsim::embed
