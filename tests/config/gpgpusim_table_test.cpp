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
    FromGpgpusim const made = from_gpgpusim({{"volta.config", volta}});
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
    CHECK(config.dram.channels->bank_groups == 4);
    CHECK(config.dram.channels->same_group_cycles == 2);
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
    CHECK_FALSE(contains(all, "gpgpu_clock_domains"));
    CHECK_FALSE(contains(all, "gpgpu_n_cores_per_cluster"));
    CHECK(made.mapped > 25);
}

TEST_CASE("The nearest configuration is one with figures for timing, by compute capability, SMs and clock",
          "[config]") {
    auto const base = [](std::string const& text) { return from_gpgpusim({{"a.config", text}}).base; };
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

/// Of all tested configurations of GPGPU-Sim and Accel-Sim, from Fermi to Hopper, and of their trace.config.
constexpr char const* keys_in_use =
    "gpgpu_ptx_instruction_classification gpgpu_ptx_sim_mode gpgpu_ptx_force_max_capability "
    "gpgpu_ignore_resources_limitation "
    "gpgpu_stack_size_limit gpgpu_heap_size_limit gpgpu_runtime_sync_depth_limit "
    "gpgpu_runtime_pending_launch_count_limit "
    "gpgpu_kernel_launch_latency gpgpu_TB_launch_latency gpgpu_max_concurrent_kernel "
    "gpgpu_compute_capability_major "
    "gpgpu_compute_capability_minor gpgpu_ptx_convert_to_ptxplus gpgpu_ptx_save_converted_ptxplus "
    "gpgpu_n_clusters "
    "gpgpu_n_cores_per_cluster gpgpu_n_mem gpgpu_n_sub_partition_per_mchannel gpgpu_clock_gated_lanes "
    "gpgpu_n_chiplet_partition inter_chiplet_queue_size gpgpu_chiplet_interleave gpgpu_clock_domains "
    "gpgpu_shader_registers "
    "gpgpu_registers_per_block gpgpu_occupancy_sm_number gpgpu_shader_core_pipeline gpgpu_shader_cta "
    "gpgpu_simd_model "
    "gpgpu_pipeline_widths gpgpu_num_sp_units gpgpu_num_sfu_units gpgpu_num_dp_units gpgpu_num_int_units "
    "gpgpu_tensor_core_avail gpgpu_num_tensor_core_units ptx_opcode_latency_int ptx_opcode_initiation_int "
    "ptx_opcode_latency_fp ptx_opcode_initiation_fp ptx_opcode_latency_dp ptx_opcode_initiation_dp "
    "ptx_opcode_latency_sfu "
    "ptx_opcode_initiation_sfu ptx_opcode_latency_tesnor ptx_opcode_initiation_tensor gpgpu_sub_core_model "
    "gpgpu_enable_specialized_operand_collector gpgpu_operand_collector_num_units_sp "
    "gpgpu_operand_collector_num_in_ports_gen "
    "gpgpu_num_reg_banks gpgpu_reg_file_port_throughput gpgpu_opndcoll_model gpgpu_shmem_num_banks "
    "gpgpu_shmem_limited_broadcast gpgpu_shmem_warp_parts gpgpu_coalesce_arch gpgpu_num_sched_per_core "
    "gpgpu_scheduler "
    "gpgpu_max_insn_issue_per_warp gpgpu_dual_issue_diff_exec_units gpgpu_adaptive_cache_config "
    "gpgpu_shmem_option "
    "gpgpu_unified_l1d_size gpgpu_l1_banks gpgpu_cache:dl1 gpgpu_cache:dl1PrefL1 gpgpu_cache:dl1PrefShared "
    "gpgpu_l1_cache_write_ratio gpgpu_l1_latency gpgpu_gmem_skip_L1D gpgpu_flush_l1_cache "
    "gpgpu_n_cluster_ejection_buffer_size gpgpu_n_ldst_response_buffer_size gpgpu_shmem_size "
    "gpgpu_shmem_sizeDefault "
    "gpgpu_shmem_size_PrefL1 gpgpu_shmem_size_PrefShared gpgpu_shmem_per_block gpgpu_smem_latency smem_latency "
    "gpgpu_cache:dl2 "
    "gpgpu_cache:dl2_texture_only gpgpu_dram_partition_queues gpgpu_perf_sim_memcpy "
    "gpgpu_memory_partition_indexing "
    "gpgpu_lrc_enabled gpgpu_lrc_max_entries gpgpu_lrc_max_merged gpgpu_cache:il1 gpgpu_inst_fetch_throughput "
    "gpgpu_tex_cache:l1 gpgpu_const_cache:l1 gpgpu_perfect_inst_const_cache network_mode inter_config_file "
    "icnt_in_buffer_limit icnt_out_buffer_limit icnt_subnets icnt_flit_size icnt_arbiter_algo "
    "gpgpu_l2_rop_latency "
    "dram_latency gpgpu_dram_scheduler gpgpu_frfcfs_dram_sched_queue_size gpgpu_dram_return_queue_size "
    "gpgpu_n_mem_per_ctrlr gpgpu_dram_buswidth gpgpu_dram_burst_length dram_data_command_freq_ratio "
    "gpgpu_mem_address_mask "
    "gpgpu_mem_addr_mapping gpgpu_dram_timing_opt dram_dual_bus_interface dram_bnk_indexing_policy "
    "dram_bnkgrp_indexing_policy dram_seperate_write_queue_enable dram_write_queue_size gpgpu_memlatency_stat "
    "gpgpu_runtime_stat enable_ptx_file_line_stats visualizer_enabled power_simulation_enabled gpuwattch_xml_file "
    "trace_enabled trace_components trace_sampling_core gpgpu_simple_dram_model "
    "gpgpu_simple_dram_clock_multiplier "
    "trace_opcode_latency_initiation_int trace_opcode_latency_initiation_sp trace_opcode_latency_initiation_dp "
    "trace_opcode_latency_initiation_sfu trace_opcode_latency_initiation_tensor specialized_unit_1 "
    "specialized_unit_4 "
    "trace_opcode_latency_initiation_spec_op_1 trace_opcode_latency_initiation_spec_op_4";

TEST_CASE("Each key of the configurations in use is converted, or told with a reason", "[config]") {
    std::istringstream keys(keys_in_use);
    std::string text;
    for (std::string key; keys >> key;) text += "-" + key + " none\n";
    // None of them has a value that could be converted, so each is in the notes.
    std::vector<std::string> const notes = from_gpgpusim({{"a.config", text}}).notes;
    CHECK(notes.size() > 100);
    for (std::string const& note : notes) {
        CHECK_FALSE(note.ends_with(": not known"));
        CHECK_FALSE(note.ends_with(": "));
    }
}

TEST_CASE("Configurations older than PTX runs on, and figures that contradict each other, become ones that run",
          "[config]") {
    test::TemporaryFolder const folder;
    // As Fermi: two schedulers, caches smaller than shared memory, and no latency for special functions.
    std::string const fermi = R"(
-gpgpu_compute_capability_major 2
-gpgpu_compute_capability_minor 0
-gpgpu_ptx_force_max_capability 20
-gpgpu_n_clusters 15
-gpgpu_n_mem 6
-gpgpu_n_sub_partition_per_mchannel 2
-gpgpu_clock_domains 700.0:700.0:700.0:924.0
-gpgpu_shader_registers 32768
-gpgpu_shader_core_pipeline 1536:32
-gpgpu_shader_cta 8
-gpgpu_num_sched_per_core 2
-gpgpu_scheduler gto
-gpgpu_cache:dl1 N:32:128:4,L:L:m:N:H,S:64:8,8
-gpgpu_shmem_size 49152
-gpgpu_cache:dl2 S:64:128:8,L:B:m:L:L,A:256:4,4:0,32
-gpgpu_n_mem_per_ctrlr 2
-gpgpu_dram_buswidth 4
-gpgpu_dram_burst_length 8
-dram_data_command_freq_ratio 4
-gpgpu_dram_timing_opt "nbk=16:CCD=1:RRD=6:RCD=12:RAS=28:RP=12:RC=40: CL=12:WL=4:CDLR=5:WR=12:nbkgrp=4:CCDL=3:RTPL=2"
)";
    FromGpgpusim const made = from_gpgpusim({{"fermi.config", fermi}});
    Config const config = load_config(folder.write("made.json", made.json));
    CHECK(config.compute_capability == ComputeCapability{7, 0});  // the base's
    CHECK(config.sm.sub_cores == 4);                              // of 12 warps: 16 are the most that one has here
    CHECK(config.dram.channels->command_interval_cycles == 2);    // eight transfers at four a clock
    std::string all;
    for (std::string const& note : made.notes) all += note + "\n";
    CHECK(contains(
        all, "-gpgpu_compute_capability_major 2: PTX for 2.0 runs here as on the base; the oldest is 5.0\n"));
    std::string const plan = WARPSIM_SOURCE_DIR "/tests/kernels/plans/saxpy.json";
    test::Ended const ended =
        test::run_command(folder, "run " + plan + " --out . --mode timing --config made.json");
    INFO(ended.err);
    CHECK(ended.status == 0);
}

