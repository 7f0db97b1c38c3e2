// Tests and their outcomes as JUnit's XML, which continuous integration shows.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace warpsim::check {

struct TestCase {
    struct Failure {
        std::string message, type, text;
    };
    std::string classname, name;
    std::vector<Failure> failures;
    bool is_skipped = false;
    std::optional<double> seconds;
};

std::string junit_text(std::string const& suite, std::vector<TestCase> const& cases);
/// Throws Error(usage) if the file cannot be written; `what` is what messages call it.
void write_text(std::string const& file, char const* what, std::string const& text);

}  // namespace warpsim::check
