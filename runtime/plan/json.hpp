// A JSON text as a plain tree that remembers how each number was written. Comments are accepted, a key that occurs
// twice in one object is an error, and nesting is limited. Shows nothing of the JSON library.
#pragma once

#include "sim/error.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::plan {

struct Json {
    enum class Kind : std::uint8_t { null, boolean, integer, real, string, array, object };
    Kind kind = Kind::null;
    bool boolean = false;
    bool negative = false;        // of an integer
    std::uint64_t magnitude = 0;  // of an integer: its value without the sign
    double real = 0;              // of a real
    std::string text;             // of a string
    std::vector<Json> items;      // of an array
    struct Member;
    std::vector<Member> members;  // of an object, in the order written

    bool is(Kind k) const { return kind == k; }
    /// The member with that name, null when there is none.
    Json const* find(std::string_view key) const;
};

struct Json::Member {
    std::string name;
    Json value;
};

/// "an array", "the number 4", "the string 'x'": what the value is, for messages.
std::string describe(Json const& value);

/// The value as one line of JSON.
std::string to_text(Json const& value);

/// Throws Error(plan): `name:line:column: message`.
Json parse_json(std::string const& name, std::string_view text);

}  // namespace warpsim::plan
