#include "runtime/embed/modules.hpp"

#include "runtime/statistics/statistics.hpp"
#include "sim/config/config.hpp"
#include "sim/demangled.hpp"
#include "sim/error.hpp"
#include "sim/nearest.hpp"

#include <algorithm>

namespace warpsim::embed {

std::string demangled(std::string const& kernel) { return sim::demangled(kernel); }

std::string kernel_named(runtime::Module const& module, std::string const& name) {
    if (module.has_kernel(name)) return name;
    std::vector<std::string> const kernels = module.kernels();
    std::vector<std::string> found, known;
    for (std::string const& kernel : kernels) {
        std::string const whole = sim::demangled(kernel);
        std::vector<std::string> const names = sim::short_names(whole);
        known.insert(known.end(), names.begin(), names.end());
        if (whole == name || std::find(names.begin(), names.end(), name) != names.end()) found.push_back(kernel);
    }
    if (found.size() == 1) return found.front();
    if (found.empty()) {
        known.insert(known.end(), kernels.begin(), kernels.end());
        std::sort(known.begin(), known.end());
        known.erase(std::unique(known.begin(), known.end()), known.end());
        std::string hint = sim::did_you_mean(name, known);
        if (hint.empty())
            for (std::string const& kernel : kernels)
                hint += (hint.empty() ? "; there are " : ", ") + sim::demangled(kernel);
        throw Error(ErrorKind::usage, "there is no kernel '" + name + "'" + hint);
    }
    std::string text = "'" + name + "' may be any of";
    for (std::string const& kernel : found) text += "\n  " + kernel + "  " + sim::demangled(kernel);
    throw Error(ErrorKind::usage, text);
}

std::string attributes_of(Device& device, runtime::Module& module, std::string const& kernel) {
    runtime::KernelAttributes const a = device.device().attributes(module, kernel);
    std::string text = "{";
    auto const add = [&](char const* name, std::uint64_t value) {
        text += (text.size() == 1 ? "\"" : ", \"") + std::string(name) + "\": " + std::to_string(value);
    };
    add("registers_per_thread", a.registers_per_thread);
    add("shared_bytes", a.shared_bytes);
    add("local_bytes", a.local_bytes);
    add("constant_bytes", a.constant_bytes);
    add("parameter_bytes", a.parameter_bytes);
    add("max_threads_per_cta", a.max_threads_per_cta);
    add("target", static_cast<std::uint64_t>(a.target));
    add("version", static_cast<std::uint64_t>(a.version));
    return text + "}";
}

std::vector<std::pair<std::string, std::string>> configs() {
    std::vector<std::pair<std::string, std::string>> all;
    for (sim::ConfigSummary const& one : sim::builtin_configs()) all.emplace_back(one.name, one.description);
    return all;
}

std::string config_of(std::string const& config, std::vector<std::string> const& overrides) {
    return statistics::on_one_line(sim::show_config(config, overrides));
}

}  // namespace warpsim::embed
