#include "runtime/cuda/process/host_checks.hpp"

#include "runtime/cuda/core/arguments.hpp"
#include "runtime/cuda/process/process.hpp"
#include "sim/demangled.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace warpsim::cuda {

namespace {

/// What a program has to free itself; empty: it does not.
std::string name_of(MemoryKind kind) {
    switch (kind) {
        case MemoryKind::device: return "device memory";
        case MemoryKind::host: return "pinned memory of the host";
        case MemoryKind::managed: return "managed memory";
        case MemoryKind::registered: return "registered memory of the host";
        case MemoryKind::variable:
        case MemoryKind::managed_variable: return "";
    }
    return "";
}

std::string name_of(HandleKind kind) {
    switch (kind) {
        case HandleKind::stream: return "stream";
        case HandleKind::event: return "event";
        case HandleKind::library: return "module";
        case HandleKind::graph: return "graph";
        case HandleKind::graph_exec: return "executable graph";
        case HandleKind::array: return "array";
        case HandleKind::mipmapped_array: return "mipmapped array";
        case HandleKind::physical_memory: return "handle of physical memory";
        default: return "";
    }
}

struct Leak {
    std::uint64_t count = 0, bytes = 0;
    std::shared_ptr<CallSite const> made_by;  // the first of them
};

/// Of the host, at a line of the program if that is known.
std::optional<check::Act> act_of(CallSite const& site) {
    SourcePlace const place = site.source();
    if (!place) return std::nullopt;
    check::Act act;
    act.verb = "called " + site.function;
    act.source = {place.file, static_cast<std::uint32_t>(place.line), ""};
    return act;
}

}  // namespace

HostChecks::HostChecks(check::Checkers* checkers, bool tells_of_calls) : checkers_(checkers) {
    if (checkers == nullptr) {
        CallArguments::are_wanted = tells_of_calls;
        return;
    }
    looks_at_calls_ = checkers->checks(check::Kind::api);
    looks_for_leaks_ = checkers->checks(check::Kind::leak);
    looks_at_memory_ = checkers->checks(check::Kind::memory);
    looks_at_order_ = checkers->checks(check::Kind::sync);
    looks_for_races_ = checkers->checks(check::Kind::race);
    // Memory that nobody has written is told by the call that made it.
    bool const tells_of_memory = checkers->checks(check::Kind::init);
    CallSite::is_wanted = looks_for_leaks_ || tells_of_memory;
    CallArguments::are_wanted = CallSite::is_wanted || looks_at_calls_ || looks_at_memory_ || tells_of_calls;
    if (tells_of_memory) {
        checkers->set_present_call([] {
            CallSite const site = CallSite::present();
            return site.function.empty() ? std::string() : site.text();
        });
    }
}

void HostChecks::fail(std::uint64_t thread, Failure const& failure) {
    auto const* const bad = dynamic_cast<BadMemory const*>(&failure);
    bool const is_told = looks_at_memory_ && bad != nullptr;
    if ((!looks_at_calls_ && !is_told) || failure.result() == Result::not_ready) return;
    CallSite const site = CallSite::present();
    if (site.function.empty()) return;
    if (is_told) tell(*bad, site);
    if (!looks_at_calls_) return;
    bool const is_runtime = site.function.starts_with("cuda");  // else it is the driver's
    int const number = static_cast<int>(failure.result());
    char const* const name = is_runtime ? runtime_name(number) : driver_name(number);
    check::Finding finding;
    finding.kind = check::Kind::api;
    finding.what = name != nullptr ? name : std::to_string(number);
    finding.message = site.text() + " failed: " + finding.what;
    finding.kernel = failure.kernel();
    finding.act = act_of(site);
    if (!failure.reason().empty()) finding.message += ", " + failure.reason();
    else if (char const* const text = description(number)) finding.message += std::string(", ") + text;
    std::lock_guard const lock(mutex_);
    auto const again = std::find_if(failed_.begin(), failed_.end(), [&](Failed const& known) {
        return known.thread == thread && known.code == site.code && known.result == failure.result();
    });
    if (again != failed_.end()) ++again->finding.count;
    else failed_.push_back({thread, failure.result(), site.code, std::move(finding)});
}

