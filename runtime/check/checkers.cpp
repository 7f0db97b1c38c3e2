#include "runtime/check/checkers.hpp"

#include "runtime/check/fault_check.hpp"
#include "runtime/check/init/init_check.hpp"
#include "runtime/check/race/race_check.hpp"
#include "runtime/check/sync/sync_check.hpp"
#include "runtime/log.hpp"
#include "runtime/work_order.hpp"
#include "sim/error.hpp"
#include "sim/exec/launch_context.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace warpsim::check {

namespace {

/// The first of the sinks: what others find is of this launch.
class LaunchBeginnings final : public sim::EventSink {
public:
    explicit LaunchBeginnings(Findings& findings) : findings_(findings) {}

    sim::EventMask wants() const override { return sim::event_mask(sim::EventKind::launch); }
    void launch_begins(sim::LaunchBegin const& e) override {
        findings_.launch_begins(std::string(e.kernel), e.is_watched);
    }

private:
    Findings& findings_;
};

/// The last of them: prints what others have found.
class LaunchEnds final : public sim::EventSink {
public:
    explicit LaunchEnds(Checkers& checkers) : checkers_(checkers) {}

    sim::EventMask wants() const override { return sim::event_mask(sim::EventKind::launch); }
    void launch_ends(sim::LaunchEnd const&) override { checkers_.tell(); }

private:
    Checkers& checkers_;
};

std::string names() {
    std::string list;
    for (Kind const kind : kinds) list += std::string(name(kind)) + ", ";
    return list + "all";
}

}  // namespace

std::vector<Kind> parse_kinds(std::string const& list) {
    std::vector<Kind> chosen;
    auto const add = [&](Kind kind) {
        if (std::find(chosen.begin(), chosen.end(), kind) == chosen.end()) chosen.push_back(kind);
    };
    for (std::size_t at = 0; at <= list.size() && !list.empty();) {
        std::size_t const end = std::min(list.find(',', at), list.size());
        std::string const word = list.substr(at, end - at);
        at = end + 1;
        auto const found = std::find_if(kinds.begin(), kinds.end(), [&](Kind kind) { return name(kind) == word; });
        if (word == "all") std::for_each(kinds.begin(), kinds.end(), add);
        else if (found != kinds.end()) add(*found);
        else throw Error(ErrorKind::usage, "--check: there is no checker '" + word + "'; there are " + names());
    }
    std::sort(chosen.begin(), chosen.end());
    return chosen;
}

Kind kind_of_tool(std::string const& tool) {
    if (tool == "memcheck") return Kind::memory;
    if (tool == "racecheck") return Kind::race;
    if (tool == "initcheck") return Kind::init;
    if (tool == "synccheck") return Kind::sync;
    throw Error(ErrorKind::usage,
                "--tool: there is no tool '" + tool + "'; there are memcheck, racecheck, initcheck, synccheck");
}

Checkers::Checkers(Options options)
    : options_(std::move(options)),
      findings_(options_.suppressions.empty() ? Suppressions() : Suppressions::read(options_.suppressions),
                options_.found),
      init_peers_(std::make_shared<InitPeers>()) {
    if (!options_.report.empty()) write_report(options_.report, run(), {});
}

void Checkers::observe(runtime::DeviceOptions& device) {
    auto const add = [&](std::shared_ptr<sim::EventSink> sink) { device.sinks.push_back(std::move(sink)); };
    add(std::make_shared<LaunchBeginnings>(findings_));
    for (Kind const kind : options_.kinds) {
        if (kind == Kind::memory) device.drop_bad_accesses = true;
        if (kind == Kind::sync) add(std::make_shared<SyncCheck>(findings_));
        if (kind == Kind::race) {
            auto race = std::make_shared<RaceCheck>(findings_);
            device.work_begins = [race](runtime::WorkOrder const& work) { race->work_begins(work); };
            device.host_conflicts = race;
            device.child_begins = [race](runtime::ChildRequest const& request) { race->child_begins(request); };
            device.child_moves = [race](runtime::ChildRequest const* request) { race->child_moves(request); };
            add(std::move(race));
        }
        if (kind == Kind::init) {
            auto const call = [this] { return present_call_ ? present_call_() : std::string(); };
            add(std::make_shared<InitCheck>(findings_, options_.init_is_strict, call, init_peers_));
        }
        if (kind == Kind::memory || kind == Kind::sync) add(std::make_shared<FaultCheck>(findings_, kind));
    }
    add(std::make_shared<LaunchEnds>(*this));
}

Run Checkers::run() const {
    return {options_.command, options_.kinds, findings_.launches(), findings_.kernels(), findings_.suppressed()};
}

void Checkers::tell() {
    if (options_.is_quiet && options_.is_quiet()) {
        findings_.take_new();
        return;
    }
    for (Finding const& finding : findings_.take_new()) {
        if (++printed_ <= options_.print_limit) log::plain(log::Level::error, to_text(finding));
        else if (options_.print_limit != 0 && printed_ == options_.print_limit + 1)
            log::plain(log::Level::error, "========= more findings are counted, not printed (--print-limit)\n");
    }
}

void Checkers::finish() {
    if (std::exchange(is_finished_, true)) return;
    if (options_.is_quiet && options_.is_quiet()) return;
    tell();
    std::vector<Finding> const all = findings_.all();
    if (!options_.report.empty()) write_report(options_.report, run(), all);
    log::plain(log::Level::error, summary_text(run(), all));
}

}  // namespace warpsim::check
