#include "runtime/report/report.hpp"
#include "runtime/report/warps.hpp"

#include "sim/error.hpp"
#include "sim/found_source.hpp"

#include <nlohmann/json.hpp>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace warpsim::report {

namespace {

using nlohmann::ordered_json;

std::string file_text(std::string const& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw Error(ErrorKind::usage, "cannot read '" + path + "': " + std::strerror(errno));
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Compressed or not.
std::string unpacked(std::string const& path) {
    gzFile const file = gzopen(path.c_str(), "rb");
    if (file == nullptr) throw Error(ErrorKind::usage, "cannot read '" + path + "': " + std::strerror(errno));
    std::string text;
    std::string part(1 << 20, 0);
    for (int got = 0; (got = gzread(file, part.data(), static_cast<unsigned>(part.size()))) > 0;)
        text.append(part, 0, static_cast<std::size_t>(got));
    gzclose(file);
    return text;
}

ordered_json parsed(std::string const& path, char const* schema) {
    ordered_json json = ordered_json::parse(file_text(path), nullptr, false);
    if (json.is_discarded()) throw Error(ErrorKind::usage, path + ": this is no JSON");
    if (json.value("schema", "") != schema)
        throw Error(ErrorKind::usage, path + ": the schema is not \"" + schema + "\"");
    return json;
}

/// "kernel.ptx" of "kernel.ptx:41"
std::string name_of(std::string const& place) { return place.substr(0, place.rfind(':')); }

/// "kernel.cu" of "kernel.cu:6", and of "math.h:12 inlined at kernel.cu:6" both.
std::vector<std::string> names_of(std::string const& places) {
    std::string const between = " inlined at ";
    std::vector<std::string> names;
    for (std::size_t at = 0; at < places.size();) {
        std::size_t const end = std::min(places.find(between, at), places.size());
        names.push_back(name_of(places.substr(at, end - at)));
        at = end + between.size();
    }
    return names;
}

/// The files that lines stand in, as far as they are found: from here, or beside the statistics.
void add_texts(Run& run, ordered_json const& lines, std::filesystem::path const& beside) {
    auto const add = [&](std::string const& name) {
        if (name.empty() || run.texts.contains(name)) return;
        for (std::filesystem::path const& path : {std::filesystem::path(name), beside / name}) {
            std::ifstream file(path, std::ios::binary);
            if (!file) continue;
            run.texts[name] = std::string(std::istreambuf_iterator<char>(file), {});
            return;
        }
    };
    for (ordered_json const& line : lines) {
        std::string const ptx = name_of(line.value("line", ""));
        add(ptx);
        for (std::string const& source : names_of(line.value("source", ""))) {
            if (source.empty() || run.texts.contains(source)) continue;
            add(source);
            std::string const found = sim::found_source(source, ptx);
            std::ifstream file(found, std::ios::binary);
            if (!run.texts.contains(source) && file)
                run.texts[source] = std::string(std::istreambuf_iterator<char>(file), {});
        }
    }
}

}  // namespace

Run read_run(std::string const& statistics, std::string const& profile, std::string const& timeline) {
    Run run;
    run.title = statistics;
    ordered_json const stats = parsed(statistics, "warpsim-stats/1");
    run.statistics = stats.dump();
    std::vector<std::string> overrides;
    if (stats.contains("overrides"))
        for (ordered_json const& one : stats["overrides"])
            if (one.is_string()) overrides.push_back(one.get<std::string>());
    try {
        run.peaks = peaks_of(sim::load_config(stats.value("config", ""), overrides));
    } catch (Error const&) {
        run.peaks.clear();  // a file's, which is not here
    }
    if (!profile.empty()) {
        ordered_json const json = parsed(profile, "warpsim-profile/1");
        if (json.at("launches").size() != stats.at("launches").size())
            throw Error(ErrorKind::usage, profile + " is of another run than " + statistics + ": it has " +
                                              std::to_string(json.at("launches").size()) + " launches, not " +
                                              std::to_string(stats.at("launches").size()));
        for (ordered_json const& launch : json.at("launches")) {
            run.lines.push_back(launch.dump());
            add_texts(run, launch.at("lines"), std::filesystem::path(statistics).parent_path());
        }
    }
    if (!timeline.empty()) run.warps = warps_of(unpacked(timeline));
    return run;
}

}  // namespace warpsim::report
