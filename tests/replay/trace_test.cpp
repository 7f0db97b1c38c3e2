// Traces of Accel-Sim's tracer: what is read, and what is said of mistakes.
#include "runtime/replay/sass_table.hpp"
#include "runtime/replay/trace.hpp"
#include "sim/error.hpp"
#include "tests/support/catch.hpp"

#include <string>

namespace {
namespace trace_test {

using namespace warpsim;
using namespace warpsim::replay;

std::string header(int version, std::string const& more = "") {
    return "-kernel name = copy\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-shmem = 0\n-nregs = "
           "16\n"
           "-binary version = 70\n-accelsim tracer version = " +
           std::to_string(version) + "\n" + more + "\n#traces format = PC mask ...\n\n";
}
std::string cta(std::string const& lines) {
    return "#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\n" + lines + "\n#END_TB\n";
}
std::string message(std::string const& text) {
    try {
        parse_trace("kernel-1.traceg", text);
    } catch (Error const& error) {
        return error.what();
    }
    return "";
}

TEST_CASE("a trace gives lanes, registers and addresses in each of three ways", "[replay]") {
    KernelTrace const trace =
        parse_trace("t", header(4) + cta("insts = 4\n"
                                         "0010 0000000f 1 R4 LDG.E.64.SYS 1 R2 8 1 0x1000 8 0\n"
                                         "0020 00000005 1 R4 LDG.E 1 R2 4 2 0x2000 -64 0\n"
                                         "0000 00000006 0 STG.E.U8 2 R2 R255 1 0 0x30 0x51 0\n"
                                         "0030 ffffffff 0 EXIT 0 0 0\n"));
    REQUIRE(trace.ctas.size() == 1);
    auto const& records = trace.ctas[0].warps[0].records;
    REQUIRE(records.size() == 4);
    // By pc, however they come.
    CHECK(trace.instructions[0].opcode == "STG.E.U8");
    CHECK(trace.instructions[0].bytes == 1);
    CHECK(trace.instructions[1].bytes == 8);
    CHECK(records[0].instruction == 1);
    CHECK(trace.instructions[1].sources == std::vector<std::uint32_t>{2});
    CHECK(trace.addresses ==
          std::vector<std::uint64_t>{0x1000, 0x1008, 0x1010, 0x1018, 0x2000, 0x1fc0, 0x30, 0x51});
}

TEST_CASE("older tracers write the CTA in each line, newer ones the line of the source", "[replay]") {
    KernelTrace const old = parse_trace("t", header(2) + cta("0 0 0 0 0008 ffffffff 0 EXIT 0 0\n"));
    CHECK(old.instructions.at(0).pc == 8);
    KernelTrace const now =
        parse_trace("t", header(5, "-enable lineinfo = 1\n") + cta("17 0008 ffffffff 0 EXIT 0 0 0\n"));
    CHECK(now.instructions.at(0).line == 17);
}

TEST_CASE("instructions of one place in two functions are two", "[replay]") {
    // Functions that are called begin at 0 like the kernel.
    KernelTrace const trace =
        parse_trace("t", header(5) + cta("0000 ffffffff 1 R1 MOV 1 R2 0 7\n0010 ffffffff 0 CALL.REL.NOINC "
                                         "0 0 64\n0000 ffffffff 1 R3 MOV 1 R2 0 8\n0000 0000000f 1 R1 "
                                         "MOV 1 R2 0 7\n"));
    REQUIRE(trace.instructions.size() == 3);
    auto const& records = trace.ctas[0].warps[0].records;
    CHECK(records[0].instruction == records[3].instruction);
    CHECK(trace.instructions[records[2].instruction].destinations == std::vector<std::uint32_t>{3});
    CHECK(trace.instructions[records[2].instruction].immediate == 8);
    CHECK(trace.instructions[2].opcode == "CALL.REL.NOINC");
}

TEST_CASE("a mistake in a trace is told with its place", "[replay]") {
    CHECK(message(header(6)).find("kernel-1.traceg:8:28: error: version 6") == 0);
    std::string const bad = message(header(3) + cta("0008 fffffffg 0 EXIT 0 0\n"));
    CHECK(bad.find("the mask must be a hexadecimal number") != std::string::npos);
    CHECK(bad.find("^~~~~~~~") != std::string::npos);
    CHECK(message(header(3) + cta("0008 3 1 R4 LDG.E 1 R2 4 0 0x10\n")).find("ends before an address") !=
          std::string::npos);
    CHECK(message(header(3) + cta("0008 3 1 R4 LDG.E 1 R2 4 3 0x10\n")).find("addresses are 0") !=
          std::string::npos);
    CHECK(message(header(3) + "#BEGIN_TB\nthread block = 0,0,0\n").find("no #END_TB") != std::string::npos);
    CHECK(message(header(3) + "0 0 0 0 0008 3 0 EXIT 0 0\n").find("post-traces-processing") != std::string::npos);
    CHECK(message("").find("grid dim") != std::string::npos);
    CHECK(message("-grid dim = (65536,65536,1)\n").find("more than 67108864 CTAs") != std::string::npos);
    CHECK(message(header(4) + cta("100000000 ffffffff 0 EXIT 0 0\n")).find("the pc is too large") !=
          std::string::npos);
}

TEST_CASE("no text of a trace that is cut off or changed does more than be refused", "[replay]") {
    std::string const whole = header(4) + cta("insts = 1\n0010 0000000f 1 R4 LDG.E.64 1 R2 8 1 0x1000 8 0\n");
    for (std::size_t i = 0; i < whole.size(); ++i) {
        message(whole.substr(0, i));
        for (char const c : {'\0', '9', ' ', '\n', '=', '-', '\xff'}) {
            std::string changed = whole;
            changed[i] = c;
            message(changed);
        }
    }
    SUCCEED();
}

TEST_CASE("a list of kernels has copies and traces beside it", "[replay]") {
    auto const list =
        parse_list("kernelslist.g", "MemcpyHtoD,0x00000100,800\nMemcpyDtoH,0x1,2\nkernel-1.traceg.xz\n", "a/");
    REQUIRE(list.size() == 2);
    CHECK(list[0].address == 0x100);
    CHECK(list[0].bytes == 800);
    CHECK(list[1].file == "a/kernel-1.traceg.xz");
    CHECK_THROWS_AS(parse_list("kernelslist.g", "MemcpyHtoD,zz,1\n", ""), Error);
}

TEST_CASE("an opcode has the row that shares most of its parts", "[replay]") {
    CHECK(sass_row("IMAD.WIDE.U32")->results == 2);
    CHECK(sass_row("IMAD.HI")->results == 1);
    CHECK(sass_row("FADDX") == nullptr);
    CHECK(!why_not_timed("HGMMA.64x64x16.F32").empty());
    CHECK(why_not_timed("BAR.SYNC").empty());
}

}  // namespace trace_test
}  // namespace
