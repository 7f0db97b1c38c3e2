// Findings as GitHub's workflow commands, which it shows beside the lines of a change.
#include "runtime/check/findings/act.hpp"
#include "runtime/check/findings/report.hpp"
#include "runtime/check/findings/workspace.hpp"
#include "sim/demangled.hpp"

#include <string_view>

namespace warpsim::check {

namespace {

/// A message has one line, and properties end at commas and colons.
std::string in_command(std::string_view text, bool is_property) {
    std::string all;
    for (char const c : text) {
        if (c == '%') all += "%25";
        else if (c == '\r') all += "%0D";
        else if (c == '\n') all += "%0A";
        else if (is_property && c == ':') all += "%3A";
        else if (is_property && c == ',') all += "%2C";
        else all += c;
    }
    return all;
}

void add_acting(std::string& text, Act const& act) {
    text += "\n" + who(act);
    if (!act.verb.empty()) text += " " + act.verb;
    if (act.source) text += " at " + act.source.file + ":" + std::to_string(act.source.number) + act.inlined;
    if (act.ptx) text += "\n" + act.ptx.file + ":" + std::to_string(act.ptx.number) + ": " + act.ptx.text;
}

}  // namespace

std::string github_command(std::string const& level, std::string const& title, Act const* act,
                           std::string const& message) {
    std::string text = "::" + level + " ";
    Line const line = act == nullptr ? Line() : act->source ? act->source : act->ptx;
    if (line)
        text += "file=" + in_command(in_workspace(line.file, act->ptx.file), true) +
                ",line=" + std::to_string(line.number) + ",";
    return text + "title=" + in_command(title, true) + "::" + in_command(message, false) + "\n";
}

std::string to_github(Finding const& finding) {
    std::string message = finding.message;
    if (finding.count > 1) message += " (" + std::to_string(finding.count) + " times)";
    if (!finding.kernel.empty()) message += "\nkernel " + sim::abbreviated(sim::demangled(finding.kernel));
    for (auto const* const act : {&finding.act, &finding.other})
        if (*act) add_acting(message, **act);
    for (std::string const& note : finding.notes) message += "\n" + note;
    return github_command(finding.is_benign ? "warning" : "error",
                          std::string(name(finding.kind)) + ": " + finding.what,
                          finding.act ? &*finding.act : nullptr, message);
}

}  // namespace warpsim::check
