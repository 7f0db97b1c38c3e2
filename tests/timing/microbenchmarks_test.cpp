// The microbenchmarks of benchmarks/validation/micro, except those that take long: no result may be further from
// the published one than benchmarks.json says.
#include "runtime/device.hpp"
#include "runtime/statistics/statistics.hpp"
#include "sim/config/config.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdint>
#include <fstream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace microbenchmarks_test {

using namespace warpsim;
using Json = nlohmann::json;

namespace {

std::string const folder = WARPSIM_SOURCE_DIR "/benchmarks/validation/micro/";

/// A GPU, with the modules that were asked for.
class Bench {
public:
    Bench(std::string const& config, Json const& settings)
        : device_(sim::load_config(config, overrides(settings)), options()) {}

    /// The measured value, by the keys of the group, the benchmark and the published value.
    double run(Json const& keys) {
        std::uint64_t const data_bytes = keys.value("data_bytes", std::uint64_t{0});
        data_ = data_bytes == 0 ? 0 : device_.allocate(data_bytes);
        out_ = device_.allocate(64);
        for (Json const& before : keys.value("before", Json::array())) launch(keys, before, 256);
        Json const plain = Json::array({{{"args", keys.at("args")}}});
        Json variants = keys.value("variants", plain);
        // Of several, all are to find the code in the SM's caches.
        if (variants.size() > 1) variants.insert(variants.begin(), variants.at(0));
        std::vector<Json> statistics;
        for (Json variant : variants) {
            variant["kernel"] = keys.at("kernel");
            variant["grid"] = keys.value("grid", 1);
            statistics.push_back(launch(keys, variant, keys.value("block", 32u)));
        }
        auto const reading = device_.download<std::uint64_t>(out_, 2);
        device_.free(out_);
        if (data_ != 0) device_.free(data_);
        return measure(keys, statistics, static_cast<double>(reading[0]), static_cast<double>(reading[1]));
    }

private:
    static runtime::DeviceOptions options() {
        runtime::DeviceOptions o;
        o.mode = runtime::Mode::timing;
        o.threads = 1;
        return o;
    }
    static std::vector<std::string> overrides(Json const& settings) {
        std::vector<std::string> all;
        for (auto const& [key, value] : settings.items()) all.push_back(key + "=" + value.dump());
        return all;
    }
    runtime::Module& module(std::string const& name) {
        std::shared_ptr<runtime::Module>& known = modules_[name];
        if (!known) known = device_.load_file(folder + name);
        return *known;
    }
    Json launch(Json const& keys, Json const& what, std::uint32_t block) {
        runtime::Module& m = module(keys.at("module"));
        std::string const kernel = what.at("kernel");
        auto const parameters = m.parameters(kernel);
        runtime::Arguments arguments;
        for (std::size_t i = 0; i < parameters.size(); ++i) place(arguments, parameters[i], what.at("args").at(i));
        runtime::LaunchShape shape;
        shape.grid = {what.value("grid", 1u), 1, 1};
        shape.block = {block, 1, 1};
        return Json::parse(statistics::to_json(device_.launch(m, kernel, shape, arguments)));
    }
    void place(runtime::Arguments& arguments, runtime::Module::Parameter const& p, Json const& value) const {
        if (value.is_string()) {
            std::string const name = value;
            std::size_t const plus = name.find('+');
            std::uint64_t const address = (name == "out" ? out_ : data_) +
                                          (plus == std::string::npos ? 0 : std::stoull(name.substr(plus + 1)));
            return arguments.place(p.offset, &address, sizeof(address));
        }
        if (p.type == "f32") return put(arguments, p, value.get<float>());
        if (p.type == "f64") return put(arguments, p, value.get<double>());
        if (p.size == 8) return put(arguments, p, value.get<std::int64_t>());
        put(arguments, p, value.get<std::int32_t>());
    }
    template <class T>
    static void put(runtime::Arguments& arguments, runtime::Module::Parameter const& p, T value) {
        arguments.place(p.offset, &value, sizeof(value));
    }
    static double measure(Json const& keys, std::vector<Json> const& launches, double cycles, double operations) {
        std::string const kind = keys.at("measure");
        Json const& last = launches.back();
        if (kind == "cycles per operation") return cycles / operations;
        if (kind == "operations per cycle") return operations / cycles;
        if (kind == "launch") return last.at("cycles");
        if (kind == "sectors per request") {
            return last.at("l1").at("load_sectors").get<double>() /
                   last.at("l1").at("load_requests").get<double>();
        }
        Json const& variants = keys.at("variants");
        double const amount = variants[1].at("amount").get<double>() - variants[0].at("amount").get<double>();
        auto const between = [&](char const* key) {
            return last.at(key).get<double>() - launches.at(1).at(key).get<double>();
        };
        if (kind == "amount per cycle") return amount / between("cycles");
        if (kind == "cycles per amount") return between("cycles") / amount;
        if (kind == "amount per nanosecond") return amount / between("time_us") / 1000;
        throw std::runtime_error("unknown measure " + kind);
    }

