#include "runtime/sweep/point_list.hpp"

#include "runtime/plan/plan.hpp"
#include "runtime/sha256.hpp"
#include "sim/config/config.hpp"
#include "sim/config/overrides.hpp"
#include "sim/error.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace warpsim::sweep {

namespace {

namespace fs = std::filesystem;

std::string contents(std::string const& path) {
    std::ifstream file(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    if (!file) throw Error(ErrorKind::usage, path + ": cannot be read");
    return text;
}

/// Of parts that a different cut makes different texts of.
std::string hash_of(std::vector<std::string> const& parts) {
    std::string all;
    for (std::string const& part : parts) all += std::to_string(part.size()) + ":" + part;
    return runtime::sha256(all);
}

struct ReadPlan {
    std::string file;
    plan::LaunchPlan plan;
    std::string hash;  // of it and all files that it reads
    std::vector<std::string> files;
};

ReadPlan read(std::string const& file) {
    std::string const text = contents(file);
    ReadPlan read{file, plan::read_plan(file, text), "", {}};
    std::set<std::string> files(read.plan.modules.begin(), read.plan.modules.end());
    for (plan::Array const& array : read.plan.arrays) files.insert(array.init.file);
    for (plan::Expectation const& expectation : read.plan.expectations) files.insert(expectation.want.file);
    if (read.plan.memory) files.insert({read.plan.memory->before, read.plan.memory->after});
    std::vector<std::string> parts{text};
    // What is missing is for the run to complain of.
    read.files.push_back(file);
    for (std::string const& other : files) {
        if (!fs::is_regular_file(other)) continue;
        parts.insert(parts.end(), {other, runtime::sha256(contents(other))});
        read.files.push_back(other);
    }
    read.hash = hash_of(parts);
    return read;
}

std::string config_of(Options const& options, plan::LaunchPlan const& plan) {
    if (!options.config.empty()) return options.config;
    return plan.config.empty() ? std::string(sim::default_config_name) : plan.config;
}

/// Each value alone has to be what the configuration takes, whichever others it goes together with.
void check_values(Options const& options, plan::LaunchPlan const& plan) {
    std::vector<std::string> fixed = plan.overrides;
    fixed.insert(fixed.end(), options.overrides.begin(), options.overrides.end());
    std::vector<std::string> configs{config_of(options, plan)};
    for (Axis const& axis : options.axes)
        if (axis.key == config_key) configs = axis.values;
    for (std::string const& config : configs) {
        sim::check_overrides(config, fixed);
        for (Axis const& axis : options.axes) {
            if (axis.key == config_key) continue;
            for (std::string const& value : axis.values) {
                std::vector<std::string> with = fixed;
                with.push_back(axis.key + "=" + value);
                sim::check_overrides(config, with);
            }
        }
    }
}

PlannedPoint planned(Options const& options, ReadPlan const& read, Point const& point) {
    std::string config = config_of(options, read.plan);
    std::vector<std::string> set = options.overrides;
    for (std::size_t i = 0; i < point.size(); ++i) {
        if (options.axes[i].key == config_key) config = point[i];
        else set.push_back(options.axes[i].key + "=" + point[i]);
    }
    std::string mode = options.mode.empty() ? read.plan.mode : options.mode;
    if (mode.empty()) mode = "timing";
    PlannedPoint made;
    made.head.plan = read.file;
    std::vector<std::string> files = read.files;
    if (fs::is_regular_file(config)) files.push_back(config);
    made.files = std::make_shared<std::vector<std::string> const>(std::move(files));
    made.head.values = point;
    std::vector<std::string> all = read.plan.overrides;
    all.insert(all.end(), set.begin(), set.end());
    std::string effective;
    try {
        effective = sim::show_config(config, all);
    } catch (Error const& error) {
        made.refusal = first_error(std::string(error.what()));
        effective = made.refusal;
    }
    std::vector<std::string> parts{options.build, read.file, read.hash, effective, mode};
    parts.insert(parts.end(), point.begin(), point.end());
    parts.insert(parts.end(), options.others.begin(), options.others.end());
    made.head.id = hash_of(parts).substr(0, 16);
    made.command = options.worker;
    made.command.insert(made.command.end(), {read.file, "--config", config, "--mode", mode, "--threads",
                                             std::to_string(options.threads), "--progress", "off"});
    for (std::string const& one : set) made.command.insert(made.command.end(), {"--set", one});
    made.command.insert(made.command.end(), options.others.begin(), options.others.end());
    return made;
}

}  // namespace

std::vector<std::string> plans_at(std::string const& path) {
    if (!fs::is_directory(path)) return {path};
    fs::path const own = fs::path(path) / "plan.json";
    if (fs::exists(own)) return {own.string()};
    std::vector<std::string> found;
    for (fs::directory_entry const& entry : fs::directory_iterator(path))
        if (fs::exists(entry.path() / "plan.json")) found.push_back((entry.path() / "plan.json").string());
    std::sort(found.begin(), found.end());
    if (found.empty()) throw Error(ErrorKind::usage, path + ": there is no plan.json in it or in its folders");
    return found;
}

std::vector<PlannedPoint> planned_points(Options const& options) {
    std::vector<PlannedPoint> all;
    std::vector<Point> const combinations = points(options.axes, options.sampling);
    std::set<std::string> files;
    for (std::string const& path : options.plans) {
        for (std::string const& file : plans_at(path)) {
            if (!files.insert(file).second) throw Error(ErrorKind::usage, file + ": the plan is named twice");
            ReadPlan const plan = read(file);
            check_values(options, plan.plan);
            for (Point const& point : combinations) all.push_back(planned(options, plan, point));
        }
    }
    return all;
}

}  // namespace warpsim::sweep