TEST_CASE("What trace.config says holds over gpgpusim.config", "[config]") {
    test::TemporaryFolder const folder;
    std::string const trace = R"(
-trace_opcode_latency_initiation_int 6,3
-trace_opcode_latency_initiation_sp 7,4
-trace_opcode_latency_initiation_dp 11,5
-trace_opcode_latency_initiation_sfu 25,9
-trace_opcode_latency_initiation_tensor 2,2
-specialized_unit_1 1,4,4,4,4,BRA
-trace_opcode_latency_initiation_spec_op_1 9,6
-specialized_unit_2 1,4,200,4,4,TEX
-trace_opcode_latency_initiation_spec_op_2 200,4
)";
    FromGpgpusim const made = from_gpgpusim({{"volta.config", volta}, {"trace.config", trace}});
    Config const config = load_config(folder.write("made.json", made.json));
    CHECK(config.sm.units->alu.latency_cycles == 6);
    CHECK(config.sm.units->alu.issue_interval_cycles == 3);
    CHECK(config.sm.units->fma.latency_cycles == 7);
    CHECK(config.sm.units->fp64.issue_interval_cycles == 5);
    CHECK(config.sm.units->sfu.latency_cycles == 25);
    CHECK(config.sm.units->branch.latency_cycles == 9);
    std::string all;
    for (std::string const& note : made.notes) all += note + "\n";
    CHECK(
        contains(all, "-trace_opcode_latency_initiation_spec_op_2 200,4: textures are timed by what they read\n"));
    CHECK(contains(all, "-trace_opcode_latency_initiation_tensor 2,2: products"));
    folder.write("volta.config", volta);
    folder.write("trace.config", trace);
    CHECK(test::run_command(folder, "config from-gpgpusim volta.config trace.config").out == made.json);
}

TEST_CASE("What is no gpgpusim.config is refused with its name", "[config]") {
    CHECK_THROWS_WITH(from_gpgpusim({{"a.txt", "{}"}}),
                      "a.txt: '{}' stands before the first -key: no gpgpusim.config");
    CHECK_THROWS_WITH(from_gpgpusim({{"a.txt", "# nothing\n"}}),
                      "a.txt: there is no -key in it: no gpgpusim.config");
    CHECK_THROWS_WITH(from_gpgpusim({{"a.txt", "-a \"b"}}), "a.txt: a quote is not closed");
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
