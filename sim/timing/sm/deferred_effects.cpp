#include "sim/timing/sm/deferred_effects.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace warpsim::timing {

namespace {

constexpr std::size_t first_places = 64;  // of the index: few of the host's lines are cleared in each epoch

/// Lane i at `at` + i * bytes: the layout of staged operands.
Addresses staged_addresses(Addresses const& a, std::byte* at) {
    Addresses row;
    row.pattern = sim::Pattern::affine;
    row.mask = a.mask;
    row.bytes = a.bytes;
    row.lane_zero = reinterpret_cast<std::uint64_t>(at);
    row.low = row.lane_zero;
    row.past_high = row.lane_zero + 32ull * a.bytes;
    return row;
}

/// The most frequent numbers of bytes take no call.
inline void copy_bytes(void* to, void const* from, std::size_t bytes) {
    switch (bytes) {
        case 4: std::memcpy(to, from, 4); return;
        case 8: std::memcpy(to, from, 8); return;
        case 32: std::memcpy(to, from, 32); return;
        case 128: std::memcpy(to, from, 128); return;
        default: std::memcpy(to, from, bytes);
    }
}

/// Only scattered lanes have addresses of their own.
void copy(Addresses const& from, Addresses& to) {
    if (from.pattern == sim::Pattern::scattered) {
        to = from;
        return;
    }
    to.low = from.low;
    to.past_high = from.past_high;
    to.misaligned = from.misaligned;
    to.lane_zero = from.lane_zero;
    to.mask = from.mask;
    to.bytes = from.bytes;
    to.pattern = from.pattern;
}

/// Calls each(lane, address, bytes) for adjacent lanes from `lane` on whose bytes follow one another.
template <class Each> void for_each_run(Addresses const& a, Each&& each) {
    if (a.pattern == sim::Pattern::affine && a.mask == isa::all_lanes) return each(0, a.lane_zero, 32 * a.bytes);
    for (sim::LaneMask left = a.mask; left != 0;) {
        int const first = std::countr_zero(left);
        std::uint64_t const begin = a.of(first);
        std::uint64_t end = begin;
        int lane = first;
        do {
            left &= left - 1;
            end += a.bytes;
            ++lane;
        } while (left != 0 && std::countr_zero(left) == lane && a.of(lane) == end);
        each(first, begin, static_cast<std::uint32_t>(end - begin));
    }
}

template <class Each> void for_each_lane(Addresses const& a, Each&& each) {
    for (sim::LaneMask m = a.mask; m != 0; m &= m - 1) {
        int const lane = std::countr_zero(m);
        each(lane, a.of(lane));
    }
}

/// Calls each(word, bits) for the words of a mask that have bits of these bytes.
template <class Each> void for_each_word(std::uint32_t first, std::uint32_t bytes, Each&& each) {
    for (std::uint32_t at = first, end = first + bytes; at < end; at = (at / 64 + 1) * 64) {
        std::uint32_t const count = std::min(end, (at / 64 + 1) * 64) - at;
        each(at / 64, (~std::uint64_t{0} >> (64 - count)) << at % 64);
    }
}

/// Calls each(number of a line, first byte in it, bytes) for what the bytes are of each line.
template <class Each> void for_each_line(std::uint64_t address, std::uint32_t bytes, Each&& each) {
    while (bytes != 0) {
        auto const within = static_cast<std::uint32_t>(address % line_bytes);
        std::uint32_t const piece = std::min(bytes, line_bytes - within);
        each(address / line_bytes, within, piece);
        address += piece;
        bytes -= piece;
    }
}

}  // namespace

Overlay::Overlay() : index_(first_places) {}

void Overlay::clear() {
    if (lines_.empty()) return;
    lines_.clear();
    lowest_ = UINT64_MAX;
    highest_ = 0;
    std::fill(index_.begin(), index_.end(), 0);
}

bool Overlay::has_any(Mask const& mask, std::uint32_t first, std::uint32_t bytes) {
    bool any = false;
    for_each_word(first, bytes, [&](std::uint32_t word, std::uint64_t bits) { any |= (mask[word] & bits) != 0; });
    return any;
}

void Overlay::add(Mask& mask, std::uint32_t first, std::uint32_t bytes) {
    for_each_word(first, bytes, [&](std::uint32_t word, std::uint64_t bits) { mask[word] |= bits; });
}

std::size_t Overlay::place_of(std::uint64_t number) const {
    std::size_t const mask = index_.size() - 1;
    std::size_t i = home_of(number);
    while (index_[i] != 0 && lines_[index_[i] - 1].number != number) i = (i + 1) & mask;
    return i;
}

