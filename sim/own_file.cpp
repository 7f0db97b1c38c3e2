#include "sim/own_file.hpp"

#include <dlfcn.h>
#include <link.h>

#include <filesystem>
#include <system_error>

namespace warpsim::sim {

namespace {

namespace fs = std::filesystem;

/// The folder of the program or library that this code is part of.
fs::path own_folder() {
    Dl_info info{};
    link_map* object = nullptr;
    static int const here = 0;
    if (dladdr1(&here, &info, reinterpret_cast<void**>(&object), RTLD_DL_LINKMAP) == 0) return {};
    // Of a program only the word is known that started it, which says nothing where it was found through PATH.
    std::error_code error;
    bool const is_program = object == nullptr || object->l_name == nullptr || *object->l_name == 0;
    fs::path const path =
        is_program ? fs::read_symlink("/proc/self/exe", error) : fs::absolute(object->l_name, error);
    return path.parent_path();
}

}  // namespace

std::string own_file(std::string const& name) {
    fs::path const folder = own_folder();
    // In Debian's packages the command is in /usr/bin, the library in a folder named after the architecture, and what is
    // for them alone is in a folder below that. Elsewhere all of it is in lib, beside bin.
    for (char const* const place : {"../lib/" WARPSIM_ARCHITECTURE "/warpsim", "warpsim", "", "../lib", ".."}) {
        fs::path const path = (folder / place / name).lexically_normal();
        std::error_code error;
        if (fs::exists(path, error)) return path.string();
    }
    return {};
}

}  // namespace warpsim::sim
