#include "runtime/statistics/statistics.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace warpsim::statistics {

namespace {

using nlohmann::ordered_json;

ordered_json ratio(double dividend, std::uint64_t divisor) {
    if (divisor == 0) return nullptr;
    return dividend / static_cast<double>(divisor);
}

std::string dump(ordered_json const& value, int indent) {
    return value.dump(indent, ' ', false, ordered_json::error_handler_t::replace);
}

ordered_json class_counts(sim::InstructionCounts const& counts) {
    ordered_json by_class = ordered_json::object();
    for (std::size_t c = 0; c < counts.by_class.size(); ++c)
        by_class[std::string(isa::name(static_cast<isa::InstructionClass>(c)))] = counts.by_class[c];
    return by_class;
}

// A count that nobody made is null, not zero.
ordered_json memory_counts(sim::MemoryCounts const& m) {
    auto const counted = [&](std::uint64_t n) { return m.counted ? ordered_json(n) : ordered_json(nullptr); };
    ordered_json memory;
    memory["global_sectors_per_request"] =
        m.counted ? ratio(static_cast<double>(m.global_sectors), m.global_requests) : ordered_json(nullptr);
    memory["shared_bank_conflicts"] = counted(m.shared_bank_conflicts);
    memory["global_requests"] = counted(m.global_requests);
    memory["global_sectors"] = counted(m.global_sectors);
    memory["shared_requests"] = counted(m.shared_requests);
    return memory;
}

double per(std::uint64_t part, std::uint64_t whole) {
    return static_cast<double>(part) / static_cast<double>(whole);
}

/// A share of `whole`; null when there is none of it.
ordered_json share(std::uint64_t part, std::uint64_t whole) { return ratio(static_cast<double>(part), whole); }

ordered_json l1_json(sim::TimingCounts const& t) {
    auto const& l1 = t.l1;
    return {{"load_requests", l1.load_requests},
            {"load_sectors", l1.load_sectors},
            {"store_requests", l1.store_requests},
            {"store_sectors", l1.store_sectors},
            {"atomic_requests", l1.atomic_requests},
            {"atomic_sectors", l1.atomic_sectors},
            {"hit_rate", share(l1.tag_hits, l1.load_sectors)},
            // As Nsight Compute has it: stores count too, and a sector on its way is a hit.
            {"sector_hit_rate", share(l1.sector_hits + l1.store_hits, l1.load_sectors + l1.store_sectors)},
            {"mshr_stall_cycles", l1.mshr_stall_cycles},
            {"load_sectors_per_request", share(l1.load_sectors, l1.load_requests)},
            {"store_sectors_per_request", share(l1.store_sectors, l1.store_requests)},
            {"shared_requests", l1.shared_requests},
            {"shared_bank_conflicts", l1.shared_conflicts},
            {"shared_remote_requests", l1.remote_requests},
            {"constant_requests", t.constant_loads},
            {"constant_hit_rate", share(t.constant_loads - t.constant_misses, t.constant_loads)},
            {"tlb_hit_rate", share(t.tlb_hits, t.tlb_hits + t.tlb_misses)}};
}

ordered_json l2_json(sim::TimingCounts const& t) {
    auto const& l2 = t.l2;
    std::uint64_t const looked_up = l2.read_sectors + l2.atomic_sectors;
    return {{"read_sectors", l2.read_sectors},
            {"write_sectors", l2.write_sectors},
            {"atomic_sectors", l2.atomic_sectors},
            // A profiler counts written sectors as hits.
            {"hit_rate", share(l2.tag_hits + l2.write_sectors, looked_up + l2.write_sectors)},
            {"sector_hit_rate", share(l2.sector_hits + l2.write_sectors, looked_up + l2.write_sectors)},
            {"written_back_sectors", l2.written_back_sectors},
            {"stall_cycles", l2.stall_cycles}};
}

ordered_json dram_json(sim::TimingCounts const& t) {
    auto const& d = t.dram;
    double const seconds = per(t.cycles, std::uint64_t{t.clock_mhz} * 1'000'000);
    double const bytes = 32.0 * static_cast<double>(d.read_sectors + d.written_sectors);
    double const bus_cycles = seconds * d.clock_mhz * 1e6 * d.channels;
    ordered_json json{{"read_sectors", d.read_sectors},
                      {"written_sectors", d.written_sectors},
                      {"row_hit_rate", share(d.row_hits, d.row_hits + d.row_misses)}};
    json["bandwidth_gb_per_s"] = seconds > 0 ? ordered_json(bytes / seconds / 1e9) : ordered_json(nullptr);
    json["utilization"] =
        bus_cycles > 0 ? ordered_json(static_cast<double>(d.busy_cycles) / bus_cycles) : ordered_json(nullptr);
    return json;
}

void add_timing(ordered_json& json, sim::TimingCounts const& t) {
    json["cycles"] = t.cycles;
    json["time_us"] = ratio(static_cast<double>(t.cycles), t.clock_mhz);
    json["micro_ops"] = {{"warp", t.micro_ops}, {"thread", t.thread_micro_ops}};
    json["ipc"] = ratio(static_cast<double>(t.micro_ops) / t.sms, t.cycles);
    json["occupancy"] = {
        {"theoretical", t.theoretical_occupancy},
        {"achieved", ratio(static_cast<double>(t.resident_warp_cycles) / t.max_warps, t.active_cycles)},
        {"limited_by", t.limited_by}};
    json["spills"] = {{"bytes_per_thread", t.spills.bytes_per_thread},
                      {"loads", t.spills.loads},
                      {"stores", t.spills.stores},
                      {"load_bytes", t.spills.load_bytes},
                      {"store_bytes", t.spills.store_bytes}};
    std::uint64_t const slots = t.active_cycles * t.sub_cores;
    json["issue_slots"] = {
        {"issued", share(t.micro_ops, slots)},
        {"not_eligible", share(t.occupied_slots - std::min(t.micro_ops, t.occupied_slots), slots)},
        {"no_warp", share(slots - std::min(t.occupied_slots, slots), slots)}};
    ordered_json stalls = ordered_json::object();
    stalls["selected"] = ratio(static_cast<double>(t.micro_ops), t.micro_ops);
    for (std::size_t i = 0; i < t.stalls.size(); ++i)
        stalls[std::string(sim::name(static_cast<sim::StallReason>(i)))] = share(t.stalls[i], t.micro_ops);
    json["stalls"] = stalls;
    ordered_json units = ordered_json::object();
    for (sim::TimingCounts::Unit const& u : t.units)
        units[u.name] = {{"micro_ops", u.micro_ops}, {"utilization", share(u.busy_cycles, u.cycles)}};
    json["units"] = units;
    json["l1"] = l1_json(t);
    json["l2"] = l2_json(t);
    json["dram"] = dram_json(t);
    json["noc"] = {{"request_bytes", t.noc.request_bytes},
                   {"reply_bytes", t.noc.reply_bytes},
                   {"request_bytes_per_cycle", share(t.noc.request_bytes, t.cycles)},
                   {"reply_bytes_per_cycle", share(t.noc.reply_bytes, t.cycles)}};
}

ordered_json sample_json(sim::TimingCounts const& t, std::size_t i) {
    sim::IntervalSample const& s = t.intervals[i];
    ordered_json json{
        {"cycle", i * t.interval_cycles},
        {"micro_ops", s.micro_ops},
        {"ipc", ratio(static_cast<double>(s.micro_ops) / t.sms, t.interval_cycles)},
        {"active_warps", ratio(static_cast<double>(s.resident_warp_cycles) / t.sms, t.interval_cycles)},
        {"l1_load_sectors", s.l1_load_sectors},
        {"l1_hit_rate", share(s.l1_tag_hits, s.l1_load_sectors)},
        {"l1_store_sectors", s.l1_store_sectors},
        {"l1_atomic_sectors", s.l1_atomic_sectors},
        {"shared_requests", s.shared_requests},
        {"l2_read_sectors", s.l2_read_sectors},
        {"l2_write_sectors", s.l2_write_sectors},
        {"l2_atomic_sectors", s.l2_atomic_sectors},
        {"l2_hit_rate",
         share(s.l2_tag_hits + s.l2_write_sectors, s.l2_read_sectors + s.l2_atomic_sectors + s.l2_write_sectors)},
        {"dram_read_sectors", s.dram_read_sectors},
        {"dram_written_sectors", s.dram_written_sectors},
        {"noc_request_bytes", s.noc_request_bytes},
        {"noc_reply_bytes", s.noc_reply_bytes}};
    for (std::size_t r = 0; r < s.stalls.size(); ++r) {
        json["stall_" + std::string(sim::name(static_cast<sim::StallReason>(r)))] =
            share(s.stalls[r], s.micro_ops);
    }
    return json;
}

// A sample a line: thousands of them should be legible.
std::string samples_text(sim::TimingCounts const& t) {
    std::string text = "[";
    for (std::size_t i = 0; i < t.intervals.size(); ++i)
        text += (i == 0 ? "\n      " : ",\n      ") + dump(sample_json(t, i), -1);
    return text + "\n    ]";
}

ordered_json launch_json(sim::LaunchStatistics const& launch) {
    sim::InstructionCounts const& counts = launch.instructions;
    ordered_json json;
    json["kernel"] = launch.kernel;
    json["grid"] = launch.grid;
    json["block"] = launch.block;
    json["dynamic_shared"] = launch.dynamic_shared;
    json["registers_per_thread"] = launch.registers_per_thread;
    json["shared_per_cta"] = launch.shared_per_cta;
    json["instructions"] = {{"warp", counts.warp},
                            {"thread", counts.thread},
                            {"thread_guarded", counts.thread_guarded},
                            {"by_class", class_counts(counts)}};
    json["simt_efficiency"] = ratio(static_cast<double>(counts.thread) / 32, counts.warp);
    json["branches"] = {{"total", launch.branches.total}, {"divergent", launch.branches.divergent}};
    json["memory"] = memory_counts(launch.memory);
    json["host_seconds"] = launch.host_seconds;
    if (launch.timing) add_timing(json, *launch.timing);
    return json;
}

/// Calls each("l1.hit_rate", value) for every number and text in the object.
template <class Each> void for_each_value(ordered_json const& json, std::string const& prefix, Each&& each) {
    for (auto const& [key, value] : json.items()) {
        std::string const name = prefix.empty() ? key : prefix + "." + key;
        if (value.is_object() || value.is_array()) for_each_value(value, name, each);
        else each(name, value);
    }
}

std::string csv_value(ordered_json const& value) {
    if (value.is_null()) return "";
    if (!value.is_string()) return dump(value, -1);
    std::string text = "\"";
    for (char const c : value.get<std::string>()) text += c == '"' ? std::string("\"\"") : std::string(1, c);
    return text + "\"";
}

Row row_of(ordered_json const& json) {
    Row row;
    for_each_value(json, "", [&](std::string const& name, ordered_json const& value) {
        row.names += (row.names.empty() ? "" : ",") + name;
        row.values += (row.values.empty() ? "" : ",") + csv_value(value);
    });
    return row;
}

}  // namespace

std::string to_json(sim::LaunchStatistics const& launch) {
    ordered_json json = launch_json(launch);
    if (!launch.timing || launch.timing->interval_cycles == 0) return dump(json, 2);
    json["intervals"] = {{"every_cycles", launch.timing->interval_cycles}, {"samples", "@"}};
    std::string text = dump(json, 2);
    std::string const hole = "\"samples\": \"@\"";
    return text.replace(text.rfind(hole), hole.size(), "\"samples\": " + samples_text(*launch.timing));
}

Row to_csv(sim::LaunchStatistics const& launch) { return row_of(launch_json(launch)); }

std::string intervals_to_csv(sim::LaunchStatistics const& launch) {
    std::string text;
    for (std::size_t i = 0; launch.timing && i < launch.timing->intervals.size(); ++i) {
        Row const row = row_of(sample_json(*launch.timing, i));
        text += (i == 0 ? row.names + "\n" : "") + row.values + "\n";
    }
    return text;
}

std::string json_string(std::string_view value) { return dump(ordered_json(std::string(value)), -1); }

}  // namespace warpsim::statistics
