#include "sim/timing/sm/recorder.hpp"

#include "frontend/isa/effect.hpp"
#include "sim/exec/lane_count.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace warpsim::timing {

using sim::OpKind;
using sim::SpaceKind;

namespace {

// Local memory of the warps has addresses that nothing else has; they matter to the caches only.
constexpr std::uint64_t local_area = std::uint64_t{1} << 52;
constexpr std::uint64_t local_area_of_warp = std::uint64_t{1} << 25;  // 512 KiB for each of 32 lanes, and more

/// Of constants that lanes read: words of 32 bits, or what each lane reads, with all that is merged, if that is more.
std::uint32_t different_words(Addresses const& a, std::uint32_t merged_bytes) {
    if (a.pattern == sim::Pattern::uniform) return 1;
    std::uint64_t const bytes = std::max({a.bytes, merged_bytes, 4u});
    std::array<std::uint64_t, 32> words{};
    auto* end = words.begin();
    for (int lane = 0; lane < 32; ++lane)
        if ((a.mask >> lane & 1) != 0) *end++ = a.of(lane) / bytes;
    std::sort(words.begin(), end);
    return static_cast<std::uint32_t>(std::unique(words.begin(), end) - words.begin());
}

/// Performed at the L2 slice or where others can see it, not in this SM.
bool is_strong(sim::Access const& access) {
    return access.order != isa::Order::weak && access.scope != isa::Scope::cta;
}

/// All active lanes n and n ^ 1, or all n and n ^ 2, read the same.
bool has_equal_pairs(Addresses const& a) {
    if (a.pattern != sim::Pattern::scattered) return a.pattern == sim::Pattern::uniform;
    auto const all_equal = [&](int distance) {
        for (int lane = 0; lane < 32; ++lane) {
            int const other = lane ^ distance;
            bool const are_active = (a.mask >> lane & a.mask >> other & 1) != 0;
            if (are_active && a.lane[lane] != a.lane[other]) return false;
        }
        return true;
    };
    return all_equal(1) || all_equal(2);
}

/// Whether the old values are used.
bool gives(sim::Access const& access) {
    return std::any_of(access.data.begin(), access.data.begin() + access.elements,
                       [](sim::Slot s) { return s != sim::discard; });
}

/// Lanes that change the same address take turns; additions whose old value is not used are combined first.
std::uint8_t turns(sim::Access const& access, Addresses const& a) {
    if (!gives(access) || a.pattern == sim::Pattern::affine) return 1;
    if (a.pattern == sim::Pattern::uniform) return static_cast<std::uint8_t>(sim::count_lanes(a.mask));
    std::array<std::uint64_t, 32> sorted;
    std::size_t count = 0;
    for (sim::LaneMask m = a.mask; m != 0; m &= m - 1) sorted[count++] = a.of(std::countr_zero(m));
    std::sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(count));
    std::uint32_t run = 1, most = 1;
    for (std::size_t i = 1; i < count; ++i) {
        run = sorted[i] == sorted[i - 1] ? run + 1 : 1;
        most = std::max(most, run);
    }
    return static_cast<std::uint8_t>(most);
}

}  // namespace

Recorder::Recorder(sim::Config const& config, std::uint64_t moved_by, Cycle const& now)
    : group_(std::clamp(config.sm.lsu->coalescing_threads, 1u, 32u)),
      texture_(config.sm.texture),
      banks_{config.sm.shared.banks->count, config.sm.shared.banks->width_bytes},
      packs_equal_pairs_(config.sm.lsu->packs_equal_pairs),
      clock_mhz_(config.clock_mhz),
      now_(now),
      operations_(8),
      moved_lines_(moved_by / line_bytes) {}

