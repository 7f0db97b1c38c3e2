// Keeps a run in timing mode in a file now and then, and goes on from one: Device::launch() of a device with
// CheckpointOptions. A run goes on in a process that does all the same up to there: launches that had ended are not run again.
#pragma once

#include "runtime/checkpoint/file.hpp"
#include "runtime/device_state.hpp"
#include "sim/checkpoint/archive.hpp"
#include "sim/engine/clock.hpp"
#include "sim/stop_request.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace warpsim::runtime {

class TimedWork;

class Checkpoints {
public:
    /// Throws Error(usage) for options that a run which is kept cannot have, and for a file to go on from that is none.
    explicit Checkpoints(Device::State& state);
    ~Checkpoints();
    static bool are_wanted(DeviceOptions const& options) {
        return options.mode == Mode::timing &&
               !(options.checkpoint.file.empty() && options.checkpoint.resume.empty());
    }
    /// Throws Error(launch) for kernels whose launches cannot be kept.
    static void check(sim::KernelPlan const& plan, std::string_view kernel);

    struct Launch {
        Module::State& loaded;
        std::uint32_t kernel = 0;
        LaunchShape const& shape;
        Arguments const& arguments;
        bool is_timed = true;
    };
    /// The result of a launch that had ended when the run was kept. None: it is to be run.
    std::optional<LaunchResult> known(Launch const& launch);
    /// It has been run.
    void ended(LaunchResult const& result);

    // For the one that runs.
    /// Whether the run was kept inside of this launch. Throws Error(usage) if it was inside of another one.
    bool goes_on() const;
    /// What is on the device becomes what it was, once the launch is prepared.
    checkpoint::Loader& restore(sim::KernelPlan const& plan);
    /// Nothing more is in the file.
    void has_resumed();
    /// Between epochs, when all before that cycle has happened. Writes the file if it is time for it.
    void look(TimedWork& work, engine::Cycle now);
    /// The next cycle in which to look.
    engine::Cycle next_look(engine::Cycle now) const;
    /// What ends launches: made when the file of a run that is asked to stop has been written.
    sim::StopRequest const* stop() const;

private:
    struct Reader;
    void write(TimedWork& work);
    template <class Archive> void state_of_device(Archive& archive, sim::KernelPlan const& plan);
    template <class Archive> void state_of_memory(Archive& archive);
    std::string launch_text(Launch const& launch) const;

    Device::State& state_;
    CheckpointOptions const& options_;
    checkpoint::Identity identity_;
    std::vector<LaunchResult> results_;   // of the launches that have ended
    std::vector<LaunchResult> restored_;  // those in the file
    std::unique_ptr<Reader> reader_;      // null: nothing is left to go on from
    std::string kept_launch_, launch_;    // in which the file was written; that runs
    sim::StopRequest stop_;
    std::chrono::steady_clock::time_point written_ = std::chrono::steady_clock::now();
};

}  // namespace warpsim::runtime
