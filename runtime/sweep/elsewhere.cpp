#include "runtime/sweep/elsewhere.hpp"

#include "sim/error.hpp"

#include <nlohmann/json.hpp>

#include <istream>
#include <ostream>
#include <set>

namespace warpsim::sweep {

namespace {

using nlohmann::ordered_json;

[[noreturn]] void refuse_line(std::string const& line, std::string const& why) {
    throw Error(ErrorKind::usage, "what has come of a point: " + why + ": " + line.substr(0, 200));
}

Outcome read_outcome(ordered_json const& answer) {
    if (answer.contains("failure")) return {"crash", answer.at("failure"), "", answer.at("seconds")};
    FinishedRun run;
    run.exit_status = answer.at("status");
    run.signal = answer.at("signal");
    run.statistics = answer.at("statistics");
    run.messages = answer.at("messages");
    run.seconds = answer.at("seconds");
    return outcome_of(run);
}

}  // namespace

bool run_elsewhere(Exchange const& exchange, std::string const& build, std::vector<PlannedPoint> const& points,
                   std::vector<std::size_t> const& waiting,
                   std::function<void(std::size_t, Outcome const&)> const& ended) {
    std::set<std::size_t> left(waiting.begin(), waiting.end());
    for (std::size_t const index : waiting) {
        PlannedPoint const& point = points[index];
        if (!point.refusal.empty()) {
            left.erase(index);
            ended(index, {"invalid", point.refusal, "", 0});
            continue;
        }
        // The program's own path means nothing elsewhere.
        std::vector<std::string> const arguments(point.command.begin() + 1, point.command.end());
        ordered_json const order = {{"point", index},
                                    {"id", point.head.id},
                                    {"arguments", arguments},
                                    {"files", *point.files},
                                    {"build", build}};
        *exchange.to << order.dump(-1, ' ', false, ordered_json::error_handler_t::replace) << '\n';
    }
    *exchange.to << std::endl;  // an empty line: this was the last
    for (std::string line; !left.empty();) {
        if (!std::getline(*exchange.from, line)) return false;
        ordered_json const answer = ordered_json::parse(line, nullptr, false);
        if (!answer.is_object()) refuse_line(line, "no JSON object");
        std::size_t index = 0;
        Outcome outcome;
        try {
            index = answer.at("point");
            outcome = read_outcome(answer);
        } catch (ordered_json::exception const& error) {
            refuse_line(line, error.what());
        }
        if (left.erase(index) == 0) refuse_line(line, "nobody waits for this point");
        ended(index, outcome);
    }
    return true;
}

}  // namespace warpsim::sweep
