// Every key that timing mode reads changes something: a table of all of them, each with a kernel for which it
// matters.
#include "runtime/device.hpp"
#include "runtime/statistics/statistics.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <nlohmann/json.hpp>

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace keys_test {

using namespace warpsim;

namespace {

std::string repeated(int times, std::string const& text) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text + "\n";
    return all;
}

std::string loop(std::string const& rounds, std::string const& body) {
    return "mov.u32 %r30, 0;\nagain:\n" + body + "\nadd.u32 %r30, %r30, 1;\nsetp.lt.u32 %p15, %r30, " + rounds +
           ";\n@%p15 bra again;\n";
}

/// What a probe runs: one CTA or several of a kernel.
struct Probe {
    std::string body;
    std::uint32_t threads = 256;
    std::uint32_t ctas = 1;
    std::uint32_t shared = 0;
    std::uint32_t cluster = 0;
    unsigned launches = 1;
    std::string before = {};
};

std::string const start = R"(
mov.u32 %r0, %laneid; add.u32 %r1, %i, 5; mul.lo.u32 %r2, %i, 3; xor.b32 %r3, %i, 77; mov.u32 %r4, %r0; mov.u32 %r5, %r1;
cvt.rn.f32.u32 %f0, %i; add.f32 %f1, %f0, 0f3F800000; mov.f32 %f2, %f0; mov.f32 %f3, %f1;
cvt.f64.f32 %g0, %f0; add.f64 %g1, %g0, %g0; mov.f64 %g2, %g1; mov.f64 %g3, %g0;
mov.u32 %r6, %ntid.x; mov.u32 %r7, %nctaid.x;
)";
std::string const end = R"(
xor.b32 %r0, %r0, %r1; xor.b32 %r0, %r0, %r2; xor.b32 %r0, %r0, %r3; xor.b32 %r0, %r0, %r4; xor.b32 %r0, %r0, %r5;
add.f32 %f0, %f0, %f1; add.f32 %f0, %f0, %f2; add.f32 %f0, %f0, %f3; add.f64 %g0, %g0, %g1; add.f64 %g0, %g0, %g2; add.f64 %g0, %g0, %g3;
cvt.rzi.u32.f32 %r1, %f0; cvt.rzi.u32.f64 %r2, %g0; xor.b32 %r0, %r0, %r1; xor.b32 %r0, %r0, %r2; st.global.u32 [%o4], %r0;
)";

