#include "runtime/debug/expression_node.hpp"

#include "sim/error.hpp"

#include <algorithm>
#include <utility>

namespace warpsim::debug {

using Kind = ValueType::Kind;
using Node = Expression::Node;

namespace {

[[noreturn]] void fail(std::string const& what) { throw Error(ErrorKind::usage, what); }

Value evaluate(Node const& node, Scope& scope);

/// Of two operands, as C's usual arithmetic conversions choose it.
TypePointer common_type(Value const& a, Value const& b) {
    if (a.is_floating() || b.is_floating()) {
        auto const is_narrow = [](Value const& v) { return !v.is_floating() || v.type->bytes <= 4; };
        return floating_type(is_narrow(a) && is_narrow(b) ? isa::Type::f32 : isa::Type::f64);
    }
    std::uint64_t const bytes = std::max<std::uint64_t>({4, a.type->bytes, b.type->bytes});
    auto const stays_unsigned = [&](Value const& v) { return !v.type->is_signed && v.type->bytes == bytes; };
    return integer_type(bytes, !stays_unsigned(a) && !stays_unsigned(b));
}

/// An array as the address of its first element.
Value decayed(Value value) {
    if (value.type->kind != Kind::array) return value;
    auto const* const place = std::get_if<MemoryPlace>(&value.place);
    if (place == nullptr) fail("an array that is nowhere in memory has no address");
    return integer_value(place->address, pointer_to(value.type->element, place->space));
}

Value dereferenced(Value const& pointer, Scope& scope) {
    if (pointer.type->kind != Kind::pointer)
        fail("'" + text_of(pointer) + "' is no pointer: (float *)" + text_of(pointer) + " is one");
    if (!pointer.type->element) fail("a void pointer leads to nothing: cast it, for example (float *)");
    return scope.load(pointer.type->element, {pointer.type->space, pointer.bits()});
}

Value arithmetic(std::string const& which, Value const& a, Value const& b) {
    auto const truth = [](bool is) { return integer_value(is, integer_type(4, true)); };
    if (!a.is_number() || !b.is_number()) fail("'" + which + "' wants numbers");
    if (which == "<<" || which == ">>") {
        TypePointer const type = common_type(a, integer_value(0, integer_type(4, true)));
        if (a.is_floating() || b.is_floating()) fail("'" + which + "' wants integers");
        std::uint64_t const by = b.bits();
        if (by >= 64) return integer_value(0, type);
        if (which == "<<") return integer_value(a.bits() << by, type);
        return integer_value(type->is_signed ? static_cast<std::uint64_t>(a.integer() >> by) : a.bits() >> by,
                             type);
    }
    TypePointer const type = common_type(a, b);
    if (type->kind == Kind::floating) {
        double const x = a.number(), y = b.number();
        if (which == "==") return truth(x == y);
        if (which == "!=") return truth(x != y);
        if (which == "<") return truth(x < y);
        if (which == ">") return truth(x > y);
        if (which == "<=") return truth(x <= y);
        if (which == ">=") return truth(x >= y);
        if (which == "+") return floating_value(x + y, type);
        if (which == "-") return floating_value(x - y, type);
        if (which == "*") return floating_value(x * y, type);
        if (which == "/") return floating_value(x / y, type);
        fail("'" + which + "' wants integers");
    }
    auto const x = static_cast<std::uint64_t>(a.integer()), y = static_cast<std::uint64_t>(b.integer());
    auto const sx = static_cast<std::int64_t>(x), sy = static_cast<std::int64_t>(y);
    if (which == "==") return truth(x == y);
    if (which == "!=") return truth(x != y);
    if (which == "<") return truth(type->is_signed ? sx < sy : x < y);
    if (which == ">") return truth(type->is_signed ? sx > sy : x > y);
    if (which == "<=") return truth(type->is_signed ? sx <= sy : x <= y);
    if (which == ">=") return truth(type->is_signed ? sx >= sy : x >= y);
    if (which == "+") return integer_value(x + y, type);
    if (which == "-") return integer_value(x - y, type);
    if (which == "*") return integer_value(x * y, type);
    if (which == "&") return integer_value(x & y, type);
    if (which == "|") return integer_value(x | y, type);
    if (which == "^") return integer_value(x ^ y, type);
    if (y == 0) fail("division by zero");
    if (!type->is_signed) return integer_value(which == "/" ? x / y : x % y, type);
    if (sy == -1) return integer_value(which == "/" ? 0 - x : 0, type);  // the smallest number has no negative
    return integer_value(static_cast<std::uint64_t>(which == "/" ? sx / sy : sx % sy), type);
}

Value binary_value(Node const& node, Scope& scope) {
    std::string const& which = node.text;
    Value a = evaluate(*node.operands[0], scope);
    if (which == "&&" || which == "||") {
        bool const is = which == "&&" ? a.is_true() && evaluate(*node.operands[1], scope).is_true()
                                      : a.is_true() || evaluate(*node.operands[1], scope).is_true();
        return integer_value(is, integer_type(4, true));
    }
    Value b = evaluate(*node.operands[1], scope);
    if (which == "@") {
        auto const* const place = std::get_if<MemoryPlace>(&a.place);
        if (place == nullptr) fail("only what is in memory can be an array: *p@10");
        if (!b.is_number() || b.integer() < 1 || b.integer() > 1'000'000)
            fail("'@' wants a count from 1 to 1000000");
        return scope.load(array_of(a.type, b.bits()), *place);
    }
    a = decayed(std::move(a));
    b = decayed(std::move(b));
    bool const moves = which == "+" || which == "-";
    if (moves && a.type->kind == Kind::pointer && b.type->kind == Kind::pointer && which == "-") {
        std::int64_t const size = a.type->element ? static_cast<std::int64_t>(a.type->element->bytes) : 1;
        std::int64_t const bytes = static_cast<std::int64_t>(a.bits() - b.bits());
        return integer_value(static_cast<std::uint64_t>(bytes / std::max<std::int64_t>(size, 1)),
                             integer_type(8, true));
    }
    if (moves && b.type->kind == Kind::pointer && which == "+") std::swap(a, b);
    if (moves && a.type->kind == Kind::pointer) {
        auto const size = static_cast<std::int64_t>(a.type->element ? a.type->element->bytes : 1);
        std::int64_t const by = b.integer() * size;
        return integer_value(a.bits() + static_cast<std::uint64_t>(which == "+" ? by : -by), a.type);
    }
    return arithmetic(which, a, b);
}

Value unary_value(Node const& node, Scope& scope) {
    std::string const& which = node.text;
    Value a = evaluate(*node.operands[0], scope);
    if (which == "*") return dereferenced(decayed(std::move(a)), scope);
    if (which == "sizeof") return integer_value(a.type->bytes, type_named("size_t"));
    if (which == "&") {
        auto const* const place = std::get_if<MemoryPlace>(&a.place);
        if (place == nullptr) fail("it is nowhere in memory, so it has no address");
        return integer_value(place->address, pointer_to(a.type, place->space));
    }
    a = decayed(std::move(a));
    if (!a.is_number()) fail("'" + which + "' wants a number");
    if (which == "!") return integer_value(!a.is_true(), integer_type(4, true));
    if (a.is_floating()) {
        if (which == "~") fail("'~' wants an integer");
        return floating_value(which == "-" ? -a.number() : a.number(), a.type);
    }
    TypePointer const type = common_type(a, integer_value(0, integer_type(4, true)));
    auto const x = static_cast<std::uint64_t>(a.integer());
    return integer_value(which == "-" ? 0 - x : which == "~" ? ~x : x, type);
}

Value member_value(Value const& whole, std::string const& name) {
    if (whole.type->kind != Kind::structure) fail("'" + name + "' is asked of what has no members");
    for (ValueType::Member const& m : whole.type->members) {
        if (m.name != name) continue;
        auto const begin = whole.bytes.begin() + static_cast<std::ptrdiff_t>(m.offset);
        Value part{m.type, {begin, begin + static_cast<std::ptrdiff_t>(m.type->bytes)}, {}};
        if (auto const* const place = std::get_if<MemoryPlace>(&whole.place))
            part.place = MemoryPlace{place->space, place->address + m.offset};
        return part;
    }
    std::string known;
    for (ValueType::Member const& m : whole.type->members) known += (known.empty() ? "" : ", ") + m.name;
    fail("there is no member '" + name + "'; there are " + known);
}

Value evaluate(Node const& node, Scope& scope) {
    switch (node.kind) {
        case Node::Kind::literal: return node.value;
        case Node::Kind::name: return scope.named(node.text);
        case Node::Kind::unary: return unary_value(node, scope);
        case Node::Kind::binary: return binary_value(node, scope);
        case Node::Kind::conditional:
            return evaluate(*node.operands[evaluate(*node.operands[0], scope).is_true() ? 1 : 2], scope);
        case Node::Kind::cast: return converted(decayed(evaluate(*node.operands[0], scope)), node.type);
        case Node::Kind::member: return member_value(evaluate(*node.operands[0], scope), node.text);
        case Node::Kind::arrow:
            return member_value(dereferenced(decayed(evaluate(*node.operands[0], scope)), scope), node.text);
        case Node::Kind::assignment: {
            Value to = evaluate(*node.operands[0], scope);
            if (std::holds_alternative<std::monostate>(to.place)) fail("that cannot be set");
            Value const from = converted(decayed(evaluate(*node.operands[1], scope)), to.type);
            scope.store(to.place, from.bytes);
            to.bytes = from.bytes;
            return to;
        }
    }
    return {};
}

}  // namespace

Value converted(Value const& value, TypePointer const& type) {
    if (!type) fail("nothing can be made void");
    if (type->kind == Kind::structure || type->kind == Kind::array || !value.is_number()) {
        if (value.bytes.size() != type->bytes) fail("that is no " + name_of(type));
        return {type, value.bytes, {}};
    }
    if (type->kind == Kind::boolean) return integer_value(value.is_true(), type);
    if (type->kind == Kind::floating) return floating_value(value.number(), type);
    if (value.is_floating()) return floating_value(value.number(), type);
    return integer_value(static_cast<std::uint64_t>(value.integer()), type);
}

Expression::Expression(std::string_view text, Scope& types) : text_(text), root_(parsed(text_, types)) {}
Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression&&) noexcept = default;
Expression::~Expression() = default;

Value Expression::evaluate(Scope& scope) const { return debug::evaluate(*root_, scope); }

}  // namespace warpsim::debug
