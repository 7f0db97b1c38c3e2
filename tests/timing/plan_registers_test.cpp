// Registers and instructions compared with those of NVIDIA's compiler, for all kernels of the project.
#include "sim/timing/plan/routines.hpp"
#include "tests/support/catch.hpp"
#include "tests/timing/plan_support.hpp"

#include <algorithm>
#include <cmath>

namespace plan_registers_test {

using namespace warpsim;
using namespace warpsim::test;

TEST_CASE("Registers per thread are within 10 % of what ptxas gives, in the median, and occupancy is the same for "
          "nine in ten",
          "[timing]") {
    std::vector<Expected> const expected = read_table("ptxas_registers.txt");
    REQUIRE(expected.size() > 60);
    for (std::size_t c = 0; c < 3; ++c) {
        Modules modules(configs_of_table[c]);
        std::vector<double> differences;
        std::size_t as_resident = 0;
        for (Expected const& e : expected) {
            if (e.numbers[c] == 0) continue;
            auto const ours =
                static_cast<int>(modules.device.attributes(modules[e.file], e.kernel).registers_per_thread);
            INFO(e.file << " " << e.kernel << " on " << configs_of_table[c] << ": " << ours << " registers, ptxas "
                        << e.numbers[c]);
            // No kernel is far off, as its occupancy would then differ.
            CHECK(ours <= 2.2 * e.numbers[c]);
            CHECK(ours >= 0.4 * e.numbers[c]);
            differences.push_back(std::abs(static_cast<double>(ours) / e.numbers[c] - 1));
            // Registers are handed out in units of eight, and every thread of a full SM can have 64 or 32.
            auto const units = [c](int registers) { return (std::max(registers, c == 0 ? 64 : 32) + 7) / 8; };
            if (units(ours) == units(e.numbers[c])) ++as_resident;
        }
        INFO(configs_of_table[c] << ": median difference " << median(differences) << " over " << differences.size()
                                 << " kernels, of which " << as_resident << " have the same occupancy");
        CHECK(median(differences) <= 0.10);
        CHECK(10 * as_resident >= 9 * differences.size());
    }
}

TEST_CASE("Micro-ops of most kernels are within 10 % of the instructions that ptxas makes", "[timing]") {
    // Kernels that ptxas unrolls are in the table too; they differ most.
    std::vector<Expected> const expected = read_table("sass_counts.txt");
    REQUIRE(expected.size() > 60);
    for (std::size_t c = 0; c < 3; ++c) {
        Modules modules(configs_of_table[c]);
        std::vector<double> differences;
        for (Expected const& e : expected) {
            if (e.numbers[c] == 0) continue;
            auto const ours = static_cast<double>(
                timing::code_places(modules.kernel(e.file, e.kernel).functions.front().machine).back());
            INFO(e.file << " " << e.kernel << " on " << configs_of_table[c] << ": " << ours << " micro-ops, ptxas "
                        << e.numbers[c]);
            CHECK(ours <= 1.5 * e.numbers[c]);
            differences.push_back(std::abs(ours / e.numbers[c] - 1));
        }
        INFO(configs_of_table[c] << ": median difference " << median(differences) << " over " << differences.size()
                                 << " kernels");
        auto const near = std::count_if(differences.begin(), differences.end(),
                                        [](double d) { return d <= 0.10 + 1e-9; });  // eleven for ten are 10 %
        INFO(near << " within 10 %");
        CHECK(median(differences) <= 0.05);
        CHECK(near * 100 >= static_cast<std::ptrdiff_t>(differences.size()) * 75);
    }
}

TEST_CASE("Kernels without loops take just the instructions that ptxas gives them", "[timing]") {
    Modules modules("rtx2060");
    for (Expected const& e : read_table("sass_counts.txt")) {
        bool const is_simple =
            e.kernel == "saxpy" || e.kernel == "convolution" || e.kernel == "blur" || e.kernel == "store_past_end";
        if (!is_simple) continue;
        INFO(e.file << " " << e.kernel);
        CHECK(modules.kernel(e.file, e.kernel).functions.front().machine.micros.size() ==
              static_cast<std::size_t>(e.numbers[0]));
    }
}

}  // namespace plan_registers_test
