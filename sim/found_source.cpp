#include "sim/found_source.hpp"

#include <filesystem>

namespace warpsim::sim {

namespace fs = std::filesystem;

std::string absolute_if_there(std::string const& name) {
    std::error_code error;
    if (!fs::is_regular_file(name, error)) return name;
    return fs::absolute(name, error).lexically_normal().string();
}

std::string found_source(std::string const& name, std::string const& ptx) {
    std::error_code error;
    if (fs::path(name).is_absolute() || fs::is_regular_file(name, error)) return absolute_if_there(name);
    std::string const beside = (fs::path(ptx).parent_path() / name).string();
    return fs::is_regular_file(beside, error) ? absolute_if_there(beside) : name;
}

}  // namespace warpsim::sim
