// What loads, stores and atomics do to the shadow of memory and of registers.
#include "runtime/check/init/init_check.hpp"

#include "sim/exec/tensor/tensor_box.hpp"

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

/// The bits of a value of up to 16 bytes; of more than 8, each stands for two.
Bits bits_of(ShadowByte const* bytes, std::size_t count) {
    Bits bits = 0;
    if (count <= 8) {
        std::memcpy(&bits, bytes, count);
        return bits;
    }
    for (std::size_t i = 0; i < count; ++i)
        for (unsigned pair = 0; pair < 4; ++pair)
            bits |= Bits{(bytes[i] >> (2 * pair) & 3) != 0} << (4 * i + pair);
    return bits;
}
void put_bits(Bits bits, ShadowByte* bytes, std::size_t count) {
    if (count <= 8) {
        std::memcpy(bytes, &bits, count);
        return;
    }
    for (std::size_t i = 0; i < count; ++i) {
        bytes[i] = 0;
        for (unsigned pair = 0; pair < 4; ++pair)
            bytes[i] |= static_cast<ShadowByte>((bits >> (4 * i + pair) & 1) * (3u << (2 * pair)));
    }
}

/// What a loaded value makes of a register.
Bits extended_bits(Bits bits, std::size_t bytes, bool is_signed, unsigned register_bits) {
    unsigned const width = static_cast<unsigned>(8 * bytes);
    if (is_signed && width < 64 && (bits >> (width - 1) & 1) != 0) bits |= ~low_bits(width);
    return bits & low_bits(register_bits);
}

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

bool InitCheck::is_defined(sim::AccessEvent const& e, Reach const& r) {
    sim::Addresses const& a = e.addresses;
    std::size_t const bytes = a.bytes;
    bool const is_near = a.past_high - a.low <= near;
    if (r.flat == nullptr) {
        if (e.space == SpaceKind::param_entry) return true;
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
        if (region != nullptr)
            region->widest_element = std::max<std::uint8_t>(region->widest_element,
                                                            static_cast<std::uint8_t>(e.access.memory_log2 + 1));
        if (is_range || a.pattern == sim::Pattern::uniform) return global_.define(a.low, a.past_high);
        if (a.past_high - a.low <= near && global_.is_defined(a.low, a.past_high)) return;
        for (LaneMask m = a.mask; m != 0; m &= m - 1) {
            std::uint64_t const at = a.of(std::countr_zero(m));
            global_.define(at, at + a.bytes);
        }
        return;
    }
    std::uint64_t const mask = r.is_interleaved ? ~std::uint64_t{0} : (std::uint64_t{1} << sim::rank_shift) - 1;
    if (is_range && !r.is_interleaved && (a.low & mask) + 32 * a.bytes <= r.flat->bytes.size()) {
        define_bytes(r.flat->bytes.data() + (a.low & mask), 32 * std::size_t{a.bytes});
        return;
    }
    std::array<ShadowByte, 64> const zeros{};
    for (LaneMask m = a.mask; m != 0; m &= m - 1) {
        auto const lane = static_cast<unsigned>(std::countr_zero(m));
        write(r, e.site, lane, a.of(static_cast<int>(lane)), std::min<std::size_t>(a.bytes, zeros.size()),
              zeros.data(), 0);
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
            if (!is_defined(e, r)) load(e, r, f, f.steps().steps[e.site.op.instruction]);
            return;
        case sim::OpKind::store:
            if (f.is_clean()) return define(e, r);
            return store(e, r, f, f.steps().steps[e.site.op.instruction]);
        case sim::OpKind::atomic:
            if (!f.is_clean() || !is_defined(e, r)) exchange(e, r, f, f.steps().steps[e.site.op.instruction]);
            return;
        default: break;
    }
    if (isa::facts(effect).is(
            isa::EffectFacts::writes)) {  // of bytes that no lane holds, by the instruction itself
        std::uint64_t const at = e.addresses.low & ((std::uint64_t{1} << sim::rank_shift) - 1);
        if (r.flat != nullptr && at + e.addresses.bytes <= r.flat->bytes.size())
            define_bytes(r.flat->bytes.data() + at, e.addresses.bytes);
    } else if (effect == Effect::texture_fetch || effect == Effect::texture_gather) {
        if (!is_defined(e, r)) fetch(e, f, f.steps().steps[e.site.op.instruction]);
    }
}

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

