// What surface instructions have in common: where in memory the element is that a lane names, if it is inside.
#pragma once

#include "sim/exec/texture/handles.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace warpsim::sim {

/// Elements outside of the surface: a fault, the nearest one inside, or none, which reads as 0.
enum class SurfaceClamp : std::uint8_t { trap, clamp, zero };

/// An op finds the addresses; accesses to global memory follow it.
struct SurfaceAccess {
    texture::Geometry geometry = texture::Geometry::d2;
    SurfaceClamp clamp = SurfaceClamp::trap;
    HandleOperand surface;
    std::array<Slot, 3> at{};
    Slot layer = 0;
    bool counts_texels = false;  // x is a texel, not a byte
    std::uint32_t bytes = 4;     // of the access; where it counts texels, 0 is a whole one
    Slot address = 0;            // column of 64 bits that the op fills
    Slot inside = 0;             // predicate: the lanes that have an element
    struct Result {
        Slot slot;
        int log2;
    };
    std::vector<Result> zeroed;  // registers that are 0 where there is no element
    std::string_view what;       // "load from"
};

/// Takes the address and the coordinates, which are first among `operands`; these are then what follows.
SurfaceAccess plan_surface_access(FunctionPlanner& p, std::span<ir::Operand const>& operands);
/// A global access of so many bytes per element to the addresses of the op.
Access access_of_surface(SurfaceAccess const& s, int memory_log2, std::size_t elements);
/// Emits the access under the predicate.
void emit_surface_access(FunctionPlanner& p, OpKind kind, Access const& access, Slot predicate);

/// One lane's element: where it is, and the image that it is in; null when it has none.
struct SurfaceElement {
    texture::Image const* image = nullptr;
    std::uint64_t address = 0;
};
SurfaceElement find_element(WarpInstruction const& i, SurfaceAccess const& s, texture::Image const& image,
                            int lane);
/// Calls `found(lane, element)` for all lanes, and fills the columns of `s`.
template <class Found> void find_elements(WarpInstruction const& i, SurfaceAccess const& s, Found const& found) {
    auto* const addresses = isa::column<std::uint64_t>(i.warp.bases, s.address);
    LaneMask inside = 0;
    for (LaneMask rest = i.mask; rest != 0;) {
        LaneMask const lanes = lanes_with_handle(i, s.surface, rest);
        rest &= ~lanes;
        texture::Surface const& surface = surface_of(i, s.surface, std::countr_zero(lanes));
        for (LaneMask m = lanes; m != 0; m &= m - 1) {
            int const lane = std::countr_zero(m);
            SurfaceElement const element = find_element(i, s, surface.image, lane);
            if (element.image == nullptr) continue;
            inside |= LaneMask{1} << lane;
            addresses[lane] = element.address;
            found(lane, element);
        }
    }
    *isa::column<LaneMask>(i.warp.bases, s.inside) = inside;
}

}  // namespace warpsim::sim
