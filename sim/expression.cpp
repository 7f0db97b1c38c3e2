#include "sim/expression.hpp"

#include "sim/error.hpp"

#include <regex>

namespace warpsim::sim {

std::function<bool(std::string const& name)> expression(std::string const& text, std::string_view option) {
    try {
        return [regex = std::regex(text)](std::string const& name) { return std::regex_search(name, regex); };
    } catch (std::regex_error const& error) {
        throw Error(ErrorKind::usage,
                    std::string(option) + ": '" + text + "' is no regular expression: " + error.what());
    }
}

}  // namespace warpsim::sim
