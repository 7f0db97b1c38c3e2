// What --check=race says of a program's own accesses to memory that kernels use (tests/cuda/exec/host_access.c).
#include "runtime/cuda/devices/page_key.hpp"
#include "tests/command/run_command.hpp"
#include "tests/support/catch.hpp"

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace host_access_test {

// A sanitizer's runtime must be loaded before all others, which it is not in programs that exec starts.
#ifndef WARPSIM_SANITIZED

using namespace warpsim;
using test::contains;

namespace {

std::string const program = WARPSIM_BINARY_DIR "/bin/host-access ";

/// The lines of mistakes: those that end with a comment that says so.
std::map<std::string, int> mistakes() {
    std::map<std::string, int> lines;
    std::ifstream source(WARPSIM_SOURCE_DIR "/tests/cuda/exec/host_access.c");
    std::string line;
    for (int number = 1; std::getline(source, line); ++number) {
        std::size_t const at = line.find("/* MISTAKE ");
        if (at == std::string::npos) continue;
        std::istringstream words(line.substr(at + 11));
        std::string name;
        words >> name;
        lines[name] = number;
    }
    return lines;
}

}  // namespace

TEST_CASE("Accesses of the host race with kernels and copies that it has not waited for", "[command]") {
    test::TemporaryFolder const folder;
    auto const found = mistakes();
    REQUIRE(found.size() >= 12);
    for (auto const& [name, line] : found) {
        if (name.starts_with("segv")) continue;
        // Without keys that is not noticed.
        if (name == "thread-behind-the-kernel" && cuda::PageKey::present() == nullptr) continue;
        INFO(name);
        test::Ended const racy = test::run_command(folder, "exec --check=race -- " + program + name);
        INFO(racy.err);
        CHECK(racy.status == 1);
        CHECK(racy.out == "ended\n");
        CHECK(contains(racy.err, "host_access.c:" + std::to_string(line)));
        CHECK(contains(racy.err, "1 finding"));
    }
}

TEST_CASE("Accesses of the host that are ordered are no races, and the program is not disturbed", "[command]") {
    test::TemporaryFolder const folder;
    for (char const* const name : {"read-waited",
                                   "write-waited",
                                   "read-what-is-read",
                                   "elsewhere",
                                   "own-stream",
                                   "event",
                                   "query",
                                   "attached",
                                   "copy-waited",
                                   "registered-waited",
                                   "host-function",
                                   "flag",
                                   "waits-for-host",
                                   "read-call",
                                   "fread",
                                   "free",
                                   "set",
                                   "thread-elsewhere",
                                   "thread-elsewhere-calls",
                                   "thread-joined",
                                   "thread-only-reads",
                                   "thread-beside-the-kernel",
                                   "thread-after"}) {
        INFO(name);
        test::Ended const fine = test::run_command(folder, "exec --check=race -- " + program + name);
        INFO(fine.err);
        CHECK(fine.status == 0);
        CHECK(fine.out == "ended\n");
        CHECK(contains(fine.err, "0 findings"));
    }
}

TEST_CASE("Frees of a stream and graphs race with other streams unless something orders them", "[command]") {
    test::TemporaryFolder const folder;
    auto const checked = [&](char const* name) {
        return test::run_command(folder, "exec --check=race -- " + program + name);
    };
    for (char const* const name : {"freed-after-use", "graph-twice"}) {
        INFO(name);
        test::Ended const fine = checked(name);
        INFO(fine.err);
        CHECK(fine.status == 0);
        CHECK(contains(fine.err, "0 findings"));
    }
    test::Ended const freed = checked("freed-in-use");
    INFO(freed.err);
    CHECK(freed.status == 1);
    CHECK(contains(freed.err, "in two streams at global"));
    CHECK(contains(freed.err, "may run at the same time as a free in stream"));
    test::Ended const graphs = checked("two-graphs");
    INFO(graphs.err);
    CHECK(graphs.status == 1);
    CHECK(contains(graphs.err, "write and write in two streams"));
}

TEST_CASE("A program keeps its own handler of faults beside the race checker", "[command]") {
    test::TemporaryFolder const folder;
    auto const found = mistakes();
    for (char const* const name : {"segv", "segv-later"}) {
        INFO(name);
        test::Ended const own = test::run_command(folder, "exec --check=race -- " + program + name);
        INFO(own.err);
        CHECK(own.status == 3);
        CHECK(own.out == "caught\n");
        CHECK(contains(own.err, "host_access.c:" + std::to_string(found.at(name))));
    }
}

#endif

}  // namespace host_access_test
