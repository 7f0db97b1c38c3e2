// From a name or path and overrides to one checked JSON document.
#pragma once

#include "sim/config/schema.hpp"

#include <span>
#include <string>
#include <string_view>

namespace warpsim::sim {

struct Resolved {
    std::string name;                // of the Config
    Origin origin;                   // for what is found wrong later
    std::unique_ptr<Json> document;  // without "base", complete

    Resolved();
    Resolved(Resolved&&) noexcept;
    Resolved& operator=(Resolved&&) noexcept;
    ~Resolved();
};

/// Throws Error(config) with all problems found.
Resolved resolve(Schema const& schema, std::string_view name_or_path, std::span<std::string const> overrides);

/// JSON with comments; reports syntax errors by line and column, and keys that are given twice.
/// Discarded (is_discarded()) when there are problems.
Json parse_json(std::string const& label, std::string_view text, Problems& problems);

/// Throws Error(config) when there are any.
void throw_problems(Problems const& problems);

/// The names of the built-in configurations, the default first.
std::vector<std::string> builtin_names();

}  // namespace warpsim::sim
