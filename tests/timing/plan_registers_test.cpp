// Registers per thread beside those of NVIDIA's compiler, for all kernels of the project that the engines execute.
#include "tests/support/catch.hpp"

#include "runtime/device.hpp"
#include "sim/config/config.hpp"
#include "sim/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using namespace warpsim;

namespace {

struct Expected {
    std::string file, kernel;
    std::array<int, 3> registers{};   // of sm_75, sm_80, sm_90; 0: none
};

// Kernels with matrix instructions or textures, which are not executed.
bool is_left_out(std::string const& file) {
    for (char const* const name : {"hopper_90a", "tensor_cores", "textures", "narrow_floats"}) {
        if (file.find(name) != std::string::npos) return true;
    }
    return false;
}

std::vector<Expected> expectations() {
    std::ifstream in(WARPSIM_SOURCE_DIR "/tests/timing/ptxas_registers.txt");
    std::vector<Expected> list;
    for (std::string line; std::getline(in, line);) {
        if (line.empty() || line[0] == '#') continue;
        Expected e;
        std::istringstream(line) >> e.file >> e.kernel >> e.registers[0] >> e.registers[1] >> e.registers[2];
        if (!is_left_out(e.file)) list.push_back(e);
    }
    return list;
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

}  // namespace

TEST_CASE("Registers per thread are within 15 % of what ptxas gives, in the median", "[timing]") {
    std::vector<Expected> const expected = expectations();
    REQUIRE(expected.size() > 60);
    static constexpr char const* configs[] = {"rtx2060", "a100", "h100"};
    for (std::size_t c = 0; c < 3; ++c) {
        runtime::Device device(sim::load_config(configs[c]));
        std::vector<double> differences;
        std::map<std::string, std::shared_ptr<runtime::Module>> modules;
        for (Expected const& e : expected) {
            if (e.registers[c] == 0) continue;
            auto& module = modules[e.file];
            if (!module) module = device.load_file(std::string(WARPSIM_SOURCE_DIR "/") + e.file);
            double const ours = device.attributes(*module, e.kernel).registers_per_thread;
            INFO(e.file << " " << e.kernel << " on " << configs[c] << ": " << ours << " registers, ptxas " << e.registers[c]);
            // No kernel is far off: occupancy would be another.
            CHECK(ours <= 2.2 * e.registers[c]);
            CHECK(ours >= 0.4 * e.registers[c]);
            differences.push_back(std::abs(ours / e.registers[c] - 1));
        }
        INFO(configs[c] << ": median difference " << median(differences) << " over " << differences.size() << " kernels");
        CHECK(median(differences) <= 0.15);
    }
}
