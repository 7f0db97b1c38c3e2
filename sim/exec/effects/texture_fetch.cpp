// tex and tld4: each lane samples a texture.
#include "sim/exec/texture/texture_fetch.hpp"
#include "sim/exec/effect_rule.hpp"
#include "sim/texture/number.hpp"

#include <algorithm>
#include <bit>
#include <string>

namespace warpsim::sim {

namespace {

using isa::Effect;
using isa::Type;
using texture::Fetch;
using texture::Geometry;
using texture::Image;
using texture::Texel;

void plan_fetch(FunctionPlanner& p, Operands operands) { p.emit_effect_with(plan_texture_fetch(p, operands)); }

template <class T> T value(WarpInstruction const& i, Slot slot, int lane) {
    return isa::column<T>(i.warp.bases, slot)[lane];
}

void check_geometry(WarpInstruction const& i, TextureFetch const& f, Image const& image, int lane) {
    Geometry const wanted = f.kind.geometry;
    if (image.is_seen_as(wanted)) return;
    i.fault(lane, FaultKind::illegal_operand,
            "a " + std::string(spelling(wanted)) + " fetch from a texture of geometry " +
                std::string(spelling(image.geometry)));
}

Fetch fetch_of(WarpInstruction const& i, TextureFetch const& f, int lane) {
    Fetch fetch;
    for (std::size_t d = 0; d < 3; ++d) {
        fetch.at[d] = value<float>(i, f.at[d], lane);
        fetch.texel[d] = value<std::int32_t>(i, f.at[d], lane);
        fetch.dx[d] = value<float>(i, f.dx[d], lane);
        fetch.dy[d] = value<float>(i, f.dy[d], lane);
        fetch.offset[d] = value<std::int32_t>(i, f.offset[d], lane);
        if (fetch.offset[d] >= -8 && fetch.offset[d] <= 7) continue;
        i.fault(lane, FaultKind::illegal_operand,
                "an offset of " + std::to_string(fetch.offset[d]) + " texels; it is from -8 to 7");
    }
    fetch.layer = value<std::uint32_t>(i, f.layer, lane);
    fetch.sample = value<std::uint32_t>(i, f.sample, lane);
    fetch.level = f.level_is_integer ? static_cast<float>(value<std::int32_t>(i, f.level, lane))
                                     : value<float>(i, f.level, lane);
    fetch.reference = value<float>(i, f.reference, lane);
    return fetch;
}

std::uint32_t half_of(std::uint32_t bits, bool is_integer) {
    return is_integer ? bits & 0xffff : texture::f16_of_f32(std::bit_cast<float>(bits));
}

void put_results(WarpInstruction const& i, TextureFetch const& f, Texel const& texel, bool is_integer, int lane) {
    if (f.type == Type::f16x2) {
        for (std::size_t c = 0; c < 2; ++c) {
            isa::column<std::uint32_t>(i.warp.bases, f.results[c])[lane] =
                half_of(texel[2 * c], is_integer) | half_of(texel[2 * c + 1], is_integer) << 16;
        }
        return;
    }
    for (std::size_t c = 0; c < 4; ++c) {
        if (f.type == Type::f16)
            isa::column<std::uint16_t>(i.warp.bases, f.results[c])[lane] =
                static_cast<std::uint16_t>(half_of(texel[c], is_integer));
        else isa::column<std::uint32_t>(i.warp.bases, f.results[c])[lane] = texel[c];
    }
}

/// One access for the first texel of each lane, one for the second, and so on.
void tell_of_texels(WarpInstruction const& i, TextureReads const& reads) {
    Access access;
    access.space = SpaceKind::global;
    access.bytes = reads.texel_bytes;
    access.memory_log2 = static_cast<std::uint8_t>(std::countr_zero(reads.texel_bytes));
    access.data.fill(discard);
    for (std::uint32_t k = 0;; ++k) {
        Addresses told;
        told.bytes = reads.texel_bytes;
        std::size_t first = 0;  // of the lane's
        for (int lane = 0; lane < 32; first += reads.count[static_cast<std::size_t>(lane)], ++lane) {
            if (k >= reads.count[static_cast<std::size_t>(lane)]) continue;
            std::uint64_t const at = reads.texels[first + k];
            told.lane[lane] = at;
            told.low = told.mask == 0 ? at : std::min(told.low, at);
            told.past_high = std::max(told.past_high, at + told.bytes);
            told.mask |= LaneMask{1} << lane;
        }
        if (told.mask == 0) return;
        i.sinks().tell<TexelAccessEvent>([&] {
            return TexelAccessEvent{{i.site(), access, SpaceKind::global, told, false}};
        });
    }
}

/// The lanes that are left, to be fetched one by one.
LaneMask fetch_at_once(WarpInstruction const& i, TextureFetch const& f, Image const& image,
                       texture::Sampler const& sampler, LaneMask mask) {
    if (f.is_of_line && image.arrangement == texture::Arrangement::linear) {
        texture::LineFetch fetch;
        fetch.texel = isa::column<std::int32_t>(i.warp.bases, f.at[0]);
        fetch.mask = mask;
        for (std::size_t c = 0; c < 4; ++c)
            fetch.results[c] = isa::column<std::uint32_t>(i.warp.bases, f.results[c]);
        texture::fetch_line(image, fetch);
        return 0;
    }
    if (f.planes == nullptr) return mask;
    texture::FetchColumns columns;
    for (std::size_t d = 0; d < 3; ++d) {
        columns.at[d] = isa::column<float>(i.warp.bases, f.at[d]);
        columns.dx[d] = isa::column<float>(i.warp.bases, f.dx[d]);
        columns.dy[d] = isa::column<float>(i.warp.bases, f.dy[d]);
    }
    columns.layer = isa::column<std::uint32_t>(i.warp.bases, f.layer);
    columns.level = isa::column<float>(i.warp.bases, f.level);
    for (std::size_t c = 0; c < 4; ++c)
        columns.results[c] = isa::column<std::uint32_t>(i.warp.bases, f.results[c]);
    return texture::fetch_planes(*f.planes, image, sampler, f.kind, columns, mask);
}

/// The lanes of `mask` have one texture and one sampler.
void fetch_lanes(WarpInstruction const& i, TextureFetch const& f, LaneMask mask) {
    int const first = std::countr_zero(mask);
    texture::Texture const& t = texture_of(i, f.texture, first);
    texture::Sampler const& sampler = f.sampler ? sampler_of(i, *f.sampler, first) : t.sampler;
    check_geometry(i, f, t.image, first);
    bool const is_timed = i.parts.execution.model != nullptr;
    bool const is_told = i.sinks().want(EventKind::texel_access);
    if (!is_timed && !is_told) mask = fetch_at_once(i, f, t.image, sampler, mask);
    if (mask == 0) return;
    bool const is_integer = t.image.format.is_integer() && !f.kind.compares;
    std::array<Texel, 32> texels;
    texture::Footprint footprint;
    TextureReads reads;
    for (LaneMask m = mask; m != 0; m &= m - 1) {
        auto const lane = static_cast<std::size_t>(std::countr_zero(m));
        std::size_t const before = footprint.texels().size();
        texels[lane] = texture::sample(t.image, sampler, f.kind, fetch_of(i, f, static_cast<int>(lane)),
                                       is_timed || is_told ? &footprint : nullptr);
        reads.count[lane] = static_cast<std::uint32_t>(footprint.texels().size() - before);
    }
    reads.texels = footprint.texels();
    reads.texel_bytes = t.image.format.bytes();
    if (is_told) tell_of_texels(i, reads);
    if (is_timed) {
        std::uint32_t const of_lane = f.type == Type::f16 || f.type == Type::f16x2 ? 8 : 16;
        reads.result_bytes = of_lane * static_cast<std::uint32_t>(std::popcount(mask));
        i.parts.execution.model->texture(reads);
    }
    // Results may be the registers of the coordinates.
    for (LaneMask m = mask; m != 0; m &= m - 1) {
        int const lane = std::countr_zero(m);
        put_results(i, f, texels[static_cast<std::size_t>(lane)], is_integer, lane);
    }
}

Flow fetch_texels(WarpInstruction& i) {
    auto const& f = i.function.details_of<TextureFetch>(i.op);
    for (LaneMask rest = i.mask; rest != 0;) {
        LaneMask lanes = lanes_with_handle(i, f.texture, rest);
        if (f.sampler) lanes = lanes_with_handle(i, *f.sampler, lanes);
        fetch_lanes(i, f, lanes);
        rest &= ~lanes;
    }
    // Everything is resident: sparse arrays are not supported.
    if (f.is_resident != discard) *isa::column<LaneMask>(i.warp.bases, f.is_resident) |= i.mask;
    return Flow::next;
}

}  // namespace

EffectRules effects::texture_fetch_rules() {
    static constexpr EffectRule rules[] = {
        {Effect::texture_fetch, plan_fetch, fetch_texels},
        {Effect::texture_gather, plan_fetch, fetch_texels},
    };
    return rules;
}

}  // namespace warpsim::sim
