#include "runtime/statistics/statistics.hpp"

#include "sim/demangled.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>
#include <vector>

namespace warpsim::statistics {

namespace {

std::string extent(std::array<std::uint32_t, 3> const& e) {
    return "(" + std::to_string(e[0]) + "," + std::to_string(e[1]) + "," + std::to_string(e[2]) + ")";
}

std::string fixed(double value, int digits) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.*f", digits, value);
    return text.data();
}

// Separates thousands, as large counts are hard to read otherwise.
std::string grouped(std::uint64_t value) {
    std::string text = std::to_string(value);
    for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
    return text;
}

std::string line(std::string const& name, std::string const& value) {
    return "\n  " + name + std::string(name.size() < 28 ? 28 - name.size() : 1, ' ') + value;
}

std::string share(std::uint64_t part, std::uint64_t whole) {
    if (whole == 0) return "";
    return " (" + fixed(100 * static_cast<double>(part) / static_cast<double>(whole), 1) + " %)";
}

std::string classes(sim::InstructionCounts const& counts) {
    std::string text;
    for (std::size_t c = 0; c < counts.by_class.size(); ++c)
        if (counts.by_class[c] != 0)
            text += (text.empty() ? "" : ", ") + std::string(isa::name(static_cast<isa::InstructionClass>(c))) +
                    " " + grouped(counts.by_class[c]);
    return text;
}

std::string percent(double share) { return fixed(100 * share, 1) + " %"; }

std::string listed(std::vector<std::pair<std::string, double>> const& shares) {
    std::string text;
    for (auto const& [name, share] : shares)
        if (share >= 0.0005) text += (text.empty() ? "" : ", ") + name + " " + percent(share);
    return text;
}

std::string busy_units(sim::TimingCounts const& t) {
    std::vector<std::pair<std::string, double>> busy;
    for (sim::UnitCounts const& unit : t.units)
        if (unit.cycles != 0)
            busy.emplace_back(unit.name, static_cast<double>(unit.busy_cycles) / static_cast<double>(unit.cycles));
    return listed(busy);
}

std::string prefetched(sim::TimingCounts const& t) {
    sim::PrefetchCounts const& p = t.l1.prefetch;
    if (p.issued == 0) return "";
    return grouped(p.issued) + ", useful " + grouped(p.useful) + ", late " + grouped(p.late) + ", accuracy" +
           share(p.used(), p.issued) + ", coverage" + share(p.used(), p.used() + p.missed);
}

/// "1.23 mJ"
std::string joules_text(double joules) {
    for (auto const& [least, unit] : {std::pair{1.0, " J"}, {1e-3, " mJ"}, {1e-6, " uJ"}})
        if (joules >= least) return fixed(joules / least, joules < 10 * least ? 2 : 1) + unit;
    return fixed(joules * 1e9, 1) + " nJ";
}

std::string energy_lines(sim::TimingCounts const& t) {
    auto const watts = t.average_watts();
    double const total = t.energy.total();
    if (!t.energy.counted || !watts || !(total > 0)) return "";
    std::vector<std::pair<std::string, double>> parts;
    for (std::size_t i = 0; i < t.energy.joules.size(); ++i)
        parts.emplace_back(sim::energy_name(i), t.energy.joules[i] / total);
    return line("energy, estimated", joules_text(total) + ", " + fixed(*watts, 1) + " W on the average") +
           line("  it goes to", listed(parts));
}

/// What of it was timed, where not all is; what is projected from that has a mark.
std::string sampling(sim::SamplingCounts const& s) {
    if (!s.counted) return "";
    if (!s.is_sampled) return "no: " + s.note;
    std::string const error = ", error up to " + percent(s.error) + " (95 of 100)";
    if (s.timed_launches != 0) return "from " + grouped(s.timed_launches) + " launches before" + error;
    return grouped(s.timed_ctas) + " CTAs timed" + error + "; ~ is projected";
}

/// What limits it.
std::string limits(sim::TimingCounts const& t, Peaks const& peaks) {
    std::string text = line("limited by", limit(t, peaks));
    SpeedOfLight const light = speed_of_light(t, peaks);
    auto const of = [](double share, std::string const& by) {
        return percent(share) + (by.empty() ? "" : " (" + by + ")");
    };
    text += line("speed of light",
                 "SM " + of(light.sm, light.sm_by) + ", memory " + of(light.memory, light.memory_by));
    std::vector<std::pair<std::string, double>> levels;
    if (light.l1) levels.emplace_back("L1", *light.l1);
    if (light.l2) levels.emplace_back("L2", *light.l2);
    if (light.dram) levels.emplace_back("DRAM", *light.dram);
    if (std::string const shares = listed(levels); !shares.empty()) text += line("  of its peak", shares);
    if (std::string const all = listed(waits(t)); !all.empty()) text += line("warps wait for", all);
    if (t.slots() != 0)
        text += line("issue slots",
                     "issued " + percent(static_cast<double>(t.micro_ops) / static_cast<double>(t.slots())) +
                         ", with a warp " +
                         percent(static_cast<double>(t.occupied_slots) / static_cast<double>(t.slots())));
    if (std::string const busy = busy_units(t); !busy.empty()) text += line("units busy", busy);
    return text;
}

}  // namespace

