// The report of a fault for the user: what happened, which thread, the PTX line, the source line.
#include "runtime/device_state.hpp"
#include "sim/demangled.hpp"

namespace warpsim::runtime {

std::string dims(std::array<std::uint32_t, 3> const& v) {
    return "(" + std::to_string(v[0]) + "," + std::to_string(v[1]) + "," + std::to_string(v[2]) + ")";
}

std::string report(sim::Fault const& fault, ir::Module const& module, std::string_view kernel,
                   LaunchShape const& shape) {
    std::string text =
        fault.what + "\n  kernel " + sim::demangled(std::string(kernel)) + ", grid " + dims(shape.grid);
    if (fault.has_place) {
        text += ", block " + dims(fault.cta) + ", thread " + dims(fault.thread) + ", warp " +
                std::to_string(fault.warp) + " lane " + std::to_string(fault.lane) +
                (fault.sm == UINT32_MAX ? "" : ", SM " + std::to_string(fault.sm));
        if (fault.function < module.functions.size()) {
            ir::Instruction const& i = module.functions[fault.function].instructions[fault.instruction];
            std::string const source = module.source_place(i);
            text += "\n  " + module.place(i) + ":  " + module.written(i) +
                    (source.empty() ? "" : "      (" + source + ")");
        }
    }
    if (!fault.details.empty()) text += "\n" + fault.details;
    return text;
}

}  // namespace warpsim::runtime
