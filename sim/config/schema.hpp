// The part of JSON Schema that configs/schema.json uses, over parsed JSON; and "plugins", beside an "enum": names that plug-ins
// have brought of that kind are right, too.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::sim {

using Json = nlohmann::ordered_json;
/// One message per problem.
using Problems = std::vector<std::string>;

/// Where a part of a configuration comes from, as messages name it.
struct Origin {
    std::string label;  // "h100.json", "--set sm.count=0"
    std::string key;    // the JSON path that the label already contains; empty for a file

    /// "h100.json: sm.count: TEXT"
    std::string message(std::string const& path, std::string const& text) const;
};

class Schema {
public:
    /// Throws std::logic_error when the text is not JSON or uses a keyword or type that check() does not support.
    explicit Schema(std::string_view text);
    ~Schema();
    Schema(Schema const&) = delete;
    Schema& operator=(Schema const&) = delete;

    /// Checks the types, ranges and keys of everything that is present.
    void check(Json const& document, Origin const& origin, Problems& problems) const;
    /// Reports required keys that are missing.
    void check_complete(Json const& document, Origin const& origin, Problems& problems) const;
    /// A checked document with defaults filled in, its keys in the schema's order and integral numbers as
    /// integers.
    Json completed(Json const& document) const;
    /// Whether the value at this JSON path is a string. False when the schema has no such path.
    bool is_string(std::vector<std::string> const& path) const;

private:
    std::unique_ptr<Json> root_;
};

}  // namespace warpsim::sim
