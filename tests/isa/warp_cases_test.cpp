// Every line of tests/isa/warp/*.cases in both engines: what the threads of a CTA do together.
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"
#include "tests/support/warp_cases.hpp"

#include <algorithm>

namespace warp_cases_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

void check(std::span<WarpCase const> cases, runtime::Mode mode, std::string const& control_flow) {
    runtime::DeviceOptions options = Program::one_thread();
    options.mode = mode;
    runtime::Device device(sim::load_config("h100", std::vector<std::string>{"sm.control_flow=" + control_flow}),
                           options);
    auto const module = device.load_text("cases.ptx", module_of(cases));
    for (std::size_t i = 0; i < cases.size(); ++i) {
        WarpCase const& c = cases[i];
        std::size_t const threads = c.sources.size();
        runtime::DevicePointer const in = device.upload(c.sources), out = device.allocate(threads * 8);
        INFO(c.place << ": " << c.statements << " in " << (mode == runtime::Mode::timing ? "timing" : "functional")
                     << " mode, " << control_flow << " control flow");
        runtime::LaunchShape shape;
        shape.block = {static_cast<std::uint32_t>(threads), 1, 1};
        try {
            device.launch(*module, "case" + std::to_string(i), shape, runtime::Arguments::of(out, in));
        } catch (Error const& error) {
            FAIL_CHECK(error.what());
            continue;
        }
        auto const got = device.download<std::uint32_t>(out, threads * 2);
        for (std::size_t t = 0; t < threads; ++t) {
            bool const is_right = (!c.d || got[2 * t] == static_cast<std::uint32_t>((*c.d)[t])) &&
                                  (!c.p || got[2 * t + 1] == (*c.p)[t]);
            INFO("thread " << t << " has d = " << got[2 * t] << ", p = " << got[2 * t + 1]);
            CHECK(is_right);
            if (!is_right) break;
        }
    }
}

void check_all(runtime::Mode mode, std::string const& control_flow) {
    std::vector<WarpCase> const cases = read_warp_cases();
    REQUIRE(cases.size() > 50);
    for (auto first = cases.begin(); first != cases.end();) {
        auto const last =
            std::find_if(first, cases.end(), [&](WarpCase const& c) { return c.target != first->target; });
        check({first, last}, mode, control_flow);
        first = last;
    }
}

}  // namespace

TEST_CASE("What threads do together gives the results of the case files", "[isa]") {
    for (std::string const& model : control_flows()) check_all(runtime::Mode::functional, model);
}

TEST_CASE("What threads do together gives the results of the case files in timing mode", "[isa]") {
    check_all(runtime::Mode::timing, "independent");
}

TEST_CASE("Lists of values in case files are read as they are written", "[isa]") {
    CHECK(values_of("0..3 7*2 5 -1") == std::vector<std::uint64_t>{0, 1, 2, 3, 7, 7, 5, ~std::uint64_t{0}});
    CHECK(values_of("0..4/2*2 0x10") == std::vector<std::uint64_t>{0, 2, 4, 0, 2, 4, 16});
    CHECK_THROWS(values_of("3..1"));
    CHECK_THROWS(values_of("x"));
}

}  // namespace warp_cases_test
