#include "frontend/link/symbols.hpp"

#include "frontend/link/undefined.hpp"

#include <algorithm>

namespace warpsim::frontend {

namespace {

constexpr std::size_t max_errors = 20;

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

bool in_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
           c == '%';
}

/// Whether other modules can refer to the function or variable by name.
template <class T> bool is_shared(T const& one) { return one.is_visible || one.is_weak || one.is_external; }

/// All unsized .shared arrays name the dynamic shared memory; no module defines them.
bool is_dynamic_shared(ir::Variable const& v) {
    return v.space == isa::StateSpace::shared && v.is_external && v.size == 0;
}

}  // namespace

void LinkReport::add(Severity severity, Source const& source, Span span, std::string message) {
    if (severity == Severity::error) is_shown_ = error_count_++ < max_errors;
    if (is_shown_) text_ += render(source, {severity, span, std::move(message)});
}

SharedNames::SharedNames(std::vector<ir::Module> const& modules, LinkReport& report)
    : modules_(modules), report_(report) {
    for (std::uint32_t m = 0; m < modules.size(); ++m) {
        for (std::uint32_t i = 0; i < modules[m].functions.size(); ++i) {
            ir::Function const& f = modules[m].functions[i];
            if (is_shared(f)) add(f.name, {m, i, true});
        }
        for (std::uint32_t i = 0; i < modules[m].variables.size(); ++i) {
            ir::Variable const& v = modules[m].variables[i];
            if (is_shared(v) || v.is_common) add(v.name, {m, i, false});
        }
    }
}

void SharedNames::add(std::string_view name, Declaration declaration) {
    auto const [entry, is_new] = by_name_.try_emplace(name, names_.size());
    if (is_new) names_.push_back({name, {}, 0, false});
    names_[entry->second].declarations.push_back(declaration);
}

SharedNames::Strength SharedNames::strength(Declaration const& d) const {
    if (d.is_function) {
        ir::Function const& f = function(d);
        if (!f.has_body && f.alias_of == ir::none) return Strength::declaration;
        return f.is_weak ? Strength::weak : Strength::visible;
    }
    ir::Variable const& v = variable(d);
    if (v.is_external) return Strength::declaration;
    if (v.is_weak) return Strength::weak;
    return v.is_common ? Strength::common : Strength::visible;
}

void SharedNames::resolve() {
    for (SharedName& name : names_) {
        choose(name);
        check_same(name);
        if (!name.is_defined) check_defined(name);
    }
}

void SharedNames::choose(SharedName& name) {
    auto const& all = name.declarations;
    for (std::size_t i = 1; i < all.size(); ++i) {
        if (strength(all[i]) > strength(all[name.chosen])) name.chosen = i;
    }
    Strength const best = strength(all[name.chosen]);
    name.is_defined = best != Strength::declaration;
    if (best == Strength::common) choose_common(name);
    if (best != Strength::visible) return;
    for (std::size_t i = name.chosen + 1; i < all.size(); ++i) {
        if (strength(all[i]) != Strength::visible) continue;
        error(all[i], quoted(name.name) + " is defined in more than one module");
        note(all[name.chosen], "first defined here");
    }
}

bool SharedNames::is_initialised(Declaration const& d) const {
    return !d.is_function && !variable(d).initializer.empty();
}

/// The largest declaration wins, and only that one may have an initial value; among equals, the initialised one
/// wins.
void SharedNames::choose_common(SharedName& name) {
    auto const& all = name.declarations;
    auto const is_common = [&](Declaration const& d) { return strength(d) == Strength::common; };
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!is_common(all[i])) continue;
        std::uint64_t const size = variable(all[i]).size;
        std::uint64_t const known = variable(all[name.chosen]).size;
        bool const has_value = is_initialised(all[i]) && !is_initialised(all[name.chosen]);
        if (size > known || (size == known && has_value)) name.chosen = i;
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (i == name.chosen || !is_common(all[i]) || !is_initialised(all[i])) continue;
        bool const is_smaller = variable(all[i]).size < variable(all[name.chosen]).size;
        error(all[i], is_smaller ? "only the largest .common " + quoted(name.name) + " may have an initial value"
                                 : quoted(name.name) + " has an initial value in more than one module");
        note(all[name.chosen], is_smaller ? "the largest is declared here" : "also initialised here");
    }
}

