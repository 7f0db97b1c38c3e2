// Machine kernels of PTX texts and files, and tables of what ptxas makes of the project's kernels.
#pragma once

#include "runtime/device.hpp"
#include "runtime/device_state.hpp"
#include "sim/config/config.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace warpsim::test {

/// A line of a table: file, kernel, a number for sm_75, sm_80 and sm_90; 0: none.
struct Expected {
    std::string file, kernel;
    std::array<int, 3> numbers{};
};
inline constexpr std::array<char const*, 3> configs_of_table{"rtx2060", "a100", "h100"};

inline constexpr char const* left_out[] = {"hopper_90a", "tensor_cores", "textures", "narrow_floats"};

/// Without kernels of instructions that are not executed yet: matrices, textures, formats of 8 bits.
inline std::vector<Expected> read_table(std::string const& name) {
    std::ifstream in(WARPSIM_SOURCE_DIR "/tests/timing/" + name);
    std::vector<Expected> list;
    for (std::string line; std::getline(in, line);) {
        if (line.empty() || line[0] == '#') continue;
        Expected e;
        std::istringstream(line) >> e.file >> e.kernel >> e.numbers[0] >> e.numbers[1] >> e.numbers[2];
        bool const is_left_out = std::any_of(std::begin(left_out), std::end(left_out), [&](char const* part) { return e.file.find(part) != std::string::npos; });
        if (!is_left_out) list.push_back(e);
    }
    return list;
}

inline double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
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
    timing::MachineKernel const& kernel(std::string const& file, std::string const& name) { return compiled((*this)[file], name); }
    timing::MachineKernel const& compiled(runtime::Module& module, std::string const& name) {
        return module.state().machine_kernel(module.state().kernel(name), device.config());
    }

    runtime::Device device;

private:
    std::map<std::string, std::shared_ptr<runtime::Module>> modules_;
};

}  // namespace warpsim::test