std::map<std::string, Probe> probes() {
    std::map<std::string, Probe> all;
    all["arithmetic"].body = start + loop("6", R"(
mad.lo.u32 %r0, %r1, %r2, %r3; xor.b32 %r4, %r0, %r5; mad.lo.u32 %r1, %r4, %r2, %r3; xor.b32 %r5, %r1, %r3;
fma.rn.f32 %f0, %f1, %f2, %f3; fma.rn.f32 %f1, %f0, %f2, %f3; fma.rn.f32 %f2, %f1, %f0, %f3; fma.rn.f32 %f3, %f0, %f1, %f2;
fma.rn.f16x2 %r4, %r4, %r5, %r0; fma.rn.f16x2 %r5, %r5, %r4, %r0; fma.rn.f16x2 %r0, %r0, %r5, %r4;
add.f64 %g0, %g0, %g1; add.f64 %g1, %g1, %g2; add.f64 %g2, %g2, %g3; add.f64 %g3, %g3, %g0;
div.rn.f32 %f0, %f0, %f1; rcp.rn.f32 %f1, %f0; ex2.approx.ftz.f32 %f0, %f0; ex2.approx.ftz.f32 %f1, %f1;
setp.gt.u32 %p0, %r0, %r1; @%p0 add.u32 %r2, %r2, %r3; vote.sync.ballot.b32 %r3, %p0, -1; vote.sync.ballot.b32 %r2, %p0, -1;
shfl.sync.bfly.b32 %r1, %r1, 1, 31, -1; shfl.sync.bfly.b32 %r2, %r2, 2, 31, -1; xor.b32 %r1, %r1, %r3;
mul.lo.u32 %r6, %r6, %r7; add.u32 %r7, %r7, %r6; and.b32 %r6, %r6, 1023;
)") + end + "xor.b32 %r8, %i, %r6; xor.b32 %r9, %i, %r7; xor.b32 %r8, %r8, %r9; st.global.u32 [%o4+4096], %r8;\n";
    all["uniform"].body = "mov.u32 %r0, %ctaid.x; mov.u32 %r1, %nctaid.x;" +
                          repeated(8, "mul.lo.u32 %r0, %r0, %r1; xor.b32 %r0, %r0, 12;") +
                          "xor.b32 %r2, %i, %r0; st.global.u32 [%o4], %r2;";
    all["chain"].body = start + loop("4", "shfl.sync.bfly.b32 %r1, %r1, 1, 31, -1; xor.b32 %r1, %r1, %r30;") + end;
    all["division"].body =
        start + "bar.warp.sync -1; div.rn.f32 %f0, %f0, %f1; add.f32 %f0, %f0, 0f3F800000; bar.warp.sync -1;" +
        end;
    all["division"].threads = 32;
    all["operands"].body = start + repeated(64, R"(
mad.lo.u32 %r0, %r0, %r8, %r9; mad.lo.u32 %r1, %r1, %r8, %r9; lop3.b32 %r2, %r2, %r8, %r9, 0xE8; lop3.b32 %r3, %r3, %r8, %r9, 0xE8;
)") + end;
    all["operands"].threads = 512;
    // More code than the instruction caches of the teaching GPU hold, twice.
    all["code"].body =
        start + loop("2", repeated(700, "mad.lo.u32 %r0, %r1, %r2, %r3; xor.b32 %r1, %r0, %r2;")) + end;
    all["code"].threads = 64;
    // Strided loads that repeat, neighbours that write parts of sectors, and atomics.
    all["memory"].body = start + R"(
shl.b32 %r8, %s, 8; cvt.u64.u32 %d0, %r8; add.u64 %d0, %in, %d0; mul.wide.u32 %d1, %s, 36; add.u64 %d1, %in, %d1;
)" + loop("4", R"(
ld.global.f32 %f0, [%d0]; ld.global.f32 %f1, [%d0+64]; ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%d0+128]; ld.global.f32 %f2, [%d1];
ld.global.f32 %f3, [%d1+4]; st.global.f32 [%d0+32], %f0; st.global.f32 [%d1+65536], %f1; ld.global.f32 %f2, [%d0+65600];
atom.global.inc.u32 %r4, [%out+2048], %r0; ld.global.cg.f32 %f3, [%d0+96]; add.u64 %d1, %d1, 8192; add.u64 %d0, %d0, 0;
)") + end;
    all["memory"].ctas = 2;
    // Streams: each thread reads and writes sectors a whole grid apart.
    all["stream"].body =
        start + "shl.b32 %r8, %i, 5; cvt.u64.u32 %d0, %r8; add.u64 %d0, %in, %d0; add.u64 %d1, %d0, 4194304;\n" +
        loop("16", R"(
ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%d0]; ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%d0+16]; st.global.v4.u32 [%d1], {%r0, %r1, %r2, %r3};
st.global.v4.u32 [%d1+16], {%r4, %r5, %r6, %r7}; add.u64 %d0, %d0, 65536; add.u64 %d1, %d1, 81920;
)") + end;
    all["stream"].ctas = 8;
    // All threads access the same few lines at once.
    all["crowd"].body = start + R"(
shl.b32 %r8, %r0, 7; cvt.u64.u32 %d0, %r8; add.u64 %d0, %in, %d0; shr.u32 %r9, %s, 5; shl.b32 %r9, %r9, 5; and.b32 %r9, %r9, 96; cvt.u64.u32 %d2, %r9;
add.u64 %d0, %d0, %d2;
)" +
                        loop("3", "ld.global.f32 %f0, [%d0]; ld.global.f32 %f1, [%d0+16384]; ld.global.f32 %f2, "
                                  "[%d0+4]; add.u64 %d0, %d0, 65536;") +
                        end;
    all["crowd"].ctas = 4;
    all["shared"].body = start + R"(
