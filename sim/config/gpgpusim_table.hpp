// The keys of gpgpusim.config, what they are called here, and what converts them.
#pragma once

#include "sim/config/schema.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::sim::gpgpusim {

class Conversion;

struct Row {
    std::vector<std::string_view> theirs;  // without their dash; `prefix*` stands for several
    std::vector<std::string_view> ours;  // JSON paths, or --options of the command; empty: there is no counterpart
    std::string_view remark = {};
    void (*convert)(Conversion&) = nullptr;  // null: by hand, for the remark's reason
};

std::span<Row const> table();

/// One file on its way: its keys are read, ours are set.
class Conversion {
public:
    struct Given {
        std::string key, value;  // "gpgpu_n_mem", "32"
        bool is_mapped = false;
    };
    struct Set {
        std::string path;
        Json value;
        std::string source;
    };

    explicit Conversion(std::vector<Given> given) : given_(std::move(given)) {}

    /// The numbers in the value of the key, "4:128:64" and "4,13,4" alike; the others become nothing. Empty: it is not given.
    std::vector<std::uint64_t> numbers(std::string_view key) const;
    /// The first of them.
    std::optional<std::uint64_t> number(std::string_view key) const;
    std::string text(std::string_view key) const;
    /// The number behind "NAME=" in the value.
    std::optional<std::uint64_t> named(std::string_view key, std::string_view name) const;
    /// `path`, one of the row's, gets a value because of the key.
    void set(std::string_view path, Json value, std::string_view key);
    /// The key has a value that there is nothing for.
    void refuse(std::string_view key, std::string const& why);

    void convert(Row const& row);
    std::vector<Given> const& given() const { return given_; }
    std::vector<Set> const& all_set() const { return set_; }
    std::vector<std::string> const& refused() const { return refused_; }
    std::optional<std::uint64_t> value_of(std::string_view path) const;

private:
    Given const* find(std::string_view key) const;

    std::vector<Given> given_;
    std::vector<Set> set_;
    std::vector<std::string> refused_;
    Row const* row_ = nullptr;
};

}  // namespace warpsim::sim::gpgpusim
