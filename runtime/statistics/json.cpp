#include "runtime/statistics/statistics.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>

namespace warpsim::statistics {

namespace {

using nlohmann::ordered_json;

ordered_json ratio(double dividend, std::uint64_t divisor) {
    if (divisor == 0) return nullptr;
    return dividend / static_cast<double>(divisor);
}

std::string dump(ordered_json const& value, int indent) {
    return value.dump(indent, ' ', false, ordered_json::error_handler_t::replace);
}

ordered_json class_counts(sim::InstructionCounts const& counts) {
    ordered_json by_class = ordered_json::object();
    for (std::size_t c = 0; c < counts.by_class.size(); ++c)
        by_class[std::string(isa::name(static_cast<isa::InstructionClass>(c)))] = counts.by_class[c];
    return by_class;
}

// A count that nobody made is null, not zero.
ordered_json memory_counts(sim::MemoryCounts const& m) {
    auto const counted = [&](std::uint64_t n) { return m.counted ? ordered_json(n) : ordered_json(nullptr); };
    ordered_json memory;
    memory["global_sectors_per_request"] =
        m.counted ? ratio(static_cast<double>(m.global_sectors), m.global_requests) : ordered_json(nullptr);
    memory["shared_bank_conflicts"] = counted(m.shared_bank_conflicts);
    memory["global_requests"] = counted(m.global_requests);
    memory["global_sectors"] = counted(m.global_sectors);
    memory["shared_requests"] = counted(m.shared_requests);
    return memory;
}

}  // namespace

std::string to_json(sim::LaunchStatistics const& launch) {
    sim::InstructionCounts const& counts = launch.instructions;
    ordered_json json;
    json["kernel"] = launch.kernel;
    json["grid"] = launch.grid;
    json["block"] = launch.block;
    json["dynamic_shared"] = launch.dynamic_shared;
    json["registers_per_thread"] = launch.registers_per_thread;
    json["shared_per_cta"] = launch.shared_per_cta;
    json["instructions"] = {{"warp", counts.warp},
                            {"thread", counts.thread},
                            {"thread_guarded", counts.thread_guarded},
                            {"by_class", class_counts(counts)}};
    json["simt_efficiency"] = ratio(static_cast<double>(counts.thread) / 32, counts.warp);
    json["branches"] = {{"total", launch.branches.total}, {"divergent", launch.branches.divergent}};
    json["memory"] = memory_counts(launch.memory);
    json["host_seconds"] = launch.host_seconds;
    return dump(json, 2);
}

std::string json_string(std::string_view value) { return dump(ordered_json(std::string(value)), -1); }

}  // namespace warpsim::statistics
