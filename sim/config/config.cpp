#include "sim/config/config.hpp"

#include "configs/embedded_configs.hpp"
#include "sim/config/check.hpp"
#include "sim/config/fields.hpp"
#include "sim/config/overrides.hpp"
#include "sim/config/resolve.hpp"
#include "sim/error.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <type_traits>

namespace warpsim::sim {

namespace {

constexpr std::array control_flows{ControlFlow::independent, ControlFlow::stack};

constexpr std::array matrix_sums{MatrixSum::aligned, MatrixSum::exact, MatrixSum::halves};
constexpr std::array undefineds{Undefined::hardware, Undefined::fault};
constexpr std::array bounds{Bounds::exact, Bounds::page};

constexpr auto const& all(ControlFlow) { return control_flows; }
constexpr auto const& all(Undefined) { return undefineds; }
constexpr auto const& all(Bounds) { return bounds; }
constexpr auto const& all(MatrixSum) { return matrix_sums; }

/// Fills a struct from a checked, complete document. What does not fit is a fault of the schema, not of the user.
class Reader {
public:
    explicit Reader(Json const& object) : object_(object) {}

    template <class T> void operator()(char const* key, T& member) {
        ++read_;
        read(object_.at(key), member);
    }

    template <class T> void operator()(char const* key, std::optional<T>& member) {
        if (object_.contains(key)) {
            (*this)(key, member.emplace());
        }
    }

    void finish(std::size_t others = 0) const {
        if (read_ + others != object_.size()) {
            throw std::logic_error("configuration schema: a key without a member in " + object_.dump());
        }
    }

private:
    static void read(Json const& value, bool& member) { member = value.get<bool>(); }
    static void read(Json const& value, double& member) { member = value.get<double>(); }
    static void read(Json const& value, std::string& member) { member = value.get<std::string>(); }

    static void read(Json const& value, std::uint32_t& member) { read_integer(value, member); }
    static void read(Json const& value, std::int32_t& member) { read_integer(value, member); }

    template <class T> static void read_integer(Json const& value, T& member) {
        std::int64_t const number = value.get<std::int64_t>();
        if (number < std::numeric_limits<T>::min() || number > std::numeric_limits<T>::max()) {
            throw std::logic_error("configuration schema: lets " + value.dump() + " through");
        }
        member = static_cast<T>(number);
    }

    static void read(Json const& value, std::vector<std::uint32_t>& member) {
        member.assign(value.size(), 0);
        for (std::size_t i = 0; i < member.size(); ++i) {
            read(value[i], member[i]);
        }
    }

    static void read(Json const& value, std::array<std::uint32_t, 3>& member) {
        for (std::size_t i = 0; i < member.size(); ++i) {
            read(value.at(i), member[i]);
        }
    }

    static void read(Json const& value, ComputeCapability& member) {
        std::string const text = value.get<std::string>();
        std::size_t const dot = text.find('.');
        member.major = static_cast<std::uint32_t>(std::stoul(text.substr(0, dot)));
        member.minor = static_cast<std::uint32_t>(std::stoul(text.substr(dot + 1)));
    }

    template <class T> static void read(Json const& value, T& member) {
        if constexpr (std::is_enum_v<T>) {
            for (T const candidate : all(T{})) {
                if (name(candidate) == value.get<std::string>()) {
                    member = candidate;
                    return;
                }
            }
            throw std::logic_error("configuration schema: lets " + value.dump() + " through");
        } else {
            Reader reader(value);
            fields(reader, member);
            reader.finish();
        }
    }

    Json const& object_;
    std::size_t read_ = 0;
};

/// Reading its text takes longer than checking a configuration against it.
Schema const& schema_of_configs() {
    static Schema const schema(config_schema());
    return schema;
}

/// The resolved document as a Config, consistent.
Config to_config(Resolved const& resolved) {
    Config config;
    config.name = resolved.name;
    Reader reader(*resolved.document);
    fields(reader, config);
    reader.finish(1);  // "sources"
    Problems problems;
    check_consistency(config, resolved.origin, problems);
    throw_problems(problems);
    return config;
}

std::string as_text(Json const& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// `one` and `other` are objects, or one of them is null where it leaves the object out.
void add_differences(Json const& one, Json const& other, std::string const& path,
                     std::vector<ConfigDifference>& differences) {
    Json const none;
    auto const compare = [&](std::string const& key) {
        Json const& a = one.is_object() && one.contains(key) ? one.at(key) : none;
        Json const& b = other.is_object() && other.contains(key) ? other.at(key) : none;
        std::string const inner = path.empty() ? key : path + "." + key;
        if (a.is_object() || b.is_object()) add_differences(a, b, inner, differences);
        else if (a != b)
            differences.push_back({inner, a.is_null() ? "" : as_text(a), b.is_null() ? "" : as_text(b)});
    };
    for (auto const& item : one.items()) compare(item.key());
    for (auto const& item : other.items())
        if (!one.is_object() || !one.contains(item.key())) compare(item.key());
}

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
    return (value + unit - 1) / unit * unit;
}

}  // namespace

std::string_view name(ControlFlow control_flow) {
    return control_flow == ControlFlow::stack ? "stack" : "independent";
}

std::string_view name(Undefined undefined) { return undefined == Undefined::fault ? "fault" : "hardware"; }

std::string_view name(Bounds bounds) { return bounds == Bounds::page ? "page" : "exact"; }

std::string_view name(MatrixSum sum) {
    return sum == MatrixSum::exact ? "exact" : sum == MatrixSum::halves ? "halves" : "aligned";
}

std::uint64_t SharedConfig::allocated_bytes(std::uint64_t bytes) const {
    return round_up(bytes + cta_reserved_bytes, allocation_unit_bytes);
}

std::uint32_t SmConfig::registers_per_warp(std::uint32_t registers_per_thread) const {
    return static_cast<std::uint32_t>(
        round_up(std::uint64_t{registers_per_thread} * 32, register_allocation_unit));
}

std::uint32_t SmConfig::gpc_count() const {
    return std::min(std::max(gpcs, 1u), (count + sms_per_tpc - 1) / sms_per_tpc);
}

std::uint32_t SmConfig::first_of_gpc(std::uint32_t gpc) const {
    std::uint64_t const tpcs = (count + sms_per_tpc - 1) / sms_per_tpc;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(gpc * tpcs / gpc_count() * sms_per_tpc, count));
}

