#include "frontend/archive/archive.hpp"

namespace warpsim::frontend {

std::string_view archive_stamp() {
    return
#include "stamp.inc"
        ;
}

}  // namespace warpsim::frontend
