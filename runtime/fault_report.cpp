// A fault as the user reads it: what, who, the PTX line, the source line.
#include "runtime/device_state.hpp"

namespace warpsim::runtime {

namespace {

std::string dims(std::array<std::uint32_t, 3> const& v) {
    return "(" + std::to_string(v[0]) + "," + std::to_string(v[1]) + "," + std::to_string(v[2]) + ")";
}

/// "(kernels.cu:6)", with the calls that were inlined: "(math.h:12 inlined at kernels.cu:6)".
std::string source_place(ir::Module const& module, std::uint32_t location) {
    std::string text;
    for (int depth = 0; location != ir::none && depth < 16; ++depth) {
        ir::SourceLocation const& l = module.locations[location];
        std::string const file = l.file < module.files.size() ? module.files[l.file] : "";
        text += (depth == 0 ? "" : " inlined at ") + file + ":" + std::to_string(l.line);
        location = l.inlined_at;
    }
    return text.empty() ? text : "      (" + text + ")";
}

}  // namespace

std::string report(sim::Fault const& fault, ir::Module const& module, std::string_view kernel, LaunchShape const& shape) {
    std::string text = fault.what + "\n  kernel " + std::string(kernel) + ", grid " + dims(shape.grid);
    if (fault.has_place) {
        text += ", block " + dims(fault.cta) + ", thread " + dims(fault.thread) + ", warp " + std::to_string(fault.warp) +
                " lane " + std::to_string(fault.lane);
        if (fault.function < module.functions.size()) {
            ir::Instruction const& i = module.functions[fault.function].instructions[fault.instruction];
            auto const place = module.source->position(i.span.offset);
            text += "\n  " + module.source->name() + ":" + std::to_string(place.line) + ":  " +
                    std::string(module.source->view(i.span)) + source_place(module, i.location);
        }
    }
    if (!fault.details.empty()) text += "\n" + fault.details;
    return text;
}

}  // namespace warpsim::runtime
