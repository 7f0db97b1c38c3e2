// Whole modules as compilers write them are accepted: a committed sample, and, where nvcc is installed, some
// compiled afresh. tools/make-corpus makes many more.
#include "frontend/decode/decode.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <unistd.h>

namespace corpus_test {

using namespace warpsim::frontend;

namespace {

std::vector<std::filesystem::path> modules_in(std::filesystem::path const& folder) {
    std::vector<std::filesystem::path> files;
    for (auto const& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() == ".ptx") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

/// What is wrong with a module, empty when nothing is; `kernels` counts its entries.
std::string complaints(std::filesystem::path const& file, std::size_t& kernels) {
    auto const source = std::make_shared<Source const>(file.filename().string(), Source::read(file.string()));
    Diagnostics diagnostics(*source);
    warpsim::ir::Module const module = compile(source, diagnostics);
    kernels += static_cast<std::size_t>(std::count_if(module.functions.begin(), module.functions.end(),
                                                      [](auto const& function) { return function.is_entry; }));
    return diagnostics.render(3, false);
}

std::filesystem::path const root = WARPSIM_SOURCE_DIR;

}  // namespace

TEST_CASE("Modules of nvcc and clang are accepted", "[frontend]") {
    auto const files = modules_in(root / "tests/frontend/corpus/sample");
    CHECK(files.size() >= 15);
    std::size_t kernels = 0;
    for (auto const& file : files) CHECK(complaints(file, kernels) == "");
    CHECK(kernels >= 50);
}

TEST_CASE("Modules that nvcc compiles here are accepted", "[frontend]") {
    if (std::system("command -v nvcc >/dev/null 2>&1 || test -x /usr/local/cuda/bin/nvcc") != 0) {
        WARN("skipped: no nvcc");
        return;
    }
    std::filesystem::path const folder =
        std::filesystem::temp_directory_path() / ("warpsim-corpus-" + std::to_string(::getpid()));
    std::string const command = "ARCHITECTURES=75 VARIANTS='plain debug' '" +
                                (root / "tools/make-corpus").string() + "' '" + folder.string() +
                                "' intrinsics separate >/dev/null 2>&1";
    REQUIRE(std::system(command.c_str()) == 0);
    auto const files = modules_in(folder);
    CHECK(files.size() == 4);
    std::size_t kernels = 0;
    for (auto const& file : files) CHECK(complaints(file, kernels) == "");
    CHECK(kernels == 6);
    std::filesystem::remove_all(folder);
}

}  // namespace corpus_test
