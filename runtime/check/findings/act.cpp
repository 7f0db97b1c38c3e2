#include "runtime/check/findings/act.hpp"

#include <utility>

namespace warpsim::check {

namespace {

void find_source(Act& act, ir::Module const& module, ir::Instruction const& instruction) {
    std::uint32_t location = instruction.location;
    for (int depth = 0; location != ir::none && depth < 16; ++depth) {
        ir::SourceLocation const& l = module.locations[location];
        std::string const file = l.file < module.files.size() ? module.files[l.file] : "";
        if (depth == 0) act.source = {file, l.line, ""};
        else act.inlined += " inlined at " + file + ":" + std::to_string(l.line);
        location = l.inlined_at;
    }
}

}  // namespace

std::array<std::uint32_t, 3> place_in(std::array<std::uint32_t, 3> const& shape, std::uint64_t number) {
    std::uint64_t const rows = number / shape[0];
    return {static_cast<std::uint32_t>(number % shape[0]), static_cast<std::uint32_t>(rows % shape[1]),
            static_cast<std::uint32_t>(rows / shape[1])};
}

std::string dims_text(std::array<std::uint32_t, 3> const& v) {
    return "(" + std::to_string(v[0]) + "," + std::to_string(v[1]) + "," + std::to_string(v[2]) + ")";
}

Act act_of(std::string verb, ir::Module const& module, Instruction which,
           std::array<std::uint32_t, 3> const& block, std::uint32_t thread,
           std::array<std::uint32_t, 3> const& block_shape) {
    Act act;
    act.verb = std::move(verb);
    act.block = block;
    act.thread = place_in(block_shape, thread);
    if (which.function >= module.functions.size()) return act;
    ir::Instruction const& instruction = module.functions[which.function].instructions[which.index];
    frontend::Source const& text = module.source_of(instruction);
    act.ptx = {text.name(), text.position(instruction.span.offset).line, module.written(instruction)};
    find_source(act, module, instruction);
    return act;
}

std::string who(Act const& act) {
    if (!act.block || !act.thread) return "the host";
    return "block " + dims_text(*act.block) + ", thread " + dims_text(*act.thread);
}

}  // namespace warpsim::check
