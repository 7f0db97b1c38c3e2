// Expressions of C over the values of a thread, with gdb's `array@count` and cuda-gdb's `(@shared int *)`.
#pragma once

#include "runtime/debug/value.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::debug {

/// What names mean, and memory.
class Scope {
public:
    virtual ~Scope() = default;
    /// Throws Error(usage) if there is no such thing.
    virtual Value named(std::string const& name) = 0;
    /// A type that the program defines; null: none is called so.
    virtual TypePointer type(std::string const& name) = 0;
    /// Throws Error(usage) if it is not there.
    virtual Value load(TypePointer type, MemoryPlace const& from) = 0;
    virtual void store(Place const& to, std::vector<std::byte> const& bytes) = 0;
};

class Expression {
public:
    /// Throws Error(usage) that says what is wrong, with the place: "expected ')' in 'f(x', at 4".
    Expression(std::string_view text, Scope& types);
    Expression(Expression&&) noexcept;
    Expression& operator=(Expression&&) noexcept;
    ~Expression();

    /// Throws Error(usage).
    Value evaluate(Scope& scope) const;
    std::string const& text() const { return text_; }

    struct Node;

private:
    std::string text_;
    std::unique_ptr<Node> root_;
};

/// The value as one of that type, as C converts it.
Value converted(Value const& value, TypePointer const& type);

}  // namespace warpsim::debug
