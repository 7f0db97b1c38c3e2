#include "runtime/embed/launch.hpp"

#include "runtime/check/findings/report.hpp"
#include "runtime/session/report_file.hpp"
#include "sim/error.hpp"

#include <map>
#include <utility>

namespace warpsim::embed {

std::string statistics_of(Launch const& launch) { return statistics::to_json(launch.counts); }

std::string children_of(Launch const& launch) {
    std::string text = "[";
    for (sim::LaunchStatistics const& child : launch.children)
        text += (text.size() == 1 ? "" : ",") + statistics::to_json(child);
    return text + "]";
}

std::string lines_of(Launch const& launch) { return "{" + statistics::lines_to_json(launch.lines) + "}"; }

std::string table_of(Launch const& launch) { return statistics::to_table(launch.counts); }

std::string json_of(std::vector<check::Finding> const& findings) { return check::to_json({}, findings); }

namespace {

/// Objects of JSON, each with members of its own, as one.
std::string joined(std::string one, std::string const& other) {
    if (one.empty() || one == "{}") return other;
    if (other == "{}") return one;
    one.back() = ',';
    return one + other.substr(1);
}

}  // namespace

std::string page_of(std::vector<std::shared_ptr<Launch const>> const& launches, std::string const& title) {
    if (launches.empty()) throw Error(ErrorKind::usage, "a page is about one launch at least");
    About const& about = *launches.front()->about;
    runtime::ReportFile page({.file = {}, .peaks = about.peaks, .warps = {}}, about.session);
    lines::Texts texts;
    std::vector<check::Finding> findings;
    check::Run checked;
    statistics::Ending ending{.status = "ok"};
    std::string steps;
    for (std::size_t i = 0; i < launches.size(); ++i) {
        Launch const& launch = *launches[i];
        page.add(launch.counts, launch.lines);
        if (launch.given) texts.insert(launch.given->begin(), launch.given->end());
        if (launch.texts) texts.merge(launch.texts->texts());
        if (launch.steps) steps = joined(steps, launch.steps->to_json({{launch.counts.number, i}}));
        findings.insert(findings.end(), launch.findings.begin(), launch.findings.end());
        if (!launch.fault.empty()) ending = {"fault", launch.fault};
    }
    std::string const found = findings.empty() ? std::string() : check::to_json(checked, findings);
    report::Run run = page.told(std::move(texts), steps, found, ending);
    run.title = title;
    return report::page_of({run});
}

}  // namespace warpsim::embed
