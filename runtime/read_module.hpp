// Turns PTX texts into one checked module, taken from the cache if an earlier run left it there.
#pragma once

#include "frontend/archive/archive.hpp"
#include "runtime/device_state.hpp"

#include <optional>
#include <vector>

namespace warpsim::runtime {

struct ReadModule {
    ir::Module module;
    std::optional<frontend::PackedModule>
        packed;        // when it comes from the cache: its functions have no bodies yet
    cache::Key key{};  // of the texts, where there is a cache
};

/// Throws Error(ptx) with the rendered diagnostics. Warnings go to the log, the same ones from the cache.
ReadModule read_module(std::vector<PtxText> texts, Device::State& device);

/// Gives a kernel of a module from the cache, and all that it may call, their bodies.
void complete(frontend::PackedModule& packed, ir::Module& module, std::uint32_t kernel);

}  // namespace warpsim::runtime
