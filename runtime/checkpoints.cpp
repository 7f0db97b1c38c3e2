#include "runtime/checkpoints.hpp"

#include "runtime/checkpoint_state.hpp"
#include "runtime/launch_sinks.hpp"
#include "runtime/log.hpp"
#include "runtime/prepared_grid.hpp"
#include "runtime/sha256.hpp"
#include "runtime/timed_work.hpp"
#include "sim/compiled/compile.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace warpsim::runtime {

namespace {

using engine::Cycle;

/// How long a run waits that is to be stopped, and how often it looks for the time.
constexpr Cycle look_cycles = 4096;
constexpr std::chrono::minutes write_interval{10};
constexpr std::size_t memory_piece = 4096;

bool holds_nothing(std::byte const* bytes, std::size_t size) {
    return size == 0 || (bytes[0] == std::byte{} && std::memcmp(bytes, bytes + 1, size - 1) == 0);
}

/// What a kept run cannot have, as nobody could go on with it; empty: nothing.
std::string obstacle(DeviceOptions const& options) {
    if (options.sample_error > 0) return "launches of which only a sample is timed";
    if (options.warms_caches) return "launches that are not timed and leave something in caches";
    if (options.runner) return "a debugger";
    if (options.trace || options.captured || listens_inside(options) || !options.part_sinks.empty())
        return "those who listen to what happens inside of launches: traces, checkers, observers of plug-ins";
    return "";
}

}  // namespace

struct Checkpoints::Reader {
    explicit Reader(std::string const& path)
        : file(path), loader([this](std::span<std::byte> bytes) { file.get(bytes); }) {}
    checkpoint::FileReader file;
    checkpoint::Loader loader;
};

Checkpoints::Checkpoints(Device::State& state) : state_(state), options_(state.options.checkpoint) {
    if (std::string const what = obstacle(state.options); !what.empty())
        throw Error(ErrorKind::usage, "a run cannot be kept (--checkpoint) with " + what);
    DeviceOptions const& options = state.options;
    identity_ = options_.identity;
    identity_.emplace_back("warpsim, by its sources,", std::string(sim::code_stamp()));
    identity_.emplace_back("the configuration", state.config.name);
    identity_.emplace_back("what is counted by instruction (--profile)", options.profile ? "all" : "nothing");
    identity_.emplace_back("the interval of samples (--interval)", std::to_string(options.interval_cycles));
    identity_.emplace_back("the limit of instructions (--max-instructions)",
                           std::to_string(options.max_instructions));
    identity_.emplace_back("sharing of registers", options.register_sharing ? "on" : "off");
    identity_.emplace_back("the address of the device's memory", std::to_string(state.memory->base()));
    if (options_.resume.empty()) return;
    reader_ = std::make_unique<Reader>(options_.resume);
    reader_->file.check(identity_);
    reader_->loader(restored_, kept_launch_);
}

Checkpoints::~Checkpoints() = default;

void Checkpoints::check(sim::KernelPlan const& plan, std::string_view kernel) {
    if (plan.uses_runtime)
        throw Error(ErrorKind::launch, "a run with " + std::string(kernel) +
                                           " cannot be kept (--checkpoint): it launches kernels by itself");
}

std::string Checkpoints::launch_text(Launch const& launch) const {
    auto const& bytes = launch.arguments.bytes();
    std::string const arguments(reinterpret_cast<char const*>(bytes.data()), bytes.size());
    return "launch " + std::to_string(results_.size()) + ", " +
           launch.loaded.module.functions[launch.kernel].name + " of " + dims(launch.shape.grid) + " x " +
           dims(launch.shape.block) + ", cluster " + dims(launch.shape.cluster) + ", " +
           std::to_string(launch.shape.dynamic_shared) + " bytes of shared memory, module " +
           launch.loaded.sha256() + ", arguments " + sha256(arguments);
}

std::optional<LaunchResult> Checkpoints::known(Launch const& launch) {
    launch_ = launch_text(launch);
    if (!reader_ || results_.size() >= restored_.size()) return {};
    LaunchResult result = restored_[results_.size()];
    // All that it takes before it begins, so that launches behind it find the device as they did.
    DeviceOptions options = state_.options;
    if (!launch.is_timed) options.mode = Mode::functional;
    PreparedGrid grid(state_, launch.loaded, launch.kernel, launch.shape, launch.arguments, 0, options);
    LaunchResult const& here = grid.result();
    if (here.kernel != result.kernel || here.grid != result.grid || here.block != result.block)
        throw Error(ErrorKind::usage, "checkpoint '" + options_.resume + "': it is of another run: " + launch_ +
                                          " is there one of " + result.kernel);
    results_.push_back(result);
    result.number = here.number;
    result.module_sha256 = here.module_sha256;
    return result;
}