Overlay::Line const* Overlay::find(std::uint64_t number) const {
    std::uint32_t const position = index_[place_of(number)];
    return position != 0 ? &lines_[position - 1] : nullptr;
}

[[gnu::always_inline]] inline Overlay::Line& Overlay::at(std::uint64_t number) {
    if (2 * (lines_.size() + 1) > index_.size()) grow();
    std::uint32_t& position = index_[place_of(number)];
    if (position != 0) return lines_[position - 1];
    Line& added = lines_.emplace_back(number);
    position = static_cast<std::uint32_t>(lines_.size());
    lowest_ = std::min(lowest_, number);
    highest_ = std::max(highest_, number);
    return added;
}

void Overlay::grow() {
    index_.assign(2 * index_.size(), 0);
    for (std::size_t i = 0; i < lines_.size(); ++i)
        index_[place_of(lines_[i].number)] = static_cast<std::uint32_t>(i + 1);
}

void Overlay::write(std::uint64_t address, std::uint32_t bytes, std::byte const* from) {
    for_each_line(address, bytes, [&](std::uint64_t number, std::uint32_t within, std::uint32_t piece) {
        Line& line = at(number);
        copy_bytes(line.bytes + within, from, piece);
        add(line.stored, within, piece);
        from += piece;
    });
}

void Overlay::mark_unknown(std::uint64_t address) {
    auto const within = static_cast<std::uint32_t>(address % line_bytes);
    add(at(address / line_bytes).unknown, within / sector_bytes * sector_bytes, sector_bytes);
}

/// Of whole sectors.
Overlay::Overlap Overlay::look(std::uint64_t address, std::uint32_t bytes) const {
    Overlap found = Overlap::none;
    for_each_line(address, bytes, [&](std::uint64_t number, std::uint32_t within, std::uint32_t piece) {
        Line const* const line = find(number);
        if (line == nullptr) return;
        if (has_any(line->unknown, within, piece)) found = Overlap::unknown;
        else if (has_any(line->stored, within, piece)) found = std::max(found, Overlap::stored);
    });
    return found;
}

void Overlay::patch(std::uint64_t address, std::uint32_t bytes, std::byte* to) const {
    for_each_line(address, bytes, [&](std::uint64_t number, std::uint32_t within, std::uint32_t piece) {
        if (Line const* const line = find(number)) {
            for_each_word(within, piece, [&](std::uint32_t word, std::uint64_t bits) {
                for (std::uint64_t m = line->stored[word] & bits; m != 0; m &= m - 1) {
                    std::uint32_t const i = 64 * word + static_cast<std::uint32_t>(std::countr_zero(m));
                    to[i - within] = line->bytes[i];
                }
            });
        }
        to += piece;
    });
}

DeferredEffect& EffectLog::add(Cycle cycle, sim::Cta& cta, sim::Warp& warp, sim::Op const& op,
                               sim::Access const& access, Addresses const& a) {
    DeferredEffect& e = effects_.emplace_back();
    e.cycle = cycle;
    e.cta = &cta;
    e.warp = &warp;
    e.op = &op;
    e.access = &access;
    e.frame = warp.bases[0];
    copy(a, e.addresses);
    return e;
}

std::byte* EffectLog::stage(std::size_t bytes, std::uint32_t& at) {
    at = static_cast<std::uint32_t>((staged_ + 63) / 64 * 64);
    staged_ = at + bytes;
    if (staged_ > staging_.size()) staging_.resize(2 * staged_);
    return staging_.data() + at;
}

void EffectLog::stage_store(DeferredEffect& e, sim::Warp& warp) {
    sim::Access const& access = *e.access;
    std::byte* const at = stage(32ull * e.addresses.bytes, e.staged);
    Addresses const row = staged_addresses(e.addresses, at);
    for (std::size_t i = 0; i < access.elements; ++i) {
        if (access.data[i] == sim::discard) continue;
        access.move[i](isa::column<std::byte>(warp.bases, access.data[i]), row, 0,
                       static_cast<std::uint32_t>(i << access.memory_log2));
    }
}

void EffectLog::store(Cycle cycle, sim::Cta& cta, sim::Warp& warp, sim::Op const& op, sim::Access const& access,
                      Addresses const& a) {
    DeferredEffect& e = add(cycle, cta, warp, op, access, a);
    stage_store(e, warp);
    std::byte const* const at = staging_.data() + e.staged;
    for_each_run(a, [&](int lane, std::uint64_t address, std::uint32_t bytes) {
        overlay_.write(address, bytes, at + static_cast<std::size_t>(lane) * a.bytes);
    });
}

