// The table of metrics: a new one is a row.
#include "runtime/statistics/metrics.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace warpsim::statistics {

namespace {

using Counted = sim::LaunchStatistics;
using Timed = sim::TimingCounts;

double count_of(std::uint64_t count) { return static_cast<double>(count); }
double threads_of(std::array<std::uint32_t, 3> const& e) { return count_of(e[0]) * e[1] * e[2]; }

std::optional<double> ratio_of(double part, double whole) {
    if (whole == 0) return std::nullopt;
    return part / whole;
}
std::optional<double> in_percent(double part, double whole) { return ratio_of(100 * part, whole); }
std::optional<double> in_percent(std::optional<double> share) {
    if (!share) return std::nullopt;
    return 100 * *share;
}

class MetricRows {
public:
    /// `of` takes a launch.
    template <class Of> void plain(std::string name, std::string_view unit, std::string_view source, Of of) {
        rows.push_back({std::move(name), unit, false, source,
                        [of](Counted const& l, Peaks const&) -> std::optional<double> { return of(l); }});
    }
    /// ... what timing mode counted.
    template <class Of> void timed(std::string name, std::string_view unit, std::string_view source, Of of) {
        rows.push_back(
            {std::move(name), unit, true, source, [of](Counted const& l, Peaks const&) -> std::optional<double> {
                 if (!l.timing) return std::nullopt;
                 return of(*l.timing);
             }});
    }
    /// ... and how far that is from the peak.
    template <class Of> void light(std::string name, std::string_view source, Of of) {
        rows.push_back({std::move(name), "%", true, source,
                        [of](Counted const& l, Peaks const& peaks) -> std::optional<double> {
                            if (!l.timing) return std::nullopt;
                            return in_percent(of(speed_of_light(*l.timing, peaks)));
                        }});
    }
    std::vector<Metric> rows;
};

void add_launch_metrics(MetricRows& t) {
    t.plain("launch__block_size", "", "threads of `block`", [](Counted const& l) { return threads_of(l.block); });
    t.plain("launch__grid_size", "", "CTAs of `grid`", [](Counted const& l) { return threads_of(l.grid); });
    t.plain("launch__thread_count", "thread", "both",
            [](Counted const& l) { return threads_of(l.block) * threads_of(l.grid); });
    t.plain("launch__registers_per_thread", "register/thread", "`registers_per_thread`",
            [](Counted const& l) { return count_of(l.registers_per_thread); });
    t.plain("launch__shared_mem_per_block_dynamic", "byte/block", "`dynamic_shared`",
            [](Counted const& l) { return count_of(l.dynamic_shared); });
    t.plain("launch__shared_mem_per_block_static", "byte/block", "`shared_per_cta` less `dynamic_shared`",
            [](Counted const& l) {
                return count_of(l.shared_per_cta - std::min(l.dynamic_shared, l.shared_per_cta));
            });
}

void add_time_metrics(MetricRows& t) {
    for (char const* const how : {"avg", "max", "min"})
        t.timed("sm__cycles_elapsed." + std::string(how), "cycle", "`cycles`",
                [](Timed const& c) { return count_of(c.cycles); });
    t.timed("sm__cycles_elapsed.sum", "cycle", "`cycles` of all SMs",
            [](Timed const& c) { return count_of(c.cycles) * c.sms; });
    t.timed("sm__cycles_elapsed.avg.per_second", "cycle/s", "`clock_mhz` of the configuration",
            [](Timed const& c) { return 1e6 * c.clock_mhz; });
    t.timed("sm__cycles_active.avg", "cycle", "cycles in which an SM had a warp",
            [](Timed const& c) { return ratio_of(count_of(c.active_cycles), c.sms); });
    t.timed("sm__cycles_active.sum", "cycle", "... of all SMs",
            [](Timed const& c) { return count_of(c.active_cycles); });
    for (char const* const how : {"avg", "max"})
        t.timed("gpc__cycles_elapsed." + std::string(how), "cycle", "`cycles`",
                [](Timed const& c) { return count_of(c.cycles); });
    for (char const* const how : {"sum", "avg"})
        t.timed("gpu__time_duration." + std::string(how), "ns", "`time_us`",
                [](Timed const& c) { return ratio_of(1e3 * count_of(c.cycles), c.clock_mhz); });
}

void add_instruction_metrics(MetricRows& t) {
    for (char const* const part : {"sm", "smsp"})
        t.timed(part + std::string("__inst_executed.sum"), "inst", "`micro_ops.warp`",
                [](Timed const& c) { return count_of(c.micro_ops); });
    t.timed("sm__inst_executed.avg", "inst", "`micro_ops.warp` of an SM",
            [](Timed const& c) { return ratio_of(count_of(c.micro_ops), c.sms); });
    t.timed("smsp__inst_executed.avg", "inst", "... of a sub-core",
            [](Timed const& c) { return ratio_of(count_of(c.micro_ops), count_of(c.sms) * c.sub_cores); });
    t.timed("sm__inst_executed.avg.per_cycle_elapsed", "inst/cycle", "`ipc`",
            [](Timed const& c) { return ratio_of(count_of(c.micro_ops), count_of(c.cycles) * c.sms); });
    t.timed("sm__inst_executed.avg.per_cycle_active", "inst/cycle", "... in cycles in which an SM had a warp",
            [](Timed const& c) { return ratio_of(count_of(c.micro_ops), count_of(c.active_cycles)); });
    t.timed("smsp__thread_inst_executed.sum", "inst", "`micro_ops.thread`",
            [](Timed const& c) { return count_of(c.thread_micro_ops); });
    t.timed("smsp__thread_inst_executed_per_inst_executed.ratio", "", "`micro_ops.thread` of `micro_ops.warp`",
            [](Timed const& c) { return ratio_of(count_of(c.thread_micro_ops), count_of(c.micro_ops)); });
    t.timed("smsp__thread_inst_executed_per_inst_executed.pct", "%", "... of 32 lanes",
            [](Timed const& c) { return in_percent(count_of(c.thread_micro_ops), 32 * count_of(c.micro_ops)); });
    t.timed("sm__issue_active.avg.pct_of_peak_sustained_elapsed", "%", "`issue_slots.issued`, of all cycles",
            [](Timed const& c) {
                return in_percent(count_of(c.micro_ops), count_of(c.cycles) * c.sms * c.sub_cores);
            });
    constexpr std::pair<char const*, char const*> pipes[] = {
        {"alu", "alu"}, {"fma", "fma"}, {"fp16", "fp16"}, {"fp64", "fp64"}, {"xu", "sfu"}, {"tensor", "tensor"}};
    for (auto const& [pipe, unit] : pipes) {
        auto const unit_of = [name = std::string(unit)](Timed const& c) {
            auto const at = std::find_if(c.units.begin(), c.units.end(),
                                         [&](sim::UnitCounts const& u) { return u.name == name; });
            return at == c.units.end() ? nullptr : &*at;
        };
        t.timed("sm__inst_executed_pipe_" + std::string(pipe) + ".sum", "inst", "`units.*.micro_ops`",
                [unit_of](Timed const& c) -> std::optional<double> {
                    sim::UnitCounts const* const u = unit_of(c);
                    if (u == nullptr) return std::nullopt;
                    return count_of(u->micro_ops);
                });
        t.timed("sm__pipe_" + std::string(pipe) + "_cycles_active.avg.pct_of_peak_sustained_elapsed", "%",
                "`units.*.utilization`, of all cycles", [unit_of](Timed const& c) -> std::optional<double> {
                    sim::UnitCounts const* const u = unit_of(c);
                    if (u == nullptr || c.active_cycles == 0) return std::nullopt;
                    double const units = count_of(u->cycles) / count_of(c.active_cycles);
                    return in_percent(count_of(u->busy_cycles), units * count_of(c.cycles) * c.sms);
                });
    }
}

void add_warp_metrics(MetricRows& t) {
    t.timed("sm__warps_active.avg.pct_of_peak_sustained_active", "%", "`occupancy.achieved`", [](Timed const& c) {
        return in_percent(count_of(c.resident_warp_cycles), count_of(c.active_cycles) * c.max_warps);
    });
    t.timed("sm__warps_active.avg.per_cycle_active", "warp", "the same in warps",
            [](Timed const& c) { return ratio_of(count_of(c.resident_warp_cycles), count_of(c.active_cycles)); });
    t.timed("sm__maximum_warps_per_active_cycle_pct", "%", "`occupancy.theoretical`",
            [](Timed const& c) { return 100 * c.theoretical_occupancy; });
    t.timed("smsp__issue_active.avg.pct_of_peak_sustained_active", "%", "`issue_slots.issued`",
            [](Timed const& c) { return in_percent(count_of(c.micro_ops), count_of(c.slots())); });
    t.timed("smsp__issue_active.avg.per_cycle_active", "", "`issue_slots.issued`",
            [](Timed const& c) { return ratio_of(count_of(c.micro_ops), count_of(c.slots())); });
    for (std::size_t reason = 0; reason < sim::stall_reasons; ++reason)
        t.timed("smsp__average_warps_issue_stalled_" + std::string(sim::stall_name(reason)) +
                    "_per_issue_active.ratio",
                "inst", "`stalls.*`",
                [reason](Timed const& c) { return ratio_of(count_of(c.stalls[reason]), count_of(c.micro_ops)); });
    for (std::size_t reason = 0; reason < sim::stall_reasons; ++reason) {
        std::string const name(sim::stall_name(reason));
        t.timed("smsp__pcsamp_warps_issue_stalled_" + name + (name == "no_instruction" ? "s" : ""), "warp",
                "`stalls.*` as warps and cycles: every cycle is a sample",
                [reason](Timed const& c) { return count_of(c.stalls[reason]); });
    }
    t.timed("smsp__pcsamp_warps_issue_stalled_selected", "warp", "`micro_ops.warp`",
            [](Timed const& c) { return count_of(c.micro_ops); });
    t.timed("smsp__average_warps_issue_stalled_selected_per_issue_active.ratio", "inst", "`stalls.selected`",
            [](Timed const& c) { return ratio_of(count_of(c.micro_ops), count_of(c.micro_ops)); });
}

void add_cache_metrics(MetricRows& t) {
    t.timed("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "request",
            "`l1.load_requests`, local memory included",
            [](Timed const& c) { return count_of(c.l1.load_requests); });
    t.timed("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "request",
            "`l1.store_requests`, local memory included",
            [](Timed const& c) { return count_of(c.l1.store_requests); });
    t.timed("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "sector", "`l1.load_sectors`, local memory included",
            [](Timed const& c) { return count_of(c.l1.load_sectors); });
    t.timed("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "sector",
            "`l1.store_sectors`, local memory included",
            [](Timed const& c) { return count_of(c.l1.store_sectors); });
    t.timed("l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio", "sector/request",
            "`l1.load_sectors_per_request`, local memory included",
            [](Timed const& c) { return ratio_of(count_of(c.l1.load_sectors), count_of(c.l1.load_requests)); });
    t.timed("l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio", "sector/request",
            "`l1.store_sectors_per_request`, local memory included",
            [](Timed const& c) { return ratio_of(count_of(c.l1.store_sectors), count_of(c.l1.store_requests)); });
    t.timed("l1tex__t_sector_hit_rate.pct", "%", "`l1.sector_hit_rate`", [](Timed const& c) {
        return in_percent(count_of(c.l1.sector_hits + c.l1.store_hits),
                          count_of(c.l1.load_sectors + c.l1.store_sectors));
    });
    t.timed("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "", "`l1.shared_bank_conflicts`",
            [](Timed const& c) { return count_of(c.l1.shared_conflicts); });
    t.timed("lts__t_sectors.sum", "sector", "`l2.read_sectors`, `write_sectors` and `atomic_sectors`",
            [](Timed const& c) { return count_of(c.l2.all_sectors()); });
    t.timed("lts__t_bytes.sum", "byte", "the same in bytes",
            [](Timed const& c) { return 32 * count_of(c.l2.all_sectors()); });
    t.timed("lts__t_sectors_lookup_hit.sum", "sector", "`l2.sector_hits` and `write_sectors`",
            [](Timed const& c) { return count_of(c.l2.sector_hits + c.l2.write_sectors); });
    t.timed("lts__t_sectors_lookup_miss.sum", "sector", "... and the others", [](Timed const& c) {
        return count_of(c.l2.all_sectors() - std::min(c.l2.all_sectors(), c.l2.sector_hits + c.l2.write_sectors));
    });
    t.timed("lts__t_sectors_op_read.sum", "sector", "`l2.read_sectors`",
            [](Timed const& c) { return count_of(c.l2.read_sectors); });
    t.timed("lts__t_sectors_op_write.sum", "sector", "`l2.write_sectors`",
            [](Timed const& c) { return count_of(c.l2.write_sectors); });
    t.timed("lts__t_sectors_op_atom.sum", "sector", "`l2.atomic_sectors`, reductions included",
            [](Timed const& c) { return count_of(c.l2.atomic_sectors); });
    t.timed("lts__t_sector_hit_rate.pct", "%", "`l2.sector_hit_rate`", [](Timed const& c) {
        return in_percent(count_of(c.l2.sector_hits + c.l2.write_sectors), count_of(c.l2.all_sectors()));
    });
}

void add_memory_metrics(MetricRows& t) {
    t.timed("dram__sectors_read.sum", "sector", "`dram.read_sectors`",
            [](Timed const& c) { return count_of(c.dram.read_sectors); });
    t.timed("dram__sectors_write.sum", "sector", "`dram.written_sectors`",
            [](Timed const& c) { return count_of(c.dram.written_sectors); });
    t.timed("dram__bytes_read.sum", "byte", "the same in bytes",
            [](Timed const& c) { return 32 * count_of(c.dram.read_sectors); });
    t.timed("dram__bytes_write.sum", "byte", "the same in bytes",
            [](Timed const& c) { return 32 * count_of(c.dram.written_sectors); });
    t.timed("dram__bytes.sum", "byte", "both",
            [](Timed const& c) { return 32 * count_of(c.dram.read_sectors + c.dram.written_sectors); });
    t.timed("dram__bytes.sum.per_second", "byte/s", "`dram.bandwidth_gb_per_s`", [](Timed const& c) {
        std::optional<double> const gb = c.dram_bandwidth();
        return gb ? std::optional(1e9 * *gb) : gb;
    });
    t.light("dram__throughput.avg.pct_of_peak_sustained_elapsed", "`dram.utilization`",
            [](SpeedOfLight const& s) { return s.dram; });
    t.light("lts__throughput.avg.pct_of_peak_sustained_elapsed",
            "sectors of L2, of the bytes that its slices can move", [](SpeedOfLight const& s) { return s.l2; });
    t.light("l1tex__throughput.avg.pct_of_peak_sustained_elapsed",
            "sectors of L1 and passes of shared memory, of the bytes that they can move",
            [](SpeedOfLight const& s) { return s.l1; });
    t.light("sm__throughput.avg.pct_of_peak_sustained_elapsed",
            "of the issue slots and each kind of unit, what is busiest",
            [](SpeedOfLight const& s) { return std::optional(s.sm); });
    t.light("gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
            "of L1, L2 and DRAM, what is busiest", [](SpeedOfLight const& s) { return std::optional(s.memory); });
}

std::vector<Metric> made_metrics() {
    MetricRows table;
    add_launch_metrics(table);
    add_time_metrics(table);
    add_instruction_metrics(table);
    add_warp_metrics(table);
    add_cache_metrics(table);
    add_memory_metrics(table);
    std::sort(table.rows.begin(), table.rows.end(),
              [](Metric const& a, Metric const& b) { return a.name < b.name; });
    return std::move(table.rows);
}

}  // namespace

std::vector<Metric> const& metrics() {
    static std::vector<Metric> const all = made_metrics();
    return all;
}

}  // namespace warpsim::statistics
