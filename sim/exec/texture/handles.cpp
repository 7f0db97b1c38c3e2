#include "sim/exec/texture/handles.hpp"

#include <bit>
#include <cstring>

namespace warpsim::sim {

namespace {

using isa::Modifier;
using isa::Type;
using texture::Geometry;
using texture::HandleKind;
using Base = ir::Operand::AddressBase;
using Kind = ir::Operand::Kind;

constexpr std::uint64_t handle_bytes = 8;

bool is_opaque(Type type) { return type == Type::texref || type == Type::samplerref || type == Type::surfref; }

OpaqueVariables opaque_variables(FunctionPlanner const& p) {
    OpaqueVariables result;
    std::vector<ir::Variable> const& variables = p.module().variables;
    for (std::size_t i = 0; i < variables.size(); ++i) {
        if (!is_opaque(variables[i].type)) continue;
        std::uint64_t const begin = p.kernel().symbols.variable[i];
        result.all.push_back({begin, begin + variables[i].size, variables[i].type, false});
    }
    for (std::size_t i = 0; i < p.module().functions.size(); ++i) {
        if (p.kernel().plan.plan_of[i] != 0) continue;  // the kernel comes first
        ir::Function const& kernel = p.module().functions[i];
        for (std::uint32_t const parameter : kernel.parameters) {
            ir::Variable const& v = kernel.variables[parameter];
            if (is_opaque(v.type)) result.all.push_back({v.offset, v.offset + v.size, v.type, true});
        }
    }
    return result;
}

std::uint64_t read_handle(LaunchContext const& launch, std::uint64_t at, bool is_parameter) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): device addresses are host addresses
    std::byte const* const from = is_parameter ? launch.plan_block + at : reinterpret_cast<std::byte const*>(at);
    std::uint64_t handle = 0;
    std::memcpy(&handle, from, sizeof handle);
    return handle;
}

HandleKind kind_of(Type type) {
    return type == Type::texref       ? HandleKind::texture
           : type == Type::samplerref ? HandleKind::sampler
                                      : HandleKind::surface;
}

[[noreturn]] void no_object(WarpInstruction const& i, HandleOperand const& h, int lane) {
    texture::TableMap const none;
    texture::TableMap const& table = i.launch().textures != nullptr ? *i.launch().textures : none;
    std::string what = table.describe(handle_of(i, h, lane), kind_of(h.type));
    if (!h.name.empty()) what += " (of '" + h.name + "')";
    i.fault(lane, FaultKind::illegal_operand, what);
}

}  // namespace

OpaqueVariable const* OpaqueVariables::find(std::uint64_t address, LaunchContext const& launch) const {
    std::uint64_t const in_window = address - launch.windows.param;
    for (OpaqueVariable const& v : all) {
        std::uint64_t const at =
            v.is_parameter && Windows::inside(address, launch.windows.param) ? in_window : address;
        if (at >= v.begin && at < v.end && (at - v.begin) % handle_bytes == 0) return &v;
    }
    return nullptr;
}

HandleOperand plan_handle(FunctionPlanner& p, ir::Operand const& operand, Type type) {
    HandleOperand h;
    h.type = type;
    bool const is_address = operand.kind == Kind::address;
    bool const is_register = is_address ? operand.base == Base::reg : operand.kind == Kind::reg;
    bool const is_of_module = is_address ? operand.base == Base::module_variable : operand.is_module_variable;
    if (is_register) {
        h.column = p.plan().register_slot[operand.index];
        h.variables = opaque_variables(p);
        return h;
    }
    ir::Variable const& v = (is_of_module ? p.module().variables : p.function().variables)[operand.index];
    h.source = is_of_module ? HandleOperand::Source::variable : HandleOperand::Source::parameter;
    h.at = (is_of_module ? p.kernel().symbols.variable[operand.index] : v.offset) +
           static_cast<std::uint64_t>(operand.value);
    h.name = v.name;
    auto const offset = static_cast<std::uint64_t>(operand.value);
    if (offset % handle_bytes != 0 || offset >= v.size) p.refuse("a handle outside of '" + v.name + "'");
    return h;
}

