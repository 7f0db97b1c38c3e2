#include "sim/exec/lanes/access.hpp"

namespace warpsim::sim {

namespace baseline { extern AccessFunctions const functions; }
namespace avx2 { extern AccessFunctions const functions; }
namespace avx512 { extern AccessFunctions const functions; }

AccessFunctions const& access_functions(isa::HostIsa host) {
    switch (host) {
        case isa::HostIsa::avx512: return avx512::functions;
        case isa::HostIsa::avx2: return avx2::functions;
        case isa::HostIsa::baseline: break;
    }
    return baseline::functions;
}

}  // namespace warpsim::sim
