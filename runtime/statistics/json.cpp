#include "runtime/statistics/json_fields.hpp"
#include "runtime/statistics/statistics.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>

namespace warpsim::statistics {

namespace {

using nlohmann::ordered_json;

std::string dump(ordered_json const& value, int indent) {
    return value.dump(indent, ' ', false, ordered_json::error_handler_t::replace);
}

/// The order in which a timing run's keys are shown, as programs and people expect it; other keys follow.
constexpr char const* timing_keys[] = {"cycles",    "time_us", "sampled",     "sampling", "micro_ops", "ipc",
                                       "occupancy", "spills",  "issue_slots", "stalls",   "units",     "l1",
                                       "l2",        "dram",    "noc",         "energy"};

void add_timing(ordered_json& json, sim::TimingCounts const& t) {
    for (char const* const key : timing_keys) json[key] = nullptr;
    JsonFields(json).put(t, t);
    if (!t.energy.counted) json.erase("energy");
}

ordered_json sample_json(sim::TimingCounts const& t, std::size_t i) {
    ordered_json json;
    sim::ReportedSample const sample{t.intervals[i], i * t.interval_cycles, t};
    JsonFields(json).put(sample, sample);
    sim::IntervalSample const& counts = t.intervals[i];
    for (std::size_t r = 0; r < counts.stalls.size(); ++r) {
        auto const share = sim::share(counts.stalls[r], counts.micro_ops);
        json["stall_" + std::string(sim::stall_name(r))] = share ? ordered_json(*share) : ordered_json(nullptr);
    }
    return json;
}

// One sample per line, so that thousands of them remain legible.
std::string samples_text(sim::TimingCounts const& t) {
    std::string text = "[";
    for (std::size_t i = 0; i < t.intervals.size(); ++i)
        text += (i == 0 ? "\n      " : ",\n      ") + dump(sample_json(t, i), -1);
    return text + "\n    ]";
}

ordered_json launch_json(sim::LaunchStatistics const& launch) {
    ordered_json json;
    JsonFields(json).put(launch, launch);
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

std::string on_one_line(std::string const& json) { return dump(ordered_json::parse(json), -1); }

std::string json_string(std::string_view value) { return dump(ordered_json(std::string(value)), -1); }

}  // namespace warpsim::statistics
