#include "runtime/sweep/rows.hpp"

#include "runtime/plan/json.hpp"
#include "runtime/statistics/key_rows.hpp"
#include "sim/error.hpp"
#include "sim/nearest.hpp"
#include "sim/statistics.hpp"

#include <algorithm>
#include <cstdio>

namespace warpsim::sweep {

namespace {

using plan::Json;

Json const* at(Json const& launch, std::string_view key) {
    if (Json const* const found = launch.find(key)) return found;
    for (std::size_t dot = key.find('.'); dot != std::string_view::npos; dot = key.find('.', dot + 1)) {
        Json const* const inner = launch.find(key.substr(0, dot));
        if (inner == nullptr) continue;
        if (Json const* const found = at(*inner, key.substr(dot + 1))) return found;
    }
    return nullptr;
}

/// Empty for what was not counted, and for what there is nothing to divide by.
std::string cell(Json const* value) {
    if (value == nullptr || value->is(Json::Kind::null)) return "";
    if (value->is(Json::Kind::string) || value->is(Json::Kind::real)) return value->text;
    return plan::to_text(*value);
}

/// "units.*.micro_ops" stands for each unit.
bool fits(std::string_view pattern, std::string_view key) {
    std::size_t const star = pattern.find('*');
    if (star == std::string_view::npos) return pattern == key;
    return key.size() >= pattern.size() && key.starts_with(pattern.substr(0, star)) &&
           key.ends_with(pattern.substr(star + 1));
}

std::vector<std::string> known_keys() {
    std::vector<std::string> keys;
    auto const add = [&](statistics::KeyRow const& row) { keys.push_back(row.key); };
    statistics::each_key<sim::LaunchStatistics>(add);
    statistics::each_key<sim::TimingCounts>(add);
    return keys;
}

std::string text_of_seconds(double seconds) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3f", seconds);
    return text;
}

}  // namespace

std::vector<std::string> const& usual_columns() {
    static std::vector<std::string> const columns{"cycles",
                                                  "time_us",
                                                  "ipc",
                                                  "instructions.warp",
                                                  "simt_efficiency",
                                                  "occupancy.achieved",
                                                  "l1.hit_rate",
                                                  "l2.hit_rate",
                                                  "dram.read_sectors",
                                                  "dram.written_sectors",
                                                  "dram.utilization"};
    return columns;
}

void check_columns(std::vector<std::string> const& columns) {
    std::vector<std::string> const keys = known_keys();
    for (std::string const& column : columns) {
        auto const is_it = [&](std::string const& key) { return fits(key, column); };
        if (std::none_of(keys.begin(), keys.end(), is_it))
            throw Error(ErrorKind::usage,
                        "--columns: the statistics have no '" + column + "'" + sim::did_you_mean(column, keys));
        if (std::count(columns.begin(), columns.end(), column) > 1)
            throw Error(ErrorKind::usage, "--columns: '" + column + "' stands there twice");
    }
}

Fields table_head(std::vector<std::string> const& varied, std::vector<std::string> const& columns) {
    Fields head{"plan", "launch", "launches", "kernel"};
    head.insert(head.end(), varied.begin(), varied.end());
    head.emplace_back("status");
    head.insert(head.end(), columns.begin(), columns.end());
    head.insert(head.end(), {"seconds", "message", "point"});
    return head;
}

std::vector<Fields> rows_of(PointHead const& head, Outcome const& outcome,
                            std::vector<std::string> const& columns) {
    Json statistics;
    try {
        if (!outcome.statistics.empty()) statistics = plan::parse_json("", outcome.statistics);
    } catch (Error const&) {
        // A process that was killed has left half of its file: of launches nothing is known then.
    }
    static Json const none;
    Json const* const found = statistics.find("launches");
    std::vector<Json> const& launches = found != nullptr ? found->items : none.items;
    bool const is_ok = outcome.status == "ok";
    bool const is_told = !launches.empty() && cell(launches.back().find("status")) != "ok";
    std::size_t const count = launches.size() + (!is_told && (!is_ok || launches.empty()) ? 1 : 0);
    std::vector<Fields> rows;
    for (std::size_t i = 0; i < count; ++i) {
        Json const& launch = i < launches.size() ? launches[i] : none;
        bool const is_last = i + 1 == count;
        std::string const status = is_last ? outcome.status : "ok";
        Fields row{head.plan, std::to_string(i), std::to_string(count), cell(launch.find("kernel"))};
        row.insert(row.end(), head.values.begin(), head.values.end());
        row.push_back(status);
        for (std::string const& column : columns) row.push_back(cell(at(launch, column)));
        std::string const seconds = cell(launch.find("host_seconds"));
        row.push_back(seconds.empty() ? text_of_seconds(outcome.seconds) : seconds);
        row.push_back(is_last ? outcome.message : "");
        row.push_back(head.id);
        rows.push_back(std::move(row));
    }
    return rows;
}

std::string status_word(int exit_status) {
    switch (exit_status) {
        case 0: return "ok";
        case 1: return "mismatch";
        case 2: return "invalid";
        case 3: return "ptx";
        case 4: return "fault";
        case 124: return "timeout";
        default: return "error";
    }
}

std::string first_error(std::string const& messages) {
    static constexpr std::string_view mark = "error: ";
    std::size_t const found = messages.find(mark);
    if (found == std::string::npos) return messages.substr(0, messages.find('\n'));
    std::size_t const line = messages.rfind('\n', found) + 1;  // npos + 1 is the beginning
    std::size_t const end = messages.find('\n', found);
    std::size_t const begin = line == found ? found + mark.size() : line;
    return messages.substr(begin, end - begin);
}

Outcome outcome_of(FinishedRun const& run) {
    Outcome outcome{status_word(run.exit_status), "", run.statistics, run.seconds};
    if (run.signal != 0) {
        outcome.status = "crash";
        outcome.message = "the process was ended by signal " + std::to_string(run.signal);
    } else if (run.exit_status != 0) {
        outcome.message = first_error(run.messages);
        if (outcome.message.empty()) outcome.message = "exit status " + std::to_string(run.exit_status);
    } else if (outcome.statistics.empty()) {
        outcome.status = "error";
        outcome.message = "the process has written no statistics";
    }
    return outcome;
}

}  // namespace warpsim::sweep
