// Findings that a user knows of and does not want to hear about.
#pragma once

#include "runtime/check/findings/finding.hpp"

#include <string>
#include <vector>

namespace warpsim::check {

/// A file of them, one a line: "KIND; WHAT; KERNEL; FILE:LINE", each part a pattern in which `*` stands for any text. Parts
/// at the end may be missing; a kernel may be mangled or not; # behind a space begins a comment.
class Suppressions {
public:
    Suppressions() = default;
    /// Throws Error(usage) that names file, line and what is wrong.
    static Suppressions read(std::string const& file);
    static Suppressions parse(std::string const& file, std::string const& text);

    bool match(Finding const& finding) const;
    /// The line that would silence this finding.
    static std::string entry_for(Finding const& finding);

private:
    struct Entry {
        std::string kind, what, kernel, place;
    };
    std::vector<Entry> entries_;
};

}  // namespace warpsim::check
