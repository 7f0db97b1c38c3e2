// Check reports as JSON in our own form ("warpsim-check/1").
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

std::string dump(Json const& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace); }

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
    return dump(json) + "\n";
}

}  // namespace warpsim::check