double EnergyConfig::voltage(std::uint32_t clock_mhz) const {
    if (voltage_clocks_mhz.empty()) return 1;
    auto const percent = [&](std::size_t i) { return static_cast<double>(voltage_percents[i]) / 100; };
    auto const above = std::upper_bound(voltage_clocks_mhz.begin(), voltage_clocks_mhz.end(), clock_mhz);
    auto const i = static_cast<std::size_t>(above - voltage_clocks_mhz.begin());
    if (i == 0) return percent(0);
    if (i == voltage_clocks_mhz.size()) return percent(i - 1);
    double const from = voltage_clocks_mhz[i - 1], to = voltage_clocks_mhz[i];
    return percent(i - 1) + (percent(i) - percent(i - 1)) * (clock_mhz - from) / (to - from);
}

std::vector<std::string> Config::missing_timing_groups() const {
    std::vector<std::string> missing;
    auto const need = [&](bool there, char const* path) {
        if (!there) {
            missing.emplace_back(path);
        }
    };
    need(sm.shared.banks.has_value(), "sm.shared.banks");
    need(sm.front_end.has_value(), "sm.front_end");
    need(sm.register_file.has_value(), "sm.register_file");
    need(sm.dependences.has_value(), "sm.dependences");
    need(sm.units.has_value(), "sm.units");
    need(sm.lsu.has_value(), "sm.lsu");
    need(sm.l1.has_value(), "sm.l1");
    need(sm.constant.has_value(), "sm.constant");
    need(sm.synchronisation.has_value(), "sm.synchronisation");
    need(l2.slices.has_value(), "l2.slices");
    need(dram.channels.has_value(), "dram.channels");
    need(interconnect.has_value(), "interconnect");
    need(launch.has_value(), "launch");
    return missing;
}

Config load_config(std::string_view name_or_path, std::span<std::string const> overrides) {
    return to_config(resolve(schema_of_configs(), name_or_path, overrides));
}

void check_overrides(std::string_view name_or_path, std::span<std::string const> overrides) {
    resolve(schema_of_configs(), name_or_path, overrides);
}

std::string show_config(std::string_view name_or_path, std::span<std::string const> overrides) {
    Resolved const resolved = resolve(schema_of_configs(), name_or_path, overrides);
    to_config(resolved);
    // An override may hold any bytes; JSON text may not.
    return resolved.document->dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::vector<ConfigDifference> compare_configs(std::string_view first, std::string_view second,
                                              std::span<std::string const> overrides) {
    Resolved const a = resolve(schema_of_configs(), first, {});
    Resolved const b = resolve(schema_of_configs(), second, overrides);
    to_config(a);
    to_config(b);
    std::vector<ConfigDifference> differences;
    add_differences(*a.document, *b.document, "", differences);
    std::erase_if(differences, [](ConfigDifference const& d) { return d.key.starts_with("sources."); });
    return differences;
}

void validate_config(std::string_view name_or_path) { load_config(name_or_path); }

std::vector<ConfigSummary> builtin_configs() {
    std::vector<ConfigSummary> summaries;
    for (std::string const& builtin : builtin_names()) {
        Config const config = load_config(builtin);
        summaries.push_back({builtin, config.description, config.compute_capability, config.sm.count});
    }
    return summaries;
}

std::string_view config_schema() {
    for (EmbeddedConfig const& file : embedded_configs()) {
        if (file.file == "schema.json") {
            return file.text;
        }
    }
    throw std::logic_error("the configuration schema is not embedded");
}

}  // namespace warpsim::sim
