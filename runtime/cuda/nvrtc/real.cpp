#include "runtime/cuda/nvrtc/real.hpp"

#include "runtime/log.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace warpsim::nvrtc {

namespace {

constexpr char const* library_name = WARPSIM_NVRTC_NAME;

using Replaced = char const*(char const*);

/// Where every loaded library would look for what it needs.
int add_search_paths(dl_phdr_info* info, std::size_t, void* list) {
    auto& folders = *static_cast<std::vector<std::string>*>(list);
    void* const handle =
        dlmopen(LM_ID_BASE, *info->dlpi_name != 0 ? info->dlpi_name : nullptr, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) return 0;
    Dl_serinfo size{};
    if (dlinfo(handle, RTLD_DI_SERINFOSIZE, &size) == 0) {
        std::vector<char> room(size.dls_size);
        auto* const paths = reinterpret_cast<Dl_serinfo*>(room.data());
        if (dlinfo(handle, RTLD_DI_SERINFOSIZE, paths) == 0 && dlinfo(handle, RTLD_DI_SERINFO, paths) == 0)
            for (unsigned i = 0; i < paths->dls_cnt; ++i) folders.emplace_back(paths->dls_serpath[i].dls_name);
    }
    dlclose(handle);
    return 0;
}

std::string find() {
    // Opened by the program's own dlopen(): what it asked for.
    if (auto* const replaced = reinterpret_cast<Replaced*>(dlsym(RTLD_DEFAULT, "warpsim_replaced_library")))
        if (char const* const path = replaced(library_name)) return path;
    // Needed by the program or one of its libraries: where these look.
    std::vector<std::string> folders;
    dl_iterate_phdr(add_search_paths, &folders);
    for (char const* const variable : {"CUDA_HOME", "CUDA_PATH"})
        if (char const* const home = std::getenv(variable)) folders.push_back(std::string(home) + "/lib64");
    folders.emplace_back("/usr/local/cuda/lib64");
    Dl_info self{};
    dladdr(reinterpret_cast<void*>(&find), &self);
    for (std::string const& folder : folders) {
        std::error_code error;
        std::string path = folder + "/" + library_name;
        if (std::filesystem::exists(path, error) && !std::filesystem::equivalent(path, self.dli_fname, error))
            return path;
    }
    return {};
}

/// dlmopen() is not among the functions that are redirected.
void* open() {
    std::string const path = find();
    void* const handle = path.empty() ? nullptr : dlmopen(LM_ID_BASE, path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr)
        log::error(
            std::string("the program compiles by NVRTC, and NVIDIA's ") + library_name + " is " +
            (path.empty() ? "nowhere to be found; PyPI has it as nvidia-cuda-nvrtc" : "no library: " + path));
    return handle;
}

}  // namespace

void* real_function(char const* name) {
    static void* const handle = open();
    return handle != nullptr ? dlsym(handle, name) : nullptr;
}

}  // namespace warpsim::nvrtc
