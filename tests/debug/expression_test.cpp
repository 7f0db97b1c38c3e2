// Expressions, compared with what C++ makes of the same text.
#include "runtime/debug/expression.hpp"
#include "sim/error.hpp"
#include "tests/support/catch.hpp"

#include <cstring>
#include <map>
#include <string>

namespace debug_expression_test {

using namespace warpsim;
using namespace warpsim::debug;

namespace {

/// Names with values, and 64 bytes of memory from address 0 on.
class Names final : public Scope {
public:
    std::map<std::string, Value> values;
    std::vector<std::byte> memory = std::vector<std::byte>(64);

    Value named(std::string const& name) override {
        if (auto const known = values.find(name); known != values.end()) return known->second;
        throw Error(ErrorKind::usage, "no " + name);
    }
    TypePointer type(std::string const&) override { return nullptr; }
    Value load(TypePointer type, MemoryPlace const& from) override {
        if (from.address + type->bytes > memory.size()) throw Error(ErrorKind::usage, "outside");
        auto const begin = memory.begin() + static_cast<std::ptrdiff_t>(from.address);
        return {type, {begin, begin + static_cast<std::ptrdiff_t>(type->bytes)}, from};
    }
    void store(Place const& to, std::vector<std::byte> const& bytes) override {
        std::copy(bytes.begin(), bytes.end(),
                  memory.begin() + static_cast<std::ptrdiff_t>(std::get<debug::MemoryPlace>(to).address));
    }
};

Value value_of(std::string const& text, Names& names) { return Expression(text, names).evaluate(names); }

}  // namespace

#define SAME(expression)                                                                                 \
    do {                                                                                                 \
        Value const value = value_of(#expression, names);                                                \
        INFO(#expression);                                                                               \
        auto const expected = expression;                                                                \
        CHECK(value.is_floating() == std::is_floating_point_v<decltype(expression)>);                    \
        if (!std::is_same_v<decltype(expression), bool>) CHECK(value.type->bytes == sizeof(expression)); \
        CHECK(value.number() == static_cast<double>(expected));                                          \
    } while (false)

TEST_CASE("Operators, precedence and conversions are those of C", "[debug]") {
    Names names;
    int const i = -7;
    unsigned const u = 4000000000u;
    long const l = 1L << 40;
    float const f = 1.5f;
    double const d = -2.25;
    names.values = {{"i", integer_value(static_cast<std::uint64_t>(i), integer_type(4, true))},
                    {"u", integer_value(u, integer_type(4, false))},
                    {"l", integer_value(static_cast<std::uint64_t>(l), integer_type(8, true))},
                    {"f", floating_value(f, floating_type(isa::Type::f32))},
                    {"d", floating_value(d, floating_type(isa::Type::f64))}};
    SAME(1 + 2 * 3 - 4 / 2 % 3);
    SAME((1 + 2) * 3);
    SAME(i / 2);
    SAME(i % 4);
    SAME(i >> 1);
    SAME(u + u);
    SAME(u >> 3);
    SAME(u * 2 + 1);
    SAME(l + i);
    SAME(l * 1000);
    SAME(l >> 35);
    SAME(1 << 4 | (3 & 6));
    SAME(-i + ~5);
    SAME(f * 2);
    SAME(f / 0.5f);
    SAME(f + d);
    SAME(d * i);
    SAME(u / 7u % 1000u);
    SAME(0xff & i);
    SAME(i ? 10 : 20);
    SAME(i > 0 ? 10 : i < -5 ? 30 : 40);
    SAME((char)321);
    SAME((unsigned char)i);
    SAME((short)70000);
    SAME((unsigned)i);
    SAME((int)d);
    SAME((float)i / 2);
    SAME((double)f);
    SAME((long)u * 4);
    SAME(sizeof(int) + sizeof(double));
    SAME('a' + 1);
    SAME(1e3 + .5);
    for (char const* const truth : {"i < 0", "i < l", "u > 1", "f == 1.5", "!(i > 0) && d < 0",
                                    "i == -7 || nobody", "1 != 2", "i <= -7 && u >= 4000000000"})
        CHECK(value_of(truth, names).is_true());
    for (char const* const lie : {"i > 0", "0 && nobody", "f != 1.5", "i < u", "!i"})
        CHECK_FALSE(value_of(lie, names).is_true());
}

TEST_CASE("Pointers, arrays and members lead through memory", "[debug]") {
    Names names;
    for (int k = 0; k < 16; ++k) std::memcpy(names.memory.data() + 4 * k, &k, 4);
    names.values["p"] = integer_value(8, pointer_to(integer_type(4, true)));
    CHECK(value_of("*p", names).integer() == 2);
    CHECK(value_of("p[3]", names).integer() == 5);
    CHECK(value_of("*(p + 4)", names).integer() == 6);
    CHECK(value_of("&p[5] - p", names).integer() == 5);
    CHECK(text_of(value_of("*p@3", names)) == "{2, 3, 4}");
    CHECK(text_of(value_of("*(short *)4", names)) == "1");
    CHECK(text_of(value_of("*(@shared unsigned int *)60", names)) == "15");
    CHECK(text_of(value_of("(float *)16", names)) == "(float *) 0x10");
    CHECK(value_of("p[1] = 77", names).integer() == 77);
    CHECK(value_of("*p + p[1]", names).integer() == 79);
    CHECK_THROWS_AS(value_of("p[100]", names), Error);
    CHECK_THROWS_AS(value_of("**p", names), Error);
}

TEST_CASE("Texts that are no expressions are told of by place", "[debug]") {
    Names names;
    for (char const* const text : {"", "1 +", "(1", "1 2", "a[", "a.", "'", "0x", "1.5.5", "@", "*", "?", "1 ? 2",
                                   "f(x)", "(@fish int *)0", "]", "%", "$$$ ="}) {
        INFO(text);
        CHECK_THROWS_AS(Expression(text, names), Error);
    }
    CHECK_THROWS_AS(Expression(std::string(100000, '('), names), Error);
    CHECK_THROWS_AS(Expression(std::string(100000, '-') + "1", names), Error);
}

TEST_CASE("Values are printed as gdb prints them", "[debug]") {
    Names names;
    CHECK(text_of(value_of("255", names), Format::hexadecimal) == "0xff");
    CHECK(text_of(value_of("-1", names), Format::hexadecimal) == "0xffffffff");
    CHECK(text_of(value_of("-1", names), Format::unsigned_decimal) == "4294967295");
    CHECK(text_of(value_of("10", names), Format::binary) == "1010");
    CHECK(text_of(value_of("65", names), Format::character) == "65 'A'");
    CHECK(text_of(value_of("1069547520", names), Format::floating) == "1.5");
    CHECK(text_of(value_of("*(int *)0@12", names)) == "{0 <repeats 12 times>}");
    CHECK(text_of(value_of("true", names)) == "true");
    CHECK(text_of(floating_value(65504, floating_type(isa::Type::f16))) == "65504");
    CHECK(text_of(floating_value(5.9604644775390625e-08, floating_type(isa::Type::f16))) == "5.9604645e-08");
    CHECK(text_of(floating_value(1.0078125, floating_type(isa::Type::bf16))) == "1.0078125");
}

}  // namespace debug_expression_test
