// txq, suq and istypep: what a texture, a sampler or a surface is.
#include "sim/exec/effect_rule.hpp"
#include "sim/exec/texture/handles.hpp"

#include "frontend/isa/operation.hpp"

#include <bit>
#include <optional>

namespace warpsim::sim {

namespace {

using isa::Effect;
using isa::Modifier;
using isa::Type;
using texture::Address;
using texture::Channel;
using texture::Image;
using texture::Sampler;
using Base = ir::Operand::AddressBase;
using Kind = ir::Operand::Kind;

struct Query {
    HandleOperand object;
    Modifier what{};
    std::optional<Slot> level;
    Slot result = 0;
};

Modifier query_of(ir::Form const& form) {
    static constexpr Modifier all[] = {Modifier::width,
                                       Modifier::height,
                                       Modifier::depth,
                                       Modifier::channel_data_type,
                                       Modifier::channel_order,
                                       Modifier::normalized_coords,
                                       Modifier::array_size,
                                       Modifier::num_mipmap_levels,
                                       Modifier::num_samples,
                                       Modifier::memory_layout,
                                       Modifier::force_unnormalized_coords,
                                       Modifier::filter_mode,
                                       Modifier::addr_mode_0,
                                       Modifier::addr_mode_1,
                                       Modifier::addr_mode_2};
    for (Modifier const m : all) {
        if (form.has(m)) return m;
    }
    return Modifier{};
}

void plan_query(FunctionPlanner& p, Operands operands) {
    Query q;
    q.what = query_of(p.form());
    ir::Operand const& object = operands[1];
    Type type = p.row().effect == Effect::surface_query ? Type::surfref : Type::texref;
    if (object.base == Base::module_variable) type = p.module().variables[object.index].type;
    if (object.base == Base::function_variable) type = p.function().variables[object.index].type;
    q.object = plan_handle(p, object, type);
    if (operands.size() > 2) q.level = p.source(operands[2], 2);
    q.result = p.destination(operands[0], 2);
    p.emit_effect_with(std::move(q));
}

// OpenCL's numbers, as the manual gives them for the attributes of .texref.
std::uint32_t data_type(Channel channel) {
    switch (channel) {
        case Channel::snorm8: return 0x10d0;
        case Channel::snorm16: return 0x10d1;
        case Channel::unorm8:
        case Channel::srgb8: return 0x10d2;
        case Channel::unorm16: return 0x10d3;
        case Channel::unorm10: return 0x10d6;
        case Channel::s8: return 0x10d7;
        case Channel::s16: return 0x10d8;
        case Channel::s32: return 0x10d9;
        case Channel::u8: return 0x10da;
        case Channel::u16: return 0x10db;
        case Channel::u32: return 0x10dc;
        case Channel::f16: return 0x10dd;
        default: return 0x10de;
    }
}
std::uint32_t channel_order(Image const& image) {
    if (image.channel_order != 0) return image.channel_order;
    if (image.format.channel == Channel::srgb8 && image.format.channels == 4) return 0x10c1;
    return image.format.channels == 1 ? 0x10b0 : image.format.channels == 2 ? 0x10b2 : 0x10b5;
}

std::uint32_t of_image(Image const& image, Modifier what, std::uint32_t level) {
    if (level >= image.levels()) return 0;
    texture::Extent const size = image.level_extent(level);
    switch (what) {
        case Modifier::width: return size.width;
        case Modifier::height: return size.height;
        case Modifier::depth: return size.depth;
        case Modifier::channel_data_type: return data_type(image.format.channel);
        case Modifier::channel_order: return channel_order(image);
        case Modifier::array_size: return texture::is_cube(image.geometry) ? image.slices / 6 : image.slices;
        case Modifier::num_mipmap_levels: return image.levels();
        case Modifier::num_samples: return image.layout.shape().samples;
        case Modifier::memory_layout: return image.arrangement == texture::Arrangement::blocked ? 0 : 1;
        default: return 0;
    }
}

/// In the manual's order: wrap, mirror, clamp_ogl, clamp_to_edge, clamp_to_border.
std::uint32_t address_number(Address mode) {
    switch (mode) {
        case Address::wrap: return 0;
        case Address::mirror: return 1;
        case Address::clamp_ogl: return 2;
        case Address::border: return 4;
        default: return 3;
    }
}
std::optional<std::uint32_t> of_sampler(Sampler const& sampler, Modifier what) {
    switch (what) {
        case Modifier::normalized_coords: return sampler.is_normalized ? 1 : 0;
        case Modifier::force_unnormalized_coords: return sampler.is_normalized ? 0 : 1;
        case Modifier::filter_mode: return sampler.filter == texture::Filter::linear ? 1 : 0;
        case Modifier::addr_mode_0: return address_number(sampler.address[0]);
        case Modifier::addr_mode_1: return address_number(sampler.address[1]);
        case Modifier::addr_mode_2: return address_number(sampler.address[2]);
        default: return {};
    }
}

std::uint32_t answer(WarpInstruction const& i, Query const& q, int lane) {
    if (q.object.type == Type::surfref) return of_image(surface_of(i, q.object, lane).image, q.what, 0);
    // A register may hold the handle of either.
    texture::TableMap const* const table = i.launch().textures;
    bool const is_sampler = q.object.type == Type::samplerref ||
                            (table != nullptr && table->sampler(handle_of(i, q.object, lane)) != nullptr);
    if (is_sampler) return of_sampler(sampler_of(i, q.object, lane), q.what).value_or(0);
    texture::Texture const& t = texture_of(i, q.object, lane);
    std::uint32_t const level = q.level ? isa::column<std::uint32_t>(i.warp.bases, *q.level)[lane] : 0;
    auto const of_own_sampler = of_sampler(t.sampler, q.what);
    return of_own_sampler ? *of_own_sampler : of_image(t.image, q.what, level);
}

Flow ask(WarpInstruction& i) {
    auto const& q = i.function.details_of<Query>(i.op);
    auto* const result = isa::column<std::uint32_t>(i.warp.bases, q.result);
    for (LaneMask m = i.mask; m != 0; m &= m - 1) {
        int const lane = std::countr_zero(m);
        result[lane] = answer(i, q, lane);
    }
    return Flow::next;
}

// ---- istypep -----------------------------------------------------------------------------------------------------

struct TypeTest {
    HandleOperand object;
    Slot result = 0;
};

void plan_type_test(FunctionPlanner& p, Operands operands) {
    TypeTest t;
    Type const type = p.form().types[0];
    t.result = p.destination(operands[0], 0);
    ir::Operand object = operands[1];
    if (object.kind == Kind::symbol) {  // the variable's own type is known
        ir::Variable const& v =
            (object.is_module_variable ? p.module().variables : p.function().variables)[object.index];
        p.emit_lanes(p.access().copy_predicate, t.result, p.kernel().constants.predicate(v.type == type));
        return;
    }
    if (object.kind != Kind::reg) {
        p.emit_lanes(p.access().copy_predicate, t.result, p.kernel().constants.predicate(false));
        return;
    }
    t.object = plan_handle(p, object, type);
    p.emit_effect_with(std::move(t));
}

bool is_of_type(WarpInstruction const& i, HandleOperand const& object, int lane) {
    std::uint64_t const value = operand_value(i, object, lane);
    if (OpaqueVariable const* const variable = object.variables.find(value, i.launch()))
        return variable->type == object.type;
    texture::TableMap const* const table = i.launch().textures;
    if (table == nullptr) return false;
    switch (object.type) {
        case Type::texref: return table->texture(value) != nullptr;
        case Type::samplerref: return table->sampler(value) != nullptr;
        default: return table->surface(value) != nullptr;
    }
}

Flow test_type(WarpInstruction& i) {
    auto const& t = i.function.details_of<TypeTest>(i.op);
    LaneMask yes = 0;
    for (LaneMask m = i.mask; m != 0; m &= m - 1) {
        int const lane = std::countr_zero(m);
        if (is_of_type(i, t.object, lane)) yes |= LaneMask{1} << lane;
    }
    auto& result = *isa::column<LaneMask>(i.warp.bases, t.result);
    result = (result & ~i.mask) | yes;
    return Flow::next;
}

}  // namespace

EffectRules effects::texture_query_rules() {
    static constexpr EffectRule rules[] = {
        {Effect::texture_query, plan_query, ask},
        {Effect::surface_query, plan_query, ask},
        {Effect::is_type, plan_type_test, test_type},
    };
    return rules;
}

}  // namespace warpsim::sim
