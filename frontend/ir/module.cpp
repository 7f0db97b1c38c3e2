#include "frontend/ir/module.hpp"

#include <algorithm>

namespace warpsim::ir {

namespace {

template <class T>
T const* named(std::vector<T> const& all, std::string_view name) {
    auto const found = std::find_if(all.begin(), all.end(), [name](T const& one) { return one.name == name; });
    return found == all.end() ? nullptr : &*found;
}

}  // namespace

bool Form::has(std::string_view modifier) const {
    return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
}

Function const* Module::function(std::string_view name) const { return named(functions, name); }

Variable const* Module::variable(std::string_view name) const { return named(variables, name); }

std::string Module::written(Instruction const& instruction) const {
    std::string line;
    for (char const c : source->view(instruction.span)) {
        bool const is_space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
        if (!is_space) line += c;
        else if (!line.empty() && line.back() != ' ') line += ' ';
    }
    return line;
}

std::string Module::place(Instruction const& instruction) const {
    return source->name() + ":" + std::to_string(source->position(instruction.span.offset).line);
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
