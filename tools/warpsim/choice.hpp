// An option's value that must be one of a few words.
#pragma once

#include "frontend/diagnostic.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace warpsim::command {

/// Makes `option` accept only `words`; the message for another proposes the nearest.
inline CLI::Option* choose(CLI::Option* option, std::vector<std::string> const& words) {
    std::string list;
    for (std::string const& w : words) list += (list.empty() ? "" : "|") + w;
    auto const check = [words, list](std::string const& value) -> std::string {
        std::vector<std::string_view> const known(words.begin(), words.end());
        for (std::string_view const w : known)
            if (w == value) return {};
        std::string_view const near = frontend::nearest(value, known);
        return "'" + value + "' is none of " + list +
               (near.empty() ? "" : "; did you mean '" + std::string(near) + "'?");
    };
    return option->check(check, "")->type_name(list);
}

}  // namespace warpsim::command
