#include "client_environment.hpp"

#include "program_file.hpp"

#include "runtime/log.hpp"

#include <cstdlib>
#include <string>
#include <string_view>

namespace warpsim::command {

namespace {

/// False: the user has set it.
bool set_unless_set(char const* variable, std::string const& value) {
    if (std::getenv(variable) != nullptr) return false;
    setenv(variable, value.c_str(), 1);
    return true;
}

std::string old_value(char const* variable) {
    char const* const old = std::getenv(variable);
    return old != nullptr ? old : "";
}

}  // namespace

void set_client_environment(std::filesystem::path const& cuda) {
    std::string said;
    auto const tell = [&](std::string const& what) { said += (said.empty() ? "" : ", ") + what; };
    auto const set = [&](char const* variable, std::string const& value) {
        if (set_unless_set(variable, value)) tell(std::string(variable) + "=" + value);
    };
    std::string const toolkit = (cuda / "toolkit").string();
    // Triton has one for each generation of GPUs; Inductor's kernels are Triton's.
    set("TRITON_PTXAS_PATH", toolkit + "/bin/ptxas");
    set("TRITON_PTXAS_BLACKWELL_PATH", toolkit + "/bin/ptxas");
    // CuPy asks NVRTC for machine code otherwise; and its accelerators are built with NVIDIA's static runtime, whose
    // errors CuPy does not look at.
    set("CUPY_COMPILE_WITH_PTX", "1");
    set("CUPY_ACCELERATORS", "");
    std::string const flags = old_value("XLA_FLAGS"), flag = "--xla_gpu_cuda_data_dir";
    if (flags.find(flag) == std::string::npos) {
        setenv("XLA_FLAGS", (flags + (flags.empty() ? "" : " ") + flag + "=" + toolkit).c_str(), 1);
        tell("XLA_FLAGS with " + flag + "=" + toolkit);
    }
    // Headers and libraries are beside the nvcc that would be first in PATH without the toolkit here.
    std::error_code error;
    std::filesystem::path const nvcc = std::filesystem::canonical(find_program("nvcc"), error);
    if (!error) {
        // CuPy looks for nvcc elsewhere than in PATH.
        set("NVCC", toolkit + "/bin/nvcc");
        std::string const root = nvcc.parent_path().parent_path().string();
        if (std::filesystem::exists(root + "/include/cuda.h", error)) {
            set("CUDA_PATH", root);
        }
    }
    // JAX looks there for ptxas, before the packages of NVIDIA.
    set("CUDA_ROOT", toolkit);
    std::string const path = old_value("PATH");
    setenv("PATH", (toolkit + "/bin" + (path.empty() ? "" : ":" + path)).c_str(), 1);
    tell("PATH with " + toolkit + "/bin (nvcc and ptxas)");
    log::debug("for programs that compile kernels: " + said);
}

}  // namespace warpsim::command
