// Undefined bytes that are copied from one device to another.
#include "runtime/check/checkers.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <cstring>
#include <string>
#include <vector>

namespace init_devices_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

/// Two devices under the checkers of one process, each with a kernel; and what CUDA's libraries do to copy between them.
struct Pair {
    check::Checkers checkers{[] {
        check::Options options;
        options.kinds = check::parse_kinds("init");
        options.print_limit = 0;
        return options;
    }()};
    Program first, second;

    explicit Pair(std::string const& text)
        : first(text, "independent", options()), second(text, "independent", options()) {}
    runtime::DeviceOptions options() {
        runtime::DeviceOptions options = Program::one_thread();
        checkers.observe(options);
        return options;
    }
    void copy(runtime::DevicePointer to, runtime::DevicePointer from, std::size_t bytes) {
        std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<void const*>(from), bytes);
        second.device.tell_moved(to, from, bytes);
        first.device.tell_moved(to, from, bytes);
    }
    std::string whats() const {
        std::string text;
        for (check::Finding const& finding : checkers_findings()) text += finding.what + "\n";
        return text;
    }
    std::vector<check::Finding> checkers_findings() const {
        return const_cast<check::Checkers&>(checkers).findings().all();
    }
};

std::string const decides =
    "ld.global.u32 %r0, [%o4]; setp.eq.u32 %p0, %r0, 5; @%p0 bra YES; st.global.u32 [%o4], 1; YES:\n";

}  // namespace

TEST_CASE("A copy between devices takes along which bytes are undefined") {
    Pair pair(kernel(decides));
    std::vector<std::uint32_t> const values(32, 5);
    runtime::DevicePointer const from = pair.first.device.allocate(256), to = pair.second.device.allocate(256);
    SECTION("all are defined") {
        pair.first.device.write(from, values.data(), 128);
        pair.copy(to, from, 128);
        pair.second.launch(to, {});
        pair.second.device.download<std::uint32_t>(to, 32);
        CHECK(pair.whats().empty());
    }
    SECTION("undefined ones are no finding, as long as nothing depends on them") {
        pair.copy(to, from, 256);
        CHECK(pair.whats().empty());
        pair.second.device.write(to, values.data(), 128);
        pair.second.launch(to, {});
        CHECK(pair.whats().empty());
    }
    SECTION("they decide a branch") {
        pair.copy(to, from, 256);
        pair.second.launch(to, {});
        CHECK(pair.whats() == "uninitialised value decides a branch\n");
    }
    SECTION("they reach the host, and it is known where they come from") {
        pair.first.device.write(from, values.data(), 64);
        pair.copy(to, from, 128);
        pair.second.device.download<std::uint32_t>(to, 16);
        CHECK(pair.whats().empty());
        pair.second.device.download<std::uint32_t>(to, 32);
        REQUIRE(pair.whats() == "uninitialised value reaches the host\n");
        check::Finding const found = pair.checkers_findings().front();
        REQUIRE(!found.notes.empty());
        CHECK(found.notes[0].starts_with("a copy from another device brought it there; it comes from 256 bytes"));
    }
    SECTION("what was there before is overwritten") {
        pair.first.device.write(from, values.data(), 128);
        pair.copy(to, from, 256);
        pair.copy(to + 128, from, 128);
        pair.second.device.download<std::uint32_t>(to, 64);
        CHECK(pair.whats().empty());
    }
}

}  // namespace init_devices_test
