#include "runtime/debug/dwarf/variables.hpp"

#include "sim/own_file.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <bit>
#include <memory>

namespace warpsim::debug {

namespace {

ReadDwarf load_reader() {
    std::string const path = sim::own_file("libwarpsim_debug_variables.so");
    void* const library = path.empty() ? nullptr : dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    return library == nullptr ? nullptr : std::bit_cast<ReadDwarf>(dlsym(library, read_dwarf_symbol));
}

/// Of the texts of a module. Another one can lie where one was that has been unloaded, but it does not have its texts.
struct Known {
    std::unique_ptr<SourceVariables> variables;
    std::vector<std::weak_ptr<frontend::Source const>> texts;

    bool is_of(ir::Module const& module) const {
        return std::equal(texts.begin(), texts.end(), module.sources.begin(), module.sources.end(),
                          [](auto const& text, auto const& source) { return text.lock() == source; });
    }
};

}  // namespace

SourceVariables::~SourceVariables() {
    // A node of a list has a pointer to such a node.
    for (std::shared_ptr<ValueType> const& structure : structures) structure->members.clear();
}

SourceVariables const& source_variables(ir::Module const& module) {
    static std::map<ir::Module const*, Known> known;
    Known& one = known[&module];
    if (one.variables && one.is_of(module)) return *one.variables;
    one = {std::make_unique<SourceVariables>(), {module.sources.begin(), module.sources.end()}};
    static ReadDwarf const read = load_reader();
    for (std::size_t i = 0; read != nullptr && i < module.sources.size(); ++i) {
        Sections const sections = assemble_sections(module, static_cast<std::uint32_t>(i));
        if (sections.contains(".debug_info")) read(sections, *one.variables);
    }
    return *one.variables;
}

}  // namespace warpsim::debug
