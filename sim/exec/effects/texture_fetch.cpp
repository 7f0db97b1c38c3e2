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

void check_offsets(WarpInstruction const& i, TextureFetch const& f, LaneMask mask) {
    for (LaneMask m = f.has_offset ? mask : 0; m != 0; m &= m - 1) {
        int const lane = std::countr_zero(m);
        for (Slot const slot : f.offset) {
            auto const offset = value<std::int32_t>(i, slot, lane);
            if (offset >= -8 && offset <= 7) continue;
            i.fault(lane, FaultKind::illegal_operand,
                    "an offset of " + std::to_string(offset) + " texels; it is from -8 to 7");
        }
    }
}

Fetch fetch_of(WarpInstruction const& i, TextureFetch const& f, int lane) {
    Fetch fetch;
    for (std::size_t d = 0; d < 3; ++d) {
        fetch.at[d] = value<float>(i, f.at[d], lane);
        fetch.texel[d] = value<std::int32_t>(i, f.at[d], lane);
        fetch.dx[d] = value<float>(i, f.dx[d], lane);
        fetch.dy[d] = value<float>(i, f.dy[d], lane);
        fetch.offset[d] = value<std::int32_t>(i, f.offset[d], lane);
    }
    fetch.layer = value<std::uint32_t>(i, f.layer, lane);
    fetch.sample = value<std::uint32_t>(i, f.sample, lane);
    fetch.level = f.kind.counts_texels ? static_cast<float>(value<std::int32_t>(i, f.level, lane))
                                       : value<float>(i, f.level, lane);
    fetch.reference = value<float>(i, f.reference, lane);
    return fetch;
}

std::uint32_t half_of(std::uint32_t bits, bool is_integer) {
    return is_integer ? bits & 0xffff : texture::f16_of_f32(std::bit_cast<float>(bits));
}

/// Four channels of 32 lanes.
struct alignas(64) Channels {
    std::uint32_t channel[4][32];
};

