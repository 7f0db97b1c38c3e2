// Accesses that are faults: each is found, left out, and the kernel goes on.
#include "tests/check/checked_run.hpp"
#include "tests/support/catch.hpp"

#include <memory>

namespace fault_check_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

/// What `k` leaves in `out` under the memory checker, and what was found.
struct Checked {
    std::vector<std::uint32_t> out;
    std::vector<check::Finding> findings;
};

Checked run_checked(std::string const& body, std::size_t count, Threads const& threads) {
    check::Options options;
    options.kinds = {check::Kind::memory};
    options.print_limit = 0;
    check::Checkers checkers(options);
    runtime::DeviceOptions device = Program::one_thread();
    checkers.observe(device);
    Program program(kernel(body), "independent", device);
    Checked checked;
    checked.out = program.run<std::uint32_t>(count, threads);
    checked.findings = checkers.findings().all();
    return checked;
}

Threads const warp{{32, 1, 1}, {1, 1, 1}};

}  // namespace

TEST_CASE("A bad store is left out, and the other lanes store") {
    // 40 threads of 64 have a place in the array.
    Checked const checked = run_checked("st.global.u32 [%o4], 5;", 40, {{64, 1, 1}, {1, 1, 1}});
    CHECK(checked.out == std::vector<std::uint32_t>(40, 5));
    REQUIRE(checked.findings.size() == 1);
    check::Finding const& finding = checked.findings[0];
    CHECK(finding.kind == check::Kind::memory);
    CHECK(finding.what == "illegal address");
    CHECK(finding.count == 24);
    CHECK(finding.space == "global");
    CHECK(finding.bytes == 4);
    REQUIRE(finding.allocation);
    CHECK(finding.allocation->bytes == 160);
    CHECK(finding.address == finding.allocation->address + 160);
    REQUIRE(finding.act);
    CHECK(finding.act->thread == std::array<std::uint32_t, 3>{40, 0, 0});
    CHECK(finding.act->ptx.text == "st.global.u32 [%o4], 5;");
}

TEST_CASE("A bad load gives 0, and its thread goes on") {
    Checked const checked = run_checked(
        "st.global.u32 [%o4], 9; mov.u32 %r1, 77; ld.global.u32 %r1, [%o4+64]; st.global.u32 [%o4], %r1;", 32,
        warp);
    // Lanes 16 to 31 read past the end; the others read what the store has written.
    std::vector<std::uint32_t> expected(32, 9);
    std::fill(expected.begin() + 16, expected.end(), 0u);
    CHECK(checked.out == expected);
    REQUIRE(checked.findings.size() == 1);
    CHECK(checked.findings[0].count == 16);
}

TEST_CASE("An atomic with some bad lanes counts the good ones once") {
    Checked const checked =
        run_checked("setp.lt.u32 %p0, %i, 10; selp.b64 %d0, %out, 16, %p0; atom.add.u32 %r0, [%d0], 1;", 4, warp);
    CHECK(checked.out[0] == 10);
    REQUIRE(checked.findings.size() == 1);
    CHECK(checked.findings[0].count == 22);
}

TEST_CASE("A generic atomic on several spaces is performed once for each good lane") {
    Checked const checked =
        run_checked(".shared .b32 word; .reg .b64 %sh; mov.u64 %sh, word; cvta.shared.u64 %sh, %sh; st.u32 [%sh], "
                    "0; bar.warp.sync -1;\n"
                    "setp.lt.u32 %p0, %i, 8; selp.b64 %d0, %sh, %out, %p0; setp.lt.u32 %p1, %i, 16; @%p1 bra GO; "
                    "mov.u64 %d0, 3;\n"
                    "GO: atom.add.u32 %r0, [%d0], 1; bar.warp.sync -1; setp.ne.u32 %p2, %i, 0; @%p2 bra DONE;\n"
                    "ld.u32 %r1, [%sh]; st.global.u32 [%out+4], %r1;\nDONE:\n",
                    4, warp);
    CHECK(checked.out[0] == 8);
    CHECK(checked.out[1] == 8);
    REQUIRE(checked.findings.size() == 1);
    CHECK(checked.findings[0].what == "misaligned address");
    CHECK(checked.findings[0].count == 16);
}

TEST_CASE("Shared and local memory are checked like global memory") {
    Checked const shared = run_checked(".shared .b32 words[8]; mov.u64 %d0, words; mul.wide.u32 %d1, %i, 4; "
                                       "add.u64 %d0, %d0, %d1; st.shared.u32 [%d0], 1;",
                                       4, warp);
    REQUIRE(shared.findings.size() == 1);
    CHECK(shared.findings[0].space == "shared");
    CHECK(shared.findings[0].count == 24);
    Checked const local = run_checked(".local .b32 words[8]; mov.u64 %d0, words; mul.wide.u32 %d1, %i, 4; add.u64 "
                                      "%d0, %d0, %d1; st.local.u32 [%d0], 1;",
                                      4, warp);
    REQUIRE(local.findings.size() == 1);
    CHECK(local.findings[0].space == "local");
    CHECK(local.findings[0].count == 24);
}

TEST_CASE("What is right is no finding") {
    CHECK(run_checked("st.global.u32 [%o4], 5;", 64, {{64, 1, 1}, {1, 1, 1}}).findings.empty());
}

TEST_CASE("A member mask that does not name the lane is found each time") {
    auto const findings = findings_of(
        kernel("vote.sync.ballot.b32 %r0, 1, 0x0000ffff; vote.sync.ballot.b32 %r0, 1, 0xffffffff;"), warp, "sync");
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].kind == check::Kind::sync);
    CHECK(findings[0].count >= 1);
    CHECK(findings[0].act->ptx.text == "vote.sync.ballot.b32 %r0, 1, 0x0000ffff;");
}

}  // namespace fault_check_test
