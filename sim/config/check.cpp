#include "sim/config/check.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>

namespace warpsim::sim {

namespace {

class Consistency {
public:
    Consistency(Config const& config, Origin const& origin, Problems& problems)
        : config_(config), origin_(origin), problems_(problems) {}

    void all() {
        sm();
        shared();
        limits();
        accumulator(config_.sm.matrix.f16, "sm.matrix.f16.group");
        accumulator(config_.sm.matrix.tf32, "sm.matrix.tf32.group");
        accumulator(config_.sm.matrix.f8, "sm.matrix.f8.group");
        accumulator(config_.sm.matrix.wgmma_f8, "sm.matrix.wgmma_f8.group");
        if (config_.sm.l1) {
            l1(*config_.sm.l1);
        }
        if (config_.l2.slices) {
            slices(*config_.l2.slices);
        }
        if (config_.dram.channels) {
            channels(*config_.dram.channels);
        }
        if (config_.interconnect) {
            interconnect(*config_.interconnect);
        }
        mmu();
        if (config_.energy) {
            energy(*config_.energy);
        }
    }

private:
    void require(bool holds, char const* path, std::string const& text) {
        if (!holds) {
            problems_.push_back(origin_.message(path, text));
        }
    }

    static std::string text(std::uint64_t number) { return std::to_string(number); }

    /// ": 2000 or 2200", the sizes beside this one that are whole multiples.
    static std::string near_multiples(std::uint64_t kib, std::uint64_t unit_bytes) {
        if (unit_bytes == 0) return "";
        std::uint64_t const unit = std::lcm(unit_bytes, std::uint64_t{1024}) / 1024, below = kib / unit * unit;
        return ": " + (below > 0 ? std::to_string(below) + " or " : "") + std::to_string(below + unit) +
               ", as it is " + std::to_string(kib);
    }

    void sm() {
        SmConfig const& sm = config_.sm;
        require(sm.max_threads == 32 * sm.max_warps, "sm.max_threads",
                "must be 32 * max_warps = " + text(32 * sm.max_warps) + ", not " + text(sm.max_threads));
        require(sm.max_warps % sm.sub_cores == 0, "sm.max_warps",
                "must be a multiple of sub_cores = " + text(sm.sub_cores));
        require(sm.registers % sm.sub_cores == 0, "sm.registers",
                "must be a multiple of sub_cores = " + text(sm.sub_cores));
        require(sm.max_ctas <= sm.max_warps, "sm.max_ctas",
                "must be at most max_warps = " + text(sm.max_warps) + ": a CTA has a warp at least");
        require(sm.warp_allocation_granularity <= sm.max_warps, "sm.warp_allocation_granularity",
                "must be at most max_warps = " + text(sm.max_warps));
    }

    void shared() {
        SharedConfig const& shared = config_.sm.shared;
        auto const& carve_outs = shared.carve_outs_kib;
        require(std::adjacent_find(carve_outs.begin(), carve_outs.end(), std::greater_equal<>()) ==
                    carve_outs.end(),
                "sm.shared.carve_outs_kib", "must be ascending");
        require(carve_outs.back() == shared.size_kib, "sm.shared.carve_outs_kib",
                "must end with size_kib = " + text(shared.size_kib));
        require(shared.cta_default_kib <= shared.cta_opt_in_kib, "sm.shared.cta_default_kib",
                "must be at most cta_opt_in_kib = " + text(shared.cta_opt_in_kib));
        require(shared.allocated_bytes(shared.cta_opt_in_bytes()) <= shared.size_bytes(),
                "sm.shared.cta_opt_in_kib",
                "with cta_reserved_bytes it must fit in size_kib = " + text(shared.size_kib));
        require(std::has_single_bit(shared.allocation_unit_bytes), "sm.shared.allocation_unit_bytes",
                "must be a power of two");
        require(!shared.banks || std::has_single_bit(shared.banks->count), "sm.shared.banks.count",
                "must be a power of two");
        require(!shared.banks || std::has_single_bit(shared.banks->width_bytes), "sm.shared.banks.width_bytes",
                "must be a power of two");
    }

    void limits() {
        LimitsConfig const& limits = config_.limits;
        SmConfig const& sm = config_.sm;
        require(limits.max_threads_per_cta <= sm.max_threads, "limits.max_threads_per_cta",
                "must be at most sm.max_threads = " + text(sm.max_threads));
        std::uint32_t const widest = *std::max_element(limits.max_cta_size.begin(), limits.max_cta_size.end());
        require(widest <= limits.max_threads_per_cta, "limits.max_cta_size",
                "must be at most max_threads_per_cta = " + text(limits.max_threads_per_cta));
        require(limits.max_registers_per_cta <= sm.registers, "limits.max_registers_per_cta",
                "must be at most sm.registers = " + text(sm.registers));
        require(limits.max_cluster_size <= limits.max_cluster_size_non_portable, "limits.max_cluster_size",
                "must be at most max_cluster_size_non_portable = " + text(limits.max_cluster_size_non_portable));
        require(limits.max_cluster_size_non_portable == 1 || config_.compute_capability.major >= 9,
                "limits.max_cluster_size_non_portable",
                "must be 1: compute capabilities below 9.0 have no clusters");
        require(limits.stack_bytes_per_thread <= limits.local_bytes_per_thread, "limits.stack_bytes_per_thread",
                "must be at most local_bytes_per_thread = " + text(limits.local_bytes_per_thread));
    }

    void accumulator(AccumulatorConfig const& a, char const* path) {
        require(std::has_single_bit(static_cast<std::uint32_t>(a.group)), path, "must be a power of two");
    }

    void sectors(std::uint32_t line, std::uint32_t sector, char const* path) {
        require(std::has_single_bit(line) && std::has_single_bit(sector) && sector <= line, path,
                "line_bytes and sector_bytes must be powers of two, a sector no longer than a line");
    }