void put_results(WarpInstruction const& i, TextureFetch const& f, Channels const& from, bool is_integer,
                 LaneMask mask) {
    for (LaneMask m = mask; m != 0; m &= m - 1) {
        int const lane = std::countr_zero(m);
        auto const bits = [&](std::size_t c) { return from.channel[c][lane]; };
        if (f.type == Type::f16x2) {
            for (std::size_t c = 0; c < 2; ++c) {
                isa::column<std::uint32_t>(i.warp.bases, f.results[c])[lane] =
                    half_of(bits(2 * c), is_integer) | half_of(bits(2 * c + 1), is_integer) << 16;
            }
            continue;
        }
        for (std::size_t c = 0; c < 4; ++c) {
            if (f.type == Type::f16)
                isa::column<std::uint16_t>(i.warp.bases, f.results[c])[lane] =
                    static_cast<std::uint16_t>(half_of(bits(c), is_integer));
            else isa::column<std::uint32_t>(i.warp.bases, f.results[c])[lane] = bits(c);
        }
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

texture::FetchColumns columns_of(WarpInstruction const& i, TextureFetch const& f) {
    texture::FetchColumns columns;
    for (std::size_t d = 0; d < 3; ++d) {
        columns.at[d] = isa::column<float>(i.warp.bases, f.at[d]);
        columns.dx[d] = isa::column<float>(i.warp.bases, f.dx[d]);
        columns.dy[d] = isa::column<float>(i.warp.bases, f.dy[d]);
        if (f.has_offset) columns.offset[d] = isa::column<std::int32_t>(i.warp.bases, f.offset[d]);
    }
    columns.layer = isa::column<std::uint32_t>(i.warp.bases, f.layer);
    columns.level = isa::column<float>(i.warp.bases, f.level);
    columns.reference = isa::column<float>(i.warp.bases, f.reference);
    return columns;
}

/// The lanes of `mask` have one texture and one sampler.
class LanesFetch {
public:
    LanesFetch(WarpInstruction const& i, TextureFetch const& f, Image const& image,
               texture::Sampler const& sampler, LaneMask mask)
        : i_(i), f_(f), image_(image), sampler_(sampler), mask_(mask) {}

    /// Nobody wants to know the texels.
    void fetch() {
        texture::FetchColumns columns = columns_of(i_, f_);
        bool const is_word = isa::width(f_.type) == 32 && f_.type != Type::f16x2;
        if (is_word) {
            for (std::size_t c = 0; c < 4; ++c)
                columns.results[c] = isa::column<std::uint32_t>(i_.warp.bases, f_.results[c]);
            LaneMask const left = at_once(columns);
            if (left == 0) return;
            one_by_one(left, nullptr);
            return put_results(i_, f_, results_, is_integer(), left);
        }
        keep_results(columns);
        one_by_one(at_once(columns), nullptr);
        put_results(i_, f_, results_, is_integer(), mask_);
    }

    TextureReads fetch_and_tell() {
        texture::FetchColumns columns = columns_of(i_, f_);
        keep_results(columns);
        texture::TexelsOfLanes read;
        columns.read = &read;
        LaneMask const left = at_once(columns);
        TextureReads reads;
        reads.texel_bytes = image_.format.bytes();
        reads.channel_bytes = reads.texel_bytes / image_.format.channels;
        for (LaneMask m = mask_; m != 0; m &= m - 1) {
            auto const lane = static_cast<std::size_t>(std::countr_zero(m));
            LaneMask const bit = LaneMask{1} << lane;
            std::uint64_t const* begin = read.at[lane];
            reads.count[lane] = read.count[lane];
            if ((left & bit) != 0) {
                texture::Footprint footprint;
                one_by_one(bit, &footprint);
                reads.count[lane] = static_cast<std::uint32_t>(footprint.texels().size());
                reads.texels.insert(reads.texels.end(), footprint.texels().begin(), footprint.texels().end());
                continue;
            }
            reads.texels.insert(reads.texels.end(), begin, begin + reads.count[lane]);
        }
        put_results(i_, f_, results_, is_integer(), mask_);
        return reads;
    }

private:
    bool is_integer() const { return image_.format.is_integer() && !f_.kind.compares; }
    // Results may be the registers of the coordinates, which the lanes that are left still need.
    void keep_results(texture::FetchColumns& columns) {
        for (std::size_t c = 0; c < 4; ++c) columns.results[c] = results_.channel[c];
    }
    LaneMask at_once(texture::FetchColumns const& columns) const {
        return texture::fetch_planes(*f_.planes, image_, sampler_, f_.kind, columns, mask_);
    }
    void one_by_one(LaneMask mask, texture::Footprint* footprint) {
        for (LaneMask m = mask; m != 0; m &= m - 1) {
            int const lane = std::countr_zero(m);
            Texel const texel = texture::sample(image_, sampler_, f_.kind, fetch_of(i_, f_, lane), footprint);
            for (std::size_t c = 0; c < 4; ++c) results_.channel[c][lane] = texel[c];
        }
    }

    WarpInstruction const& i_;
    TextureFetch const& f_;
    Image const& image_;
    texture::Sampler const& sampler_;
    LaneMask mask_;
    Channels results_;
};

/// The lanes of `mask` have one texture and one sampler.
void fetch_lanes(WarpInstruction const& i, TextureFetch const& f, LaneMask mask) {
    int const first = std::countr_zero(mask);
    texture::Texture const& t = texture_of(i, f.texture, first);
    texture::Sampler const& sampler = f.sampler ? sampler_of(i, *f.sampler, first) : t.sampler;
    check_geometry(i, f, t.image, first);
    check_offsets(i, f, mask);
    bool const is_timed = i.parts.execution.model != nullptr;
    bool const is_told = i.sinks().want(EventKind::texel_access);
    LanesFetch fetch(i, f, t.image, sampler, mask);
    if (!is_timed && !is_told) return fetch.fetch();
    TextureReads reads = fetch.fetch_and_tell();
    if (is_told) tell_of_texels(i, reads);
    if (is_timed) {
        std::uint32_t const of_lane = f.type == Type::f16 || f.type == Type::f16x2 ? 8 : 16;
        reads.result_bytes = of_lane * static_cast<std::uint32_t>(std::popcount(mask));
        i.parts.execution.model->texture(reads);
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
