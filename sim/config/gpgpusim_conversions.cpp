#include "sim/config/gpgpusim_conversions.hpp"

#include "sim/config/config.hpp"

#include <nlohmann/json.hpp>

namespace warpsim::sim::gpgpusim {

namespace {

using Numbers = std::vector<std::uint64_t>;

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

}  // namespace

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
    std::uint64_t const groups = c.named("gpgpu_dram_timing_opt", "nbkgrp").value_or(1);
    if (groups <= 1) return;
    c.set("dram.channels.bank_groups", groups, "gpgpu_dram_timing_opt");
    if (auto const n = c.named("gpgpu_dram_timing_opt", "CCDL"))
        c.set("dram.channels.same_group_cycles", *n, "gpgpu_dram_timing_opt");
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
    char const* const key = c.number("gpgpu_compute_capability_major") ? "gpgpu_compute_capability_major"
                                                                       : "gpgpu_ptx_force_max_capability";
    auto const major = c.number("gpgpu_compute_capability_major"),
               minor = c.number("gpgpu_compute_capability_minor");
    auto const both = c.number("gpgpu_ptx_force_max_capability");
    if (!major && !both) return;
    std::string const version = major ? std::to_string(*major) + "." + std::to_string(minor.value_or(0))
                                      : std::to_string(*both / 10) + "." + std::to_string(*both % 10);
    Json const known = Json::parse(config_schema()).at("properties").at("compute_capability").at("enum");
    if (std::find(known.begin(), known.end(), version) == known.end()) {
        for (char const* const given : {"gpgpu_compute_capability_major", "gpgpu_compute_capability_minor",
                                        "gpgpu_ptx_force_max_capability"})
            if (!c.text(given).empty())
                c.refuse(given, "PTX for " + version + " runs here as on the base; the oldest is " +
                                    known.front().get<std::string>());
        return;
    }
    c.set("compute_capability", version, key);
}

void set_topology(Conversion& c) {
    auto const mode = c.number("network_mode");
    if (!mode) return;
    if (*mode != 2)
        return c.refuse("network_mode", "the topology is in another file, which is not read: a crossbar");
    c.set("interconnect.topology", "crossbar", "network_mode");
}

void set_specialized_unit(Conversion& c, std::string_view unit, std::string_view times) {
    std::string const text = c.text(unit);
    std::string const name = text.substr(text.rfind(',') + 1);
    Numbers const n = c.numbers(times);
    if (n.size() != 2) return;
    if (name == "BRA") {
        c.set("sm.units.branch.latency_cycles", std::max<std::uint64_t>(n[0], 1), times);
        c.set("sm.units.branch.issue_interval_cycles", std::max<std::uint64_t>(n[1], 1), times);
    } else {
        std::string const why = name == "TEX" ? "textures are timed by what they read"
                                : name == "TENSOR"
                                    ? "products take what their shapes and the base's rates make of them"
                                    : "the base's";
        c.refuse(unit, why);
        c.refuse(times, why);
    }
}

}  // namespace warpsim::sim::gpgpusim
