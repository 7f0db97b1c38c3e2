// What asynchronous copies, mbarriers and the simulator itself do to the shadow of memory.
#include "runtime/check/init/init_check.hpp"
#include "runtime/check/init/value_bits.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

namespace warpsim::check {

using sim::SpaceKind;

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

/// cp.async of a warp.
void InitCheck::warp_copies(sim::WarpCopyIssue const& e) {
    if (host_.has_some()) hear_of_host();
    if (is_defined(e.from, {SpaceKind::global})) return define(e.to, cta(e.site.cta).shared);
    for (LaneMask m = e.to.mask; m != 0; m &= m - 1) {
        int const lane = std::countr_zero(m);
        bool const reads = (e.from.mask >> lane & 1) != 0;
        copy(e.site, static_cast<unsigned>(lane), {nullptr, reads ? e.from.of(lane) : 0}, reads ? e.from.bytes : 0,
             {&e.site.cta, e.to.of(lane)}, e.to.bytes);
    }
}

void InitCheck::bulk_copies(sim::BulkCopyIssue const& e) {
    if (host_.has_some()) hear_of_host();
    if (e.tensor != nullptr) return copy_tensor(e);
    if (e.is_of_registers) return store_registers(e);
    copy(e.site, static_cast<unsigned>(e.lane), e.from, e.source_bytes, e.to, e.bytes);
}

/// What is behind the bytes of the source becomes zero.
void InitCheck::copy(sim::Site const& site, unsigned lane, sim::MemoryPlace const& source,
                     std::size_t source_bytes, sim::MemoryPlace const& to, std::size_t count) {
    std::vector<ShadowByte> bytes = bytes_at(source, source_bytes);
    bool const has_undefined_bytes = has_undefined(bytes.data(), bytes.size());
    OriginId const from = has_undefined_bytes ? origin_at(source, site, lane, bytes) : 0;
    if (has_undefined_bytes && is_strict_) {
        note_read(site, LaneMask{1} << lane, lane, from);
        std::fill(bytes.begin(), bytes.end(), ShadowByte{0});
    }
    bytes.resize(count);
    bool const reduces = form(site).operation == isa::Operation::cp_reduce_async_bulk;
    bool const is_partial = form(site).has(isa::Modifier::cp_mask);  // which bytes is not told
    if (reduces || is_partial) {
        std::vector<ShadowByte> const before = bytes_at(to, count);
        for (std::size_t b = 0; b < bytes.size(); ++b)
            bytes[b] = static_cast<ShadowByte>(reduces ? bytes[b] | before[b] : bytes[b] & before[b]);
    }
    set_bytes(to, bytes, from);
}

/// st.async and red.async: what lanes bring, which arrives like a copy.
void InitCheck::store_registers(sim::CopyIssue const& e) {
    FrameShadow& f = frame(e.site);
    Step const& step = f.steps().steps[e.site.op.instruction];
    auto const lane = static_cast<unsigned>(e.lane);
    std::vector<ShadowByte> bytes(e.bytes);
    OriginId from = 0;
    std::size_t const each = step.sources.empty() ? 0 : e.bytes / step.sources.size();
    for (std::size_t i = 0; i < step.sources.size() && !f.is_clean(); ++i) {
        if (step.sources[i].reg == ir::none || f.bits(step.sources[i].reg, lane) == 0) continue;
        put_bits(f.bits(step.sources[i].reg, lane), bytes.data() + each * i, each);
        from = f.origin(step.sources[i].reg, lane);
    }
    if (e.reduced_bytes != 0) reduce(bytes, bytes_at(e.to, e.bytes), e.reduced_bytes);
    set_bytes(e.to, bytes, from);
}

/// An element that is combined with what stands there is undefined as a whole if anything of the two is.
void InitCheck::reduce(std::vector<ShadowByte>& bytes, std::vector<ShadowByte> const& before,
                       std::size_t element) {
    for (std::size_t at = 0; at + element <= bytes.size(); at += element) {
        bool const is_undefined = has_undefined(&bytes[at], element) || has_undefined(&before[at], element);
        std::fill_n(&bytes[at], element, is_undefined ? undefined_byte : ShadowByte{0});
    }
}

void InitCheck::mbarrier(sim::MbarrierEvent const& e) {
    if (e.operation != sim::MbarrierOperation::initialize) return;
    std::array<ShadowByte, 8> const zeros{};
    set_bytes(e.place, zeros, 0);
}

void InitCheck::runtime_access(sim::RuntimeAccessEvent const& e) {
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
    auto const lane = static_cast<unsigned>(e.lane);
    std::vector<ShadowByte> bytes(e.bytes);
    if (e.site.op.effect == isa::Effect::tensor_memory_allocate) begin_tensor_columns(e.site, at);
    if (e.is_write) return write(r, e.site, lane, at, bytes.size(), bytes.data(), 0);
    read(r, e.site, lane, at, bytes.size(), bytes.data());
    if (has_undefined(bytes.data(), bytes.size()))
        report(Use::printed, e.site, LaneMask{1} << lane, lane,
               origin(r, e.site, lane, at, bytes.data(), bytes.size()));
}

}  // namespace warpsim::check