mov.u32 %r9, area; mad.lo.u32 %r8, %s, 8, %r9; mad.lo.u32 %r10, %r0, 64, %r9;
)" + loop("4", R"(
st.shared.u32 [%r8], %r1; bar.sync 0; and.b32 %r11, %r1, 1020; ld.shared.u32 %r1, [area+0]; add.u32 %r1, %r1, %r11; and.b32 %r11, %r1, 1020; ld.shared.u32 %r1, [%r11]; ld.shared.u32 %r2, [%r10]; ld.shared.v2.u32 {%r4, %r5}, [%r8]; ld.shared.v4.u32 {%r12, %r13, %r14, %r15}, [area+32]; xor.b32 %r2, %r2, %r12; st.global.u32 [%o4], %r2; membar.cta; bar.warp.sync -1;
st.global.u32 [%o4], %r4; membar.gl; st.global.u32 [%o4], %r5; membar.sys; add.u32 %r1, %r2, %r4;
)") + end;
    all["shared"].before = ".shared .align 16 .b8 area[4096];\n";
    all["constants"].body =
        start + "mov.u64 %d0, table; mov.u64 %d3, 0; mul.wide.u32 %d2, %s, 4;\n" + loop("16", R"(
add.u64 %d1, %d0, %d3; ld.const.u32 %r1, [%d1]; add.u32 %r2, %r2, %r1; ld.const.u32 %r3, [%d1+4]; xor.b32 %r2, %r2, %r3;
add.u64 %d1, %d1, %d2; ld.const.u32 %r3, [%d1]; xor.b32 %r2, %r2, %r3;
add.u64 %d3, %d3, 96; add.u64 %d1, %d0, %d3; ld.const.u32 %r1, [%d1+4096]; add.u32 %r2, %r2, %r1; and.b64 %d3, %d3, 511;
)") + end;
    all["constants"].before = ".const .align 16 .b8 table[8192];\n";
    all["constants"].threads = 32;
    all["copies"].body = start + R"(
mov.u32 %r8, buffer; shl.b32 %r9, %s, 4; add.u32 %r10, %r8, %r9; cvt.u64.u32 %d0, %r9; add.u64 %d0, %in, %d0;
cp.async.cg.shared.global [%r10], [%d0], 16; cp.async.commit_group; cp.async.wait_group 0; bar.sync 0;
cp.async.ca.shared.global [%r10+4096], [%d0], 4, 0; cp.async.commit_group; cp.async.wait_group 0;
mov.u32 %r11, gate; setp.ne.u32 %p0, %s, 0; @%p0 bra ready; mbarrier.init.shared.b64 [%r11], 1; mbarrier.arrive.expect_tx.shared.b64 %d1, [%r11], 4096;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r8], [%in], 4096, [%r11]; ready: bar.sync 0;
wait: mbarrier.try_wait.parity.shared.b64 %p1, [%r11], 0; @!%p1 bra wait; ld.shared.u32 %r1, [%r10];
)" + end;
    all["copies"].before = ".shared .align 128 .b8 buffer[8192];\n.shared .align 8 .b64 gate;\n";
    all["cluster"].body = start + R"(
mov.u32 %r8, area; mad.lo.u32 %r9, %s, 4, %r8; st.shared.u32 [%r9], %r1; barrier.cluster.arrive; barrier.cluster.wait;
mapa.shared::cluster.u32 %r10, %r9, 1; ld.shared::cluster.u32 %r2, [%r10]; barrier.cluster.arrive; barrier.cluster.wait;
)" + end;
    all["cluster"].before = ".shared .align 16 .b8 area[1024];\n";
    all["cluster"].ctas = 8;
    all["cluster"].cluster = 2;
    all["waves"].body = start + end;
    all["waves"].ctas = 60;
    all["waves"].threads = 128;
    all["waves"].shared = 1024;
    all["again"].body = start + "ld.global.u32 %r1, [%in];" + end;
    all["again"].launches = 2;
    return all;
}

std::string outcome(Probe const& probe, std::string const& config, std::vector<std::string> const& overrides) {
    runtime::DeviceOptions options;
    options.mode = runtime::Mode::timing;
    options.threads = 1;
    runtime::Device device(sim::load_config(config, overrides), options);
    auto const module = device.load_text("k.ptx", test::kernel(probe.body, probe.before));
    auto const out = device.allocate(1 << 20), in = device.allocate(16 << 20);
    runtime::LaunchShape shape;
    shape.grid = {probe.ctas, 1, 1};
    shape.block = {probe.threads, 1, 1};
    shape.dynamic_shared = probe.shared;
    if (probe.cluster != 0) shape.cluster = {probe.cluster, 1, 1};
    std::string text;
    for (unsigned i = 0; i < probe.launches; ++i) {
        sim::LaunchStatistics statistics = device.launch(*module, "k", shape, runtime::Arguments::of(out, in));
        statistics.host_seconds = 0;
        text += statistics::to_json(statistics);
    }
    return text;
}

