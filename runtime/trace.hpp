// A line per executed warp instruction: what a student looks at first.
#pragma once

#include "frontend/ir/module.hpp"
#include "sim/exec/observer.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace warpsim::runtime {

/// `cta=3` or `cta=0,1,0`, `warp=2`, `kernel=saxpy`, joined by `;` or `,`. What is not named is not filtered.
struct TraceFilter {
    std::optional<std::array<std::uint32_t, 3>> cta;
    std::optional<std::uint32_t> warp;
    std::string kernel;

    /// Throws Error(usage) that shows what it does not understand.
    static TraceFilter parse(std::string_view text);
    bool lets(sim::Cta const& cta, sim::Warp const& warp) const;
};

class Trace : public sim::Observer {
public:
    /// A line begins with the cycle of `clock`, or, when that is null, with a number of its own.
    Trace(std::function<void(std::string_view)> print, TraceFilter filter, ir::Module const& module,
          std::string_view kernel, std::uint64_t const* clock = nullptr);

    void instruction(sim::Cta const&, sim::Warp const&, sim::Frame const&, sim::Op const&, isa::LaneMask,
                     isa::LaneMask) override;
    void access(sim::Cta const&, sim::Warp const&, sim::Op const&, sim::Access const&, sim::SpaceKind,
                sim::Addresses const&) override {}
    void diverged(sim::Cta const&, sim::Warp const&, sim::Frame const&, sim::Op const&, isa::LaneMask,
                  isa::LaneMask) override;
    void reconverged(sim::Cta const&, sim::Warp const&, sim::Frame const&, std::uint32_t, isa::LaneMask) override;

private:
    std::string line(ir::Function const& function, std::uint32_t instruction) const;

    std::function<void(std::string_view)> print_;
    TraceFilter filter_;
    ir::Module const& module_;
    bool enabled_;
    std::uint64_t const* clock_;
    std::uint64_t sequence_ = 0;
};

}  // namespace warpsim::runtime
