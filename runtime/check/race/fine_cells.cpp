#include "runtime/check/race/fine_cells.hpp"

namespace warpsim::check {

/// Of unrelated stamps neighbours share a place: first reads behind writes, of which a race then shows at other bytes.
void FineCells::fit() {
    while (held_bytes() > most_bytes_) {
        StampPlane& plane = second_ && second_->can_halve() ? *second_ : first_;
        if (!plane.can_halve()) return;
        plane.halve();
    }
}

}  // namespace warpsim::check
