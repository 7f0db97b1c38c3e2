#include "runtime/statistics/schema.hpp"

#include "runtime/statistics/key_rows.hpp"
#include "runtime/statistics/statistics.hpp"
#include "sim/fault_kind.hpp"

#include <nlohmann/json.hpp>

#include <map>

namespace warpsim::statistics {

namespace {

using Schema = nlohmann::ordered_json;
using Meanings = std::map<std::string, std::string>;

constexpr char const* draft = "https://json-schema.org/draft/2020-12/schema";

template <class S> void add_meanings(Meanings& meanings) {
    each_key<S>([&](KeyRow const& row) {
        std::string text(row.unit);
        if (!row.meaning.empty()) text += (text.empty() ? "" : ": ") + std::string(row.meaning);
        meanings[row.key] = text;
    });
}

std::string meaning_of(Meanings const& meanings, std::string const& key) {
    auto found = meanings.find(key);
    if (found == meanings.end()) found = meanings.find(key.substr(0, key.rfind('.')) + ".*");
    return found == meanings.end() ? "" : found->second;
}

/// The schema of values like this one, in which each ratio is null as nothing was counted.
Schema schema_of(Schema const& value, Meanings const& meanings, std::string const& key) {
    Schema schema;
    if (value.is_object()) {
        schema["type"] = "object";
        schema["additionalProperties"] = false;
        schema["required"] = Schema::array();
        for (auto const& [name, inner] : value.items()) {
            schema["properties"][name] = schema_of(inner, meanings, key.empty() ? name : key + "." + name);
            schema["required"].push_back(name);
        }
        return schema;
    }
    if (value.is_array()) {
        schema = {{"type", "array"}, {"items", schema_of(value.front(), {}, "")}};
        schema["minItems"] = schema["maxItems"] = value.size();
    } else if (value.is_number_integer()) {
        schema = {{"type", "integer"}, {"minimum", 0}};
    } else if (value.is_boolean()) {
        schema["type"] = "boolean";
    } else if (value.is_null()) {
        schema["type"] = {"number", "null"};
    } else {
        schema["type"] = value.is_string() ? "string" : "number";
    }
    if (std::string const text = meaning_of(meanings, key); !text.empty()) schema["description"] = text;
    return schema;
}

/// Counts that a run need not make are null then.
void allow_null(Schema& schema) {
    for (auto& [name, inner] : schema["properties"].items())
        if (inner["type"].is_string()) inner["type"] = {inner["type"], "null"};
}

Schema launch_schema() {
    Meanings meanings;
    add_meanings<sim::LaunchStatistics>(meanings);
    sim::LaunchStatistics launch;
    launch.memory.counted = true;
    Schema functional = schema_of(Schema::parse(to_json(launch)), meanings, "");
    allow_null(functional["properties"]["memory"]);
    functional["properties"]["status"]["enum"] = {"ok", "fault", "interrupted"};
    Schema const always = functional["required"];

    add_meanings<sim::TimingCounts>(meanings);
    sim::TimingCounts& timing = launch.timing.emplace();
    timing.clock_mhz = 1;
    timing.energy.counted = true;
    timing.sampling.counted = true;
    timing.units.push_back({});
    timing.units.back().name = "*";
    timing.interval_cycles = 1;
    timing.intervals.push_back({});
    Schema const example = Schema::parse(to_json(launch));
    Schema schema = schema_of(example, meanings, "");
    schema["required"] = always;
    for (auto const& [name, inner] : functional["properties"].items()) schema["properties"][name] = inner;
    allow_null(schema["properties"]["sampling"]);
    Schema& units = schema["properties"]["units"];
    units = {{"type", "object"}, {"additionalProperties", units["properties"]["*"]}};
    for (auto const& name : example.items())
        if (!functional["properties"].contains(name.key()) && name.key() != "cycles" &&
            name.key() != "intervals" && name.key() != "energy")
            schema["dependentRequired"]["cycles"].push_back(name.key());

    Meanings samples;
    add_meanings<sim::ReportedSample>(samples);
    Schema& sample = schema["properties"]["intervals"]["properties"]["samples"];
    sample = {{"type", "array"}, {"items", schema_of(example["intervals"]["samples"].front(), samples, "")}};
    schema["properties"]["intervals"]["description"] = "with --interval";
    return schema;
}

Schema line_schema() {
    return Schema::parse(R"({"type": "object", "required": ["file", "line"], "additionalProperties": false,
        "properties": {"file": {"type": "string"}, "line": {"type": "integer", "minimum": 1}, "text": {"type": "string"}}})");
}

Schema fault_schema() {
    Schema schema = Schema::parse(R"({
        "description": "what ended the run, if something did",
        "type": "object", "required": ["kind", "message", "kernel", "demangled", "launch"], "additionalProperties": false,
        "properties": {
            "kind": {"enum": []},
            "message": {"type": "string"},
            "kernel": {"type": "string", "description": "as in PTX"},
            "demangled": {"type": "string"},
            "launch": {"type": "integer", "minimum": 0, "description": "of the process, from 0"},
            "space": {"type": "string"},
            "address": {"type": "integer", "minimum": 0},
            "bytes": {"type": "integer", "minimum": 0},
            "block": {"type": "array", "items": {"type": "integer"}, "minItems": 3, "maxItems": 3},
            "thread": {"type": "array", "items": {"type": "integer"}, "minItems": 3, "maxItems": 3},
            "source": {}, "ptx": {},
            "warp": {"type": "integer", "minimum": 0, "description": "of the block"},
            "lane": {"type": "integer", "minimum": 0, "maximum": 31},
            "sm": {"type": "integer", "minimum": 0, "description": "in timing mode"},
            "allocation": {"type": "object", "description": "the nearest to the address",
                "required": ["address", "bytes"], "additionalProperties": false,
                "properties": {"address": {"type": "integer"}, "bytes": {"type": "integer"}}},
            "details": {"type": "string", "description": "further lines: who waits where, the calls that led here"}
        }})");
    for (std::size_t kind = 0; kind <= static_cast<std::size_t>(FaultKind::undefined_value); ++kind)
        schema["properties"]["kind"]["enum"].push_back(warpsim::name(static_cast<FaultKind>(kind)));
    schema["properties"]["source"] = schema["properties"]["ptx"] = line_schema();
    return schema;
}

}  // namespace

