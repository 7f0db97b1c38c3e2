// Check reports as JSON, in our own form ("warpsim-check/1") and as SARIF, which code hosts show beside the source.
#include "runtime/check/findings/act.hpp"
#include "runtime/check/findings/recorded_fault.hpp"
#include "runtime/check/findings/report.hpp"
#include "runtime/check/findings/suppressions.hpp"
#include "sim/demangled.hpp"

#include <nlohmann/json.hpp>

namespace warpsim::check {

namespace {

using Json = nlohmann::ordered_json;

Json json_of(Finding::Allocation const& allocation) {
    return {{"address", allocation.address}, {"bytes", allocation.bytes}};
}

Json json_of(Line const& line) {
    Json json{{"file", line.file}, {"line", line.number}};
    if (!line.text.empty()) json["text"] = line.text;
    return json;
}

void add_act(Json& json, Act const& act) {
    if (act.block) json["block"] = *act.block;
    if (act.thread) json["thread"] = *act.thread;
    if (!act.verb.empty()) json["verb"] = act.verb;
    if (act.value) json["value"] = *act.value;
    if (act.source) json["source"] = json_of(act.source);
    if (act.ptx) json["ptx"] = json_of(act.ptx);
}

Json json_of(Finding const& finding) {
    Json json{{"kind", name(finding.kind)}, {"what", finding.what}, {"message", finding.message}};
    if (!finding.kernel.empty()) {
        json["kernel"] = finding.kernel;
        json["demangled"] = sim::demangled(finding.kernel);
        if (finding.launch) json["launch"] = *finding.launch;
    }
    json["count"] = finding.count;
    if (!finding.space.empty()) json["space"] = finding.space;
    if (finding.address) {
        json["address"] = *finding.address;
        json["bytes"] = finding.bytes;
    }
    if (finding.act) add_act(json, *finding.act);
    if (finding.other) {
        Json other = Json::object();
        add_act(other, *finding.other);
        json["other"] = std::move(other);
    }
    if (finding.allocation) json["allocation"] = json_of(*finding.allocation);
    if (!finding.notes.empty()) json["notes"] = finding.notes;
    json["suppression"] = Suppressions::entry_for(finding);
    return json;
}

/// Where SARIF points to: the source if it is known, else the PTX.
Json sarif_location(Act const& act) {
    Line const& line = act.source ? act.source : act.ptx;
    Json json = Json::object();
    if (line)
        json["physicalLocation"] = {{"artifactLocation", {{"uri", line.file}}},
                                    {"region", {{"startLine", line.number}}}};
    json["message"] = {{"text", who(act) + " " + act.verb + (act.value ? " " + *act.value : "")}};
    return json;
}

std::string dump(Json const& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace); }
std::string text_of(Json const& json) { return dump(json) + "\n"; }

}  // namespace

std::string to_json(RecordedFault const& fault) {
    Json json{{"kind", name(fault.kind)}, {"message", fault.what}, {"kernel", fault.kernel}};
    json["demangled"] = sim::demangled(fault.kernel);
    json["launch"] = fault.launch;
    if (!fault.space.empty()) json["space"] = fault.space;
    if (!fault.space.empty()) json["address"] = fault.address;
    if (!fault.space.empty()) json["bytes"] = fault.bytes;
    if (fault.act) {
        add_act(json, *fault.act);
        json["warp"] = fault.warp;
        json["lane"] = fault.lane;
        if (fault.sm) json["sm"] = *fault.sm;
    }
    if (fault.allocation) json["allocation"] = json_of(*fault.allocation);
    if (!fault.details.empty()) json["details"] = fault.details;
    return dump(json);
}

std::string to_json(Run const& run, std::vector<Finding> const& findings) {
    Json json{{"schema", "warpsim-check/1"}, {"command", run.command}};
    Json& checked = json["checked"] = Json::array();
    for (Kind const kind : run.checked) checked.push_back(name(kind));
    json["launches"] = run.launches;
    json["kernels"] = run.kernels;
    Json& list = json["findings"] = Json::array();
    for (Finding const& finding : findings) list.push_back(json_of(finding));
    Json& summary = json["summary"] = Json::object();
    for (Kind const kind : run.checked) summary[std::string(name(kind))] = 0;
    for (Finding const& finding : findings) {
        Json& count = summary[std::string(name(finding.kind))];
        count = count.is_null() ? 1 : count.get<std::uint64_t>() + 1;
    }
    json["suppressed"] = run.suppressed;
    return text_of(json);
}

std::string to_sarif(Run const& run, std::vector<Finding> const& findings) {
    Json rules = Json::array();
    for (Kind const kind : run.checked) rules.push_back({{"id", name(kind)}});
    Json results = Json::array();
    for (Finding const& finding : findings) {
        Json result{{"ruleId", name(finding.kind)}, {"level", "error"}};
        std::string text = finding.message;
        for (std::string const& note : finding.notes) text += "\n" + note;
        result["message"] = {{"text", text}};
        result["occurrenceCount"] = finding.count;
        if (finding.act) result["locations"] = Json::array({sarif_location(*finding.act)});
        if (finding.other) result["relatedLocations"] = Json::array({sarif_location(*finding.other)});
        results.push_back(std::move(result));
    }
    Json const driver{{"name", "warpsim"}, {"rules", rules}};
    Json const json{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                    {"version", "2.1.0"},
                    {"runs", Json::array({{{"tool", {{"driver", driver}}}, {"results", results}}})}};
    return text_of(json);
}

}  // namespace warpsim::check