std::uint64_t operand_value(WarpInstruction const& i, HandleOperand const& h, int lane) {
    switch (h.source) {
        case HandleOperand::Source::variable: return read_handle(i.launch(), h.at, false);
        case HandleOperand::Source::parameter: return read_handle(i.launch(), h.at, true);
        case HandleOperand::Source::column: break;
    }
    return isa::column<std::uint64_t>(i.warp.bases, h.column)[lane];
}

texture::Handle handle_of(WarpInstruction const& i, HandleOperand const& h, int lane) {
    std::uint64_t const value = operand_value(i, h, lane);
    if (h.source != HandleOperand::Source::column || h.variables.all.empty()) return value;
    OpaqueVariable const* const variable = h.variables.find(value, i.launch());
    if (variable == nullptr) return value;
    std::uint64_t const at = variable->is_parameter && Windows::inside(value, i.launch().windows.param)
                                 ? value - i.launch().windows.param
                                 : value;
    return read_handle(i.launch(), at, variable->is_parameter);
}

LaneMask lanes_with_handle(WarpInstruction const& i, HandleOperand const& h, LaneMask mask) {
    if (h.source != HandleOperand::Source::column) return mask;
    auto const* const column = isa::column<std::uint64_t>(i.warp.bases, h.column);
    std::uint64_t const first = column[std::countr_zero(mask)];
    LaneMask same = 0;
    for (int lane = 0; lane < 32; ++lane) same |= LaneMask{column[lane] == first} << lane;
    return same & mask;
}

void check_memory(WarpInstruction const& i, texture::Image const& image, int lane, std::string_view kind) {
    if (i.parts.execution.can_access(i.warp, image.address, image.address, image.bytes())) return;
    char address[24];
    std::snprintf(address, sizeof address, "0x%llx", static_cast<unsigned long long>(image.address));
    i.fault(lane, FaultKind::illegal_address,
            "illegal address: the memory of a " + std::string(kind) + " at " + address + " was freed");
}

texture::Texture const& texture_of(WarpInstruction const& i, HandleOperand const& h, int lane) {
    texture::TableMap const* const table = i.launch().textures;
    texture::Texture const* const found = table != nullptr ? table->texture(handle_of(i, h, lane)) : nullptr;
    if (found == nullptr) no_object(i, h, lane);
    check_memory(i, found->image, lane, "texture");
    return *found;
}

texture::Sampler const& sampler_of(WarpInstruction const& i, HandleOperand const& h, int lane) {
    texture::TableMap const* const table = i.launch().textures;
    texture::Sampler const* const found = table != nullptr ? table->sampler(handle_of(i, h, lane)) : nullptr;
    if (found == nullptr) no_object(i, h, lane);
    return *found;
}

texture::Surface const& surface_of(WarpInstruction const& i, HandleOperand const& h, int lane) {
    texture::TableMap const* const table = i.launch().textures;
    texture::Surface const* const found = table != nullptr ? table->surface(handle_of(i, h, lane)) : nullptr;
    if (found == nullptr) no_object(i, h, lane);
    check_memory(i, found->image, lane, "surface");
    return *found;
}

Geometry geometry_of(ir::Form const& form) {
    static constexpr std::pair<Modifier, Geometry> words[] = {{Modifier::_1d, Geometry::d1},
                                                              {Modifier::_2d, Geometry::d2},
                                                              {Modifier::_3d, Geometry::d3},
                                                              {Modifier::a1d, Geometry::layered_d1},
                                                              {Modifier::a2d, Geometry::layered_d2},
                                                              {Modifier::cube, Geometry::cubemap},
                                                              {Modifier::acube, Geometry::layered_cubemap},
                                                              {Modifier::_2dms, Geometry::multisample},
                                                              {Modifier::a2dms, Geometry::layered_multisample}};
    for (auto const& [word, geometry] : words) {
        if (form.has(word)) return geometry;
    }
    return Geometry::count;
}

std::string_view spelling(Geometry geometry) {
    static constexpr std::string_view names[] = {"1d", "2d", "3d", "a1d", "a2d", "cube", "acube", "2dms", "a2dms"};
    return names[static_cast<std::size_t>(geometry)];
}

}  // namespace warpsim::sim
