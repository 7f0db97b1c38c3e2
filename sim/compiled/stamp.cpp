#include "sim/compiled/compile.hpp"

namespace warpsim::sim {

std::string_view code_stamp() {
    return
#include "stamp.inc"
        ;
}

}  // namespace warpsim::sim