std::string schema() {
    Schema schema = Schema::parse(R"({
        "type": "object",
        "required": ["schema", "version", "command", "config", "overrides", "config_effective", "mode", "launches", "host", "status"],
        "additionalProperties": false,
        "properties": {
            "schema": {"const": "warpsim-stats/1"},
            "version": {"type": "string", "description": "of warpsim"},
            "command": {"type": "string", "description": "the process's words"},
            "config": {"type": "string", "description": "the configuration's name"},
            "overrides": {"type": "array", "items": {"type": "string"}, "description": "KEY=VALUE, a plan's first"},
            "config_effective": {"type": ["object", "null"], "description": "every key of the configuration, as warpsim config show prints it"},
            "plan_sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
            "mode": {"enum": ["functional", "timing"]},
            "launches": {"type": "array"},
            "host": {"type": "object", "required": ["threads", "seconds"], "additionalProperties": false, "properties": {
                "threads": {"type": "integer", "minimum": 1}, "seconds": {"type": "number", "minimum": 0}}},
            "engine": {"type": "object", "required": ["compiled_share"], "additionalProperties": false, "properties": {
                "compiled_share": {"type": ["number", "null"], "description": "of warp instructions, by native code"}}},
            "module_sha256": {"type": ["string", "array"], "items": {"type": "string"},
                "description": "of the PTX that kernels came from; a list of several modules"},
            "status": {"enum": ["ok", "fault", "interrupted"]}
        }})");
    Schema whole{{"$schema", draft}, {"title", "warpsim-stats/1"}};
    whole.update(schema);
    whole["properties"]["launches"]["items"] = launch_schema();
    whole["properties"]["fault"] = fault_schema();
    return whole.dump(2) + "\n";
}

std::string profile_schema() {
    Schema schema = Schema::parse(R"({
        "type": "object", "required": ["schema", "launches"], "additionalProperties": false,
        "properties": {
            "schema": {"const": "warpsim-profile/1"},
            "launches": {"type": "array", "items": {
                "type": "object", "required": ["kernel", "cycles", "micro_ops", "lines", "sources"], "additionalProperties": false,
                "properties": {
                    "kernel": {"type": "string"},
                    "cycles": {"type": "integer", "minimum": 0},
                    "micro_ops": {"type": "integer", "minimum": 0},
                    "lines": {"type": "array", "description": "of PTX"},
                    "sources": {"type": "array", "description": "lines of the source, where the PTX names them"}}}}
        }})");
    Meanings meanings;
    add_meanings<sim::LineProfile>(meanings);
    Schema lines{{"executed", {}}, {"threads", {}}, {"threads_guarded", {}}, {"divergent", {}}, {"micro_ops", {}}};
    for (auto& [key, value] : lines.items())
        value = {{"type", "integer"}, {"minimum", 0}, {"description", meanings[key]}};
    auto const counts_of = [](std::vector<char const*> const& keys) {
        Schema object{{"type", "object"}, {"additionalProperties", false}, {"required", keys}};
        for (char const* const key : keys) object["properties"][key] = {{"type", "integer"}};
        return object;
    };
    lines["global"] = counts_of({"requests", "lanes", "bytes", "sectors"});
    lines["global"]["description"] = "accesses to global and local memory; distance: between neighbouring lanes";
    lines["global"]["properties"]["distance"] = counts_of({"bytes", "requests"});
    lines["shared"] = counts_of({"requests", "conflicts"});
    Schema& stalls = lines["stall_warp_cycles"];
    stalls = {
        {"type", "object"}, {"additionalProperties", false}, {"description", meanings["stall_warp_cycles.*"]}};
    for (std::size_t reason = 0; reason < sim::stall_reasons; ++reason)
        stalls["properties"][std::string(sim::stall_name(reason))] = {{"type", "integer"}, {"minimum", 1}};
    Schema const text{{"type", "string"}};
    Schema line{{"type", "object"}, {"additionalProperties", false}, {"properties", lines}};
    line["required"] = {"executed", "threads", "threads_guarded", "divergent", "micro_ops", "stall_warp_cycles"};
    Schema source = line;
    for (char const* const key : {"function", "line", "text", "source"}) line["properties"][key] = text;
    for (char const* const key : {"function", "line", "text"}) line["required"].push_back(key);
    source["properties"]["source"] = text;
    source["required"].push_back("source");
    Schema& launch = schema["properties"]["launches"]["items"]["properties"];
    launch["lines"]["items"] = line;
    launch["sources"]["items"] = source;
    Schema whole{{"$schema", draft}, {"title", "warpsim-profile/1"}};
    whole.update(schema);
    return whole.dump(2) + "\n";
}

}  // namespace warpsim::statistics
