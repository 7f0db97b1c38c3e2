// The shadow of the memory that an access of a warp reaches, and which part of the checker an access is a matter of.
#include "runtime/check/init/init_check.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <vector>

namespace warpsim::check {

using isa::Effect;
using sim::SpaceKind;

namespace {

/// Accesses that reach further apart are looked at lane by lane.
constexpr std::uint64_t near = 1024;

}  // namespace

InitCheck::Reach InitCheck::reach(sim::AccessEvent const& e, FrameShadow& f) {
    switch (e.space) {
        case SpaceKind::shared: {
            sim::Cta const& of = e.addresses.low >> sim::rank_shift != 0
                                     ? owner(e.site.cta, e.addresses.of(std::countr_zero(e.addresses.mask)))
                                     : e.site.cta;
            return {e.space, &cta(of).shared, false};
        }
        case SpaceKind::local: return {e.space, &warp(e.site).local.flat(), true};
        case SpaceKind::frame_param: return {e.space, &f.parameters().flat(), true};
        default: return {e.space};
    }
}

bool InitCheck::is_defined(sim::Addresses const& a, Reach const& r) {
    std::size_t const bytes = a.bytes;
    bool const is_near = a.past_high - a.low <= near;
    if (r.flat == nullptr) {
        if (r.space == SpaceKind::param_entry) return true;
        if (is_near && global_.is_defined(a.low, a.past_high)) return true;
        for (LaneMask m = a.mask; m != 0; m &= m - 1) {
            std::uint64_t const at = a.of(std::countr_zero(m));
            if (!global_.is_defined(at, at + bytes)) return false;
        }
        return true;
    }
    std::vector<ShadowByte> const& shadow = r.flat->bytes;
    if (r.is_interleaved) {
        // Rows of words: all lanes of the words that any of them reaches.
        std::uint64_t const first = a.low / 4 * 128, last = (a.past_high + 3) / 4 * 128;
        if (last <= shadow.size() && last - first <= near && !has_undefined(shadow.data() + first, last - first))
            return true;
        for (LaneMask m = a.mask; m != 0; m &= m - 1) {
            auto const lane = static_cast<unsigned>(std::countr_zero(m));
            for (std::uint64_t b = a.of(static_cast<int>(lane)), end = b + bytes; b < end; ++b) {
                std::size_t const place = InterleavedShadow::place(b, lane);
                if (place < shadow.size() && shadow[place] != 0) return false;
            }
        }
        return true;
    }
    std::uint64_t const mask = (std::uint64_t{1} << sim::rank_shift) - 1;
    std::uint64_t const low = a.low & mask;
    bool const is_whole = a.pattern == sim::Pattern::scattered && a.mask == isa::all_lanes && bytes == 4;
    if (is_whole && low + (a.past_high - a.low) <= shadow.size()) {
        std::uint32_t any = 0;
        for (std::uint64_t const at : a.lane) {
            std::uint32_t word = 0;
            std::memcpy(&word, shadow.data() + (at & mask), sizeof word);
            any |= word;
        }
        return any == 0;
    }
    if (is_near && low + (a.past_high - a.low) <= shadow.size() &&
        !has_undefined(shadow.data() + low, a.past_high - a.low))
        return true;
    for (LaneMask m = a.mask; m != 0; m &= m - 1) {
        std::uint64_t const at = a.of(std::countr_zero(m)) & mask;
        if (at + bytes <= shadow.size() && has_undefined(shadow.data() + at, bytes)) return false;
    }
    return true;
}

/// A store of defined values.
void InitCheck::define(sim::AccessEvent const& e, Reach const& r) {
    sim::Addresses const& a = e.addresses;
    bool const is_range = a.pattern == sim::Pattern::affine && a.mask == isa::all_lanes;
    if (r.flat == nullptr) {
        GlobalShadow::Region* const region = global_.find(a.low);
        if (region != nullptr) region->element_sizes |= static_cast<std::uint8_t>(1u << e.access.memory_log2);
        if (is_range || a.pattern == sim::Pattern::uniform) return global_.define(a.low, a.past_high);
        if (a.past_high - a.low <= near && global_.is_defined(a.low, a.past_high)) return;
        for (LaneMask m = a.mask; m != 0; m &= m - 1) {
            std::uint64_t const at = a.of(std::countr_zero(m));
            global_.define(at, at + a.bytes);
        }
        return;
    }
    if (!r.is_interleaved) return define(a, *r.flat);
    std::array<ShadowByte, 64> const zeros{};
    for (LaneMask m = a.mask; m != 0; m &= m - 1) {
        auto const lane = static_cast<unsigned>(std::countr_zero(m));
        write(r, e.site, lane, a.of(static_cast<int>(lane)), std::min<std::size_t>(a.bytes, zeros.size()),
              zeros.data(), 0);
    }
}

/// In shared memory.
void InitCheck::define(sim::Addresses const& a, FlatShadow& shadow) {
    std::uint64_t const mask = (std::uint64_t{1} << sim::rank_shift) - 1;
    bool const is_range = a.pattern == sim::Pattern::affine && a.mask == isa::all_lanes;
    if (is_range && (a.low & mask) + 32 * std::uint64_t{a.bytes} <= shadow.bytes.size()) {
        define_bytes(shadow.bytes.data() + (a.low & mask), 32 * std::size_t{a.bytes});
        return;
    }
    for (LaneMask m = a.mask; m != 0; m &= m - 1) {
        std::uint64_t const at = a.of(std::countr_zero(m)) & mask;
        if (at + a.bytes <= shadow.bytes.size()) define_bytes(shadow.bytes.data() + at, a.bytes);
    }
}

void InitCheck::read(Reach const& r, sim::Site const&, unsigned lane, std::uint64_t address, std::size_t bytes,
                     ShadowByte* to) {
    if (r.flat == nullptr) {
        if (r.space == SpaceKind::param_entry) std::memset(to, 0, bytes);
        else global_.read(address, bytes, to);
        return;
    }
    if (!r.is_interleaved) address &= (std::uint64_t{1} << sim::rank_shift) - 1;
    for (std::size_t b = 0; b < bytes; ++b) {
        std::size_t const place = r.is_interleaved ? InterleavedShadow::place(address + b, lane) : address + b;
        to[b] = place < r.flat->bytes.size() ? r.flat->bytes[place] : ShadowByte{0};
    }
}

void InitCheck::write(Reach const& r, sim::Site const&, unsigned lane, std::uint64_t address, std::size_t bytes,
                      ShadowByte const* from, OriginId origin) {
    if (r.flat == nullptr) {
        if (r.space != SpaceKind::param_entry) global_.write(address, bytes, from, origin);
        return;
    }
    if (!r.is_interleaved) address &= (std::uint64_t{1} << sim::rank_shift) - 1;
    for (std::size_t b = 0; b < bytes; ++b) {
        std::size_t const place = r.is_interleaved ? InterleavedShadow::place(address + b, lane) : address + b;
        if (place >= r.flat->bytes.size()) return;
        r.flat->bytes[place] = from[b];
        r.flat->set_origin(place, origin);
    }
}

OriginId InitCheck::origin(Reach const& r, sim::Site const& site, unsigned lane, std::uint64_t address,
                           ShadowByte const* bytes, std::size_t count) {
    while (count > 1 && *bytes == 0) {
        ++bytes;
        ++address;
        --count;
    }
    if (!r.is_interleaved && r.flat != nullptr) address &= (std::uint64_t{1} << sim::rank_shift) - 1;
    std::size_t const place = r.is_interleaved ? InterleavedShadow::place(address, lane) : address;
    OriginId const stored = r.flat == nullptr ? global_.origin(address) : r.flat->origin(place);
    return stored != 0 ? stored : new_origin(r.space, site, lane, address);
}

void InitCheck::access(sim::AccessEvent const& e) {
    if (host_.has_some()) hear_of_host();
    FrameShadow& f = frame(e.site);
    Reach const r = reach(e, f);
    Effect const effect = e.site.op.effect;
    if (effect == Effect::prefetch) {
        // The bytes that `discard` names have no value any more.
        if (e.site.op.kind != sim::OpKind::store || e.space != SpaceKind::global) return;
        for (LaneMask m = e.addresses.mask; m != 0; m &= m - 1) {
            std::uint64_t const at = e.addresses.of(std::countr_zero(m));
            global_.undefine(at, at + e.addresses.bytes);
        }
        return;
    }
    switch (e.site.op.kind) {
        case sim::OpKind::load:
            if (!is_defined(e.addresses, r)) load(e, r, f, f.steps().steps[e.site.op.instruction]);
            return;
        case sim::OpKind::store:
            if (f.is_clean()) return define(e, r);
            return store(e, r, f, f.steps().steps[e.site.op.instruction]);
        case sim::OpKind::atomic:
            if (!f.is_clean() || !is_defined(e.addresses, r))
                exchange(e, r, f, f.steps().steps[e.site.op.instruction]);
            return;
        default: break;
    }
    if (isa::facts(effect).is(
            isa::EffectFacts::writes)) {  // of bytes that no lane holds, by the instruction itself
        std::uint64_t const at = e.addresses.low & ((std::uint64_t{1} << sim::rank_shift) - 1);
        if (r.flat != nullptr && at + e.addresses.bytes <= r.flat->bytes.size())
            define_bytes(r.flat->bytes.data() + at, e.addresses.bytes);
    } else if (effect == Effect::texture_fetch || effect == Effect::texture_gather) {
        if (!is_defined(e.addresses, r)) fetch(e, f, f.steps().steps[e.site.op.instruction]);
    }
}

}  // namespace warpsim::check
