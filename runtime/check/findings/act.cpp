#include "runtime/check/findings/act.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

namespace warpsim::check {

namespace {

/// Headers that come with CUDA, where it is usually installed: nobody looks for a mistake there.
bool is_of_toolkit(std::string const& file) {
    constexpr std::string_view parts[] = {"/usr/local/cuda", "/targets/x86_64-linux/include/", "/cccl/",
                                          "/site-packages/nvidia/"};
    return std::any_of(std::begin(parts), std::end(parts),
                       [&](std::string_view part) { return file.find(part) != std::string::npos; });
}

void find_source(Act& act, ir::Module const& module, ir::Instruction const& instruction) {
    std::vector<Line> lines;  // from the innermost function that was inlined on
    std::uint32_t location = instruction.location;
    for (int depth = 0; location != ir::none && depth < 16; ++depth) {
        ir::SourceLocation const& l = module.locations[location];
        lines.push_back({l.file < module.files.size() ? module.files[l.file] : "", l.line, ""});
        location = l.inlined_at;
    }
    if (lines.empty()) return;
    auto first =
        std::find_if(lines.begin(), lines.end(), [](Line const& one) { return !is_of_toolkit(one.file); });
    if (first == lines.end()) first = lines.begin();
    act.source = *first;
    if (first != lines.begin()) {
        std::string const& inner = lines.front().file;
        act.inlined = " in " + inner.substr(inner.rfind('/') + 1) + ":" + std::to_string(lines.front().number);
    }
    for (auto outer = first + 1; outer != lines.end(); ++outer)
        act.inlined += " inlined at " + outer->file + ":" + std::to_string(outer->number);
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
