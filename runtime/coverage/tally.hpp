// What has been executed of one PTX text, instruction by instruction, and what that says of the source's lines.
#pragma once

#include "frontend/ir/module.hpp"
#include "runtime/coverage/report.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace warpsim::coverage {

class Tally {
public:
    /// Of the functions of `module` that stand in this text of its `sources`.
    Tally(ir::Module const& module, std::uint32_t source);

    /// The place of an instruction in `counts`, of this module or of one that was made of it.
    /// ir::none: it is not of the text.
    std::uint32_t place_of(ir::Instruction const& instruction) const {
        auto const at = by_offset_.find(instruction.span.offset);
        return at != by_offset_.end() ? at->second : ir::none;
    }
    struct Executed {
        Count count;           // of a branch: of those that reach it
        std::uint64_t passed;  // of the lanes, those that the guard lets through
        std::uint64_t divergent;
    };
    std::vector<Executed> counts;

    void add_to(Report& report) const;

private:
    /// A line of a source, in a function of the PTX, for one chain of calls that were inlined.
    struct Group {
        std::uint32_t parent = ir::none;  // the line of the call
        std::uint32_t file = 0, line = 0;
        std::string function;  // that was inlined there
    };
    struct Instruction {
        std::uint32_t line = 0;  // of the PTX
        std::uint32_t group = ir::none;
        bool is_branch = false;
    };
    struct Function {
        std::string name;
        std::uint32_t line = 0;  // of the PTX
        std::uint32_t first = 0, end = 0;
    };

    void add(ir::Module const& module, ir::Function const& function);
    std::uint32_t group_of(ir::Module const& module, std::uint32_t location);
    Count executed(std::uint32_t instruction) const;
    void add_ptx(Report& report) const;
    void add_sources(Report& report, Function const& function) const;
    void add_functions(Report& report, Function const& function) const;

    std::string name_, digest_;
    std::vector<std::string> files_;  // of the sources, where they are
    std::vector<std::string> texts_;  // of lines of PTX, by instruction
    std::vector<Instruction> instructions_;
    std::vector<Function> functions_;
    std::vector<Group> groups_;
    // Of the function that is being added.
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::string>, std::uint32_t> known_groups_;
    std::unordered_map<std::uint32_t, std::uint32_t> by_offset_;
};

}  // namespace warpsim::coverage
