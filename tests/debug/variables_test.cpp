// The variables of the source of a module.
#include "runtime/debug/dwarf/variables.hpp"
#include "tests/support/catch.hpp"

#include <fstream>
#include <memory>
#include <sstream>
#include <string>

namespace debug_variables_test {

using namespace warpsim;

TEST_CASE("A module that lies where another one was has variables of its own", "[debug]") {
    std::ifstream file(WARPSIM_SOURCE_DIR "/tests/debug/walk_debug.ptx");
    std::ostringstream text;
    text << file.rdbuf();
    ir::Module module;
    module.sources = {std::make_shared<frontend::Source>("walk.ptx", text.str())};
    if (debug::source_variables(module).all.empty()) {
        WARN("built without elfutils");
        return;
    }
    module.sources = {std::make_shared<frontend::Source>("other.ptx", ".version 9.0\n")};
    CHECK(debug::source_variables(module).all.empty());
    module.sources = {std::make_shared<frontend::Source>("walk.ptx", text.str())};
    CHECK(!debug::source_variables(module).all.empty());
}

}  // namespace debug_variables_test
