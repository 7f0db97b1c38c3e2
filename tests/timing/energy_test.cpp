// The estimate of energy, against sums that are written out here.
#include "runtime/device.hpp"
#include "runtime/statistics/statistics.hpp"
#include "sim/timing/energy.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <nlohmann/json.hpp>

#include <set>
#include <string>
#include <vector>

namespace energy_test {

using namespace warpsim;
using nlohmann::json;

namespace {

using Settings = std::vector<std::string>;

/// The statistics of one launch of the kernel, with cold caches.
json statistics_of(std::string const& body, std::uint32_t threads, std::string const& config,
                   Settings settings = {}) {
    settings.push_back("launch.flush_caches=true");
    runtime::DeviceOptions options;
    options.mode = runtime::Mode::timing;
    options.threads = 1;
    runtime::Device device(sim::load_config(config, settings), options);
    auto const module = device.load_text("k.ptx", test::kernel(body, ".shared .align 16 .b8 area[4096];\n"));
    auto const out = device.allocate(1 << 20), in = device.allocate(16 << 20);
    runtime::LaunchShape shape;
    shape.block = {threads, 1, 1};
    sim::LaunchStatistics statistics = device.launch(*module, "k", shape, runtime::Arguments::of(out, in));
    statistics.host_seconds = 0;
    return json::parse(statistics::to_json(statistics));
}

double part_of(json const& statistics, std::string const& part) {
    return statistics.at("energy").at("joules").at(part).get<double>();
}

/// What the instructions take more of a part than a kernel that only stores.
double taken_by(std::string const& instructions, std::string const& part, std::uint32_t threads = 32,
                Settings const& settings = {}) {
    std::string const before =
                          "cvt.rn.f32.u32 %f0, %i; mov.f32 %f1, %f0; cvt.f64.f32 %g0, %f0; mov.f64 %g1, %g0;\n"
                          "mov.u32 %r0, %i; mov.u32 %r1, %i; mov.u32 %r2, 0; mov.u32 %r3, 0;\n",
                      after = "\ncvt.rzi.u32.f32 %r4, %f0; cvt.rzi.u32.f64 %r5, %g0; xor.b32 %r4, %r4, %r5; "
                              "xor.b32 %r4, %r4, %r0; xor.b32 %r4, %r4, %r2; st.global.u32 [%o4], %r4;\n";
    auto const of = [&](std::string const& body) {
        return part_of(statistics_of(before + body + after, threads, "a100", settings), part);
    };
    return of(instructions) - of("");
}

std::string times(int count, std::string const& text) {
    std::string all;
    for (int i = 0; i < count; ++i) all += text + "\n";
    return all;
}

sim::Config config_with_figures() {
    sim::Config config = sim::load_config("a100");
    sim::EnergyConfig& e = config.energy.emplace();
    e.source = "nobody";
    e.reference_clock_mhz = 1000;
    e.voltage_clocks_mhz = {500, 1000};
    e.voltage_percents = {60, 100};
    e.constant_w = 40;
    e.idle_sm_w = 0.5;
    e.active_sm_w = 2;
    e.lane_pj = {.alu = 10, .fma = 20, .fp16 = 30, .fp64 = 40, .sfu = 50};
    e.tensor_f16_fma_pj = 2;
    e.l1_sector_pj = 100;
    e.shared_pass_pj = 200;
    e.l2_sector_pj = 300;
    e.dram_read_sector_pj = 1000;
    e.dram_write_sector_pj = 3000;
    return config;
}

sim::TimingCounts some_counts(std::uint32_t clock_mhz) {
    sim::TimingCounts t;
    t.clock_mhz = clock_mhz;
    t.cycles = 2000;
    t.sms = 10;
    t.active_cycles = 5000;  // of 20000 cycles of SMs
    t.micro_ops = 1000;
    t.thread_micro_ops = 8000;  // 8 lanes each
    t.units = {{"alu", 100, 0, 0}, {"fma", 200, 0, 0}, {"fp16", 50, 0, 0}, {"fp64", 25, 0, 0}, {"sfu", 10, 0, 0}};
    t.tensor_work = 4096;
    t.l1.load_sectors = 11, t.l1.store_sectors = 5, t.l1.atomic_sectors = 4;
    t.l1.shared_requests = 30, t.l1.shared_conflicts = 10;
    t.l2.read_sectors = 12, t.l2.write_sectors = 6, t.l2.atomic_sectors = 2;
    t.dram.read_sectors = 8, t.dram.written_sectors = 3;
    return t;
}

void check_picojoules(sim::EnergyCounts const& energy, std::array<double, sim::energy_parts> const& expected) {
    REQUIRE(energy.counted);
    for (std::size_t i = 0; i < expected.size(); ++i) {
        INFO(sim::energy_name(i));
        CHECK(energy.joules[i] * 1e12 == Approx(expected[i]).epsilon(1e-9));
    }
}

}  // namespace

TEST_CASE("Energy is what was counted times what each takes, and power times the time", "[timing][energy]") {
    sim::TimingCounts const t = some_counts(1000);
    sim::EnergyCounts const energy = timing::estimate_energy(config_with_figures(), t);
    // 2 us of 40 W; 5 us of SMs at 2 W and 15 us of them at 0.5 W.
    check_picojoules(energy, {80e6, 10e6 + 7.5e6, 8000, 32000, 12000, 8000, 4000, 8192, 2000, 8000, 6000, 17000});
    CHECK(energy.source == "an estimate, from figures of nobody");
    sim::TimingCounts whole = t;
    whole.energy = energy;
    CHECK(energy.total() * 1e12 == Approx(97'500'000 + 105'192));
    CHECK(*whole.average_watts() == Approx(97'605'192e-12 / 2e-6));
}

TEST_CASE("Events go with the square of the voltage, the power of SMs with it, the board and DRAM with neither",
          "[timing][energy]") {
    // At 750 MHz the voltage is between 60 and 100 %: 80 %. The same cycles last 4/3 as long.
    check_picojoules(timing::estimate_energy(config_with_figures(), some_counts(750)),
                     {80e6 * 4 / 3, 17.5e6 * 4 / 3 * 0.8, 8000 * 0.64, 32000 * 0.64, 12000 * 0.64, 8000 * 0.64,
                      4000 * 0.64, 8192 * 0.64, 2000 * 0.64, 8000 * 0.64, 6000 * 0.64, 17000});
}

TEST_CASE("The voltage follows straight lines between the clocks of the table, and stays outside",
          "[timing][energy]") {
    sim::EnergyConfig energy;
    CHECK(energy.voltage(123) == 1);
    energy.voltage_clocks_mhz = {500, 1000, 1200};
    energy.voltage_percents = {60, 100, 110};
    for (auto const& [clock, voltage] : {std::pair{1u, 0.6},
                                         {500u, 0.6},
                                         {600u, 0.68},
                                         {1000u, 1.0},
                                         {1100u, 1.05},
                                         {1200u, 1.1},
                                         {9999u, 1.1}}) {
        INFO(clock);
        CHECK(energy.voltage(clock) == Approx(voltage));
    }
}

TEST_CASE("Each instruction of a kernel takes the energy of its lanes", "[timing][energy]") {
    // Figures of configs/a100.json, by hand. The multipliers also take a part of the moves around them: of 128 and of 64
    // instructions the same.
    auto const of_64 = [](std::string const& instruction, std::string const& part, std::uint32_t threads = 32) {
        return taken_by(times(128, instruction), part, threads) - taken_by(times(64, instruction), part, threads);
    };
    std::string const fp32 = "fma.rn.f32 %f0, %f0, %f1, %f1;";
    CHECK(of_64(fp32, "fma") == Approx(64 * 32 * 4.5e-12));
    CHECK(of_64("fma.rn.f64 %g0, %g0, %g1, %g1;", "fp64") == Approx(64 * 32 * 57.0e-12));
    CHECK(of_64("fma.rn.f16x2 %r0, %r0, %r1, %r1;", "fp16") == Approx(64 * 32 * 4.3e-12));
    CHECK(of_64(fp32, "fma", 8) == Approx(64 * 8 * 4.5e-12));
    CHECK(of_64(fp32, "fp64") == Approx(0).margin(1e-18));
}

TEST_CASE("Products of matrices take the energy of their multiply-adds", "[timing][energy]") {
    std::string const f16 = "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r2, %r3}, {%r0, %r1, %r0, %r1}, "
                            "{%r0, %r1}, {%r2, %r3};";
    CHECK(taken_by(times(8, f16), "tensor") == Approx(8 * 2048 * 1.40e-12));
    // 64 multiply-adds in fp64 take as long as 1024 in fp16.
    std::string const f64 =
        "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%g0, %g1}, {%g0}, {%g1}, {%g0, %g1};";
    CHECK(taken_by(times(8, f64), "tensor") == Approx(8 * 256 * 16 * 1.40e-12));
}

TEST_CASE("Accesses take the energy of each level that they reach", "[timing][energy]") {
    // 32 neighbouring words are four sectors; eight such loads, from different lines.
    std::string load;
    for (int i = 0; i < 8; ++i)
        load += "ld.global.u32 %r1, [%i4+" + std::to_string(4096 * i) + "]; xor.b32 %r0, %r0, %r1;\n";
    std::string const address = "mul.wide.u32 %d0, %i, 4; add.u64 %d0, %in, %d0;\n";
    std::string body = address;
    for (std::size_t at = 0, next; (next = load.find("%i4", at)) != std::string::npos; at = next + 3)
        load.replace(next, 3, "%d0");
    body += load;
    CHECK(taken_by(body, "l1") == Approx(32 * 407e-12));
    CHECK(taken_by(body, "l2") == Approx(32 * 1206e-12));
    CHECK(taken_by(body, "dram") == Approx(32 * 3356e-12));
    // All lanes of one bank are 32 passes.
    std::string const shared =
        "mov.u32 %r8, area; shl.b32 %r9, %i, 7; and.b32 %r9, %r9, 4095; add.u32 %r8, %r8, %r9;\n";
    CHECK(taken_by(shared + times(4, "ld.shared.u32 %r1, [%r8]; xor.b32 %r0, %r0, %r1;"), "shared") ==
          Approx(4 * 32 * 172e-12));
}

TEST_CASE("A slower clock takes less energy for the same events", "[timing][energy]") {
    std::string const work = times(64, "fma.rn.f64 %g0, %g0, %g1, %g1;");
    // Half of 1410 MHz is half of the voltage.
    CHECK(taken_by(work, "fp64", 32, {"clock_mhz=705"}) == Approx(64 * 32 * 57.0e-12 / 4));
    json const slow = statistics_of("st.global.u32 [%o4], %i;", 32, "a100", {"clock_mhz=705"});
    CHECK(part_of(slow, "constant") == Approx(54 * slow.at("time_us").get<double>() * 1e-6));
}

TEST_CASE("A configuration without figures has no energy in its statistics", "[timing][energy]") {
    std::string const body = "st.global.u32 [%o4], %i;";
    CHECK_FALSE(statistics_of(body, 32, "teaching").contains("energy"));
    json const with = statistics_of(body, 32, "h100");
    CHECK(with.at("energy").at("estimated_from").get<std::string>().starts_with("an estimate, from figures of "));
    json const joules = with.at("energy").at("joules");
    double sum = 0;
    for (auto const& part : joules.items()) sum += part.value().get<double>();
    CHECK(with.at("energy").at("total_joules").get<double>() == Approx(sum));
}

TEST_CASE("Every figure of energy changes the estimate and nothing else", "[timing][energy]") {
    // More lines than L2 holds, so that some are written back.
    std::string const body = R"(
mul.wide.u32 %d0, %i, 32; add.u64 %d0, %in, %d0; mov.u32 %r30, 0; cvt.rn.f32.u32 %f0, %i; cvt.f64.f32 %g0, %f0; mov.u32 %r2, area;
again: st.global.u32 [%d0], %r30; ld.global.u32 %r1, [%d0+4194304]; add.u64 %d0, %d0, 32768; add.u32 %r30, %r30, 1;
fma.rn.f32 %f0, %f0, %f0, %f0; fma.rn.f64 %g0, %g0, %g0, %g0; fma.rn.f16x2 %r3, %r1, %r1, %r3; sin.approx.f32 %f0, %f0; st.shared.u32 [%r2], %r1;
mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r4, %r5}, {%r1, %r1, %r1, %r1}, {%r1, %r1}, {%r4, %r5};
setp.lt.u32 %p15, %r30, 128; @%p15 bra again;
cvt.rzi.u32.f32 %r6, %f0; cvt.rzi.u32.f64 %r7, %g0; xor.b32 %r6, %r6, %r7; xor.b32 %r6, %r6, %r3; xor.b32 %r6, %r6, %r4; st.global.u32 [%o4], %r6;
)";
    Settings const small{"l2.size_kib=1280", "clock_mhz=1200"};
    json const plain = statistics_of(body, 1024, "a100", small);
    json const schema = json::parse(sim::config_schema()).at("properties").at("energy").at("properties");
    std::set<std::string> keys;
    for (auto const& [key, value] : schema.items()) {
        if (value.contains("properties"))
            for (auto const& inner : value.at("properties").items()) keys.insert(key + "." + inner.key());
        else keys.insert(key);
    }
    // These three go together.
    for (char const* const key : {"reference_clock_mhz", "voltage_clocks_mhz", "voltage_percents"})
        keys.erase(key);
    CHECK(keys.size() == 15);
    for (std::string const& key : keys) {
        INFO(key);
        Settings settings = small;
        settings.push_back("energy." + key + "=7");
        json changed = statistics_of(body, 1024, "a100", settings);
        CHECK(changed.at("energy") != plain.at("energy"));
        changed["energy"] = plain.at("energy");
        CHECK(changed == plain);
    }
}

}  // namespace energy_test
