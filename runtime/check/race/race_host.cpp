// Accesses of the host's own code: while a kernel or a copy may still go on that it has not waited for.
#include "runtime/check/race/race_check.hpp"

#include "sim/hexadecimal.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace warpsim::check {

namespace {

constexpr std::uint64_t page_bytes = 4096;
constexpr char const* nouns[] = {"read", "write", "atomic"};

}  // namespace

/// Whether the host has not waited for it.
bool RaceCheck::is_open(runtime::WorkOrder const& work, runtime::WorkClock const& host) const {
    return work.stream != 0 && host.of(work.stream) < work.number;
}

std::vector<bool> RaceCheck::open_launches(runtime::WorkClock const& host) const {
    std::vector<bool> open;
    for (PastLaunch const& launch : launches_)
        open.push_back(!launch.talks_to_host && is_open(launch.order, host));
    return open;
}

void RaceCheck::for_each_page(std::uint64_t begin, std::uint64_t end, runtime::WorkClock const& host,
                              std::function<void(std::uint64_t, bool)> const& visit) {
    forget_fresh();
    for (PastRange const& range : ranges_) {
        if (!range.overlaps(begin, end) || !is_open(range.order, host)) continue;
        std::uint64_t const last = std::min(end, range.end);
        for (std::uint64_t at = std::max(begin, range.begin) & ~(page_bytes - 1); at < last; at += page_bytes)
            visit(at, range.is_written);
    }
    std::vector<bool> const open = open_launches(host);
    if (std::find(open.begin(), open.end(), true) == open.end()) return;
    std::uint64_t settled = ~std::uint64_t{0};  // a page of which all is said
    auto const is_by_open = [&](std::uint32_t number) {
        return number != 0 && open[manner(records_[number - 1]).launch];
    };
    global_.for_each_touched(begin, end, [&](std::uint64_t address, std::uint32_t, Cell const& cell) {
        std::uint64_t const page = address & ~(page_bytes - 1);
        if (page == settled) return false;
        bool const is_written =
            is_by_open(cell.write_number()) ||
            (is_by_open(cell.read_number()) && manner(records_[cell.read_number() - 1]).sort != Sort::read);
        if (is_written) settled = page;
        if (is_written || is_by_open(cell.read_number())) visit(page, is_written);
        return false;
    });
}

void RaceCheck::host_touches(runtime::HostTouch const& touch, runtime::WorkClock const& host) {
    forget_fresh();
    std::uint64_t const end = touch.address + touch.bytes;
    for (PastRange const& range : ranges_) {
        bool const conflicts = range.is_written || touch.is_write;
        if (conflicts && range.overlaps(touch.address, end) && is_open(range.order, host))
            return report_host(range, touch);
    }
    std::vector<bool> const open = open_launches(host);
    auto const conflicts = [&](Stamp const& stamp) {
        if (!stamp.is_any()) return false;
        Manner const& how = manner(records_[stamp.record()]);
        return open[how.launch] && (touch.is_write || how.sort != Sort::read);
    };
    global_.for_each_touched(touch.address, end, [&](std::uint64_t address, std::uint32_t, Cell const& cell) {
        for (Stamp stamp : {cell.write(), cell.read()}) {
            if (!conflicts(stamp)) continue;
            std::uint64_t const at = std::max(address, touch.address);
            if (stamp.step_log2 < Stamp::coarsest_log2)  // one of several lanes that follow each other
                stamp.lane = (stamp.lane + static_cast<std::uint32_t>((at - address) >> stamp.step_log2)) & 31;
            report_host(stamp, at, touch);
            return true;
        }
        return false;
    });
}

Finding RaceCheck::describe_host(Sort other, std::uint64_t address, runtime::HostTouch const& touch,
                                 runtime::WorkOrder const& order) const {
    runtime::HostTouch::Place const place = touch.place();
    Finding finding;
    finding.kind = Kind::race;
    finding.space = "global";
    finding.address = address;
    finding.bytes = touch.bytes;
    finding.what = std::string(touch.is_write ? "write" : "read") + " by the host and " +
                   nouns[static_cast<std::size_t>(other)] + " by the device";
    finding.message = finding.what + " at global " + sim::hexadecimal(address) + ", the host has not waited for " +
                      order.name + " in between";
    finding.act = Act{};
    finding.act->verb = touch.is_write ? "wrote it" : "read it";
    if (place.line != 0) finding.act->source = {place.file, place.line, ""};
    else if (!place.text.empty()) finding.act->verb += place.text;
    return finding;
}

void RaceCheck::report_host(Stamp const& earlier, std::uint64_t address, runtime::HostTouch const& touch) {
    Record const& other = records_[earlier.record()];
    Manner const& how = manner(other);
    PastLaunch const& launch = launches_[how.launch];
    Finding finding = describe_host(how.sort, address, touch, launch.order);
    finding.kernel = launch.kernel;
    finding.launch = launch.number;
    finding.other = act_of(how.sort == Sort::read ? "read it" : "wrote it", *launch.module, how.instruction,
                           place_in(launch.grid, other.cta), thread_of(earlier, other).number, launch.block);
    finding.notes.push_back(launch_text(launch) + " may still run");
    findings_.add(std::move(finding));
}

void RaceCheck::report_host(PastRange const& range, runtime::HostTouch const& touch) {
    Finding finding = describe_host(range.is_written ? Sort::write : Sort::read,
                                    std::max(touch.address, range.begin), touch, range.order);
    finding.notes.push_back(std::string(range.what) + " in " + range.order.name + ", which " +
                            (range.is_written ? "writes" : "reads") + " it, may still go on");
    findings_.add(std::move(finding));
}

}  // namespace warpsim::check
