// A folder that lives as long as a test.
#pragma once

#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <unistd.h>

namespace warpsim::test {

class TemporaryFolder {
public:
    TemporaryFolder() {
        static std::atomic<int> number{0};
        path_ = std::filesystem::temp_directory_path() /
                ("warpsim-test-" + std::to_string(::getpid()) + "-" + std::to_string(number++));
        std::filesystem::remove_all(path_);
        std::filesystem::create_directories(path_);
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(TemporaryFolder const&) = delete;
    TemporaryFolder& operator=(TemporaryFolder const&) = delete;

    /// The path of the file, whose folders are made too.
    std::string write(std::string const& name, std::string const& text) const {
        std::filesystem::path const path = path_ / name;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary) << text;
        return path.string();
    }
    std::string read(std::string const& name) const {
        std::ifstream file(path_ / name, std::ios::binary);
        std::ostringstream text;
        text << file.rdbuf();
        return text.str();
    }
    std::string operator/(std::string const& name) const { return (path_ / name).string(); }

private:
    std::filesystem::path path_;
};

}  // namespace warpsim::test
