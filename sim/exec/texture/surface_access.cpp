#include "sim/exec/texture/surface_access.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace warpsim::sim {

namespace {

using isa::Modifier;
using texture::Extent;
using texture::Geometry;
using texture::Image;
using Kind = ir::Operand::Kind;

/// How many there are in each dimension, and where the lane is.
struct SurfacePlace {
    std::array<std::int64_t, 3> size{}, at{};
};

SurfacePlace place_of(WarpInstruction const& i, SurfaceAccess const& s, Image const& image, int lane) {
    Extent const extent = image.level_extent(0);
    auto const coordinate = [&](Slot slot) -> std::int64_t {
        return isa::column<std::int32_t>(i.warp.bases, slot)[lane];
    };
    SurfacePlace place;
    std::int64_t const texel = image.format.bytes();
    place.size = {std::int64_t{extent.width} * texel, extent.height, extent.depth};
    place.at = {coordinate(s.at[0]) * (s.counts_texels ? texel : 1), coordinate(s.at[1]), coordinate(s.at[2])};
    if (texture::dimensions(s.geometry) == 1) place.at[1] = 0;
    if (texture::dimensions(s.geometry) < 3) place.at[2] = 0;
    if (texture::is_layered(s.geometry)) {
        place.size[2] = image.slices;
        place.at[2] = isa::column<std::uint32_t>(i.warp.bases, s.layer)[lane];
    }
    return place;
}

[[noreturn]] void outside_of_surface(WarpInstruction const& i, SurfaceAccess const& s, SurfacePlace const& place,
                                     std::int64_t bytes, int lane) {
    auto const list = [](std::array<std::int64_t, 3> const& of) {
        return "(" + std::to_string(of[0]) + "," + std::to_string(of[1]) + "," + std::to_string(of[2]) + ")";
    };
    i.fault(lane, FaultKind::illegal_address,
            "illegal address: " + std::to_string(bytes) + "-byte " + std::string(s.what) + " surface at byte " +
                std::to_string(place.at[0]) + ", row " + std::to_string(place.at[1]) + ", slice " +
                std::to_string(place.at[2]) + ", outside of its " + list(place.size));
}

/// Layers of cubes are their faces.
bool fits(Geometry instruction, Image const& image) {
    return image.is_seen_as(instruction) ||
           (instruction == Geometry::layered_d2 && texture::is_cube(image.geometry));
}

}  // namespace

SurfaceAccess plan_surface_access(FunctionPlanner& p, std::span<ir::Operand const>& operands) {
    SurfaceAccess s;
    ir::Form const& form = p.form();
    s.geometry = geometry_of(form);
    s.clamp = form.has(Modifier::trap)    ? SurfaceClamp::trap
              : form.has(Modifier::clamp) ? SurfaceClamp::clamp
                                          : SurfaceClamp::zero;
    s.surface = plan_handle(p, operands[0], isa::Type::surfref);
    operands = operands.subspan(1);
    std::size_t count = 1;
    if (operands[0].kind == Kind::vector) {
        count = operands[0].count;
        operands = operands.subspan(1);
    }
    auto list = operands.first(count);
    operands = operands.subspan(count);
    auto const take = [&] {
        Slot const slot = p.source(list[0], 2);
        list = list.subspan(1);
        return slot;
    };
    Slot const zero = p.kernel().constants.column(2, 0);
    s.at = {zero, zero, zero};
    s.layer = zero;
    if (texture::is_layered(s.geometry)) s.layer = take();
    for (std::size_t i = 0; i < static_cast<std::size_t>(texture::dimensions(s.geometry)); ++i) s.at[i] = take();
    s.address = p.temporary(3);
    s.inside = p.temporary_predicate();
    return s;
}

Access access_of_surface(SurfaceAccess const& s, int memory_log2, std::size_t elements) {
    Access access;
    access.space = SpaceKind::global;
    access.address = s.address;
    access.memory_log2 = static_cast<std::uint8_t>(memory_log2);
    access.elements = static_cast<std::uint8_t>(elements);
    access.bytes = static_cast<std::uint32_t>(elements) << memory_log2;
    return access;
}

void emit_surface_access(FunctionPlanner& p, OpKind kind, Access const& access, Slot predicate) {
    Op& op = p.emit(kind);
    op.guard = predicate;
    op.guard_negated = false;
    op.target = static_cast<std::uint32_t>(p.plan().accesses.size());
    p.plan().accesses.push_back(access);
}

SurfaceElement find_element(WarpInstruction const& i, SurfaceAccess const& s, Image const& image, int lane) {
    if (!fits(s.geometry, image)) {
        i.fault(lane, FaultKind::illegal_operand,
                "an access of geometry " + std::string(spelling(s.geometry)) + " to a surface of geometry " +
                    std::string(spelling(image.geometry)));
    }
    SurfacePlace place = place_of(i, s, image, lane);
    std::int64_t const bytes = s.bytes != 0 ? s.bytes : image.format.bytes();
    std::array<std::int64_t, 3> const last{place.size[0] - bytes, place.size[1] - 1, place.size[2] - 1};
    bool is_inside = last[0] >= 0;
    for (std::size_t d = 0; d < 3; ++d) is_inside = is_inside && place.at[d] >= 0 && place.at[d] <= last[d];
    if (!is_inside && s.clamp == SurfaceClamp::trap) outside_of_surface(i, s, place, bytes, lane);
    if (!is_inside && (s.clamp == SurfaceClamp::zero || last[0] < 0)) return {};
    for (std::size_t d = 0; d < 3; ++d) place.at[d] = std::clamp<std::int64_t>(place.at[d], 0, last[d]);
    return {&image, image.byte(static_cast<std::uint64_t>(place.at[0]), static_cast<std::uint32_t>(place.at[1]),
                               static_cast<std::uint32_t>(place.at[2]), 0)};
}

}  // namespace warpsim::sim
