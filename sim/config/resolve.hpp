// Turns a name or path, with overrides, into one checked JSON document.
#pragma once

#include "sim/config/schema.hpp"

#include <span>
#include <string>
#include <string_view>

namespace warpsim::sim {

struct Resolved {
    std::string name;                // the Config's name
    Origin origin;                   // for messages about later errors
    std::unique_ptr<Json> document;  // complete, without "base"

    Resolved();
    Resolved(Resolved&&) noexcept;
    Resolved& operator=(Resolved&&) noexcept;
    ~Resolved();
};

/// Throws Error(config) that lists all problems found.
Resolved resolve(Schema const& schema, std::string_view name_or_path, std::span<std::string const> overrides);

/// Parses JSON with comments; reports syntax errors by line and column, and duplicate keys. The result is
/// discarded (is_discarded()) when there are problems.
Json parse_json(std::string const& label, std::string_view text, Problems& problems);

/// Throws Error(config) if there are any.
void throw_problems(Problems const& problems);

/// The names of the built-in configurations, the default first.
std::vector<std::string> builtin_names();

}  // namespace warpsim::sim
