// What becomes of gpgpusim.config: the table, its page, and what the converter makes of files.
#include "sim/config/config.hpp"
#include "sim/config/gpgpusim.hpp"
#include "sim/config/gpgpusim_table.hpp"
#include "sim/config/schema.hpp"
#include "sim/error.hpp"
#include "tests/command/run_command.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

namespace gpgpusim_table_test {

using namespace warpsim;
using namespace warpsim::sim;
using test::contains;

namespace {

/// The schema of the key at `path`, "sm.l1.ways"; null when there is none.
Json const* property(Json const& schema, std::string const& path) {
    Json const* node = &schema;
    std::istringstream names(path);
    for (std::string name; std::getline(names, name, '.');) {
        if (node->contains("$ref"))
            node = &schema.at(Json::json_pointer(node->at("$ref").get<std::string>().substr(1)));
        if (!node->contains("properties") || !node->at("properties").contains(name)) return nullptr;
        node = &node->at("properties").at(name);
    }
    return node;
}

/// As the tested configurations of GPGPU-Sim say it, with figures that are no GPU's.
constexpr char const* volta = R"(# A GPU of compute capability 7.0
-gpgpu_ptx_force_max_capability 70
-gpgpu_compute_capability_major 7
-gpgpu_compute_capability_minor 0
-gpgpu_n_clusters 40 -gpgpu_n_cores_per_cluster 2
-gpgpu_n_mem 16
-gpgpu_n_sub_partition_per_mchannel 2
-gpgpu_clock_domains 1100.0:1000.0:1100.0:850.0   # core, interconnect, L2, DRAM
-gpgpu_shader_registers 32768
-gpgpu_shader_core_pipeline 1024:32
-gpgpu_shader_cta 16
-gpgpu_scheduler two_level_active:6:0:1
-gpgpu_num_sched_per_core 4
-gpgpu_simd_model 1
-ptx_opcode_latency_int 5,13,4,5,145,21
-ptx_opcode_initiation_int 3,2,2,2,8,4
-gpgpu_shmem_option 0,8,16,32,64,96
-gpgpu_unified_l1d_size 128
-gpgpu_cache:dl1 S:4:128:64,L:T:m:N:L,A:512:8,16:0,32
-gpgpu_l1_latency 21
-gpgpu_shmem_size 98304
-gpgpu_cache:dl2 S:32:128:24,F:B:m:L:P,A:192:4,32:0,32
-gpgpu_l2_rop_latency 161
-icnt_flit_size 40
-gpgpu_dram_buswidth 16
-dram_data_command_freq_ratio 2
-gpgpu_dram_burst_length 2
-gpgpu_dram_timing_opt "nbk=8:CCD=1:RRD=3:RCD=13:RAS=28:RP=12:RC=41:
                        CL=12:WL=2:CDLR=3:WR=10:nbkgrp=4:CCDL=2:RTPL=3"
-gpgpu_TB_launch_latency 0
-gpgpu_runtime_stat 500
-gpgpu_n_clusters 41
-gpgpu_something_new 7
)";

}  // namespace

TEST_CASE("Every key in the table for users of gpgpusim.config exists", "[config]") {
    Json const schema = Json::parse(config_schema());
    REQUIRE(property(schema, "sm.l1.ways") != nullptr);
    REQUIRE(property(schema, "sm.l1.sets") == nullptr);
    std::set<std::string_view> theirs;
    int keys = 0;
    for (gpgpusim::Row const& row : gpgpusim::table()) {
        for (std::string_view const key : row.theirs) CHECK(theirs.insert(key).second);
        // What is converted becomes something, and what is not says why.
        CHECK((row.convert == nullptr || !row.ours.empty()));
        CHECK((row.convert != nullptr || !row.remark.empty() || row.ours.front().starts_with("--")));
        for (std::string_view const path : row.ours) {
            if (path.starts_with("--")) continue;
            INFO(path);
            CHECK(property(schema, std::string(path)) != nullptr);
            ++keys;
        }
    }
    CHECK(keys > 60);
}

TEST_CASE("The page for users of gpgpusim.config is what the table says", "[config]") {
    std::string const page = WARPSIM_SOURCE_DIR "/configs/gpgpusim.md";
    if (std::getenv("WARPSIM_REBASE") != nullptr) std::ofstream(page, std::ios::binary) << gpgpusim_page();
    std::ifstream file(page, std::ios::binary);
    CHECK(std::string(std::istreambuf_iterator<char>(file), {}) == gpgpusim_page());
}

