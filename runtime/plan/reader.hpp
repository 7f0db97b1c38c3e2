// What several files of the plan reader share: places, typed access, suggestions. Private to this
// folder.
#pragma once

#include "runtime/plan/json.hpp"
#include "runtime/plan/plan.hpp"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::plan {

/// A JSON path as a chain, turned into text only for a message: a plan may contain millions of values.
class JsonPath {
public:
    JsonPath() = default;
    JsonPath(JsonPath const& parent, std::string_view key) : parent_(&parent), key_(key) {}
    JsonPath(JsonPath const& parent, std::size_t index) : parent_(&parent), index_(index), is_index_(true) {}
    /// "launches[0].grid"
    std::string text() const;

private:
    JsonPath const* parent_ = nullptr;
    std::string_view key_;
    std::size_t index_ = 0;
    bool is_index_ = false;
};

class Reader {
public:
    Reader(std::string path, std::string folder) : path_(std::move(path)), folder_(std::move(folder)) {}

    [[noreturn]] void fail(JsonPath const& place, std::string const& message) const;

    /// Fails unless `value` is an object whose keys are all known.
    void object(Json const& value, JsonPath const& place, std::vector<std::string_view> const& known) const;
    void array(Json const& value, JsonPath const& place) const;
    std::string const& string(Json const& value, JsonPath const& place) const;
    bool boolean(Json const& value, JsonPath const& place) const;
    std::uint64_t unsigned_integer(Json const& value, JsonPath const& place, std::uint64_t low,
                                   std::uint64_t high) const;
    /// A number, or one of the words that stand for a number.
    Number number(Json const& value, JsonPath const& place) const;
    double real(Json const& value, JsonPath const& place) const;
    Type type(Json const& object, JsonPath const& place) const;
    /// The path from the current folder of a file that the plan names.
    std::string resolve(std::string const& file) const;

    /// {"buffer": "x", "offset": 4}
    Address address(Json const& value, JsonPath const& place);
    Address address_of(std::string const& buffer, JsonPath const& place, std::uint64_t offset = 0);

    /// `value` is "zero" or an object with one kind of init; `extra` are keys that belong to the caller.
    Init init(Json const& value, JsonPath const& place, Type type,
              std::vector<std::string_view> const& extra = {});
    std::vector<std::byte> hex(Json const& value, JsonPath const& place) const;

    Argument argument(Json const& value, JsonPath const& place);
    /// What stands behind "tensormap".
    TensorMapArgument tensor_map(Json const& value, JsonPath const& place);
    /// What stands behind "memory".
    CapturedMemory captured_memory(Json const& value, JsonPath const& place) const;
    /// {"buffer": ...}, or a texture object.
    Reference reference(Json const& value, JsonPath const& place);
    /// {"texture": {...}}, {"surface": {...}} or {"sampler": {...}}; none for anything else.
    std::optional<TextureObject> texture_object(Json const& value, JsonPath const& place);

    /// The names that an address may use; set before any address is read.
    std::vector<std::string_view> buffers;
    /// To be checked once all sizes are known.
    struct Use {
        std::string place;
        Address address;
        std::uint64_t bytes = 0;  // that are wanted from there on
    };
    std::vector<Use> uses;

    std::string const& path() const { return path_; }
    std::string const& folder() const { return folder_; }

private:
    Init values(Json const& value, JsonPath const& place, Type type);
    Init iota(Json const& value, JsonPath const& place) const;
    Init uniform(Json const& value, JsonPath const& place) const;
    void add_field(Json const& value, JsonPath const& place, ArgumentBytes& to);

    std::string path_;
    std::string folder_;
};

}  // namespace warpsim::plan
