#include "runtime/report/embedded_page.hpp"
#include "runtime/report/hints.hpp"
#include "runtime/report/report.hpp"

#include "sim/demangled.hpp"
#include "sim/error.hpp"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace warpsim::report {

namespace {

using nlohmann::ordered_json;

ordered_json parsed(std::string const& text, std::string const& what) {
    if (text.empty()) return nullptr;
    ordered_json json = ordered_json::parse(text, nullptr, false);
    if (json.is_discarded()) throw Error(ErrorKind::usage, what + " is no JSON");
    return json;
}

ordered_json data_of(Run const& run) {
    ordered_json data;
    data["title"] = run.title;
    ordered_json stats = parsed(run.statistics, run.title);
    ordered_json const peaks = parsed(run.peaks, run.title + ": the description of the GPU");
    ordered_json& launches = stats["launches"];
    if (!launches.is_array())
        throw Error(ErrorKind::usage, run.title + " has no statistics: it lacks \"launches\"");
    for (ordered_json& launch : launches) launch["name"] = sim::demangled(launch.value("kernel", ""));
    ordered_json lines = ordered_json::array(), hints = ordered_json::array();
    for (std::string const& of_launch : run.lines) lines.push_back(parsed(of_launch, run.title + ": its profile"));
    ordered_json const none;
    for (std::size_t i = 0; i < launches.size(); ++i)
        hints.push_back(hints_of(launches[i], i < lines.size() ? lines[i] : none, peaks));
    data["stats"] = std::move(stats);
    data["peaks"] = peaks;
    data["lines"] = std::move(lines);
    data["hints"] = std::move(hints);
    data["texts"] = run.texts;
    data["steps"] = parsed(run.steps, run.title + ": its steps");
    data["warps"] = parsed(run.warps, run.title + ": its timeline");
    data["findings"] = parsed(run.findings, run.title + ": its findings");
    return data;
}

}  // namespace

std::string page_of(std::vector<Run> const& runs) {
    ordered_json all = ordered_json::array();
    for (Run const& run : runs) all.push_back(data_of(run));
    std::string const json = all.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
    std::string data = "<script type=\"application/json\" id=\"data\">";
    // Nothing in the data may end the element.
    for (char const c : json) {
        if (c == '<') data += "\\u003c";
        else data += c;
    }
    data += "</script>";
    std::string page(embedded_page());
    std::string const place = "<!--DATA-->";
    return page.replace(page.find(place), place.size(), data);
}

void write_page(std::string const& path, std::vector<Run> const& runs) {
    std::string const page = page_of(runs);
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << page;
    file.flush();
    if (!file) throw Error(ErrorKind::usage, "cannot write the report to '" + path + "': " + std::strerror(errno));
}

std::string peaks_of(sim::Config const& config) {
    ordered_json json;
    json["config"] = config.name;
    json["product"] = config.product;
    json["compute_capability"] =
        std::to_string(config.compute_capability.major) + "." + std::to_string(config.compute_capability.minor);
    json["clock_mhz"] = config.clock_mhz;
    json["sms"] = config.sm.count;
    json["sub_cores"] = config.sm.sub_cores;
    json["max_warps"] = config.sm.max_warps;
    json["max_ctas"] = config.sm.max_ctas;
    json["registers"] = config.sm.registers;
    json["shared_bytes"] = config.sm.shared.size_bytes();
    sim::SharedBanksConfig const banks = config.sm.shared.banks.value_or(sim::SharedBanksConfig{});
    json["banks"] = banks.count;
    json["bank_bytes"] = banks.width_bytes;
    json["dram_bytes_per_second"] = config.dram.bytes_per_second();
    double const hertz = 1e6 * config.clock_mhz * config.sm.count;
    if (config.l2.slices)
        json["l2_bytes_per_cycle"] = std::uint64_t{config.l2.slices->bytes_per_cycle} * config.l2.slices->count;
    if (config.sm.l1) json["l1_bytes_per_cycle"] = std::uint64_t{config.sm.l1->bytes_per_cycle} * config.sm.count;
    if (!config.sm.units) return json.dump();
    // Multiply-adds of all lanes.
    auto const flops = [&](sim::UnitConfig const& unit, double lanes) {
        double const interval = unit.issue_interval_cycles == 0 ? 1 : unit.issue_interval_cycles;
        return 2 * lanes * (unit.per_sm ? 1 : config.sm.sub_cores) / interval * hertz;
    };
    sim::UnitsConfig const& units = *config.sm.units;
    json["fp32_flops"] = flops(units.fma, 32);
    json["fp64_flops"] = flops(units.fp64, 32);
    json["fp16_flops"] = flops(units.fp16, 64);
    if (units.tensor) json["tensor_fp16_flops"] = 2.0 * units.tensor->fp16_fma_per_cycle * hertz;
    return json.dump();
}

}  // namespace warpsim::report
