// The names that modules share, and what each one stands for.
#pragma once

#include "frontend/diagnostic.hpp"
#include "frontend/ir/module.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::frontend {

/// A function or variable as one module declares it.
struct Declaration {
    std::uint32_t module = 0;
    std::uint32_t index = 0;  // into the module's functions or variables
    bool is_function = false;
};

/// All declarations of one name, and the one that the name stands for.
struct SharedName {
    std::string_view name;
    std::vector<Declaration> declarations;  // in module order
    std::size_t chosen = 0;                 // index of declarations
    bool is_defined = false;                // otherwise `chosen` is the first declaration
};

/// Collects messages whose places lie in several texts.
class LinkReport {
public:
    void add(Severity severity, Source const& source, Span span, std::string message);
    std::string const& text() const { return text_; }
    std::size_t error_count() const { return error_count_; }

private:
    std::string text_;
    std::size_t error_count_ = 0;
    bool is_shown_ = true;  // false past the limit: an error's notes are left out with it
};

/// Collects and resolves the names that modules share, and reports conflicts.
class SharedNames {
public:
    SharedNames(std::vector<ir::Module> const& modules, LinkReport& report);

    void resolve();
    std::vector<SharedName> const& all() const { return names_; }

    ir::Function const& function(Declaration const& d) const { return modules_[d.module].functions[d.index]; }
    ir::Variable const& variable(Declaration const& d) const { return modules_[d.module].variables[d.index]; }

private:
    /// In order of increasing precedence.
    enum class Strength { declaration, weak, common, visible };

    void add(std::string_view name, Declaration declaration);
    Strength strength(Declaration const& d) const;
    void choose(SharedName& name);
    void choose_common(SharedName& name);
    void check_same(SharedName const& name);
    void check_defined(SharedName const& name);
    void check_builtin(SharedName const& name, ir::BuiltinFunction const& builtin);
    bool is_initialised(Declaration const& d) const;

    Source const& source(Declaration const& d) const;
    Span name_span(Declaration const& d) const;
    void error(Declaration const& at, std::string message);
    void note(Declaration const& at, std::string message);
    /// Whether anything refers to the declaration; unless `only_look`, adds a note at the first place that does.
    bool note_use(Declaration const& d, bool only_look);

    std::vector<ir::Module> const& modules_;
    LinkReport& report_;
    std::vector<SharedName> names_;
    std::map<std::string_view, std::size_t> by_name_;
};

/// Why two functions cannot have the same prototype: "parameter 2 is an array of 8 bytes here, ..."; empty when
/// they can.
std::string prototype_difference(ir::Function const& a, ir::Function const& b);
/// The prototype in the style of a declaration: "(b32) vprintf (b64, b64)".
std::string prototype_text(ir::BuiltinFunction const& builtin);
bool matches(ir::Function const& function, ir::BuiltinFunction const& builtin, int address_bits);

}  // namespace warpsim::frontend