/// Copies its operands, which may change before the epoch ends. They are followed by room for the old values in
/// case ops of the same instruction convert these: by then, temporaries may belong to another instruction.
void EffectLog::stage_atomic(DeferredEffect& e, sim::Warp& warp) {
    sim::Access const& access = *e.access;
    std::size_t const column = std::size_t{32} << access.memory_log2;
    std::size_t const sources = access.elements + (access.swaps ? 1u : 0u);
    std::byte* const at = stage((sources + access.elements) * column, e.staged);
    for (std::size_t i = 0; i < sources; ++i) {
        sim::Slot const slot = i < access.elements ? access.source[i] : access.swap;
        std::memcpy(at + i * column, isa::column<std::byte>(warp.bases, slot), column);
    }
}

void EffectLog::atomic(Cycle cycle, sim::Cta& cta, sim::Warp& warp, sim::Op const& op, sim::Access const& access,
                       Addresses const& a) {
    stage_atomic(add(cycle, cta, warp, op, access, a), warp);
    for_each_lane(a, [&](int, std::uint64_t address) { overlay_.mark_unknown(address); });
}

void EffectLog::remote(Cycle cycle, sim::Cta& cta, sim::Warp& warp, sim::Op const& op, sim::Access const& access,
                       Addresses const& a, sim::Cta& peer, bool is_read) {
    DeferredEffect& e = add(cycle, cta, warp, op, access, a);
    e.peer = &peer;
    e.is_read = is_read;
    if (op.kind == sim::OpKind::store) stage_store(e, warp);
    else if (op.kind == sim::OpKind::atomic) stage_atomic(e, warp);
}

EffectDetails& EffectLog::other(Cycle cycle, DeferredEffect::Kind kind, sim::Cta* cta, sim::Warp* warp,
                                sim::Op const* op) {
    DeferredEffect& e = effects_.emplace_back();
    e.kind = kind;
    e.cycle = cycle;
    e.cta = cta;
    e.warp = warp;
    e.op = op;
    e.staged = static_cast<std::uint32_t>(details_.size());
    return details_.emplace_back();
}

bool EffectLog::read(std::uint64_t address, std::uint32_t bytes, std::byte* to) {
    auto const overlap =
        overlay_.may_have(address, address + bytes) ? overlay_.look(address, bytes) : Overlay::Overlap::none;
    if (overlap == Overlay::Overlap::unknown) return false;
    std::memcpy(to, reinterpret_cast<void const*>(address), bytes);
    if (overlap == Overlay::Overlap::stored) overlay_.patch(address, bytes, to);
    return true;
}

void EffectLog::late_load(Cycle cycle, sim::Cta& cta, sim::Warp& warp, sim::Op const& op,
                          sim::Access const& access, Addresses const& a, bool is_read) {
    add(cycle, cta, warp, op, access, a).is_read = is_read;
}

bool EffectLog::load(sim::Warp& warp, sim::Access const& access, Addresses const& a) {
    auto overlap = Overlay::Overlap::none;
    if (overlay_.may_have(a.low, a.past_high)) {
        if (a.pattern == sim::Pattern::affine) {
            overlap = overlay_.look(a.low, static_cast<std::uint32_t>(a.past_high - a.low));
        } else if (a.pattern == sim::Pattern::uniform) {
            overlap = overlay_.look(a.lane_zero, a.bytes);
        } else {
            for_each_run(a, [&](int, std::uint64_t address, std::uint32_t bytes) {
                overlap = std::max(overlap, overlay_.look(address, bytes));
            });
        }
    }
    if (overlap == Overlay::Overlap::unknown) return false;
    alignas(64) std::byte copy[32 * 32];
    Addresses const* from = &a;
    Addresses row;
    if (overlap == Overlay::Overlap::stored) {
        for_each_lane(a, [&](int lane, std::uint64_t address) {
            std::byte* const to = copy + static_cast<std::size_t>(lane) * a.bytes;
            std::memcpy(to, reinterpret_cast<void const*>(address), a.bytes);
            overlay_.patch(address, a.bytes, to);
        });
        row = staged_addresses(a, copy);
        from = &row;
    }
    for (std::size_t i = 0; i < access.elements; ++i) {
        if (access.data[i] == sim::discard) continue;
        access.move[i](isa::column<std::byte>(warp.bases, access.data[i]), *from, 0,
                       static_cast<std::uint32_t>(i << access.memory_log2));
    }
    return true;
}

