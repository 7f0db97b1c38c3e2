// What kernels request from the CUDA device runtime beyond printf, assert and the heap: launches of other kernels,
// streams, copies, attributes. The code that runs the launch implements it.
#pragma once

#include "frontend/ir/builtins.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

namespace warpsim::sim {

class DeviceRuntime {
public:
    /// One thread's call.
    struct Call {
        ir::Builtin function = ir::Builtin::none;
        std::uint64_t cta = 0;     // in its grid
        std::uint32_t thread = 0;  // in its CTA
        /// The first 16 bytes of each argument.
        std::span<std::array<std::uint64_t, 2> const> arguments;
        /// Writes to a generic address of the caller. If it may not write there, that is the caller's fault, which
        /// is thrown.
        std::function<void(std::uint64_t address, void const* from, std::size_t bytes)> write;
    };

    virtual ~DeviceRuntime() = default;
    /// The result of the function. Called from any thread.
    virtual std::uint64_t call(Call const& call) = 0;

    /// What the calls of a launch have changed beside memory; only the runtime knows what it is.
    struct Saved {
        virtual ~Saved() = default;
    };
    virtual std::unique_ptr<Saved const> save() const = 0;
    virtual void restore(Saved const& saved) = 0;

    /// Whether call() knows the function.
    static bool performs(ir::Builtin function);
};

}  // namespace warpsim::sim
