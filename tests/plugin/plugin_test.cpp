// Plug-ins: the example with a component of each kind, and those that make mistakes.
#include "tests/command/run_command.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

namespace plugin_test {

using namespace warpsim;
using test::contains;
using test::run_command;

namespace {

std::string const plan = WARPSIM_SOURCE_DIR "/tests/kernels/plans/reduce.json";
std::string const example = "--plugin " WARPSIM_PLUGINS "/libwarpsim_example_plugin.so ";

std::string mistake(std::string const& which) {
    return std::string("--plugin " WARPSIM_PLUGINS "/libwarpsim_mistake_") + which + ".so ";
}

std::string timed(std::string const& options) {
    return "run " + plan + " --out . --mode timing --config teaching --stats s.json " + options;
}

nlohmann::json launches(test::TemporaryFolder const& folder) {
    nlohmann::json all = nlohmann::json::parse(folder.read("s.json")).at("launches");
    for (auto& launch : all) launch.erase("host_seconds");
    return all;
}

std::uint64_t cycles(test::TemporaryFolder const& folder, std::string const& options) {
    test::Ended const ended = run_command(folder, timed(options));
    INFO(ended.err);
    REQUIRE(ended.status == 0);
    std::uint64_t sum = 0;
    for (auto const& launch : launches(folder)) sum += launch.at("cycles").get<std::uint64_t>();
    return sum;
}

}  // namespace

TEST_CASE("A component of each kind comes from a plug-in, and host threads change nothing", "[plugin]") {
    test::TemporaryFolder const folder;
    std::uint64_t const without = cycles(folder, "--threads 1");
    // Loaded and not chosen, it changes nothing.
    CHECK(cycles(folder, example + "--threads 1") == without);
    struct Choice {
        char const* setting;
        bool matters;  // in this plan
    };
    for (Choice const& choice :
         {Choice{"sm.schedulers.policy=youngest", true}, Choice{"sm.l1.replacement=srrip", false},
          Choice{"l2.slices.replacement=srrip", false}, Choice{"sm.l1.prefetcher=ahead:2", true},
          Choice{"sm.l1.write_policy=whole_sectors", false}, Choice{"l2.slices.write_policy=whole_sectors", false},
          Choice{"dram.channels.policy=newest", false}, Choice{"interconnect.topology=halves", true},
          Choice{"launch.placement=packed", true}}) {
        INFO(choice.setting);
        std::string const options = example + "--set " + choice.setting;
        std::uint64_t const with = cycles(folder, options + " --threads 1");
        if (choice.matters) CHECK(with != without);
        nlohmann::json const one = launches(folder);
        CHECK(cycles(folder, options + " --threads 2") == with);
        CHECK(launches(folder) == one);
    }
}

TEST_CASE("An observer hears the same of each SM for any number of host threads, and in order", "[plugin]") {
    test::TemporaryFolder const folder;
    std::string told;
    for (char const* const threads : {"1", "2"}) {
        test::Ended const ended = run_command(folder, timed(example + "--threads " + threads));
        REQUIRE(ended.status == 0);
        CHECK(contains(ended.out, "part 0, "));
        CHECK(contains(ended.out, " bytes\n"));
        if (told.empty()) told = ended.out;
        else CHECK(ended.out == told);
    }
    // 64 threads load a float and store one each.
    folder.write("k.ptx", ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
                          ".reg .u32 %r<2>; .reg .u64 %d<3>;\nld.param.u64 %d0, [p]; mov.u32 %r0, %tid.x;\n"
                          "mad.wide.u32 %d1, %r0, 4, %d0;\nld.global.u32 %r1, [%d1];\nst.global.u32 [%d1], %r1;\n"
                          "ret;\n}\n");
    test::Ended const ended =
        run_command(folder, "run k.ptx --block 64 --arg 'u32[64]=iota' --threads 1 " + example);
    CHECK(ended.status == 0);
    CHECK(contains(ended.out, "k, part 0, k.ptx:9: 256 bytes"));
    CHECK(contains(ended.out, "k, part 0, k.ptx:10: 256 bytes"));
}

TEST_CASE("Names that are there neither built in nor in a plug-in are refused with those that are", "[plugin]") {
    test::TemporaryFolder const folder;
    test::Ended ended = run_command(folder, timed(example + "--set sm.schedulers.policy=youngst"));
    CHECK(ended.status == 2);
    CHECK(contains(ended.err, "'two_level', 'youngest'; did you mean 'youngest'?"));
    ended = run_command(folder, timed("--set sm.schedulers.policy=youngest"));
    CHECK(ended.status == 2);
    CHECK(contains(ended.err, "must be one of 'cggty', 'gto', 'lrr', 'two_level'"));
    // A built-in one takes no argument.
    CHECK(run_command(folder, timed("--set sm.schedulers.policy=gto:3")).status == 2);
}

TEST_CASE("What is wrong with a plug-in is said before anything runs", "[plugin]") {
    test::TemporaryFolder const folder;
    folder.write("text.so", "no library");
    struct Case {
        std::string options, message;
    };
    for (Case const& one : {
             Case{"--plugin missing.so", "--plugin missing.so: there is no such file"},
             Case{"--plugin text.so", "--plugin text.so: cannot be loaded: "},
             Case{mistake("nothing"),
                  "is no plug-in: WARPSIM_PLUGIN of sim/plugin/plugin.hpp stands nowhere in it"},
             Case{mistake("version"), "was compiled for version 9999 of the interface; this is 3"},
             Case{mistake("register"), "cannot register: not today"},
             Case{mistake("taken"), "cannot register: there is a warp_scheduler 'gto' already, built in"},
             Case{mistake("run") + mistake("answer"),
                  "cannot register: there is a warp_scheduler 'wrong' already, of libwarpsim_mistake_run.so"},
         }) {
        INFO(one.options);
        test::Ended const ended = run_command(folder, timed(one.options));
        CHECK(ended.status == 2);
        INFO(ended.err);
        CHECK(contains(ended.err, one.message));
    }
    // Given twice, it is loaded once.
    CHECK(run_command(folder, timed(example + example)).status == 0);
}

TEST_CASE("What a component of a plug-in does wrong ends the run with its name", "[plugin]") {
    test::TemporaryFolder const folder;
    struct Case {
        std::string options, message;
    };
    std::string const wrong = "--set sm.schedulers.policy=wrong";
    for (Case const& one : {
             Case{mistake("run") + wrong,
                  "the warp scheduler 'wrong' of libwarpsim_mistake_run.so: pick() threw: no idea"},
             Case{mistake("answer") + wrong, "pick() returned warp 77, which is not eligible"},
             Case{mistake("make") + wrong,
                  "the warp scheduler 'wrong' of libwarpsim_mistake_make.so cannot be made: it threw"},
             Case{mistake("answer") + "--set launch.placement=never",
                  "choose() returned no SM, and all of them are idle"},
             Case{mistake("answer") + "--set interconnect.topology=late",
                  "delay() returned 18446744073709551615 cycles, which is more than"},
             Case{example + "--set sm.l1.prefetcher=ahead", "cannot be made: say how far: ahead:4"},
         }) {
        INFO(one.options);
        test::Ended const ended = run_command(folder, timed(one.options));
        CHECK(ended.status == 2);
        INFO(ended.err);
        CHECK(contains(ended.err, one.message));
    }
}

TEST_CASE("A sweep varies what a plug-in brings, and runs again when the plug-in is another", "[plugin]") {
    test::TemporaryFolder const folder;
    std::string const sweep =
        "sweep " + plan + " --config teaching --vary launch.placement=fewest_warps,packed -o r.csv ";
    test::Ended ended = run_command(folder, sweep + example);
    INFO(ended.err);
    CHECK(ended.status == 0);
    CHECK(contains(folder.read("r.csv"), "packed"));
    CHECK(contains(run_command(folder, sweep + example).out, "2 of them from earlier runs"));
    CHECK(contains(run_command(folder, sweep + example + mistake("answer")).out, "2 run again"));
    CHECK(run_command(folder, sweep).status == 2);
}

}  // namespace plugin_test
