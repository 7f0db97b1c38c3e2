#include "runtime/sweep/space.hpp"

#include "runtime/plan/json.hpp"
#include "sim/error.hpp"
#include "sim/nearest.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <optional>
#include <random>
#include <set>

namespace warpsim::sweep {

namespace {

constexpr std::uint64_t most_values = 100'000, most_points = 100'000;

[[noreturn]] void refuse(std::string const& what) { throw Error(ErrorKind::usage, what); }

template <class Number> std::optional<Number> whole(std::string_view text) {
    Number number{};
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

/// The parts between commas that are in no brackets and no quotes.
std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> parts(1);
    int depth = 0;
    bool is_quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        char const c = text[i];
        if (is_quoted && c == '\\' && i + 1 < text.size()) parts.back() += text[i++];
        else if (c == '"') is_quoted = !is_quoted;
        else if (!is_quoted && (c == '[' || c == '{')) ++depth;
        else if (!is_quoted && (c == ']' || c == '}')) --depth;
        if (c == ',' && depth == 0 && !is_quoted) parts.emplace_back();
        else parts.back() += text[i];
    }
    return parts;
}

/// "LOW..HIGH", with ":STEP" or "*FACTOR".
void add_range(std::string const& part, std::string const& where, std::vector<std::string>& values) {
    std::size_t const dots = part.find("..");
    std::size_t const how = part.find_first_of(":*", dots);
    auto const low = whole<std::int64_t>(std::string_view(part).substr(0, dots));
    auto const high = whole<std::int64_t>(std::string_view(part).substr(dots + 2, how - dots - 2));
    auto const by =
        how == std::string::npos ? std::optional<std::int64_t>(1) : whole<std::int64_t>(part.substr(how + 1));
    bool const multiplies = how != std::string::npos && part[how] == '*';
    if (!low || !high || !by || *high < *low || *by < (multiplies ? 2 : 1) || (multiplies && *low < 1)) {
        refuse(where + ": '" + part +
               "' is no range: LOW..HIGH, LOW..HIGH:STEP or LOW..HIGH*FACTOR, of integers from low to high");
    }
    for (std::int64_t value = *low; value <= *high;) {
        if (values.size() >= most_values) refuse(where + ": over " + std::to_string(most_values) + " values");
        values.push_back(std::to_string(value));
        std::int64_t next = 0;
        if (multiplies ? __builtin_mul_overflow(value, *by, &next) : __builtin_add_overflow(value, *by, &next))
            break;
        value = next;
    }
}

std::vector<std::string> values_of(std::string_view text, std::string const& where) {
    std::vector<std::string> values;
    for (std::string const& part : split(text)) {
        if (part.empty()) refuse(where + ": an empty value");
        bool const is_range = part.find("..") != std::string::npos && (part[0] == '-' || std::isdigit(part[0]));
        if (is_range) add_range(part, where, values);
        else values.push_back(part);
    }
    return values;
}

void expect_different(Axis const& axis, std::string const& where) {
    std::set<std::string_view> seen;
    for (std::string const& value : axis.values)
        if (!seen.insert(value).second) refuse(where + ": the value '" + value + "' stands there twice");
}

/// Numbers from 0 to below `limit`, the same in every standard library.
class Dice {
public:
    explicit Dice(std::uint64_t seed) : engine_(seed) {}
    std::uint64_t below(std::uint64_t limit) {
        std::uint64_t const uneven = UINT64_MAX % limit;
        while (true)
            if (std::uint64_t const drawn = engine_(); drawn < UINT64_MAX - uneven) return drawn % limit;
    }

private:
    std::mt19937_64 engine_;
};

/// How many combinations there are, or the largest number where that is none.
std::uint64_t combinations(std::vector<Axis> const& axes) {
    std::uint64_t count = 1;
    for (Axis const& axis : axes) {
        if (__builtin_mul_overflow(count, axis.values.size(), &count)) return UINT64_MAX;
    }
    return count;
}

Point point_at(std::vector<Axis> const& axes, std::uint64_t index) {
    Point point(axes.size());
    for (std::size_t i = axes.size(); i-- > 0;) {
        point[i] = axes[i].values[index % axes[i].values.size()];
        index /= axes[i].values.size();
    }
    return point;
}

/// `count` different indices of the combinations, by Floyd's algorithm, in their order.
std::vector<Point> random_points(std::vector<Axis> const& axes, std::uint64_t all, Sampling const& sampling) {
    Dice dice(sampling.seed);
    std::set<std::uint64_t> drawn;
    for (std::uint64_t last = all - std::min(sampling.count, all); last < all; ++last)
        if (!drawn.insert(dice.below(last + 1)).second) drawn.insert(last);
    std::vector<Point> chosen;
    for (std::uint64_t const index : drawn) chosen.push_back(point_at(axes, index));
    return chosen;
}

std::vector<Point> latin_points(std::vector<Axis> const& axes, Sampling const& sampling) {
    Dice dice(sampling.seed);
    std::vector<Point> drawn(sampling.count, Point(axes.size()));
    std::vector<std::uint64_t> strata(sampling.count);
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        std::iota(strata.begin(), strata.end(), 0u);
        for (std::size_t i = strata.size(); i > 1; --i) std::swap(strata[i - 1], strata[dice.below(i)]);
        // A stratum has whole values, or a value several strata; where the cuts fall between, one of both sides.
        std::uint64_t const size = axes[axis].values.size(), grain = 1 << 20;
        for (std::size_t i = 0; i < strata.size(); ++i) {
            std::uint64_t const place = strata[i] * grain + dice.below(grain);
            drawn[i][axis] = axes[axis].values[place * size / (sampling.count * grain)];
        }
    }
    std::set<Point> seen;
    std::vector<Point> different;
    for (Point& point : drawn)
        if (seen.insert(point).second) different.push_back(std::move(point));
    return different;
}

}  // namespace

