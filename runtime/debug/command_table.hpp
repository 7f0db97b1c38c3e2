// What commands there are: their names, what they do, and what says so.
#pragma once

#include "runtime/debug/console.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::debug {

struct Console::Command {
    std::vector<std::string_view> names;  // the first is its name, the others are shorter
    std::string_view arguments;
    std::string_view help;
    std::function<Answer(Console&, std::string const&)> obey;
};

}  // namespace warpsim::debug
