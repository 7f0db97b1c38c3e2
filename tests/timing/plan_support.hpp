// Machine kernels of PTX texts and files, and tables of what ptxas generates for the project's kernels.
#pragma once

#include "runtime/device.hpp"
#include "runtime/device_state.hpp"
#include "sim/config/config.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"
#include "tests/timing/run_timing.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace warpsim::test {

/// A line of a table: file, kernel, a number for sm_75, sm_80 and sm_90; 0: none.
struct Expected {
    std::string file, kernel;
    std::array<int, 3> numbers{};
};
inline constexpr std::array<char const*, 3> configs_of_table{"rtx2060", "a100", "h100"};

inline std::vector<Expected> read_table(std::string const& name) {
    std::ifstream in(WARPSIM_SOURCE_DIR "/tests/timing/" + name);
    std::vector<Expected> list;
    for (std::string line; std::getline(in, line);) {
        if (line.empty() || line[0] == '#') continue;
        Expected e;
        std::istringstream(line) >> e.file >> e.kernel >> e.numbers[0] >> e.numbers[1] >> e.numbers[2];
        list.push_back(e);
    }
    return list;
}

inline double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                     values.end());
    return values[values.size() / 2];
}

/// Modules of the project's files on a device of one configuration.
class Modules {
public:
    explicit Modules(std::string const& config) : device(sim::load_config(config)) {}
    runtime::Module& operator[](std::string const& file) {
        auto& module = modules_[file];
        if (!module) module = device.load_file(WARPSIM_SOURCE_DIR "/" + file);
        return *module;
    }
    timing::MachineKernel const& kernel(std::string const& file, std::string const& name) {
        return compiled((*this)[file], name);
    }
    timing::MachineKernel const& compiled(runtime::Module& module, std::string const& name) {
        return module.state().machine_kernel(module.state().kernel(name), device.config());
    }

    runtime::Device device;

private:
    std::map<std::string, std::shared_ptr<runtime::Module>> modules_;
};

/// A kernel `k(out, in)` on a V100, with the registers of tests/support/run_ptx.hpp.
struct Compiled {
    explicit Compiled(std::string const& body, std::string const& directives = "",
                      std::string const& config = "v100",
                      std::string const& objects = ".shared .align 16 .b8 area[1024];\n")
        : modules(config),
          module(modules.device.load_text("k.ptx", kernel(body, objects, directives))),
          machine(modules.compiled(*module, "k")) {}

    timing::MachineFunction const& function() const { return machine.functions.front().machine; }
    /// The position of the first instruction whose text begins so.
    std::size_t place(std::string const& text) const {
        auto const& list = function().function->instructions;
        for (std::size_t i = 0; i < list.size(); ++i) {
            if (machine.module.written(list[i]).starts_with(text)) return i;
        }
        throw std::runtime_error("no instruction " + text);
    }
    std::size_t micros(std::string const& text) const { return function().instructions[place(text)].micros; }
    timing::Fate fate(std::string const& text) const { return function().instructions[place(text)].fate; }

    Modules modules;
    std::shared_ptr<runtime::Module> module;
    timing::MachineKernel const& machine;
};

/// Runs the kernel in both modes, with words in `in`, and compares its results and all counts of the PTX; those of warps
/// only if it is told that lanes part in both modes alike.
inline void check_as_functional(Compiled& k, std::uint32_t ctas, bool parts_alike = true) {
    std::vector<std::uint32_t> bytes[2];
    std::vector<std::uint64_t> counts[2];
    for (bool const functional : {false, true}) {
        std::vector<std::uint32_t> values(1024);
        for (std::uint32_t i = 0; i < values.size(); ++i) values[i] = i * 2654435761u;
        auto const in = k.modules.device.upload(values), out = k.modules.device.allocate(4096);
        runtime::LaunchShape shape;
        shape.grid = {ctas, 1, 1};
        shape.block = {64, 1, 1};
        TimingSetup setup = timing_options(1);
        setup.functional = functional;
        sim::LaunchStatistics const s =
            timed_launch(k.modules.device, *k.module, "k", shape, runtime::Arguments::of(out, in), setup)
                .statistics;
        bytes[functional] = k.modules.device.download<std::uint32_t>(out, 1024);
        counts[functional] = {s.instructions.thread, s.instructions.thread_guarded};
        if (!parts_alike) continue;
        counts[functional].insert(counts[functional].end(),
                                  {s.instructions.warp, s.branches.total, s.branches.divergent});
        counts[functional].insert(counts[functional].end(), s.instructions.by_class.begin(),
                                  s.instructions.by_class.end());
    }
    CHECK(bytes[0] == bytes[1]);
    CHECK(counts[0] == counts[1]);
}

}  // namespace warpsim::test
