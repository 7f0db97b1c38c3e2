// setmaxnreg: registers that warps give to the pool of their CTA, and take from it.
#include "sim/config/config.hpp"
#include "sim/exec/op.hpp"
#include "sim/exec/registers.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <string>
#include <vector>

namespace register_count_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

std::string const dec = "setmaxnreg.dec.sync.aligned.u32 ", inc = "setmaxnreg.inc.sync.aligned.u32 ";

/// %w is the number of the warp, %g that of its warpgroup; `first` is executed by the first one, `others` by the others. Every
/// thread stores what it counts in %n.
std::string pool_kernel(std::string const& bounds, std::string const& first, std::string const& others) {
    return ".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 p_out, .param .u64 "
           "p_in) " +
           bounds +
           "\n{\n.reg .pred %p<4>; .reg .b32 %t, %w, %g, %n; .reg .b64 %out, %at;\n"
           "ld.param.u64 %out, [p_out]; mov.u32 %t, %tid.x; shr.u32 %w, %t, 5; shr.u32 %g, %t, 7; mov.u32 %n, 0;\n"
           "setp.eq.u32 %p0, %g, 0; @%p0 bra FIRST;\n" +
           others + "bra.uni STORE;\nFIRST:\n" + first +
           "STORE: mul.wide.u32 %at, %t, 4; add.u64 %at, %at, %out; st.global.u32 [%at], %n; ret;\n}\n";
}
std::string const bounds_of_three = ".maxntid 384, 1, 1 .minnctapersm 1";
/// So many rounds.
std::string wait_long(std::string const& label) {
    return label + ": add.u32 %n, %n, 1; setp.lt.u32 %p1, %n, 2000; @%p1 bra " + label + ";\n";
}

struct Way {
    std::string control_flow;
    runtime::Mode mode;
};
std::vector<Way> const ways{{"independent", runtime::Mode::functional},
                            {"stack", runtime::Mode::functional},
                            {"independent", runtime::Mode::timing}};

std::string error_of(std::string const& text, Way const& way, std::uint32_t threads) {
    runtime::DeviceOptions options = Program::one_thread();
    options.mode = way.mode;
    Program program(text, way.control_flow, options);
    return program.error(4096, {{threads, 1, 1}, {1, 1, 1}, 0});
}
void check_error(std::string const& text, std::uint32_t threads, std::string const& says) {
    for (Way const& way : ways) {
        std::string const error = error_of(text, way, threads);
        INFO(text << "\n" << error);
        if (says.empty()) CHECK(error.empty());
        else CHECK(contains(error, says));
    }
}

}  // namespace

TEST_CASE("Warps that take registers wait until others have given some away", "[exec]") {
    // 168 for each of twelve warps: four keep 40, so that eight get 232, after a time that they cannot know.
    check_error(pool_kernel(bounds_of_three, wait_long("L") + dec + "40;\n", inc + "232;\n"), 384, "");
    check_error(pool_kernel(bounds_of_three, dec + "24;\nbar.sync 1, 128;\n" + inc + "56;\n", inc + "224;\n"), 384,
                "");
}

TEST_CASE("setmaxnreg to what a warp has already needs no other warp", "[exec]") {
    std::string const late = "setp.ne.u32 %p2, %w, 1; @%p2 bra GO;\n" + wait_long("L") + "GO: ";
    check_error(pool_kernel(bounds_of_three, late + dec + "40;\n" + dec + "40;\n", inc + "232;\n"), 384, "");
    check_error(
        pool_kernel(bounds_of_three, inc + "168;\n" + late + dec + "40;\n" + inc + "40;\n", inc + "232;\n"), 384,
        "");
}

TEST_CASE("Registers that nobody gives away are waited for in vain", "[exec]") {
    std::string const text = pool_kernel(bounds_of_three, dec + "48;\n", inc + "232;\n");
    for (Way const& way : ways) {
        std::string const error = error_of(text, way, 384);
        INFO(error);
        CHECK(contains(error, "deadlock"));
        CHECK(contains(error, "wait for 64 more registers a thread (the pool of the block has 32)"));
        CHECK(contains(error, inc + "232;"));
    }
    // With two such CTAs on an SM each thread begins with 80.
    check_error(pool_kernel(".maxntid 384, 1, 1 .minnctapersm 2", dec + "40;\n", inc + "96;\n"), 384, "");
    check_error(pool_kernel(".maxntid 384, 1, 1 .minnctapersm 2", dec + "40;\n", inc + "104;\n"), 384, "deadlock");
    check_error(pool_kernel(".maxnreg 64", dec + "40;\n", inc + "88;\n"), 256, "");
    check_error(pool_kernel(".maxnreg 64", dec + "40;\n", inc + "96;\n"), 256, "deadlock");
}

TEST_CASE("setmaxnreg does nothing where a kernel does not say with how many registers it begins", "[exec]") {
    check_error(pool_kernel("", dec + "200;\n", inc + "232;\n"), 384, "");
    check_error(pool_kernel(".maxntid 384, 1, 1", inc + "240;\n", inc + "232;\n"), 384, "");
}

TEST_CASE("Wrong uses of setmaxnreg are reported", "[exec]") {
    check_error(pool_kernel(bounds_of_three, dec + "200;\n", inc + "232;\n"), 384,
                "setmaxnreg.dec to 200 registers of threads that have 168");
    check_error(pool_kernel(bounds_of_three, dec + "40;\nbar.sync 1, 128;\n" + inc + "24;\n", inc + "232;\n"), 384,
                "setmaxnreg.inc to 24 registers of threads that have 40");
    std::string const by_warp = "setp.eq.u32 %p2, %w, 1; @%p2 bra OTHER;\n";
    check_error(
        pool_kernel(bounds_of_three, by_warp + dec + "40;\nbra STORE;\nOTHER: " + dec + "64;\n", inc + "168;\n"),
        384, "of the same warpgroup executed setmaxnreg.dec to");
    check_error(pool_kernel(bounds_of_three, by_warp + wait_long("L") + dec + "40;\nbra STORE;\nOTHER: ret;\n",
                            inc + "168;\n"),
                384, "which warp 1 of the same warpgroup did not execute before ending");
    check_error(pool_kernel(bounds_of_three,
                            "setp.ne.u32 %p2, %w, 1; @%p2 bra GO;\n" + wait_long("L") + "GO: " + dec + "40;\n" +
                                dec + "32;\n",
                            inc + "168;\n"),
                384, "of the same warpgroup have executed the one before");
    check_error(pool_kernel(bounds_of_three, "setp.lt.u32 %p2, %t, 7; @%p2 " + dec + "40;\n", inc + "168;\n"), 384,
                "setmaxnreg");
}

TEST_CASE("Directives leave each thread the registers that ptxas allows for all CTAs together", "[exec]") {
    struct Row {
        std::uint32_t threads, ctas, registers;
    };
    sim::Config const config = sim::load_config("a100");
    for (Row const& row : {Row{32, 12, 168},
                           {32, 16, 128},
                           {64, 5, 168},
                           {64, 16, 64},
                           {64, 32, 32},
                           {96, 4, 168},
                           {96, 5, 128},
                           {96, 6, 96},
                           {160, 2, 168},
                           {160, 3, 128},
                           {192, 7, 40},
                           {224, 3, 80},
                           {256, 3, 80},
                           {320, 1, 168},
                           {320, 2, 96},
                           {1024, 2, 32}}) {
        INFO(row.ctas << " CTAs of " << row.threads);
        CHECK(sim::registers_for_all(config, row.threads, row.ctas) == row.registers);
    }
}

}  // namespace register_count_test
