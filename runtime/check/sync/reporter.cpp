#include "runtime/check/sync/reporter.hpp"

#include "sim/exec/launch_context.hpp"
#include "sim/exec/warp.hpp"

#include <utility>

namespace warpsim::check {

Doer doer_of(sim::Site const& site, int lane) {
    return {site.cta.id,
            32 * site.warp.index + static_cast<std::uint32_t>(lane),
            {site.frame.function->index, site.op.instruction}};
}

void Reporter::add(MisuseSort sort, Doer const& by, std::function<Misuse()> const& words) {
    if (launch_ == nullptr) return;
    ir::Module const& module = *launch_->plan.module;
    // Sorts of faults that end a kernel have smaller numbers.
    constexpr std::uint32_t first_sort = 1000;
    Alike const alike{Kind::sync,
                      first_sort + static_cast<std::uint32_t>(sort),
                      &module,
                      by.instruction.function,
                      by.instruction.index,
                      0,
                      0};
    findings_.add(alike, [&] {
        Misuse wrong = words();
        Finding finding;
        finding.kernel = launch_->plan.functions.front().function->name;
        finding.what = wrong.what;
        finding.message = std::move(wrong.message);
        auto const act = [&](char const* verb, Doer const& who) {
            return act_of(verb, module, who.instruction, who.cta, who.thread, launch_->block);
        };
        finding.act = act(wrong.verb, by);
        if (wrong.other) finding.other = act(wrong.other_verb, *wrong.other);
        finding.notes = std::move(wrong.notes);
        return finding;
    });
}

}  // namespace warpsim::check
