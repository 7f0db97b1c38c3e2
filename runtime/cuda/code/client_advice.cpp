#include "runtime/cuda/code/client_advice.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>

#include <array>
#include <string_view>
#include <vector>

namespace warpsim::cuda {

namespace {

struct Client {
    std::string_view library;  // a part of the path of one of its libraries
    std::string_view name;
    std::string_view advice;
};

// Those that use others stand before these.
constexpr auto clients = std::to_array<Client>({
    {"xla_cuda", "JAX",
     "unset CUDA_ROOT, which exec points at the folder of its own ptxas; if XLA does not call it all the same, "
     "add "
     "--xla_gpu_enable_libnvptxcompiler=false to XLA_FLAGS"},
    {"libtriton", "Triton",
     "unset TRITON_PTXAS_PATH, which exec points at its own ptxas, and clear Triton's cache"},
    {"libtorch_cuda", "PyTorch",
     "its eager kernels are machine code only; those of torch.compile are Triton's, and run"},
    {"/cupy", "CuPy",
     "set CUPY_COMPILE_WITH_PTX=1 and CUPY_ACCELERATORS= (empty), as exec does, and clear its cache"},
    {"/pycuda", "PyCUDA", "let nvcc be found in PATH, where exec puts its own first, or use nvcc=\"nvcc\""},
    {"numba_cuda", "Numba", "write @cuda.jit(lto=False)"},
    {"cuda/core", "cuda.core", "use Program.compile(\"ptx\")"},
    {"/warp/bin", "Warp", "set warp.config.cuda_output = \"ptx\""},
    {"cutlass", "CUTLASS DSL", "set CUTE_DSL_KEEP_PTX=1, and run the file that it leaves by `warpsim run`"},
    {"libnvJitLink", "nvJitLink", "link by cuLinkCreate, or open libnvJitLink by dlopen() under `warpsim exec`"},
    {"libnvrtc", "NVRTC", "take nvrtcGetPTX, or open libnvrtc by dlopen() under `warpsim exec`"},
});

Client const* client_of(std::vector<std::string> const& paths) {
    for (Client const& one : clients)
        for (std::string const& path : paths)
            if (path.find(one.library) != std::string::npos) return &one;
    return nullptr;
}

std::vector<std::string> paths_on_stack() {
    std::array<void*, 64> frames{};
    int const count = backtrace(frames.data(), static_cast<int>(frames.size()));
    std::vector<std::string> paths;
    for (int i = 0; i < count; ++i) {
        Dl_info info{};
        if (dladdr(frames[static_cast<std::size_t>(i)], &info) != 0 && info.dli_fname != nullptr)
            paths.emplace_back(info.dli_fname);
    }
    return paths;
}

std::vector<std::string> paths_loaded() {
    std::vector<std::string> paths;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* list) {
            static_cast<std::vector<std::string>*>(list)->emplace_back(info->dlpi_name);
            return 0;
        },
        &paths);
    return paths;
}

}  // namespace

std::string advice_on_machine_code() {
    Client const* client = client_of(paths_on_stack());
    if (client == nullptr) client = client_of(paths_loaded());
    std::string text = "this program hands over machine code of a GPU, which holds no PTX: it cannot run here; ";
    if (client == nullptr)
        return text + "have it compiled for a virtual architecture, such as nvcc -arch=compute_90";
    return text.append("of ").append(client->name).append(": ").append(client->advice);
}

}  // namespace warpsim::cuda
