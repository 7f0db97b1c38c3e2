#include "runtime/statistics/compare.hpp"

#include "sim/demangled.hpp"
#include "sim/error.hpp"
#include "sim/nearest.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>

namespace warpsim::statistics {

namespace {

using Json = nlohmann::ordered_json;

/// What says most about a launch.
constexpr std::array headline{"cycles",
                              "instructions.warp",
                              "micro_ops.warp",
                              "ipc",
                              "simt_efficiency",
                              "registers_per_thread",
                              "occupancy.achieved",
                              "l1.hit_rate",
                              "l2.hit_rate",
                              "dram.read_sectors",
                              "dram.written_sectors",
                              "memory.global_sectors_per_request",
                              "memory.shared_bank_conflicts",
                              "energy.total_joules",
                              "energy.average_watts"};

bool is_better_when_more(std::string_view key) {
    for (std::string_view const end : {"ipc", "simt_efficiency", "hit_rate", "occupancy.achieved",
                                       "occupancy.theoretical", "utilization", "issued", "bandwidth_gb_per_s"})
        if (key.ends_with(end)) return true;
    return false;
}

struct Launch {
    std::string kernel;
    std::uint64_t number = 0;  // of the kernel
    std::string status;
    bool is_sampled = false;               // cycles and counts are projected (--sample)
    double cycles_error = 0;               // of the cycles then, relative
    std::map<std::string, double> values;  // by key; null is left out
    std::vector<std::string> keys;         // in the file's order
};

struct Run {
    std::vector<Launch> launches;
    Json config;
    std::string mode;
};

void add_values(Launch& launch, Json const& json, std::string const& prefix) {
    for (auto const& [key, value] : json.items()) {
        std::string const name = prefix.empty() ? key : prefix + "." + key;
        if (value.is_object() && key != "intervals") add_values(launch, value, name);
        if (value.is_number()) launch.values[name] = value.get<double>();
        if (value.is_number() || value.is_null()) launch.keys.push_back(name);
    }
}

Run read(StatisticsFile const& file) {
    auto const fail = [&](std::string const& what) -> void {
        throw Error(ErrorKind::usage, file.name + ": " + what);
    };
    Json json;
    try {
        json = Json::parse(file.text);
    } catch (Json::parse_error const&) {
        fail("it is no JSON; `--stats FILE.json` writes what can be compared");
    }
    if (!json.is_object() || json.value("schema", "") != "warpsim-stats/1")
        fail("these are no statistics of warpsim (\"schema\": \"warpsim-stats/1\")");
    Run run;
    run.config = json.value("config_effective", Json());
    run.mode = json.value("mode", "");
    std::map<std::string, std::uint64_t> seen;
    for (Json const& written : json.value("launches", Json::array())) {
        Launch launch;
        launch.kernel = written.value("kernel", "");
        launch.number = seen[launch.kernel]++;
        launch.status = written.value("status", "ok");
        add_values(launch, written, "");
        launch.is_sampled = written.value("sampled", false);
        if (launch.is_sampled) launch.cycles_error = launch.values["sampling.cycles_error"];
        run.launches.push_back(std::move(launch));
    }
    return run;
}

std::string grouped(std::string digits) {
    std::size_t const begin = digits.starts_with('-') ? 1 : 0;
    for (std::size_t at = digits.size(); at > begin + 3;) digits.insert(at -= 3, ",");
    return digits;
}

std::string number_text(double value) {
    char text[64];
    if (value == std::floor(value) && std::abs(value) < 1e15) {
        std::snprintf(text, sizeof text, "%.0f", value);
        return grouped(text);
    }
    std::snprintf(text, sizeof text, "%.4g", value);
    return text;
}

std::string change_text(double before, double after) {
    if (before == 0) return after == 0 ? "" : "from 0";
    char text[32];
    std::snprintf(text, sizeof text, "%+.1f %%", 100 * (after - before) / std::abs(before));
    return text;
}

bool is_worse(Threshold const& threshold, double before, double after) {
    bool const less = threshold.worse == Threshold::Worse::less ||
                      (threshold.worse == Threshold::Worse::by_key && is_better_when_more(threshold.key));
    double const by = less ? before - after : after - before;
    return by > threshold.most * (threshold.is_share ? std::abs(before) : 1);
}

using Cells = std::array<std::string, 5>;  // key, before, after, change, verdict

std::string table_of(std::vector<Cells> const& rows) {
    Cells::size_type constexpr columns = std::tuple_size_v<Cells>;
    std::array<std::size_t, columns> width{};
    for (Cells const& row : rows)
        for (std::size_t c = 0; c < columns; ++c) width[c] = std::max(width[c], row[c].size());
    std::string text;
    for (Cells const& row : rows) {
        std::string line = "  ";
        for (std::size_t c = 0; c < columns; ++c) {
            std::string const space(width[c] - row[c].size(), ' ');
            line += (c == 0 || c + 1 == columns ? row[c] + space : space + row[c]) + "  ";
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

void add_differences(Json const& before, Json const& after, std::string const& prefix, std::string& text) {
    if (before.is_object() && after.is_object()) {
        auto const inner = [&](std::string const& key) { return prefix.empty() ? key : prefix + "." + key; };
        for (auto const& [key, value] : before.items())
            if (key != "sources") add_differences(value, after.value(key, Json()), inner(key), text);
        for (auto const& [key, value] : after.items())
            if (!before.contains(key)) add_differences(Json(), value, inner(key), text);
        return;
    }
    if (before != after) text += "  " + prefix + ": " + before.dump() + " -> " + after.dump() + "\n";
}

class Comparer {
public:
    Comparer(StatisticsFile const& before, StatisticsFile const& after, CompareOptions const& options)
        : before_name_(before.name),
          after_name_(after.name),
          before_(read(before)),
          after_(read(after)),
          options_(options),
          thresholds_(options.thresholds) {
        if (thresholds_.empty()) thresholds_.push_back({after_.mode == "timing" ? "cycles" : "instructions.warp"});
        else check_keys();
    }

    Comparison compare() {
        Comparison result;
        result.text = "before: " + before_name_ + "\nafter:  " + after_name_ + "\n";
        std::string configuration;
        add_differences(before_.config, after_.config, "", configuration);
        if (!configuration.empty()) result.text += "configuration:\n" + configuration;
        std::vector<bool> met(after_.launches.size());
        for (Launch const& launch : before_.launches) {
            Launch const* const same = find(launch, met);
            if (same == nullptr) {
                result.text += title(launch) + ": it is missing in the second run: regression\n";
                ++regressions_;
                continue;
            }
            result.text += compare(launch, *same);
        }
        for (std::size_t i = 0; i < met.size(); ++i)
            if (!met[i]) result.text += title(after_.launches[i]) + ": only in the second run\n";
        result.text += std::to_string(regressions_) + (regressions_ == 1 ? " regression" : " regressions") +
                       " in " + std::to_string(before_.launches.size()) +
                       (before_.launches.size() == 1 ? " launch" : " launches") + "\n";
        result.has_regressed = regressions_ != 0;
        return result;
    }

private:
    void check_keys() const {
        for (Threshold const& threshold : thresholds_) {
            std::vector<std::string> known;
            bool is_there = false;
            for (Run const* const run : {&before_, &after_}) {
                for (Launch const& launch : run->launches) {
                    known.insert(known.end(), launch.keys.begin(), launch.keys.end());
                    is_there = is_there || std::count(known.begin(), known.end(), threshold.key) != 0;
                }
            }
            if (is_there || known.empty()) continue;
            throw Error(ErrorKind::usage, "--threshold: no launch has the key '" + threshold.key + "'" +
                                              sim::did_you_mean(threshold.key, known));
        }
    }

    std::string title(Launch const& launch) const {
        return sim::demangled(launch.kernel) + ", launch " + std::to_string(launch.number);
    }

    Launch const* find(Launch const& launch, std::vector<bool>& met) const {
        for (std::size_t i = 0; i < met.size(); ++i) {
            Launch const& other = after_.launches[i];
            if (met[i] || other.kernel != launch.kernel || other.number != launch.number) continue;
            met[i] = true;
            return &other;
        }
        return nullptr;
    }

    static std::optional<double> value(Launch const& launch, std::string const& key) {
        auto const found = launch.values.find(key);
        return found == launch.values.end() ? std::nullopt : std::optional(found->second);
    }

    std::vector<std::string> keys_to_show(Launch const& before, Launch const& after) const {
        std::vector<std::string> keys;
        auto const add = [&](std::string const& key) {
            if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
        };
        for (Threshold const& threshold : thresholds_) add(threshold.key);
        if (options_.shows_all) {
            for (Launch const* const launch : {&before, &after})
                for (std::string const& key : launch->keys) add(key);
            std::erase(keys, "host_seconds");
        } else {
            for (char const* const key : headline) add(key);
        }
        return keys;
    }

    /// What is projected has a mark, and cycles the error that is said of them.
    static std::string told(Launch const& launch, std::string const& key, double value) {
        bool const is_exact = !launch.is_sampled || key.starts_with("instructions.") ||
                              key.starts_with("branches.") || key.starts_with("sampling.") ||
                              key == "simt_efficiency" || key == "registers_per_thread" || key == "host_seconds";
        if (is_exact) return number_text(value);
        if (key != "cycles") return "~" + number_text(value);
        char error[32];
        std::snprintf(error, sizeof error, " +- %.1f %%", 100 * launch.cycles_error);
        return "~" + number_text(value) + error;
    }

    std::string compare(Launch const& before, Launch const& after) {
        std::vector<Cells> rows;
        bool const has_failed = before.status == "ok" && after.status != "ok";
        if (before.status != after.status)
            rows.push_back({"status", before.status, after.status, "", has_failed ? "regression" : ""});
        regressions_ += has_failed;
        for (std::string const& key : keys_to_show(before, after)) {
            auto const old = value(before, key), now = value(after, key);
            if (old == now) continue;
            std::string verdict;
            for (Threshold const& threshold : thresholds_)
                if (threshold.key == key && old && now && is_worse(threshold, *old, *now)) verdict = "regression";
            regressions_ += !verdict.empty();
            rows.push_back({key, old ? told(before, key, *old) : "-", now ? told(after, key, *now) : "-",
                            old && now ? change_text(*old, *now) : "", verdict});
        }
        return title(after) + (rows.empty() ? ": no difference\n" : "\n" + table_of(rows));
    }

    std::string const before_name_, after_name_;
    Run const before_, after_;
    CompareOptions const& options_;
    std::vector<Threshold> thresholds_;
    std::uint64_t regressions_ = 0;
};

}  // namespace

Threshold parse_threshold(std::string const& text) {
    auto const fail = [&] {
        throw Error(ErrorKind::usage,
                    "--threshold " + text + ": KEY=N% or KEY=N is wanted, for example cycles=2%");
    };
    Threshold threshold;
    std::size_t const equals = text.find('=');
    if (equals == std::string::npos || equals == 0) fail();
    threshold.key = text.substr(0, equals);
    std::string number = text.substr(equals + 1);
    if (number.starts_with('+')) threshold.worse = Threshold::Worse::more;
    if (number.starts_with('-')) threshold.worse = Threshold::Worse::less;
    if (threshold.worse != Threshold::Worse::by_key) number.erase(0, 1);
    threshold.is_share = number.ends_with('%');
    if (threshold.is_share) number.pop_back();
    auto const [end, error] =
        std::from_chars(number.data(), number.data() + number.size(), threshold.most, std::chars_format::fixed);
    if (error != std::errc() || end != number.data() + number.size() || !std::isfinite(threshold.most)) fail();
    if (threshold.is_share) threshold.most /= 100;
    return threshold;
}

Comparison compare(StatisticsFile const& before, StatisticsFile const& after, CompareOptions const& options) {
    return Comparer(before, after, options).compare();
}

}  // namespace warpsim::statistics
