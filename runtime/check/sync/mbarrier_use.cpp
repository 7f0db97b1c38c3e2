#include "runtime/check/sync/mbarrier_use.hpp"

#include "sim/exec/launch_context.hpp"
#include "sim/exec/warp.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace warpsim::check {

using isa::LaneMask;
using sim::MbarrierOperation;

namespace {

std::uint64_t bits_at(sim::MemoryPlace const& place) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, place.cta->shared.get() + place.address, 8);
    return bits;
}

constexpr std::uint64_t warps_of_cta = 64;  // at most

std::string name_of(sim::MemoryPlace const& place) {
    return "mbarrier at shared " + std::to_string(place.address);
}

std::uint64_t linear(std::array<std::uint32_t, 3> const& cta, std::array<std::uint32_t, 3> const& grid) {
    return (std::uint64_t{cta[2]} * grid[1] + cta[1]) * grid[0] + cta[0];
}

}  // namespace

MbarrierUse::Key MbarrierUse::key_of(sim::MemoryPlace const& place) {
    return place.cta->linear << sim::rank_shift | place.address;
}

MbarrierUse::Key MbarrierUse::thread_key(Doer const& by) const {
    return linear(by.cta, reporter_.launch().grid) * reporter_.launch().threads() + by.thread;
}

void MbarrierUse::begin() {
    all_.clear();
    made_visible_.clear();
    fenced_.clear();
    met_in_warp_.clear();
    met_in_cta_.clear();
    met_in_cluster_.clear();
}

void MbarrierUse::happens(sim::MbarrierEvent const& e) {
    if (e.place.cta == nullptr) return;
    ++now_;
    Doer const by{e.cta, e.thread, {e.by.function, e.by.instruction}};
    Known& known = all_[key_of(e.place)];
    if (e.operation == MbarrierOperation::initialize) return initialize(known, e, by);
    if (!known.holds.is_valid()) return;  // made in a way that nobody has told of
    std::uint32_t const parity = known.holds.parity();
    if (e.cta != e.place.cta->id) check_remote(known, e.place, by);
    else check_order(known, e.place, by);
    switch (e.operation) {
        case MbarrierOperation::invalidate: known = {}; return;
        case MbarrierOperation::expect: static_cast<void>(known.holds.expect(e.count)); break;
        case MbarrierOperation::complete: static_cast<void>(known.holds.complete(e.count)); break;
        case MbarrierOperation::add_pending: static_cast<void>(known.holds.add_pending()); break;
        case MbarrierOperation::arrive: {
            sim::Mbarrier dropped = known.holds;
            static_cast<void>(known.holds.arrive(e.count, false, false));
            static_cast<void>(dropped.arrive(e.count, true, false));
            if (bits_at(e.place) == dropped.bits()) known.holds = dropped;
            break;
        }
        case MbarrierOperation::initialize:
        case MbarrierOperation::test: break;
    }
    if (known.holds.parity() != parity) ++known.phase;
    // An arrival that expects bytes is two events, of which the second tells what memory holds.
    if (e.operation != MbarrierOperation::expect) compare(known, e.place, by);
    if (e.operation == MbarrierOperation::test && e.passed)
        std::erase_if(known.copies, [&](Copy const& copy) { return copy.phase < known.phase; });
    if (e.operation != MbarrierOperation::test) known.last = by;
}

void MbarrierUse::check_remote(Known const& known, sim::MemoryPlace const& place, Doer const& by) {
    auto const met = met_in_cluster_.find(place.cta->cluster->linear);
    if (met != met_in_cluster_.end() && met->second > known.made_at) return;
    reporter_.add(MisuseSort::unmet, by, [&] {
        Misuse wrong{"mbarrier not visible to other blocks", ""};
        wrong.message = name_of(place) + " is used by another block of the cluster, which nothing has told of its "
                                         "mbarrier.init";
        wrong.verb = "uses it";
        wrong.other = known.made_by;
        wrong.other_verb = "initialised it";
        wrong.notes.emplace_back(
            "barrier.cluster is missing between them, and fence.mbarrier_init if its arrival is "
            "relaxed");
        return wrong;
    });
}

/// Something must come between mbarrier.init and its use by another thread: a barrier, or what a fence may belong to.
void MbarrierUse::check_order(Known& known, sim::MemoryPlace const& place, Doer const& by) {
    if (known.is_known || by.thread == known.made_by.thread) return;
    std::uint64_t const cta = place.cta->linear;
    auto const is_since = [&](auto const& times, std::uint64_t key) {
        auto const found = times.find(key);
        return found != times.end() && found->second > known.made_at;
    };
    known.is_known = is_since(met_in_cta_, cta);
    if (known.is_known || is_since(met_in_warp_, cta * warps_of_cta + by.thread / 32) ||
        is_since(fenced_, thread_key(by)))
        return;
    reporter_.add(MisuseSort::unordered, by, [&] {
        Misuse wrong{"mbarrier used without a barrier", ""};
        wrong.message = name_of(place) +
                        " is used by another thread than has initialised it, and nothing lets that "
                        "one wait for mbarrier.init";
        wrong.verb = "uses it";
        wrong.other = known.made_by;
        wrong.other_verb = "initialised it";
        wrong.notes.emplace_back("__syncthreads() is missing between them");
        return wrong;
    });
}

