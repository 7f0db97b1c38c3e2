// The simulator's results for the instructions of tests/hw beside those of a GPU, to the bit.
#include "runtime/device.hpp"
#include "tests/hw/statements.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace answers_test {

using namespace warpsim;

namespace {

std::string const folder = std::string(WARPSIM_SOURCE_DIR) + "/tests/hw/";

/// Digests of the results of 1,024 threads and of 16,384, for each statement.
struct Answer {
    std::uint64_t few = 0, more = 0;
};
std::vector<Answer> read_answers(std::string const& path) {
    std::vector<Answer> answers;
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) {
        if (!line.starts_with('#'))
            answers.push_back(
                {std::stoull(line.substr(0, 16), nullptr, 16), std::stoull(line.substr(17, 16), nullptr, 16)});
    }
    return answers;
}

std::set<std::string> read_differences() {
    std::vector<std::string> const lines = hw::read_statements(folder + "differences.txt");
    return {lines.begin(), lines.end()};
}

class Gpu {
public:
    Gpu() : device_(sim::load_config("h100", {})) {
        in_ = device_.upload(hw::tables());
        out_ = device_.allocate(std::size_t{most_threads} * hw::most_results * 8);
    }

    /// Those that differ, and how many were compared.
    std::size_t compare(std::span<std::string const> statements, std::span<Answer const> answers,
                        std::uint32_t threads, std::string& different) {
        auto const module = device_.load_text("instructions.ptx", hw::module_of(statements));
        for (std::size_t i = 0; i < statements.size(); ++i) {
            runtime::LaunchShape shape;
            shape.grid = {threads / hw::block_threads, 1, 1};
            shape.block = {hw::block_threads, 1, 1};
            device_.launch(*module, "f" + std::to_string(i), shape, runtime::Arguments::of(in_, out_, threads));
            std::size_t const words = std::size_t{threads} * hw::result_count(statements[i]);
            std::uint64_t const digest = hw::digest(device_.download<std::uint64_t>(out_, words));
            if (digest != (threads == 1024 ? answers[i].few : answers[i].more))
                different += statements[i].substr(0, 100) + "\n";
        }
        return statements.size();
    }

    static constexpr std::uint32_t most_threads = 16384;

private:
    runtime::Device device_;
    runtime::DevicePointer in_ = 0, out_ = 0;
};

}  // namespace

TEST_CASE("Instructions give what a GPU gives", "[hw]") {
    std::vector<std::string> const all = hw::read_statements(folder + "instructions.txt");
    std::vector<Answer> const every = read_answers(folder + "answers/hopper.txt");
    REQUIRE(all.size() == every.size());
    std::set<std::string> const differences = read_differences();
    std::vector<std::string> statements;
    std::vector<Answer> answers;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (differences.contains(all[i])) continue;
        statements.push_back(all[i]);
        answers.push_back(every[i]);
    }
    CHECK(statements.size() + differences.size() == all.size());
    bool const is_thorough = std::getenv("WARPSIM_NIGHTLY") != nullptr;
#ifdef WARPSIM_SANITIZED
    constexpr std::size_t each = 16;  // every sixteenth module
#else
    constexpr std::size_t each = 1;
#endif
    Gpu gpu;
    std::string different;
    std::size_t compared = 0;
    constexpr std::size_t in_module = 50;
    for (std::size_t first = 0; first < statements.size(); first += in_module * each) {
        std::size_t const count = std::min(in_module, statements.size() - first);
        compared +=
            gpu.compare(std::span(statements).subspan(first, count), std::span(answers).subspan(first, count),
                        is_thorough ? Gpu::most_threads : 1024, different);
    }
    CHECK(compared > 100);
    INFO(different);
    CHECK(different.empty());
}

}  // namespace answers_test
