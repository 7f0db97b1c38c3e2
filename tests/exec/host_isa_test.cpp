// The same kernels with every host instruction set and every layout of registers give the same bytes.
#include "frontend/isa/table.hpp"
#include "tests/kernels/kernel_run.hpp"
#include "tests/support/catch.hpp"

#include <cstdlib>
#include <optional>

namespace host_isa_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

/// WARPSIM_HOST_ISA for as long as it lives.
class HostIsaVariable {
public:
    explicit HostIsaVariable(std::string const& value) {
        if (char const* const old = std::getenv(name)) old_ = old;
        setenv(name, value.c_str(), 1);
    }
    ~HostIsaVariable() {
        if (old_) setenv(name, old_->c_str(), 1);
        else unsetenv(name);
    }
    HostIsaVariable(HostIsaVariable const&) = delete;
    HostIsaVariable& operator=(HostIsaVariable const&) = delete;

private:
    static constexpr char const* name = "WARPSIM_HOST_ISA";
    std::optional<std::string> old_;
};

using Bytes = std::vector<std::uint8_t>;
using Run = std::function<Bytes(runtime::DeviceOptions const&)>;

Bytes bytes_of(Machine& machine, runtime::DevicePointer from, std::size_t count) {
    return machine.device.download<std::uint8_t>(from, count);
}

std::vector<std::pair<std::string, Run>> kernels() {
    auto const floats = random_floats(4096, 5, -2, 2);
    return {
        {"saxpy",
         [=](auto const& options) {
             Machine m("saxpy", options);
             auto const x = m.device.upload(floats), y = m.device.upload(random_floats(4096, 6, -1, 1));
             m.launch("saxpy", {17, 1, 1}, {64, 1, 1}, 0, 1000, 1.7f, x, y);
             return bytes_of(m, y, 4096 * 4);
         }},
        {"reduce",
         [=](auto const& options) {
             Machine m("reduce", options);
             auto const in = m.device.upload(random_integers<std::uint32_t>(3000, 7)), sum = m.device.allocate(4);
             m.launch("reduce", {5, 1, 1}, {128, 1, 1}, 0, 3000, in, sum);
             return bytes_of(m, sum, 4);
         }},
        {"histogram",
         [=](auto const& options) {
             Machine m("histogram", options);
             auto const in = m.device.upload(random_integers<std::uint8_t>(5000, 8)),
                        bins = m.device.allocate(1024);
             m.launch("histogram", {3, 1, 1}, {96, 1, 1}, 0, 5000, in, bins);
             return bytes_of(m, bins, 1024);
         }},
        {"transpose",
         [=](auto const& options) {
             Machine m("transpose", options);
             auto const in = m.device.upload(floats), out = m.device.allocate(70 * 45 * 4);
             m.launch("transpose", {3, 2, 1}, {32, 8, 1}, 0, 70, 45, in, out);
             return bytes_of(m, out, 70 * 45 * 4);
         }},
        {"mandelbrot",
         [=](auto const& options) {
             Machine m("mandelbrot", options);
             auto const out = m.device.allocate(64 * 32 * 4);
             m.launch("mandelbrot", {4, 2, 1}, {16, 16, 1}, 0, out, 64, 32, -2.0f, -1.0f, 3.0f / 64, 2.0f / 32,
                      50);
             return bytes_of(m, out, 64 * 32 * 4);
         }},
        {"recursion",
         [=](auto const& options) {
             Machine m("functions", options);
             auto const out = m.device.allocate(320);
             m.launch("recursion", {2, 1, 1}, {40, 1, 1}, 0, out);
             return bytes_of(m, out, 320);
         }},
        {"dynamic_shared",
         [=](auto const& options) {
             Machine m("dynamic_shared", options);
             auto const in = m.device.upload(floats), out = m.device.allocate(4096 * 4),
                        bytes = m.device.allocate(4096);
             m.launch("dynamic_shared", {3, 1, 1}, {96, 1, 1}, 480, in, out, bytes);
             return bytes_of(m, out, 3 * 96 * 4);
         }},
    };
}

}  // namespace

TEST_CASE("Every host instruction set gives the same results", "[exec]") {
    for (auto const& [name, run] : kernels()) {
        std::optional<Bytes> want;
        for (isa::HostIsa const host : {isa::HostIsa::baseline, isa::HostIsa::avx2, isa::HostIsa::avx512}) {
            if (!isa::runs_here(host)) continue;
            INFO(name << " with " << isa::name(host));
            HostIsaVariable const variable{std::string(isa::name(host))};
            Bytes const got = run(with_threads(1));
            if (!want) want = got;
            CHECK(got == *want);
        }
        CHECK(want);
    }
}

TEST_CASE("Sharing columns among registers changes no result", "[exec]") {
    for (auto const& [name, run] : kernels()) {
        INFO(name);
        runtime::DeviceOptions options = with_threads(1);
        Bytes const shared = run(options);
        options.register_sharing = false;
        CHECK(run(options) == shared);
    }
}

}  // namespace host_isa_test
