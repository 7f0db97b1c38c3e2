#include "runtime/capture/capture_folder.hpp"

#include "runtime/log.hpp"
#include "runtime/plan/packed_bytes.hpp"
#include "sim/demangled.hpp"
#include "sim/error.hpp"
#include "sim/hexadecimal.hpp"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>

namespace warpsim::capture {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using runtime::CapturedLaunch;

void write_text(fs::path const& path, std::string_view text) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << text;
    file.close();
    if (!file) throw Error(ErrorKind::usage, "cannot write '" + path.string() + "' (--capture)");
}

/// "0003-scale"
std::string folder_name(std::uint64_t number, std::string const& kernel) {
    constexpr std::size_t longest = 80;
    std::string name;
    std::string const shown = sim::short_names(sim::demangled(kernel)).back();
    for (char const c : shown)
        name += (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ? c : '_';
    char text[32];
    std::snprintf(text, sizeof text, "%04llu-", static_cast<unsigned long long>(number));
    return text + name.substr(0, longest);
}

std::string hex(std::span<std::byte const> bytes) {
    std::string text;
    for (std::byte const b : bytes) {
        char digits[4];
        std::snprintf(digits, sizeof digits, "%02x", std::to_integer<unsigned>(b));
        text += digits;
    }
    return text;
}

Json parts_json(std::vector<CapturedLaunch::Part> const& parts) {
    Json list = Json::array();
    for (CapturedLaunch::Part const& part : parts) list.push_back({part.at, part.bytes});
    return list;
}

Json launch_json(CapturedLaunch const& launch) {
    Json json{{"kernel", launch.kernel}, {"grid", launch.shape.grid}, {"block", launch.shape.block}};
    if (launch.shape.dynamic_shared != 0) json["shared"] = launch.shape.dynamic_shared;
    if (launch.shape.cluster[0] != 0) json["cluster"] = launch.shape.cluster;
    if (launch.shape.cooperative) json["cooperative"] = true;
    if (launch.registers != 0) json["registers"] = launch.registers;
    if (launch.max_registers != 0) json["max_registers"] = launch.max_registers;
    Json& args = json["args"] = Json::array();
    for (auto const& parameter : launch.parameters)
        args.push_back({{"hex", hex(launch.arguments.subspan(parameter.offset, parameter.size))}});
    return json;
}

std::vector<std::string> write_modules(fs::path const& folder, CapturedLaunch const& launch) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < launch.texts.size(); ++i) {
        names.push_back(launch.texts.size() == 1 ? "module.ptx" : "module" + std::to_string(i) + ".ptx");
        write_text(folder / names.back(), launch.texts[i].text);
    }
    return names;
}

Json write_memory(fs::path const& folder, CapturedLaunch const& launch) {
    std::vector<std::byte> before, after;
    Json regions = Json::array(), placement = Json::array();
    for (CapturedLaunch::Region const& region : launch.regions) {
        before.insert(before.end(), region.before.begin(), region.before.end());
        after.insert(after.end(), region.after.begin(), region.after.end());
        Json json{{"address", sim::hexadecimal(region.address)}, {"bytes", region.bytes}};
        json["touched"] = parts_json(region.touched);
        if (!region.written.empty()) json["written"] = parts_json(region.written);
        regions.push_back(std::move(json));
    }
    for (std::uint64_t const address : launch.placement) placement.push_back(sim::hexadecimal(address));
    plan::write_packed((folder / "before.npy.gz").string(), before);
    Json memory{{"before", "before.npy.gz"}};
    if (launch.status == sim::LaunchStatus::ok) {
        plan::write_packed((folder / "after.npy.gz").string(), after);
        memory["after"] = "after.npy.gz";
    }
    memory["regions"] = std::move(regions);
    memory["placement"] = std::move(placement);
    return memory;
}

}  // namespace

CaptureFolder::CaptureFolder(std::string folder, Run run) : folder_(std::move(folder)), run_(std::move(run)) {
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error || !fs::is_directory(folder_))
        throw Error(ErrorKind::usage, "cannot make the folder '" + folder_ + "' (--capture): " + error.message());
}

void CaptureFolder::write(CapturedLaunch const& launch) {
    std::lock_guard const lock(mutex_);
    std::uint64_t const number = next_++;
    if (!launch.why_not.empty()) {
        if (refused_.insert(launch.kernel).second)
            log::warning("launches of " + sim::demangled(launch.kernel) + " are not captured: " + launch.why_not);
        return;
    }
    fs::path const folder = fs::path(folder_) / folder_name(number, launch.kernel);
    std::error_code error;
    fs::create_directories(folder, error);
    std::vector<std::string> const modules = write_modules(folder, launch);
    Json plan{{"schema", "warpsim-plan/1"}};
    if (modules.size() == 1) plan["module"] = modules[0];
    else plan["modules"] = modules;
    plan["config"] = run_.config_effective.empty() ? run_.config : "./config.json";
    if (!run_.config_effective.empty()) write_text(folder / "config.json", run_.config_effective);
    plan["mode"] = run_.mode;
    plan["memory"] = write_memory(folder, launch);
    plan["launches"] = Json::array({launch_json(launch)});
    // The parts of memory are long lists of no interest to people.
    write_text(folder / "plan.json", plan.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
    ++written_;
    log::debug("captured: " + folder.string());
}

std::string CaptureFolder::summary() const {
    std::lock_guard const lock(mutex_);
    return std::to_string(written_) + (written_ == 1 ? " launch" : " launches") + " captured in " + folder_;
}

}  // namespace warpsim::capture
