#include "runtime/statistics/statistics.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>
#include <vector>

namespace warpsim::statistics {

namespace {

using nlohmann::ordered_json;
using sim::LineProfile;

std::uint64_t stalled(LineProfile const& line) {
    return std::accumulate(line.stalls.begin(), line.stalls.end(), std::uint64_t{0});
}

/// Lines of the program that the PTX was compiled from, in the order in which they come first; none where the PTX
/// does not tell them.
std::vector<LineProfile> by_source(std::vector<LineProfile> const& lines) {
    std::vector<LineProfile> sums;
    std::map<std::string, std::size_t> known;
    for (LineProfile const& line : lines) {
        if (line.source.empty()) continue;
        auto const [it, is_new] = known.try_emplace(line.source, sums.size());
        if (is_new) {
            sums.emplace_back();
            sums.back().source = line.source;
            sums.back().function = line.function;
        }
        sim::add(sums[it->second], line);
    }
    return sums;
}

/// The reasons that took most of the time, with their shares of all warp cycles.
std::string why(LineProfile const& line, std::uint64_t all) {
    std::vector<std::size_t> order(line.stalls.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return line.stalls[a] > line.stalls[b]; });
    std::string text;
    for (std::size_t i = 0; i < 2 && line.stalls[order[i]] != 0; ++i) {
        char piece[64];
        double const share = 100 * static_cast<double>(line.stalls[order[i]]) / static_cast<double>(all);
        std::snprintf(piece, sizeof piece, "%s%s %.1f", i == 0 ? "" : ", ",
                      std::string(sim::stall_name(order[i])).c_str(), share);
        text += piece;
    }
    return text;
}

std::string table(std::vector<LineProfile> const& lines, bool is_source) {
    std::uint64_t all = 0;
    for (LineProfile const& line : lines) all += stalled(line);
    std::string text =
        "    executed      threads    micro-ops  stalled %  why, %                                    ";
    text += is_source ? "source\n" : "line\n";
    std::string function;
    for (LineProfile const& line : lines) {
        if (!is_source && line.function != function) {
            function = line.function;
            text += function + "\n";
        }
        double const share = all == 0 ? 0 : 100 * static_cast<double>(stalled(line)) / static_cast<double>(all);
        char head[160];
        std::snprintf(head, sizeof head, "%12llu %12llu %12llu %10.1f  %-41s ",
                      static_cast<unsigned long long>(line.executed),
                      static_cast<unsigned long long>(line.threads_guarded),
                      static_cast<unsigned long long>(line.micro_ops), share,
                      why(line, std::max<std::uint64_t>(all, 1)).c_str());
        text += head;
        text += is_source
                    ? line.source
                    : line.place + "  " + line.text + (line.source.empty() ? "" : "   (" + line.source + ")");
        text += '\n';
    }
    return text;
}

ordered_json line_json(LineProfile const& line, bool is_source) {
    ordered_json json;
    if (is_source) {
        json["source"] = line.source;
    } else {
        json["function"] = line.function;
        json["line"] = line.place;
        json["text"] = line.text;
        if (!line.source.empty()) json["source"] = line.source;
    }
    json["executed"] = line.executed;
    json["threads"] = line.threads;
    json["threads_guarded"] = line.threads_guarded;
    json["divergent"] = line.divergent;
    json["micro_ops"] = line.micro_ops;
    sim::LineAccesses const& a = line.accesses;
    if (a.requests != 0) {
        ordered_json global = {
            {"requests", a.requests}, {"lanes", a.lanes}, {"bytes", a.bytes}, {"sectors", a.sectors}};
        if (a.at_distance != 0) global["distance"] = {{"bytes", a.distance}, {"requests", a.at_distance}};
        json["global"] = std::move(global);
    }
    if (a.shared_requests != 0) json["shared"] = {{"requests", a.shared_requests}, {"conflicts", a.shared_passes}};
    ordered_json stalls = ordered_json::object();
    for (std::size_t r = 0; r < line.stalls.size(); ++r) {
        if (line.stalls[r] != 0) stalls[std::string(sim::name(static_cast<sim::StallReason>(r)))] = line.stalls[r];
    }
    json["stall_warp_cycles"] = stalls;
    return json;
}

std::string lines_json(std::vector<LineProfile> const& lines, bool is_source) {
    std::string text = "[";
    for (std::size_t i = 0; i < lines.size(); ++i) {
        text += i == 0 ? "\n        " : ",\n        ";
        text += line_json(lines[i], is_source).dump(-1, ' ', false, ordered_json::error_handler_t::replace);
    }
    return text + "\n      ]";
}

}  // namespace

std::string profile_to_text(sim::LaunchStatistics const& launch) {
    sim::TimingCounts const& t = *launch.timing;
    char head[160];
    std::snprintf(head, sizeof head, ": grid (%u,%u,%u), block (%u,%u,%u), %llu cycles, %llu micro-ops\n",
                  launch.grid[0], launch.grid[1], launch.grid[2], launch.block[0], launch.block[1],
                  launch.block[2], static_cast<unsigned long long>(t.cycles),
                  static_cast<unsigned long long>(t.micro_ops));
    std::string text = launch.kernel + head + table(t.profile, false);
    std::vector<LineProfile> const sources = by_source(t.profile);
    if (!sources.empty()) text += table(sources, true);
    return text;
}

std::string lines_to_json(std::vector<sim::LineProfile> const& lines) {
    return "\"lines\": " + lines_json(lines, false) +
           ",\n      \"sources\": " + lines_json(by_source(lines), true);
}

std::string profile_to_json(sim::LaunchStatistics const& launch) {
    sim::TimingCounts const& t = *launch.timing;
    return "    {\"kernel\": " + json_string(launch.kernel) + ", \"cycles\": " + std::to_string(t.cycles) +
           ", \"micro_ops\": " + std::to_string(t.micro_ops) + ",\n      " + lines_to_json(t.profile) + "\n    }";
}

}  // namespace warpsim::statistics
