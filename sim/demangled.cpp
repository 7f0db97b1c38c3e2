#include "sim/demangled.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string_view>

namespace warpsim::sim {

namespace {

/// Where the parameter list begins: "(anonymous namespace)" is none.
std::size_t parameters_of(std::string const& name) {
    constexpr std::string_view anonymous = "(anonymous namespace)";
    int depth = 0;
    for (std::size_t i = 0; i < name.size(); ++i) {
        if (name.compare(i, anonymous.size(), anonymous) == 0) i += anonymous.size() - 1;
        else if (name[i] == '<') ++depth;
        else if (name[i] == '>') --depth;
        else if (name[i] == '(' && depth == 0) return i;
    }
    return name.size();
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

}  // namespace warpsim::sim
