#include "runtime/debug/dwarf/variables.hpp"

#include "sim/own_folders.hpp"

#include <dlfcn.h>

#include <bit>
#include <memory>

namespace warpsim::debug {

namespace {

ReadDwarf load_reader() {
    for (std::string const& folder : sim::own_folders()) {
        void* const library = dlopen((folder + "libwarpsim_debug_variables.so").c_str(), RTLD_NOW | RTLD_LOCAL);
        if (library != nullptr) return std::bit_cast<ReadDwarf>(dlsym(library, read_dwarf_symbol));
    }
    return nullptr;
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