void MbarrierUse::initialize(Known& known, sim::MbarrierEvent const& e, Doer const& by) {
    if (known.holds.is_valid()) {
        reporter_.add(MisuseSort::made_again, by, [&] {
            Misuse wrong{"mbarrier initialised again", ""};
            wrong.message = name_of(e.place) + " is initialised, while it is one already: " + known.holds.text();
            wrong.verb = "initialises it";
            wrong.other = known.made_by;
            wrong.other_verb = "had initialised it";
            wrong.notes.emplace_back("mbarrier.inval is missing before its memory is used again");
            return wrong;
        });
    }
    known = {};
    known.holds = sim::Mbarrier::fresh(e.count, sim::Mbarrier(bits_at(e.place)).with_report());
    known.made_by = known.last = by;
    known.made_at = now_;
}

/// Only mbarrier instructions and copies may change its memory.
void MbarrierUse::compare(Known& known, sim::MemoryPlace const& place, Doer const& by) {
    std::uint64_t const bits = bits_at(place);
    if (bits == known.holds.bits()) return;
    if (!known.is_told) {
        reporter_.add(MisuseSort::overwritten, by, [&] {
            Misuse wrong{"mbarrier overwritten", ""};
            wrong.message = name_of(place) + " has been overwritten: it must hold " + known.holds.text();
            wrong.verb = "finds it";
            wrong.other = known.last;
            wrong.other_verb = "had used it before";
            wrong.notes.emplace_back(
                "an ordinary store or copy has changed its 8 bytes in between; mbarrier.inval comes before "
                "its memory is used for anything else");
            return wrong;
        });
    }
    known.is_told = true;
    known.holds = sim::Mbarrier(bits);
}

void MbarrierUse::issues(sim::CopyIssue const& e) {
    if (e.barrier.cta == nullptr || !e.is_bulk) return;
    auto const found = all_.find(key_of(e.barrier));
    if (found == all_.end()) return;
    Known& known = found->second;
    Doer const by = doer_of(e.site, e.lane);
    known.copies.push_back({by, known.phase});
    if (by.cta == e.barrier.cta->id) check_order(known, e.barrier, by);
    if (is_fenced_since(known.made_at, known.made_by) || is_fenced_since(known.made_at, by)) return;
    reporter_.add(MisuseSort::unfenced, by, [&] {
        Misuse wrong{"mbarrier not visible to copies", ""};
        wrong.message = name_of(e.barrier) +
                        " is given to a bulk copy, to which its mbarrier.init need not be visible: copies are "
                        "performed by the asynchronous proxy";
        wrong.verb = "copies";
        wrong.other = known.made_by;
        wrong.other_verb = "initialised it";
        wrong.notes.emplace_back(
            "fence.mbarrier_init.release.cluster or fence.proxy.async is missing behind mbarrier.init");
        return wrong;
    });
}

void MbarrierUse::fence(sim::FenceEvent const& e) {
    ir::Instruction const& instruction = e.site.frame.function->function->instructions[e.site.op.instruction];
    std::string_view const text = reporter_.launch().plan.module->forms[instruction.form].text;
    bool const is_of_proxy =
        text.find("mbarrier_init") != std::string_view::npos || text.find("proxy.async") != std::string_view::npos;
    ++now_;
    for (LaneMask m = e.lanes; m != 0; m &= m - 1)
        (is_of_proxy ? made_visible_ : fenced_)[thread_key(doer_of(e.site, std::countr_zero(m)))] = now_;
}

bool MbarrierUse::is_fenced_since(Time since, Doer const& by) const {
    auto const found = made_visible_.find(thread_key(by));
    return found != made_visible_.end() && found->second > since;
}

void MbarrierUse::releases(sim::BarrierRelease const& e) {
    met_in_cta_[e.cta.linear] = ++now_;
    if (e.scope == sim::BarrierScope::cluster) met_in_cluster_[e.cta.cluster->linear] = now_;
}

void MbarrierUse::ends_phase(sim::MbarrierRelease const& e) {
    if (e.place.cta != nullptr) met_in_cta_[e.place.cta->linear] = ++now_;
}

void MbarrierUse::meet(sim::CollectiveEvent const& e) {
    if (e.site.op.effect == isa::Effect::barrier_warp)
        met_in_warp_[e.site.cta.linear * warps_of_cta + e.site.warp.index] = ++now_;
}

void MbarrierUse::ends(sim::Cta const& cta) {
    std::erase_if(all_, [&](auto const& entry) {
        auto const& [key, known] = entry;
        if (key >> sim::rank_shift != cta.linear) return false;
        for (Copy const& copy : known.copies) {
            reporter_.add(MisuseSort::unwaited, copy.by, [&] {
                Misuse wrong{"copy that nobody waits for", ""};
                wrong.message = "the block ends, and no thread has waited at the " +
                                name_of({&cta, key & ((Key{1} << sim::rank_shift) - 1)}) +
                                " for what a bulk copy brings";
                wrong.verb = "copies";
                wrong.notes.emplace_back("mbarrier.try_wait for the phase that the copy completes is missing");
                return wrong;
            });
        }
        return true;
    });
}

}  // namespace warpsim::check
