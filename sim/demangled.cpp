#include "sim/demangled.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <string_view>

namespace warpsim::sim {

namespace {

constexpr std::string_view namespace_without_name = "(anonymous namespace)";

/// Where the parameter list begins: "(anonymous namespace)" is none.
std::size_t parameters_of(std::string const& name) {
    int depth = 0;
    for (std::size_t i = 0; i < name.size(); ++i) {
        if (name.compare(i, namespace_without_name.size(), namespace_without_name) == 0)
            i += namespace_without_name.size() - 1;
        else if (name[i] == '<') ++depth;
        else if (name[i] == '>') --depth;
        else if (name[i] == '(' && depth == 0) return i;
    }
    return name.size();
}

/// The brackets of a name: for each character where its partner stands, itself if it is none.
struct Brackets {
    std::vector<std::size_t> partner;
    std::size_t deepest = 0;
    bool match = true;
};

/// How many characters at the beginning are no brackets, whatever they look like.
std::size_t plain_characters(std::string_view rest) {
    if (rest.starts_with(namespace_without_name)) return namespace_without_name.size();
    if (rest.starts_with("->")) return 2;
    if (rest.starts_with("operator()")) return 10;
    if (rest.starts_with("operator")) return std::min(rest.find_first_not_of("<=>", 8), rest.size());
    return 0;
}

Brackets brackets_of(std::string_view name) {
    Brackets all{std::vector<std::size_t>(name.size())};
    std::iota(all.partner.begin(), all.partner.end(), std::size_t{0});
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < name.size(); ++i) {
        if (std::size_t const plain = plain_characters(name.substr(i)); plain != 0) {
            i += plain - 1;
            continue;
        }
        constexpr std::string_view opening = "<({[", closing = ">)}]";
        if (opening.find(name[i]) != std::string_view::npos) {
            open.push_back(i);
            all.deepest = std::max(all.deepest, open.size());
        } else if (std::size_t const kind = closing.find(name[i]); kind != std::string_view::npos) {
            all.match = all.match && !open.empty() && name[open.back()] == opening[kind];
            if (!all.match) return all;
            all.partner[i] = open.back();
            all.partner[open.back()] = i;
            open.pop_back();
        }
    }
    all.match = all.match && open.empty();
    return all;
}

/// Without what stands in more than `depth` brackets.
std::string cut_to(std::size_t depth, std::string_view name, Brackets const& brackets, std::string_view gap) {
    std::string text;
    std::size_t level = 0;
    for (std::size_t i = 0; i < name.size(); ++i) {
        text += name[i];
        std::size_t const partner = brackets.partner[i];
        if (partner < i) --level;
        if (partner <= i || level++ < depth) continue;
        std::string_view const inside = name.substr(i + 1, partner - i - 1);
        text += inside.size() > gap.size() ? gap : inside;
        text += name[partner];
        --level;
        i = partner;
    }
    return text;
}

}  // namespace

std::string demangled(std::string const& name) {
    if (!name.starts_with("_Z")) return name;  // "f" would be a mangled type
    int status = 0;
    std::unique_ptr<char, void (*)(void*)> const text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                      std::free);
    return status == 0 && text ? text.get() : name;
}

std::vector<std::string> short_names(std::string const& demangled) {
    std::string name = demangled.substr(0, parameters_of(demangled));
    int depth = 0;
    std::size_t begin = 0, last_part = 0, arguments = std::string::npos;
    for (std::size_t i = 0; i < name.size(); ++i) {
        char const c = name[i];
        if (c == '<' && depth++ == 0) arguments = i;
        else if (c == '>') --depth;
        else if (depth == 0 && c == ' ' && name.compare(i, 11, " namespace)") != 0)
            begin = last_part = i + 1;  // the type that it returns comes before
        else if (depth == 0 && c == ':' && name[i - 1] == ':') last_part = i + 1;
    }
    if (arguments == std::string::npos || arguments < last_part) arguments = name.size();
    return {name.substr(begin), name.substr(begin, arguments - begin),
            name.substr(last_part, arguments - last_part)};
}

std::string abbreviated(std::string const& demangled, std::size_t limit, std::string_view gap) {
    if (demangled.size() <= limit) return demangled;
    std::string text = demangled;
    if (Brackets const brackets = brackets_of(demangled); brackets.match)
        for (std::size_t depth = brackets.deepest; text.size() > limit && depth-- > 0;)
            text = cut_to(depth, demangled, brackets, gap);
    if (text.size() <= limit) return text;
    std::size_t const kept = limit - gap.size();
    return text.substr(0, kept - kept / 3) + std::string(gap) + text.substr(text.size() - kept / 3);
}

}  // namespace warpsim::sim
