#include "runtime/check/findings/suppressions.hpp"

#include "sim/demangled.hpp"
#include "sim/error.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>

namespace warpsim::check {

namespace {

std::string_view trimmed(std::string_view text) {
    std::size_t const first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// Where it begins: behind a space or first, since names of lambdas have a # ("{lambda()#1}").
std::size_t comment_in(std::string_view line) {
    std::size_t at = line.find('#');
    while (at != std::string_view::npos && at != 0 && line[at - 1] != ' ' && line[at - 1] != '\t')
        at = line.find('#', at + 1);
    return at;
}

/// A part of an entry that fits this text and nothing that an entry may not contain.
std::string part_for(std::string text) {
    for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] == ';' || text[i] == '\n' || (text[i] == '#' && (i == 0 || text[i - 1] == ' '))) text[i] = '*';
    return text;
}

/// `*` stands for any text.
bool fits(std::string_view pattern, std::string_view text) {
    std::size_t p = 0, t = 0, star = std::string_view::npos, resumed = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            resumed = t;
        } else if (p < pattern.size() && pattern[p] == text[t]) {
            ++p;
            ++t;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++resumed;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

std::string place_of(Finding const& finding) {
    if (!finding.act) return "";
    Line const& line = finding.act->source ? finding.act->source : finding.act->ptx;
    return line ? line.file + ":" + std::to_string(line.number) : "";
}

}  // namespace

Suppressions Suppressions::read(std::string const& file) {
    std::ifstream stream(file);
    if (!stream)
        throw Error(ErrorKind::usage, "cannot read the suppressions '" + file + "': " + std::strerror(errno));
    return parse(file, {std::istreambuf_iterator<char>(stream), {}});
}

Suppressions Suppressions::parse(std::string const& file, std::string const& text) {
    Suppressions all;
    std::istringstream lines(text);
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        std::string_view rest = trimmed(std::string_view(line).substr(0, comment_in(line)));
        if (rest.empty()) continue;
        std::array<std::string, 4> words;
        words.fill("*");
        std::size_t count = 0;
        for (bool more = true; more; ++count) {
            std::size_t const end = rest.find(';');
            more = end != std::string_view::npos;
            if (count < words.size()) words[count] = trimmed(rest.substr(0, end));
            if (more) rest = rest.substr(end + 1);
        }
        auto const fail = [&](std::string const& why) {
            throw Error(ErrorKind::usage, file + ":" + std::to_string(number) + ": " + why);
        };
        if (count > words.size()) fail("too many parts; an entry is KIND; WHAT; KERNEL; FILE:LINE");
        bool const is_kind = words[0] == "*" || std::any_of(kinds.begin(), kinds.end(),
                                                            [&](Kind kind) { return words[0] == name(kind); });
        if (!is_kind) {
            std::string known;
            for (Kind const kind : kinds) known += std::string(name(kind)) + ", ";
            fail("'" + words[0] + "' is no checker: " + known + "or *");
        }
        all.entries_.push_back({words[0], words[1], words[2], words[3]});
    }
    return all;
}

bool Suppressions::match(Finding const& finding) const {
    if (entries_.empty()) return false;
    std::string const place = place_of(finding), shown = sim::demangled(finding.kernel);
    return std::any_of(entries_.begin(), entries_.end(), [&](Entry const& entry) {
        return fits(entry.kind, name(finding.kind)) && fits(entry.what, finding.what) &&
               (fits(entry.kernel, finding.kernel) || fits(entry.kernel, shown)) && fits(entry.place, place);
    });
}

std::string Suppressions::entry_for(Finding const& finding) {
    std::string const place = place_of(finding);
    std::string const kernel = sim::abbreviated(sim::demangled(finding.kernel), 160, "*");
    return std::string(name(finding.kind)) + "; " + part_for(finding.what) + "; " +
           (kernel.empty() ? "*" : part_for(kernel)) + "; " + (place.empty() ? "*" : part_for(place));
}

}  // namespace warpsim::check