/// Of a lane that reads so many texels: units filter four at a time, and of channels of 32 bits fewer bytes than of others.
std::uint32_t Recorder::unit_cycles(std::uint32_t texels, std::uint32_t texel_bytes,
                                    std::uint32_t channel_bytes) const {
    auto const ratio = [](std::uint32_t a, std::uint32_t b) { return (a + b - 1) / b; };
    if (texels < 2) return texels * ratio(texel_bytes, texture_.fetch_bytes_per_cycle);
    std::uint32_t const filtered = texture_.filter_bytes_per_cycle * (channel_bytes < 4 ? 2 : 1);
    return ratio(texels, 4) * ratio(4 * texel_bytes, filtered);
}

/// Units work on quads, whose lanes take as long as the one that takes longest.
std::uint32_t Recorder::filter_cycles(std::array<std::uint32_t, 32> const& cycles) const {
    std::uint32_t lanes = 0;
    for (std::size_t quad = 0; quad < 32; quad += 4) {
        std::uint32_t most = 0;
        for (std::size_t lane = quad; lane < quad + 4; ++lane) most = std::max(most, cycles[lane]);
        lanes += 4 * most;
    }
    return std::max((lanes + texture_.units - 1) / texture_.units, 1u);
}

void Recorder::add_lines(MemoryOperation& operation, std::uint64_t line, std::uint8_t sectors,
                         std::uint8_t covered) {
    Coalesced& c = operation.lines;
    std::uint32_t i = 0;
    while (i < c.count && c.lines[i].line != line) ++i;
    if (i == c.count) c.lines[c.count++] = {line, 0, 0};
    c.lines[i].sectors |= sectors;
    c.lines[i].covered |= covered;
}

/// Texels that share a line are read from it at once. An operation has up to 32 lines; what is beyond is another one.
void Recorder::texture(sim::TextureReads const& reads) {
    std::array<std::uint32_t, 32> unit{};
    for (std::size_t lane = 0; lane < 32; ++lane)
        unit[lane] = unit_cycles(reads.count[lane], reads.texel_bytes, reads.channel_bytes);
    MemoryOperation* o = nullptr;
    auto const begin = [&](std::uint32_t cycles, std::uint32_t result_bytes) {
        if (used_ == operations_.size()) operations_.emplace_back();
        o = &operations_[used_++];
        *o = {};
        o->kind = OperationKind::load;
        o->filter_cycles = cycles;
        o->bytes = result_bytes;
    };
    begin(filter_cycles(unit), reads.result_bytes);
    for (std::uint64_t const texel : reads.texels) {
        std::uint64_t const line = texel / line_bytes - moved_lines_;
        auto const sectors = static_cast<std::uint8_t>(1u << texel % line_bytes / sector_bytes);
        Coalesced const& c = o->lines;
        bool const is_new = std::none_of(c.lines.begin(), c.lines.begin() + c.count,
                                         [&](LineAccess const& l) { return l.line == line; });
        if (is_new && c.count == c.lines.size()) begin(1, 0);
        add_lines(*o, line, sectors);
    }
    for (std::size_t i = 0; i < used_; ++i) {
        Coalesced& c = operations_[i].lines;
        c.sectors = 0;
        for (std::uint32_t l = 0; l < c.count; ++l) {
            c.lines[l].covered = c.lines[l].sectors;
            c.sectors += count_of(c.lines[l].sectors);
        }
        c.lookups = c.bank_cycles = c.count;
    }
}

namespace {

/// An access of so many bytes in each lane, which begins so many bytes in front of this one.
Addresses widened(Addresses a, std::uint64_t behind, std::uint32_t bytes) {
    if (a.pattern != sim::Pattern::uniform) {
        Addresses const part = a;
        a.pattern = sim::Pattern::scattered;
        for (sim::LaneMask m = a.mask; m != 0; m &= m - 1)
            a.lane[std::countr_zero(m)] = part.of(std::countr_zero(m)) - behind;
    }
    a.lane_zero -= behind;
    a.low -= behind;
    a.past_high += bytes - a.bytes - behind;
    a.misaligned &= ~std::uint64_t{bytes - 1};
    a.bytes = bytes;
    return a;
}

}  // namespace

