// Copies and fills, of several streams or that kernels ask for: what nothing orders may happen at once.
#include "runtime/check/race/race_check.hpp"

#include "sim/exec/launch_context.hpp"
#include "sim/hexadecimal.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace warpsim::check {

using HostOperation = sim::HostAccessEvent::Operation;

void RaceCheck::child_moves(runtime::ChildRequest const* request) {
    moving_ = request != nullptr ? families_.moving(*request) : nullptr;
    if (moving_) worker_ = std::this_thread::get_id();
}

/// Copies and fills that may go on while the present kernel runs.
void RaceCheck::check_ranges(Doer const& by) {
    for (PastRange const& range : beside_) {
        bool const conflicts = range.is_written || by.manner.sort != Sort::read;
        if (!conflicts || !range.overlaps(by.address, by.address + by.bytes)) continue;
        Alike const alike{Kind::race, 2u << 24 | static_cast<std::uint32_t>(range.is_written),
                          launch_->plan.module, by.manner.instruction.function, by.manner.instruction.index};
        findings_.add(alike, [&] {
            Finding finding = describe_side(range.is_written ? Sort::write : Sort::read, by,
                                            range.family ? " of what kernels ask for" : " in two streams");
            finding.message += range.family
                                   ? ", in no stream of one block that orders them"
                                   : ", no event or wait between " + range.order.name + " and " + work_.name;
            finding.other = act_of_range(range, "had ");
            finding.notes.push_back(launch_text(launches_.back()) + " may run at the same time as " +
                                    range_text(range));
            return finding;
        });
    }
}

void RaceCheck::host_access(sim::HostAccessEvent const& e) {
    if (std::this_thread::get_id() != worker_) return;
    // What the host does outside of streams is in no order that could be judged.
    if (!moving_ && (work_.stream == 0 || launch_ != nullptr)) return;
    bool const is_copy = e.operation == HostOperation::copy;
    char const* const what = e.operation == HostOperation::fill ? "a fill" : "a copy";
    if (e.operation != HostOperation::read)
        add_range({work_, e.address, e.address + e.bytes, true, what, moving_});
    if (e.operation == HostOperation::read)
        add_range({work_, e.address, e.address + e.bytes, false, what, moving_});
    if (is_copy) add_range({work_, e.from, e.from + e.bytes, false, what, moving_});
}

/// Whether the earlier one is over when the later one begins.
bool RaceCheck::are_ordered(PastRange const& earlier, PastRange const& later) const {
    bool const is_same = earlier.family && earlier.family == later.family;  // its two sides, or its rows
    return is_same || (is_followed(earlier.order, later.order) &&
                       families_.are_ordered(earlier.family.get(), later.family.get()));
}

void RaceCheck::add_range(PastRange const& range) {
    forget_works();
    if (work_.is_alone && !expects_host_ && !range.family) return;
    for (PastRange const& other : ranges_) {
        bool const conflicts = (other.is_written || range.is_written) && other.overlaps(range.begin, range.end);
        if (conflicts && !are_ordered(other, range)) report_ranges(range, other);
    }
    bool const has_beside =
        range.family || std::any_of(launches_.begin(), launches_.end(),
                                    [&](PastLaunch const& launch) { return !is_followed(launch.order, work_); });
    if (has_beside) {
        global_.for_each_touched(range.begin, range.end,
                                 [&](std::uint64_t address, std::uint32_t bytes, Cell const& cell) {
                                     return check_range(range, address, bytes, cell.write()) ||
                                            (range.is_written && check_range(range, address, bytes, cell.read()));
                                 });
    }
    // Who does not follow an earlier copy of the same does not follow this one, either.
    std::erase_if(ranges_, [&](PastRange const& other) {
        bool const is_inside = range.begin <= other.begin && other.end <= range.end;
        return is_inside && (range.is_written || !other.is_written) && are_ordered(other, range);
    });
    ranges_.push_back(range);
}

/// The kernel that has asked for it; null: the host has.
PastLaunch const* RaceCheck::asker_of(PastRange const& range) const {
    if (!range.family) return nullptr;
    auto const found = std::find_if(launches_.rbegin(), launches_.rend(), [&](PastLaunch const& launch) {
        return launch.family == range.family->parent;
    });
    return found != launches_.rend() ? &*found : nullptr;
}

std::string RaceCheck::range_text(PastRange const& range) const {
    if (PastLaunch const* const asker = asker_of(range))
        return std::string(range.what) + " that " + launch_text(*asker) + ", has asked for";
    return std::string(range.what) + " in " + range.order.name;
}

