#include "sim/config/resolve.hpp"

#include "configs/embedded_configs.hpp"
#include "sim/config/config.hpp"
#include "sim/error.hpp"
#include "sim/nearest.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>

namespace warpsim::sim {

namespace {

namespace fs = std::filesystem;

// Far larger than any configuration; prevents /dev/zero and the like from filling the host's memory.
constexpr std::size_t largest_file = std::size_t{16} << 20;

constexpr std::string_view extension = ".json";

struct ConfigText {
    std::string label;               // its name in messages
    std::string name;                // the Config's name
    std::optional<fs::path> folder;  // folder of a file, to which its "base" is relative
    std::string identity;            // equal for two mentions of the same configuration
    std::string text;
};

EmbeddedConfig const* find_builtin(std::string_view name) {
    for (EmbeddedConfig const& file : embedded_configs()) {
        if (file.file != "schema.json" && file.file == std::string(name) + std::string(extension)) {
            return &file;
        }
    }
    return nullptr;
}

bool is_path(std::string_view reference) {
    return reference.find('/') != std::string_view::npos || reference.ends_with(extension);
}

ConfigText builtin(EmbeddedConfig const& file) {
    std::string const name(file.file.substr(0, file.file.size() - extension.size()));
    return {std::string(file.file), name, std::nullopt, "builtin:" + name, std::string(file.text)};
}

[[noreturn]] void unknown(std::string const& who, std::string_view reference) {
    std::string list;
    for (std::string const& name : builtin_names()) {
        list += (list.empty() ? "" : ", ") + name;
    }
    throw Error(ErrorKind::config, who + "no configuration '" + std::string(reference) +
                                       "': neither built in nor a file" +
                                       did_you_mean(reference, builtin_names()) + "\n  built in: " + list);
}

ConfigText read_file(std::string const& who, fs::path const& path) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
        throw Error(ErrorKind::config, who + path.string() + ": is a directory");
    }
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        throw Error(ErrorKind::config, who + path.string() + ": cannot be opened");
    }
    std::string text(largest_file + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    if (text.size() > largest_file) {
        throw Error(ErrorKind::config, who + path.string() + ": too large for a configuration");
    }
    fs::path const canonical = fs::weakly_canonical(path, error);
    return {path.string(), path.stem().string(), path.parent_path(), error ? path.string() : canonical.string(),
            text};
}

ConfigText find_source(std::string_view name_or_path) {
    if (EmbeddedConfig const* file = find_builtin(name_or_path)) {
        return builtin(*file);
    }
    fs::path const path{std::string(name_or_path)};
    std::error_code error;
    if (!is_path(name_or_path) && !fs::exists(path, error)) {
        unknown("", name_or_path);
    }
    return read_file("", path);
}

ConfigText find_base(ConfigText const& of, std::string const& reference) {
    std::string const who = of.label + ": base: ";
    if (is_path(reference)) {
        return read_file(who, of.folder.value_or(fs::path()) / reference);
    }
    if (EmbeddedConfig const* file = find_builtin(reference)) {
        return builtin(*file);
    }
    unknown(who, reference);
}

/// One contribution to a configuration, checked by itself so that messages name the file or option at fault.
struct Layer {
    Origin origin;
    Json document;
};

/// The file, then its base, and so on. Errors in any of them are added to `problems`.
std::vector<Layer> read_layers(Schema const& schema, ConfigText source, Problems& problems) {
    std::vector<Layer> layers;
    std::vector<std::string> chain;
    std::string names;
    while (true) {
        names += (names.empty() ? "" : " -> ") + source.label;
        if (std::find(chain.begin(), chain.end(), source.identity) != chain.end()) {
            problems.push_back(layers.front().origin.message("base", "inherits from itself: " + names));
            return layers;
        }
        chain.push_back(source.identity);
        Origin const origin{source.label, ""};
        Json document = parse_json(source.label, source.text, problems);
        if (document.is_discarded()) {
            return layers;
        }
        schema.check(document, origin, problems);
        std::optional<std::string> base;
        if (document.is_object() && document.contains("base") && document["base"].is_string()) {
            base = document["base"].get<std::string>();
        }
        layers.push_back({origin, std::move(document)});
        if (!base) {
            return layers;
        }
        try {
            source = find_base(source, *base);
        } catch (Error const& error) {
            problems.emplace_back(error.what());
            return layers;
        }
    }
}

std::vector<std::string> split(std::string_view path) {
    std::vector<std::string> keys;
    for (std::size_t begin = 0; begin <= path.size();) {
        std::size_t const end = std::min(path.find('.', begin), path.size());
        keys.emplace_back(path.substr(begin, end - begin));
        begin = end + 1;
    }
    return keys;
}

Json override_value(Schema const& schema, std::vector<std::string> const& keys, std::string const& text) {
    Json value = Json::parse(text, nullptr, false, true);
    bool const wants_string = schema.is_string(keys);
    if (value.is_discarded() || (wants_string && !value.is_string())) {
        return text;
    }
    return value;
}