/// ldmatrix: each access is of eight rows, of which four lanes have one. Without a rearrangement they stay where they are;
/// with one, the result counts as defined.
void InitCheck::load_rows(sim::AccessEvent const& e, Reach const& r, FrameShadow& f, Step const& step) {
    auto const& ops = e.site.frame.function->ops;
    auto const at = static_cast<std::size_t>(&e.site.op - ops.data());
    std::size_t group = 0;
    for (std::size_t i = at; i-- > 0 && ops[i].instruction == e.site.op.instruction;)
        group += ops[i].kind == sim::OpKind::load;
    ir::Instruction const& instruction = e.site.frame.function->function->instructions[e.site.op.instruction];
    ir::Form const& form = launch_->plan.module->forms[instruction.form];
    bool const stays = !form.has(isa::Modifier::trans) && form.has(isa::Modifier::m8n8);
    LaneMask undefined = 0;
    for (LaneMask m = e.addresses.mask; m != 0; m &= m - 1) {
        auto const lane = static_cast<unsigned>(std::countr_zero(m));
        std::uint64_t const from = e.addresses.of(static_cast<int>(lane));
        std::array<ShadowByte, 4> shadow;
        read(r, e.site, lane, from, 4, shadow.data());
        Bits const bits = bits_of(shadow.data(), 4);
        if (bits == 0) continue;
        undefined |= LaneMask{1} << lane;
        if (!is_strict_ && stays && group < step.targets.size() && step.targets[group].reg != ir::none)
            f.set(step.targets[group].reg, lane, bits, origin(r, e.site, lane, from, shadow.data(), 4));
    }
    if (!is_strict_ || undefined == 0) return;
    auto const lane = static_cast<unsigned>(std::countr_zero(undefined));
    note_read(e.site, undefined, lane, new_origin(r.space, e.site, lane, e.addresses.of(static_cast<int>(lane))));
}

