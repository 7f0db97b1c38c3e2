// With whom a sweep talks that does not run its points itself.
#pragma once

#include <iosfwd>

namespace warpsim::sweep {

/// Where lines come from and go to; null: points are run here.
struct Exchange {
    std::istream* from = nullptr;
    std::ostream* to = nullptr;
};

}  // namespace warpsim::sweep