    void l1(L1Config const& l1) {
        sectors(l1.line_bytes, l1.sector_bytes, "sm.l1.line_bytes");
        SharedConfig const& shared = config_.sm.shared;
        require(
            l1.size_kib >= shared.size_kib, "sm.l1.size_kib",
            "must be at least sm.shared.size_kib = " + text(shared.size_kib) +
                ", which is carved out of it; sm.l1.cache_kib is a smaller cache beside the same shared memory");
        require(l1.size_kib * 1024 % (l1.line_bytes * l1.ways) == 0, "sm.l1.ways",
                "size_kib must be a whole number of sets of ways * line_bytes");
    }

    void slices(L2SlicesConfig const& slices) {
        sectors(slices.line_bytes, slices.sector_bytes, "l2.slices.line_bytes");
        require(std::has_single_bit(slices.fetch_bytes), "l2.slices.fetch_bytes", "must be a power of two");
        std::uint64_t const set_bytes = std::uint64_t{slices.line_bytes} * slices.ways;
        require(config_.l2.size_bytes() % set_bytes == 0, "l2.slices.ways",
                "l2.size_kib must be a whole number of sets of ways * line_bytes" +
                    near_multiples(config_.l2.size_kib, set_bytes));
        require(config_.l2.size_bytes() >= set_bytes * slices.count, "l2.size_kib",
                "must be at least " + text((set_bytes * slices.count + 1023) / 1024) +
                    ": each slice has a set of ways * line_bytes");
        require(slices.count % slices.partitions == 0, "l2.slices.count",
                "must be a multiple of partitions = " + text(slices.partitions));
    }

    void interconnect(InterconnectConfig const& interconnect) {
        // SMs are simulated independently for as long as nothing can travel between them; a shorter time than this
        // would be too short to simulate in.
        constexpr std::uint32_t shortest = 8;
        bool const clusters = config_.limits.max_cluster_size_non_portable > 1;
        require(!clusters || interconnect.sm_to_sm_latency_cycles >= shortest,
                "interconnect.sm_to_sm_latency_cycles",
                "must be at least " + text(shortest) + " in a GPU with clusters");
        require(!config_.l2.slices || interconnect.interleave_bytes % config_.l2.slices->line_bytes == 0,
                "interconnect.interleave_bytes", "must be a multiple of l2.slices.line_bytes");
    }

    void channels(DramChannelsConfig const& channels) {
        DramConfig const& dram = config_.dram;
        require(dram.bus_width_bits % (8 * channels.count) == 0, "dram.channels.count",
                "each channel must have a whole number of bytes of bus_width_bits");
        require(std::has_single_bit(channels.access_bytes), "dram.channels.access_bytes",
                "must be a power of two");
        require(channels.row_bytes % channels.access_bytes == 0, "dram.channels.row_bytes",
                "must be a multiple of access_bytes");
        std::uint64_t const bits_per_clock =
            std::uint64_t{dram.bus_width_bits} / channels.count * dram.transfers_per_clock;
        if (bits_per_clock == 0) {
            return;
        }
        std::uint64_t const transfer = (channels.access_bytes * 8 + bits_per_clock - 1) / bits_per_clock;
        require(channels.command_interval_cycles >= transfer, "dram.channels.command_interval_cycles",
                "must be at least " + text(transfer) + ": the bus is busy that long with access_bytes");
        require(channels.activate_to_activate_cycles >= channels.activate_to_precharge_cycles,
                "dram.channels.activate_to_activate_cycles",
                "must be at least activate_to_precharge_cycles = " + text(channels.activate_to_precharge_cycles));
        require(channels.banks % channels.bank_groups == 0, "dram.channels.bank_groups",
                "must divide banks = " + text(channels.banks));
        require(channels.write_high_watermark <= channels.write_queue_entries,
                "dram.channels.write_high_watermark",
                "must be at most write_queue_entries = " + text(channels.write_queue_entries));
        require(channels.write_low_watermark <= channels.write_high_watermark, "dram.channels.write_low_watermark",
                "must be at most write_high_watermark = " + text(channels.write_high_watermark));
        require(!config_.l2.slices || config_.l2.slices->count % channels.count == 0, "l2.slices.count",
                "must be a multiple of dram.channels.count = " + text(channels.count));
    }

    void mmu() {
        MmuConfig const& mmu = config_.mmu;
        if (mmu.entries == 0) return;
        require(config_.sm.tlb.enabled, "mmu.entries", "needs sm.tlb.enabled = true");
        require(mmu.entries % mmu.ways == 0, "mmu.ways", "entries must be a whole number of sets of ways");
    }

    void energy(EnergyConfig const& energy) {
        auto const& clocks = energy.voltage_clocks_mhz;
        require(clocks.size() == energy.voltage_percents.size(), "energy.voltage_percents",
                "must have as many elements as voltage_clocks_mhz = " + text(clocks.size()));
        require(std::adjacent_find(clocks.begin(), clocks.end(), std::greater_equal<>()) == clocks.end(),
                "energy.voltage_clocks_mhz", "must be ascending");
        bool const has_table = !clocks.empty() && clocks.size() == energy.voltage_percents.size();
        require(!has_table || std::abs(energy.voltage(energy.reference_clock_mhz) - 1) < 0.005,
                "energy.voltage_percents",
                "must be 100 at reference_clock_mhz = " + text(energy.reference_clock_mhz));
    }

    Config const& config_;
    Origin const& origin_;
    Problems& problems_;
};

}  // namespace

void check_consistency(Config const& config, Origin const& origin, Problems& problems) {
    Consistency(config, origin, problems).all();
}

}  // namespace warpsim::sim
