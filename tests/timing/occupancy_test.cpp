#include "sim/timing/occupancy.hpp"
#include "tests/support/catch.hpp"

#include <fstream>
#include <map>
#include <set>
#include <string>

namespace occupancy_test {

using namespace warpsim;
using namespace warpsim::timing;

TEST_CASE("The scarcest resource limits the CTAs of an SM", "[timing]") {
    sim::SmConfig const v100 = sim::load_config("v100").sm;
    auto const of = [&](std::uint32_t threads, std::uint32_t registers, std::uint64_t shared) {
        return find_occupancy(v100, {threads, registers, shared, 1});
    };
    CHECK(of(32, 16, 0).ctas == 32);
    CHECK(of(32, 16, 0).limiter == Limiter::ctas);
    CHECK(of(256, 32, 0).ctas == 8);
    CHECK(of(256, 32, 0).limiter == Limiter::warps);
    CHECK(of(1024, 64, 0).ctas == 1);
    CHECK(of(1024, 64, 0).limiter == Limiter::registers);
    CHECK(of(256, 16, 48 * 1024).ctas == 2);
    CHECK(of(256, 16, 48 * 1024).limiter == Limiter::shared);
    CHECK(of(1024, 128, 0).ctas == 0);  // 32 warps of 4096 registers
}

TEST_CASE("Limits agree with those that profiles of a GV100 print", "[timing]") {
    // HYF: block limits by registers and warps, and the theoretical occupancy.
    sim::SmConfig const v100 = sim::load_config("v100").sm;
    CHECK(find_occupancy(v100, {256, 32, 0, 1}).theoretical(v100) == 1.0);  // b+tree: registers 8, warps 8
    Occupancy const lava = find_occupancy(v100, {128, 56, 7200, 1});        // registers 9, shared 13
    CHECK(lava.ctas == 9);
    CHECK(lava.theoretical(v100) == 0.5625);
    CHECK(find_occupancy(v100, {256, 40, 3072, 1}).theoretical(v100) == 0.75);  // hotspot: registers 6
    CHECK(find_occupancy(v100, {32, 28, 2180, 1}).theoretical(v100) == 0.5);    // nw: 32 blocks of one warp
}

TEST_CASE("The smallest split of the memory that has room for the CTAs is chosen", "[timing]") {
    sim::SmConfig const v100 = sim::load_config("v100").sm;
    CHECK(find_occupancy(v100, {256, 32, 0, 1}).carve_out_kib == 0);
    CHECK(find_occupancy(v100, {256, 32, 1024, 1}).carve_out_kib == 8);
    CHECK(find_occupancy(v100, {256, 32, 1025, 1}).carve_out_kib == 16);
    CHECK(find_occupancy(v100, {256, 32, 40 * 1024, 1}).carve_out_kib == 96);
}

// occupancy_cases.cu: a thousand launches and what CUDA's own calculator says of them.
TEST_CASE("As many CTAs fit on an SM as cuda_occupancy.h says", "[timing]") {
    std::ifstream cases(WARPSIM_SOURCE_DIR "/tests/timing/occupancy_cases.txt");
    std::map<std::string, sim::Config> configs;
    std::string name;
    std::uint32_t threads = 0, registers = 0, barriers = 0, ctas = 0;
    std::uint64_t shared = 0;
    std::size_t count = 0;
    std::set<Limiter> limiters;
    for (; cases >> name >> threads >> registers >> shared >> barriers >> ctas; ++count) {
        if (configs.count(name) == 0) configs.emplace(name, sim::load_config(name));
        sim::Config const& config = configs.at(name);
        sim::KernelPlan plan;
        plan.named_barriers = barriers;
        INFO(name << ": " << threads << " threads, " << registers << " registers, " << shared << " bytes, "
                  << barriers << " barriers");
        Occupancy const found = find_occupancy(config.sm, cta_needs(config, plan, threads, registers, shared));
        CHECK(found.ctas == ctas);
        if (ctas != 0) limiters.insert(found.limiter);
    }
    CHECK(count == 7 * 150);
    CHECK(limiters.size() == 5);  // all but threads, of which there are 32 to a warp
}

}  // namespace occupancy_test