MemoryOperation& Recorder::add(sim::Op const& op, sim::Access const& access, Addresses const& a) {
    if (used_ == operations_.size()) operations_.emplace_back();
    MemoryOperation& o = operations_[used_++];
    o.load = UINT32_MAX;
    o.writer = op.kind == OpKind::load ? UINT32_MAX : warp_slot_;
    o.passes = 1;
    o.turns = 1;
    o.filter_cycles = 0;
    bool const is_surface = op.effect == isa::Effect::surface_load || op.effect == isa::Effect::surface_store ||
                            op.effect == isa::Effect::surface_reduce;
    if (is_surface) {
        std::array<std::uint32_t, 32> unit{};
        for (std::size_t lane = 0; lane < 32; ++lane)
            unit[lane] = unit_cycles((a.mask >> lane & 1) != 0 ? 1 : 0, a.bytes, a.bytes);
        o.filter_cycles = filter_cycles(unit);
    }
    bool const returns = op.kind == OpKind::load || (op.kind == OpKind::atomic && gives(access));
    o.bytes = returns ? sim::count_lanes(a.mask) * a.bytes : 0;
    return o;
}

void Recorder::access(sim::Op const& op, sim::Access const& access, SpaceKind space, Addresses const& a) {
    if (access.joins != sim::Joins::none) return join(op, access, space, a);
    switch (space) {
        case SpaceKind::shared: {
            if (merged_bytes_ != 0) return merged(op, access, a);
            MemoryOperation& o = add(op, access, a);
            o.kind = OperationKind::shared;
            o.lines.count = 0;
            o.passes =
                op.kind == OpKind::atomic ? sim::atomic_bank_cycles(a, banks_) : sim::bank_cycles(a, banks_);
            pack(o, op, a);
            return;
        }
        case SpaceKind::local: return local(op, access, a);
        case SpaceKind::constant: reads_constants_ = true; [[fallthrough]];
        case SpaceKind::param_entry:
            constants_ = different_words(a, merged_bytes_);
            constant_address_ = a.low;
            return;
        case SpaceKind::frame_param: return;  // arguments of calls stay in registers
        default: break;
    }
    MemoryOperation& o = add(op, access, a);
    coalesce(a, group_, o.lines);
    for (std::uint32_t i = 0; moved_lines_ != 0 && i < o.lines.count; ++i) o.lines.lines[i].line -= moved_lines_;
    if (op.kind == OpKind::atomic) {
        o.kind = OperationKind::atomic;
        o.turns = turns(access, a);
    } else if (op.kind == OpKind::store) {
        o.kind = OperationKind::store;
    } else {
        o.kind = is_strong(access) ? OperationKind::load_through : OperationKind::load;
    }
}

/// Part of the access before, or of none.
void Recorder::join(sim::Op const& op, sim::Access const& access, SpaceKind space, Addresses const& a) {
    if (access.joins == sim::Joins::repeats) return;
    sim::Access alone = access;
    alone.joins = sim::Joins::none;
    if (access.joins == sim::Joins::behind && used_ != 0) {
        --used_;
        return Recorder::access(op, alone, space, widened(a, a.bytes, 2 * a.bytes));
    }
    std::size_t const before = used_;
    Recorder::access(op, alone, space, a);
    if (before == 0 || used_ == before) return;
    MemoryOperation const& more = operations_[--used_];
    MemoryOperation& o = operations_[used_ - 1];
    o.bytes += more.bytes;
    // Halves that stand across the lanes are two accesses here, and one by rows in the machine. Simplified: where either is free
    // of conflicts both are, and as many lanes look a line up as fit.
    bool const is_half = access.register_byte != 0;
    o.passes += more.passes - (is_half ? 1 : 0);
    Coalesced& c = o.lines;
    for (std::uint32_t i = 0; i < more.lines.count; ++i) {
        LineAccess const& line = more.lines.lines[i];
        add_lines(o, line.line, line.sectors, line.covered);
    }
    c.sectors = 0;
    for (std::uint32_t i = 0; i < c.count; ++i) c.sectors += count_of(c.lines[i].sectors);
    c.lookups = is_half ? std::max(c.count, 32 / group_) : c.lookups + more.lines.lookups;
    c.bank_cycles += more.lines.bank_cycles - (is_half ? 1 : 0);
}

