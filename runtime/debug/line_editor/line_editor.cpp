#include "runtime/debug/line_editor/line_editor.hpp"

#include "sim/own_file.hpp"

#include <dlfcn.h>

#include <bit>
#include <cstdlib>
#include <string>
#include <string_view>

namespace warpsim::debug {

namespace {

MakeLineEditor load_editor() {
    std::string const path = sim::own_file("libwarpsim_line_editor.so");
    void* const library = path.empty() ? nullptr : dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    return library == nullptr ? nullptr : std::bit_cast<MakeLineEditor>(dlsym(library, make_line_editor_symbol));
}

}  // namespace

std::unique_ptr<LineEditor> make_line_editor(std::FILE* in, std::FILE* out, Completions const& completions) {
    char const* const terminal = std::getenv("TERM");
    if (terminal == nullptr || *terminal == '\0' || std::string_view(terminal) == "dumb") return nullptr;
    static MakeLineEditor const make = load_editor();
    return std::unique_ptr<LineEditor>(make != nullptr ? make(in, out, completions) : nullptr);
}

}  // namespace warpsim::debug
