// A report as our own JSON.
#include "runtime/coverage/report.hpp"
#include "sim/demangled.hpp"
#include "sim/error.hpp"

#include <nlohmann/json.hpp>

namespace warpsim::coverage {

namespace {

using Json = nlohmann::ordered_json;

constexpr char const* schema = "warpsim-coverage/1";

Json to_json(FileKey const& key, File const& file) {
    Json json{{"file", key.name}, {"kind", key.is_ptx() ? "ptx" : "source"}};
    if (key.is_ptx()) json["digest"] = key.digest;
    json["lines"] = Json::array();
    for (auto const& [line, count] : file.lines) {
        Json one{{"line", line}, {"warps", count.warps}, {"lanes", count.lanes}};
        if (auto const text = file.texts.find(line); text != file.texts.end()) one["text"] = text->second;
        json["lines"].push_back(std::move(one));
    }
    json["functions"] = Json::array();
    for (auto const& [name, function] : file.functions)
        json["functions"].push_back({{"name", name},
                                     {"demangled", sim::demangled(name)},
                                     {"line", function.line},
                                     {"inlined", function.is_inlined},
                                     {"warps", function.count.warps},
                                     {"lanes", function.count.lanes}});
    json["branches"] = Json::array();
    for (auto const& [place, branch] : file.branches)
        json["branches"].push_back({{"line", place.first},
                                    {"branch", place.second},
                                    {"warps", branch.warps},
                                    {"divergent", branch.divergent},
                                    {"taken", branch.taken},
                                    {"not_taken", branch.not_taken}});
    return json;
}

std::uint32_t line_of(Json const& json) { return json.at("line").get<std::uint32_t>(); }

File read(Json const& json) {
    File file;
    for (Json const& one : json.at("lines")) {
        file.lines[line_of(one)] = {one.at("warps"), one.at("lanes")};
        if (one.contains("text")) file.texts[line_of(one)] = one.at("text");
    }
    for (Json const& one : json.at("functions"))
        file.functions[one.at("name")] = {line_of(one), one.at("inlined"), {one.at("warps"), one.at("lanes")}};
    for (Json const& one : json.at("branches"))
        file.branches[{line_of(one), one.at("branch").get<std::uint32_t>()}] = {
            one.at("warps"), one.at("divergent"), one.at("taken"), one.at("not_taken")};
    return file;
}

}  // namespace

std::string to_json(Report const& report) {
    Json json{{"schema", schema}, {"runs", report.runs}, {"launches", report.launches}, {"files", Json::array()}};
    for (auto const& [key, file] : report.files) json["files"].push_back(to_json(key, file));
    return json.dump(1) + "\n";
}

Report from_json(std::string const& name, std::string const& text) {
    try {
        Json const json = Json::parse(text);
        if (json.value("schema", "") != schema) throw Error(ErrorKind::usage, "");
        Report report{json.at("runs"), json.at("launches"), {}};
        for (Json const& one : json.at("files"))
            report.files[{one.at("file"), one.value("digest", "")}] = read(one);
        return report;
    } catch (std::exception const&) {
        throw Error(ErrorKind::usage,
                    "'" + name + "' is there and is no coverage that could be added to (" + schema + ")");
    }
}

}  // namespace warpsim::coverage
