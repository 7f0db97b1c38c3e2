// Findings as people read them, and the choice of a file's format.
#include "runtime/check/findings/act.hpp"
#include "runtime/check/findings/junit.hpp"
#include "runtime/check/findings/report.hpp"
#include "runtime/check/findings/suppressions.hpp"
#include "sim/demangled.hpp"

namespace warpsim::check {

namespace {

constexpr char bar[] = "========= ";

void add_act(std::string& text, Act const& act) {
    text += bar + std::string("  ") + who(act) + (act.verb.empty() ? "" : " " + act.verb) +
            (act.value ? " " + *act.value : "");
    if (act.source) text += " at " + act.source.file + ":" + std::to_string(act.source.number) + act.inlined;
    text += "\n";
    if (act.ptx)
        text += bar + std::string("    ") + act.ptx.file + ":" + std::to_string(act.ptx.number) + ":  " +
                act.ptx.text + "\n";
}

std::string counted(std::uint64_t count, std::string const& one) {
    return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

}  // namespace

std::string to_text(Finding const& finding) {
    std::string text = bar + std::string(name(finding.kind)) + ": " + finding.message +
                       (finding.count > 1 ? "  (" + std::to_string(finding.count) + " times)" : "") + "\n";
    if (!finding.kernel.empty())
        text += bar + std::string("  kernel ") + sim::abbreviated(sim::demangled(finding.kernel)) +
                (finding.launch ? ", launch " + std::to_string(*finding.launch) : "") + "\n";
    if (finding.act) add_act(text, *finding.act);
    if (finding.other) add_act(text, *finding.other);
    for (std::string const& note : finding.notes) text += bar + std::string("  ") + note + "\n";
    return text + bar + "  to silence it: " + Suppressions::entry_for(finding) + "\n";
}

std::string summary_text(Run const& run, std::vector<Finding> const& findings) {
    std::uint64_t times = 0;
    for (Finding const& finding : findings) times += finding.count;
    std::string text = bar + counted(findings.size(), "finding");
    if (times > findings.size()) text += " (" + std::to_string(times) + " times)";
    text += " in " + counted(run.launches, "launch");
    if (run.launches != 1) text.insert(text.size() - 1, "e");
    text += " of " + counted(run.kernels, "kernel");
    if (run.suppressed != 0) text += ", " + std::to_string(run.suppressed) + " suppressed";
    text += "; checked:";
    for (std::size_t i = 0; i < run.checked.size(); ++i)
        text += (i == 0 ? " " : ", ") + std::string(name(run.checked[i]));
    return text + "\n";
}

void write_report(std::string const& file, Run const& run, std::vector<Finding> const& findings) {
    std::string const text = file.ends_with(".sarif") ? to_sarif(run, findings)
                             : file.ends_with(".xml") ? to_junit(run, findings)
                                                      : to_json(run, findings);
    write_text(file, "check report", text);
}

}  // namespace warpsim::check