/// All declarations of a name must agree, but sizes of .common variables may differ and an unsized array fits any
/// size.
void SharedNames::check_same(SharedName const& name) {
    Declaration const& chosen = name.declarations[name.chosen];
    for (Declaration const& d : name.declarations) {
        if (&d == &chosen) continue;
        if (d.is_function != chosen.is_function) {
            error(d, quoted(name.name) + (d.is_function ? " is a function here and a variable in another module"
                                                        : " is a variable here and a function in another module"));
        } else if (d.is_function) {
            std::string const difference = prototype_difference(function(d), function(chosen));
            if (difference.empty()) continue;
            error(d, "the prototypes of " + quoted(name.name) + " differ: " + difference);
        } else {
            ir::Variable const& a = variable(d);
            ir::Variable const& b = variable(chosen);
            bool const may_differ = (a.is_common && b.is_common) || a.size == 0 || b.size == 0;
            bool const is_opaque = isa::width(a.type) == 0 || isa::width(b.type) == 0;
            if (a.space != b.space) {
                error(d, quoted(name.name) + " is in ." + std::string(isa::name(a.space)) + " here, in ." +
                             std::string(isa::name(b.space)) + " there");
            } else if ((is_opaque && a.type != b.type) || (!may_differ && a.size != b.size)) {
                error(d, quoted(name.name) + " has " + std::to_string(a.size) + " bytes here, " +
                             std::to_string(b.size) + " there");
            } else if (a.is_managed != b.is_managed) {
                error(d, quoted(name.name) +
                             (a.is_managed ? " is .managed here, not there" : " is .managed there, not here"));
            } else {
                continue;
            }
        }
        note(chosen, name.is_defined ? "defined here" : "declared here");
    }
}

void SharedNames::check_defined(SharedName const& name) {
    Declaration const& first = name.declarations.front();
    if (!first.is_function) {
        ir::Variable const& v = variable(first);
        if (is_dynamic_shared(v)) return;
        if (v.space == isa::StateSpace::shared) {
            report_.add(Severity::warning, source(first), name_span(first),
                        quoted(name.name) + " is .extern and no module defines it; it is taken as defined here");
            return;
        }
        error(first,
              "undefined variable " + quoted(name.name) + ": it is declared .extern and no module defines it");
        note_use(first, false);
        return;
    }
    auto const use = std::find_if(name.declarations.begin(), name.declarations.end(),
                                  [&](Declaration const& d) { return note_use(d, true); });
    if (use == name.declarations.end()) return;
    if (ir::BuiltinFunction const* const builtin = ir::builtin_function(name.name)) {
        check_builtin(name, *builtin);
        return;
    }
    error(*use, "undefined function " + quoted(name.name) + ": it is declared .extern and no module defines it");
    if (std::string const advice = advice_on_undefined(name.name); !advice.empty()) note(*use, advice);
    note_use(*use, false);
}

void SharedNames::check_builtin(SharedName const& name, ir::BuiltinFunction const& builtin) {
    for (Declaration const& d : name.declarations) {
        if (!d.is_function || matches(function(d), builtin, modules_[d.module].address_bits)) continue;
        error(d, "the device runtime supplies " + quoted(name.name) + " as " + prototype_text(builtin));
        note_use(d, false);
        return;
    }
}

Source const& SharedNames::source(Declaration const& d) const {
    std::uint32_t const source = d.is_function ? function(d).source : variable(d).source;
    return *modules_[d.module].sources[source];
}

/// Where the name stands in its declaration.
Span SharedNames::name_span(Declaration const& d) const {
    Span const span = d.is_function ? function(d).span : variable(d).span;
    std::string_view const name = d.is_function ? function(d).name : variable(d).name;
    std::string_view const text = source(d).view(span);
    auto const is_word = [&](std::size_t at) {
        bool const joins_before = at > 0 && (in_name(text[at - 1]) || text[at - 1] == '.');
        return !joins_before && (at + name.size() == text.size() || !in_name(text[at + name.size()]));
    };
    for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
        if (is_word(at))
            return {span.offset + static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(name.size())};
    }
    return span;
}

void SharedNames::error(Declaration const& at, std::string message) {
    report_.add(Severity::error, source(at), name_span(at), std::move(message));
}

void SharedNames::note(Declaration const& at, std::string message) {
    report_.add(Severity::note, source(at), name_span(at), std::move(message));
}

bool SharedNames::note_use(Declaration const& d, bool only_look) {
    ir::Module const& module = modules_[d.module];
    using Kind = ir::Operand::Kind;
    auto const refers = [&d](ir::Operand const& o) {
        if (d.is_function) return o.kind == Kind::function && o.index == d.index;
        bool const is_address = o.kind == Kind::address && o.base == ir::Operand::AddressBase::module_variable;
        return (is_address || (o.kind == Kind::symbol && o.is_module_variable)) && o.index == d.index;
    };
    for (ir::Function const& f : module.functions) {
        for (ir::Instruction const& i : f.instructions) {
            auto const operands = f.operands_of(i);
            if (std::none_of(operands.begin(), operands.end(), refers)) continue;
            if (!only_look) report_.add(Severity::note, module.source_of(i), i.span, "used here");
            return true;
        }
    }
    for (ir::Variable const& v : module.variables) {
        auto const names = [&d](ir::Relocation const& r) {
            return r.is_function == d.is_function && r.index == d.index;
        };
        if (std::none_of(v.relocations.begin(), v.relocations.end(), names)) continue;
        if (!only_look) report_.add(Severity::note, *module.sources[v.source], v.span, "used here");
        return true;
    }
    return false;
}

}  // namespace warpsim::frontend
