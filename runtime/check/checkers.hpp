// The checkers that a run has chosen, and what becomes of their findings.
#pragma once

#include "runtime/check/findings/findings.hpp"
#include "runtime/check/findings/report.hpp"
#include "runtime/launch.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace warpsim::check {

struct InitPeers;

struct Options {
    std::vector<Kind> kinds;          // none: nothing is checked
    std::string report;               // a file; empty: none
    std::string suppressions;         // a file; empty: none
    std::uint64_t print_limit = 100;  // findings that are printed
    bool init_is_strict = false;      // every read of memory that nobody has written is a finding
    std::string command;              // for the report
    /// Called with each finding that is like none before, when it is made; null: nobody wants to know.
    std::function<void(Finding const&)> found;
    std::function<bool()> is_quiet;  // nothing is to be printed now; null: it always is
};

/// "memory,race", "all" or "": Throws Error(usage) that names what there is.
std::vector<Kind> parse_kinds(std::string const& list);
/// The checker that compute-sanitizer calls so: "racecheck". Throws Error(usage).
Kind kind_of_tool(std::string const& tool);

/// Must outlive the devices that it observes.
class Checkers {
public:
    /// Throws Error(usage) for files that cannot be read or written.
    explicit Checkers(Options options);

    /// Adds to a device's options what the checkers want to see.
    void observe(runtime::DeviceOptions& device);
    Findings& findings() { return findings_; }
    /// Says, in words, which call of the program its present thread is in; for devices that are observed later.
    void set_present_call(std::function<std::string()> present_call) { present_call_ = std::move(present_call); }
    bool checks(Kind kind) const {
        return std::find(options_.kinds.begin(), options_.kinds.end(), kind) != options_.kinds.end();
    }
    bool has_findings() const { return !findings_.all().empty(); }
    /// Prints what is new.
    void tell();
    /// Prints the summary and writes the report; once.
    void finish();
    /// What a report says of the run as a whole.
    Run run() const;

private:
    Options const options_;
    std::function<std::string()> present_call_;
    Findings findings_;
    std::shared_ptr<InitPeers> const init_peers_;
    std::uint64_t printed_ = 0;
    bool is_finished_ = false;
};

}  // namespace warpsim::check
