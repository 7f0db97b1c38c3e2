#include "sim/own_folders.hpp"

#include <dlfcn.h>

#include <filesystem>

namespace warpsim::sim {

std::vector<std::string> own_folders() {
    Dl_info info{};
    static int const here = 0;
    if (dladdr(&here, &info) == 0 || info.dli_fname == nullptr) return {};
    std::string path = info.dli_fname;
    if (path.find('/') == std::string::npos) {
        // A command that a shell has found: it is only known by its name.
        std::error_code error;
        path = std::filesystem::read_symlink("/proc/self/exe", error).string();
        if (error) return {};
    }
    std::string const folder = path.substr(0, path.rfind('/') + 1);
    return {folder, folder + "../lib/", folder + "../"};
}

}  // namespace warpsim::sim
