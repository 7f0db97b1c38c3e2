// What kernels spill that may not have all the registers they want, compared with NVIDIA's compiler.
#include "tests/support/catch.hpp"
#include "tests/timing/plan_support.hpp"

#include <regex>

namespace plan_spills_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

struct Limited {
    std::string file, kernel;
    std::uint32_t limit = 0;
    std::uint64_t spilled = 0;  // bytes
};

std::vector<Limited> read_spills() {
    std::ifstream in(WARPSIM_SOURCE_DIR "/tests/timing/ptxas_spills.txt");
    std::vector<Limited> list;
    for (std::string line; std::getline(in, line);) {
        Limited l;
        if (line[0] != '#' && std::istringstream(line) >> l.file >> l.kernel >> l.limit >> l.spilled)
            list.push_back(l);
    }
    return list;
}

std::string replace(std::string const& text, char const* pattern, std::string const& by) {
    return std::regex_replace(text, std::regex(pattern), by);
}

/// The text of a file with one limit for each kernel and no other bounds.
std::string limited(std::string const& file, std::uint32_t limit) {
    std::ifstream in(WARPSIM_SOURCE_DIR "/" + file);
    std::string const text(std::istreambuf_iterator<char>(in), {});
    std::string const free = replace(text, "\\.(maxnreg|maxntid|minnctapersm|reqntid)[^\\n{]*", "");
    return replace(free, "(\\.entry\\s+[\\w$]+\\s*(\\([^)]*\\))?)",
                   "$1\n.maxnreg " + std::to_string(limit) + "\n");
}

}  // namespace

TEST_CASE("Kernels spill where ptxas spills, and about as much", "[timing]") {
    std::vector<Limited> const expected = read_spills();
    REQUIRE(expected.size() > 50);
    std::map<std::pair<std::string, std::uint32_t>, std::shared_ptr<runtime::Module>> texts;
    Modules modules("a100");
    std::size_t otherwise = 0;
    std::uint64_t ours = 0, theirs = 0;
    for (Limited const& e : expected) {
        auto& module = texts[{e.file, e.limit}];
        if (!module) module = modules.device.load_text(e.file, limited(e.file, e.limit));
        timing::MachineKernel const& kernel = modules.compiled(*module, e.kernel);
        INFO(e.file << " " << e.kernel << " with " << e.limit << " registers: " << kernel.spilled_bytes
                    << " bytes, ptxas " << e.spilled);
        CHECK(kernel.registers <= e.limit);
        // The worst cost some loads and stores, not a multiple of the kernel's time.
        CHECK(kernel.spilled_bytes <= 2 * e.spilled + 128);
        otherwise += (kernel.spilled_bytes > 0) != (e.spilled > 0);
        ours += kernel.spilled_bytes;
        theirs += e.spilled;
    }
    INFO(ours << " bytes, ptxas " << theirs << "; of " << expected.size() << " " << otherwise
              << " spill where ptxas does not, or do not where it does");
    CHECK(ours <= theirs * 3 / 2);
    CHECK(ours >= theirs / 2);
    CHECK(otherwise * 3 <= expected.size());
}

}  // namespace plan_spills_test
