// Check reports as JUnit's XML, which continuous integration shows as tests: one for each checker.
#include "runtime/check/findings/report.hpp"

namespace warpsim::check {

namespace {

std::string escaped(std::string const& text) {
    std::string xml;
    for (char const c : text) {
        switch (c) {
            case '&': xml += "&amp;"; break;
            case '<': xml += "&lt;"; break;
            case '>': xml += "&gt;"; break;
            case '"': xml += "&quot;"; break;
            default: xml += static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t' ? '?' : c;
        }
    }
    return xml;
}

}  // namespace

std::string to_junit(Run const& run, std::vector<Finding> const& findings) {
    std::string cases;
    std::size_t failed = 0;
    for (Kind const kind : run.checked) {
        std::string failures;
        for (Finding const& finding : findings) {
            if (finding.kind != kind) continue;
            failures += "      <failure message=\"" + escaped(finding.message) + "\" type=\"" +
                        escaped(finding.what) + "\">" + escaped(to_text(finding)) + "</failure>\n";
        }
        failed += !failures.empty();
        cases += "    <testcase classname=\"warpsim.check\" name=\"" + std::string(name(kind)) + "\"";
        cases += failures.empty() ? "/>\n" : ">\n" + failures + "    </testcase>\n";
    }
    std::string const counts =
        "tests=\"" + std::to_string(run.checked.size()) + "\" failures=\"" + std::to_string(failed) + "\"";
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites " + counts + ">\n  <testsuite name=\"" +
           escaped(run.command) + "\" " + counts + ">\n" + cases + "  </testsuite>\n</testsuites>\n";
}

}  // namespace warpsim::check
