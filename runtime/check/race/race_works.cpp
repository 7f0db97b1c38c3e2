// Kernels of several streams, kernels that begin early and those that others launch: what nothing orders may happen at once.
#include "runtime/check/race/race_check.hpp"

#include "frontend/ir/builtins.hpp"
#include "sim/demangled.hpp"
#include "sim/exec/launch_context.hpp"
#include "sim/exec/warp.hpp"
#include "sim/hexadecimal.hpp"

#include <algorithm>
#include <bit>
#include <mutex>
#include <thread>
#include <utility>

namespace warpsim::check {

void RaceCheck::work_begins(runtime::WorkOrder const& work) {
    worker_ = std::this_thread::get_id();
    work_ = work;
}

void RaceCheck::allocation(sim::AllocationEvent const& e) {
    if (e.source == sim::AllocationSource::host_memory) return;
    if (e.is_free) return free_in_stream(e.address);
    if (e.bytes == 0) return;
    bool const is_by_kernel =
        e.source == sim::AllocationSource::device_heap || e.source == sim::AllocationSource::parameters;
    if (is_by_kernel) return global_.forget(e.address, e.address + e.bytes);
    std::lock_guard const lock(fresh_mutex_);
    fresh_.emplace_back(e.address, e.address + e.bytes);
    allocated_[e.address] = e.address + e.bytes;
}

/// What work of a stream frees no other work may use at the same time: as if the bytes were written.
void RaceCheck::free_in_stream(std::uint64_t begin) {
    std::uint64_t end = 0;
    {
        std::lock_guard const lock(fresh_mutex_);
        auto const known = allocated_.extract(begin);
        if (known.empty()) return;
        end = known.mapped();
    }
    bool const is_work = std::this_thread::get_id() == worker_ && work_.stream != 0 && launch_ == nullptr;
    if (is_work) add_range({work_, begin, end, true, "a free", nullptr, true});
}

void RaceCheck::forget_fresh() {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> fresh;
    {
        std::lock_guard const lock(fresh_mutex_);
        fresh = std::exchange(fresh_, {});
    }
    for (auto const& [begin, end] : fresh) {
        global_.forget(begin, end);
        std::erase_if(ranges_, [b = begin, e = end](PastRange const& range) { return range.overlaps(b, e); });
    }
}

/// Forgets what all work to come has to wait for, which without streams is everything before, and what was done to memory
/// that has been allocated anew.
void RaceCheck::forget_works() {
    forget_fresh();
    // What a kernel asks for may be done beside it.
    if (families_.is_next_child() || moving_) return;
    auto const is_past = [&](auto const& one) { return is_over(one.order, work_, expects_host_); };
    std::erase_if(ranges_, is_past);
    if (std::all_of(launches_.begin(), launches_.end(), is_past)) {
        launches_.clear();
        records_.clear();
        global_.forget();
    }
}

/// The launch that begins is one of those that later ones may meet.
void RaceCheck::add_launch() {
    forget_works();
    std::shared_ptr<Family const> const family = families_.begin(launch_->grid_id);
    beside_.clear();
    for (PastRange const& range : ranges_)
        if (!is_followed(range.order, work_) || !families_.are_ordered(range.family.get(), family.get()))
            beside_.push_back(range);
    if (launches_.size() >= next_launches_) collect();
    launch_first_ = records_.size();
    launches_.push_back({work_, sim::abbreviated(sim::demangled(launch_->plan.functions.front().function->name)),
                         findings_.launches() - 1, launch_->plan.module, launch_->grid, launch_->block, family});
    if (work_.overlaps == 0 || family->parent) return;
    // The one in front of it goes on, and what that one was beside, unless its blocks have all waited before they let others begin.
    PastLaunch& now = launches_.back();
    now.open_at_begin.push_back(work_.overlaps);
    auto const before = std::find_if(launches_.rbegin() + 1, launches_.rend(), [&](PastLaunch const& launch) {
        return is_overlapped(launch.order, work_) && !launch.family->parent;
    });
    if (before == launches_.rend()) return;
    now.open_after_wait = before->has_waited ? before->open_after_wait : before->open_at_begin;
    std::vector<std::uint64_t> const& others =
        before->lets_begin_late ? before->open_after_wait : before->open_at_begin;
    now.open_at_begin.insert(now.open_at_begin.end(), others.begin(), others.end());
}

/// griddepcontrol: a thread waits for the kernel in front, or lets the one behind begin.
void RaceCheck::grid_control(sim::FenceEvent const& e) {
    if (work_.overlaps == 0 || launches_.back().family->parent) return;
    HappensBefore::Cta& cta = order_.cta(e.site.cta.linear);
    std::uint32_t const warp = e.site.warp.index;
    PastLaunch& now = launches_.back();
    if (form_of(e.site).has(isa::Modifier::wait)) {
        now.has_waited = true;
        waited_.insert(cta.number);
        return order_.wait_for_grid(cta, warp, e.lanes, e.site.warp.live());
    }
    // One thread of a block is enough.
    for (isa::LaneMask m = e.lanes; m != 0; m &= m - 1) {
        auto const lane = static_cast<std::uint32_t>(std::countr_zero(m));
        if (!order_.is_complete(grid_before(), 1, cta, warp, lane)) hasty_.insert(cta.number);
    }
}

void RaceCheck::calls(sim::CallEvent const& e) {
    using ir::Builtin;
    if (e.builtin == Builtin::stream_wait_event) families_.use_events();
    if (!runtime::asks_for_work(e.builtin)) return;
    HappensBefore::Cta& cta = order_.cta(e.site.cta.linear);
    for (isa::LaneMask m = e.lanes; m != 0; m &= m - 1) {
        Thread const thread{cta.number, 32 * e.site.warp.index + static_cast<std::uint32_t>(std::countr_zero(m))};
        families_.ask(launch_->grid_id, thread, order_.known_now(thread),
                      {e.site.frame.function->index, e.site.op.instruction});
    }
}

/// Whether a launch is over as a whole before the present one begins.
bool RaceCheck::is_launch_over(PastLaunch const& launch) const {
    PastLaunch const& now = launches_.back();
    return families_.are_ordered(launch.family.get(), now.family.get()) && is_followed(launch.order, work_) &&
           !now.may_begin_beside(launch);
}

/// Why an access of an earlier launch may happen at the same time as the present one; empty: it does not.
std::string RaceCheck::why_at_once(PastLaunch const& launch, Stamp const& earlier, Record const& other,
                                   Doer const& by) const {
    PastLaunch const& now = launches_.back();
    Kinship const kin = kinship(launch.family.get(), now.family.get());
    if (kin.descendant != nullptr) {
        bool const is_known =
            kin.descendant->known && kin.descendant->known->of(thread_of(earlier, other)) >= other.time;
        if (kin.descendant->request.is_tail || is_known) return "";
        return "which was not done before by the thread that has launched the grid, nor before a barrier that it "
               "came from";
    }
    if (kin.elder != nullptr) {
        if (families_.has_events() || are_in_order(*kin.elder, *kin.younger)) return "";
        return "both launched by kernels, in no stream of one block that orders them";
    }
    if (now.is_beside_for_good(launch))
        return "the kernel between the two may end before that one has, since it does not execute "
               "griddepcontrol.wait (cudaGridDependencySynchronize())";
    if (now.may_begin_beside(launch))
        return order_.is_complete(grid_before(), 1, by.cta, static_cast<std::uint32_t>(by.record.warp), by.lane)
                   ? ""
                   : "no griddepcontrol.wait (cudaGridDependencySynchronize()) before it, and the kernel may "
                     "begin before the other one has ended";
    return is_followed(launch.order, work_)
               ? ""
               : "no event or wait between " + launch.order.name + " and " + work_.name;
}

std::string RaceCheck::launch_text(PastLaunch const& launch) const {
    return launch.kernel + ", launch " + std::to_string(launch.number) +
           (launch.order.name.empty() ? "" : " in " + launch.order.name);
}

/// An access of an earlier launch: whether the present one has waited for it.
void RaceCheck::check_across(Stamp const& earlier, Doer const& by) {
    Record const& other = records_[earlier.record()];
    Manner const& how = manner(other);
    PastLaunch const& launch = launches_[how.launch];
    std::string const why = why_at_once(launch, earlier, other, by);
    if (why.empty()) return;
    bool const is_related = launch.order.number == work_.number && launch.order.stream == work_.stream;
    bool const is_atomic = how.is_strong && by.manner.is_strong && how.bytes_log2 == by.manner.bytes_log2 &&
                           std::min(how.scope, by.manner.scope) >= isa::Scope::gpu;
    if (is_atomic) return;
    Alike const alike{Kind::race,
                      1u << 24 | static_cast<std::uint32_t>(how.sort) << 4 |
                          static_cast<std::uint32_t>(by.manner.sort),
                      launch_->plan.module,
                      by.manner.instruction.function,
                      by.manner.instruction.index,
                      how.instruction.function,
                      how.instruction.index};
    findings_.add(alike, [&] {
        Finding finding = describe_side(how.sort, by,
                                        is_related                                  ? " in grids that run at once"
                                        : launches_.back().may_begin_beside(launch) ? " in kernels that overlap"
                                                                                    : " in two streams");
        finding.message += ", " + why;
        finding.other = act_of(how.sort == Sort::read ? "read it" : "wrote it", *launch.module, how.instruction,
                               place_in(launch.grid, other.cta), thread_of(earlier, other).number, launch.block);
        finding.notes.push_back(launch_text(launches_.back()) + " may run at the same time as " +
                                launch_text(launch));
        return finding;
    });
}

/// What the present access and an earlier one from outside its kernel have in common.
Finding RaceCheck::describe_side(Sort other, Doer const& by, char const* where) const {
    static constexpr char const* nouns[] = {"read", "write", "atomic"};
    Finding finding;
    finding.kernel = launch_->plan.functions.front().function->name;
    finding.space = by.space;
    finding.address = by.address;
    finding.bytes = by.bytes;
    finding.what = std::string(nouns[static_cast<std::size_t>(by.manner.sort)]) + " and " +
                   nouns[static_cast<std::size_t>(other)] + where;
    finding.message = finding.what + " of " + std::to_string(by.bytes) + " bytes at " + by.space + " " +
                      sim::hexadecimal(by.address);
    finding.act =
        act_of(by.manner.sort == Sort::read ? "read" : "wrote", *launch_->plan.module, by.manner.instruction,
               place_in(launch_->grid, by.record.cta), by.thread().number, launch_->block);
    return finding;
}

}  // namespace warpsim::check