Act RaceCheck::act_of_range(PastRange const& range, char const* verb) const {
    std::string const text = range.is_freed
                                 ? std::string(verb) + "it freed"
                                 : std::string(verb) + range.what + (range.is_written ? " write it" : " read it");
    PastLaunch const* const asker = asker_of(range);
    if (asker == nullptr || range.family->call.function == ir::none) return {text, {}, {}, {}, {}, {}, {}};
    runtime::ChildRequest const& request = range.family->request;
    return act_of(text, *asker->module, range.family->call, place_in(asker->grid, request.cta), request.thread,
                  asker->block);
}

void RaceCheck::report_ranges(PastRange const& range, PastRange const& other) {
    Finding finding;
    finding.kind = Kind::race;
    finding.space = "global";
    finding.address = std::max(range.begin, other.begin);
    finding.bytes = std::min(range.end, other.end) - *finding.address;
    bool const is_of_kernels = range.family && other.family;
    finding.what = std::string(range.is_written ? "write" : "read") + " and " +
                   (other.is_written ? "write" : "read") +
                   (is_of_kernels ? " of what kernels ask for" : " in two streams");
    finding.message =
        finding.what + " of " + std::to_string(finding.bytes) + " bytes at global " +
        sim::hexadecimal(*finding.address) + ", by " + range_text(range) + " and " + range_text(other) +
        (is_of_kernels ? ", in no stream of one block that orders them" : ", no event or wait between them");
    if (range.family) finding.act = act_of_range(range, "has ");
    if (other.family) finding.other = act_of_range(other, "had ");
    if (PastLaunch const* const asker = asker_of(range)) {
        finding.kernel = asker->kernel;
        finding.launch = asker->number;
    }
    findings_.add(std::move(finding));
}

/// Why an access of a launch may happen at the same time; empty: it does not.
std::string RaceCheck::why_at_once(PastRange const& range, Stamp const& earlier) const {
    Record const& other = records_[earlier.record()];
    PastLaunch const& launch = launches_[manner(other).launch];
    Kinship const kin = kinship(launch.family.get(), range.family.get());
    if (kin.descendant != nullptr) {
        Knowledge const& known = kin.descendant->known;
        Time const time = records_.time_of(earlier.record(), earlier.lane);
        if (kin.descendant->request.is_tail || (known && known->of(thread_of(earlier, other)) >= time)) return "";
        return "which is not done before by the thread that asks for " + std::string(range.what) +
               ", nor before a barrier that it comes from";
    }
    if (!families_.are_ordered(launch.family.get(), range.family.get()))
        return "both asked for by kernels, in no stream of one block that orders them";
    return is_followed(launch.order, work_) ? ""
                                            : "no event or wait between " + launch.order.name + " and " +
                                                  std::string(range.what) + " in " + range.order.name;
}

/// An access of a launch, or of lanes that follow each other, in the range; true: it was reported, which is enough.
bool RaceCheck::check_range(PastRange const& range, std::uint64_t address, std::uint32_t bytes,
                            Stamp const& earlier) {
    if (!earlier.is_any()) return false;
    if (!range.is_written && manner(records_[earlier.record()]).sort == Sort::read) return false;
    std::uint32_t const step = 1u << earlier.step_log2;
    for (std::uint32_t at = 0; at < bytes; at += step) {
        if (address + at >= range.end || address + std::min(at + step, bytes) <= range.begin) continue;
        Stamp one = earlier;
        one.lane = (earlier.lane + at / step) & 31;
        std::string const why = why_at_once(range, one);
        if (why.empty()) continue;
        report_range(range, address + at, one, why);
        return true;
    }
    return false;
}

void RaceCheck::report_range(PastRange const& range, std::uint64_t address, Stamp const& earlier,
                             std::string const& why) {
    Record const& other = records_[earlier.record()];
    Manner const& how = manner(other);
    PastLaunch const& launch = launches_[how.launch];
    Finding finding;
    finding.kind = Kind::race;
    finding.kernel = launch.kernel;
    finding.launch = launch.number;
    finding.space = "global";
    finding.address = address;
    finding.bytes = 4;
    finding.what = std::string(range.is_written ? "write" : "read") + " and " +
                   (how.sort == Sort::read ? "read" : "write") +
                   (range.family ? " of what kernels ask for" : " in two streams");
    finding.message = finding.what + " at global " + sim::hexadecimal(address) + ", " + why;
    finding.act = act_of(how.sort == Sort::read ? "read" : "wrote", *launch.module, how.instruction,
                         place_in(launch.grid, other.cta), thread_of(earlier, other).number, launch.block);
    finding.other = act_of_range(range, "has ");
    finding.notes.push_back(launch_text(launch) + " may run at the same time as " + range_text(range));
    findings_.add(std::move(finding));
}

}  // namespace warpsim::check
