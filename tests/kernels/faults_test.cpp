// What a fault's report names, and which launches are refused.
#include "tests/kernels/kernel_run.hpp"
#include "tests/support/catch.hpp"

#include <fstream>
#include <functional>

namespace faults_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

/// The number of the first line that holds `text` after the line that holds `after`.
std::string line_of(std::string const& file, std::string const& after, std::string const& text) {
    std::ifstream in(kernel_folder() + file);
    std::string line;
    bool inside = false;
    for (int number = 1; std::getline(in, line); ++number) {
        inside = inside || line.find(after) != std::string::npos;
        if (inside && line.find(text) != std::string::npos) {
            return std::to_string(number);
        }
    }
    FAIL("no line '" << text << "' in " << file);
    return {};
}

/// " FILE:LINE:", or "FILE:LINE" of the CUDA source.
std::string ptx_place(std::string const& kernel, std::string const& text) {
    return "faults.ptx:" + line_of("faults.ptx", ".entry " + kernel + "(", text) + ":";
}
std::string source_place(std::string const& kernel, std::string const& text) {
    return "faults.cu:" + line_of("faults.cu", kernel, text);
}

std::string error_of(ErrorKind kind, std::function<void()> const& action) {
    try {
        action();
    } catch (Error const& error) {
        CHECK(error.kind() == kind);
        return error.what();
    }
    return "no error";
}

void check_names(std::string const& message, std::vector<std::string> const& parts) {
    INFO(message);
    for (std::string const& part : parts) {
        INFO("wanted: " << part);
        CHECK(message.find(part) != std::string::npos);
    }
}

}  // namespace

TEST_CASE("A store past the end names the allocation, the thread and both source places", "[kernels]") {
    for (Way const& way : every_way()) {
        INFO(way.text());
        Machine machine("faults", way);
        auto const out = machine.device.allocate(160);
        check_names(error_of(ErrorKind::fault,
                             [&] {
                                 machine.launch("store_past_end", {2, 1, 1}, {32, 1, 1}, 0, out, 40);
                             }),
                    {"illegal address: 4-byte store to global 0x", "160-byte allocation",
                     "kernel store_past_end, grid (2,1,1), block (1,0,0), thread (8,0,0), warp 0 lane 8",
                     ptx_place("store_past_end", "st.global"), "st.global.u32", "[%rd4], %r1;",
                     "(" + source_place("store_past_end", "out[i] = i") + ")"});
    }
}

TEST_CASE("An access that hardware does not notice passes where whole pages are allowed, and no other",
          "[kernels]") {
    std::string const note = "--set memory.bounds=page";
    std::uint64_t const page = 2 << 20;
    for (Way const& way : every_way()) {
        INFO(way.text());
        Machine exact("faults", way);
        auto const strict = exact.device.allocate(160);
        std::string const refused = error_of(ErrorKind::fault, [&] {
            exact.launch("store_past_end", {2, 1, 1}, {32, 1, 1}, 0, strict, 40);
        });
        CHECK(refused.find(note) != std::string::npos);
        std::string const far = error_of(ErrorKind::fault, [&] {
            exact.launch("store_past_end", {2, 1, 1}, {32, 1, 1}, 0, strict + 4 * page, 40);
        });
        CHECK(far.find(note) == std::string::npos);

        Machine machine("faults", with_threads(way.threads),
                        {"memory.bounds=page", "sm.control_flow=" + way.control_flow});
        auto const out = machine.device.allocate(160);
        machine.launch("store_past_end", {2, 1, 1}, {32, 1, 1}, 0, out, 40);
        CHECK(machine.device.download<std::int32_t>(out, 40)[39] == 39);
        // The last word of the page, and what follows it, of which nothing is allocated.
        std::uint64_t const end = (out / page + 1) * page;
        machine.launch("store_past_end", {1, 1, 1}, {32, 1, 1}, 0, end - 128, 32);
        check_names(error_of(ErrorKind::fault,
                             [&] {
                                 machine.launch("store_past_end", {2, 1, 1}, {32, 1, 1}, 0, end - 128, 32);
                             }),
                    {"illegal address: 4-byte store to global 0x", "not inside any allocation", "thread (0,0,0)"});
    }
}

TEST_CASE("A device can be used after a fault", "[kernels]") {
    Machine machine("faults");
    auto const out = machine.device.allocate(160);
    CHECK_THROWS_AS(machine.launch("store_past_end", {2, 1, 1}, {32, 1, 1}, 0, out, 40), Error);
    machine.launch("store_past_end", {2, 1, 1}, {32, 1, 1}, 0, out, 39);
    CHECK(machine.device.download<std::int32_t>(out, 40)[39] == 39);
}

TEST_CASE("A misaligned load names the lane that made it", "[kernels]") {
    Machine machine("faults");
    auto const in = machine.device.allocate(256);
    auto const out = machine.device.allocate(256);
    check_names(error_of(ErrorKind::fault,
                         [&] {
                             machine.launch("misaligned_load", {1, 1, 1}, {32, 1, 1}, 0, in, out);
                         }),
                {"misaligned", "4-byte load", "kernel misaligned_load", "thread (5,0,0), warp 0 lane 5",
                 ptx_place("misaligned_load", "ld.global"), source_place("misaligned_load", "out[i] =")});
}

