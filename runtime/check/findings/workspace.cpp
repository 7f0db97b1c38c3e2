#include "runtime/check/findings/workspace.hpp"

#include "sim/found_source.hpp"

#include <cstdlib>
#include <filesystem>

namespace warpsim::check {

std::string in_workspace(std::string const& name, std::string const& ptx) {
    std::string const file = sim::found_source(name, ptx);
    char const* const workspace = std::getenv("GITHUB_WORKSPACE");
    if (workspace == nullptr || *workspace == 0) return file;
    std::error_code error;
    std::filesystem::path const path = std::filesystem::absolute(file, error).lexically_normal();
    std::filesystem::path const inside =
        path.lexically_relative(std::filesystem::path(workspace).lexically_normal());
    return inside.empty() || *inside.begin() == ".." ? file : inside.string();
}

}  // namespace warpsim::check
