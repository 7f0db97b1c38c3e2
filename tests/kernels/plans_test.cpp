// Every plan of plans/ through the command: what it computes is what make-expected computed.
#include "runtime/plan/png.hpp"
#include "tests/support/catch.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace plans_test {

namespace {

std::filesystem::path const folder = WARPSIM_SOURCE_DIR "/tests/kernels/plans";
std::filesystem::path const out = WARPSIM_BINARY_DIR "/tests/plans";

/// The command's exit status; what it printed goes to `output`.
int run(std::string const& arguments, std::string& output) {
    std::filesystem::create_directories(out);
    // Test cases run side by side, each in a process of its own.
    std::string const log = (out / ("log_" + std::to_string(getpid()) + ".txt")).string();
    int const status = std::system((WARPSIM_COMMAND " run " + arguments + " >'" + log + "' 2>&1").c_str());
    std::ifstream file(log);
    output.assign(std::istreambuf_iterator<char>(file), {});
    std::filesystem::remove(log);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string quoted(std::filesystem::path const& path) { return "'" + path.string() + "'"; }

std::vector<std::filesystem::path> plans() {
    std::vector<std::filesystem::path> found;
    for (auto const& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() == ".json") found.push_back(entry.path());
    }
    std::sort(found.begin(), found.end());
    return found;
}

std::string bytes_of(std::filesystem::path const& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("Every plan gives what its expectation says, and saves it", "[kernels]") {
    REQUIRE(plans().size() >= 7);
    for (auto const& plan : plans()) {
        INFO(plan.string());
        std::string output;
        CHECK(run("--threads 1 --out " + quoted(out) + " " + quoted(plan), output) == 0);
        INFO(output);
        std::string const name = plan.stem().string();
        std::string const kind = std::filesystem::exists(folder / (name + "_want.npy")) ? ".npy" : ".bin";
        std::string const want = bytes_of(folder / (name + "_want" + kind));
        std::string const got = bytes_of(out / (name + "_out" + kind));
        // The headers of two .npy writers may differ in blanks; the elements may not.
        std::size_t const header = kind == ".npy" ? 128 : 0;
        REQUIRE(want.size() > header);
        REQUIRE(got.size() >= want.size() - header);
        CHECK(got.substr(got.size() - (want.size() - header)) == want.substr(header));
    }
}

TEST_CASE("A plan whose expectation fails ends with status 1 and says where", "[kernels]") {
    std::string output;
    std::filesystem::path const plan = WARPSIM_SOURCE_DIR "/examples/race/plan.json";
    CHECK(run("--threads 1 " + quoted(plan), output) == 1);
    INFO(output);
    CHECK(output.find("unsynchronised") != std::string::npos);
    CHECK(output.find("1024") != std::string::npos);
}

TEST_CASE("Textures turn a picture alike in both modes", "[kernels]") {
    std::filesystem::path const plan = WARPSIM_SOURCE_DIR "/examples/textures/plan.json";
    for (char const* const mode : {"functional", "timing"}) {
        std::string output;
        INFO(mode);
        CHECK(run(quoted(plan) + " --mode " + mode + " --out " + quoted(out / "textures" / mode), output) == 0);
        INFO(output);
    }
    auto const picture = [](char const* mode, char const* name) {
        return warpsim::plan::read_png((out / "textures" / mode / name).string(), 4);
    };
    for (char const* const name : {"small.png", "smooth.png", "rough.png"})
        CHECK(picture("functional", name) == picture("timing", name));
    // Without a filter there are only colours of the original, with one there are others.
    auto const colours = [](std::vector<std::byte> const& bytes) {
        std::set<std::vector<std::byte>> found;
        for (std::size_t i = 0; i < bytes.size(); i += 4)
            found.emplace(bytes.begin() + static_cast<std::ptrdiff_t>(i),
                          bytes.begin() + static_cast<std::ptrdiff_t>(i + 4));
        return found;
    };
    auto const original =
        colours(warpsim::plan::read_png(WARPSIM_SOURCE_DIR "/examples/images/mandelbrot.png", 4));
    auto const rough = colours(picture("functional", "rough.png")),
               smooth = colours(picture("functional", "smooth.png"));
    CHECK(rough.size() > 10);
    CHECK(std::includes(original.begin(), original.end(), rough.begin(), rough.end()));
    CHECK(!std::includes(original.begin(), original.end(), smooth.begin(), smooth.end()));
}

TEST_CASE("A deadlock ends the command with status 4", "[kernels]") {
    std::string output;
    CHECK(run("--set sm.control_flow=stack " + quoted(folder / "warp_lock.json"), output) == 4);
    INFO(output);
    CHECK(output.find("deadlock") != std::string::npos);
}

}  // namespace plans_test