Axis parse_vary(std::string const& text) {
    std::size_t const equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
        refuse("--vary: '" + text + "' is not KEY=V1,V2,...: a key of the configuration and its values");
    std::string const where = "--vary " + text.substr(0, equals);
    Axis axis{text.substr(0, equals), values_of(std::string_view(text).substr(equals + 1), where)};
    expect_different(axis, where);
    return axis;
}

std::vector<Axis> read_space(std::string const& name, std::string_view text) {
    plan::Json const json = plan::parse_json(name, text);
    if (!json.is(plan::Json::Kind::object))
        refuse(name + ": it has to be an object of keys and their values, and is " + plan::describe(json));
    std::vector<Axis> axes;
    for (plan::Json::Member const& member : json.members) {
        std::string const where = name + ": " + member.name;
        Axis axis{member.name, {}};
        if (member.value.is(plan::Json::Kind::string)) axis.values = values_of(member.value.text, where);
        else if (member.value.is(plan::Json::Kind::array)) {
            for (plan::Json const& item : member.value.items)
                axis.values.push_back(item.is(plan::Json::Kind::string) ? item.text : plan::to_text(item));
        }
        if (axis.values.empty()) refuse(where + ": it has to be an array of values, or a string like \"4..64*2\"");
        expect_different(axis, where);
        axes.push_back(std::move(axis));
    }
    return axes;
}

Sampling parse_sampling(std::string const& text, std::uint64_t seed) {
    std::size_t const colon = text.find(':');
    std::string const word = text.substr(0, colon);
    std::array<std::string, 3> const words{"all", "random", "latin"};
    auto const found = std::find(words.begin(), words.end(), word);
    if (found == words.end())
        refuse("--sample: '" + word + "' is none of all, random:N, latin:N" + sim::did_you_mean(word, words));
    Sampling sampling{static_cast<Sampling::Kind>(found - words.begin()), 0, seed};
    if (sampling.kind == Sampling::Kind::all && colon == std::string::npos) return sampling;
    auto const count = colon == std::string::npos ? std::nullopt : whole<std::uint64_t>(text.substr(colon + 1));
    if (!count || *count == 0 || sampling.kind == Sampling::Kind::all)
        refuse("--sample: '" + text + "': after " + word + " comes " +
               (word == "all" ? "nothing" : "a colon and the number of points: " + word + ":20"));
    sampling.count = *count;
    return sampling;
}

std::vector<Point> points(std::vector<Axis> const& axes, Sampling const& sampling) {
    std::set<std::string_view> keys;
    for (Axis const& axis : axes)
        if (!keys.insert(axis.key).second) refuse("'" + axis.key + "' is varied twice");
    std::uint64_t const all = combinations(axes);
    std::uint64_t const wanted = sampling.kind == Sampling::Kind::all ? all : sampling.count;
    if (wanted > most_points)
        refuse("over " + std::to_string(most_points) + " points; --sample random:N or latin:N takes some of them");
    if (sampling.kind == Sampling::Kind::latin) return latin_points(axes, sampling);
    if (sampling.kind == Sampling::Kind::random && wanted < all) return random_points(axes, all, sampling);
    std::vector<Point> chosen;
    for (std::uint64_t index = 0; index < all; ++index) chosen.push_back(point_at(axes, index));
    return chosen;
}

}  // namespace warpsim::sweep
