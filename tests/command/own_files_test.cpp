// Where the command finds what is loaded when it is needed: its compiler of kernels and the CUDA libraries.
#include "tests/command/run_command.hpp"
#include "tests/support/catch.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>

namespace own_files_test {

// A sanitizer's runtime must be loaded before all others, which it is not in programs that exec starts.
#ifndef WARPSIM_SANITIZED

using namespace warpsim;
namespace fs = std::filesystem;

namespace {

fs::path const build = WARPSIM_BINARY_DIR;

std::string said_by(test::TemporaryFolder const& folder, std::string const& line) {
    INFO(line);
    CHECK(std::system(("cd " + (folder / "") + " && " + line + " >said.txt 2>&1").c_str()) == 0);
    return folder.read("said.txt");
}

/// The command that `line` starts is as complete as the one in the build.
void check_complete(test::TemporaryFolder const& folder, std::string const& line) {
    CHECK(said_by(folder, line + " version") == test::run_command(folder, "version").out);
    said_by(folder, line + " exec -- " + (build / "bin/cuda-program").string() + " count");
}

}  // namespace

TEST_CASE("A command that was found through PATH or a link finds its libraries", "[command]") {
    test::TemporaryFolder const folder;
    check_complete(folder, "PATH=" + (build / "bin").string() + ":$PATH warpsim");
    fs::create_symlink(build / "bin/warpsim", folder / "link");
    check_complete(folder, "./link");
    fs::create_directory(folder / "elsewhere");
    check_complete(folder, "env -C elsewhere ../link");
}

TEST_CASE("The command finds its libraries as Debian's packages lay them out", "[command]") {
    test::TemporaryFolder const folder;
    fs::path const own = folder / "usr/lib/" WARPSIM_ARCHITECTURE "/warpsim";
    fs::create_directories(folder / "usr/bin");
    fs::create_directories(own);
    fs::copy_file(WARPSIM_COMMAND, folder / "usr/bin/warpsim");
    fs::create_symlink(build / "lib/cuda", own / "cuda");
    if (fs::exists(build / "lib/libwarpsim_compiler.so"))
        fs::create_symlink(build / "lib/libwarpsim_compiler.so", own / "libwarpsim_compiler.so");
    check_complete(folder, "usr/bin/warpsim");
    fs::remove(own / "cuda");
    CHECK(test::contains(said_by(folder, "! usr/bin/warpsim exec -- true"), "the CUDA libraries are missing"));
}

#endif

}  // namespace own_files_test
