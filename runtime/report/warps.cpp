#include "runtime/report/warps.hpp"

#include "sim/error.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

namespace warpsim::report {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t most_rows = 32, most_slices = 12000;

/// Picks what is wanted from one event after the other, of which there may be many.
struct Picked {
    std::map<int, std::string> groups;                 // SMs, by their process
    std::map<std::pair<int, int>, std::string> names;  // of tracks
    struct Slice {
        int group, track;
        double begin, length;
        std::string kind;
    };
    std::vector<Slice> slices;
    int first = 0;  // the group whose slices are kept

    void look_at(ordered_json const& event) {
        if (!event.is_object() || !event.contains("ph")) return;
        std::string const phase = event.value("ph", ""), name = event.value("name", "");
        int const group = event.value("pid", 0), track = event.value("tid", 0);
        if (phase == "M" && event.contains("args")) {
            std::string const text = event["args"].value("name", "");
            if (name == "process_name" && text.starts_with("SM ")) {
                groups[group] = text;
                if (first == 0) first = group;
            } else if (name == "thread_name") {
                names[{group, track}] = text;
            }
        } else if (phase == "X" && group == first && first != 0) {
            std::string const category = event.value("cat", "");
            if (category == "stall" || category == "issue")
                slices.push_back({group, track, 1000 * event.value("ts", 0.0), 1000 * event.value("dur", 0.0),
                                  category == "stall" ? name : "issued"});
        }
    }
};

}  // namespace

std::string warps_of(std::string const& timeline) {
    Picked picked;
    ordered_json::parser_callback_t const each = [&](int depth, ordered_json::parse_event_t event,
                                                     ordered_json& value) {
        if (depth != 2 || event != ordered_json::parse_event_t::object_end) return true;
        picked.look_at(value);
        return false;  // it is needed no more
    };
    if (ordered_json::parse(timeline, each, false).is_discarded())
        throw Error(ErrorKind::usage, "the timeline is no JSON");
    if (picked.slices.empty()) return {};
    std::map<std::string, std::size_t> kinds;
    std::map<int, std::vector<std::int64_t>> rows;
    std::size_t count = 0;
    bool is_complete = true;
    // In the order of time, so that all rows end at the same.
    std::stable_sort(picked.slices.begin(), picked.slices.end(),
                     [](auto const& a, auto const& b) { return a.begin < b.begin; });
    for (Picked::Slice const& slice : picked.slices) {
        if (rows.size() >= most_rows && !rows.contains(slice.track)) continue;
        if (++count > most_slices) {
            is_complete = false;
            break;
        }
        std::size_t const kind = kinds.try_emplace(slice.kind, kinds.size()).first->second;
        std::vector<std::int64_t>& row = rows[slice.track];
        row.push_back(std::llround(slice.begin));
        row.push_back(std::llround(slice.length));
        row.push_back(static_cast<std::int64_t>(kind));
    }
    ordered_json json;
    json["sm"] = picked.groups[picked.first];
    json["kinds"] = ordered_json::array();
    for (std::size_t k = 0; k < kinds.size(); ++k)
        for (auto const& [name, number] : kinds)
            if (number == k) json["kinds"].push_back(name);
    json["rows"] = ordered_json::array();
    for (auto const& [track, row] : rows)
        json["rows"].push_back({{"name", picked.names[{picked.first, track}]}, {"slices", row}});
    json["complete"] = is_complete;
    return json.dump();
}

}  // namespace warpsim::report
