// Check reports as SARIF 2.1.0, which code hosts show beside the source.
#include "runtime/check/findings/act.hpp"
#include "runtime/check/findings/report.hpp"
#include "runtime/check/findings/workspace.hpp"
#include "sim/demangled.hpp"

#include <nlohmann/json.hpp>

#include <string_view>

namespace warpsim::check {

namespace {

using Json = nlohmann::ordered_json;

std::string_view description(Kind kind) {
    switch (kind) {
        case Kind::memory: return "Accesses of memory that is not there";
        case Kind::race: return "Accesses of several threads to the same bytes in no order";
        case Kind::init: return "Values that nobody has written and that matter";
        case Kind::sync: return "Barriers, masks and asynchronous copies that are used wrongly";
        case Kind::leak: return "Memory and objects that are left at the end";
        case Kind::api: return "CUDA calls that failed and were not looked at";
    }
    return {};
}

/// A file as a reference that RFC 3986 allows; relative ones are of the folder that the code host knows.
std::string uri_of(std::string const& file) {
    constexpr std::string_view allowed = "/-._~!$&'()*+,=@";
    std::string uri = file.starts_with('/') ? "file://" : "";
    for (char const c : file) {
        bool const is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                              allowed.find(c) != std::string_view::npos;
        if (is_plain) {
            uri += c;
            continue;
        }
        constexpr char digits[] = "0123456789ABCDEF";
        auto const byte = static_cast<unsigned char>(c);
        uri += {'%', digits[byte >> 4], digits[byte & 15]};
    }
    return uri;
}

/// The source if it is known, else the PTX.
Json location_of(Act const& act, std::string const& kernel) {
    Line const& line = act.source ? act.source : act.ptx;
    Json json = Json::object();
    if (line) {
        Json& place = json["physicalLocation"];
        place["artifactLocation"] = {{"uri", uri_of(in_workspace(line.file, act.ptx.file))}};
        // What a compiler has added is of line 0, which no text has.
        if (line.number != 0) place["region"] = {{"startLine", line.number}};
    }
    if (!kernel.empty() && act.thread) {
        std::string const whole = sim::demangled(kernel);
        json["logicalLocations"] = Json::array({{{"name", sim::abbreviated(whole)},
                                                 {"fullyQualifiedName", whole},
                                                 {"decoratedName", kernel},
                                                 {"kind", "function"}}});
    }
    json["message"] = {{"text", who(act) + " " + act.verb + (act.value ? " " + *act.value : "")}};
    return json;
}

Json result_of(Finding const& finding) {
    Json result{{"ruleId", name(finding.kind)}, {"level", finding.is_benign ? "warning" : "error"}};
    std::string text = finding.message;
    for (std::string const& note : finding.notes) text += "\n" + note;
    result["message"] = {{"text", text}};
    result["occurrenceCount"] = finding.count;
    if (finding.act) result["locations"] = Json::array({location_of(*finding.act, finding.kernel)});
    if (finding.other) result["relatedLocations"] = Json::array({location_of(*finding.other, "")});
    return result;
}

}  // namespace

std::string to_sarif(Run const& run, std::vector<Finding> const& findings) {
    Json rules = Json::array();
    for (Kind const kind : run.checked)
        rules.push_back({{"id", name(kind)}, {"shortDescription", {{"text", description(kind)}}}});
    Json results = Json::array();
    for (Finding const& finding : findings) results.push_back(result_of(finding));
    Json const driver{{"name", "warpsim"}, {"rules", rules}};
    Json const json{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                    {"version", "2.1.0"},
                    {"runs", Json::array({{{"tool", {{"driver", driver}}}, {"results", results}}})}};
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace warpsim::check
