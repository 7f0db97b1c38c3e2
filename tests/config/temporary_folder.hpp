// A folder that lives as long as a test, and a configuration small enough to be written out.
#pragma once

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

namespace warpsim::tests {

class TemporaryFolder {
public:
    TemporaryFolder() {
        static std::atomic<int> number{0};
        path_ = std::filesystem::temp_directory_path() /
                ("warpsim-config-" + std::to_string(::getpid()) + "-" + std::to_string(number++));
        std::filesystem::create_directories(path_);
    }
    ~TemporaryFolder() {
        std::error_code error;
        std::filesystem::remove_all(path_, error);
    }
    TemporaryFolder(TemporaryFolder const&) = delete;
    TemporaryFolder& operator=(TemporaryFolder const&) = delete;

    std::string file(std::string const& name, std::string const& text) const {
        std::filesystem::path const path = path_ / name;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary) << text;
        return path.string();
    }
    std::string path(std::string const& name) const { return (path_ / name).string(); }

private:
    std::filesystem::path path_;
};

/// Every required key and no other.
inline constexpr char const* minimal_config = R"({
  "compute_capability": "8.0",
  "clock_mhz": 1000,
  "sm": {
    "count": 3, "sub_cores": 4, "max_warps": 64, "max_threads": 2048, "max_ctas": 32, "registers": 65536,
    "barriers": 64,
    "shared": {
      "size_kib": 64, "carve_outs_kib": [0, 32, 64], "cta_opt_in_kib": 63, "cta_reserved_bytes": 1024,
      "allocation_unit_bytes": 128
    }
  },
  "memory": {"global_mib": 512},
  "l2": {"size_kib": 1024},
  "dram": {"bus_width_bits": 128, "clock_mhz": 1000}
})";

}  // namespace warpsim::tests