struct Line {
    std::string key, value, probe, config;
    std::vector<std::string> others;  // that the key needs to matter
};

std::vector<Line> table() {
    std::ifstream file(WARPSIM_SOURCE_DIR "/tests/timing/keys.cases");
    REQUIRE(file);
    std::vector<Line> all;
    for (std::string text; std::getline(file, text);) {
        if (text.empty() || text[0] == '#') continue;
        std::istringstream words(text);
        Line line;
        words >> line.key >> line.value >> line.probe >> line.config;
        for (std::string other; words >> other;) line.others.push_back(other);
        all.push_back(line);
    }
    return all;
}

/// Paths of the values below an object of the schema.
void add_keys(nlohmann::json const& schema, nlohmann::json const& object, std::string const& path,
              std::set<std::string>& keys) {
    auto const& node = object.contains("$ref") ? schema.at("$defs").at("unit") : object;
    if (!node.contains("properties")) {
        keys.insert(path);
        return;
    }
    for (auto const& [key, value] : node.at("properties").items())
        add_keys(schema, value, path + (path.empty() ? "" : ".") + key, keys);
}

bool begins_with(std::string const& text, std::string const& begin) {
    return text.compare(0, begin.size(), begin) == 0;
}

}  // namespace

TEST_CASE("Every key that timing reads changes what a kernel takes", "[timing]") {
    auto const all = probes();
    std::map<std::string, std::string> plain;  // outcomes by probe, configuration and what the key needs
    for (Line const& line : table()) {
        INFO(line.key << "=" << line.value << ", " << line.probe << " on " << line.config);
        REQUIRE(all.count(line.probe) == 1);
        std::string setting = line.probe + " " + line.config;
        for (std::string const& other : line.others) setting += " " + other;
        if (plain.count(setting) == 0) plain[setting] = outcome(all.at(line.probe), line.config, line.others);
        std::vector<std::string> overrides = line.others;
        overrides.push_back(line.key + "=" + line.value);
        bool const changes = outcome(all.at(line.probe), line.config, overrides) != plain[setting];
        CHECK(changes);
    }
}

TEST_CASE("No key that timing reads is missing in the table", "[timing]") {
    auto const schema = nlohmann::json::parse(sim::config_schema());
    std::set<std::string> keys, tested;
    add_keys(schema, schema, "", keys);
    for (Line const& line : table()) tested.insert(line.key);
    // Lines and sectors have one size; keys that functional mode needs, too, are tested elsewhere.
    std::set<std::string> const fixed{"sm.l1.line_bytes", "sm.l1.sector_bytes", "l2.slices.line_bytes",
                                      "l2.slices.sector_bytes"};
    for (std::string const& key : keys) {
        bool const is_timing =
            begins_with(key, "sm.schedulers.") || begins_with(key, "sm.shared.banks.") ||
            begins_with(key, "sm.front_end.") || begins_with(key, "sm.register_file.") ||
            begins_with(key, "sm.dependences.") || begins_with(key, "sm.units.") || begins_with(key, "sm.lsu.") ||
            begins_with(key, "sm.l1.") || begins_with(key, "sm.constant.") ||
            begins_with(key, "sm.synchronisation.") || begins_with(key, "sm.tlb.") || begins_with(key, "mmu.") ||
            begins_with(key, "sm.copy_engine.") || begins_with(key, "l2.") || begins_with(key, "dram.") ||
            begins_with(key, "interconnect.") || begins_with(key, "launch.");
        // Matrix instructions: tests/timing/matrix_test.cpp. The width of the bus limits how long an access takes
        // (tests/config).
        if (key == "dram.bus_width_bits" || key == "dram.transfers_per_clock") continue;
        // Tensor copies: tensor_copies_test.cpp.
        if (key == "sm.copy_engine.copy_interval_cycles" || key == "sm.copy_engine.map_entries") continue;
        // Several grids at once: resident_grids_test.cpp. What the host does: tests/cuda.
        if (key == "launch.resident_grids" || key == "launch.host_call_ns") continue;
        // Machine code beside the PTX: tests/fatbin/register_counts_test.cpp.
        if (key == "launch.registers_of_machine_code") continue;
        if (!is_timing || fixed.count(key) != 0 || begins_with(key, "sm.units.tensor.")) continue;
        INFO(key);
        CHECK(tested.count(key) == 1);
    }
    for (std::string const& key : tested) CHECK(keys.count(key) == 1);
}

}  // namespace keys_test
