#include "runtime/check/sync/copy_use.hpp"

#include "sim/exec/launch_context.hpp"
#include "sim/exec/warp.hpp"

#include <bit>
#include <cstddef>

namespace warpsim::check {

using isa::LaneMask;

namespace {

std::size_t thread_of(sim::Site const& site, int lane) {
    return 32 * std::size_t{site.warp.index} + static_cast<std::size_t>(lane);
}

}  // namespace

std::vector<CopyUse::OfThread>& CopyUse::threads_of(sim::Cta const& cta) {
    std::vector<OfThread>& threads = ctas_[cta.linear];
    if (threads.empty()) threads.resize(reporter_.launch().threads());
    return threads;
}

void CopyUse::issues(sim::WarpCopyIssue const& e) {
    std::vector<OfThread>& threads = threads_of(e.site.cta);
    Instruction const by = doer_of(e.site, std::countr_zero(e.to.mask)).instruction;
    for (LaneMask m = e.to.mask; m != 0; m &= m - 1) {
        std::optional<Instruction>& open = threads[thread_of(e.site, std::countr_zero(m))][0].open;
        if (!open) open = by;
    }
}

/// Of stores of a bulk group, what matters at the end is that they no longer read shared memory.
void CopyUse::issues(sim::BulkCopyIssue const& e) {
    bool const reads_shared = e.from.cta != nullptr;
    if (!e.is_in_group || !e.is_bulk || !reads_shared) return;
    std::optional<Instruction>& open = threads_of(e.site.cta)[thread_of(e.site, e.lane)][1].open;
    if (!open) open = doer_of(e.site, e.lane).instruction;
}

void CopyUse::groups(sim::CopyGroupEvent const& e) {
    using Of = sim::CopyGroupEvent::Of;
    using Action = sim::CopyGroupEvent::Action;
    auto const found = ctas_.find(e.site.cta.linear);
    if (found == ctas_.end() || e.of == Of::products) return;
    for (LaneMask m = e.lanes; m != 0; m &= m - 1) {
        Pending& pending = found->second[thread_of(e.site, std::countr_zero(m))][e.of == Of::bulk_copies];
        switch (e.action) {
            case Action::commit:
                if (pending.open) pending.groups.push_back({pending.committed, *pending.open});
                pending.open.reset();
                ++pending.committed;
                break;
            case Action::wait:
                if (e.is_for_all) pending.open.reset();
                std::erase_if(pending.groups, [&](Group const& group) {
                    return std::uint64_t{group.number} + e.left < pending.committed;
                });
                break;
            case Action::arrive_after:  // those who wait at the mbarrier wait for them
                pending.open.reset();
                pending.groups.clear();
                break;
        }
    }
}

void CopyUse::ends(sim::Cta const& cta) { ctas_.erase(cta.linear); }

void CopyUse::exits(sim::ExitEvent const& e) {
    auto const found = ctas_.find(e.site.cta.linear);
    if (found == ctas_.end()) return;
    for (LaneMask m = e.lanes; m != 0; m &= m - 1) {
        int const lane = std::countr_zero(m);
        OfThread const& thread = found->second[thread_of(e.site, lane)];
        for (std::size_t is_bulk = 0; is_bulk < 2; ++is_bulk) {
            Pending const& pending = thread[is_bulk];
            if (pending.groups.empty() && !pending.open) continue;
            bool const is_committed = !pending.groups.empty();
            Doer by = doer_of(e.site, lane);
            Doer const end = by;
            by.instruction = is_committed ? pending.groups.front().first : *pending.open;
            reporter_.add(MisuseSort::never_waited, by, [&] {
                Misuse wrong{"copy that nobody waits for", ""};
                wrong.message = is_bulk != 0
                                    ? "the thread ends while a bulk copy that it did not wait for may read "
                                      "shared memory"
                                    : "the thread ends without having waited for an asynchronous copy";
                wrong.verb = "copies";
                wrong.other = end;
                wrong.other_verb = "ends";
                std::string const family = is_bulk != 0 ? "cp.async.bulk." : "cp.async.";
                std::string const wait = is_bulk != 0 ? "wait_group.read 0" : "wait_all";
                wrong.notes.push_back((is_committed ? "" : family + "commit_group and ") + family + wait +
                                      " are missing before its end");
                if (is_committed) wrong.notes.back() = family + wait + " is missing before its end";
                return wrong;
            });
        }
    }
}

}  // namespace warpsim::check
