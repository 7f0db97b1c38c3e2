// Any bytes at all through the whole frontend: read, check, decode, control flow, register columns; and what comes
// out without an error can be planned and printed. Run it with the dictionary beside it, and seeds:
// warpsim-fuzz-frontend -dict=tests/fuzz/ptx.dict CORPUS tests/frontend/corpus/sample tests/frontend/diagnostics
// (the first folder takes what it finds)
#include "frontend/decode/decode.hpp"
#include "frontend/ir/print.hpp"
#include "sim/error.hpp"
#include "sim/exec/plan.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

using namespace warpsim;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    auto const source = std::make_shared<frontend::Source const>(
        "input.ptx", std::string(reinterpret_cast<char const*>(data), size));
    frontend::Diagnostics diagnostics(*source);
    ir::Module const module = frontend::compile(source, diagnostics);
    (void)diagnostics.render();
    if (diagnostics.error_count() != 0) return 0;
    sim::SymbolAddresses symbols;
    symbols.variable.resize(module.variables.size(), 0x10000000000);
    for (std::uint32_t i = 0; i < module.functions.size(); ++i) {
        if (!module.functions[i].has_body) continue;
        (void)ir::print(module, module.functions[i]);
        if (!module.functions[i].is_entry) continue;
        try {
            (void)sim::print_plan(sim::make_plan(module, i, symbols, {}));
        } catch (Error const&) {
            // instructions that are not executed yet are refused
        }
    }
    return 0;
}