TEST_CASE("A use after free is told from other illegal addresses", "[kernels]") {
    Machine machine("faults");
    auto const out = machine.device.allocate(256);
    machine.device.free(out);
    check_names(error_of(ErrorKind::fault,
                         [&] {
                             machine.launch("inlined_store", {1, 1, 1}, {32, 1, 1}, 0, out);
                         }),
                {"illegal address: 4-byte store to global 0x", "freed", "thread (0,0,0)"});
}

TEST_CASE("A fault in an inlined function names the call as well", "[kernels]") {
    Machine machine("faults");
    check_names(error_of(ErrorKind::fault,
                         [&] {
                             machine.launch("inlined_store", {1, 1, 1}, {1, 1, 1}, 0, std::uint64_t{0});
                         }),
                {"illegal address: 4-byte store to global 0x0", source_place("put(int*", "*where = value"),
                 source_place("inlined_store", "put(out")});
}

TEST_CASE("A load past the end of shared memory is a fault", "[kernels]") {
    Machine machine("faults");
    auto const out = machine.device.allocate(256);
    check_names(error_of(ErrorKind::fault,
                         [&] {
                             machine.launch("shared_past_end", {1, 1, 1}, {64, 1, 1}, 0, out, 8);
                         }),
                {"illegal address: 4-byte load", "shared", "thread (56,0,0), warp 1 lane 24",
                 ptx_place("shared_past_end", "ld.shared"),
                 source_place("shared_past_end", "out[threadIdx.x] =")});
}

TEST_CASE("A barrier that can never be complete is a deadlock that names it", "[kernels]") {
    Machine machine("faults");
    auto const out = machine.device.allocate(256);
    check_names(error_of(ErrorKind::fault,
                         [&] {
                             machine.launch("barrier_in_branch", {1, 1, 1}, {64, 1, 1}, 0, out);
                         }),
                {"deadlock", "kernel barrier_in_branch", "barrier 1"});
}

TEST_CASE("A trap is a fault of the thread that executed it", "[kernels]") {
    Machine machine("faults");
    auto const out = machine.device.allocate(256);
    check_names(error_of(ErrorKind::fault,
                         [&] {
                             machine.launch("trap", {1, 1, 1}, {32, 1, 1}, 0, out);
                         }),
                {"trap", "kernel trap", "thread (7,0,0)", ptx_place("trap", "trap;")});
}

TEST_CASE("A runaway kernel stops at the limit of instructions", "[kernels]") {
    for (Way const& way : every_way()) {
        INFO(way.text());
        runtime::DeviceOptions options = with_threads(way.threads);
        options.max_instructions = 10'000;
        Machine machine("faults", options, {"sm.control_flow=" + way.control_flow});
        auto const flag = machine.device.allocate(4);
        check_names(error_of(ErrorKind::fault,
                             [&] {
                                 machine.launch("endless", {4, 1, 1}, {64, 1, 1}, 0, flag);
                             }),
                    {"--max-instructions", "kernel endless"});
        std::uint32_t const set = 1;
        machine.device.write(flag, &set, sizeof set);
        CHECK(machine.launch("endless", {4, 1, 1}, {64, 1, 1}, 0, flag).instructions.warp < 10'000);
    }
}

TEST_CASE("A loop on a flag that nobody can set is a deadlock, not a hang", "[kernels]") {
    for (Way const& way : every_way()) {
        INFO(way.text());
        Machine machine("faults", way);
        auto const flag = machine.device.allocate(4);
        check_names(error_of(ErrorKind::fault,
                             [&] {
                                 machine.launch("endless", {2, 1, 1}, {64, 1, 1}, 0, flag);
                             }),
                    {"deadlock", "kernel endless", "faults.ptx:"});
    }
}

TEST_CASE("A launch that cannot be placed is refused with the resource and its limit", "[kernels]") {
    Machine machine("dynamic_shared");
    auto const buffer = machine.device.allocate(1 << 16);
    auto const refusal = [&](std::array<std::uint32_t, 3> grid, std::array<std::uint32_t, 3> block,
                             std::uint32_t shared) {
        return error_of(ErrorKind::launch,
                        [&] { machine.launch("dynamic_shared", grid, block, shared, buffer, buffer, buffer); });
    };
    check_names(refusal({1, 1, 1}, {1025, 1, 1}, 0), {"dynamic_shared", "1025", "1024"});
    check_names(refusal({1, 1, 1}, {32, 64, 1}, 0), {"threads", "2048", "1024"});
    check_names(refusal({1, 1, 1}, {1, 1, 65}, 0), {"65", "64"});
    check_names(refusal({1, 1, 1}, {32, 1, 1}, 300 * 1024), {"shared memory", "307200", "232448"});
    check_names(refusal({1, 65536, 1}, {32, 1, 1}, 0), {"65536", "65535"});
    check_names(refusal({0, 1, 1}, {32, 1, 1}, 0), {"grid"});
}

TEST_CASE("A launch of an unknown kernel or with the wrong arguments is refused", "[kernels]") {
    Machine machine("saxpy");
    CHECK_THROWS_AS(machine.launch("saxpi", {1, 1, 1}, {32, 1, 1}, 0), Error);
    CHECK_THROWS_AS(machine.launch("saxpy", {1, 1, 1}, {32, 1, 1}, 0, 5), Error);
}

}  // namespace faults_test
