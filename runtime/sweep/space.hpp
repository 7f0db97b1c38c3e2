// What a sweep varies, and the combinations of it that are run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::sweep {

/// The key of an axis whose values are configurations themselves.
inline constexpr std::string_view config_key = "config";

struct Axis {
    std::string key;                  // of the configuration, as --set takes it, or config_key
    std::vector<std::string> values;  // as --set takes them; no two are equal
};

/// A value of each axis.
using Point = std::vector<std::string>;

struct Sampling {
    enum class Kind : std::uint8_t { all, random, latin };
    Kind kind = Kind::all;
    std::uint64_t count = 0;
    std::uint64_t seed = 1;
};

/// "KEY=V1,V2": values, of which each may be a range of integers: "4..64", "4..64:4" in steps, "4..64*2" by a factor.
/// A comma in brackets or quotes separates nothing. Throws Error(usage).
Axis parse_vary(std::string const& text);

/// A JSON object of keys with arrays of values, or with a string as behind the = of --vary. `name` is for messages. Throws Error.
std::vector<Axis> read_space(std::string const& name, std::string_view text);

/// "all", "random:N" or "latin:N". Throws Error(usage).
Sampling parse_sampling(std::string const& text, std::uint64_t seed);

/// Without two that are equal. All: the last axis changes fastest. Random: N different ones. Latin: each axis is cut into N
/// strata of equal size, of which each has one of the N points. The same everywhere for one seed. Throws Error(usage) if there
/// are too many, or two axes of one key.
std::vector<Point> points(std::vector<Axis> const& axes, Sampling const& sampling);

}  // namespace warpsim::sweep