TEST_CASE("A gpgpusim.config becomes a configuration over the nearest built-in one", "[config]") {
    test::TemporaryFolder const folder;
    FromGpgpusim const made = from_gpgpusim("volta.config", volta);
    CHECK(made.base == "gv100");
    Config const config = load_config(folder.write("made.json", made.json));
    Config const base = load_config("gv100");
    CHECK(config.compute_capability == ComputeCapability{7, 0});
    CHECK(config.sm.count == 82);  // 41 * 2: the last one holds
    CHECK(config.clock_mhz == 1100);
    CHECK(config.interconnect->clock_mhz == 1000);
    CHECK(config.dram.clock_mhz == 850);
    CHECK(config.sm.max_warps == 32);
    CHECK(config.sm.max_threads == 1024);
    CHECK(config.sm.registers == 32768);
    CHECK(config.limits.max_registers_per_cta == 32768);  // follows, as it is not said
    CHECK(config.sm.schedulers.policy == "two_level");
    CHECK(config.sm.schedulers.active_warps == 6);
    CHECK(config.sm.control_flow == ControlFlow::stack);
    CHECK(config.sm.units->alu.latency_cycles == 5);
    CHECK(config.sm.units->alu.issue_interval_cycles == 3);
    CHECK(config.sm.units->fma.latency_cycles == base.sm.units->fma.latency_cycles);
    CHECK(config.sm.shared.carve_outs_kib == std::vector<std::uint32_t>{0, 8, 16, 32, 64, 96});
    CHECK(config.sm.l1->ways == 256);  // four sets of 128 KiB
    CHECK(config.sm.l1->write_policy == "around");
    CHECK(config.sm.l1->mshrs == 512);
    CHECK(config.l2.size_kib == 32 * 96);
    CHECK(config.l2.slices->count == 32);
    CHECK(config.l2.slices->replacement == "fifo");
    CHECK(config.l2.slices->write_policy == "allocate");
    CHECK(config.interconnect->request_latency_cycles + config.l2.slices->hit_latency_cycles +
              config.interconnect->reply_latency_cycles ==
          161);
    CHECK(config.dram.bus_width_bits == 16 * 128);
    CHECK(config.dram.channels->access_bytes == 32);
    CHECK(config.dram.channels->banks == 8);
    CHECK(config.dram.channels->activate_to_activate_cycles == 41);
    CHECK(config.dram.channels->read_to_precharge_cycles == 3);  // from the second line of the quote
    // Every value has its source, and what was left out is said twice.
    Json const json = Json::parse(made.json);
    CHECK(json.at("sources")
              .at("dram.channels.banks")
              .get<std::string>()
              .starts_with("gpgpusim.config: -gpgpu_dram_timing_opt nbk=8"));
    std::string const left_out = json.at("sources").at("description").get<std::string>();
    std::string all;
    for (std::string const& note : made.notes) {
        CHECK(contains(left_out, note));
        all += note + "\n";
    }
    CHECK(contains(all, "-gpgpu_something_new 7: not known\n"));
    CHECK(contains(all, "-gpgpu_TB_launch_latency 0: at least 8 cycles are needed here\n"));
    CHECK(contains(all, "-gpgpu_runtime_stat 500: an option of the command: --interval\n"));
    CHECK(contains(all, "of it nbkgrp and CCDL: there are no bank groups\n"));
    CHECK_FALSE(contains(all, "gpgpu_clock_domains"));
    CHECK_FALSE(contains(all, "gpgpu_n_cores_per_cluster"));
    CHECK(made.mapped > 25);
}

TEST_CASE("The nearest configuration is one with figures for timing, by compute capability, SMs and clock",
          "[config]") {
    auto const base = [](std::string const& text) { return from_gpgpusim("a.config", text).base; };
    CHECK(base("-gpgpu_compute_capability_major 8\n-gpgpu_compute_capability_minor 6") == "rtx3070");
    CHECK(base("-gpgpu_compute_capability_major 8\n-gpgpu_compute_capability_minor 0") == "a100");
    CHECK(base("-gpgpu_ptx_force_max_capability 75") == "rtx2060");
    CHECK(base("-gpgpu_ptx_force_max_capability 70 -gpgpu_n_clusters 80 -gpgpu_clock_domains 1530:1:1:1") ==
          "v100");
    CHECK(base("-gpgpu_ptx_force_max_capability 70 -gpgpu_n_clusters 80 -gpgpu_clock_domains 1132:1:1:1") ==
          "gv100");
    CHECK(base("-gpgpu_compute_capability_major 9") == "h100");
    // rtx5090 has none.
    CHECK(base("-gpgpu_compute_capability_major 12") == "b200");
}

TEST_CASE("What is no gpgpusim.config is refused with its name", "[config]") {
    CHECK_THROWS_WITH(from_gpgpusim("a.txt", "{}"),
                      "a.txt: '{}' stands before the first -key: no gpgpusim.config");
    CHECK_THROWS_WITH(from_gpgpusim("a.txt", "# nothing\n"), "a.txt: there is no -key in it: no gpgpusim.config");
    CHECK_THROWS_WITH(from_gpgpusim("a.txt", "-a \"b"), "a.txt: a quote is not closed");
}

TEST_CASE("The command writes the configuration, tells what it left out, and runs with it", "[config]") {
    test::TemporaryFolder const folder;
    folder.write("volta.config", volta);
    test::Ended ended = test::run_command(folder, "config from-gpgpusim volta.config -o made.json");
    INFO(ended.err);
    CHECK(ended.status == 0);
    CHECK(contains(ended.err, "keys over gv100, "));
    CHECK(contains(ended.err, "-gpgpu_something_new 7: not known"));
    CHECK(test::run_command(folder, "config from-gpgpusim volta.config").out == folder.read("made.json"));
    std::string const plan = WARPSIM_SOURCE_DIR "/tests/kernels/plans/saxpy.json";
    ended = test::run_command(folder, "run " + plan + " --out . --mode timing --config made.json");
    INFO(ended.err);
    CHECK(ended.status == 0);
    // Figures that contradict one another are told once the file is written.
    folder.write("bad.config", std::string(volta) + "-gpgpu_num_sched_per_core 5\n");
    ended = test::run_command(folder, "config from-gpgpusim bad.config -o bad.json");
    CHECK(ended.status == 2);
    CHECK(contains(ended.err, "bad.json: sm.max_warps: must be a multiple of sub_cores = 5"));
    CHECK(test::run_command(folder, "config from-gpgpusim missing.config").status == 2);
}

}  // namespace gpgpusim_table_test
