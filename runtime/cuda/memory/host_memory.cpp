#include "runtime/cuda/memory/host_memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <unistd.h>
#include <utility>

namespace warpsim::cuda {

namespace {

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

namespace fs = std::filesystem;

/// The number after a word at the beginning of a line.
std::uint64_t number_behind(fs::path const& path, std::string const& word, std::uint64_t otherwise) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string key;
        std::uint64_t value = 0;
        if (words >> key >> value && key == word) return value;
    }
    return otherwise;
}

/// From a file that holds one number; "max" means none.
std::uint64_t number_in(fs::path const& path, std::uint64_t otherwise) {
    std::ifstream file(path);
    std::uint64_t value = 0;
    return file >> value ? value : otherwise;
}

/// Names of the same files in the two generations of control groups.
struct Names {
    char const *limit, *use, *unused_files;
};
constexpr Names first_generation{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};
constexpr Names second_generation{"memory.max", "memory.current", "inactive_file"};

/// What a group and the groups that contain it leave available. Cached pages of unused files count as used there,
/// but are reclaimed first.
std::uint64_t left_by_group(fs::path const& mount, std::string const& group, Names const& names) {
    std::uint64_t least = no_limit;
    for (fs::path path = fs::path(group).relative_path();; path = path.parent_path()) {
        fs::path const folder = mount / path;
        std::uint64_t const limit = number_in(folder / names.limit, no_limit);
        if (limit != no_limit) {
            std::uint64_t const used = number_in(folder / names.use, 0);
            std::uint64_t const unused = number_behind(folder / "memory.stat", names.unused_files, 0);
            std::uint64_t const needed = used - std::min(unused, used);
            least = std::min(least, limit - std::min(needed, limit));
        }
        if (path.empty()) return least;
    }
}

std::uint64_t left_by_groups(fs::path const& root) {
    std::uint64_t least = no_limit;
    std::ifstream file(root / "proc/self/cgroup");
    for (std::string line; std::getline(file, line);) {
        // number:controllers:path
        std::size_t const first = line.find(':'), second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
        std::string const controllers = line.substr(first + 1, second - first - 1),
                          group = line.substr(second + 1);
        fs::path const mounts = root / "sys/fs/cgroup";
        if (controllers.empty()) least = std::min(least, left_by_group(mounts, group, second_generation));
        else if (controllers == "memory")
            least = std::min(least, left_by_group(mounts / "memory", group, first_generation));
    }
    return least;
}

}  // namespace

std::uint64_t resident_memory(fs::path const& root) {
    std::ifstream file(root / "proc/self/statm");
    std::uint64_t all = 0, resident = 0;
    return file >> all >> resident ? resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) : 0;
}

HostMemory::HostMemory(fs::path root)
    : root_(std::move(root)), most_(available_host_memory(root_)), resident_at_start_(resident_memory(root_)) {}

std::uint64_t HostMemory::left_of(std::uint64_t unpromised) const {
    // The available amount fluctuates, but a program that asks twice expects the same answer.
    constexpr std::uint64_t unit = std::uint64_t{256} << 20;
    std::uint64_t const now = available_host_memory(root_), resident = resident_memory(root_);
    std::uint64_t const own = resident - std::min(resident, resident_at_start_);
    std::uint64_t const gone = most_ - std::min(most_, now), others = (gone - std::min(gone, own)) / unit * unit;
    return unpromised - std::min(unpromised, others);
}

std::uint64_t available_host_memory(fs::path const& root) {
    constexpr std::uint64_t most_kib = no_limit >> 10;
    std::uint64_t const kib = number_behind(root / "proc/meminfo", "MemAvailable:", most_kib);
    return std::min(kib >= most_kib ? no_limit : kib << 10, left_by_groups(root));
}

}  // namespace warpsim::cuda
