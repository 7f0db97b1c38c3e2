// Kernels, copies and fills of several streams: what no event or wait orders may happen at once.
#include "runtime/check/race/race_check.hpp"

#include "frontend/ir/builtins.hpp"
#include "sim/demangled.hpp"
#include "sim/exec/launch_context.hpp"
#include "sim/exec/warp.hpp"
#include "sim/hexadecimal.hpp"

#include <algorithm>
#include <bit>
#include <mutex>
#include <utility>

namespace warpsim::check {

using Operation = sim::HostAccessEvent::Operation;

void RaceCheck::work_begins(runtime::WorkOrder const& work) {
    worker_ = std::this_thread::get_id();
    work_ = work;
}

void RaceCheck::allocation(sim::AllocationEvent const& e) {
    if (e.is_free || e.source == sim::AllocationSource::host_memory || e.bytes == 0) return;
    bool const is_by_kernel =
        e.source == sim::AllocationSource::device_heap || e.source == sim::AllocationSource::parameters;
    if (is_by_kernel) return global_.forget(e.address, e.address + e.bytes);
    std::lock_guard const lock(fresh_mutex_);
    fresh_.emplace_back(e.address, e.address + e.bytes);
}

/// Forgets what all work to come has to wait for, which without streams is everything before, and what was done to memory
/// that has been allocated anew.
void RaceCheck::forget_works() {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> fresh;
    {
        std::lock_guard const lock(fresh_mutex_);
        fresh = std::exchange(fresh_, {});
    }
    for (auto const& [begin, end] : fresh) {
        global_.forget(begin, end);
        std::erase_if(ranges_, [b = begin, e = end](PastRange const& range) { return range.overlaps(b, e); });
    }
    // What a kernel launches may run beside it.
    if (families_.is_next_child()) return;
    auto const is_past = [&](auto const& one) { return is_over(one.order, work_); };
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
    beside_.clear();
    for (PastRange const& range : ranges_)
        if (!is_followed(range.order, work_)) beside_.push_back(range);
    if (launches_.size() >= next_launches_) collect();
    launch_first_ = records_.size();
    launches_.push_back({work_, sim::demangled(launch_->plan.functions.front().function->name),
                         findings_.launches() - 1, launch_->plan.module, launch_->grid, launch_->block,
                         families_.begin(launch_->grid_id)});
}

void RaceCheck::calls(sim::CallEvent const& e) {
    using ir::Builtin;
    if (e.builtin == Builtin::stream_wait_event) families_.use_events();
    if (e.builtin != Builtin::launch_device && e.builtin != Builtin::launch_device_v2) return;
    HappensBefore::Cta& cta = order_.cta(e.site.cta.linear);
    for (isa::LaneMask m = e.lanes; m != 0; m &= m - 1) {
        Thread const thread{cta.number, 32 * e.site.warp.index + static_cast<std::uint32_t>(std::countr_zero(m))};
        families_.ask(launch_->grid_id, thread, order_.known_now(thread));
    }
}

/// Whether a launch is over as a whole before the present one begins.
bool RaceCheck::is_launch_over(PastLaunch const& launch) const {
    Kinship const kin = kinship(launch.family.get(), launches_.back().family.get());
    if (kin.descendant != nullptr) return kin.descendant->request.is_tail;
    if (kin.elder != nullptr) return families_.has_events() || are_in_order(*kin.elder, *kin.younger);
    return is_followed(launch.order, work_);
}

/// Why an access of an earlier launch may happen at the same time as the present one; empty: it does not.
std::string RaceCheck::why_at_once(PastLaunch const& launch, Stamp const& earlier, Record const& other) const {
    Kinship const kin = kinship(launch.family.get(), launches_.back().family.get());
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
    std::string const why = why_at_once(launch, earlier, other);
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
        Finding finding =
            describe_side(how.sort, by, is_related ? " in grids that run at once" : " in two streams");
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

/// Copies and fills that may go on while the present kernel runs.
void RaceCheck::check_ranges(Doer const& by) {
    for (PastRange const& range : beside_) {
        bool const conflicts = range.is_written || by.manner.sort != Sort::read;
        if (!conflicts || !range.overlaps(by.address, by.address + by.bytes)) continue;
        Alike const alike{Kind::race, 2u << 24 | static_cast<std::uint32_t>(range.is_written),
                          launch_->plan.module, by.manner.instruction.function, by.manner.instruction.index};
        findings_.add(alike, [&] {
            Finding finding = describe_side(range.is_written ? Sort::write : Sort::read, by, " in two streams");
            finding.message += ", no event or wait between " + range.order.name + " and " + work_.name;
            finding.other = Act{std::string("had ") + range.what + (range.is_written ? " write it" : " read it"),
                                {},
                                {},
                                {},
                                {},
                                {},
                                {}};
            finding.notes.push_back(launch_text(launches_.back()) + " may run at the same time as " + range.what +
                                    " in " + range.order.name);
            return finding;
        });
    }
}

void RaceCheck::host_access(sim::HostAccessEvent const& e) {
    // What the host does outside of streams is in no order that could be judged.
    if (std::this_thread::get_id() != worker_ || work_.stream == 0 || launch_ != nullptr) return;
    bool const is_copy = e.operation == Operation::copy;
    char const* const what = e.operation == Operation::fill ? "a fill" : "a copy";
    if (e.operation != Operation::read) add_range({work_, e.address, e.address + e.bytes, true, what});
    if (e.operation == Operation::read) add_range({work_, e.address, e.address + e.bytes, false, what});
    if (is_copy) add_range({work_, e.from, e.from + e.bytes, false, what});
}

void RaceCheck::add_range(PastRange const& range) {
    forget_works();
    if (work_.is_alone) return;
    for (PastRange const& other : ranges_) {
        bool const conflicts = (other.is_written || range.is_written) && other.overlaps(range.begin, range.end);
        if (conflicts && !is_followed(other.order, work_)) report_ranges(range, other);
    }
    bool const has_beside = std::any_of(launches_.begin(), launches_.end(), [&](PastLaunch const& launch) {
        return !is_followed(launch.order, work_);
    });
    if (has_beside) {
        global_.for_each_touched(range.begin, range.end, [&](std::uint64_t address, Cell& cell) {
            return check_range(range, address, cell.write()) ||
                   (range.is_written && check_range(range, address, cell.read()));
        });
    }
    // Who does not follow an earlier copy of the same does not follow this one, either.
    std::erase_if(ranges_, [&](PastRange const& other) {
        bool const is_inside = range.begin <= other.begin && other.end <= range.end;
        return is_inside && (range.is_written || !other.is_written) && is_followed(other.order, work_);
    });
    ranges_.push_back(range);
}

void RaceCheck::report_ranges(PastRange const& range, PastRange const& other) {
    Finding finding;
    finding.kind = Kind::race;
    finding.space = "global";
    finding.address = std::max(range.begin, other.begin);
    finding.bytes = std::min(range.end, other.end) - *finding.address;
    finding.what = std::string(range.is_written ? "write" : "read") + " and " +
                   (other.is_written ? "write" : "read") + " in two streams";
    finding.message = finding.what + " of " + std::to_string(finding.bytes) + " bytes at global " +
                      sim::hexadecimal(*finding.address) + ", by " + range.what + " in " + range.order.name +
                      " and " + other.what + " in " + other.order.name + ", no event or wait between them";
    findings_.add(std::move(finding));
}

/// An access of a launch in the range; true: it was reported, which is enough.
bool RaceCheck::check_range(PastRange const& range, std::uint64_t address, Stamp const& earlier) {
    if (!earlier.is_any()) return false;
    Record const& other = records_[earlier.record()];
    Manner const& how = manner(other);
    PastLaunch const& launch = launches_[how.launch];
    bool const conflicts = range.is_written || how.sort != Sort::read;
    if (!conflicts || is_followed(launch.order, work_)) return false;
    Finding finding;
    finding.kind = Kind::race;
    finding.kernel = launch.kernel;
    finding.launch = launch.number;
    finding.space = "global";
    finding.address = address;
    finding.bytes = 4;
    finding.what = std::string(range.is_written ? "write" : "read") + " and " +
                   (how.sort == Sort::read ? "read" : "write") + " in two streams";
    finding.message = finding.what + " at global " + sim::hexadecimal(address) + ", no event or wait between " +
                      launch.order.name + " and " + range.what + " in " + range.order.name;
    finding.act = act_of(how.sort == Sort::read ? "read" : "wrote", *launch.module, how.instruction,
                         place_in(launch.grid, other.cta), thread_of(earlier, other).number, launch.block);
    finding.other = Act{
        std::string("has ") + range.what + (range.is_written ? " write it" : " read it"), {}, {}, {}, {}, {}, {}};
    finding.notes.push_back(launch_text(launch) + " may run at the same time as " + range.what + " in " +
                            range.order.name);
    findings_.add(std::move(finding));
    return true;
}

}  // namespace warpsim::check
