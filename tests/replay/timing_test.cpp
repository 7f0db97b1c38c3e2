// Cycles of traces that follow from the configured latencies. Each is the slope between a chain and one of twice its
// length, whose instructions are all in one line of code.
#include "tests/replay/sample_trace.hpp"
#include "tests/support/catch.hpp"

#include <string>
#include <vector>

namespace {
namespace timing_test {

using namespace warpsim;
using namespace warpsim::replay;

/// Cycles that each round of the lines takes one warp after the other ones.
double slope(sim::Config const& config, SampleTrace trace, std::vector<std::string> const& lines, int warps = 1) {
    constexpr int rounds = 16;
    auto const cycles = [&](int count) {
        std::vector<std::string> warp;
        for (int i = 0; i < count; ++i) warp.insert(warp.end(), lines.begin(), lines.end());
        warp.push_back(leave);
        trace.warps.assign(static_cast<std::size_t>(warps), warp);
        trace.block = 32 * warps;
        return static_cast<double>(trace.cycles(config));
    };
    return (cycles(2 * rounds) - cycles(rounds)) / rounds;
}
SampleTrace of_ampere() {
    SampleTrace trace;
    trace.version = 5;
    trace.binary_version = 80;
    return trace;
}

TEST_CASE("A chain of arithmetic in a trace takes the latencies of its units", "[replay]") {
    sim::Config const v100 = sim::load_config("v100");
    auto const chain = [&](std::string const& rest) { return slope(v100, {}, {at(1, rest)}); };
    CHECK(chain("1 R1 FFMA 3 R1 R2 R3 0") == v100.sm.units->fma.latency_cycles);
    CHECK(chain("1 R1 IMAD 3 R1 R2 R3 0") == v100.sm.units->fma.latency_cycles);
    CHECK(chain("1 R1 IADD3 3 R1 R2 R3 0") == v100.sm.units->alu.latency_cycles);
    CHECK(chain("1 R1 HFMA2 3 R1 R2 R3 0") == v100.sm.units->fp16.latency_cycles);
    CHECK(chain("1 R2 DFMA 3 R2 R4 R6 0") == v100.sm.units->fp64.latency_cycles);
    CHECK(chain("1 R1 MUFU.RSQ 1 R1 0") == v100.sm.units->sfu.latency_cycles);
    // The second register of a pair.
    CHECK(chain("1 R2 DFMA 3 R3 R4 R6 0") == v100.sm.units->fp64.latency_cycles);
    CHECK(chain("1 R2 F2F.F64.F32 1 R3 0") == v100.sm.units->sfu.latency_cycles);
    CHECK(chain("1 R2 IMAD.WIDE 3 R8 R9 R1 0") == v100.sm.units->fma.latency_cycles);
    // Between units, once on each way.
    std::uint32_t const between = 2 * v100.sm.dependences->cross_unit_cycles;
    CHECK(slope(v100, {}, {at(1, "1 R1 IADD3 2 R1 R2 0"), at(2, "1 R1 FFMA 2 R1 R2 0")}) ==
          v100.sm.units->alu.latency_cycles + v100.sm.units->fma.latency_cycles + between);
    // R255 is no register, so nothing waits.
    CHECK(chain("1 R255 FFMA 3 R255 R255 R255 0") == v100.sm.units->fma.issue_interval_cycles);
    // Three registers of one of two banks, one each cycle.
    CHECK(chain("1 R1 FFMA 3 R2 R4 R6 0") == 3);
    CHECK(chain("1 R1 FFMA 3 R2 R4 R5 0") == 2);
}

TEST_CASE("What a trace names behind a predicate is a result", "[replay]") {
    // The tracer takes a register for the result only if it is the first operand: SHFL.IDX PT, R1, R1, RZ has three sources.
    sim::Config const v100 = sim::load_config("v100");
    CHECK(slope(v100, {}, {at(1, "0 SHFL.IDX 3 R1 R1 R255 0")}) == v100.sm.units->shuffle.latency_cycles);
    CHECK(slope(v100, {}, {at(1, "0 LOP3.LUT 4 R1 R1 R255 R255 0")}) == v100.sm.units->alu.latency_cycles);
    // An atomic's answer comes from L2.
    std::uint32_t const trip = v100.sm.l1->hit_latency_cycles + v100.interconnect->request_latency_cycles +
                               v100.l2.slices->hit_latency_cycles + v100.interconnect->reply_latency_cycles;
    double const atomic = slope(v100, {}, {at(1, "0 ATOMG.E.ADD.STRONG.GPU 3 R4 R2 R4 4 1 0x7f0000000000 0")});
    double const reduction = slope(v100, {}, {at(1, "0 RED.E.ADD.STRONG.GPU 2 R2 R4 4 1 0x7f0000000000 0")});
    CHECK(atomic >= trip);
    CHECK(reduction < trip / 2.0);
}

TEST_CASE("Loads and barriers in a trace take what is configured", "[replay]") {
    sim::Config const v100 = sim::load_config("v100");
    CHECK(slope(v100, {}, {at(1, "1 R2 LDG.E.SYS 1 R2 4 1 0x7f0000000000 0")}) == v100.sm.l1->hit_latency_cycles);
    // Addresses of global memory are pairs, those of shared memory are not.
    CHECK(slope(v100, {}, {at(1, "1 R3 LDG.E.SYS 1 R2 4 1 0x7f0000000000 0")}) == v100.sm.l1->hit_latency_cycles);
    CHECK(slope(v100, {}, {at(1, "1 R3 LDS.U 1 R2 4 1 0x0 4")}) < 5);
    sim::SharedBanksConfig const& banks = *v100.sm.shared.banks;
    double const once = slope(v100, {}, {at(1, "1 R2 LDS.U 1 R2 4 1 0x0 4")});
    CHECK(once == banks.load_latency_cycles);
    double const twice = slope(v100, {}, {at(1, "1 R2 LDS.U 1 R2 4 1 0x0 8")});
    CHECK(twice > once);
    CHECK(slope(v100, {}, {at(1, "1 R2 LDS.U 1 R2 4 1 0x0 128")}) == once + 31 * (twice - once));
    // One place for all lanes is one pass.
    CHECK(slope(v100, {}, {at(1, "1 R2 LDS.U 1 R2 4 1 0x40 0")}) == once);
    sim::SynchronisationConfig const& sync = *v100.sm.synchronisation;
    for (int const warps : {1, 2, 8})
        CHECK(slope(v100, {}, {at(1, "0 BAR.SYNC 0 0")}, warps) ==
              sync.barrier_latency_cycles + sync.barrier_cycles_per_warp * static_cast<unsigned>(warps));
    // One that the guard switches off is none.
    CHECK(slope(v100, {}, {at(1, "0 BAR.SYNC 0 0", "00000000")}) == 0);
    CHECK(slope(v100, {}, {at(1, "0 BRA 0 0")}) == v100.sm.front_end->taken_branch_cycles);
}

TEST_CASE("Products of matrices in a trace take as long as those of PTX", "[replay]") {
    // A chain takes the latency; what is independent, the rate: 16 x 8 x 16 multiply-adds by a quarter of the SM's.
    sim::Config const a100 = sim::load_config("a100");
    sim::TensorConfig const& t = *a100.sm.units->tensor;
    double const cycles = 16.0 * 8 * 16 / (t.fp16_fma_per_cycle / 4);
    CHECK(slope(a100, of_ampere(), {at(1, "1 R4 HMMA.16816.F32 3 R8 R12 R4 0 0")}) == t.latency_cycles);
    CHECK(slope(a100, of_ampere(), {at(1, "1 R4 HMMA.16816.F32 3 R8 R12 R255 0 0")}) == cycles);
    CHECK(slope(a100, of_ampere(), {at(1, "1 R4 HMMA.1688.F32 3 R8 R12 R255 0 0")}) == cycles / 2);
    CHECK(slope(a100, of_ampere(), {at(1, "1 R4 IMMA.16832.S8.S8 3 R8 R12 R255 0 0")}) ==
          2 * cycles * t.fp16_fma_per_cycle / t.int8_fma_per_cycle);
    // The last of the four registers of a sum is a source of the next.
    CHECK(slope(a100, of_ampere(), {at(1, "1 R4 HMMA.16816.F32 3 R8 R12 R7 0 0")}) == t.latency_cycles);
    // A product of 8 x 8 x 4 for each eight lanes is four steps on Volta, each a quarter of its time.
    sim::Config const v100 = sim::load_config("v100");
    double const step = 8.0 * 8 * 4 * 4 / (v100.sm.units->tensor->fp16_fma_per_cycle / 4) / 4;
    CHECK(slope(v100, {}, {at(1, "1 R4 HMMA.884.F32.F32.STEP0 3 R8 R10 R255 0")}) == step);
    CHECK(slope(v100, {}, {at(1, "1 R4 HMMA.884.F16.F16.STEP0 3 R8 R10 R255 0")}) == 2 * step);
}

TEST_CASE("A wait for copies to shared memory leaves as many groups under way as it says", "[replay]") {
    sim::Config const a100 = sim::load_config("a100");
    auto const copies = [&](int left) {
        return slope(a100, of_ampere(),
                     {at(1, "0 LDGSTS.E.BYPASS.128 2 R2 R4 16 1 0x7f0000000000 16 0"), at(2, "0 LDGDEPBAR 0 0 0"),
                      at(3, "0 DEPBAR.LE 0 0 " + std::to_string(left))});
    };
    double const alone = copies(0);
    CHECK(alone > a100.interconnect->request_latency_cycles + a100.interconnect->reply_latency_cycles);
    CHECK(copies(1) == alone / 2);
    CHECK(copies(3) == alone / 4);
    // Older traces do not say how many: the wait is for all.
    SampleTrace older = of_ampere();
    older.version = 4;
    CHECK(slope(a100, older,
                {at(1, "0 LDGSTS.E.BYPASS.128 2 R2 R4 16 1 0x7f0000000000 16"), at(2, "0 LDGDEPBAR 0 0"),
                 at(3, "0 DEPBAR.LE 0 0")}) == alone);
}

TEST_CASE("A warp of a trace sleeps as long as the trace says", "[replay]") {
    sim::Config const a100 = sim::load_config("a100");
    CHECK(slope(a100, of_ampere(), {at(1, "0 NANOSLEEP 0 0 1000")}) == a100.clock_mhz);
}

}  // namespace timing_test
}  // namespace
