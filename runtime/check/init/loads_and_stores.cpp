// What loads, stores, atomics and fetches do to the shadow of memory and of registers.
#include "runtime/check/init/init_check.hpp"
#include "runtime/check/init/value_bits.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace warpsim::check {

using isa::Effect;
using sim::SpaceKind;

void InitCheck::load(sim::AccessEvent const& e, Reach const& r, FrameShadow& f, Step const& step) {
    if (step.effect == Effect::matrix_load) return load_rows(e, r, f, step);
    std::size_t const bytes = std::size_t{1} << e.access.memory_log2;
    LaneMask strict = 0;
    OriginId strict_origin = 0;
    for (std::size_t k = 0; k < e.access.elements; ++k) {
        Target const* target = k < step.targets.size() ? &step.targets[k] : nullptr;
        if (step.effect == Effect::fragment_load) {
            auto const& slots = e.site.frame.function->register_slot;
            auto const found = std::find_if(step.targets.begin(), step.targets.end(), [&](Target const& t) {
                return t.reg != ir::none && slots[t.reg] == e.access.data[k];
            });
            target = found == step.targets.end() ? nullptr : &*found;
        }
        if (target == nullptr || target->reg == ir::none) continue;
        for (LaneMask m = e.addresses.mask; m != 0; m &= m - 1) {
            auto const lane = static_cast<unsigned>(std::countr_zero(m));
            std::uint64_t const at = e.addresses.of(static_cast<int>(lane)) + k * bytes;
            std::array<ShadowByte, 16> shadow;
            read(r, e.site, lane, at, bytes, shadow.data());
            Bits bits = bits_of(shadow.data(), bytes);
            if (step.effect == Effect::fragment_load) {
                // The other elements of the register keep theirs.
                unsigned const shift = 8u * e.access.register_byte;
                bits = bits << shift |
                       (f.bits(target->reg, lane) & ~(low_bits(static_cast<unsigned>(8 * bytes)) << shift));
            } else {
                bits = extended_bits(bits, bytes, e.access.is_signed, target->register_bits);
            }
            if (bits == 0) {
                f.define(target->reg, LaneMask{1} << lane);
                continue;
            }
            OriginId const from = origin(r, e.site, lane, at, shadow.data(), bytes);
            if (is_strict_) {
                strict |= LaneMask{1} << lane;
                if (strict_origin == 0) strict_origin = from;
            } else {
                f.set(target->reg, lane, bits, from);
            }
        }
    }
    if (strict != 0) note_read(e.site, strict, static_cast<unsigned>(std::countr_zero(strict)), strict_origin);
}

void InitCheck::store(sim::AccessEvent const& e, Reach const& r, FrameShadow& f, Step const& step) {
    if (step.effect == Effect::matrix_store) return store_rows(e, r, f, step);
    LaneMask concerned = 0;
    for (Source const& s : step.sources)
        if (s.reg != ir::none) concerned |= f.undefined(s.reg);
    concerned &= e.addresses.mask;
    if (concerned == 0) return define(e, r);
    std::size_t const bytes = std::size_t{1} << e.access.memory_log2;
    std::array<ShadowByte, 16> const zeros{};
    for (std::size_t k = 0; k < e.access.elements; ++k) {
        Source const* source = k < step.sources.size() ? &step.sources[k] : nullptr;
        if (step.effect == Effect::fragment_store) {
            auto const& slots = e.site.frame.function->register_slot;
            auto const found = std::find_if(step.sources.begin(), step.sources.end(), [&](Source const& s) {
                return s.reg != ir::none && slots[s.reg] == e.access.data[k];
            });
            source = found == step.sources.end() ? nullptr : &*found;
        }
        for (LaneMask m = e.addresses.mask; m != 0; m &= m - 1) {
            auto const lane = static_cast<unsigned>(std::countr_zero(m));
            std::uint64_t const at = e.addresses.of(static_cast<int>(lane)) + k * bytes;
            Bits const bits = source == nullptr || source->reg == ir::none
                                  ? 0
                                  : f.bits(source->reg, lane) >> (8u * e.access.register_byte);
            if (bits == 0) {
                write(r, e.site, lane, at, bytes, zeros.data(), 0);
                continue;
            }
            std::array<ShadowByte, 16> shadow;
            put_bits(bits, shadow.data(), bytes);
            write(r, e.site, lane, at, bytes, shadow.data(), f.origin(source->reg, lane));
        }
    }
    if (GlobalShadow::Region* const region = r.flat == nullptr ? global_.find(e.addresses.low) : nullptr)
        region->element_sizes |= static_cast<std::uint8_t>(1u << e.access.memory_log2);
}

