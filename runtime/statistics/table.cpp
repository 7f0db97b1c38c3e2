#include "runtime/statistics/statistics.hpp"

#include "sim/demangled.hpp"

#include <array>
#include <cstdio>

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

}  // namespace

std::string to_table(sim::LaunchStatistics const& launch) {
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
        text += line("cycles",
                     grouped(t.cycles) + ", " + fixed(static_cast<double>(t.cycles) / t.clock_mhz, 2) + " us");
        text += line("micro-ops", grouped(t.micro_ops));
        if (t.spills.bytes_per_thread != 0)
            text += line("spilled registers", grouped(t.spills.bytes_per_thread) + " bytes a thread, " +
                                                  grouped(t.spills.loads) + " loads, " + grouped(t.spills.stores) +
                                                  " stores");
        if (t.cycles != 0)
            text += line("IPC of an SM",
                         fixed(static_cast<double>(t.micro_ops) / static_cast<double>(t.cycles) / t.sms, 3));
        text +=
            line("occupancy", fixed(100 * t.theoretical_occupancy, 1) + " % at most, limited by " + t.limited_by);
        text += line("L1 load sectors",
                     grouped(t.l1.load_sectors) + ", hits" + share(t.l1.tag_hits, t.l1.load_sectors));
        text += line("DRAM sectors",
                     grouped(t.dram.read_sectors) + " read, " + grouped(t.dram.written_sectors) + " written");
    }
    text += line("host seconds", fixed(launch.host_seconds, 3));
    if (launch.host_seconds > 0 && counts.warp != 0)
        text += ", " + fixed(static_cast<double>(counts.warp) / launch.host_seconds / 1e6, 2) +
                " M warp instructions/s";
    return text;
}

}  // namespace warpsim::statistics
