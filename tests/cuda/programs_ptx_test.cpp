// What nvcc makes of the programs beside this file is read, linked and planned without nvcc.
#include "runtime/device.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace programs_ptx_test {

using namespace warpsim;

TEST_CASE("Every kernel of the CUDA programs is loaded and planned", "[cuda]") {
    runtime::Device device(sim::load_config("h100"));
    std::vector<std::string> files;
    for (auto const& entry : std::filesystem::directory_iterator(WARPSIM_SOURCE_DIR "/tests/cuda/ptx")) {
        if (entry.path().extension() == ".ptx") files.push_back(entry.path().string());
    }
    std::sort(files.begin(), files.end());
    CHECK(files.size() > 50);
    std::size_t kernels = 0;
    for (std::string const& file : files) {
        INFO(file);
        if (file.ends_with("_part.ptx")) continue;
        std::string const part = file.substr(0, file.size() - 4) + "_part.ptx";  // what the program is linked with
        bool const has_part = std::find(files.begin(), files.end(), part) != files.end();
        auto const module = has_part ? device.load_files({file, part}) : device.load_file(file);
        for (std::string const& kernel : module->kernels()) {
            INFO(kernel);
            runtime::KernelAttributes const a = device.attributes(*module, kernel);
            CHECK(a.registers_per_thread >= 1);
            CHECK(a.max_threads_per_cta >= 32);
            ++kernels;
        }
    }
    CHECK(kernels > 100);
}

}  // namespace programs_ptx_test