void EffectLog::apply(std::size_t i, sim::Interpreter& interpreter, sim::PrintBuffer* print) {
    DeferredEffect& e = effects_[i];
    switch (e.kind) {
        case DeferredEffect::Kind::access: return apply_access(e, interpreter);
        case DeferredEffect::Kind::read: {
            Transfer& t = *details(e).transfer;
            sim::AsyncOperations::read_source(*t.cluster, t.copy);
            if (t.few) std::copy(t.copy.data.begin(), t.copy.data.end(), t.few->data[t.lane].begin());
            return;
        }
        case DeferredEffect::Kind::write: {
            Transfer const& t = *details(e).transfer;
            return interpreter.asynchronous().arrive_in_global(*t.cluster, t.copy, t.by);
        }
        case DeferredEffect::Kind::work:
            return interpreter.asynchronous().perform(*e.cta->cluster, *details(e).work);
        case DeferredEffect::Kind::print:
            if (print != nullptr) print->add(std::move(details(e).text), details(e).argument);
            return;
        case DeferredEffect::Kind::heap: {
            EffectDetails const& d = details(e);
            return interpreter.runtime_calls().call_heap(*e.cta, *e.warp, *e.op, e.warp->frame(d.caller), d.lane,
                                                         d.argument);
        }
        default: return;  // handled by the GPU
    }
}

void EffectLog::apply_access(DeferredEffect& e, sim::Interpreter& interpreter) {
    Addresses const& a = e.addresses;
    std::uint64_t bias = 0;
    if (e.peer != nullptr) {
        if (e.peer->has_ended()) {
            throw interpreter.faults().fault_of(
                {e.cta->id, 32 * e.warp->index + static_cast<std::uint32_t>(std::countr_zero(a.mask)),
                 sim::Interpreter::function_of(*e.warp), e.op->instruction},
                "illegal address: shared memory of rank " + std::to_string(e.peer->rank) +
                    ", whose block has ended");
        }
        bias = reinterpret_cast<std::uint64_t>(e.peer->shared.get());
    }
    if (e.op->kind == sim::OpKind::atomic) return apply_atomic(e, interpreter);
    if (e.op->kind == sim::OpKind::store) {
        std::byte* const at = staging_.data() + e.staged;
        for_each_run(a, [&](int lane, std::uint64_t address, std::uint32_t bytes) {
            // NOLINTNEXTLINE(performance-no-int-to-ptr): device addresses are host addresses
            copy_bytes(reinterpret_cast<void*>(address + bias), at + static_cast<std::size_t>(lane) * a.bytes,
                       bytes);
        });
        return;
    }
    if (!e.is_read) return;
    std::byte* const frame = std::exchange(e.warp->bases[0], e.frame);
    interpreter.memory().perform(*e.cta, *e.warp, *e.op, *e.access, a, bias);
    e.warp->bases[0] = frame;
}

void EffectLog::apply_atomic(DeferredEffect& e, sim::Interpreter& interpreter) {
    // The staged operands replace the base that no operand of the ops uses.
    sim::Access access = *e.access;
    sim::Warp& warp = *e.warp;
    std::byte* const bases[2] = {warp.bases[0], warp.bases[3]};
    warp.bases[0] = e.frame;
    warp.bases[3] = staging_.data() + e.staged;
    auto const staged = [&](std::size_t column) {
        return static_cast<sim::Slot>(column * (std::size_t{32} << access.memory_log2)) +
               static_cast<sim::Slot>(isa::Base::warp);
    };
    for (std::size_t s = 0; s < access.elements; ++s) access.source[s] = staged(s);
    if (access.swaps) access.swap = staged(access.elements);
    sim::Op const* next = e.op + 1;
    auto const is_conversion = [](sim::Op const& op) {
        return !op.is_primary && (op.kind == sim::OpKind::lanes || op.kind == sim::OpKind::lanes_guarded);
    };
    bool const converts = is_conversion(*next);
    std::size_t const old = access.elements + (access.swaps ? 1u : 0u);
    for (std::size_t s = 0; converts && s < access.elements; ++s) {
        if (access.data[s] != sim::discard) access.data[s] = staged(old + s);
    }
    interpreter.memory().perform(*e.cta, warp, *e.op, access, e.addresses,
                                 e.peer != nullptr ? reinterpret_cast<std::uint64_t>(e.peer->shared.get()) : 0);
    for (; converts && is_conversion(*next); ++next) {
        isa::Operands operands = next->operands;
        for (auto& slot : operands.slot) {
            for (std::size_t s = 0; s < access.elements; ++s) {
                if (slot == e.access->data[s]) slot = access.data[s];
            }
        }
        next->run(warp.bases, operands, e.addresses.mask);
    }
    warp.bases[0] = bases[0];
    warp.bases[3] = bases[1];
}

void EffectLog::clear() {
    effects_.clear();
    staged_ = 0;
    details_.clear();
    overlay_.clear();
}

}  // namespace warpsim::timing
