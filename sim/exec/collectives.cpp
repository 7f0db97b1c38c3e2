// Operations of a warp as a whole: shuffles, votes, matches, reductions, bar.warp.sync.
#include "sim/exec/collectives.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstring>
#include <utility>

namespace warpsim::sim {

using isa::Effect;

namespace {

/// The inputs and results of the lanes of one collective, whichever warp splits they are in.
struct Exchange {
    LaneMask lanes = 0;
    std::array<std::uint64_t, 32> value{};
    LaneMask predicate = 0;  // source of a vote
    std::array<std::uint64_t, 32> result{};
    LaneMask result_predicate = 0;
    LaneMask undefined = 0;  // lanes that read from one that does not take part
};

std::uint64_t load_element(isa::Bases bases, Slot slot, int log2, int lane) {
    std::uint64_t value = 0;
    std::byte const* const column = isa::column<std::byte>(bases, slot);
    std::memcpy(&value, column + (static_cast<std::size_t>(lane) << log2), std::size_t{1} << log2);
    return value;
}

void bring(Exchange& x, isa::Bases bases, Effect effect, Collective const& c, LaneMask lanes) {
    x.lanes |= lanes;
    if (effect == Effect::vote) {
        LaneMask const p = *isa::column<LaneMask>(bases, c.a);
        x.predicate |= (c.source_negated ? ~p : p) & lanes;
        return;
    }
    if (effect != Effect::shuffle && effect != Effect::match && effect != Effect::reduce_warp) return;
    int const log2 = effect == Effect::match ? c.log2 : 2;
    for (LaneMask m = lanes; m != 0; m &= m - 1) {
        int const i = std::countr_zero(m);
        x.value[static_cast<std::size_t>(i)] = load_element(bases, c.a, log2, i);
    }
}

void take(Exchange const& x, isa::Bases bases, Effect effect, Collective const& c, LaneMask lanes) {
    bool const gives_predicate = effect == Effect::vote && c.vote != VoteMode::ballot;
    auto const put_predicate = [&](Slot slot) {
        LaneMask* const d = isa::column<LaneMask>(bases, slot);
        *d = (*d & ~lanes) | (x.result_predicate & lanes);
    };
    if (gives_predicate) {
        put_predicate(c.result);
        return;
    }
    if (c.result != discard) {
        auto* const d = isa::column<std::uint32_t>(bases, c.result);
        for (LaneMask m = lanes; m != 0; m &= m - 1) {
            int const i = std::countr_zero(m);
            d[i] = static_cast<std::uint32_t>(x.result[static_cast<std::size_t>(i)]);
        }
    }
    if (c.predicate != discard) put_predicate(c.predicate);
}

void shuffle(Exchange& x, isa::Bases bases, Collective const& c, LaneMask lanes) {
    auto const* const bs = isa::column<std::int32_t>(bases, c.b);
    auto const* const cs = isa::column<std::int32_t>(bases, c.c);
    for (LaneMask m = lanes; m != 0; m &= m - 1) {
        int const lane = std::countr_zero(m);
        auto const [from, is_inside] = shuffle_source(c.shuffle, lane, bs[lane], cs[lane]);
        // The value of a lane that does not take part is undefined: here, always zero.
        bool const there = (x.lanes >> from & 1) != 0;
        x.result[static_cast<std::size_t>(lane)] = there ? x.value[static_cast<std::size_t>(from)] : 0;
        if (!there) x.undefined |= 1u << lane;
        if (is_inside != 0) x.result_predicate |= 1u << lane;
    }
}

void vote(Exchange& x, Collective const& c) {
    bool const all = x.predicate == x.lanes, any = x.predicate != 0;
    bool const value = c.vote == VoteMode::all ? all : c.vote == VoteMode::any ? any : all || !any;
    if (c.vote == VoteMode::ballot) x.result.fill(x.predicate);
    else x.result_predicate = value ? isa::all_lanes : 0;
}

void match(Exchange& x, Collective const& c) {
    for (LaneMask m = x.lanes; m != 0; m &= m - 1) {
        auto const i = static_cast<std::size_t>(std::countr_zero(m));
        LaneMask equal = 0;
        for (LaneMask o = x.lanes; o != 0; o &= o - 1) {
            int const k = std::countr_zero(o);
            if (x.value[static_cast<std::size_t>(k)] == x.value[i]) equal |= 1u << k;
        }
        bool const all = equal == x.lanes;
        x.result[i] = c.match_all && !all ? 0 : equal;
        if (all) x.result_predicate |= 1u << i;
    }
}

/// redux.sync.f32: like min and max of two numbers, -0 is less than +0, and NaN counts only with .NaN.
void reduce_floats(Exchange& x, Collective const& c) {
    constexpr std::uint32_t canonical_nan = 0x7fffffff, sign = 0x80000000;
    bool const is_max = c.reduce == ReduceOperation::max;
    bool any = false, any_nan = false;
    std::int64_t best = 0;
    for (LaneMask m = x.lanes; m != 0; m &= m - 1) {
        auto bits = static_cast<std::uint32_t>(x.value[static_cast<std::size_t>(std::countr_zero(m))]);
        if (c.takes_absolute) bits &= ~sign;
        bool const is_nan = (bits & ~sign) > 0x7f800000;
        any_nan |= is_nan;
        if (is_nan) continue;
        // These integers are ordered like the floating-point numbers.
        std::int64_t const key =
            (bits & sign) != 0 ? -static_cast<std::int64_t>(bits & ~sign) - 1 : std::int64_t{bits};
        best = !any ? key : is_max ? std::max(best, key) : std::min(best, key);
        any = true;
    }
    std::uint32_t const number =
        best < 0 ? static_cast<std::uint32_t>(-(best + 1)) | sign : static_cast<std::uint32_t>(best);
    x.result.fill(!any || (any_nan && c.gives_nan) ? canonical_nan : number);
}

void reduce(Exchange& x, Collective const& c) {
    if (c.is_float) return reduce_floats(x, c);
    std::uint32_t total = 0;
    bool first = true;
    for (LaneMask m = x.lanes; m != 0; m &= m - 1) {
        auto const v = static_cast<std::uint32_t>(x.value[static_cast<std::size_t>(std::countr_zero(m))]);
        auto const less = [&](std::uint32_t p, std::uint32_t q) {
            return c.is_signed ? static_cast<std::int32_t>(p) < static_cast<std::int32_t>(q) : p < q;
        };
        if (first) {
            total = v;
            first = false;
            continue;
        }
        switch (c.reduce) {
            case ReduceOperation::add: total += v; break;
            case ReduceOperation::min: total = less(v, total) ? v : total; break;
            case ReduceOperation::max: total = less(total, v) ? v : total; break;
            case ReduceOperation::bit_and: total &= v; break;
            case ReduceOperation::bit_or: total |= v; break;
            case ReduceOperation::bit_xor: total ^= v; break;
        }
    }
    x.result.fill(total);
}

void compute(Exchange& x, isa::Bases bases, Effect effect, Collective const& c, LaneMask lanes) {
    switch (effect) {
        case Effect::shuffle: shuffle(x, bases, c, lanes); break;
        case Effect::vote: vote(x, c); break;
        case Effect::match: match(x, c); break;
        case Effect::reduce_warp: reduce(x, c); break;
        case Effect::elect: {
            int const leader = std::countr_zero(x.lanes);
            x.result.fill(static_cast<std::uint64_t>(leader));
            x.result_predicate = 1u << leader;
            break;
        }
        default: break;  // bar.warp.sync moves nothing
    }
}

/// The member mask of a lane; without .sync, all active lanes take part.
LaneMask members_of(isa::Bases bases, Collective const& c, LaneMask mask, int lane) {
    bool const is_sync = c.is_sync;
    return is_sync ? isa::column<std::uint32_t>(bases, c.members)[lane] : mask;
}

/// The lanes of `mask` that have the same member mask as its first one. Tiles of a warp may execute one
/// instruction with different masks: each is a collective of its own.
LaneMask tile_of(isa::Bases bases, Collective const& c, LaneMask mask) {
    if (!c.is_sync) return mask;
    auto const* const members = isa::column<std::uint32_t>(bases, c.members);
    std::uint32_t const first = members[std::countr_zero(mask)];
    std::uint32_t differ = 0;
    for (int i = 0; i < 32; ++i) differ |= members[i] ^ first;
    if (differ == 0) return mask;
    LaneMask same = 0;
    for (int i = 0; i < 32; ++i) same |= static_cast<LaneMask>(members[i] == first) << i;
    return same & mask;
}

/// The lanes that those which are there wait for. Lanes that their own mask does not name wait for nobody.
LaneMask missing(LaneMask members, LaneMask live, LaneMask here) {
    return (members & here) == 0 ? 0 : members & live & ~here;
}

}  // namespace

void Collectives::check_members(Cta const& cta, Warp const& warp, Op const& op, LaneMask lanes,
                                LaneMask members) const {
    LaneMask const strangers = lanes & ~members;
    if (strangers == 0) return;
    char text[16];
    std::snprintf(text, sizeof text, "0x%08x", members);
    std::string what = "undefined: " + lanes_text(strangers) + " execute" +
                       (std::popcount(strangers) == 1 ? "s" : "") + " it with the member mask " + text +
                       ", which does not name " + (std::popcount(strangers) == 1 ? "it" : "them");
    int const lane = std::countr_zero(strangers);
    if (launch_.undefined == Undefined::fault)
        fault(cta, warp, op, lane, FaultKind::barrier_misuse, std::move(what));
    Fault notice = execution_.faults.blame(cta, warp, op, lane);
    notice.kind = FaultKind::barrier_misuse;
    notice.what = std::move(what) + "; the lanes that are there take part, as on hardware";
    execution_.note(std::move(notice));
}

void Collectives::note_undefined(Cta const& cta, Warp const& warp, std::uint32_t function, Op const& op,
                                 LaneMask lanes) const {
    Fault notice = execution_.faults.blame(cta, warp, op, std::countr_zero(lanes));
    notice.kind = FaultKind::undefined_value;
    notice.function = function;
    notice.what = "undefined value: " + lanes_text(lanes) + (std::popcount(lanes) == 1 ? " reads" : " read") +
                  " from lanes that take no part; 0 is given";
    execution_.note(std::move(notice));
}

// Part of its only caller: a function call would be a tenth of what a vote takes.
[[gnu::always_inline]] inline bool Collectives::perform_simple(Cta const& cta, Warp& warp, Op const& op,
                                                               Collective const& c, LaneMask mask) {
    auto const put_predicate = [&](Slot slot, LaneMask values) {
        LaneMask* const d = isa::column<LaneMask>(warp.bases, slot);
        *d = (*d & ~mask) | (values & mask);
    };
    switch (op.effect) {
        case Effect::barrier_warp: return true;
        case Effect::shuffle: {
            LaneMask absent = 0;
            Shuffle const shuffle = launch_.access.shuffle[static_cast<std::size_t>(c.shuffle)];
            LaneMask const inside = shuffle(warp.bases, c.result, c.a, c.b, c.c, mask, absent);
            if (c.predicate != discard) put_predicate(c.predicate, inside);
            if (absent != 0 && c.is_sync)
                note_undefined(cta, warp, warp.running_frame().function->index, op, absent);
            return true;
        }
        case Effect::vote: {
            LaneMask const source = *isa::column<LaneMask>(warp.bases, c.a);
            LaneMask const votes = (c.source_negated ? ~source : source) & mask;
            if (c.vote == VoteMode::ballot) {
                if (c.result == discard) return true;
                auto* const d = isa::column<LaneMask>(warp.bases, c.result);
                for (LaneMask m = mask; m != 0; m &= m - 1) d[std::countr_zero(m)] = votes;
                return true;
            }
            bool const all = votes == mask, any = votes != 0;
            bool const value = c.vote == VoteMode::all ? all : c.vote == VoteMode::any ? any : all || !any;
            put_predicate(c.result, value ? isa::all_lanes : 0);
            return true;
        }
        default: return false;
    }
}

bool Collectives::perform_at_once(Cta const& cta, Warp& warp, Op const& op, Collective const& c, LaneMask mask) {
    bool const is_sync = c.is_sync;
    if (!is_sync || c.has_one_mask || tile_of(warp.bases, c, mask) == mask) {
        if (is_sync) {
            LaneMask const members = isa::column<LaneMask>(warp.bases, c.members)[std::countr_zero(mask)];
            if ((mask & ~members) != 0) check_members(cta, warp, op, mask, members);
            if (missing(members, warp.live(), mask) != 0) return false;
        }
        tell_collective(cta, warp, op, c, mask);
        if (perform_simple(cta, warp, op, c, mask)) return true;
    } else {
        for (LaneMask rest = mask; rest != 0;) {
            LaneMask const tile = tile_of(warp.bases, c, rest);
            LaneMask const members = members_of(warp.bases, c, mask, std::countr_zero(tile));
            if ((tile & ~members) != 0) check_members(cta, warp, op, tile, members);
            if (missing(members, warp.live(), tile) != 0) return false;
            rest &= ~tile;
        }
        tell_collective(cta, warp, op, c, mask);
    }
    for (LaneMask rest = mask; rest != 0;) {
        LaneMask const tile = tile_of(warp.bases, c, rest);
        Exchange x;
        bring(x, warp.bases, op.effect, c, tile);
        compute(x, warp.bases, op.effect, c, tile);
        take(x, warp.bases, op.effect, c, tile);
        if (x.undefined != 0 && c.is_sync)
            note_undefined(cta, warp, warp.running_frame().function->index, op, x.undefined);
        rest &= ~tile;
    }
    return true;
}

/// Reports a collective that is performed at once, tile by tile.
void Collectives::tell_collective(Cta const& cta, Warp const& warp, Op const& op, Collective const& c,
                                  LaneMask mask) const {
    if (!sinks_.want(EventKind::collective)) return;
    for (LaneMask rest = mask; rest != 0;) {
        LaneMask const tile = tile_of(warp.bases, c, rest);
        LaneMask const members = members_of(warp.bases, c, mask, std::countr_zero(tile));
        sinks_.tell<CollectiveEvent>([&] { return CollectiveEvent{site(cta, warp, op), members, tile, tile}; });
        rest &= ~tile;
    }
}

void Collectives::give_active_mask(Warp& warp, Collective const& c, LaneMask mask) {
    auto* const d = isa::column<std::uint32_t>(warp.bases, c.result);
    for (LaneMask m = mask; m != 0; m &= m - 1) d[std::countr_zero(m)] = mask;
}

void Collectives::wait(Cta& cta, Warp& warp, Op const& op, LaneMask mask) {
    WarpSplit const split = warp.running();
    LaneMask const others = split.lanes & ~mask;
    Collective const& c = warp.function_of(split).details_of<Collective>(op);
    for (LaneMask rest = mask; rest != 0;) {
        LaneMask const tile = tile_of(warp.bases, c, rest);
        check_members(cta, warp, op, tile, members_of(warp.bases, c, mask, std::countr_zero(tile)));
        rest &= ~tile;
    }
    LaneMask const first = tile_of(warp.bases, c, mask);
    warp.running().lanes = first;
    warp.running().state = WarpSplit::State::in_collective;
    for (LaneMask rest = mask & ~first; rest != 0;) {
        LaneMask const tile = tile_of(warp.bases, c, rest);
        divergence_.add_split(warp, tile, split.pc, split.frame).state = WarpSplit::State::in_collective;
        rest &= ~tile;
    }
    if (others != 0) {
        counters_.account_passing(warp.function_of(split), split.pc, others);
        divergence_.add_split(warp, others, split.pc + 1, split.frame);
        divergence_.select(warp, static_cast<std::uint32_t>(warp.splits.size()) - 1);
    }
    check(cta, warp);
}

void Collectives::check(Cta& cta, Warp& warp) {
    auto const op_of = [&](WarpSplit const& g) -> Op const& { return warp.op_of(g); };
    auto const collective_of = [&](WarpSplit const& g) -> Collective const& {
        return warp.function_of(g).details_of<Collective>(op_of(g));
    };
    auto const bases_of = [&](WarpSplit const& g) {
        return std::array<std::byte*, 4>{warp.frame_of(g).registers.get(), warp.bases[1], warp.bases[2],
                                         warp.bases[3]};
    };
    for (std::size_t i = 0; i < warp.splits.size(); ++i) {
        WarpSplit const& leader = warp.splits[i];
        if (leader.state != WarpSplit::State::in_collective) continue;
        auto const leader_bases = bases_of(leader);
        Effect const effect = op_of(leader).effect;
        Collective const& c = collective_of(leader);
        LaneMask const members = members_of(leader_bases.data(), c, leader.lanes, std::countr_zero(leader.lanes));
        // Lanes meet by operation, qualifiers and member mask, not by the instruction's position.
        LaneMask here = 0;
        std::vector<std::size_t> together;
        for (std::size_t k = 0; k < warp.splits.size(); ++k) {
            WarpSplit const& other = warp.splits[k];
            if (other.state != WarpSplit::State::in_collective || op_of(other).effect != effect ||
                collective_of(other).key != c.key)
                continue;
            auto const bases = bases_of(other);
            if (members_of(bases.data(), collective_of(other), other.lanes, std::countr_zero(other.lanes)) !=
                members)
                continue;
            here |= other.lanes;
            together.push_back(k);
        }
        if (missing(members, warp.live(), here) != 0) continue;
        Exchange x;
        for (std::size_t const k : together) {
            auto const bases = bases_of(warp.splits[k]);
            bring(x, bases.data(), effect, collective_of(warp.splits[k]), warp.splits[k].lanes);
        }
        for (std::size_t const k : together) {
            WarpSplit& split = warp.splits[k];
            auto const bases = bases_of(split);
            Collective const& own = collective_of(split);
            compute(x, bases.data(), effect, own, split.lanes);
            take(x, bases.data(), effect, own, split.lanes);
            if (x.undefined != 0 && own.is_sync)
                note_undefined(cta, warp, warp.function_of(split).index, op_of(split), x.undefined);
            x.undefined = 0;
            sinks_.tell<CollectiveEvent>([&] {
                Site const place{cta, warp, warp.frame_of(split), op_of(split), cycle()};
                return CollectiveEvent{place, members, split.lanes, here};
            });
            account_op(split, warp);
            split.state = WarpSplit::State::runnable;
            ++split.pc;
        }
        ++cta.changes;
        if (launch_.control_flow == ControlFlow::independent) divergence_.merge_groups(warp);
        i = static_cast<std::size_t>(-1);  // merging has moved the splits: start again
    }
}

}  // namespace warpsim::sim
