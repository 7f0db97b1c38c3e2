// Every bad-*.ptx beside this file is wrong in its own way, and bad-*.txt is what the user is told. After a change
// of messages, WARPSIM_REBASE=1 rewrites the expectations: read the difference before you commit it.
#include "frontend/decode/decode.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace diagnostics_test {

using namespace warpsim::frontend;

namespace {

std::vector<std::filesystem::path> bad_files() {
    std::vector<std::filesystem::path> files;
    std::filesystem::path const folder = std::filesystem::path(WARPSIM_SOURCE_DIR) / "tests/frontend/diagnostics";
    for (auto const& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() == ".ptx") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

std::string diagnose(std::filesystem::path const& file, std::size_t& errors) {
    auto const source = std::make_shared<Source const>(file.filename().string(), Source::read(file.string()));
    Diagnostics diagnostics(*source);
    compile(source, diagnostics);
    errors = diagnostics.error_count();
    return diagnostics.render(0);
}

}  // namespace

TEST_CASE("Wrong PTX is refused with the messages that stand beside it") {
    bool const rebase = std::getenv("WARPSIM_REBASE") != nullptr;
    std::vector<std::filesystem::path> const files = bad_files();
    CHECK(files.size() >= 200);
    for (std::filesystem::path const& file : files) {
        CAPTURE(file.filename().string());
        std::size_t errors = 0;
        std::string const text = diagnose(file, errors);
        CHECK(errors > 0);
        std::filesystem::path const expected = std::filesystem::path(file).replace_extension(".txt");
        if (rebase) std::ofstream(expected, std::ios::binary) << text;
        REQUIRE(std::filesystem::exists(expected));
        CHECK(text == Source::read(expected.string()));
    }
}

}  // namespace diagnostics_test