/// All lanes are equally far behind the beginning of the bytes that the merged access moves.
void Recorder::merged(sim::Op const& op, sim::Access const& access, Addresses const& part) {
    if (used_ != 0) return;
    Addresses const a = widened(part, part.of(std::countr_zero(part.mask)) % merged_bytes_, merged_bytes_);
    MemoryOperation& o = add(op, access, a);
    o.kind = OperationKind::shared;
    o.lines.count = 0;
    o.passes = sim::bank_cycles(a, banks_);
    pack(o, op, a);
}

/// Registers whose lanes come in pairs of the same value share the port: two of them return as one.
void Recorder::pack(MemoryOperation& o, sim::Op const& op, Addresses const& a) const {
    bool const is_wide = op.kind == OpKind::load && a.bytes > banks_.width_bytes;
    if (packs_equal_pairs_ && is_wide && has_equal_pairs(a)) o.bytes /= 2;
}

void Recorder::local(sim::Op const& op, sim::Access const& access, Addresses const& a) {
    MemoryOperation& o = add(op, access, a);
    o.kind = op.kind == OpKind::store ? OperationKind::store : OperationKind::load;
    Coalesced& c = o.lines;
    c.count = c.sectors = 0;
    // Word w of lane i is at w * 128 + i * 4: lanes at the same offset share a line for each word.
    std::uint64_t const base = (local_area + warp_slot_ * local_area_of_warp) / line_bytes;
    for (sim::LaneMask m = a.mask; m != 0; m &= m - 1) {
        int const lane = std::countr_zero(m);
        for (std::uint32_t b = 0; b < a.bytes; b += 4) {
            std::uint64_t const line = base + (a.of(lane) + b) / 4;
            std::uint32_t i = 0;
            while (i < c.count && c.lines[i].line != line) ++i;
            if (i == c.lines.size()) break;  // simplified: wide and scattered accesses are cut off at 32 lines
            if (i == c.count) c.lines[c.count++] = {line, 0, 0};
            c.lines[i].sectors |= static_cast<std::uint8_t>(1u << lane / 8);
        }
    }
    for (std::uint32_t i = 0; i < c.count; ++i) {
        c.lines[i].covered = c.lines[i].sectors;
        c.sectors += count_of(c.lines[i].sectors);
    }
    c.lookups = c.count;
    c.bank_cycles = c.count;
}

Recorder::Taken Recorder::take_global(sim::Cta& cta, sim::Warp& warp, sim::Op const& op, sim::Access const& access,
                                      Addresses const& a) {
    if (access.elements == 0) return Taken::now;  // discard and the like name a range and move nothing
    if (op.kind == OpKind::store) {
        effects_.store(now_, cta, warp, op, access, a);
    } else if (op.kind == OpKind::atomic) {
        effects_.atomic(now_, cta, warp, op, access, a);
    } else if (is_strong(access) || !effects_.load(warp, access, a)) {
        effects_.late_load(now_, cta, warp, op, access, a, is_read_);
        operations_[used_ - 1].kind = OperationKind::load_through;
    } else {
        return Taken::now;
    }
    return Taken::later;
}

void Recorder::visit_banks(std::uint32_t passes) {
    if (used_ == operations_.size()) operations_.emplace_back();
    MemoryOperation& o = operations_[used_++];
    o = {};
    o.kind = OperationKind::shared;
    o.passes = passes;
    o.bytes = 4;
}

