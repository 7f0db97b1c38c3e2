#include "runtime/report/hints.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>

namespace warpsim::report {

namespace {

using nlohmann::ordered_json;

/// A number of a launch by its path: "dram.utilization". NaN where it is not there, so that comparisons with it fail.
double number(ordered_json const& json, std::string_view path) {
    ordered_json const* at = &json;
    while (!path.empty()) {
        std::size_t const dot = std::min(path.find('.'), path.size());
        std::string const key(path.substr(0, dot));
        if (!at->is_object() || !at->contains(key)) return NAN;
        at = &(*at)[key];
        path.remove_prefix(std::min(dot + 1, path.size()));
    }
    return at->is_number() ? at->get<double>() : NAN;
}

std::string text(char const* format, auto... values) {
    char line[400];
    std::snprintf(line, sizeof line, format, values...);
    return line;
}

struct Seen {
    ordered_json const& launch;
    ordered_json const& lines;  // an array, perhaps empty
    ordered_json const& peaks;

    double of(std::string_view path) const { return number(launch, path); }
    double peak(std::string_view path) const { return number(peaks, path); }
    double ctas() const {
        double n = 1;
        for (ordered_json const& extent : launch["grid"]) n *= extent.get<double>();
        return n;
    }
    double threads() const {
        double n = 1;
        for (ordered_json const& extent : launch["block"]) n *= extent.get<double>();
        return n;
    }
    /// Of all time that warps have waited, the share for that reason.
    double stalled(std::string_view reason) const {
        if (!launch.contains("stalls") || !launch["stalls"].is_object()) return NAN;
        double all = 0;
        for (auto const& [key, value] : launch["stalls"].items())
            if (key != "selected" && value.is_number()) all += value.get<double>();
        return all == 0 ? NAN : number(launch["stalls"], reason) / all;
    }
};

struct Found {
    std::string evidence;
    std::string line;  // of the source if it is known, else of the PTX; empty: it is about the whole kernel
};

std::string place(ordered_json const& line) {
    std::string const source = line.value("source", "");
    return source.empty() ? line.value("line", "") : source;
}

/// The line for which `weight` is the greatest, of those for which it is positive.
template <class Weight> ordered_json const* worst(Seen const& seen, Weight const& weight) {
    ordered_json const* found = nullptr;
    double most = 0;
    for (ordered_json const& line : seen.lines) {
        double const here = weight(line);
        if (!(here > most)) continue;
        most = here;
        found = &line;
    }
    return found;
}

std::optional<Found> scattered(Seen const& seen) {
    // Half of what is moved is not asked for, and not only because few lanes ask.
    ordered_json const* const line = worst(seen, [](ordered_json const& l) {
        double const requests = number(l, "global.requests"), sectors = number(l, "global.sectors"),
                     bytes = number(l, "global.bytes"), lanes = number(l, "global.lanes");
        bool const is_scattered =
            requests >= 4 && sectors > 4 * requests && lanes > 8 * requests && bytes < 0.5 * 32 * sectors;
        return is_scattered ? sectors - bytes / 32 : 0;
    });
    if (line == nullptr) return std::nullopt;
    double const requests = number(*line, "global.requests"), sectors = number(*line, "global.sectors");
    std::string says = text("%s touches %.1f sectors of 32 bytes a request; %.1f would do.", place(*line).c_str(),
                            sectors / requests, std::ceil(number(*line, "global.bytes") / requests / 32));
    double const distance = number(*line, "global.distance.bytes");
    if (std::abs(distance) > 0)
        says += text(" Neighbouring lanes' addresses are %.0f bytes apart (%.0f %% of the requests).", distance,
                     100 * number(*line, "global.distance.requests") / requests);
    return Found{says, place(*line)};
}

std::optional<Found> conflicts(Seen const& seen) {
    ordered_json const* const line = worst(seen, [](ordered_json const& l) {
        double const requests = number(l, "shared.requests"), more = number(l, "shared.conflicts");
        return more >= requests ? more : 0;
    });
    if (line == nullptr) return std::nullopt;
    return Found{
        text("%s needs %.1f passes a request beyond the first: its lanes use different words of the same bank.",
             place(*line).c_str(), number(*line, "shared.conflicts") / number(*line, "shared.requests")),
        place(*line)};
}

std::optional<Found> divergence(Seen const& seen) {
    if (!(seen.of("simt_efficiency") < 0.85)) return std::nullopt;
    ordered_json const* const line = worst(seen, [](ordered_json const& l) {
        double const parted = number(l, "divergent");
        return parted >= 0.25 * number(l, "executed") ? parted : 0;
    });
    if (line == nullptr) return std::nullopt;
    return Found{
        text("%.0f %% of the lanes are active on average. The branch at %s has parted its lanes in %.0f of %.0f "
             "warps.",
             100 * seen.of("simt_efficiency"), place(*line).c_str(), number(*line, "divergent"),
             number(*line, "executed")),
        place(*line)};
}

std::optional<Found> partial_warps(Seen const& seen) {
    double const threads = seen.threads(), warps = std::ceil(threads / 32);
    if (threads >= 32 * warps || threads > 0.9 * 32 * warps) return std::nullopt;
    return Found{text("%.0f threads of a block are %.0f warps, with %.0f lanes that never do anything.", threads,
                      warps, 32 * warps - threads),
                 ""};
}

std::optional<Found> one_address(Seen const& seen) {
    ordered_json const* const line = worst(seen, [](ordered_json const& l) {
        std::string const written = l.value("text", "");
        bool const is_atomic =
            written.find("atom") != std::string::npos || written.find("red.") != std::string::npos;
        double const same = number(l, "global.distance.requests"), requests = number(l, "global.requests");
        bool const is_same = number(l, "global.distance.bytes") == 0 && same >= 0.5 * requests;
        return is_atomic && is_same && number(l, "global.lanes") >= 8 * requests ? requests : 0;
    });
    if (line == nullptr) return std::nullopt;
    return Found{text("%s: %.1f lanes of a warp add to one address, one after the other.", place(*line).c_str(),
                      number(*line, "global.lanes") / number(*line, "global.requests")),
                 place(*line)};
}

std::optional<Found> few_ctas(Seen const& seen) {
    double const ctas = seen.ctas(), sms = seen.peak("sms");
    if (!(ctas < sms)) return std::nullopt;
    if (ctas == 1) return Found{text("One block leaves %.0f of %.0f SMs without work.", sms - 1, sms), ""};
    return Found{text("%.0f blocks leave %.0f of %.0f SMs without work.", ctas, sms - ctas, sms), ""};
}

std::optional<Found> low_occupancy(Seen const& seen) {
    double const share = seen.of("occupancy.theoretical");
    if (!(share <= 0.5) || !seen.launch["occupancy"].contains("limited_by")) return std::nullopt;
    std::string const by = seen.launch["occupancy"]["limited_by"].get<std::string>();
    std::string why = "the number of " + by;
    if (by == "registers") why = text("its %.0f registers a thread", seen.of("registers_per_thread"));
    if (by == "shared_memory") why = text("its %.0f bytes of shared memory a block", seen.of("shared_per_cta"));
    if (by == "blocks") why = text("blocks of %.0f threads: no more blocks fit on an SM", seen.threads());
    return Found{text("At most %.0f %% of an SM's warps are there, because of %s.", 100 * share, why.c_str()), ""};
}

std::optional<Found> spills(Seen const& seen) {
    if (!(seen.of("spills.bytes_per_thread") > 0)) return std::nullopt;
    return Found{
        text("%.0f bytes a thread do not fit the registers: %.0f loads and %.0f stores of warps move them.",
             seen.of("spills.bytes_per_thread"), seen.of("spills.loads"), seen.of("spills.stores")),
        ""};
}

std::optional<Found> bandwidth(Seen const& seen) {
    if (!(seen.of("dram.utilization") > 0.6)) return std::nullopt;
    return Found{text("DRAM's buses are busy %.0f %% of the time (%.0f GB/s).", 100 * seen.of("dram.utilization"),
                      seen.of("dram.bandwidth_gb_per_s")),
                 ""};
}

ordered_json const* most_stalled(Seen const& seen, char const* reason) {
    return worst(seen, [&](ordered_json const& l) {
        return l.contains("stall_warp_cycles") ? number(l["stall_warp_cycles"], reason) : 0;
    });
}

std::optional<Found> latency(Seen const& seen) {
    if (!(seen.stalled("long_scoreboard") > 0.5) || !(seen.of("dram.utilization") <= 0.6)) return std::nullopt;
    ordered_json const* const line = most_stalled(seen, "long_scoreboard");
    std::string const at = line != nullptr ? ", most at " + place(*line) : "";
    return Found{
        text("%.0f %% of all waiting is for data from memory%s, while DRAM is busy only %.0f %% of the time.",
             100 * seen.stalled("long_scoreboard"), at.c_str(), 100 * seen.of("dram.utilization")),
        line != nullptr ? place(*line) : ""};
}

std::optional<Found> barriers(Seen const& seen) {
    if (!(seen.stalled("barrier") > 0.25)) return std::nullopt;
    ordered_json const* const line = most_stalled(seen, "barrier");
    return Found{text("%.0f %% of all waiting is in barriers%s.", 100 * seen.stalled("barrier"),
                      line != nullptr ? (", most at " + place(*line)).c_str() : ""),
                 line != nullptr ? place(*line) : ""};
}

std::optional<Found> busy_unit(Seen const& seen) {
    if (!seen.launch.contains("units")) return std::nullopt;
    std::string name;
    double most = 0.7;
    for (auto const& [key, unit] : seen.launch["units"].items()) {
        double const share = number(unit, "utilization");
        if (!(share > most)) continue;
        most = share;
        name = key;
    }
    if (name.empty()) return std::nullopt;
    return Found{text("The %s unit is busy %.0f %% of the time.", name.c_str(), 100 * most), ""};
}

struct Rule {
    std::string_view name;
    std::optional<Found> (*find)(Seen const&);
    char const* says;
    char const* advice;
};

constexpr Rule table[] = {
    {"scattered accesses", scattered, "Accesses to global memory are scattered.",
     "Let neighbouring threads use neighbouring addresses, or go through shared memory: examples/coalescing."},
    {"bank conflicts", conflicts, "Shared memory is used with bank conflicts.",
     "Change the stride, for instance by one padding element a row: examples/bank_conflicts."},
    {"divergence", divergence, "Lanes of a warp take different paths.",
     "Let whole warps decide alike, or make the paths short: examples/divergence."},
    {"partial warps", partial_warps, "Blocks are no whole number of warps.",
     "Make the block a multiple of 32 threads."},
    {"atomics on one address", one_address, "Lanes of a warp take turns at one address.",
     "Add up within the warp first (redux.sync, shuffles), or in shared memory, and let one lane write."},
    {"few blocks", few_ctas, "The grid does not fill the GPU.",
     "Use more, smaller blocks, or give the GPU other work in another stream."},
    {"low occupancy", low_occupancy, "Few warps fit on an SM.",
     "With more warps there is more to do while some wait. It matters where warps wait for long."},
    {"spills", spills, "Registers are spilled to local memory.",
     "Allow more registers (__launch_bounds__, --maxrregcount), or keep fewer values at a time."},
    {"memory bandwidth", bandwidth, "The speed of DRAM limits the kernel.",
     "Move fewer bytes: reuse what is there, use narrower types, touch whole sectors."},
    {"memory latency", latency, "Warps wait for memory, which is not busy.",
     "Have more loads under way: more warps, or several independent loads before the first use."},
    {"barriers", barriers, "Warps wait for each other at barriers.",
     "Give warps equal work between barriers, use smaller blocks, or barriers of fewer warps."},
    {"busy unit", busy_unit, "One kind of arithmetic limits the kernel.",
     "Use cheaper operations, or narrower types, for what that unit does."},
};

}  // namespace

std::vector<std::string_view> rules() {
    std::vector<std::string_view> names;
    for (Rule const& rule : table) names.push_back(rule.name);
    return names;
}

ordered_json hints_of(ordered_json const& launch, ordered_json const& lines, ordered_json const& peaks) {
    ordered_json const none = ordered_json::array();
    Seen const seen{launch, lines.is_object() && lines.contains("lines") ? lines["lines"] : none, peaks};
    ordered_json hints = ordered_json::array();
    for (Rule const& rule : table) {
        std::optional<Found> const found = rule.find(seen);
        if (!found) continue;
        ordered_json hint = {
            {"rule", rule.name}, {"says", rule.says}, {"evidence", found->evidence}, {"advice", rule.advice}};
        if (!found->line.empty()) hint["line"] = found->line;
        hints.push_back(std::move(hint));
    }
    return hints;
}

}  // namespace warpsim::report
