// Counts are multiplied when a launch ends: nothing is added to what a run counts while it goes on.
#include "sim/timing/energy.hpp"

#include "sim/timing/plan/micro_op.hpp"

#include <string_view>

namespace warpsim::timing {

namespace {

constexpr double picojoule = 1e-12;

double of(std::uint64_t count) { return static_cast<double>(count); }

class Estimate {
public:
    Estimate(sim::EnergyConfig const& energy, sim::TimingCounts const& counts)
        : energy_(energy), counts_(counts), voltage_(energy.voltage(counts.clock_mhz)) {}

    sim::EnergyCounts all() {
        result_.counted = true;
        result_.source = "an estimate, from figures of " + energy_.source;
        power();
        lanes();
        accesses();
        events(sim::EnergyPart::tensor, of(counts_.tensor_work), energy_.tensor_f16_fma_pj);
        return result_;
    }

private:
    double& joules(sim::EnergyPart part) { return result_.joules[static_cast<std::size_t>(part)]; }

    /// The energy of charging what switches goes with the square of the voltage.
    void events(sim::EnergyPart part, double count, double each_pj) {
        joules(part) += count * each_pj * picojoule * voltage_ * voltage_;
    }

    void power() {
        double const hertz = 1e6 * of(counts_.clock_mhz);
        if (!(hertz > 0)) return;
        joules(sim::EnergyPart::constant) = energy_.constant_w * of(counts_.cycles) / hertz;
        double const all = of(counts_.cycles) * of(counts_.sms), active = of(counts_.active_cycles);
        double const idle = all > active ? all - active : 0;
        joules(sim::EnergyPart::sms) =
            voltage_ * (energy_.active_sm_w * active + energy_.idle_sm_w * idle) / hertz;
    }

    /// Simplified: all units' instructions have as many lanes on the average. Units are not asked how many of theirs work.
    void lanes() {
        double const lanes = counts_.micro_ops == 0 ? 0 : of(counts_.thread_micro_ops) / of(counts_.micro_ops);
        auto const add = [&](sim::EnergyPart part, MicroUnit unit, double each_pj) {
            for (sim::UnitCounts const& u : counts_.units)
                if (u.name == name(unit)) events(part, of(u.micro_ops) * lanes, each_pj);
        };
        add(sim::EnergyPart::alu, MicroUnit::alu, energy_.lane_pj.alu);
        add(sim::EnergyPart::fma, MicroUnit::fma, energy_.lane_pj.fma);
        add(sim::EnergyPart::fp16, MicroUnit::fp16, energy_.lane_pj.fp16);
        add(sim::EnergyPart::fp64, MicroUnit::fp64, energy_.lane_pj.fp64);
        add(sim::EnergyPart::sfu, MicroUnit::sfu, energy_.lane_pj.sfu);
    }

    void accesses() {
        sim::L1Counts const& l1 = counts_.l1;
        events(sim::EnergyPart::l1, of(l1.load_sectors + l1.store_sectors + l1.atomic_sectors),
               energy_.l1_sector_pj);
        events(sim::EnergyPart::shared, of(l1.shared_requests + l1.shared_conflicts), energy_.shared_pass_pj);
        events(sim::EnergyPart::l2, of(counts_.l2.all_sectors()), energy_.l2_sector_pj);
        // DRAM has a voltage of its own.
        joules(sim::EnergyPart::dram) =
            picojoule * (of(counts_.dram.read_sectors) * energy_.dram_read_sector_pj +
                         of(counts_.dram.written_sectors) * energy_.dram_write_sector_pj);
    }

    sim::EnergyConfig const& energy_;
    sim::TimingCounts const& counts_;
    double const voltage_;
    sim::EnergyCounts result_;
};

}  // namespace

sim::EnergyCounts estimate_energy(sim::Config const& config, sim::TimingCounts const& counts) {
    if (!config.energy) return {};
    return Estimate(*config.energy, counts).all();
}

}  // namespace warpsim::timing
