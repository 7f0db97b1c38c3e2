#include "tests/support/catch.hpp"
#include "tests/timing/run_timing.hpp"

using namespace warpsim;
using namespace warpsim::test;

TEST_CASE("Timing mode computes what functional mode does, with the same counts of instructions", "[timing]") {
    for (auto const& [kernel, run] : timing_kernels()) {
        for (char const* const config : {"v100", "teaching"}) {
            INFO(kernel << " on " << config);
            TimingSetup functional;
            functional.functional = true;
            Outcome const want = run(functional, config);
            Outcome const got = run(timing_options(1), config);
            CHECK(got.bytes == want.bytes);
            for (std::size_t i = 0; i < want.counts.size(); ++i) CHECK(got.counts[i] == want.counts[i]);
        }
    }
}

TEST_CASE("Any number of host threads gives the same cycles, bytes and counts", "[timing]") {
    for (auto const& [kernel, run] : timing_kernels()) {
        INFO(kernel);
        Outcome const one = run(timing_options(1), "v100");
        for (int const threads : {2, 4}) CHECK(run(timing_options(threads), "v100") == one);
    }
}

TEST_CASE("The order in which SMs and partitions run makes no difference", "[timing]") {
    for (auto const& [kernel, run] : timing_kernels()) {
        INFO(kernel);
        Outcome const one = run(timing_options(1), "v100");
        CHECK(run(timing_options(1, 12345), "v100") == one);
        CHECK(run(timing_options(3, 99), "v100") == one);
    }
}

TEST_CASE("Shorter epochs change no cycle", "[timing]") {
    for (auto const& [kernel, run] : timing_kernels()) {
        INFO(kernel);
        CHECK(run(timing_options(1, 0, 2), "v100") == run(timing_options(1), "v100"));
    }
}
