#include "tests/support/mutants.hpp"

#include <algorithm>
#include <optional>
#include <regex>

namespace warpsim::test {

namespace {

/// What becomes of a statement, without its semicolon; none if the mistake cannot be made there.
using Change = std::optional<std::string> (*)(std::string const&);

std::optional<std::string> removed(std::string const& statement, char const* pattern) {
    static std::regex const label(R"(^\s*[$\w]+:)");
    if (!std::regex_search(statement, std::regex(pattern))) return std::nullopt;
    std::smatch found;
    return std::regex_search(statement, found, label) ? found.str() : std::string();
}

std::optional<std::string> replaced(std::string const& statement, char const* pattern, char const* with) {
    std::regex const wanted(pattern);
    if (!std::regex_search(statement, wanted)) return std::nullopt;
    return std::regex_replace(statement, wanted, with, std::regex_constants::format_first_only);
}

std::optional<std::string> without_barrier(std::string const& s) {
    return removed(s, R"(\b(bar\.sync|barrier\.sync|bar\.cta\.sync|barrier\.cta\.sync)\b)");
}
std::optional<std::string> without_warp_barrier(std::string const& s) {
    return removed(s, R"(\bbar\.warp\.sync\b)");
}
std::optional<std::string> without_fence(std::string const& s) { return removed(s, R"(\b(membar|fence)\.)"); }
std::optional<std::string> without_wait(std::string const& s) {
    if (auto const changed = removed(s, R"(\bcp\.async\.(bulk\.)?wait)")) return changed;
    return replaced(s, R"(mbarrier\.(try|test)_wait\S*\s+([%\w]+)\s*,.*)", "setp.eq.u32 $2, 0, 0");
}
std::optional<std::string> narrower(std::string const& s) {
    if (auto const changed = replaced(s, R"(\bmembar\.(gl|sys))", "membar.cta")) return changed;
    if (auto const changed = replaced(s, R"(\b(ld|st|atom|red|fence)(\.\S*)?\.(gpu|sys)\b)", "$1$2.cta"))
        return changed;
    return replaced(s, R"(\b(atom|red)\.global\.)", "$1.relaxed.cta.global.");
}
std::optional<std::string> weaker(std::string const& s) {
    return replaced(s, R"(\b(ld|st|atom|red)(\.\S*)?\.(acquire|release|acq_rel)\b)", "$1$2.relaxed");
}
std::optional<std::string> without_atomic(std::string const& s) {
    static std::regex const wanted(
        R"(^((?:\s|[$\w]+:)*)(@!?[%\w]+\s+)?(atom|red)(?:\.relaxed|\.gpu|\.cta|\.sys)*\.(global|shared)(?:\.gpu|\.cta)?\.add\.([us]32)\s+(?:([%\w]+)\s*,\s*)?(\[[^\]]*\])\s*,\s*([%\w-]+)\s*$)");
    std::smatch m;
    if (!std::regex_match(s, m, wanted)) return std::nullopt;
    std::string const guard = m[2], space = m[4], type = m[5], place = m[7], by = m[8];
    std::string const old = m[6].matched ? m[6].str() : "old_value";
    return m[1].str() + "{ .reg .b32 old_value, new_value; " + guard + "ld." + space + "." + type + " " + old +
           ", " + place + "; " + guard + "add." + type + " new_value, " + old + ", " + by + "; " + guard + "st." +
           space + "." + type + " " + place + ", new_value; }";
}
std::optional<std::string> off_by_one(std::string const& s) {
    static std::regex const wanted(
        R"(\b(ld|st)((?:\.\w+)*)\.(global|shared|local)((?:\.\w+)*)\.[usbf](8|16|32|64)\b)");
    static std::regex const place(R"(\[([%$\w]+)(?:\+(-?\d+))?\])");
    std::smatch access, at;
    if (!std::regex_search(s, access, wanted) || !std::regex_search(s, at, place)) return std::nullopt;
    std::string const words = access.str();
    int const elements = words.find(".v4") != std::string::npos   ? 4
                         : words.find(".v2") != std::string::npos ? 2
                                                                  : 1;
    int const offset = at[2].matched ? std::stoi(at[2]) : 0;
    std::string const moved =
        "[" + at[1].str() + "+" + std::to_string(offset + elements * std::stoi(access[5]) / 8) + "]";
    return at.prefix().str() + moved + at.suffix().str();
}
std::optional<std::string> fewer_members(std::string const& s) {
    return replaced(s, R"(\b((?:shfl|vote|match|redux)\.\S*sync\S*|bar\.warp\.sync)(.*)\b(0xffffffff|-1)(\s*)$)",
                    "$1$2 0x7fffffff");
}

struct Kind {
    char const* name;
    Change change;
};
constexpr Kind kinds[] = {
    {"barrier removed", without_barrier},      {"barrier of a warp removed", without_warp_barrier},
    {"fence removed", without_fence},          {"wait removed", without_wait},
    {"scope made narrower", narrower},         {"order made weaker", weaker},
    {"atomic made ordinary", without_atomic},  {"index off by one", off_by_one},
    {"lane missing in a mask", fewer_members},
};

/// Where comments are, spaces are: for looking only.
std::string without_comments(std::string text) {
    for (std::size_t at = 0; (at = text.find("//", at)) != std::string::npos;) {
        for (; at < text.size() && text[at] != '\n'; ++at) text[at] = ' ';
    }
    return text;
}

}  // namespace

std::vector<Mutant> mutants_of(std::string const& ptx) {
    std::vector<Mutant> all;
    std::string const text = without_comments(ptx);
    for (std::size_t begin = 0; begin < text.size();) {
        std::size_t end = text.find_first_of(";{}", begin);
        if (end == std::string::npos) break;
        // Braces that list registers belong to their statement.
        std::size_t const semicolon = text.find(';', end);
        if (text[end] == '{' && semicolon != std::string::npos && text.find('}', end) < semicolon) end = semicolon;
        std::string const statement = text.substr(begin, end - begin);
        std::size_t const first = statement.find_first_not_of(" \t\n");
        for (Kind const& kind : kinds) {
            if (text[end] != ';' || first == std::string::npos) break;
            auto const changed = kind.change(statement);
            if (!changed) continue;
            auto const line =
                std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(begin + first), '\n') + 1;
            // What is left of a removed statement, and of a block, ends without a semicolon.
            bool const is_whole = changed->find_first_not_of(" \t\n") == std::string::npos ||
                                  changed->back() == ':' || changed->back() == '}';
            std::string const tail = ptx.substr(end + (is_whole ? 1 : 0));
            all.push_back({kind.name, static_cast<std::size_t>(line), statement.substr(first),
                           ptx.substr(0, begin) + *changed + tail});
        }
        begin = end + 1;
    }
    return all;
}

}  // namespace warpsim::test
