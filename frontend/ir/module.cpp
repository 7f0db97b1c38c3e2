#include "frontend/ir/module.hpp"

#include <algorithm>

namespace warpsim::ir {

namespace {

bool is_shared(Function const& f) { return f.is_visible || f.is_weak; }
bool is_shared(Variable const& v) { return v.is_visible || v.is_weak || v.is_common; }

template <class T, class Accept>
T const* named(std::vector<T> const& all, std::string_view name, Accept const& accept) {
    T const* found = nullptr;
    for (T const& one : all) {
        if (one.name != name || !accept(one)) continue;
        if (is_shared(one)) return &one;
        if (found == nullptr) found = &one;
    }
    return found;
}

}  // namespace

bool Form::has(isa::Modifier modifier) const {
    return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
}

Function const* Module::function(std::string_view name) const {
    return named(functions, name, [](Function const&) { return true; });
}

Function const* Module::kernel(std::string_view name) const {
    return named(functions, name, [](Function const& f) { return f.is_entry && f.has_body; });
}

Variable const* Module::variable(std::string_view name) const {
    return named(variables, name, [](Variable const&) { return true; });
}

std::string Module::written(Instruction const& instruction) const {
    std::string line;
    for (char const c : source_of(instruction).view(instruction.span)) {
        bool const is_space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
        if (!is_space) line += c;
        else if (!line.empty() && line.back() != ' ') line += ' ';
    }
    return line;
}

std::string Module::place(Instruction const& instruction) const {
    frontend::Source const& source = source_of(instruction);
    return source.name() + ":" + std::to_string(source.position(instruction.span.offset).line);
}

std::string Module::exact_place(Instruction const& instruction) const {
    return frontend::place_text(source_of(instruction), instruction.span);
}

std::string Module::exact_place(Variable const& variable) const {
    return frontend::place_text(*sources[variable.source], variable.span);
}

std::string Module::source_place(Instruction const& instruction) const {
    std::string text;
    std::uint32_t location = instruction.location;
    for (int depth = 0; location != none && depth < 16; ++depth) {
        SourceLocation const& l = locations[location];
        std::string const file = l.file < files.size() ? files[l.file] : "";
        text += (depth == 0 ? "" : " inlined at ") + file + ":" + std::to_string(l.line);
        location = l.inlined_at;
    }
    return text;
}

}  // namespace warpsim::ir
