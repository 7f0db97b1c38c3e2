// What of a trace its reader wants to see.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpsim::runtime {

/// `cta=3` or `cta=0,1,0`, `warp=2`, `kernel=saxpy`, `line=41` or `line=41-50` of the PTX, `lane=3` or `lane=0-7`,
/// joined by `;` or `,`. What is not named is not filtered. `values` asks for what registers hold, too.
struct TraceFilter {
    struct LineRange {
        std::uint32_t first = 0, last = UINT32_MAX;
        bool has(std::uint32_t value) const { return first <= value && value <= last; }
        bool is_all() const { return first == 0 && last == UINT32_MAX; }
    };
    std::optional<std::array<std::uint32_t, 3>> cta;
    std::optional<std::uint32_t> warp;
    std::string kernel;
    LineRange lines;
    std::uint32_t lanes = UINT32_MAX;  // a mask
    bool values = false;

    /// Throws Error(usage) that shows what it does not understand.
    static TraceFilter parse(std::string_view text);
};

}  // namespace warpsim::runtime