namespace {

std::string launch_table(sim::LaunchStatistics const& launch, Peaks const& peaks) {
    sim::InstructionCounts const& counts = launch.instructions;
    std::string text =
        sim::demangled(launch.kernel) + ": grid " + extent(launch.grid) + ", block " + extent(launch.block);
    text += line("registers per thread", std::to_string(launch.registers_per_thread));
    text += line("shared memory per CTA", grouped(launch.shared_per_cta) + " bytes");
    text += line("warp instructions", grouped(counts.warp));
    if (counts.warp != 0) {
        text += line("by class", classes(counts));
        text += line("thread instructions",
                     grouped(counts.thread) + ", past the guard " + grouped(counts.thread_guarded));
        text += line("SIMT efficiency",
                     fixed(100 * static_cast<double>(counts.thread) / (32 * static_cast<double>(counts.warp)), 1) +
                         " %");
    }
    text += line("branches", grouped(launch.branches.total) + ", divergent " + grouped(launch.branches.divergent) +
                                 share(launch.branches.divergent, launch.branches.total));
    sim::MemoryCounts const& memory = launch.memory;
    if (memory.counted && memory.global_requests != 0)
        text += line(
            "global sectors per request",
            fixed(static_cast<double>(memory.global_sectors) / static_cast<double>(memory.global_requests), 2));
    if (memory.counted && memory.shared_requests != 0)
        text += line("shared bank conflicts", grouped(memory.shared_bank_conflicts));
    if (launch.compiled != 0) {
        text += line("by native code",
                     fixed(100 * static_cast<double>(launch.compiled) / static_cast<double>(counts.warp), 1) +
                         " % of warp instructions");
    }
    if (launch.timing) {
        sim::TimingCounts const& t = *launch.timing;
        std::string const mark = t.sampling.is_sampled ? "~" : "";
        text += line("cycles", mark + grouped(t.cycles) + ", " + mark +
                                   fixed(static_cast<double>(t.cycles) / t.clock_mhz, 2) + " us");
        if (std::string const sampled = sampling(t.sampling); !sampled.empty()) text += line("sampled", sampled);
        text += line("micro-ops", mark + grouped(t.micro_ops));
        if (t.spills.bytes_per_thread != 0)
            text += line("spilled registers", grouped(t.spills.bytes_per_thread) + " bytes a thread, " +
                                                  grouped(t.spills.loads) + " loads, " + grouped(t.spills.stores) +
                                                  " stores");
        if (t.cycles != 0)
            text += line("IPC of an SM",
                         fixed(static_cast<double>(t.micro_ops) / static_cast<double>(t.cycles) / t.sms, 3));
        text +=
            line("occupancy", fixed(100 * t.theoretical_occupancy, 1) + " % at most, limited by " + t.limited_by);
        if (t.active_cycles != 0 && t.max_warps != 0)
            text += line("achieved occupancy", percent(static_cast<double>(t.resident_warp_cycles) /
                                                       (static_cast<double>(t.active_cycles) * t.max_warps)));
        text += limits(t, peaks);
        text += line("L1 load sectors",
                     grouped(t.l1.load_sectors) + ", hits" + share(t.l1.tag_hits, t.l1.load_sectors));
        if (std::string const prefetches = prefetched(t); !prefetches.empty())
            text += line("prefetched lines", prefetches);
        text += line("L2 sectors", grouped(t.l2.all_sectors()) + ", hits" +
                                       share(t.l2.tag_hits + t.l2.write_sectors, t.l2.all_sectors()));
        text += line("DRAM sectors",
                     grouped(t.dram.read_sectors) + " read, " + grouped(t.dram.written_sectors) + " written");
        text += energy_lines(t);
    }
    text += line("host seconds", fixed(launch.host_seconds, 3));
    if (launch.host_seconds > 0 && counts.warp != 0)
        text += ", " + fixed(static_cast<double>(counts.warp) / launch.host_seconds / 1e6, 2) +
                " M warp instructions/s";
    return text;
}

/// The line, in pieces that go on where values begin.
std::string broken(std::string rest, std::size_t width) {
    std::string text;
    constexpr std::size_t indent = 30;
    while (rest.size() > width && width > indent) {
        std::size_t const at = rest.rfind(", ", width - 1);
        if (at == std::string::npos || at <= indent) break;
        text += rest.substr(0, at + 1) + "\n";
        rest.replace(0, at + 2, std::string(indent, ' '));
    }
    return text + rest;
}

}  // namespace

std::string to_table(sim::LaunchStatistics const& launch, Peaks const& peaks, std::size_t width) {
    std::string const whole = launch_table(launch, peaks);
    std::string text;
    for (std::size_t at = 0; at <= whole.size();) {
        std::size_t const end = std::min(whole.find('\n', at), whole.size());
        text += (at == 0 ? "" : "\n") + broken(whole.substr(at, end - at), width);
        at = end + 1;
    }
    return text;
}

}  // namespace warpsim::statistics
