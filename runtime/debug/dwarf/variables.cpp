#include "runtime/debug/dwarf/variables.hpp"

#include "sim/own_file.hpp"

#include <dlfcn.h>

#include <bit>
#include <memory>

namespace warpsim::debug {

namespace {

ReadDwarf load_reader() {
    std::string const path = sim::own_file("libwarpsim_debug_variables.so");
    void* const library = path.empty() ? nullptr : dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    return library == nullptr ? nullptr : std::bit_cast<ReadDwarf>(dlsym(library, read_dwarf_symbol));
}

}  // namespace

SourceVariables const& source_variables(ir::Module const& module) {
    static std::map<ir::Module const*, std::unique_ptr<SourceVariables>> known;
    std::unique_ptr<SourceVariables>& variables = known[&module];
    if (variables) return *variables;
    variables = std::make_unique<SourceVariables>();
    static ReadDwarf const read = load_reader();
    for (std::size_t i = 0; read != nullptr && i < module.sources.size(); ++i) {
        Sections const sections = assemble_sections(module, static_cast<std::uint32_t>(i));
        if (sections.contains(".debug_info")) read(sections, *variables);
    }
    return *variables;
}

}  // namespace warpsim::debug
