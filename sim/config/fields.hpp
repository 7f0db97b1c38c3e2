// Every member of a Config with its JSON key: the one list that reading and the tests walk.
//
// A visitor is called as visitor("key", member); for a member that is a struct, or an optional one, it calls
// fields(itself, the struct) where it likes.
#pragma once

#include "sim/config/config.hpp"

namespace warpsim::sim {

template <class V> void fields(V& v, SchedulerConfig& c) {
    v("policy", c.policy);
    v("issue_per_cycle", c.issue_per_cycle);
    v("active_warps", c.active_warps);
}

template <class V> void fields(V& v, SharedBanksConfig& c) {
    v("count", c.count);
    v("width_bytes", c.width_bytes);
    v("load_latency_cycles", c.load_latency_cycles);
    v("store_latency_cycles", c.store_latency_cycles);
    v("conflict_latency_cycles", c.conflict_latency_cycles);
}

template <class V> void fields(V& v, SharedConfig& c) {
    v("size_kib", c.size_kib);
    v("carve_outs_kib", c.carve_outs_kib);
    v("cta_default_kib", c.cta_default_kib);
    v("cta_opt_in_kib", c.cta_opt_in_kib);
    v("cta_reserved_bytes", c.cta_reserved_bytes);
    v("allocation_unit_bytes", c.allocation_unit_bytes);
    v("banks", c.banks);
}

template <class V> void fields(V& v, FrontEndConfig& c) {
    v("instruction_bytes", c.instruction_bytes);
    v("buffer_entries", c.buffer_entries);
    v("taken_branch_cycles", c.taken_branch_cycles);
    v("branch_cycles", c.branch_cycles);
    v("line_bytes", c.line_bytes);
    v("l0_size_kib", c.l0_size_kib);
    v("l0_ways", c.l0_ways);
    v("l0_prefetch_lines", c.l0_prefetch_lines);
    v("l0_miss_cycles", c.l0_miss_cycles);
    v("l1_size_kib", c.l1_size_kib);
    v("l1_ways", c.l1_ways);
    v("l1_miss_cycles", c.l1_miss_cycles);
    v("fetch_from_l2", c.fetch_from_l2);
}

template <class V> void fields(V& v, RegisterFileConfig& c) {
    v("banks", c.banks);
    v("ports_per_bank", c.ports_per_bank);
    v("read_window_cycles", c.read_window_cycles);
    v("reuse_cache", c.reuse_cache);
}

template <class V> void fields(V& v, DependenceConfig& c) {
    v("cross_unit_cycles", c.cross_unit_cycles);
    v("predicate_to_guard_cycles", c.predicate_to_guard_cycles);
    v("address_cycles", c.address_cycles);
    v("counters", c.counters);
}

template <class V> void fields(V& v, UnitConfig& c) {
    v("latency_cycles", c.latency_cycles);
    v("issue_interval_cycles", c.issue_interval_cycles);
    v("per_sm", c.per_sm);
    v("scoreboarded", c.scoreboarded);
}

template <class V> void fields(V& v, TensorConfig& c) {
    v("latency_cycles", c.latency_cycles);
    v("warp_mma_percent", c.warp_mma_percent);
    v("f16_sum_latency_cycles", c.f16_sum_latency_cycles);
    v("f32_sum_percent", c.f32_sum_percent);
    v("tensor_memory_latency_cycles", c.tensor_memory_latency_cycles);
    v("tensor_memory_bytes_per_cycle", c.tensor_memory_bytes_per_cycle);
    v("tensor_memory_copy_bytes_per_cycle", c.tensor_memory_copy_bytes_per_cycle);
    v("tensor_memory_tail_cycles", c.tensor_memory_tail_cycles);
    v("fp16_fma_per_cycle", c.fp16_fma_per_cycle);
    v("tf32_fma_per_cycle", c.tf32_fma_per_cycle);
    v("fp8_fma_per_cycle", c.fp8_fma_per_cycle);
    v("warpgroup_fp8_fma_per_cycle", c.warpgroup_fp8_fma_per_cycle);
    v("warpgroup_tail_cycles", c.warpgroup_tail_cycles);
    v("warpgroup_queue_entries", c.warpgroup_queue_entries);
    v("fp4_fma_per_cycle", c.fp4_fma_per_cycle);
    v("int8_fma_per_cycle", c.int8_fma_per_cycle);
    v("int4_fma_per_cycle", c.int4_fma_per_cycle);
    v("int1_fma_per_cycle", c.int1_fma_per_cycle);
    v("fp64_fma_per_cycle", c.fp64_fma_per_cycle);
}

template <class V> void fields(V& v, UnitsConfig& c) {
    v("alu", c.alu);
    v("fma", c.fma);
    v("fp16", c.fp16);
    v("fp64", c.fp64);
    v("sfu", c.sfu);
    v("branch", c.branch);
    v("shuffle", c.shuffle);
    v("vote", c.vote);
    v("uniform", c.uniform);
    v("tensor", c.tensor);
}

template <class V> void fields(V& v, LsuConfig& c) {
    v("queue_entries", c.queue_entries);
    v("address_interval_cycles", c.address_interval_cycles);
    v("accept_interval_cycles", c.accept_interval_cycles);
    v("coalescing_threads", c.coalescing_threads);
    v("return_bytes_per_cycle", c.return_bytes_per_cycle);
    v("packs_equal_pairs", c.packs_equal_pairs);
}

template <class V> void fields(V& v, TextureConfig& c) {
    v("units", c.units);
    v("filter_bytes_per_cycle", c.filter_bytes_per_cycle);
    v("fetch_bytes_per_cycle", c.fetch_bytes_per_cycle);
    v("queue_entries", c.queue_entries);
    v("hit_latency_cycles", c.hit_latency_cycles);
}

template <class V> void fields(V& v, L1Config& c) {
    v("size_kib", c.size_kib);
    v("cache_kib", c.cache_kib);
    v("line_bytes", c.line_bytes);
    v("sector_bytes", c.sector_bytes);
    v("ways", c.ways);
    v("write_policy", c.write_policy);
    v("replacement", c.replacement);
    v("prefetcher", c.prefetcher);
    v("prefetch_lines", c.prefetch_lines);
    v("hit_latency_cycles", c.hit_latency_cycles);
    v("bytes_per_cycle", c.bytes_per_cycle);
    v("tags_per_cycle", c.tags_per_cycle);
    v("mshrs", c.mshrs);
    v("mshr_merges", c.mshr_merges);
}

template <class V> void fields(V& v, AccumulatorConfig& c) {
    v("sum", c.sum);
    v("group", c.group);
    v("extra_bits", c.extra_bits);
    v("floor_f32", c.floor_f32);
    v("floor_f16", c.floor_f16);
    v("rounds_to_nearest", c.rounds_to_nearest);
}

template <class V> void fields(V& v, MatrixConfig& c) {
    v("f16", c.f16);
    v("tf32", c.tf32);
    v("f8", c.f8);
    v("wgmma_f8", c.wgmma_f8);
}

template <class V> void fields(V& v, CopyEngineConfig& c) {
    v("latency_cycles", c.latency_cycles);
    v("bytes_per_cycle", c.bytes_per_cycle);
    v("store_cycles", c.store_cycles);
    v("copy_interval_cycles", c.copy_interval_cycles);
    v("map_entries", c.map_entries);
}

template <class V> void fields(V& v, ConstantConfig& c) {
    v("l1_size_kib", c.l1_size_kib);
    v("l1_line_bytes", c.l1_line_bytes);
    v("l1_latency_cycles", c.l1_latency_cycles);
    v("l15_size_kib", c.l15_size_kib);
    v("l15_line_bytes", c.l15_line_bytes);
    v("l15_latency_cycles", c.l15_latency_cycles);
    v("word_cycles", c.word_cycles);
}

template <class V> void fields(V& v, TlbConfig& c) {
    v("enabled", c.enabled);
    v("entries", c.entries);
    v("page_kib", c.page_kib);
    v("miss_latency_cycles", c.miss_latency_cycles);
}

template <class V> void fields(V& v, SynchronisationConfig& c) {
    v("barrier_latency_cycles", c.barrier_latency_cycles);
    v("barrier_cycles_per_warp", c.barrier_cycles_per_warp);
    v("warp_barrier_latency_cycles", c.warp_barrier_latency_cycles);
    v("fence_cta_cycles", c.fence_cta_cycles);
    v("fence_gpu_cycles", c.fence_gpu_cycles);
    v("fence_system_cycles", c.fence_system_cycles);
}

template <class V> void fields(V& v, SmConfig& c) {
    v("count", c.count);
    v("sub_cores", c.sub_cores);
    v("gpcs", c.gpcs);
    v("sms_per_tpc", c.sms_per_tpc);
    v("max_warps", c.max_warps);
    v("max_threads", c.max_threads);
    v("max_ctas", c.max_ctas);
    v("registers", c.registers);
    v("register_allocation_unit", c.register_allocation_unit);
    v("warp_allocation_granularity", c.warp_allocation_granularity);
    v("barriers", c.barriers);
    v("control_flow", c.control_flow);
    v("convergence_patience", c.convergence_patience);
    v("schedulers", c.schedulers);
    v("shared", c.shared);
    v("front_end", c.front_end);
    v("register_file", c.register_file);
    v("dependences", c.dependences);
    v("units", c.units);
    v("lsu", c.lsu);
    v("texture", c.texture);
    v("l1", c.l1);
    v("constant", c.constant);
    v("synchronisation", c.synchronisation);
    v("tlb", c.tlb);
    v("matrix", c.matrix);
    v("copy_engine", c.copy_engine);
}

template <class V> void fields(V& v, LimitsConfig& c) {
    v("max_threads_per_cta", c.max_threads_per_cta);
    v("max_cta_size", c.max_cta_size);
    v("max_grid_size", c.max_grid_size);
    v("max_registers_per_thread", c.max_registers_per_thread);
    v("max_registers_per_cta", c.max_registers_per_cta);
    v("max_cluster_size", c.max_cluster_size);
    v("max_cluster_size_non_portable", c.max_cluster_size_non_portable);
    v("parameter_bytes", c.parameter_bytes);
    v("constant_bank_kib", c.constant_bank_kib);
    v("local_bytes_per_thread", c.local_bytes_per_thread);
    v("stack_bytes_per_thread", c.stack_bytes_per_thread);
    v("printf_fifo_kib", c.printf_fifo_kib);
    v("malloc_heap_kib", c.malloc_heap_kib);
}

template <class V> void fields(V& v, MemoryConfig& c) {
    v("global_mib", c.global_mib);
    v("bounds", c.bounds);
}

template <class V> void fields(V& v, L2SlicesConfig& c) {
    v("count", c.count);
    v("partitions", c.partitions);
    v("clock_mhz", c.clock_mhz);
    v("line_bytes", c.line_bytes);
    v("sector_bytes", c.sector_bytes);
    v("fetch_bytes", c.fetch_bytes);
    v("reads_before_partial_writes", c.reads_before_partial_writes);
    v("ways", c.ways);
    v("replacement", c.replacement);
    v("write_policy", c.write_policy);
    v("hit_latency_cycles", c.hit_latency_cycles);
    v("bytes_per_cycle", c.bytes_per_cycle);
    v("write_bytes_per_cycle", c.write_bytes_per_cycle);
    v("mshrs", c.mshrs);
    v("mshr_merges", c.mshr_merges);
    v("atomic_interval_cycles", c.atomic_interval_cycles);
    v("partial_accesses", c.partial_accesses);
    v("partial_merges", c.partial_merges);
}

template <class V> void fields(V& v, L2Config& c) {
    v("size_kib", c.size_kib);
    v("slices", c.slices);
}

template <class V> void fields(V& v, DramChannelsConfig& c) {
    v("count", c.count);
    v("banks", c.banks);
    v("row_bytes", c.row_bytes);
    v("access_bytes", c.access_bytes);
    v("queue_entries", c.queue_entries);
    v("policy", c.policy);
    v("latency_cycles", c.latency_cycles);
    v("activate_to_read_cycles", c.activate_to_read_cycles);
    v("activate_to_precharge_cycles", c.activate_to_precharge_cycles);
    v("activate_to_activate_cycles", c.activate_to_activate_cycles);
    v("precharge_cycles", c.precharge_cycles);
    v("activate_interval_cycles", c.activate_interval_cycles);
    v("bank_groups", c.bank_groups);
    v("same_group_cycles", c.same_group_cycles);
    v("same_group_activate_cycles", c.same_group_activate_cycles);
    v("same_group_write_to_read_cycles", c.same_group_write_to_read_cycles);
    v("four_activates_cycles", c.four_activates_cycles);
    v("read_cycles", c.read_cycles);
    v("write_cycles", c.write_cycles);
    v("command_interval_cycles", c.command_interval_cycles);
    v("write_to_read_cycles", c.write_to_read_cycles);
    v("read_to_write_cycles", c.read_to_write_cycles);
    v("read_to_precharge_cycles", c.read_to_precharge_cycles);
    v("write_recovery_cycles", c.write_recovery_cycles);
    v("write_queue_entries", c.write_queue_entries);
    v("write_high_watermark", c.write_high_watermark);
    v("write_low_watermark", c.write_low_watermark);
    v("input_entries", c.input_entries);
    v("l2_bytes_per_cycle", c.l2_bytes_per_cycle);
    v("refresh_interval_cycles", c.refresh_interval_cycles);
    v("refresh_cycles", c.refresh_cycles);
}

template <class V> void fields(V& v, DramConfig& c) {
    v("bus_width_bits", c.bus_width_bits);
    v("clock_mhz", c.clock_mhz);
    v("transfers_per_clock", c.transfers_per_clock);
    v("channels", c.channels);
}

template <class V> void fields(V& v, FunctionalConfig& c) {
    v("late_async", c.late_async);
    v("undefined", c.undefined);
}

template <class V> void fields(V& v, InterconnectConfig& c) {
    v("clock_mhz", c.clock_mhz);
    v("request_latency_cycles", c.request_latency_cycles);
    v("reply_latency_cycles", c.reply_latency_cycles);
    v("far_partition_cycles", c.far_partition_cycles);
    v("request_bytes_per_cycle", c.request_bytes_per_cycle);
    v("reply_bytes_per_cycle", c.reply_bytes_per_cycle);
    v("slice_reply_bytes_per_cycle", c.slice_reply_bytes_per_cycle);
    v("slice_reply_entries", c.slice_reply_entries);
    v("interleave_bytes", c.interleave_bytes);
    v("sm_to_sm_latency_cycles", c.sm_to_sm_latency_cycles);
    v("topology", c.topology);
    v("hop_cycles", c.hop_cycles);
    v("link_bytes_per_cycle", c.link_bytes_per_cycle);
}

template <class V> void fields(V& v, LaunchConfig& c) {
    v("kernel_launch_cycles", c.kernel_launch_cycles);
    v("cta_launch_latency_cycles", c.cta_launch_latency_cycles);
    v("placement", c.placement);
    v("ctas_per_1000_cycles", c.ctas_per_1000_cycles);
    v("drain_cycles", c.drain_cycles);
    v("resident_grids", c.resident_grids);
    v("flush_caches", c.flush_caches);
    v("host_call_ns", c.host_call_ns);
    v("registers_of_machine_code", c.registers_of_machine_code);
}

template <class V> void fields(V& v, MmuConfig& c) {
    v("entries", c.entries);
    v("ways", c.ways);
    v("walkers", c.walkers);
    v("walk_cycles", c.walk_cycles);
}

template <class V> void fields(V& v, CopiesConfig& c) {
    v("engines", c.engines);
    v("bandwidth_mb_per_s", c.bandwidth_mb_per_s);
    v("pageable_bandwidth_mb_per_s", c.pageable_bandwidth_mb_per_s);
    v("latency_ns", c.latency_ns);
    v("dram_percent", c.dram_percent);
    v("fill_l2", c.fill_l2);
}

template <class V> void fields(V& v, LaneEnergyConfig& c) {
    v("alu", c.alu);
    v("fma", c.fma);
    v("fp16", c.fp16);
    v("fp64", c.fp64);
    v("sfu", c.sfu);
}

template <class V> void fields(V& v, EnergyConfig& c) {
    v("source", c.source);
    v("reference_clock_mhz", c.reference_clock_mhz);
    v("voltage_clocks_mhz", c.voltage_clocks_mhz);
    v("voltage_percents", c.voltage_percents);
    v("constant_w", c.constant_w);
    v("idle_sm_w", c.idle_sm_w);
    v("active_sm_w", c.active_sm_w);
    v("lane_pj", c.lane_pj);
    v("tensor_f16_fma_pj", c.tensor_f16_fma_pj);
    v("l1_sector_pj", c.l1_sector_pj);
    v("shared_pass_pj", c.shared_pass_pj);
    v("l2_sector_pj", c.l2_sector_pj);
    v("dram_read_sector_pj", c.dram_read_sector_pj);
    v("dram_write_sector_pj", c.dram_write_sector_pj);
}

template <class V> void fields(V& v, Config& c) {
    v("description", c.description);
    v("product", c.product);
    v("compute_capability", c.compute_capability);
    v("clock_mhz", c.clock_mhz);
    v("sm", c.sm);
    v("limits", c.limits);
    v("memory", c.memory);
    v("l2", c.l2);
    v("dram", c.dram);
    v("mmu", c.mmu);
    v("functional", c.functional);
    v("interconnect", c.interconnect);
    v("launch", c.launch);
    v("copies", c.copies);
    v("energy", c.energy);
}

}  // namespace warpsim::sim