/// Atomics: the old value, and what becomes of it.
void InitCheck::exchange(sim::AccessEvent const& e, Reach const& r, FrameShadow& f, Step const& step) {
    std::size_t const bytes = std::size_t{1} << e.access.memory_log2;
    LaneMask strict = 0;
    OriginId strict_origin = 0;
    for (std::size_t k = 0; k < e.access.elements; ++k) {
        Target const* const target = k < step.targets.size() ? &step.targets[k] : nullptr;
        std::size_t const operand = step.compares ? 1 : k;
        Source const* const source = operand < step.sources.size() ? &step.sources[operand] : nullptr;
        for (LaneMask m = e.addresses.mask; m != 0; m &= m - 1) {
            auto const lane = static_cast<unsigned>(std::countr_zero(m));
            std::uint64_t const at = e.addresses.of(static_cast<int>(lane)) + k * bytes;
            std::array<ShadowByte, 16> shadow;
            read(r, e.site, lane, at, bytes, shadow.data());
            Bits old = bits_of(shadow.data(), bytes);
            OriginId const from = old != 0 ? origin(r, e.site, lane, at, shadow.data(), bytes) : 0;
            if (is_strict_ && old != 0) {
                strict |= LaneMask{1} << lane;
                if (strict_origin == 0) strict_origin = from;
                old = 0;
            }
            bool const has_source = source != nullptr && source->reg != ir::none;
            Bits const added = has_source ? f.bits(source->reg, lane) : 0;
            OriginId const added_from = has_source ? f.origin(source->reg, lane) : 0;
            Bits const all = bytes > 8 ? ~Bits{0} : low_bits(static_cast<unsigned>(8 * bytes));
            Bits const result = step.replaces ? added : step.compares ? old | added : (old | added) != 0 ? all : 0;
            put_bits(result, shadow.data(), bytes);
            write(r, e.site, lane, at, bytes, shadow.data(), old != 0 && !step.replaces ? from : added_from);
            if (target != nullptr && target->reg != ir::none)
                f.set(target->reg, lane, extended_bits(old, bytes, target->is_signed, target->register_bits),
                      from);
        }
    }
    if (strict != 0) note_read(e.site, strict, static_cast<unsigned>(std::countr_zero(strict)), strict_origin);
}

/// A texel that nobody has written makes all of the result undefined.
void InitCheck::fetch(sim::AccessEvent const& e, FrameShadow& f, Step const& step) {
    for (LaneMask m = e.addresses.mask; m != 0; m &= m - 1) {
        auto const lane = static_cast<unsigned>(std::countr_zero(m));
        std::uint64_t const at = e.addresses.of(static_cast<int>(lane));
        if (global_.is_defined(at, at + e.addresses.bytes)) continue;
        OriginId const from = new_origin(SpaceKind::global, e.site, lane, at);
        if (is_strict_) {
            note_read(e.site, LaneMask{1} << lane, lane, from);
            continue;
        }
        for (Target const& t : step.targets)
            if (t.reg != ir::none) f.set(t.reg, lane, low_bits(t.register_bits), from);
    }
}

}  // namespace warpsim::check