bool Recorder::gather(FewCopies const& few, bool past_l1) {
    Addresses a;
    a.pattern = sim::Pattern::scattered;
    a.low = UINT64_MAX;
    for (sim::LaneMask m = few.lanes; m != 0; m &= m - 1) {
        int const i = std::countr_zero(m);
        sim::FewBytes const& b = few.lane[static_cast<std::size_t>(i)];
        if (b.source_bytes == 0) continue;
        a.mask |= 1u << i;
        a.bytes = b.bytes;
        a.lane[i] = b.from;
        a.low = std::min(a.low, b.from);
        a.past_high = std::max(a.past_high, b.from + b.bytes);
    }
    if (a.mask == 0) return false;
    if (used_ == operations_.size()) operations_.emplace_back();
    MemoryOperation& o = operations_[used_++];
    o = {};
    o.kind = past_l1 || few.is_late ? OperationKind::load_through : OperationKind::load;
    o.bytes = 0;  // not into the register file
    coalesce(a, group_, o.lines);
    for (std::uint32_t i = 0; moved_lines_ != 0 && i < o.lines.count; ++i) o.lines.lines[i].line -= moved_lines_;
    return true;
}

void Recorder::begin_beyond() {
    if (goes_beyond_) return;
    goes_beyond_ = true;
    holds_ = false;
    copies_.clear();
    few_.reset();
    arrivals_.clear();
    late_arrivals_.clear();
    works_.clear();
    work_arrivals_.clear();
    has_returned_columns_ = false;
}

void Recorder::cluster_arrival(sim::Cta& cta) {
    effects_.other(now_, DeferredEffect::Kind::cluster_arrival, &cta);
}

void Recorder::remote(sim::Cta& cta, sim::Warp& warp, sim::Op const& op, sim::Access const& access,
                      Addresses const& a, sim::Cta& peer) {
    begin_beyond();
    effects_.remote(now_, cta, warp, op, access, a, peer, is_read_);
    // access() has recorded an access to shared memory without knowing that it is another CTA's.
    bool const is_first = used_ == 1 && operations_[0].kind == OperationKind::shared;
    MemoryOperation& o = is_first ? operations_[0] : add(op, access, a);
    o.kind = OperationKind::remote;
    o.peer = static_cast<std::uint16_t>(peer.sm);
    o.lines.count = 0;
    o.passes = op.kind == OpKind::atomic ? sim::atomic_bank_cycles(a, banks_) : sim::bank_cycles(a, banks_);
    auto const bytes = sim::count_lanes(a.mask) * a.bytes;
    bool const returns = op.kind == OpKind::load || (op.kind == OpKind::atomic && gives(access));
    o.bytes = returns ? bytes : 0;
    o.sent_bytes = op.kind == OpKind::load ? std::uint16_t{0} : static_cast<std::uint16_t>(bytes);
}

void Recorder::remote_mbarrier(sim::Cluster& cluster, sim::MbarrierUpdate const& update, sim::Culprit const& by) {
    begin_beyond();
    arrivals_.push_back({&cluster, update, by, cluster.owner(update.place)->linear});
}

void Recorder::arrival_after_copies(sim::Cluster& cluster, sim::MbarrierUpdate const& update,
                                    sim::Culprit const& by) {
    begin_beyond();
    late_arrivals_.push_back({&cluster, update, by, cluster.owner(update.place)->linear});
}

bool Recorder::take_tensor_columns(sim::Cta&, std::uint32_t columns) {
    if (columns > unit_->free_columns) return false;
    unit_->free_columns -= columns;
    return true;
}

void Recorder::return_tensor_columns(sim::Cta&, std::uint32_t columns) {
    begin_beyond();
    unit_->free_columns += columns;
    has_returned_columns_ = true;
}

void Recorder::matrix_work(sim::Cta& cta, std::shared_ptr<sim::MatrixWork const> work) {
    begin_beyond();
    if (work->of_pair()) effects_.other(now_, DeferredEffect::Kind::work, &cta).work = work;
    works_.push_back(std::move(work));
}