std::optional<Layer> override_layer(Schema const& schema, std::string const& override_text, Problems& problems) {
    constexpr std::size_t deepest = 16;
    std::string const label = "--set " + override_text;
    std::size_t const equals = override_text.find('=');
    if (equals == std::string::npos || equals == 0) {
        problems.push_back(label + ": must be KEY=VALUE");
        return std::nullopt;
    }
    std::string const path = override_text.substr(0, equals);
    std::vector<std::string> const keys = split(path);
    if (keys.size() > deepest || std::find(keys.begin(), keys.end(), "") != keys.end()) {
        problems.push_back(label + ": '" + path + "' is not a path of keys");
        return std::nullopt;
    }
    if (keys.front() == "base") {
        problems.push_back(label + ": base cannot be set; choose the configuration instead");
        return std::nullopt;
    }
    Json document = override_value(schema, keys, override_text.substr(equals + 1));
    for (auto key = keys.rbegin(); key != keys.rend(); ++key) {
        Json outer = Json::object();
        outer[*key] = std::move(document);
        document = std::move(outer);
    }
    Layer layer{Origin{label, path}, std::move(document)};
    schema.check(layer.document, layer.origin, problems);
    return layer;
}

/// `replaced` collects the paths of values that are not objects.
void merge(Json& into, Json const& from, std::string const& path, std::vector<std::string>& replaced) {
    for (auto const& [key, value] : from.items()) {
        std::string const inner = path.empty() ? key : path + "." + key;
        if (value.is_object()) {
            Json& target = into[key];
            if (!target.is_object()) {
                target = Json::object();
            }
            merge(target, value, inner, replaced);
        } else {
            into[key] = value;
            replaced.push_back(inner);
        }
    }
}

/// A source describes the value beside it, so a value that is replaced takes its source with it.
void apply(Json& document, Layer const& layer) {
    Json const own = layer.document.value("sources", Json::object());
    std::vector<std::string> replaced;
    merge(document, layer.document, "", replaced);
    Json& sources = document["sources"];
    if (!sources.is_object()) {
        sources = Json::object();
    }
    for (std::string const& path : replaced) {
        if (path.starts_with("sources.")) {
            continue;
        }
        if (!layer.origin.key.empty()) {
            sources[path] = "--set";
        } else if (!own.contains(path)) {
            sources.erase(path);
        }
    }
}

bool sets(Json const& document, char const* pointer) { return document.contains(Json::json_pointer(pointer)); }

/// Shared memory is carved out of the storage of L1: where only that was made smaller, the carve-outs follow that no longer fit.
void fit_shared_memory(Json& document) {
    Json& shared = document["sm"]["shared"];
    std::uint64_t const kib = document["sm"]["l1"]["size_kib"];
    if (shared["size_kib"] <= kib) return;
    auto const set = [&](char const* key, Json value) {
        shared[key] = std::move(value);
        document["sources"][std::string("sm.shared.") + key] = "follows sm.l1.size_kib";
    };
    set("size_kib", kib);
    Json carve_outs = Json::array();
    for (Json const& one : shared["carve_outs_kib"])
        if (one < kib) carve_outs.push_back(one);
    carve_outs.push_back(kib);
    set("carve_outs_kib", std::move(carve_outs));
    std::uint64_t const reserved = (shared["cta_reserved_bytes"].get<std::uint64_t>() + 1023) / 1024;
    std::uint64_t const most = kib - std::min(reserved, kib);
    for (char const* key : {"cta_opt_in_kib", "cta_default_kib"})
        if (shared[key] > most) set(key, most);
}

}  // namespace

Resolved::Resolved() = default;
Resolved::Resolved(Resolved&&) noexcept = default;
Resolved& Resolved::operator=(Resolved&&) noexcept = default;
Resolved::~Resolved() = default;

void throw_problems(Problems const& problems) {
    if (problems.empty()) {
        return;
    }
    std::string text;
    for (std::string const& problem : problems) {
        text += (text.empty() ? "" : "\n") + problem;
    }
    throw Error(ErrorKind::config, text);
}

std::vector<std::string> builtin_names() {
    std::vector<std::string> names{std::string(default_config_name)};
    for (EmbeddedConfig const& file : embedded_configs()) {
        std::string const name(file.file.substr(0, file.file.size() - extension.size()));
        if (name != "schema" && name != default_config_name) {
            names.push_back(name);
        }
    }
    return names;
}

Resolved resolve(Schema const& schema, std::string_view name_or_path, std::span<std::string const> overrides) {
    ConfigText source = find_source(name_or_path);
    Resolved result;
    result.name = source.name;
    result.origin = {source.label, ""};
    Problems problems;
    std::vector<Layer> layers = read_layers(schema, std::move(source), problems);
    std::reverse(layers.begin(), layers.end());
    for (std::string const& text : overrides) {
        if (auto layer = override_layer(schema, text, problems)) {
            layers.push_back(std::move(*layer));
        }
    }
    throw_problems(problems);
    Json document = Json::object();
    bool l1_was_set_last = false;
    for (Layer const& layer : layers) {
        apply(document, layer);
        if (sets(layer.document, "/sm/shared")) l1_was_set_last = false;
        else if (sets(layer.document, "/sm/l1/size_kib")) l1_was_set_last = true;
    }
    document.erase("base");
    document.erase("$schema");
    for (std::string const& text : overrides) {
        // An inconsistency that an override causes is not the file's fault alone.
        result.origin.label += (&text == overrides.data() ? " with --set " : " --set ") + text;
    }
    schema.check_complete(document, result.origin, problems);
    throw_problems(problems);
    result.document = std::make_unique<Json>(schema.completed(document));
    if (l1_was_set_last) fit_shared_memory(*result.document);
    return result;
}

}  // namespace warpsim::sim