    runtime::Device device_;
    std::map<std::string, std::shared_ptr<runtime::Module>> modules_;
    runtime::DevicePointer out_ = 0, data_ = 0;
};

Json benchmarks() {
    std::ifstream file(folder + "benchmarks.json");
    return Json::parse(file);
}

/// The keys of a benchmark on one configuration: the more specific ones take precedence.
Json all_keys(Json const& group, Json const& benchmark, Json const& published) {
    Json keys = group;
    keys.erase("benchmarks");
    keys.update(benchmark);
    if (published.is_object()) keys.update(published);
    else keys.update(Json{{"value", published.at(0)}, {"source", published.at(1)}});
    return keys;
}

void check(std::string const& config) {
    std::map<std::string, std::unique_ptr<Bench>> benches;
    int figures = 0;
    Json const all = benchmarks();
    for (Json const& group : all.at("groups")) {
        for (Json const& benchmark : group.at("benchmarks")) {
            if (!benchmark.at("published").contains(config)) continue;
            Json const keys = all_keys(group, benchmark, benchmark.at("published").at(config));
            if (keys.value("slow", false)) continue;
            std::string const name = keys.value("config", config);
            Json const settings = keys.value("set", Json::object());
            std::unique_ptr<Bench>& bench = benches[name + settings.dump()];
            if (!bench) bench = std::make_unique<Bench>(name, settings);
            double const simulated = bench->run(keys), published = keys.at("value");
            double const allowed = keys.value("allow", 5.0);
            INFO(group.at("title").get<std::string>() << ": " << benchmark.at("name").get<std::string>());
            INFO("simulated " << simulated << ", published " << published << ", allowed " << allowed << " %");
            CHECK(std::abs(simulated / published - 1) * 100 <= allowed);
            ++figures;
        }
    }
    CHECK(figures >= 10);
}

}  // namespace

TEST_CASE("Microbenchmarks of v100 lie as near to what was published as they did", "[timing][microbenchmarks]") {
    check("v100");
}
TEST_CASE("Microbenchmarks of rtx2060 lie as near to what was published as they did",
          "[timing][microbenchmarks]") {
    check("rtx2060");
}
TEST_CASE("Microbenchmarks of a100 lie as near to what was published as they did", "[timing][microbenchmarks]") {
    check("a100");
}
TEST_CASE("Microbenchmarks of h100 lie as near to what was published as they did", "[timing][microbenchmarks]") {
    check("h100");
}

TEST_CASE("Whoever lies further off than 5 % says why", "[timing][microbenchmarks]") {
    Json const all = benchmarks();
    for (Json const& group : all.at("groups")) {
        for (Json const& benchmark : group.at("benchmarks")) {
            for (auto const& [config, published] : benchmark.at("published").items()) {
                Json const keys = all_keys(group, benchmark, published);
                INFO(group.at("title").get<std::string>()
                     << ": " << benchmark.at("name").get<std::string>() << ", " << config);
                CHECK((!keys.contains("allow") || !keys.value("note", "").empty()));
                CHECK(!keys.at("source").get<std::string>().empty());
                CHECK((keys.at("role") == "configured" || keys.at("role") == "predicted"));
            }
        }
    }
}

}  // namespace microbenchmarks_test
