#include "runtime/debug/lines.hpp"

#include "sim/demangled.hpp"
#include "sim/found_source.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace warpsim::debug {

namespace {

constexpr int most_inlined = 64;

std::string file_of(ir::Module const& module, ir::SourceLocation const& location) {
    return location.file < module.files.size() ? module.files[location.file] : "";
}

/// Calls `visit` with each location of the instruction, the innermost first.
template <class Visit>
void for_each_location(ir::Module const& module, std::uint32_t location, Visit const& visit) {
    for (int depth = 0; location != ir::none && depth < most_inlined; ++depth) {
        visit(module.locations[location]);
        location = module.locations[location].inlined_at;
    }
}

std::vector<std::string> split(std::istream& text) {
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) {
        if (!line.empty() && line.back() == '\r') line.pop_back();
        lines.push_back(line);
    }
    return lines;
}

}  // namespace

std::vector<Inlined> inlined_at(ir::Module const& module, ir::Function const& function,
                                std::uint32_t instruction) {
    ir::Instruction const& i = function.instructions[instruction];
    std::vector<Inlined> all;
    for_each_location(module, i.location, [&](ir::SourceLocation const& l) {
        std::string const name = l.function.empty() || l.inlined_at == ir::none ? function.name : l.function;
        all.push_back({sim::demangled(name), {file_of(module, l), l.line}});
    });
    if (all.empty()) all.push_back({sim::demangled(function.name), ptx_line(module, i)});
    return all;
}

std::size_t inlined_depth(ir::Module const& module, ir::Instruction const& instruction) {
    std::size_t depth = 0;
    for_each_location(module, instruction.location, [&](ir::SourceLocation const&) { ++depth; });
    return std::max<std::size_t>(depth, 1);
}

Line ptx_line(ir::Module const& module, ir::Instruction const& instruction) {
    frontend::Source const& source = module.source_of(instruction);
    return {source.name(), source.position(instruction.span.offset).line};
}

Line line_of(ir::Module const& module, ir::Instruction const& instruction) {
    if (instruction.location == ir::none) return ptx_line(module, instruction);
    ir::SourceLocation const& l = module.locations[instruction.location];
    return {file_of(module, l), l.line};
}

bool means_file(std::string const& wanted, std::string const& file) {
    if (wanted == file) return true;
    return file.size() > wanted.size() && file.ends_with(wanted) && file[file.size() - wanted.size() - 1] == '/';
}

std::vector<CodePlace> places_of(ir::Module const& module, std::string const& file, std::uint32_t& number) {
    // Which line of the file an instruction is of; 0: none.
    auto const line_in_file = [&](ir::Instruction const& i) -> std::uint32_t {
        std::uint32_t found = 0;
        for_each_location(module, i.location, [&](ir::SourceLocation const& l) {
            if (found == 0 && means_file(file, file_of(module, l))) found = l.line;
        });
        if (found != 0) return found;
        Line const ptx = ptx_line(module, i);
        return means_file(file, ptx.file) ? ptx.number : 0;
    };
    std::uint32_t nearest = UINT32_MAX;
    std::vector<std::vector<std::uint32_t>> lines(module.functions.size());
    for (std::size_t f = 0; f < module.functions.size(); ++f)
        for (ir::Instruction const& i : module.functions[f].instructions) {
            std::uint32_t const line = lines[f].emplace_back(line_in_file(i));
            if (line >= number) nearest = std::min(nearest, line);
        }
    std::vector<CodePlace> places;
    if (nearest == UINT32_MAX) return places;
    number = nearest;
    for (std::size_t f = 0; f < module.functions.size(); ++f) {
        // Once for each call that it is inlined at: optimised code comes back to a line in the middle of others.
        std::set<std::uint32_t> seen;
        for (std::size_t i = 0; i < lines[f].size(); ++i) {
            if (lines[f][i] != number) continue;
            std::uint32_t const location = module.functions[f].instructions[i].location;
            std::uint32_t const call = location == ir::none ? ir::none : module.locations[location].inlined_at;
            if (seen.insert(call).second)
                places.push_back({static_cast<std::uint32_t>(f), static_cast<std::uint32_t>(i)});
        }
    }
    return places;
}

std::vector<std::string> const& lines_of(ir::Module const& module, std::string const& file) {
    static std::map<std::string, std::vector<std::string>> files;
    auto const known = files.find(file);
    if (known != files.end()) return known->second;
    std::vector<std::string>& lines = files[file];
    for (auto const& source : module.sources) {
        if (source->name() != file) continue;
        std::istringstream text{std::string(source->text())};
        return lines = split(text);
    }
    std::string const ptx = module.sources.empty() ? "" : module.sources.front()->name();
    std::ifstream text(sim::found_source(file, ptx));
    return lines = split(text);
}

std::string text_of(ir::Module const& module, Line const& line) {
    std::vector<std::string> const& lines = lines_of(module, line.file);
    return line.number >= 1 && line.number <= lines.size() ? lines[line.number - 1] : "";
}

}  // namespace warpsim::debug
