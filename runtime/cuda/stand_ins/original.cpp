#include "runtime/cuda/stand_ins/original.hpp"

#include "runtime/cuda/stand_ins/tell.hpp"
#include "runtime/log.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

namespace warpsim::cuda {

namespace {

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

std::string find(std::string const& library, void const* in_front) {
    // Opened by the program's own dlopen(): what it asked for.
    if (auto* const replaced = reinterpret_cast<Replaced*>(dlsym(RTLD_DEFAULT, "warpsim_replaced_library")))
        if (char const* const path = replaced(library.c_str())) return path;
    // Needed by the program or one of its libraries: where these look.
    std::vector<std::string> folders;
    dl_iterate_phdr(add_search_paths, &folders);
    for (char const* const variable : {"CUDA_HOME", "CUDA_PATH"})
        if (char const* const home = std::getenv(variable)) folders.push_back(std::string(home) + "/lib64");
    folders.emplace_back("/usr/local/cuda/lib64");
    Dl_info self{};
    dladdr(in_front, &self);
    for (std::string const& folder : folders) {
        std::error_code error;
        std::string path = folder + "/" + library;
        if (std::filesystem::exists(path, error) && !std::filesystem::equivalent(path, self.dli_fname, error))
            return path;
    }
    return {};
}

}  // namespace

Original::Original(Names const& names, void const* in_front) : path_(find(names.library, in_front)) {
    // dlmopen() is not among the functions that are redirected.
    if (!path_.empty()) handle_ = dlmopen(LM_ID_BASE, path_.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) return;
    set_up_log();
    log::error(std::string(names.user) + ", and NVIDIA's " + names.library + " is " +
               (path_.empty() ? std::string("nowhere to be found; PyPI has it as ") + names.package
                              : "no library: " + path_));
}

void* Original::function(char const* name) const { return handle_ != nullptr ? dlsym(handle_, name) : nullptr; }

}  // namespace warpsim::cuda
