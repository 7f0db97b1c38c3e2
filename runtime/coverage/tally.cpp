#include "runtime/coverage/tally.hpp"

#include "runtime/cache/file_cache.hpp"
#include "sim/found_source.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <set>

namespace warpsim::coverage {

namespace {

std::string digest_of(std::string_view text) {
    cache::KeyMaker maker;
    maker.add(text);
    cache::Key const key = maker.key();
    std::array<char, 33> hex{};
    std::snprintf(hex.data(), hex.size(), "%016llx%016llx", static_cast<unsigned long long>(key[0]),
                  static_cast<unsigned long long>(key[1]));
    return hex.data();
}

void take_most(Count& most, Count const& other) {
    most.warps = std::max(most.warps, other.warps);
    most.lanes = std::max(most.lanes, other.lanes);
}

}  // namespace

Tally::Tally(ir::Module const& module, std::uint32_t source) {
    frontend::Source const& text = *module.sources[source];
    name_ = sim::absolute_if_there(text.name());
    digest_ = digest_of(text.text());
    for (std::string const& file : module.files) files_.push_back(sim::found_source(file, name_));
    for (ir::Function const& function : module.functions) {
        bool const is_here = function.has_body && function.source == source && !function.instructions.empty();
        if (is_here) add(module, function);
    }
    counts.resize(instructions_.size());
}

void Tally::add(ir::Module const& module, ir::Function const& function) {
    known_groups_.clear();
    frontend::Source const& text = *module.sources[function.source];
    Function here{function.name, text.position(function.span.offset).line,
                  static_cast<std::uint32_t>(instructions_.size()), 0};
    for (ir::Instruction const& instruction : function.instructions) {
        std::uint32_t const offset = instruction.span.offset;
        by_offset_[offset] = static_cast<std::uint32_t>(instructions_.size());
        bool const is_branch =
            module.forms[instruction.form].operation == isa::Operation::bra && instruction.guard != ir::none;
        instructions_.push_back({text.position(offset).line, group_of(module, instruction.location), is_branch});
        texts_.push_back(module.written(instruction));
    }
    here.end = static_cast<std::uint32_t>(instructions_.size());
    functions_.push_back(std::move(here));
}

std::uint32_t Tally::group_of(ir::Module const& module, std::uint32_t location) {
    if (location == ir::none) return ir::none;
    ir::SourceLocation const& l = module.locations[location];
    std::uint32_t const parent = group_of(module, l.inlined_at);
    std::string const function = parent == ir::none ? "" : l.function;
    auto const [at, is_new] =
        known_groups_.try_emplace({parent, l.file, l.line, function}, static_cast<std::uint32_t>(groups_.size()));
    if (is_new) groups_.push_back({parent, l.file, l.line, function});
    return at->second;
}

/// A guard that lets nobody through leaves the line as if it were not there; a branch is executed by all that reach it.
Count Tally::executed(std::uint32_t i) const {
    Executed const& here = counts[i];
    if (instructions_[i].is_branch) return here.count;
    return {here.passed == 0 ? 0 : here.count.warps, here.passed};
}

void Tally::add_to(Report& report) const {
    add_ptx(report);
    for (Function const& function : functions_) {
        add_sources(report, function);
        add_functions(report, function);
    }
}

void Tally::add_ptx(Report& report) const {
    File& file = report.files[{name_, digest_}];
    for (std::uint32_t i = 0; i < instructions_.size(); ++i) {
        std::uint32_t const line = instructions_[i].line;
        take_most(file.lines[line], executed(i));
        file.texts.try_emplace(line, texts_[i]);
    }
    for (Function const& function : functions_) {
        file.functions[function.name] = {function.line, false, counts[function.first].count};
        std::map<std::uint32_t, std::uint32_t> numbers;
        for (std::uint32_t i = function.first; i < function.end; ++i) {
            if (!instructions_[i].is_branch) continue;
            Executed const& here = counts[i];
            std::uint32_t const line = instructions_[i].line;
            file.branches[{line, numbers[line]++}] +=
                {here.count.warps, here.divergent, here.passed, here.count.lanes - here.passed};
        }
    }
}

/// A line has been executed as often as the most executed of its instructions. Where a line calls what was inlined, the first
/// instruction of that counts for it: its loops are the callee's. What was inlined several times, or is in several kernels,
/// adds up.
void Tally::add_sources(Report& report, Function const& function) const {
    std::map<std::uint32_t, Count> lines;
    std::map<std::uint32_t, std::uint32_t> numbers;
    for (std::uint32_t i = function.first; i < function.end; ++i) {
        std::uint32_t group = instructions_[i].group;
        if (group == ir::none) continue;
        take_most(lines[group], executed(i));
        if (instructions_[i].is_branch) {
            Executed const& here = counts[i];
            Group const& of = groups_[group];
            report.files[{files_[of.file], ""}].branches[{of.line, numbers[group]++}] +=
                {here.count.warps, here.divergent, here.passed, here.count.lanes - here.passed};
        }
    }
    // In the order of the program, so that the first of each call is met first.
    std::set<std::uint32_t> entered;
    for (std::uint32_t i = function.first; i < function.end; ++i) {
        std::uint32_t group = instructions_[i].group;
        while (group != ir::none && groups_[group].parent != ir::none) {
            group = groups_[group].parent;
            if (entered.insert(group).second) take_most(lines[group], counts[i].count);
        }
    }
    for (auto const& [group, count] : lines) {
        Group const& of = groups_[group];
        report.files[{files_[of.file], ""}].lines[of.line] += count;
    }
}

/// The function itself, in the file of its first line, and what was inlined into it.
void Tally::add_functions(Report& report, Function const& function) const {
    struct Inlined {
        std::uint32_t first_line;
        Count entries;
    };
    std::optional<FileKey> own;
    std::uint32_t own_line = 0;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::string>, Inlined> inlined;  // by the call
    for (std::uint32_t i = function.first; i < function.end; ++i) {
        std::uint32_t group = instructions_[i].group;
        for (; group != ir::none && groups_[group].parent != ir::none; group = groups_[group].parent) {
            Group const& of = groups_[group];
            if (of.function.empty()) continue;
            auto const [at, is_new] =
                inlined.try_emplace({of.parent, of.file, of.function}, Inlined{of.line, counts[i].count});
            at->second.first_line = std::min(at->second.first_line, of.line);
        }
        if (group == ir::none || own) continue;
        own = FileKey{files_[groups_[group].file], ""};
        own_line = groups_[group].line;
    }
    auto const add = [&](FileKey const& key, std::string const& name, coverage::Function const& one) {
        auto const [at, is_new] = report.files[key].functions.try_emplace(name, one);
        if (is_new) return;
        at->second.line = std::min(at->second.line, one.line);
        at->second.count += one.count;
    };
    if (own) add(*own, function.name, {own_line, false, counts[function.first].count});
    for (auto const& [call, what] : inlined) {
        auto const& [parent, file, name] = call;
        add({files_[file], ""}, name, {what.first_line, true, what.entries});
    }
}

}  // namespace warpsim::coverage
