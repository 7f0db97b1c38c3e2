// Runs a kernel given as PTX text on a device of its own, with a few lines.
#pragma once

#include "runtime/device.hpp"
#include "sim/config/config.hpp"
#include "sim/error.hpp"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace warpsim::test {

/// Both models of control flow, for tests that must hold in either.
inline std::vector<std::string> const& control_flows() {
    static std::vector<std::string> const both{"independent", "stack"};
    return both;
}

inline std::string ptx_header() { return ".version 8.7\n.target sm_90\n.address_size 64\n"; }

/// A kernel `k(out, in)` with this body. It may use %p0-15 (predicates), %h (16 bits), %r (32), %d (64), %f, %g
/// (f32, f64; 0-31 of each), %q0-3 (128), and what is set before it: %out, %in, %i (the thread's number in the
/// grid) and %o4, %o8 (the addresses of its 4 or 8 bytes of `out`). `before` precedes the kernel: variables,
/// functions.
inline std::string kernel(std::string const& body, std::string const& before = {},
                          std::string const& directives = {}) {
    return ptx_header() + before + "\n.visible .entry k(.param .u64 p_out, .param .u64 p_in)\n" + directives + R"({
.reg .pred %p<16>;
.reg .b16 %h<32>;
.reg .b32 %r<32>, %i, %s;
.reg .b64 %d<32>, %out, %in, %o4, %o8;
.reg .f32 %f<32>;
.reg .f64 %g<32>;
.reg .b128 %q<4>;
ld.param.u64 %out, [p_out];
ld.param.u64 %in, [p_in];
mov.u32 %i, %ctaid.x;
mov.u32 %s, %ntid.x;
mul.lo.u32 %i, %i, %s;
mov.u32 %s, %tid.x;
add.u32 %i, %i, %s;
mul.wide.u32 %o4, %i, 4;
add.u64 %o4, %o4, %out;
mul.wide.u32 %o8, %i, 8;
add.u64 %o8, %o8, %out;
)" + body + "\nret;\n}\n";
}

struct Threads {
    std::array<std::uint32_t, 3> block{32, 1, 1};
    std::array<std::uint32_t, 3> grid{1, 1, 1};
    std::uint32_t dynamic_shared = 0;
};

class Program {
public:
    explicit Program(std::string const& text, std::string const& control_flow = "independent",
                     runtime::DeviceOptions options = one_thread(), std::vector<std::string> overrides = {})
        : device(sim::load_config("h100", with_model(std::move(overrides), control_flow)),
                 in_mode(std::move(options))),
          module(device.load_text("test.ptx", text)) {}

    static runtime::DeviceOptions one_thread() {
        runtime::DeviceOptions options;
        options.threads = 1;
        return options;
    }

    /// Launches `k` with `count` zeroed elements as `out` and returns them.
    template <class T> std::vector<T> run(std::size_t count, Threads const& threads = {}) {
        runtime::DevicePointer const out = device.allocate(count * sizeof(T));
        launch(out, threads);
        std::vector<T> const values = device.template download<T>(out, count);
        device.free(out);
        return values;
    }
    void launch(runtime::DevicePointer out, Threads const& threads = {}) {
        runtime::LaunchShape shape;
        shape.grid = threads.grid;
        shape.block = threads.block;
        shape.dynamic_shared = threads.dynamic_shared;
        result = device.launch(*module, "k", shape, runtime::Arguments::of(out, in));
    }
    /// The report of the error that the launch must end with; "" when there is none.
    std::string error(std::size_t out_bytes = 4096, Threads const& threads = {}) {
        try {
            launch(device.allocate(out_bytes), threads);
        } catch (Error const& error) {
            return error.what();
        }
        return {};
    }

    runtime::Device device;
    std::shared_ptr<runtime::Module> module;
    runtime::DevicePointer in = 0;
    runtime::LaunchResult result;

    /// With WARPSIM_TEST_MODE=timing in the environment, tests of kernels' results run in timing mode.
    static bool is_timed() { return mode() == "timing"; }
    /// With WARPSIM_TEST_MODE=compiled, as compiled code.
    static bool is_compiled() { return mode() == "compiled"; }

private:
    static std::string mode() {
        char const* const mode = std::getenv("WARPSIM_TEST_MODE");
        return mode != nullptr ? mode : "";
    }
    static runtime::DeviceOptions in_mode(runtime::DeviceOptions options) {
        if (is_timed()) options.mode = runtime::Mode::timing;
        if (is_compiled()) options.engine = runtime::Engine::compiled;
        return options;
    }
    static std::vector<std::string> with_model(std::vector<std::string> overrides,
                                               std::string const& control_flow) {
        overrides.push_back("sm.control_flow=" + control_flow);
        return overrides;
    }
};

/// The results of `count` threads: f(0), f(1), ...
template <class T> std::vector<T> each(std::size_t count, std::function<T(std::uint32_t)> const& f) {
    std::vector<T> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = f(static_cast<std::uint32_t>(i));
    return values;
}

inline bool contains(std::string const& text, std::string const& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace warpsim::test