void InitCheck::store(sim::AccessEvent const& e, Reach const& r, FrameShadow& f, Step const& step) {
    LaneMask concerned = 0;
    for (Source const& s : step.sources)
        if (s.reg != ir::none) concerned |= f.undefined(s.reg);
    concerned &= e.addresses.mask;
    // What is rearranged on its way counts as defined.
    if (concerned == 0 || step.effect == Effect::matrix_store) return define(e, r);
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
        region->widest_element =
            std::max<std::uint8_t>(region->widest_element, static_cast<std::uint8_t>(e.access.memory_log2 + 1));
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

// ---- copies ------------------------------------------------------------------------------------------------------

std::vector<ShadowByte> InitCheck::bytes_at(sim::MemoryPlace const& place, std::size_t count) {
    std::vector<ShadowByte> bytes(count);
    if (place.cta == nullptr) {
        global_.read(place.address, count, bytes.data());
        return bytes;
    }
    std::vector<ShadowByte> const& shared = cta(*place.cta).shared.bytes;
    if (place.address + count <= shared.size()) std::copy_n(shared.data() + place.address, count, bytes.data());
    return bytes;
}

void InitCheck::set_bytes(sim::MemoryPlace const& place, std::span<ShadowByte const> bytes, OriginId origin) {
    if (place.cta == nullptr) return global_.write(place.address, bytes.size(), bytes.data(), origin);
    FlatShadow& shared = cta(*place.cta).shared;
    if (place.address + bytes.size() > shared.bytes.size()) return;
    std::copy(bytes.begin(), bytes.end(), shared.bytes.data() + place.address);
    for (std::size_t b = 0; b < bytes.size(); b += 4) shared.set_origin(place.address + b, origin);
}

OriginId InitCheck::origin_at(sim::MemoryPlace const& place, sim::Site const& site, unsigned lane,
                              std::span<ShadowByte const> bytes) {
    auto const first = std::find_if(bytes.begin(), bytes.end(), [](ShadowByte b) { return b != 0; });
    if (first == bytes.end()) return 0;
    Reach const r =
        place.cta == nullptr ? Reach{SpaceKind::global} : Reach{SpaceKind::shared, &cta(*place.cta).shared};
    return origin(r, site, lane, place.address + static_cast<std::uint64_t>(first - bytes.begin()), &*first, 1);
}

void InitCheck::copy_issues(sim::CopyIssue const& e) {
    if (host_.has_some()) hear_of_host();
    auto const lane = static_cast<unsigned>(e.lane);
    std::vector<ShadowByte> const zeros(e.bytes);
    if (e.tensor != nullptr) {
        // Where a byte of the one memory comes from in the other depends on the map: what arrives counts as defined.
        if (e.to.cta != nullptr) return set_bytes(e.to, zeros, 0);
        for (sim::tensor::Run const& run : e.tensor->runs) global_.define(run.address, run.address + run.bytes);
        return;
    }
    if (e.is_of_registers) return set_bytes(e.to, zeros, 0);
    std::vector<ShadowByte> bytes = bytes_at(e.from, e.source_bytes);
    bool const has_undefined_bytes = has_undefined(bytes.data(), bytes.size());
    OriginId const from = has_undefined_bytes ? origin_at(e.from, e.site, lane, bytes) : 0;
    if (has_undefined_bytes && is_strict_) {
        note_read(e.site, LaneMask{1} << lane, lane, from);
        std::fill(bytes.begin(), bytes.end(), ShadowByte{0});
    }
    bytes.resize(e.bytes);
    ir::Instruction const& instruction = e.site.frame.function->function->instructions[e.site.op.instruction];
    ir::Form const& form = launch_->plan.module->forms[instruction.form];
    bool const reduces = form.operation == isa::Operation::cp_reduce_async_bulk;
    bool const is_partial = form.has(isa::Modifier::cp_mask);  // which bytes is not told
    if (reduces || is_partial) {
        std::vector<ShadowByte> const before = bytes_at(e.to, e.bytes);
        for (std::size_t b = 0; b < bytes.size(); ++b)
            bytes[b] = static_cast<ShadowByte>(reduces ? bytes[b] | before[b] : bytes[b] & before[b]);
    }
    set_bytes(e.to, bytes, from);
}

void InitCheck::mbarrier(sim::MbarrierEvent const& e) {
    if (e.operation != sim::MbarrierOperation::initialize) return;
    std::array<ShadowByte, 8> const zeros{};
    set_bytes(e.place, zeros, 0);
}

void InitCheck::runtime_access(sim::RuntimeAccessEvent const& e) {
    FrameShadow& f = frame(e.site);
    sim::Windows const& w = launch_->windows;
    Reach r{SpaceKind::global};
    std::uint64_t at = e.address;
    if (sim::Windows::inside(at, w.shared)) {
        r = {SpaceKind::shared, &cta(e.site.cta).shared, false};
        at -= w.shared;
    } else if (sim::Windows::inside(at, w.local)) {
        r = {SpaceKind::local, &warp(e.site).local.flat(), true};
        at -= w.local;
    } else if (sim::Windows::inside(at, w.param)) {
        return;
    }
    static_cast<void>(f);
    auto const lane = static_cast<unsigned>(e.lane);
    std::vector<ShadowByte> bytes(e.bytes);
    if (e.is_write) return write(r, e.site, lane, at, bytes.size(), bytes.data(), 0);
    read(r, e.site, lane, at, bytes.size(), bytes.data());
    if (has_undefined(bytes.data(), bytes.size()))
        report(Use::printed, e.site, LaneMask{1} << lane, lane,
               origin(r, e.site, lane, at, bytes.data(), bytes.size()));
}

}  // namespace warpsim::check