/// What is of the process stays out: its number there, the time that it took, and what only statistics want.
void Checkpoints::ended(LaunchResult const& result) {
    results_.push_back(result);
    results_.back().number = 0;
    results_.back().host_seconds = 0;
    results_.back().module_sha256.clear();
}

bool Checkpoints::goes_on() const {
    if (!reader_) return false;
    if (launch_ != kept_launch_)
        throw Error(ErrorKind::usage, "checkpoint '" + options_.resume +
                                          "': it is of another run: it was written in " + kept_launch_ +
                                          "; here is " + launch_);
    return true;
}

/// Pieces that hold nothing but zeros are left out.
template <class Archive> void Checkpoints::state_of_memory(Archive& archive) {
    auto const map = state_.memory->map();
    std::vector<sim::Allocation> ranges = map->all();
    archive(ranges);
    auto const is_same = [](sim::Allocation const& a, sim::Allocation const& b) {
        return a.begin == b.begin && a.end == b.end;
    };
    if (!std::equal(ranges.begin(), ranges.end(), map->all().begin(), map->all().end(), is_same))
        throw Error(ErrorKind::usage, "checkpoint '" + options_.resume +
                                          "': it is of another run: other memory was allocated there");
    for (sim::Allocation const& range : ranges) {
        for (std::uint64_t at = range.begin; at < range.end; at += memory_piece) {
            std::size_t const size = std::min<std::uint64_t>(range.end - at, memory_piece);
            auto* const bytes = reinterpret_cast<std::byte*>(at);
            bool const was_empty = holds_nothing(bytes, size);
            bool is_empty = was_empty;
            archive(is_empty);
            if (!is_empty) archive.bytes(bytes, size);
            else if (!was_empty) std::memset(bytes, 0, size);
        }
    }
}

template <class Archive> void Checkpoints::state_of_device(Archive& archive, sim::KernelPlan const& plan) {
    state_of_memory(archive);
    sim::DeviceHeap::Ranges heap = state_.heap ? state_.heap->ranges() : sim::DeviceHeap::Ranges();
    sim::PrintBuffer::Content printed = state_.print->content();
    bool has_printed = state_.has_printed;
    archive(heap, printed, has_printed);
    for (std::uint32_t sm = 0; sm < state_.config.sm.count; ++sm) {
        std::uint64_t clock = state_.sm_clocks[sm];
        archive(clock);
        state_.sm_clocks[sm] = clock;
    }
    std::vector<sim::Fault> notices = state_.notices.pending();
    archive(notices);
    if constexpr (Archive::is_saving) return;
    for (sim::Fault& notice : notices) state_.notices.add(&plan, std::move(notice));
    if (state_.heap) state_.heap->restore(heap);
    state_.print->restore(std::move(printed));
    state_.has_printed = has_printed;
}

checkpoint::Loader& Checkpoints::restore(sim::KernelPlan const& plan) {
    state_of_device(reader_->loader, plan);
    return reader_->loader;
}

void Checkpoints::has_resumed() { reader_.reset(); }

void Checkpoints::write(TimedWork& work) {
    checkpoint::FileWriter file(options_.file, identity_);
    checkpoint::Saver saver([&](std::span<std::byte const> bytes) { file.put(bytes); });
    saver(results_, launch_);
    state_of_device(saver, work.plan());
    work.save(saver);
    saver.flush();
    file.finish();
    written_ = std::chrono::steady_clock::now();
    if (options_.written) options_.written(options_.file);
}

Cycle Checkpoints::next_look(Cycle now) const {
    Cycle const next = (now / look_cycles + 1) * look_cycles, every = options_.every_cycles;
    return every == 0 ? next : std::min(next, (now / every + 1) * every);
}

sim::StopRequest const* Checkpoints::stop() const {
    return options_.file.empty() ? state_.options.stop.get() : &stop_;
}

void Checkpoints::look(TimedWork& work, Cycle now) {
    if (options_.file.empty() || stop_.is_on()) return;
    sim::StopRequest const* const asked = state_.options.stop.get();
    bool const stops = asked != nullptr && asked->is_on();
    bool const is_due = options_.every_cycles != 0 ? now % options_.every_cycles == 0
                                                   : std::chrono::steady_clock::now() - written_ >= write_interval;
    if (!stops && !is_due) return;
    write(work);
    if (!stops) return;
    log::warning("the run is kept in '" + options_.file + "': the same command with --resume " + options_.file +
                 " goes on with it");
    stop_.kind = asked->kind;
    stop_.what = asked->what;
    stop_.why = asked->why;
    stop_.is_made.store(true, std::memory_order_release);
}

}  // namespace warpsim::runtime