void Recorder::arrival_after_work(sim::Cluster& cluster, sim::Cta&, sim::MbarrierUpdate const& update,
                                  bool of_pair, sim::Culprit const& by) {
    begin_beyond();
    work_arrivals_.push_back({{&cluster, update, by, cluster.owner(update.place)->linear}, of_pair});
}

void Recorder::copy_few(sim::Cta& cta, std::uint32_t thread, sim::FewBytes const& few) {
    begin_beyond();
    if (!few_) {
        few_ = std::make_shared<FewCopies>();
        few_->cta = &cta;
        few_->linear = cta.linear;
        few_->first_thread = thread / 32 * 32;
    }
    std::size_t const i = thread % 32;
    few_->lanes |= 1u << i;
    few_->lane[i] = few;
    few_->data[i].fill(std::byte{0});
    if (few.source_bytes == 0 || effects_.read(few.from, few.source_bytes, few_->data[i].data())) return;
    few_->is_late = true;  // an atomic of this epoch changes the bytes
    auto transfer = std::make_shared<Transfer>();
    transfer->copy.bytes = transfer->copy.source_bytes = few.source_bytes;
    transfer->copy.from.at = few.from;
    transfer->cluster = cta.cluster;
    transfer->few = few_;
    transfer->lane = i;
    effects_.other(now_, DeferredEffect::Kind::read, &cta).transfer = std::move(transfer);
}

void Recorder::copy(sim::Cluster& cluster, sim::UnderWay&& w, sim::Culprit const& by) {
    begin_beyond();
    auto transfer = std::make_shared<Transfer>();
    transfer->by = by;
    transfer->copy = std::move(w);
    transfer->cluster = &cluster;
    sim::UnderWay& copy = transfer->copy;
    if (copy.to.is_shared()) transfer->linear = cluster.owner(copy.to)->linear;
    if (copy.from.is_shared()) sim::AsyncOperations::read_source(cluster, copy);
    sim::Cta* const issuer = &cluster.ctas[copy.issuer];
    if (!copy.has_read) effects_.other(now_, DeferredEffect::Kind::read, issuer).transfer = transfer;
    if (!copy.to.is_shared()) effects_.other(now_, DeferredEffect::Kind::write, issuer).transfer = transfer;
    // A multicast is a single copy to many CTAs.
    bool const joins = !copies_.empty() && copy.plan->is_multicast &&
                       copies_.back().targets.front()->copy.from.at == copy.from.at &&
                       copies_.back().targets.front()->by.thread == by.thread;
    if (!joins) copies_.emplace_back();
    copies_.back().targets.push_back(std::move(transfer));
}

void Recorder::print(std::string text, std::uint64_t bytes) {
    EffectDetails& d = effects_.other(now_, DeferredEffect::Kind::print, nullptr);
    d.text = std::move(text);
    d.argument = bytes;
}

void Recorder::heap_call(sim::Cta& cta, sim::Warp& warp, sim::Op const& op, int lane, std::uint64_t argument) {
    begin_beyond();
    holds_ = true;
    EffectDetails& d = effects_.other(now_, DeferredEffect::Kind::heap, &cta, &warp, &op);
    d.lane = lane;
    d.argument = argument;
    d.caller = warp.splits[warp.current].frame;
}

void Recorder::sleeps(std::uint64_t nanoseconds) {
    constexpr std::uint64_t longest = 1'000'000;  // PTX ISA, nanosleep
    sleep_ = std::min(nanoseconds, longest) * clock_mhz_ / 1000;
}

void Recorder::cancel_launch(sim::Cluster& cluster, sim::Bytes const& response, sim::Bytes const& barrier,
                             bool to_all, sim::Culprit const& by) {
    EffectDetails& d = effects_.other(now_, DeferredEffect::Kind::cancel_launch, cluster.owner(response));
    d.cluster = &cluster;
    d.response = response;
    d.barrier = barrier;
    d.to_all = to_all;
    d.by = by;
}

}  // namespace warpsim::timing
