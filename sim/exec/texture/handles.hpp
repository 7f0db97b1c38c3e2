// The operands that name a texture, a sampler or a surface: variables and parameters that hold a handle, registers that
// hold one or the address of such a variable.
#pragma once

#include "sim/exec/function_planner.hpp"
#include "sim/exec/warp_instruction.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace warpsim::sim {

/// Where an opaque variable or parameter begins and ends.
struct OpaqueVariable {
    std::uint64_t begin = 0, end = 0;
    isa::Type type = isa::Type::none;
    bool is_parameter = false;  // `begin` and `end` count from the beginning of the parameters
};

/// The opaque variables of the module and parameters of the kernel.
struct OpaqueVariables {
    std::vector<OpaqueVariable> all;

    /// The variable that an address is the beginning of, or of an element of; null: of none.
    OpaqueVariable const* find(std::uint64_t address, LaunchContext const& launch) const;
};

struct HandleOperand {
    enum class Source : std::uint8_t { variable, parameter, column };
    Source source = Source::column;
    isa::Type type = isa::Type::texref;
    std::uint64_t at = 0;  // address of the variable, or offset of the parameter
    Slot column = 0;
    std::string name;  // of the variable
    OpaqueVariables variables{};
};

HandleOperand plan_handle(FunctionPlanner& p, ir::Operand const& operand, isa::Type type);

/// What the lane's operand holds, and the handle that this stands for.
std::uint64_t operand_value(WarpInstruction const& i, HandleOperand const& h, int lane);
texture::Handle handle_of(WarpInstruction const& i, HandleOperand const& h, int lane);
/// The lanes of `mask` that have the same handle as the first of them.
LaneMask lanes_with_handle(WarpInstruction const& i, HandleOperand const& h, LaneMask mask);

/// What the lane's handle is of; a fault where that is nothing, or where the memory of an image is gone.
texture::Texture const& texture_of(WarpInstruction const& i, HandleOperand const& h, int lane);
texture::Sampler const& sampler_of(WarpInstruction const& i, HandleOperand const& h, int lane);
texture::Surface const& surface_of(WarpInstruction const& i, HandleOperand const& h, int lane);
/// A fault unless all of the image's memory is there.
void check_memory(WarpInstruction const& i, texture::Image const& image, int lane, std::string_view kind);

/// The dimensions that the form names.
texture::Geometry geometry_of(ir::Form const& form);
/// "2d", "acube", as instructions spell it.
std::string_view spelling(texture::Geometry geometry);

}  // namespace warpsim::sim
