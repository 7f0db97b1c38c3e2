// Values that an instruction names together by their first register, such as those of a wide load or the fragments of a matrix: they
// lie side by side.
#pragma once

#include "sim/timing/plan/machine_function.hpp"

#include <vector>

namespace warpsim::timing {

/// What takes `units` registers from a multiple of that on.
struct NamedVector {
    struct Element {
        std::uint32_t reg;     // of the PTX, not in other elements
        std::uint32_t offset;  // from the first hardware register
    };

    std::uint32_t instruction = 0;
    bool is_written = false;
    std::uint32_t units = 0;
    std::vector<Element> elements;
};

/// Those that are written come first, then in order.
std::vector<NamedVector> find_named_vectors(MachineFunction const& m);

}  // namespace warpsim::timing
