// Shared by the kernel tests: a device with one of this folder's PTX files, in each of the ways that must give the
// same results.
#pragma once

#include "runtime/check/checkers.hpp"
#include "runtime/device.hpp"
#include "sim/config/config.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpsim::test {

struct Way {
    std::string control_flow;
    int threads;

    std::string text() const {
        return control_flow + " control flow, " + std::to_string(threads) + " host threads";
    }
};

inline std::vector<Way> every_way() {
    return {{"independent", 1}, {"independent", 2}, {"stack", 1}, {"stack", 2}};
}

inline std::string kernel_folder() { return WARPSIM_SOURCE_DIR "/tests/kernels/"; }

inline runtime::DeviceOptions with_threads(int threads) {
    runtime::DeviceOptions options;
    options.threads = threads;
    return options;
}

/// A device and a module of this folder ("saxpy", "variants/saxpy_sm_50").
class Machine {
public:
    explicit Machine(std::string const& file, Way const& way = {"independent", 1})
        : Machine(file, with_threads(way.threads), {"sm.control_flow=" + way.control_flow}) {}
    Machine(std::string const& file, runtime::DeviceOptions options,
            std::vector<std::string> const& overrides = {})
        : device(sim::load_config("h100", overrides), checked(std::move(options))),
          module(device.load_file(kernel_folder() + file + ".ptx")) {}

    template <class... T>
    runtime::LaunchResult launch(std::string_view kernel, std::array<std::uint32_t, 3> grid,
                                 std::array<std::uint32_t, 3> block, std::uint32_t dynamic_shared,
                                 T const&... arguments) {
        runtime::LaunchShape shape;
        shape.grid = grid;
        shape.block = block;
        shape.dynamic_shared = dynamic_shared;
        runtime::LaunchResult const result =
            device.launch(*module, kernel, shape, runtime::Arguments::of(arguments...));
        for (check::Finding const& finding : checkers->findings().all())
            throw std::runtime_error(check::to_text(finding));
        return result;
    }

private:
    /// With WARPSIM_TEST_CHECK=race in the environment, or another list of checkers, these must find nothing.
    runtime::DeviceOptions checked(runtime::DeviceOptions options) {
        check::Options of_checks;
        char const* const kinds = std::getenv("WARPSIM_TEST_CHECK");
        of_checks.kinds = check::parse_kinds(kinds != nullptr ? kinds : "");
        of_checks.print_limit = 0;
        checkers = std::make_unique<check::Checkers>(of_checks);
        if (kinds != nullptr) checkers->observe(options);
        return options;
    }
    std::unique_ptr<check::Checkers> checkers;

public:
    runtime::Device device;
    std::shared_ptr<runtime::Module> module;
};

/// Floats in [low, high), the same on every machine: std::uniform_real_distribution is not.
inline std::vector<float> random_floats(std::size_t count, std::uint32_t seed, float low, float high) {
    std::mt19937 generator(seed);
    std::vector<float> values(count);
    for (float& value : values) {
        value = low + (high - low) * static_cast<float>(generator() >> 8) * 0x1p-24f;
    }
    return values;
}

template <class T> std::vector<T> random_integers(std::size_t count, std::uint32_t seed) {
    std::mt19937 generator(seed);
    std::vector<T> values(count);
    for (T& value : values) {
        value = static_cast<T>(generator());
    }
    return values;
}

}  // namespace warpsim::test
