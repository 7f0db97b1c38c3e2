// tex and tld4 as they are planned, and what they read.
#pragma once

#include "sim/exec/texture/handles.hpp"
#include "sim/texture/planes.hpp"
#include "sim/texture/sample.hpp"

#include <array>
#include <optional>

namespace warpsim::sim {

struct TextureFetch {
    texture::FetchKind kind;
    HandleOperand texture;
    std::optional<HandleOperand> sampler;  // else the texture's own
    isa::Type type = isa::Type::f32;       // of the results: f32, s32, u32, f16, f16x2
    std::array<Slot, 4> results{};
    Slot is_resident = discard;  // a predicate
    // Columns of 32 bits; one of zeros for what the instruction does not have.
    std::array<Slot, 3> at{};
    Slot layer = 0, sample = 0, level = 0, reference = 0;
    std::array<Slot, 3> dx{}, dy{}, offset{};
    bool has_offset = false;
    texture::PlaneFunctions const* planes = nullptr;
};

TextureFetch plan_texture_fetch(FunctionPlanner& p, std::span<ir::Operand const> operands);

}  // namespace warpsim::sim
