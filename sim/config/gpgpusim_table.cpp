#include "sim/config/gpgpusim_table.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace warpsim::sim::gpgpusim {

namespace {

using Numbers = std::vector<std::uint64_t>;

/// A key whose first number is ours.
template <std::size_t N> struct Name {
    char text[N];
    constexpr Name(char const (&name)[N]) { std::copy_n(name, N, text); }  // NOLINT: "..." as an argument
};
template <Name theirs, Name ours, std::uint64_t divisor = 1> void same(Conversion& c) {
    if (auto const n = c.number(theirs.text)) c.set(ours.text, *n / divisor, theirs.text);
}

void set_sms(Conversion& c) {
    auto const clusters = c.number("gpgpu_n_clusters");
    if (clusters)
        c.set("sm.count", *clusters * c.number("gpgpu_n_cores_per_cluster").value_or(1), "gpgpu_n_clusters");
}

void set_threads(Conversion& c) {
    auto const threads = c.number("gpgpu_shader_core_pipeline");
    if (!threads) return;
    c.set("sm.max_warps", *threads / 32, "gpgpu_shader_core_pipeline");
    c.set("sm.max_threads", *threads / 32 * 32, "gpgpu_shader_core_pipeline");
}

void set_scheduler(Conversion& c) {
    std::string const theirs = c.text("gpgpu_scheduler");
    if (theirs.empty()) return;
    if (theirs == "lrr" || theirs == "gto") return c.set("sm.schedulers.policy", theirs, "gpgpu_scheduler");
    if (!theirs.starts_with("two_level_active"))
        return c.refuse("gpgpu_scheduler", "there is no such scheduler; a plug-in may bring one");
    c.set("sm.schedulers.policy", "two_level", "gpgpu_scheduler");
    if (auto const n = c.number("gpgpu_scheduler")) c.set("sm.schedulers.active_warps", *n, "gpgpu_scheduler");
}

void set_clocks(Conversion& c) {
    Numbers const clocks = c.numbers("gpgpu_clock_domains");
    if (clocks.size() != 4) return;
    char const* const paths[] = {"clock_mhz", "interconnect.clock_mhz", "l2.slices.clock_mhz", "dram.clock_mhz"};
    for (std::size_t i = 0; i < 4; ++i) c.set(paths[i], clocks[i], "gpgpu_clock_domains");
}

void set_carve_outs(Conversion& c) {
    Numbers const all = c.numbers("gpgpu_shmem_option");
    auto const most = c.number("gpgpu_shmem_size");
    if (all.empty() || !most) return;
    Json list = Json::array();
    for (std::uint64_t const kib : all)
        if (kib < *most / 1024) list.push_back(kib);
    list.push_back(*most / 1024);
    c.set("sm.shared.carve_outs_kib", std::move(list), "gpgpu_shmem_option");
}

void set_shared_of_cta(Conversion& c) {
    auto const bytes = c.number("gpgpu_shmem_per_block");
    if (!bytes) return;
    c.set("sm.shared.cta_opt_in_kib", *bytes / 1024, "gpgpu_shmem_per_block");
    c.set("sm.shared.cta_default_kib", std::min<std::uint64_t>(*bytes / 1024, 48), "gpgpu_shmem_per_block");
}

/// "S:4:128:64,L:T:m:L:L,A:512:8,16:0,32": sets, line, ways; replacement and writes; MSHRs and merges.
void set_cache(Conversion& c, std::string_view key, std::string const& ours, std::uint64_t ways) {
    Numbers const n = c.numbers(key);
    std::string const text = c.text(key);
    std::size_t const policies = text.find(',');
    if (n.size() < 5 || policies == std::string::npos || policies + 7 >= text.size()) return;
    c.set(ours + ".ways", ways, key);
    char const replacement = text[policies + 1];
    if (replacement == 'L' || replacement == 'F')
        c.set(ours + ".replacement", replacement == 'L' ? "lru" : "fifo", key);
    else c.refuse(key, std::string("there is no replacement '") + replacement + "'");
    char const allocates = text[policies + 7];
    c.set(ours + ".write_policy", allocates == 'N' ? "around" : "allocate", key);
    c.set(ours + ".mshrs", n[3], key);
    c.set(ours + ".mshr_merges", n[4], key);
    if (n[1] != 128) c.refuse(key, "lines are 128 bytes here");
}

void set_l1(Conversion& c) {
    Numbers const n = c.numbers("gpgpu_cache:dl1");
    if (n.size() < 3 || n[0] == 0) return;
    std::uint64_t const kib = c.number("gpgpu_unified_l1d_size").value_or(n[0] * n[1] * n[2] / 1024);
    c.set("sm.l1.size_kib", kib,
          c.number("gpgpu_unified_l1d_size") ? "gpgpu_unified_l1d_size" : "gpgpu_cache:dl1");
    // Of a cache that grows with what shared memory leaves, the sets keep their number.
    set_cache(c, "gpgpu_cache:dl1", "sm.l1", kib * 1024 / (n[0] * 128));
}

void set_l2(Conversion& c) {
    Numbers const n = c.numbers("gpgpu_cache:dl2");
    auto const channels = c.number("gpgpu_n_mem");
    if (n.size() < 3 || !channels) return;
    std::uint64_t const slices = *channels * c.number("gpgpu_n_sub_partition_per_mchannel").value_or(1);
    c.set("l2.size_kib", n[0] * n[1] * n[2] * slices / 1024, "gpgpu_cache:dl2");
    set_cache(c, "gpgpu_cache:dl2", "l2.slices", n[2]);
}

void set_slices(Conversion& c) {
    auto const channels = c.number("gpgpu_n_mem"), each = c.number("gpgpu_n_sub_partition_per_mchannel");
    if (channels && each) c.set("l2.slices.count", *channels * *each, "gpgpu_n_sub_partition_per_mchannel");
}

void set_register_banks(Conversion& c) {
    auto const banks = c.number("gpgpu_num_reg_banks");
    std::uint64_t const sub_cores = std::max<std::uint64_t>(c.number("gpgpu_num_sched_per_core").value_or(1), 1);
    if (banks)
        c.set("sm.register_file.banks", std::max<std::uint64_t>(*banks / sub_cores, 1), "gpgpu_num_reg_banks");
    if (auto const n = c.number("gpgpu_reg_file_port_throughput"))
        c.set("sm.register_file.ports_per_bank", *n, "gpgpu_reg_file_port_throughput");
}

/// A third of the latency on each way, and one in the slice.
void set_l2_latency(Conversion& c) {
    auto const cycles = c.number("gpgpu_l2_rop_latency");
    if (!cycles) return;
    if (*cycles < 24) return c.refuse("gpgpu_l2_rop_latency", "at least 24 are needed here, 8 on each way");
    c.set("interconnect.request_latency_cycles", *cycles / 3, "gpgpu_l2_rop_latency");
    c.set("interconnect.reply_latency_cycles", *cycles / 3, "gpgpu_l2_rop_latency");
    c.set("l2.slices.hit_latency_cycles", *cycles - *cycles / 3 * 2, "gpgpu_l2_rop_latency");
}

void set_flits(Conversion& c) {
    auto const bytes = c.number("icnt_flit_size");
    if (!bytes) return;
    c.set("interconnect.request_bytes_per_cycle", *bytes, "icnt_flit_size");
    c.set("interconnect.reply_bytes_per_cycle", *bytes, "icnt_flit_size");
}

void set_bus(Conversion& c) {
    auto const channels = c.number("gpgpu_n_mem"), bytes = c.number("gpgpu_dram_buswidth");
    if (!channels || !bytes) return;
    std::uint64_t const chips = c.number("gpgpu_n_mem_per_ctrlr").value_or(1);
    c.set("dram.bus_width_bits", *channels * *bytes * chips * 8, "gpgpu_dram_buswidth");
    if (auto const n = c.number("dram_data_command_freq_ratio"))
        c.set("dram.transfers_per_clock", *n, "dram_data_command_freq_ratio");
    if (auto const n = c.number("gpgpu_dram_burst_length"))
        c.set("dram.channels.access_bytes", *bytes * chips * *n, "gpgpu_dram_burst_length");
}

void set_dram_queue(Conversion& c) {
    if (auto const n = c.number("gpgpu_dram_scheduler"))
        c.set("dram.channels.policy", *n == 0 ? "fcfs" : "fr_fcfs", "gpgpu_dram_scheduler");
    auto const entries = c.number("gpgpu_frfcfs_dram_sched_queue_size");
    if (entries && *entries != 0)
        c.set("dram.channels.queue_entries", *entries, "gpgpu_frfcfs_dram_sched_queue_size");
}

void set_dram_timing(Conversion& c) {
    struct Timing {
        char const* theirs;
        char const* ours;
    };
    for (auto const& [theirs, ours] :
         {Timing{"nbk", "banks"}, Timing{"CCD", "command_interval_cycles"},
          Timing{"RCD", "activate_to_read_cycles"}, Timing{"RAS", "activate_to_precharge_cycles"},
          Timing{"RC", "activate_to_activate_cycles"}, Timing{"RP", "precharge_cycles"},
          Timing{"CL", "read_cycles"}, Timing{"RRD", "activate_interval_cycles"}, Timing{"WL", "write_cycles"},
          Timing{"CDLR", "write_to_read_cycles"}, Timing{"RTPL", "read_to_precharge_cycles"},
          Timing{"WR", "write_recovery_cycles"}})
        if (auto const n = c.named("gpgpu_dram_timing_opt", theirs))
            c.set(std::string("dram.channels.") + ours, *n, "gpgpu_dram_timing_opt");
    if (c.named("gpgpu_dram_timing_opt", "nbkgrp").value_or(1) > 1)
        c.refuse("gpgpu_dram_timing_opt", "of it nbkgrp and CCDL: there are no bank groups");
}

void set_write_queue(Conversion& c) {
    Numbers const n = c.numbers("dram_write_queue_size");
    if (n.size() != 3) return;
    char const* const paths[] = {"write_queue_entries", "write_high_watermark", "write_low_watermark"};
    for (std::size_t i = 0; i < 3; ++i)
        c.set(std::string("dram.channels.") + paths[i], n[i], "dram_write_queue_size");
}

void set_partition_queues(Conversion& c) {
    Numbers const n = c.numbers("gpgpu_dram_partition_queues");
    if (n.size() != 4) return;
    c.set("dram.channels.input_entries", n[1], "gpgpu_dram_partition_queues");
    c.set("interconnect.slice_reply_entries", n[3], "gpgpu_dram_partition_queues");
}

void set_cta_launch(Conversion& c) {
    auto const cycles = c.number("gpgpu_TB_launch_latency");
    if (!cycles) return;
    if (*cycles < 8) return c.refuse("gpgpu_TB_launch_latency", "at least 8 cycles are needed here");
    c.set("launch.cta_launch_latency_cycles", *cycles, "gpgpu_TB_launch_latency");
}

void set_control_flow(Conversion& c) {
    auto const n = c.number("gpgpu_simd_model");
    if (n && *n == 1) c.set("sm.control_flow", "stack", "gpgpu_simd_model");
}

void set_issue(Conversion& c) {
    if (auto const n = c.number("gpgpu_max_insn_issue_per_warp"))
        c.set("sm.schedulers.issue_per_cycle", *n, "gpgpu_max_insn_issue_per_warp");
}

void set_capability(Conversion& c) {
    auto const major = c.number("gpgpu_compute_capability_major"),
               minor = c.number("gpgpu_compute_capability_minor");
    auto const both = c.number("gpgpu_ptx_force_max_capability");
    if (major)
        c.set("compute_capability", std::to_string(*major) + "." + std::to_string(minor.value_or(0)),
              "gpgpu_compute_capability_major");
    else if (both)
        c.set("compute_capability", std::to_string(*both / 10) + "." + std::to_string(*both % 10),
              "gpgpu_ptx_force_max_capability");
}

template <Name latency, Name interval, Name unit> void set_unit(Conversion& c) {
    std::string const path = std::string("sm.units.") + unit.text;
    if (auto const n = c.number(latency.text)) c.set(path + ".latency_cycles", *n, latency.text);
    if (auto const n = c.number(interval.text)) c.set(path + ".issue_interval_cycles", *n, interval.text);
}

// clang-format off
std::vector<Row> const rows{
    {{"gpgpu_n_clusters", "gpgpu_n_cores_per_cluster"}, {"sm.count"}, "their product", set_sms},
    {{"gpgpu_shader_core_pipeline"}, {"sm.max_threads", "sm.max_warps"}, "", set_threads},
    {{"gpgpu_shader_cta"}, {"sm.max_ctas"}, "", same<"gpgpu_shader_cta", "sm.max_ctas">},
    {{"gpgpu_shader_registers"}, {"sm.registers"}, "", same<"gpgpu_shader_registers", "sm.registers">},
    {{"gpgpu_registers_per_block"}, {"limits.max_registers_per_cta"}, "",
     same<"gpgpu_registers_per_block", "limits.max_registers_per_cta">},
    {{"gpgpu_num_sched_per_core"}, {"sm.sub_cores"}, "each with its own units", same<"gpgpu_num_sched_per_core", "sm.sub_cores">},
    {{"gpgpu_scheduler"}, {"sm.schedulers.policy", "sm.schedulers.active_warps"}, "`lrr`, `gto`, `two_level` for `two_level_active`; hardware's is `cggty`", set_scheduler},
    {{"gpgpu_max_insn_issue_per_warp"}, {"sm.schedulers.issue_per_cycle"}, "", set_issue},
    {{"gpgpu_simd_model"}, {"sm.control_flow"}, "`stack` is its reconvergence stack; `independent` is Volta's", set_control_flow},
    {{"gpgpu_clock_domains"}, {"clock_mhz", "interconnect.clock_mhz", "l2.slices.clock_mhz", "dram.clock_mhz"}, "in its order, MHz", set_clocks},
    {{"gpgpu_shmem_size"}, {"sm.shared.size_kib"}, "", same<"gpgpu_shmem_size", "sm.shared.size_kib", 1024>},
    {{"gpgpu_shmem_option"}, {"sm.shared.carve_outs_kib"}, "the smallest that the resident CTAs need", set_carve_outs},
    {{"gpgpu_shmem_per_block"}, {"sm.shared.cta_opt_in_kib", "sm.shared.cta_default_kib"}, "", set_shared_of_cta},
    {{"gpgpu_shmem_num_banks"}, {"sm.shared.banks.count"}, "", same<"gpgpu_shmem_num_banks", "sm.shared.banks.count">},
    {{"gpgpu_smem_latency"}, {"sm.shared.banks.load_latency_cycles"}, "load to use, not only the pipeline", same<"gpgpu_smem_latency", "sm.shared.banks.load_latency_cycles">},
    {{"gpgpu_unified_l1d_size", "gpgpu_cache:dl1"}, {"sm.l1.size_kib", "sm.l1.ways", "sm.l1.replacement", "sm.l1.write_policy", "sm.l1.mshrs", "sm.l1.mshr_merges"}, "ways follow from size and sets; L1 writes through", set_l1},
    {{"gpgpu_l1_latency"}, {"sm.l1.hit_latency_cycles"}, "load to use", same<"gpgpu_l1_latency", "sm.l1.hit_latency_cycles">},
    {{"gpgpu_l1_banks", "gpgpu_l1_cache_write_ratio"}, {"sm.l1.bytes_per_cycle", "sm.l1.tags_per_cycle"}, "bandwidths were measured, and are the base's"},
    {{"gpgpu_gmem_skip_L1D"}, {}, "say `ld.global.cg` in the PTX"},
    {{"gpgpu_coalesce_arch"}, {"sm.lsu.coalescing_threads"}, "the base's"},
    {{"gpgpu_cache:il1", "gpgpu_inst_fetch_throughput"}, {"sm.front_end.l0_size_kib", "sm.front_end.l1_size_kib", "sm.front_end.l0_miss_cycles"}, "two levels, the base's"},
    {{"gpgpu_const_cache:l1"}, {"sm.constant.l1_size_kib", "sm.constant.l15_size_kib"}, "two levels, the base's"},
    {{"gpgpu_num_reg_banks", "gpgpu_reg_file_port_throughput"}, {"sm.register_file.banks", "sm.register_file.ports_per_bank"}, "banks of a sub-core", set_register_banks},
    {{"gpgpu_operand_collector_*", "gpgpu_enable_specialized_operand_collector"}, {"sm.register_file.read_window_cycles"}, "hardware since Maxwell has no collectors"},
    {{"ptx_opcode_latency_int", "ptx_opcode_initiation_int"}, {"sm.units.alu.latency_cycles", "sm.units.alu.issue_interval_cycles"}, "one value a unit: long operations are sequences", set_unit<"ptx_opcode_latency_int", "ptx_opcode_initiation_int", "alu">},
    {{"ptx_opcode_latency_fp", "ptx_opcode_initiation_fp"}, {"sm.units.fma.latency_cycles", "sm.units.fma.issue_interval_cycles"}, "", set_unit<"ptx_opcode_latency_fp", "ptx_opcode_initiation_fp", "fma">},
    {{"ptx_opcode_latency_dp", "ptx_opcode_initiation_dp"}, {"sm.units.fp64.latency_cycles", "sm.units.fp64.issue_interval_cycles"}, "", set_unit<"ptx_opcode_latency_dp", "ptx_opcode_initiation_dp", "fp64">},
    {{"ptx_opcode_latency_sfu", "ptx_opcode_initiation_sfu"}, {"sm.units.sfu.latency_cycles", "sm.units.sfu.issue_interval_cycles"}, "", set_unit<"ptx_opcode_latency_sfu", "ptx_opcode_initiation_sfu", "sfu">},
    {{"ptx_opcode_latency_tesnor"}, {"sm.units.tensor.latency_cycles"}, "", same<"ptx_opcode_latency_tesnor", "sm.units.tensor.latency_cycles">},
    {{"ptx_opcode_initiation_tensor"}, {"sm.units.tensor.fp16_fma_per_cycle"}, "rates are the base's"},
    {{"gpgpu_num_sp_units", "gpgpu_num_int_units", "gpgpu_num_dp_units", "gpgpu_num_sfu_units", "gpgpu_num_tensor_core_units"}, {"sm.units.fma.issue_interval_cycles"}, "one of each in a sub-core: the interval says how wide it is, 2 for 16 lanes, 1 for 32"},
    {{"gpgpu_num_mem_units", "gpgpu_mem_unit_ports"}, {"sm.lsu.accept_interval_cycles", "sm.lsu.queue_entries"}, "the base's"},
    {{"gpgpu_n_mem"}, {"dram.channels.count"}, "", same<"gpgpu_n_mem", "dram.channels.count">},
    {{"gpgpu_n_sub_partition_per_mchannel"}, {"l2.slices.count"}, "the number of all slices", set_slices},
    {{"gpgpu_cache:dl2"}, {"l2.size_kib", "l2.slices.ways", "l2.slices.replacement", "l2.slices.write_policy", "l2.slices.mshrs", "l2.slices.mshr_merges"}, "", set_l2},
    {{"gpgpu_l2_rop_latency"}, {"interconnect.request_latency_cycles", "l2.slices.hit_latency_cycles", "interconnect.reply_latency_cycles"}, "a third each; see \"How latencies add up\" in [README.md](README.md)", set_l2_latency},
    {{"icnt_flit_size"}, {"interconnect.request_bytes_per_cycle", "interconnect.reply_bytes_per_cycle"}, "a crossbar with ports and credits", set_flits},
    {{"inter_config_file", "network_mode", "icnt_*"}, {}, "there is no topology"},
    {{"gpgpu_mem_addr_mapping", "gpgpu_mem_address_mask", "gpgpu_memory_partition_indexing"}, {"interconnect.interleave_bytes"}, "always hashed"},
    {{"gpgpu_dram_buswidth", "gpgpu_n_mem_per_ctrlr", "dram_data_command_freq_ratio", "gpgpu_dram_burst_length"}, {"dram.bus_width_bits", "dram.transfers_per_clock", "dram.channels.access_bytes"}, "the bus of all channels", set_bus},
    {{"gpgpu_dram_scheduler", "gpgpu_frfcfs_dram_sched_queue_size"}, {"dram.channels.policy", "dram.channels.queue_entries"}, "", set_dram_queue},
    {{"gpgpu_dram_timing_opt"}, {"dram.channels.banks", "dram.channels.command_interval_cycles", "dram.channels.activate_to_read_cycles", "dram.channels.activate_to_precharge_cycles", "dram.channels.activate_to_activate_cycles", "dram.channels.precharge_cycles", "dram.channels.read_cycles", "dram.channels.activate_interval_cycles", "dram.channels.write_cycles", "dram.channels.write_to_read_cycles", "dram.channels.read_to_precharge_cycles", "dram.channels.write_recovery_cycles"}, "nbk, CCD, RCD, RAS, RC, RP, CL, RRD, WL, CDLR, RTPL, WR, in memory clocks; the 2 of its tRTW is `dram.channels.read_to_write_cycles`; no bank groups (nbkgrp, CCDL)", set_dram_timing},
    {{"dram_write_queue_size"}, {"dram.channels.write_queue_entries", "dram.channels.write_high_watermark", "dram.channels.write_low_watermark"}, "always apart with `fr_fcfs`", set_write_queue},
    {{"dram_seperate_write_queue_enable"}, {"dram.channels.policy"}, "apart with `fr_fcfs`"},
    {{"gpgpu_dram_partition_queues"}, {"dram.channels.input_entries", "interconnect.slice_reply_entries"}, "its second and fourth", set_partition_queues},
    {{"gpgpu_dram_return_queue_size", "dram_dual_bus_interface", "dram_bnk_indexing_policy", "dram_bnkgrp_indexing_policy"}, {}, "a channel gives a row and a column command in each cycle, and hashes its banks"},
    {{"dram_latency"}, {"dram.channels.latency_cycles"}, "", same<"dram_latency", "dram.channels.latency_cycles">},
    {{"gpgpu_kernel_launch_latency"}, {"launch.kernel_launch_cycles"}, "`launch.drain_cycles` comes after the kernel", same<"gpgpu_kernel_launch_latency", "launch.kernel_launch_cycles">},
    {{"gpgpu_TB_launch_latency"}, {"launch.cta_launch_latency_cycles"}, "at least 8", set_cta_launch},
    {{"gpgpu_max_concurrent_kernel"}, {"launch.resident_grids"}, "", same<"gpgpu_max_concurrent_kernel", "launch.resident_grids">},
    {{"gpgpu_stack_size_limit"}, {"limits.stack_bytes_per_thread"}, "", same<"gpgpu_stack_size_limit", "limits.stack_bytes_per_thread">},
    {{"gpgpu_heap_size_limit"}, {"limits.malloc_heap_kib"}, "", same<"gpgpu_heap_size_limit", "limits.malloc_heap_kib", 1024>},
    {{"gpgpu_compute_capability_major", "gpgpu_compute_capability_minor", "gpgpu_ptx_force_max_capability"}, {"compute_capability"}, "", set_capability},
    {{"gpgpu_ptx_sim_mode"}, {"--mode"}, "`functional` or `timing`"},
    {{"gpgpu_max_insn", "gpgpu_max_cycle"}, {"--max-instructions"}},
    {{"gpgpu_runtime_stat", "gpgpu_memlatency_stat"}, {"--interval"}},
    {{"visualizer_enabled", "enable_ptx_file_line_stats"}, {"--profile"}},
    {{"trace_*"}, {"--trace"}},
    {{"power_*"}, {}, "nothing of that kind is modelled"},
    {{"gpgpu_flush_l1_cache", "gpgpu_perf_sim_memcpy"}, {"launch.flush_caches"}, "L1 is empty when a kernel begins; copies leave their lines in L2 (`copies.fill_l2`)"},
    {{"gpgpu_concurrent_kernel_sm"}, {"launch.resident_grids"}, "grids of several streams are resident together"},
    {{"gpgpu_shmem_sizeDefault", "gpgpu_adaptive_cache_config", "gpgpu_sub_core_model", "gpgpu_tensor_core_avail", "gpgpu_occupancy_sm_number", "gpgpu_dual_issue_diff_exec_units"}, {}, "always so here, or as the base says"},
    {{"gpgpu_pipeline_widths", "gpgpu_clock_gated_lanes", "gpgpu_shmem_limited_broadcast", "gpgpu_shmem_warp_parts", "gpgpu_perfect_inst_const_cache", "gpgpu_n_cluster_ejection_buffer_size", "gpgpu_cache:dl2_texture_only", "gpgpu_tex_cache:l1", "specialized_unit_*"}, {}, "nothing of that kind is modelled"},
    {{"gpgpu_ptx_*", "gpgpu_runtime_*"}, {}, "PTX is executed as it is written"},
};
// clang-format on

}  // namespace

std::span<Row const> table() { return rows; }

}  // namespace warpsim::sim::gpgpusim
