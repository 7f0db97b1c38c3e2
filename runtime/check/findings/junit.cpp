#include "runtime/check/findings/junit.hpp"

#include "sim/error.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

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

/// A line's end in an attribute would be read as a space.
std::string first_line(std::string const& text) { return escaped(text.substr(0, text.find('\n'))); }

std::string text_of(TestCase const& one) {
    std::string xml =
        "    <testcase classname=\"" + first_line(one.classname) + "\" name=\"" + first_line(one.name) + "\"";
    if (one.seconds) {
        char time[32];
        std::snprintf(time, sizeof time, " time=\"%.6f\"", *one.seconds);
        xml += time;
    }
    if (one.failures.empty() && !one.is_skipped) return xml + "/>\n";
    xml += ">\n";
    for (TestCase::Failure const& failure : one.failures)
        xml += "      <failure message=\"" + first_line(failure.message) + "\" type=\"" +
               first_line(failure.type) + "\">" + escaped(failure.text) + "</failure>\n";
    if (one.failures.empty()) xml += "      <skipped/>\n";
    return xml + "    </testcase>\n";
}

}  // namespace

std::string junit_text(std::string const& suite, std::vector<TestCase> const& cases) {
    auto const count = [&](auto const& is) {
        return std::to_string(std::count_if(cases.begin(), cases.end(), is));
    };
    std::string const counts = "tests=\"" + std::to_string(cases.size()) + "\" failures=\"" +
                               count([](TestCase const& one) { return !one.failures.empty(); }) + "\" skipped=\"" +
                               count([](TestCase const& one) { return one.failures.empty() && one.is_skipped; }) +
                               "\"";
    std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites " + counts +
                      ">\n  <testsuite name=\"" + first_line(suite) + "\" " + counts + ">\n";
    for (TestCase const& one : cases) xml += text_of(one);
    return xml + "  </testsuite>\n</testsuites>\n";
}

void write_text(std::string const& file, char const* what, std::string const& text) {
    std::ofstream stream(file, std::ios::binary);
    stream << text;
    stream.close();
    if (!stream)
        throw Error(ErrorKind::usage,
                    std::string("cannot write the ") + what + " '" + file + "': " + std::strerror(errno));
}

}  // namespace warpsim::check
