#include "runtime/plan/one_line.hpp"

#include "runtime/plan/sequence.hpp"
#include "sim/error.hpp"

#include <charconv>

namespace warpsim::plan {

namespace {

[[noreturn]] void bad(std::string_view option, std::string_view text, std::string const& message) {
    throw Error(ErrorKind::usage, std::string(option) + " '" + std::string(text) + "': " + message);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        auto const at = text.find(separator);
        parts.push_back(text.substr(0, at));
        if (at == std::string_view::npos) return parts;
        text.remove_prefix(at + 1);
    }
}

// The text of one `--arg`, read from left to right.
class ArgumentText {
public:
    explicit ArgumentText(std::string_view text) : text_(text) {}

    [[noreturn]] void fail(std::string const& message) const { bad("--arg", text_, message); }

    Type type(std::string_view name) const {
        Type const t = array_type(name);
        if (t != Type::none) return t;
        std::vector<std::string_view> names;
        for (Type const known : array_types()) names.push_back(isa::name(known));
        fail("unknown type '" + std::string(name) + "'" + suggestion(name, names));
    }

    Number number(std::string_view word) const {
        auto const n = number_of_text(word);
        if (!n) fail("'" + std::string(word) + "' is not a number");
        return *n;
    }

    std::vector<std::byte> element(std::string_view word, Type t) const {
        std::vector<std::byte> bytes(size_of(t));
        if (std::string const wrong = encode(number(word), t, IntegerRange::exact, bytes.data()); !wrong.empty())
            fail(wrong);
        return bytes;
    }

    Init init(std::string_view written, Type t) const {
        auto const colon = written.find(':');
        std::string_view const kind = written.substr(0, colon);
        std::string_view const rest = colon == std::string_view::npos ? "" : written.substr(colon + 1);
        std::vector<std::string_view> const parts =
            rest.empty() ? std::vector<std::string_view>{} : split(rest, ':');
        Init result;
        auto const at_most = [&](std::size_t count) {
            if (parts.size() > count) fail("too many values for '" + std::string(kind) + "'");
        };
        auto const wants = [&](char const* what) {
            if (rest.empty()) fail("'" + std::string(kind) + "' wants " + what);
        };
        if (kind == "zero") {
            at_most(0);
        } else if (kind == "undefined") {
            at_most(0);
            result.kind = Init::Kind::undefined;
        } else if (kind == "fill") {
            wants("a value: fill:1.5");
            result.kind = Init::Kind::fill;
            result.bytes = element(rest, t);
        } else if (kind == "iota") {
            at_most(2);
            result.kind = Init::Kind::iota;
            if (!parts.empty()) result.start = number(parts[0]);
            result.step = parts.size() > 1 ? number(parts[1]) : Number::integer(1);
        } else if (kind == "uniform") {
            at_most(3);
            result.kind = Init::Kind::uniform;
            if (!parts.empty()) {
                auto const [end, error] =
                    std::from_chars(parts[0].data(), parts[0].data() + parts[0].size(), result.seed);
                if (error != std::errc{} || end != parts[0].data() + parts[0].size())
                    fail("the seed '" + std::string(parts[0]) + "' is not a whole number");
            }
            if (parts.size() > 1) result.low = number(parts[1]);
            result.high = parts.size() > 2 ? number(parts[2]) : Number::integer(1);
        } else if (kind == "values") {
            wants("values: values:1,2,3");
            result.kind = Init::Kind::values;
            for (std::string_view const word : split(rest, ',')) {
                std::vector<std::byte> const bytes = element(word, t);
                result.bytes.insert(result.bytes.end(), bytes.begin(), bytes.end());
            }
        } else if (kind == "file") {
            wants("a path: file:x.npy");
            result.kind = Init::Kind::file;
            result.file = rest;
            if (!result.file.ends_with(".npy") && !result.file.ends_with(".bin"))
                fail("'" + result.file + "' is neither a .npy nor a .bin file");
        } else {
            std::vector<std::string_view> const kinds{"zero",    "undefined", "fill", "iota",
                                                      "uniform", "values",    "file"};
            fail("unknown init '" + std::string(kind) + "'" + suggestion(kind, kinds));
        }
        return result;
    }

    Array array() const {
        auto const open = text_.find('[');
        auto const close = text_.find(']', open);
        if (close == std::string_view::npos) fail("']' is missing");
        std::string_view const count = text_.substr(open + 1, close - open - 1);
        std::string_view rest = text_.substr(close + 1);
        Array result;
        result.type = type(text_.substr(0, open));
        if (!rest.empty()) {
            if (rest.front() != '=') fail("'=' is wanted after ']': f32[1024]=uniform:1");
            result.init = init(rest.substr(1), result.type);
        }
        if (!count.empty()) {
            auto const [end, error] = std::from_chars(count.data(), count.data() + count.size(), result.count);
            if (error != std::errc{} || end != count.data() + count.size() || result.count == 0 ||
                result.count > (std::uint64_t{1} << 48) / size_of(result.type))
                fail("the count '" + std::string(count) + "' is not a number of elements");
        }
        std::string wrong;
        try {
            if (result.count == 0) result.count = own_count(result.init, result.type).value_or(0);
            if (result.count == 0) fail("a count is wanted: f32[1024]");
            wrong = check(result.init, result.type, result.count);
        } catch (Error const& e) {
            if (e.kind() == ErrorKind::usage) throw;
            wrong = e.what();
        }
        if (!wrong.empty()) fail(wrong);
        return result;
    }

private:
    std::string_view text_;
};

}  // namespace

void add_argument(LaunchPlan& plan, std::string_view text) {
    std::vector<Argument>& arguments = plan.launches.back().arguments;
    ArgumentText const parser(text);
    if (auto const number = number_of_text(text)) {
        arguments.emplace_back(*number);
    } else if (text.find('[') != std::string_view::npos) {
        Array array = parser.array();
        array.name = "arg" + std::to_string(arguments.size());
        arguments.emplace_back(Address{array.name, 0});
        plan.arrays.push_back(std::move(array));
    } else if (auto const equals = text.find('='); equals != std::string_view::npos) {
        Type const type = parser.type(text.substr(0, equals));
        ArgumentBytes bytes;
        bytes.bytes = parser.element(text.substr(equals + 1), type);
        bytes.alignment = size_of(type);
        arguments.emplace_back(std::move(bytes));
    } else {
        parser.fail("neither a number nor TYPE[COUNT]=INIT; for example 1024, 2.0 or f32[1024]=uniform:1");
    }
}

std::array<std::uint32_t, 3> parse_extent(std::string_view option, std::string_view text) {
    std::array<std::uint32_t, 3> extent{1, 1, 1};
    std::vector<std::string_view> const parts = split(text, ',');
    if (parts.size() > 3) bad(option, text, "more than three numbers");
    for (std::size_t i = 0; i < parts.size(); ++i) {
        auto const [end, error] = std::from_chars(parts[i].data(), parts[i].data() + parts[i].size(), extent[i]);
        if (error != std::errc{} || end != parts[i].data() + parts[i].size() || extent[i] == 0)
            bad(option, text, "one to three whole numbers are wanted, as in 16,16");
    }
    return extent;
}

}  // namespace warpsim::plan