/// A finding, whether the program looks at the error or not: the error does not say what is wrong.
void HostChecks::tell(BadMemory const& bad, CallSite const& site) {
    check::Finding finding;
    finding.kind = check::Kind::memory;
    finding.what = "bad memory of " + site.function;
    finding.message = site.text() + ": " + bad.reason();
    finding.act = act_of(site);
    checkers_->findings().add(std::move(finding));
}

void HostChecks::tell_early(std::string const& kernel, std::string const& before) {
    CallSite const site = CallSite::present();
    check::Finding finding;
    finding.kind = check::Kind::sync;
    finding.what = "kernel that does not wait for the one before it";
    finding.message = "kernel " + sim::abbreviated(sim::demangled(kernel)) + " may begin before " +
                      sim::abbreviated(sim::demangled(before)) +
                      " has ended, which lets it (griddepcontrol.launch_dependents), and never waits for that";
    if (!site.function.empty()) finding.notes.push_back("launched by " + site.text());
    finding.notes.emplace_back("griddepcontrol.wait (cudaGridDependencySynchronize()) is missing in it");
    finding.act = act_of(site);
    checkers_->findings().add(std::move(finding));
}

void HostChecks::look(std::uint64_t thread) {
    if (!looks_at_calls_) return;
    std::lock_guard const lock(mutex_);
    std::erase_if(failed_, [&](Failed const& failed) { return failed.thread == thread; });
}

void HostChecks::look(Result result) {
    if (!looks_at_calls_) return;
    std::lock_guard const lock(mutex_);
    std::erase_if(failed_, [&](Failed const& failed) { return failed.result == result; });
}

void HostChecks::finish(Process& process) {
    if (looks_for_leaks_) find_leaks(process);
    std::lock_guard const lock(mutex_);
    for (Failed& failed : failed_) checkers_->findings().add(std::move(failed.finding));
    failed_.clear();
}

void HostChecks::find_leaks(Process& process) {
    // By what is left, and by the call that made it: its function and its place.
    std::map<std::tuple<std::string, std::string, std::string>, Leak> leaks;
    auto const add = [&](std::string const& what, std::shared_ptr<CallSite const> const& made_by,
                         std::uint64_t bytes) {
        if (what.empty() || !made_by || made_by->function.empty()) return;
        Leak& leak = leaks[{what, made_by->function, made_by->from}];
        if (leak.count++ == 0) leak.made_by = made_by;
        leak.bytes += bytes;
    };
    process.memory.for_each([&](MemoryRange const& range) {
        if (range.pool == 0 && !range.is_mapped) add(name_of(range.kind), range.made_by, range.size);
    });
    process.handles.for_each([&](HandleKind kind, std::shared_ptr<CallSite const> const& made_by) {
        // Those that come with the program are made by whichever call is the first.
        bool const is_loaded =
            kind != HandleKind::library || (made_by && made_by->function.find("Load") != std::string::npos);
        if (is_loaded) add(name_of(kind), made_by, 0);
    });
    for (auto const& [key, leak] : leaks) {
        std::string const& what = std::get<0>(key);
        check::Finding finding;
        finding.kind = check::Kind::leak;
        finding.what = what + " is left at the end";
        finding.count = leak.count;
        finding.bytes = leak.bytes;
        finding.message = (leak.bytes != 0 ? std::to_string(leak.bytes) + " bytes of " + what : what) +
                          " left at the end, made by " + leak.made_by->text();
        finding.act = act_of(*leak.made_by);
        checkers_->findings().add(std::move(finding));
    }
}

}  // namespace warpsim::cuda
